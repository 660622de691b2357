//! Compares the nearest images, and displacements to them, with a scan of all images.

use std::cmp::Ordering;

use orthant::glam::{DVec2, DVec3, IVec3, Vec2, Vec3};
use orthant::{
    Aabb, Bounded, CellList, Distance, Error, Linear, LooseOrthtree, Nearest, Orthtree, Overlaps,
    Periodic, Scalar, Sphere, Vector, Voxel,
};
use proptest::prelude::*;

use crate::cases::cases;
use crate::{Seen, apart, around, next, offset, seen_ball, seen_box, seen_point};

/// The squared distance, index and image of each item.
type Found<V> = Vec<(f64, usize, Vec<i32>, std::marker::PhantomData<V>)>;

fn axes<X: Voxel>(image: X) -> Vec<i32> {
    (0..X::DIM).map(|a| image.axis(a)).collect()
}

/// The nearest items, as the crate returns them.
type Near<K, V> = Vec<Nearest<(K, <V as Vector>::Voxel), <V as Vector>::Scalar>>;

/// Compares images, axis 0 fastest.
fn by_image(a: &[i32], b: &[i32]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// Returns all images up to some index on both sides, sorted by distance, then by key, then by image.
fn brute<V: Vector, T: Distance<Vector = V>>(
    periodic: &Periodic<V>,
    (items, seen): (&[T], Seen<V, T>),
    point: V,
    most: i32,
) -> Found<V> {
    let (from, to) = around(periodic, most);
    let mut found = Vec::new();
    let mut image = Some(from);
    while let Some(k) = image {
        let offset = offset(periodic, k);
        let zero = V::splat(V::Scalar::ZERO);
        for (i, item) in items.iter().enumerate() {
            let square: f64 = seen(item, point, offset).distance_sq(zero).into();
            found.push((square, i, axes(k), std::marker::PhantomData));
        }
        image = next::<V>(k, from, to);
    }
    found.sort_by(|a, b| {
        let order = a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        order.then_with(|| by_image(&a.2, &b.2))
    });
    found
}

fn found<K, V: Vector>(near: Near<K, V>, key: fn(K) -> usize) -> Found<V> {
    let all = near.into_iter().map(|near| {
        let (item, image) = near.item;
        (
            near.distance_sq.into(),
            key(item),
            axes(image),
            std::marker::PhantomData,
        )
    });
    all.collect()
}

fn check<V, T>(periodic: &Periodic<V>, (items, seen): (&[T], Seen<V, T>), point: V, most: i32)
where
    V: Vector,
    T: Bounded<Vector = V> + Distance + Clone + Sync,
    Sphere<V>: Overlaps<T>,
{
    let expected = brute(periodic, (items, seen), point, most);
    let tree = Orthtree::new(items);
    let loose: LooseOrthtree<T> = items.iter().cloned().collect();
    let scan = Linear::new(items);
    for n in [1, 3, items.len() + 1, 2 * items.len()] {
        let limits = [
            f64::INFINITY,
            0.0,
            expected.get(n / 2).map_or(1.0, |found| found.0.sqrt()),
        ];
        for radius in limits {
            let radius: V::Scalar = Scalar::from_f64(radius);
            let within: f64 = (radius * radius).into();
            let expected: Vec<_> = expected
                .iter()
                .filter(|found| found.0 <= within)
                .take(n)
                .collect();
            let ask = || periodic.nearest_n_within(&scan, point, n, radius).unwrap();
            let ours = found::<_, V>(ask(), |key| key);
            assert_eq!(ours.iter().collect::<Vec<_>>(), expected);
            let near = periodic.nearest_n_within(&tree, point, n, radius).unwrap();
            assert_eq!(found::<_, V>(near, |key| key), ours);
            let near = periodic.nearest_n_within(&loose, point, n, radius).unwrap();
            assert_eq!(found::<_, V>(near, orthant::Handle::slot), ours);
        }
    }
    let first = periodic.nearest(&tree, point).unwrap();
    assert_eq!(
        found::<_, V>(first.into_iter().collect(), |key| key),
        expected[..1.min(expected.len())]
    );
}

/// Returns a lattice point; many distances of lattice points tie.
fn place<V: Vector>(raw: [i8; 3], step: f64) -> V {
    V::from_fn(|a| Scalar::from_f64(f64::from(raw[a % 3]) * step))
}

fn in_boxes<V: Vector>(boxes: &[Periodic<V>], most: i32) {
    let raw = || proptest::array::uniform3(-8i8..=8);
    let input = (
        proptest::collection::vec((raw(), 0u8..4), 1..8),
        proptest::collection::vec(proptest::array::uniform3(-5i8..=5), 1..3),
        proptest::sample::select(&[1.0, 0.5, 0.3][..]),
        0..boxes.len(),
    );
    proptest!(cases(12, 300), |((items, points, step, index) in input)| {
        let periodic = &boxes[index];
        let places: Vec<V> = items.iter().map(|item| place(item.0, step)).collect();
        let size = |raw: u8| Scalar::from_f64(f64::from(raw) * 0.25);
        let balls: Vec<_> =
            places.iter().zip(&items).map(|(&at, item)| Sphere::new(at, size(item.1))).collect();
        let blocks: Vec<_> = balls.iter().map(Bounded::bounds).collect();
        for &point in &points {
            let point: V = place(point, step);
            check(periodic, (&places, seen_point), point, most);
            check(periodic, (&balls, seen_ball), point, most);
            check(periodic, (&blocks, seen_box), point, most);
        }
    });
}

#[test]
fn the_nearest_images() {
    in_boxes(
        &[
            Periodic::new(Aabb::new(Vec2::ZERO, Vec2::splat(4.0))),
            Periodic::on_axes(Aabb::new(Vec2::ONE, Vec2::new(3.5, 9.0)), [true, false]),
            Periodic::on_axes(Aabb::new(Vec2::ONE, Vec2::new(3.5, 9.0)), [false, false]),
            Periodic::spanned(Vec2::ZERO, [Vec2::new(4.0, 0.0), Vec2::new(2.0, 3.0)]),
            Periodic::spanned_along(Vec2::ONE, [Vec2::new(3.0, -2.0), Vec2::X], [true, false]),
        ],
        9,
    );
    in_boxes(
        &[
            Periodic::new(Aabb::new(DVec3::ZERO, DVec3::new(5.0, 4.0, 6.0))),
            Periodic::on_axes(
                Aabb::new(DVec3::ZERO, DVec3::splat(5.0)),
                [true, false, true],
            ),
            Periodic::spanned(
                DVec3::ZERO,
                [
                    DVec3::new(5.0, 0.0, 0.0),
                    DVec3::new(2.0, 5.0, 0.0),
                    DVec3::new(-1.0, 2.0, 6.0),
                ],
            ),
            Periodic::spanned_along(
                DVec3::ONE,
                [
                    DVec3::new(5.0, 0.0, 1.0),
                    DVec3::new(1.0, 2.0, 0.0),
                    DVec3::new(2.0, 5.0, -1.0),
                ],
                [true, false, true],
            ),
        ],
        5,
    );
}

#[test]
fn far_away_on_an_open_axis() {
    let points: Vec<Vec2> = (0..50)
        .map(|i| Vec2::new(i as f32 * 0.02, 5000.0 + i as f32))
        .collect();
    let periodic = Periodic::on_axes(Aabb::new(Vec2::ZERO, Vec2::ONE), [true, false]);
    check(&periodic, (&points, seen_point), Vec2::new(0.9, 0.0), 90);
    // The wire leans, and the points lie at right angles to it.
    let vectors = [Vec2::new(0.75, 1.0), Vec2::ZERO];
    let wire = Periodic::spanned_along(Vec2::ZERO, vectors, [true, false]);
    let points: Vec<Vec2> = (0..50)
        .map(|i| Vec2::new(-400.0, 300.0 + i as f32 * 0.02) + Vec2::new(-0.8, 0.6) * i as f32)
        .collect();
    check(&wire, (&points, seen_point), Vec2::new(0.9, 0.0), 90);
}

#[test]
fn what_is_not_there_or_too_far() {
    let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::ONE));
    let none = Orthtree::<Vec3>::new(&[]);
    assert_eq!(periodic.nearest(&none, Vec3::ZERO), Ok(None));
    let one = CellList::new(&[Vec3::splat(0.5)], 0.25);
    assert_eq!(periodic.nearest(&one, Vec3::NAN), Ok(None));
    let near = periodic.nearest(&one, Vec3::splat(-7.5)).unwrap().unwrap();
    assert_eq!((near.item, near.distance_sq), ((0, IVec3::splat(-8)), 0.0));
    assert_eq!(periodic.nearest_n(&one, Vec3::ZERO, 0), Ok(Vec::new()));
    let refused = Error::TooManyImages { region: 0, axis: 0 };
    assert_eq!(periodic.nearest(&one, Vec3::splat(1e12)), Err(refused));
    assert_eq!(
        periodic.nearest_n(&one, Vec3::ZERO, usize::MAX),
        Err(refused)
    );
    let within = periodic
        .nearest_n_within(&one, Vec3::ZERO, usize::MAX, 1.0)
        .unwrap();
    assert_eq!(within.len(), 8);
    let lifts = Sphere::new(Vec3::ZERO, 1000.0);
    assert_eq!(periodic.count(&one, lifts), Err(refused));
}

/// Checks that each displacement is the shortest of all, to the bit, and that the displacement back is its negative. If several are shortest, it
/// is one of them.
fn displacements<V: Vector>(periodic: &Periodic<V>, is_box: bool, most: i32, points: &[V]) {
    for &from in points {
        for &to in points {
            let (first, last) = around(periodic, most);
            let zero = V::splat(V::Scalar::ZERO);
            let found = periodic.displacement(from, to);
            let (mut image, mut is_image, mut least) = (Some(first), false, V::Scalar::INFINITY);
            let mut on_axes = vec![V::Scalar::INFINITY; V::DIM];
            while let Some(k) = image {
                let by = apart(to, from, offset(periodic, k));
                is_image |= by == found;
                least = least.smaller(by.distance_sq(zero));
                for (a, least) in on_axes.iter_mut().enumerate() {
                    *least = least.smaller(by.axis(a).abs());
                }
                image = next::<V>(k, first, last);
            }
            assert!(is_image, "{from:?} {to:?} {found:?}");
            if is_box {
                assert!((0..V::DIM).all(|a| found.axis(a).abs() == on_axes[a]));
            }
            assert_eq!(found.distance_sq(zero), least, "{from:?} {to:?}");
            let back = periodic.displacement(to, from);
            let opposite = V::from_fn(|a| V::Scalar::ZERO - back.axis(a));
            assert_eq!(found, opposite, "{from:?} {to:?}");
        }
    }
}

#[test]
fn displacements_are_the_shortest() {
    let points = |step: f64| -> Vec<DVec3> {
        let place = |i: i32| {
            DVec3::new(
                f64::from(i % 5 - 2),
                f64::from(i / 5 % 5 - 1),
                f64::from(i % 7),
            )
        };
        (0..12).map(|i| place(i * 11) * step).collect()
    };
    let flat = |points: Vec<DVec3>| -> Vec<DVec2> { points.iter().map(|p| p.truncate()).collect() };
    displacements(
        &Periodic::new(Aabb::new(DVec3::ZERO, DVec3::splat(4.0))),
        true,
        4,
        &points(1.0),
    );
    displacements(
        &Periodic::on_axes(
            Aabb::new(DVec3::ZERO, DVec3::splat(2.0)),
            [true, false, true],
        ),
        true,
        8,
        &points(0.7),
    );
    let (a, b, c) = (
        DVec3::new(3.0, 0.0, 0.0),
        DVec3::new(1.5, 2.0, 0.0),
        DVec3::new(1.0, 1.0, 4.0),
    );
    displacements(
        &Periodic::spanned(DVec3::ZERO, [a, b, c]),
        false,
        9,
        &points(1.0),
    );
    for along in [[true, false, true], [false, true, false]] {
        displacements(
            &Periodic::spanned_along(DVec3::ZERO, [a, b, c], along),
            false,
            9,
            &points(1.0),
        );
        displacements(
            &Periodic::spanned_along(DVec3::ONE, [b, c, a], along),
            false,
            9,
            &points(0.7),
        );
    }
    // The vectors lean over each other, so the nearest image has large indices.
    let leaning = [DVec2::new(1.0, 0.0), DVec2::new(37.3, 1.0)];
    displacements(
        &Periodic::spanned(DVec2::ZERO, leaning),
        false,
        160,
        &flat(points(0.3))[..5],
    );
    let box_2 = Periodic::new(Aabb::new([0.0f32; 1], [3.0]));
    assert_eq!(box_2.displacement([0.0], [1.5]), [1.5]); // ties with -1.5; the image closer to 0 wins
    assert!(box_2.displacement([1.0], [1e30])[0].abs() <= 1.5);
    assert!(box_2.displacement([f32::NAN], [0.0])[0].is_nan());
}

/// Up to a hundred images on either side are searched. Cell lists and queries have the same limit, to the bit.
#[test]
fn one_limit() {
    let cell = [DVec2::new(2.0, 0.0), DVec2::new(1.0, 3.0)];
    let boxes = [
        Periodic::new(Aabb::new(DVec2::ZERO, DVec2::new(0.7, 3.0))),
        Periodic::on_axes(Aabb::new(DVec2::ZERO, DVec2::new(1.1, 0.1)), [true, false]),
        Periodic::spanned(DVec2::ZERO, cell),
        Periodic::spanned_along(DVec2::ZERO, cell, [true, false]),
    ];
    // The heights of the cell are the distances between its opposite faces.
    let heights = [0.7, 1.1, 6.0 / 10.0_f64.sqrt(), 2.0];
    for (periodic, height) in boxes.iter().zip(heights) {
        let points: Vec<DVec2> = (0..5)
            .map(|i| DVec2::new(0.13, 0.02) * f64::from(i))
            .collect();
        let (tree, scan) = (Orthtree::new(&points), Linear::new(&points));
        let mut radius = 99.999_999_99 * height;
        let mut refused = 0;
        let mut check = |radius: f64| {
            let cells = CellList::try_new_periodic(&points, radius, *periodic);
            for center in [DVec2::new(0.1, 0.2), DVec2::new(7e3, -31.4)] {
                let ball = Sphere::new(center, radius);
                let counts = (periodic.count(&tree, ball), periodic.count(&scan, ball));
                assert_eq!(counts.0, counts.1);
                assert_eq!(counts.0.is_err(), cells.is_err(), "{radius} {center}");
            }
            refused += usize::from(cells.is_err());
        };
        check(radius);
        radius = 100.0 * height;
        for _ in 0..4 {
            radius = radius.next_down();
        }
        for _ in 0..8 {
            check(radius);
            radius = radius.next_up();
        }
        check(100.001 * height);
        assert!((1..10).contains(&refused), "{refused}");
    }
}

/// Compares pairs in images with a scan of all images.
#[test]
fn pairs_in_images() {
    let raw = proptest::array::uniform3(0i8..8);
    let input = (proptest::collection::vec(raw, 1..20), 1u8..12);
    let boxes = [
        Periodic::new(Aabb::new(DVec3::ZERO, DVec3::new(4.0, 3.0, 5.0))),
        Periodic::on_axes(
            Aabb::new(DVec3::ZERO, DVec3::splat(4.0)),
            [true, false, true],
        ),
        Periodic::spanned(
            DVec3::ZERO,
            [
                DVec3::X * 4.0,
                DVec3::new(1.0, 4.0, 0.0),
                DVec3::new(2.0, 1.0, 4.0),
            ],
        ),
        Periodic::spanned_along(
            DVec3::ONE,
            [
                DVec3::X,
                DVec3::new(1.0, 4.0, 0.0),
                DVec3::new(2.0, 1.0, 4.0),
            ],
            [false, true, true],
        ),
    ];
    proptest!(cases(20, 200), |((raws, radius) in input, index in 0..4usize)| {
        let (periodic, radius) = (boxes[index], f64::from(radius) * 0.5);
        let points: Vec<DVec3> = raws.iter().map(|&raw| periodic.wrap(place(raw, 0.5))).collect();
        let cells = CellList::new_periodic(&points, radius, periodic);
        let lists = cells.neighbors_in_images();
        let (from, to) = around(&periodic, 4);
        let mut pairs = 0;
        for (i, &point) in points.iter().enumerate() {
            let mut expected = Vec::new();
            let mut image = Some(from);
            while let Some(k) = image {
                for (j, &other) in points.iter().enumerate() {
                    // Halves and their sums are exact.
                    let by = other + periodic.offset(k) - point;
                    if by.length_squared() <= radius * radius {
                        expected.push((j, axes(k), by, by.length_squared()));
                    }
                }
                image = next::<DVec3>(k, from, to);
            }
            expected.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| by_image(&a.1, &b.1)));
            pairs += expected.len() - 1;
            let near = lists[i].iter();
            let ours: Vec<_> =
                near.map(|n| (n.index, axes(n.image), n.displacement, n.distance_sq)).collect();
            prop_assert_eq!(ours, expected);
        }
        prop_assert_eq!(cells.count_pairs() as usize * 2, pairs);
    });
}

#[test]
fn displacements_in_cells_that_are_thin_or_far_away_end() {
    // Rounding, or a vector a million times as long as another, would leave millions of images as candidates.
    let leaning = Periodic::try_spanned([0.0; 2], [[1e-9, 0.0], [1.0, 1.0]]).unwrap();
    let apart = leaning.displacement([0.3, 0.3], [0.9, 0.95]);
    assert!(
        apart[0].abs() < 1e-8 && (apart[1] + 0.35).abs() < 1e-9,
        "{apart:?}"
    );
    let thin = Periodic::try_spanned([0.0; 2], [[1e-300, 0.0], [0.0, 1e300]]).unwrap();
    let apart = thin.displacement([0.3, 0.3], [0.9, 0.95]);
    assert!((apart[1] - 0.65).abs() < 1e-9, "{apart:?}");
    // Far away along an open vector, few images are candidates.
    let wire = Periodic::spanned_along([0.0; 2], [[1.0, 1.0], [0.0; 2]], [true, false]);
    let apart = wire.displacement([0.0; 2], [-3e6 + 7.25, 3e6 + 7.25]);
    assert_eq!(apart, [-3e6 + 0.25, 3e6 + 0.25]);
    let far = Periodic::try_spanned([1e18; 2], [[1e-3, 0.0], [0.0, 1.0]]).unwrap();
    let apart = far.displacement([1e18; 2], [0.9, 0.95]);
    assert!(apart.iter().all(|x| x.is_finite()), "{apart:?}");
}
