//! Norms other than Euclid's: every structure answers what a list of measures says that is made here, by other code.

use std::ops::ControlFlow;

use orthant::{
    Aabb, BodyInfo, Bounded, Broadphase, CellList, Chebyshev, DistanceBy, Filter, Hollow, Key,
    Linear, LooseOrthtree, Manhattan, Motion, Norm, NormBall, Orthtree, Overlaps, Region, Relation,
    Scalar, ShapeError, SpatialIndex, Sphere, Vector, Volume, Weighted, With,
};
use proptest::prelude::*;

use crate::cases::cases;
use crate::lattice::place;

/// What a norm measures, written as one would who has not seen the crate.
trait Naive<V: Vector>: Norm<V> {
    fn naive(&self, differences: &[V::Scalar]) -> V::Scalar;
}

impl<V: Vector> Naive<V> for Manhattan {
    fn naive(&self, d: &[V::Scalar]) -> V::Scalar {
        d[1..].iter().fold(d[0].abs(), |sum, &d| sum + d.abs())
    }
}

impl<V: Vector> Naive<V> for Chebyshev {
    fn naive(&self, d: &[V::Scalar]) -> V::Scalar {
        let all = d.iter().map(|d| d.abs());
        all.max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap()
    }
}

impl<V: Vector> Naive<V> for Weighted<V> {
    fn naive(&self, d: &[V::Scalar]) -> V::Scalar {
        let terms = (0..V::DIM).map(|a| self.weights().axis(a) * d[a] * d[a]);
        terms.reduce(|sum, term| sum + term).unwrap()
    }
}

/// The differences to the nearest point of a box, which may be a point.
fn to_box<V: Vector>(cell: &Aabb<V>, at: V) -> Vec<V::Scalar> {
    let on_axis = |a: usize| {
        let (at, min, max) = (at.axis(a), cell.min().axis(a), cell.max().axis(a));
        if at < min {
            min - at
        } else if at > max {
            at - max
        } else {
            V::Scalar::ZERO
        }
    };
    (0..V::DIM).map(on_axis).collect()
}

/// Everything that can be asked of a structure, of which item `i` has the key `keys[i]` and the measure `measures[i]`.
fn asked<S, N>(
    index: &S,
    keys: &[S::Key],
    measures: &[<S::Vector as Vector>::Scalar],
    ball: NormBall<S::Vector, N>,
) where
    S: SpatialIndex + Sync,
    S::Key: std::fmt::Debug,
    N: Norm<S::Vector>,
    S::Item: DistanceBy<N>,
    NormBall<S::Vector, N>: Overlaps<S::Item>,
{
    let (at, radius, norm) = (ball.center(), ball.radius(), ball.norm());
    let limit = norm.measure_of(radius);
    let mut ranked: Vec<_> = measures.iter().copied().zip(keys.iter().copied()).collect();
    ranked.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let within: Vec<_> = ranked.iter().copied().filter(|r| r.0 <= limit).collect();

    let mut expected: Vec<_> = within.iter().map(|near| near.1).collect();
    expected.sort();
    let listed: Vec<_> = index.query(ball).collect();
    let mut found = listed.clone();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(index.count(ball), expected.len());
    let mut list = Vec::new();
    index.query(ball).append_to(&mut list);
    assert!(
        list.into_iter()
            .map(<S::Key as Key>::unpack)
            .eq(listed.iter().copied())
    );
    let mut seen = Vec::new();
    let _ = index.visit(ball, |key| {
        seen.push(key);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(seen, listed);
    let lists = index.query_batch(&[ball, ball]);
    assert_eq!(lists[1].len(), listed.len());

    let by_norm = index.by_norm(norm);
    let same = |found: Vec<orthant::NearestBy<S::Key, _>>, expected: &[(_, S::Key)]| {
        let found: Vec<_> = found
            .iter()
            .map(|near| {
                assert_eq!(near.distance, norm.distance(near.measure));
                (near.measure, near.item)
            })
            .collect();
        assert_eq!(found, expected);
    };
    let nearest = by_norm.nearest(at);
    same(
        nearest.into_iter().collect(),
        &ranked[..ranked.len().min(1)],
    );
    for n in [0, 1, 2, 7, 33, keys.len(), keys.len() + 5, usize::MAX] {
        same(by_norm.nearest_n(at, n), &ranked[..ranked.len().min(n)]);
        same(
            by_norm.nearest_n_within(at, n, radius),
            &within[..within.len().min(n)],
        );
    }
    let none = V0::<S>::ZERO - V0::<S>::ONE;
    assert!(by_norm.nearest_n_within(at, 3, none).is_empty());
    let nan = V0::<S>::from_f64(f64::NAN);
    assert!(by_norm.nearest_n_within(at, 3, nan).is_empty());
    for lost in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let lost = S::Vector::from_fn(|a| {
            if a == 1 {
                V0::<S>::from_f64(lost)
            } else {
                at.axis(a)
            }
        });
        assert!(by_norm.nearest(lost).is_none() && by_norm.nearest_n(lost, 3).is_empty());
    }
}

type V0<S> = <<S as SpatialIndex>::Vector as Vector>::Scalar;

/// Items in the trees and the scan, alone and with something attached.
fn in_trees<T, N>(
    items: &[T],
    measures: &[<T::Vector as Vector>::Scalar],
    ball: NormBall<T::Vector, N>,
) where
    T: DistanceBy<N> + Copy + Send + Sync,
    N: Norm<T::Vector>,
    NormBall<T::Vector, N>: Overlaps<T> + Overlaps<With<T, &'static str>>,
{
    let indices: Vec<usize> = (0..items.len()).collect();
    asked(&Linear::new(items), &indices, measures, ball);
    asked(&Orthtree::new(items), &indices, measures, ball);
    let named: Vec<_> = items.iter().map(|&item| With::new(item, "name")).collect();
    asked(&Orthtree::new(&named), &indices, measures, ball);
    let mut loose = LooseOrthtree::new();
    let handles: Vec<_> = items.iter().map(|&item| loose.insert(item)).collect();
    asked(&loose, &handles, measures, ball);
    // Others that were there and went.
    let mut loose = LooseOrthtree::new();
    let gone: Vec<_> = items.iter().map(|&item| loose.insert(item)).collect();
    let handles: Vec<_> = items.iter().map(|&item| loose.insert(item)).collect();
    for handle in gone {
        loose.remove(handle).unwrap();
    }
    asked(&loose, &handles, measures, ball);
}

/// Bodies in a world, before and after a step, and those of them that meet a filter.
fn in_worlds<V, N>(volumes: &[Volume<V>], measures: &[V::Scalar], ball: NormBall<V, N>)
where
    V: Vector,
    N: Norm<V>,
{
    let mut world = Broadphase::new();
    let odd = Filter {
        category: 2,
        ..Filter::ALL
    };
    let handles: Vec<_> = (0..volumes.len())
        .map(|i| {
            let filter = if i % 2 == 1 { odd } else { Filter::ALL };
            world.insert(
                volumes[i],
                BodyInfo::from(Motion::Dynamic).with_filter(filter),
            )
        })
        .collect();
    asked(&world, &handles, measures, ball);
    world.update();
    asked(&world, &handles, measures, ball);
    let some = Filter {
        mask: 2,
        ..Filter::ALL
    };
    let second = |i: &usize| i % 2 == 1;
    let chosen: Vec<usize> = (0..volumes.len()).filter(second).collect();
    let keys: Vec<_> = chosen.iter().map(|&i| handles[i]).collect();
    let measures: Vec<_> = chosen.iter().map(|&i| measures[i]).collect();
    asked(&world.filtered(some), &keys, &measures, ball);
}

#[derive(Clone, Debug)]
struct Raw {
    items: Vec<([i8; 3], [u8; 3])>,
    at: [i8; 3],
    radius: u8,
    weights: [u8; 3],
    step: f64,
    offset: f64,
}

impl Raw {
    fn length<V: Vector>(&self, steps: u8) -> V::Scalar {
        Scalar::from_f64(self.step * f64::from(steps))
    }
}

fn raws(most: usize) -> impl Strategy<Value = Raw> {
    let coordinate = || [-6..=6_i8, -6..=6_i8, -6..=6_i8];
    let item = (coordinate(), [0..=3_u8, 0..=3_u8, 0..=3_u8]);
    (
        proptest::collection::vec(item, 0..most),
        coordinate(),
        0..=12_u8,
        [1..=9_u8, 1..=9_u8, 1..=9_u8],
        prop_oneof![Just(1.0), Just(0.25), Just(0.1), Just(1e-3)],
        prop_oneof![Just(0.0), Just(1.0), Just(1e5)],
    )
        .prop_map(|(items, at, radius, weights, step, offset)| Raw {
            items,
            at,
            radius,
            weights,
            step,
            offset,
        })
}

fn by<V: Vector, N: Naive<V>>(raw: &Raw, norm: N) {
    let at: V = place(&raw.at, raw.offset, raw.step);
    let points: Vec<V> = raw
        .items
        .iter()
        .map(|item| place(&item.0, raw.offset, raw.step))
        .collect();
    let boxes: Vec<Aabb<V>> = points
        .iter()
        .zip(&raw.items)
        .map(|(&low, item)| {
            let size = |a: usize| raw.length::<V>(item.1[a % 3]);
            Aabb::new(low, V::from_fn(|a| low.axis(a) + size(a)))
        })
        .collect();
    // Up to a measure that occurs, at most as often as not.
    let radius = raw.length::<V>(raw.radius);
    let ball = NormBall::new(at, radius, norm);

    let of_points: Vec<_> = points
        .iter()
        .map(|&p| norm.naive(&to_box(&Aabb::new(p, p), at)))
        .collect();
    in_trees(&points, &of_points, ball);
    let indices: Vec<usize> = (0..points.len()).collect();
    for steps in [1, 4, 30] {
        let cells = CellList::new(&points, raw.length::<V>(steps));
        asked(&cells, &indices, &of_points, ball);
    }
    let flat: Vec<Volume<V>> = points.iter().map(|&p| Aabb::new(p, p).into()).collect();
    in_worlds(&flat, &of_points, ball);

    let of_boxes: Vec<_> = boxes
        .iter()
        .map(|cell| norm.naive(&to_box(cell, at)))
        .collect();
    in_trees(&boxes, &of_boxes, ball);
    let volumes: Vec<Volume<V>> = boxes.iter().map(|&cell| cell.into()).collect();
    in_worlds(&volumes, &of_boxes, ball);

    // From within, the nearest of the faces, each met along its axis.
    let hollow: Vec<_> = boxes.iter().map(|&cell| Hollow(cell)).collect();
    let of_hollow: Vec<_> = boxes
        .iter()
        .map(|cell| {
            let mut least = norm.naive(&to_box(cell, at));
            if cell.contains(&at) {
                let mut ways = Vec::new();
                for a in 0..V::DIM {
                    for face in [cell.min(), cell.max()] {
                        let mut way = vec![V::Scalar::ZERO; V::DIM];
                        way[a] = (at.axis(a) - face.axis(a)).abs();
                        ways.push(norm.naive(&way));
                    }
                }
                least = ways.into_iter().reduce(Scalar::smaller).unwrap();
            }
            least
        })
        .collect();
    in_trees(&hollow, &of_hollow, ball);

    // Of balls the scan says what is right; what it says is compared with other code below.
    let balls: Vec<_> = points
        .iter()
        .zip(&raw.items)
        .map(|(&center, item)| Sphere::new(center, raw.length::<V>(item.1[0])))
        .collect();
    let of_balls: Vec<_> = balls.iter().map(|it| it.measure(&norm, at)).collect();
    in_trees(&balls, &of_balls, ball);
    let mut volumes: Vec<Volume<V>> = balls.iter().map(|&ball| ball.into()).collect();
    in_worlds(&volumes, &of_balls, ball);
    volumes.extend(boxes.iter().map(|&cell| Volume::from(cell)));
    let all: Vec<_> = of_balls.into_iter().chain(of_boxes).collect();
    in_worlds(&volumes, &all, ball);
}

fn by_all<V: Vector>(raw: &Raw) {
    by::<V, _>(raw, Manhattan);
    by::<V, _>(raw, Chebyshev);
    // Some of them far apart.
    let power = |w: u8| [0.1, 0.25, 1.0, 1.0, 2.0, 4.0, 100.0, 1e-6, 3.0][usize::from(w) - 1];
    let weights = V::from_fn(|a| Scalar::from_f64(power(raw.weights[a % 3])));
    by::<V, _>(raw, Weighted::new(weights));
}

macro_rules! everywhere {
    ($($name:ident: $vector:ty),*) => {$(
        #[test]
        fn $name() {
            proptest!(cases(24, 200), |(raw in raws(70))| by_all::<$vector>(&raw));
        }
    )*};
}

everywhere!(in_f32x2: [f32; 2], in_f32x3: [f32; 3], in_f64x2: [f64; 2], in_f64x3: [f64; 3]);

// What no lattice has.

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
    // One point; and what is not a point is nowhere.
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

/// All norms over some points that are far apart, very near, or both.
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

/// Of balls: that their nearest point was found, by looking at many of their points.
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
            // It touches what it is away from.
            let distance = norm.distance(measure);
            let touching = NormBall::new([0.0, 0.0], distance * (1.0 + 1e-12), norm);
            assert!(touching.overlaps(&ball));
            let short = NormBall::new([0.0, 0.0], distance * (1.0 - 1e-12), norm);
            assert!(!short.overlaps(&ball));
        }
        let around = Sphere::new([1.0, 1.0], 2.0);
        assert_eq!(around.measure(&norm, [0.0, 0.0]), 0.0);
        assert_eq!(around.measure(&norm, [1.0, 3.0]), 0.0); // on its surface
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
    // By weights that are all alike, as Euclid has it.
    let ball = Sphere::new([3.0, 4.0], 2.0);
    let euclid: f64 = 3.0;
    let measure: f64 = ball.measure(&Weighted::new([1.0, 1.0]), [0.0, 0.0]);
    assert!((measure - euclid * euclid).abs() < 1e-12);
}

/// The mistake that others made: a sum of differences taken for a squared distance.
#[test]
fn a_sum_is_no_square() {
    // By steps the first is nearer, though a tree that bounds cells by squares would leave it out.
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

/// What a region says of a cell holds for the parts of the cell.
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
        // It ends where its box does, but for rounding.
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

/// What is within a radius by the largest difference is asked for as a box: that of the rounded differences, to the last bit.
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
