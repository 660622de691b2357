//! One function per bug, with the input that showed it.

use orthant::{Aabb, Broadphase, Ellipsoid, Motion, Orthtree, Overlaps, Sphere, VoxelGrid};
use orthant::{LooseOctree, LooseOrthtree, glam::Vec3};

/// A leaf whose cell could no longer be halved made one more child of the same cell at each insertion.
#[test]
fn a_cell_between_adjacent_floats_does_not_grow_a_chain() {
    let (a, b) = (1.0f32, 1.0f32.next_up());
    let mut tree = LooseOrthtree::new();
    let place = |i: usize| [if i % 2 == 0 { b } else { a }];
    let mut handles: Vec<_> = (0..32).map(|i| tree.insert(place(i))).collect();
    let before = tree.bytes();
    for turn in 0..4000 {
        let i = turn % handles.len();
        let point = tree.remove(handles[i]);
        handles[i] = tree.insert(point);
    }
    tree.validate().unwrap();
    assert!(
        tree.bytes() <= 2 * before,
        "{} > 2 * {before}",
        tree.bytes()
    );
}

/// Where one half of a cell was the cell itself, what came later went into a child as wide as its
/// parent.
#[test]
fn a_half_that_is_the_whole_gets_no_child() {
    #[rustfmt::skip]
    let places = [
        4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 65, 15, -1,
        4, 67, -4, 1, -98, 4, 15, 5, -38, 4, 4, -1, -32, 4, -3, -5, 3, -2, -1, 0, -4, 79,
        -2, -3, -2, 4, 2, -1, 3, -3, 60, -3, 2, -2, 5, 1, 2, -4, -6, 2, 6, -2, 2, 1,
        -5, -4, 2, -5, 2, -5, 3, 3, 2, 4, -1, 1, 0, 2, -5, 2, -1, -3, 3, 4, 1, 0,
        -1, 5, -3, -5, -63, -4, 4, 5, -2, -51, 2, -2, 5, -3, -6,
    ];
    let mut tree = LooseOrthtree::new();
    for place in places.into_iter().rev() {
        tree.insert([(-1e7 + 0.7 * f64::from(place)) as f32]);
        tree.validate().unwrap();
    }
    assert_eq!(tree.count(Sphere::new([-1e7], 1e3)), places.len());
}

/// A full leaf that cannot be divided was looked through anew at every change of its length between
/// 2ᵏ - 1 and 2ᵏ: 146 µs an update. A million such updates would take minutes.
#[test]
fn an_indivisible_leaf_is_not_looked_through_at_each_update() {
    let mut tree = LooseOrthtree::new();
    let handles: Vec<_> = (0..65_536).map(|_| tree.insert([1.0f32, 2.0])).collect();
    for turn in 0..1_000_000 {
        tree.update(handles[turn % handles.len()], [1.0, 2.0]);
    }
    let wide = Aabb::new(Vec3::splat(-1.0), Vec3::splat(1.0));
    let mut boxes = LooseOrthtree::new();
    let mut handles: Vec<_> = (0..16_384).map(|_| boxes.insert(wide)).collect();
    for turn in 0..100_000 {
        let i = turn % handles.len();
        boxes.remove(handles[i]);
        handles[i] = boxes.insert(wide);
    }
    boxes.validate().unwrap();
    assert_eq!((tree.len(), boxes.len()), (65_536, 16_384));
}

/// In one dimension the code of the greatest point overflowed, and it lay beside the least.
#[test]
fn the_greatest_point_of_a_line_is_not_the_least() {
    let points: Vec<[f64; 1]> = (0..1000).map(|i| [f64::from(i % 2)]).collect();
    let tree = Orthtree::new(&points);
    tree.validate().unwrap();
    let order: Vec<usize> = tree.query(Sphere::new([0.5], 1.0)).collect();
    let turns = order
        .windows(2)
        .filter(|pair| points[pair[0]] != points[pair[1]])
        .count();
    assert_eq!(turns, 1, "first all at 0, then all at 1");
}

/// One survivor held the memory of a million.
#[test]
fn memory_returns_while_something_is_left() {
    let mut tree = LooseOctree::<Sphere<Vec3>>::new();
    let ball = |i: u32| Sphere::new(Vec3::new((i % 100) as f32, (i / 100) as f32, 0.0), 0.5);
    let handles: Vec<_> = (0..20_000).map(|i| tree.insert(ball(i))).collect();
    let full = tree.bytes();
    for &handle in handles[1..].iter().rev() {
        tree.remove(handle);
    }
    tree.validate().unwrap();
    assert!(tree.bytes() < full / 4, "{} of {full}", tree.bytes());
    assert_eq!(tree.query(ball(0)).next(), Some(handles[0]));
    assert_eq!(tree[handles[0]], ball(0));
}

/// The list of movers kept every handle that was ever inserted, until the next update.
#[test]
fn a_world_that_is_never_updated_does_not_leak_pairs() {
    let mut world = Broadphase::new();
    let unit = Aabb::new([0.0, 0.0], [1.0, 1.0]);
    let first = world.insert(unit, Motion::Dynamic);
    let mut last = first;
    for _ in 0..10_000 {
        let next = world.insert(unit, Motion::Dynamic);
        if last != first {
            world.remove(last);
        }
        last = next;
    }
    world.update();
    assert!(world.pairs().eq([(first.min(last), first.max(last))]));
    world.validate().unwrap();
}

/// The box of a point that is not finite got into a grid, as the lowest voxel of all.
#[test]
fn the_box_of_a_point_that_is_nowhere_is_refused() {
    use orthant::Bounded;
    let nowhere = [f32::NAN; 2].bounds();
    assert!(VoxelGrid::new([0.0, 0.0], 1.0).try_spans(nowhere).is_err());
    let mut world = Broadphase::new();
    assert!(world.try_insert(nowhere, Motion::Static).is_err());
    assert!(world.is_empty());
}

/// A point at the largest number was beyond a range that reached over it.
#[test]
fn the_largest_number_has_a_voxel() {
    let grid = VoxelGrid::new([0.0f32], 1e36);
    assert_eq!(grid.voxel_of([f32::MAX]), Ok([340]));
    assert!(VoxelGrid::new([0.0f32], 1e28).voxel_of([f32::MAX]).is_err());
}

/// The centre of a tiny box was rounded out of it.
#[test]
fn a_centre_lies_in_its_box() {
    let q = f32::from_bits(3);
    assert_eq!(Aabb::new([q], [q]).center(), [q]);
}

/// The distance of an ellipsoid, found by halving, was a rounding error too long at an exact touch.
#[test]
fn a_ball_that_touches_the_tip_of_an_ellipsoid_overlaps_it() {
    let egg = Ellipsoid::new([1.0, 0.0, 0.0], [4.0, 2.0, 1.0]);
    assert!(egg.overlaps(&Sphere::new([8.0, 0.0, 0.0], 3.0)));
}
