//! Points, voxels and boxes, and refused input.

use orthant::{
    Aabb, Ellipsoid, Error, Hollow, Rule, ShapeError, Shell, Sphere, Vector, Voxel, VoxelGrid,
    glam::{DVec3, IVec3, Vec2, Vec3},
};
use proptest::prelude::*;

fn check_point<V: Vector>(grid: &VoxelGrid<V>, point: V) {
    let voxel = grid.voxel_of(point).unwrap();
    let cell = grid.voxel_bounds(voxel);
    for a in 0..V::DIM {
        let p = point.axis(a);
        assert!(
            cell.min().axis(a) <= p && p < cell.max().axis(a),
            "{point:?} {grid:?}"
        );
        let next = grid.voxel_bounds(voxel.with(a, voxel.axis(a) + 1));
        assert_eq!(next.min().axis(a), cell.max().axis(a));
    }
}

proptest! {
    #[test]
    fn a_point_lies_in_its_voxel(
        size in prop::sample::select(vec![1.0f32, 0.1, 0.3, 1e-3, 7.0, 1e-30]),
        units in -2000..2000i32,
        origin in prop::sample::select(vec![0.0f32, 0.1, -1e3, 1e7]),
        ulps in -2..3i32,
    ) {
        let near = origin + units as f32 * size;
        let point = f32::from_bits(near.to_bits().wrapping_add_signed(ulps));
        prop_assume!(point.is_finite());
        let grid = VoxelGrid::new([origin], size);
        match grid.voxel_of([point]) {
            Ok(_) => check_point(&grid, [point]),
            // At 0.1, 1e-30 is far below the spacing of floats.
            Err(Error::OutOfRange { .. }) => prop_assert_eq!(size, 1e-30),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn points_anywhere_lie_in_their_voxel(x in -1e6..1e6f64, y in -1e6..1e6f64, z in -1e6..1e6f64) {
        check_point(&VoxelGrid::new(DVec3::splat(0.1), 0.01), DVec3::new(x, y, z));
        check_point(&VoxelGrid::new(Vec2::ZERO, 0.1), Vec2::new(x as f32, y as f32));
    }
}

#[test]
fn neighbours_share_their_faces_where_multiplication_rounds() {
    let grid = VoxelGrid::new([0.7f32], 0.1);
    for i in -100_000..100_000 {
        let (left, right) = (grid.voxel_bounds([i]), grid.voxel_bounds([i + 1]));
        assert_eq!(left.max()[0].to_bits(), right.min()[0].to_bits());
    }
}

#[test]
fn the_ends_of_the_range() {
    let grid = VoxelGrid::new([0.0f64], 1.0);
    let first = f64::from(i32::MIN);
    let end = f64::from(i32::MAX);
    assert_eq!(grid.voxel_of([first]), Ok([i32::MIN]));
    assert_eq!(grid.voxel_of([end - 0.5]), Ok([i32::MAX - 1]));
    assert!(grid.voxel_of([first - 0.5]).is_err());
    let out_of_range = Error::OutOfRange {
        axis: 0,
        value: end,
    };
    assert_eq!(grid.voxel_of([end]), Err(out_of_range));
    assert_eq!(grid.voxel_bounds([i32::MAX]), Aabb::new([end], [end + 1.0]));
    let widest = Aabb::new([first + 0.5], [end - 0.5]);
    assert_eq!(grid.count(widest), u64::from(u32::MAX));
    let touching = Aabb::new([first + 0.5], [end]);
    assert!(grid.check(&touching).is_err());
    assert!(grid.with_rule(Rule::HalfOpen).check(&touching).is_err());
}

#[test]
fn faces_beyond_the_finite_numbers() {
    let grid = VoxelGrid::new([0.0f32, 0.0], 3e38);
    let cell = grid.voxel_bounds([5, -5]);
    assert_eq!(
        cell,
        Aabb::new([f32::MAX, -f32::MAX], [f32::MAX, -f32::MAX])
    );
    assert_eq!(grid.voxel_of([1e38, -1e38]), Ok([0, -1]));
    assert_eq!(grid.count(Sphere::new([1e10, 1e10], 1e9)), 1);
}

#[test]
fn a_grid_of_nonsense_is_refused() {
    for size in [0.0, -1.0, f32::INFINITY] {
        let refused = VoxelGrid::try_new(Vec3::ZERO, size);
        assert_eq!(refused, Err(Error::VoxelSize { size: size.into() }));
    }
    assert!(VoxelGrid::try_new(Vec3::ZERO, f32::NAN).is_err());
    let refused = VoxelGrid::try_new(Vec3::new(0.0, f32::NEG_INFINITY, 0.0), 1.0);
    let reason = ShapeError::NotFinite {
        part: "origin",
        axis: 1,
        value: f64::NEG_INFINITY,
    };
    assert_eq!(refused, Err(Error::Shape(reason)));
}

#[test]
#[should_panic(expected = "voxel size 0 is not a positive number")]
fn new_panics() {
    let _ = VoxelGrid::new(Vec2::ZERO, 0.0);
}

#[test]
#[should_panic(expected = "voxel indices are 32-bit integers")]
fn voxels_panics_beyond_the_range() {
    let grid = VoxelGrid::new(Vec2::ZERO, 1e-3);
    let _ = grid.voxels(Sphere::new(Vec2::ZERO, 1e9));
}

#[test]
fn regions_beyond_the_range_are_refused() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let center = DVec3::new(0.0, 0.0, 5e9);
    let axis = |result: Result<_, Error>| match result {
        Err(Error::OutOfRange { axis, .. }) => Some(axis),
        Err(_) => None,
        Ok(()) => None,
    };
    let sphere = Sphere::new(DVec3::ZERO, 3e9);
    assert_eq!(axis(grid.check(&sphere)), Some(0));
    assert_eq!(axis(grid.check(&Hollow(sphere))), Some(0));
    assert_eq!(axis(grid.check(&Sphere::new(center, 1.0))), Some(2));
    let west = Error::OutOfRange {
        axis: 0,
        value: -3e9,
    };
    assert_eq!(grid.check(&sphere), Err(west));
    let flat = Ellipsoid::new(DVec3::ZERO, DVec3::new(1.0, 3e9, 1.0));
    assert_eq!(axis(grid.check(&flat)), Some(1));
    let long = Aabb::new(DVec3::ZERO, center);
    assert_eq!(axis(grid.check(&long)), Some(2));
    // A voxel below the first index would be met, except by half-open rules.
    let first = f64::from(i32::MIN);
    let low = Aabb::new(DVec3::new(first, 0.0, 0.0), DVec3::ONE);
    let beyond = Error::OutOfRange {
        axis: 0,
        value: first,
    };
    assert_eq!(grid.check(&low), Err(beyond));
    assert_eq!(grid.with_rule(Rule::HalfOpen).check(&low), Ok(()));
    let ball = Sphere::new(DVec3::new(first + 2.0, 0.5, 0.5), 2.0);
    assert_eq!(grid.check(&ball), Err(beyond));
    // A region beyond the range of indices is listed in a window.
    let window = grid.within(IVec3::splat(-2), IVec3::splat(3));
    let endless = Aabb::new(DVec3::splat(-5e9), DVec3::splat(5e9));
    assert_eq!(window.voxels(endless).count(), 125);
    assert_eq!(window.voxels(Hollow(endless)).count(), 0);
    // The square of its radius is infinite, so it meets every voxel of the window.
    let huge = Sphere::new(Vec3::ZERO, 1e30);
    assert!(VoxelGrid::new(Vec3::ZERO, 1e29).check(&huge).is_err());
}

#[test]
fn points_that_are_none_are_refused() {
    let grid = VoxelGrid::new(Vec2::ZERO, 1.0);
    assert!(matches!(
        grid.voxel_of(Vec2::new(0.0, f32::NAN)),
        Err(Error::Shape(ShapeError::NotFinite {
            part: "point",
            axis: 1,
            ..
        }))
    ));
}

#[test]
fn the_first_voxels_of_a_huge_sphere_come_at_once() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let skin = Hollow(Sphere::new(DVec3::splat(0.5), 2e9));
    // The lowest slab cuts a cap of height 1/2 and radius √(2 · 2e9 · ½).
    let first = grid.voxels(skin).next().unwrap();
    assert_eq!((first.y, first.z), (-44_721, -2_000_000_000));
}

/// A point lies in one voxel or touches several, and so does a ball far smaller than a voxel.
#[test]
fn a_sphere_that_is_a_point() {
    let closed = VoxelGrid::new(DVec3::ZERO, 1.0);
    let half_open = closed.with_rule(Rule::HalfOpen);
    for (at, touched) in [
        (DVec3::new(3.0, -2.0, 0.0), 8),
        (DVec3::new(3.0, -2.0, 0.5), 4),
        (DVec3::new(3.0, -2.5, 0.5), 2),
        (DVec3::new(3.25, -2.5, 0.5), 1),
    ] {
        let cell = half_open.voxel_of(at).unwrap();
        let point = Sphere::new(at, 0.0);
        let speck = Sphere::new(at, 1e-12);
        for grid in [closed, closed.with_rule(Rule::Shell(0.0))] {
            assert_eq!([point, speck].map(|s| grid.count(s)), [touched; 2]);
            assert_eq!([point, speck].map(|s| grid.count(Hollow(s))), [touched; 2]);
        }
        assert_eq!(half_open.voxels(point).collect::<Vec<_>>(), [cell]);
        assert_eq!(half_open.voxels(Hollow(point)).collect::<Vec<_>>(), [cell]);
        assert_eq!(half_open.count(speck), touched);
        // The point is not a center, and no distance is below zero.
        for rule in [Rule::CenterInside, Rule::NarrowBand(0.0)] {
            assert_eq!(closed.with_rule(rule).count(point), 0);
        }
        // The point counts if it lies on a segment through a center.
        let met = if touched <= 2 { touched } else { 0 };
        assert_eq!(closed.with_rule(Rule::Thin).count(point), met);
    }
    let middle = Sphere::new(DVec3::splat(0.5), 0.0);
    for rule in [Rule::CenterInside, Rule::Thin, Rule::NarrowBand(1e-9)] {
        let grid = closed.with_rule(rule);
        assert_eq!(
            grid.voxels(Hollow(middle)).collect::<Vec<_>>(),
            [IVec3::ZERO]
        );
    }
}

/// The inner surface of a shell passes through the farthest corner of a voxel. A half-open voxel contains that corner only if it is the lowest.
#[test]
fn a_shell_that_begins_at_a_corner() {
    let grid = VoxelGrid::new([0.0f64, 0.0], 1.0).with_rule(Rule::HalfOpen);
    let shell = Shell::new([0.0, 0.0], 5.0, 5.25);
    let voxels: Vec<[i32; 2]> = grid.voxels(shell).collect();
    for (voxel, is_met) in [([-3, -4], true), ([2, 3], false), ([-3, 3], false)] {
        assert_eq!(voxels.contains(&voxel), is_met, "{voxel:?}");
    }
}
