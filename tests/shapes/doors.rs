//! Errors of constructors, and answers at the extremes.

use std::panic;

use orthant::glam::{DVec3, Vec2, Vec3};
use orthant::{
    Aabb, Broadphase, CellList, Contains, Ellipsoid, Error, Linear, LooseOctree, LooseOrthtree,
    Motion, Octree, Orthtree, ShapeError, Shell, SpatialIndex, Sphere,
};

use crate::message;

#[test]
fn shapes_say_what_is_wrong() {
    assert_eq!(
        message(Aabb::try_new([0.0, 2.0], [1.0, 1.0])),
        "inverted box: min 2 > max 1 on axis 1"
    );
    assert_eq!(
        message(Aabb::try_new(Vec3::ZERO, Vec3::new(1.0, 1.0, f32::NAN))),
        "max is NaN on axis 2, not a finite number"
    );
    assert_eq!(
        message(Sphere::try_new(Vec2::new(f32::INFINITY, 0.0), 1.0)),
        "center is inf on axis 0, not a finite number"
    );
    assert_eq!(message(Sphere::try_new([0.0], -1.0)), "negative radius -1");
    assert_eq!(
        Sphere::try_new([0.0], f64::NEG_INFINITY),
        Err(ShapeError::NotFinite {
            part: "radius",
            axis: 0,
            value: f64::NEG_INFINITY
        })
    );
    assert!(Sphere::try_new([0.0], -0.0).is_ok());
    assert_eq!(
        message(Ellipsoid::try_new([0.0; 3], [1.0, 0.0, 1.0])),
        "semi-axis 0 on axis 1 is not positive"
    );
    assert_eq!(
        message(Shell::try_new([0.0; 3], 3.0, 2.0)),
        "inner radius 3 > outer radius 2"
    );
    assert_eq!(
        message(Shell::try_new([0.0], -1.0, 2.0)),
        "negative radius -1"
    );
    assert_eq!(
        message(Shell::try_new([0.0], 1.0, f64::INFINITY)),
        "outer radius is inf on axis 0, not a finite number"
    );
    assert!(Shell::try_new([0.0], f64::NAN, 1.0).is_err());
    assert!(Shell::try_new([f64::NAN], 0.0, 1.0).is_err());
    assert!(Shell::try_new([0.0], 1.0, 1.0).is_ok());
    assert!(Ellipsoid::try_new([0.0; 3], [1.0, f64::NAN, 1.0]).is_err());
    assert!(Ellipsoid::try_new([f64::NAN, 0.0], [1.0, 1.0]).is_err());
}

#[test]
#[should_panic(expected = "Aabb: inverted box: min 1 > max 0 on axis 0")]
fn new_panics_with_the_reason() {
    let _ = Aabb::new([1.0], [0.0]);
}

#[test]
#[should_panic(expected = "Orthtree: item 1: point is NaN on axis 1, not a finite number")]
fn a_tree_panics_with_the_item() {
    let _ = Orthtree::new(&[[0.0, 0.0], [0.0, f64::NAN]]);
}

#[test]
fn structures_name_the_item() {
    let points = [
        Vec3::ZERO,
        Vec3::ONE,
        Vec3::new(0.0, f32::NEG_INFINITY, 0.0),
    ];
    let expected = "item 2: point is -inf on axis 1, not a finite number";
    assert_eq!(message(Linear::try_new(&points)), expected);
    assert_eq!(message(Octree::try_new(&points)), expected);
    assert_eq!(message(CellList::try_new(&points, 1.0)), expected);
    for size in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = CellList::try_new(&points[..2], size);
        assert!(matches!(refused, Err(Error::Radius { .. })), "{size}");
    }
}

#[test]
fn nothing_is_half_inserted() {
    let mut tree = LooseOrthtree::<Vec2>::new();
    let handle = tree.insert(Vec2::ONE);
    assert!(tree.try_insert(Vec2::NAN).is_err());
    let update = panic::AssertUnwindSafe(|| tree.update(handle, Vec2::new(0.0, f32::INFINITY)));
    assert!(panic::catch_unwind(update).is_err());
    assert_eq!(tree.len(), 1);
    assert_eq!(tree[handle], Vec2::ONE);
    tree.validate().unwrap();
    assert_eq!(tree.remove(handle), Some(Vec2::ONE));
    let again = tree.insert(Vec2::X);
    // The slot is reused, the handle is not.
    assert_eq!(again.slot(), handle.slot());
    assert_ne!(again, handle);
    assert_eq!(tree.get(handle), None);
    assert_eq!(tree.remove(handle), None);
}

#[test]
#[should_panic(expected = "stale")]
fn a_stale_handle_moves_nothing() {
    let mut tree = LooseOrthtree::<Vec2>::new();
    let handle = tree.insert(Vec2::ONE);
    tree.remove(handle);
    tree.update(handle, Vec2::X);
}

#[test]
#[should_panic(expected = "is stale: its item has been removed")]
fn a_stale_handle_panics_where_it_must() {
    let mut world = Broadphase::new();
    let handle = world.insert(Aabb::new([0.0], [1.0]), Motion::Dynamic);
    world.remove(handle);
    world.set_bounds(handle, Aabb::new([0.0], [1.0]));
}

#[test]
fn empty_structures_answer() {
    let everywhere = Sphere::new(Vec3::ZERO, 1e30);
    let none: [Vec3; 0] = [];
    assert_eq!(Linear::new(&none).count(everywhere), 0);
    assert_eq!(Octree::new(&none).count(everywhere), 0);
    assert_eq!(CellList::new(&none, 1.0).count(everywhere), 0);
    assert_eq!(LooseOctree::<Vec3>::new().count(everywhere), 0);
    assert_eq!(Octree::new(&none).nearest(Vec3::ZERO), None);
    assert_eq!(CellList::new(&none, 1.0).nearest(Vec3::ZERO), None);
    assert_eq!(Octree::new(&none).bounds(), None);
    assert_eq!(Broadphase::<Vec3>::new().update(), []);
    assert!(
        Octree::new(&none)
            .query_batch::<Sphere<Vec3>>(&[])
            .is_empty()
    );
}

#[test]
fn nothing_is_nearest_to_nowhere() {
    let points = [Vec3::ZERO, Vec3::ONE];
    for from in [Vec3::NAN, Vec3::new(0.0, f32::INFINITY, 0.0)] {
        assert_eq!(Linear::new(&points).nearest(from), None);
        assert_eq!(Octree::new(&points).nearest(from), None);
        assert_eq!(CellList::new(&points, 1.0).nearest(from), None);
    }
    let far = Octree::new(&points).nearest(Vec3::MAX).unwrap();
    assert_eq!((far.item, far.distance_sq), (0, f32::INFINITY));
    assert_eq!(
        Octree::new(&points).nearest_n(Vec3::ONE, usize::MAX).len(),
        2
    );
}

#[test]
fn nothing_is_within_a_radius_that_is_none() {
    let points = [Vec3::ZERO, Vec3::ONE];
    let (scan, tree) = (Linear::new(&points), Octree::new(&points));
    let cells = CellList::new(&points, 1.0);
    let within = |n, radius| {
        let found = scan.nearest_n_within(Vec3::ZERO, n, radius);
        assert_eq!(tree.nearest_n_within(Vec3::ZERO, n, radius), found);
        assert_eq!(cells.nearest_n_within(Vec3::ZERO, n, radius), found);
        found.len()
    };
    for radius in [-1.0, -f32::MIN_POSITIVE, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(within(5, radius), 0);
    }
    assert_eq!([within(5, 0.0), within(5, -0.0), within(5, 1.0)], [1; 3]);
    assert_eq!([within(5, 2.0), within(5, f32::INFINITY)], [2; 2]);
    assert_eq!(within(1, f32::MAX), 1);
    assert_eq!(tree.nearest_n_within(Vec3::NAN, 5, 1.0), []);
}

/// The tree is deeper than the search's own stack.
#[test]
fn nearest_in_a_deep_tree() {
    let points: Vec<[f64; 1]> = (0..20_000)
        .map(|i| [f64::powi(2.0, i % 2000 - 1000) * f64::from(1 + i / 2000)])
        .collect();
    let (tree, scan) = (Orthtree::new(&points), Linear::new(&points));
    for from in [0.0, 1e-250, 3e-9, 1.0, 1e77, 1e300].map(|x| [x]) {
        assert_eq!(tree.nearest(from), scan.nearest(from));
        assert_eq!(tree.nearest_n(from, 300), scan.nearest_n(from, 300));
    }
}

#[test]
fn a_hundred_thousand_coincident_points() {
    let points = vec![Vec3::new(1.0, 2.0, 3.0); 100_000];
    let touching = Sphere::new(Vec3::new(1.0, 2.0, 4.0), 1.0);
    let missing = Sphere::new(Vec3::new(1.0, 2.0, 4.0), 0.999);
    let tree = Octree::new(&points);
    let cells = CellList::new(&points, 0.1);
    let mut loose = LooseOrthtree::new();
    let handles: Vec<_> = points.iter().map(|&p| loose.insert(p)).collect();
    for (region, count) in [(touching, points.len()), (missing, 0)] {
        assert_eq!(tree.count(region), count);
        assert_eq!(cells.count(region), count);
        assert_eq!(loose.count(region), count);
    }
    tree.validate().unwrap();
    loose.validate().unwrap();
    let nearest = tree.nearest_n(Vec3::ZERO, 3);
    assert_eq!(
        nearest.iter().map(|n| n.item).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    // Remove items one by one, and not in the order in which they came.
    for i in 0..handles.len() {
        loose.remove(handles[(i * 7919) % handles.len()]);
    }
    assert!(loose.is_empty());
    loose.validate().unwrap();
}

#[test]
fn an_outlier_costs_no_memory_and_no_answer() {
    let mut points: Vec<DVec3> = (0..1000)
        .map(|i| {
            DVec3::new(
                f64::from(i % 10),
                f64::from(i / 10 % 10),
                f64::from(i / 100),
            )
        })
        .collect();
    points.push(DVec3::splat(1e7));
    points.push(DVec3::splat(-1e300));
    let cells = CellList::new(&points, 1e-3);
    cells.validate().unwrap();
    let scan = Linear::new(&points);
    for radius in [0.0, 1.0, 5.0, 1e30, 1e301] {
        let region = Sphere::new(DVec3::splat(3.0), radius);
        assert_eq!(cells.count(region), scan.count(region), "{radius}");
    }
}

#[test]
fn a_root_grows_towards_anything() {
    let mut tree = LooseOrthtree::<DVec3>::new();
    let mut points = Vec::new();
    for i in 0..100 {
        points.push(DVec3::new(1e-30 * f64::from(i), 0.0, 1e-30));
    }
    for exponent in -300..300 {
        let far = 10f64.powi(exponent);
        points.push(DVec3::new(far, -far, 0.5 * far));
    }
    points.push(DVec3::splat(f64::MAX));
    points.push(DVec3::splat(-f64::MAX));
    let handles: Vec<_> = points.iter().map(|&p| tree.insert(p)).collect();
    tree.validate().unwrap();
    let scan = Linear::new(&points);
    for radius in [0.0, 1e-30, 5e-29, 1.0, 1e7, 1e100, f64::MAX] {
        for center in [DVec3::ZERO, DVec3::X, points[50], points[400]] {
            let region = Sphere::new(center, radius);
            assert_eq!(tree.count(region), scan.count(region), "{center} {radius}");
        }
    }
    for handle in handles {
        tree.remove(handle);
        if tree.len().is_multiple_of(100) {
            tree.validate().unwrap();
        }
    }
    assert_eq!(tree.bounds(), None);
}

#[test]
fn memory_returns_after_removal() {
    let mut tree = LooseOrthtree::<Sphere<Vec3>>::new();
    let empty = tree.bytes();
    let ball = |i: u32| {
        let i = i.wrapping_mul(2_654_435_761);
        let axis = |shift: u32| ((i >> shift) & 1023) as f32;
        Sphere::new(Vec3::new(axis(0), axis(10), axis(20)), 1.0)
    };
    let mut alive: Vec<_> = (0..10_000).map(|i| tree.insert(ball(i))).collect();
    let full = tree.bytes();
    // The number of items stays the same.
    for i in 0..50_000 {
        let place = i as usize * 31 % alive.len();
        tree.remove(alive[place]);
        alive[place] = tree.insert(ball(10_000 + i));
    }
    tree.validate().unwrap();
    assert!(tree.bytes() <= full * 2, "{} > 2 * {full}", tree.bytes());
    for handle in alive {
        tree.remove(handle);
    }
    assert_eq!(tree.bytes(), empty);
    assert_eq!(tree.bounds(), None);
}

#[test]
fn radius_zero_is_a_point_and_a_huge_one_is_everything() {
    let points = [
        Vec3::ZERO,
        Vec3::splat(1e-30),
        Vec3::splat(1e7),
        Vec3::splat(1e30),
    ];
    let tree = Octree::new(&points);
    assert_eq!(
        tree.query(Sphere::new(points[2], 0.0)).collect::<Vec<_>>(),
        [2]
    );
    assert_eq!(
        tree.count(Sphere::new(Vec3::ZERO, 1e30)),
        4,
        "its square is infinite"
    );
    assert!(Sphere::new(Vec3::ZERO, 0.0).contains(&Vec3::ZERO));
}

/// An item of size zero, so that there can be more of them than indices.
#[derive(Clone, Copy)]
struct Here;

impl orthant::Bounded for Here {
    type Vector = Vec2;
    fn core(&self) -> Aabb<Vec2> {
        Aabb::new(Vec2::ZERO, Vec2::ZERO)
    }
}

#[test]
fn more_items_than_indices_are_refused() {
    static MANY: [Here; 1 << 33] = [Here; 1 << 33];
    let refused = Error::TooManyItems {
        count: 1 << 33,
        most: (1 << 32) - 2,
    };
    assert_eq!(Orthtree::try_new(&MANY).err(), Some(refused));
    assert_eq!(Linear::try_new(&MANY).err(), Some(refused));
    assert_eq!(
        message(Linear::try_new(&MANY)),
        "8589934592 items are more than the structure can hold, 4294967294"
    );
}
