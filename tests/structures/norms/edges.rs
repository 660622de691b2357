//! Weights, radii and positions that no lattice has; balls, cells and cubes to the last bit.

use orthant::{
    Aabb, Bounded, CellList, Chebyshev, DistanceBy, Linear, Manhattan, Norm, NormBall, Orthtree,
    Overlaps, Region, Relation, Scalar, ShapeError, SpatialIndex, Sphere, Vector, Weighted,
};
use proptest::prelude::*;

use super::{Naive, Raw, asked, in_trees, raws, to_box};
use crate::cases::cases;
use crate::lattice::place;

#[test]
fn weights_are_positive_and_finite() {
    let refused = |weight: f32| Weighted::try_new([1.0, weight, 1.0]).unwrap_err();
    assert_eq!(
        refused(0.0),
        ShapeError::WeightNotPositive {
            axis: 1,
            value: 0.0
        }
    );
    assert_eq!(
        refused(-0.0).to_string(),
        "weight -0 on axis 1 is not positive"
    );
    assert_eq!(
        refused(-2.0).to_string(),
        "weight -2 on axis 1 is not positive"
    );
    for weight in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = refused(weight);
        assert!(matches!(
            error,
            ShapeError::NotFinite {
                part: "weight",
                axis: 1,
                ..
            }
        ));
    }
    for weight in [f32::from_bits(1), f32::MIN_POSITIVE, f32::MAX] {
        let norm = Weighted::try_new([weight, 1.0]).unwrap();
        assert_eq!(norm.weights(), [weight, 1.0]);
    }
}

#[test]
#[should_panic(expected = "Weighted: weight -1 on axis 2 is not positive")]
fn a_panic_names_the_axis() {
    let _ = Weighted::new([1.0, 2.0, -1.0]);
}

#[test]
fn centers_and_radii_are_those_of_spheres() {
    let made = |center, radius: f64| NormBall::try_new(center, radius, Manhattan).map(|_| ());
    for (center, radius) in [
        ([0.0, 0.0], -1.0),
        ([0.0, 0.0], -0.0),
        ([0.0, 0.0], f64::NAN),
        ([0.0, 0.0], f64::INFINITY),
        ([0.0, f64::NAN], 1.0),
        ([f64::NEG_INFINITY, 0.0], 1.0),
        ([f64::MAX, 0.0], f64::MAX),
    ] {
        let sphere = Sphere::try_new(center, radius).map(|_| ());
        assert_eq!(format!("{:?}", made(center, radius)), format!("{sphere:?}"));
    }
    // The ball holds one point, and a point of NaN lies nowhere.
    let ball = NormBall::new([1.0, 2.0], 0.0, Chebyshev);
    assert!(ball.overlaps(&[1.0, 2.0]) && !ball.overlaps(&[1.0, 2.0_f64.next_up()]));
    for lost in [
        [f64::NAN, 2.0],
        [1.0, f64::NAN],
        [f64::NAN; 2],
        [f64::INFINITY, 2.0],
    ] {
        assert!(!ball.overlaps(&lost));
        assert!(!NormBall::new([1.0, 2.0], 9.0, Manhattan).overlaps(&lost));
        assert!(!NormBall::new([1.0, 2.0], 9.0, Weighted::new([1.0, 2.0])).overlaps(&lost));
    }
}

/// Tests all norms with points that are far apart, very near, or both.
fn over<V: Vector>(points: &[V], weights: &[V], radii: &[f64]) {
    let raws = points
        .iter()
        .flat_map(|&at| radii.iter().map(move |&r| (at, r)));
    for (at, radius) in raws {
        fn each<V: Vector, N: Naive<V>>(points: &[V], at: V, radius: f64, norm: N) {
            let ball = NormBall::new(at, V::Scalar::from_f64(radius), norm);
            let measure = |&p: &V| norm.naive(&to_box(&Aabb::new(p, p), at));
            let measures: Vec<_> = points.iter().map(measure).collect();
            in_trees(points, &measures, ball);
            let indices: Vec<usize> = (0..points.len()).collect();
            let cells = CellList::new(points, V::Scalar::ONE);
            asked(&cells, &indices, &measures, ball);
            let balls: Vec<_> = points
                .iter()
                .map(|&p| Sphere::new(p, ball.radius()))
                .collect();
            let measures: Vec<_> = balls.iter().map(|it| it.measure(&norm, at)).collect();
            in_trees(&balls, &measures, ball);
        }
        each(points, at, radius, Manhattan);
        each(points, at, radius, Chebyshev);
        for &weights in weights {
            each(points, at, radius, Weighted::new(weights));
        }
    }
}

#[test]
fn numbers_that_overflow_and_vanish() {
    let most = f32::MAX;
    let least = f32::from_bits(1);
    let huge: Vec<[f32; 2]> = [-most, -1e30, 0.0, 1e20, most]
        .iter()
        .flat_map(|&x| [[x, 0.0], [x, most], [x, -1e30], [0.0, x]])
        .collect();
    let weights = [[1.0, 1.0], [least, 1.0], [most, least], [1e-30, 1e-30]];
    over(&huge, &weights, &[0.0, 1e19, 1e30, f64::from(most)]);
    let tiny: Vec<[f32; 2]> = [0.0, least, -least, 1e-30, 1e-20, 1.0]
        .iter()
        .flat_map(|&x| [[x, 0.0], [x, least], [-x, 1e-20]])
        .collect();
    over(&tiny, &weights, &[0.0, f64::from(least), 1e-20, 1.0]);
}

#[test]
fn many_in_one_place_and_none() {
    let same = vec![[2.0, 3.0, 4.0]; 300];
    let weights = [[1.0, 1e-3, 1e3]];
    over(&same[..1], &weights, &[0.0, 1.0]);
    let one = |n: usize| {
        let indices: Vec<usize> = (0..n).collect();
        let ball = NormBall::new([2.0, 3.0, 1.0], 3.0, Chebyshev);
        asked(&Orthtree::new(&same[..n]), &indices, &vec![3.0; n], ball);
        asked(&Linear::new(&same[..n]), &indices, &vec![3.0; n], ball);
        asked(
            &CellList::new(&same[..n], 0.5),
            &indices,
            &vec![3.0; n],
            ball,
        );
        in_trees(&same[..n], &vec![3.0; n], ball);
    };
    one(300);
    one(0);
}

/// The measure of a ball is that of its nearest point, which is found by sampling its surface.
#[test]
fn balls_are_measured_to_their_nearest_point() {
    fn check<N: Norm<[f64; 2]>>(norm: N) {
        for (x, y, radius) in [
            (5.0, 0.0, 2.0),
            (3.0, 4.0, 2.0),
            (-6.0, 1.0, 3.0),
            (0.5, 9.0, 0.0),
        ] {
            let ball = Sphere::new([x, y], radius);
            let measure = ball.measure(&norm, [0.0, 0.0]);
            let around = (0..100_000).map(|i| f64::from(i) * std::f64::consts::TAU * 1e-5);
            let on_it =
                around.map(|turn| norm.measure([x + radius * turn.cos(), y + radius * turn.sin()]));
            let least = on_it.fold(f64::INFINITY, f64::min);
            assert!(
                (measure - least).abs() < 1e-3,
                "{norm:?}: {measure} of {ball:?}, not {least}"
            );
            assert!(measure <= least * (1.0 + 1e-12));
            // A ball of this radius touches.
            let distance = norm.distance(measure);
            let touching = NormBall::new([0.0, 0.0], distance * (1.0 + 1e-12), norm);
            assert!(touching.overlaps(&ball));
            let short = NormBall::new([0.0, 0.0], distance * (1.0 - 1e-12), norm);
            assert!(!short.overlaps(&ball));
        }
        let around = Sphere::new([1.0, 1.0], 2.0);
        assert_eq!(around.measure(&norm, [0.0, 0.0]), 0.0);
        assert_eq!(around.measure(&norm, [1.0, 3.0]), 0.0); // the point is on its surface
    }
    check(Manhattan);
    check(Chebyshev);
    check(Weighted::new([1.0, 1.0]));
    check(Weighted::new([0.25, 9.0]));
    check(Weighted::new([100.0, 1e-3]));
    // Along an axis nothing is rounded.
    let ball = Sphere::new([5.0, 0.0, 0.0], 2.0);
    assert_eq!(ball.measure(&Manhattan, [0.0; 3]), 3.0);
    assert_eq!(ball.measure(&Chebyshev, [0.0; 3]), 3.0);
    assert_eq!(
        ball.measure(&Weighted::new([2.0, 1.0, 1.0]), [0.0; 3]),
        18.0
    );
    // Equal weights give a Euclidean distance.
    let ball = Sphere::new([3.0, 4.0], 2.0);
    let euclid: f64 = 3.0;
    let measure: f64 = ball.measure(&Weighted::new([1.0, 1.0]), [0.0, 0.0]);
    assert!((measure - euclid * euclid).abs() < 1e-12);
}

/// Other crates take a sum of differences for a squared distance.
#[test]
fn a_sum_is_no_square() {
    // By the sum of differences the first is nearer, although a tree that bounds cells by squares would prune it.
    let points: Vec<[f64; 2]> = (0..64)
        .map(|i| [f64::from(i % 8) * 0.1, f64::from(i / 8) * 0.1])
        .collect();
    let tree = Orthtree::new(&points);
    for at in &points {
        let near = tree.by_norm(Manhattan).nearest_n_within(*at, 99, 0.15);
        assert_eq!(near[0].distance, 0.0);
        assert!(
            near[1..]
                .iter()
                .all(|near| (near.distance - 0.1).abs() < 1e-9)
        );
        assert!((3..=5).contains(&near.len()));
    }
}

/// Checks that the relation of a region to a cell holds for the parts of the cell.
fn relations<V: Vector, N: Norm<V>>(raw: &Raw, norm: N) {
    let at: V = place(&raw.at, raw.offset, raw.step);
    let ball = NormBall::new(at, raw.length::<V>(raw.radius), norm);
    let corners: Vec<V> = raw
        .items
        .iter()
        .map(|item| place(&item.0, raw.offset, raw.step))
        .collect();
    for three in corners.windows(3) {
        let part = Aabb::spanning(three[0], three[1]);
        let whole = part.union(&Aabb::spanning(three[2], three[2]));
        match ball.relate(&whole) {
            Relation::Outside => {
                assert_eq!(ball.relate(&part), Relation::Outside);
                assert!(!ball.overlaps(&part) && !ball.overlaps(&three[2]));
            }
            Relation::Inside => {
                assert_eq!(ball.relate(&part), Relation::Inside);
                assert!(ball.overlaps(&part) && ball.overlaps(&three[2]));
            }
            Relation::Straddles => assert!(ball.overlaps(&whole)),
        }
        // The ball ends where its bounds end, except for rounding.
        let bounds = ball.bounds();
        let slack = raw.step * 1e-3 + raw.offset * 1e-5;
        for a in 0..V::DIM {
            if ball.overlaps(&three[0]) {
                let (x, low, high): (f64, f64, f64) = (
                    three[0].axis(a).into(),
                    bounds.min().axis(a).into(),
                    bounds.max().axis(a).into(),
                );
                assert!(low - slack <= x && x <= high + slack);
            }
        }
    }
}

#[test]
fn cells_and_their_parts() {
    proptest!(cases(200, 2000), |(raw in raws(12))| {
        relations::<[f32; 3], _>(&raw, Manhattan);
        relations::<[f32; 2], _>(&raw, Chebyshev);
        relations::<[f64; 3], _>(&raw, Weighted::new([0.1, 3.0, 1e-2]));
    });
}

/// A ball by the largest difference is searched as a box, which holds the rounded differences to the last bit.
#[test]
fn cubes_end_where_differences_round() {
    let number =
        || (-1000..=1000_i32, -12..=3_i32).prop_map(|(x, power)| x as f32 * 10_f32.powi(power));
    let input = (number(), number(), 0..=40_usize);
    proptest!(cases(400, 4000), |((center, radius, around) in input)| {
        let radius = radius.abs();
        let mut near = Vec::new();
        for end in [center - radius, center + radius, center] {
            let (mut down, mut up) = (end, end);
            for _ in 0..=around {
                near.extend([[down, center], [center, up], [up, down]]);
                (down, up) = (down.next_down(), up.next_up());
            }
        }
        let ball = NormBall::new([center; 2], radius, Chebyshev);
        let expected: Vec<usize> = Linear::new(&near).query(ball).collect();
        let is_within = |p: &[f32; 2]| (p[0] - center).abs() <= radius && (p[1] - center).abs() <= radius;
        prop_assert!(expected.iter().all(|&i| is_within(&near[i])));
        prop_assert_eq!(expected.len(), near.iter().filter(|p| is_within(p)).count());
        let sorted = |mut found: Vec<usize>| {
            found.sort_unstable();
            found
        };
        prop_assert_eq!(&sorted(Orthtree::new(&near).query(ball).collect()), &expected);
        prop_assert_eq!(&sorted(CellList::new(&near, 1.0).query(ball).collect()), &expected);
        let boxes: Vec<_> = near.windows(2).map(|two| Aabb::spanning(two[0], two[1])).collect();
        let expected: Vec<usize> = Linear::new(&boxes).query(ball).collect();
        prop_assert_eq!(&sorted(Orthtree::new(&boxes).query(ball).collect()), &expected);
    });
}
