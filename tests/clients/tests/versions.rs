//! One program uses points of bevy 0.19, bevy 0.20, parry 0.31, orthant's own glam and plain arrays: one tree of each, without a conversion.
//! bevy 0.19 has glam 0.32, bevy 0.20 and parry 0.31 have glam 0.33, the newest is 0.34.

use bevy_math19 as bevy19;
use bevy_math20 as bevy20;
use orthant::{
    Aabb, Broadphase, CellList, Hollow, Linear, LooseOrthtree, Motion, Octree, Orthtree, Overlaps,
    Rigid, SpatialIndex, Sphere, Vector, Voxel, VoxelGrid, glam,
};
use parry31 as parry;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

const RADIUS: f32 = 0.2;

/// Makes points in the unit cube.
fn points() -> Vec<[f32; 3]> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(15);
    let mut coordinate = || rng.random_range(0.0..1.0);
    (0..500)
        .map(|_| [coordinate(), coordinate(), coordinate()])
        .collect()
}

/// The answers of a tree about a ball: the points in it, the nearest to its center, and its distance.
#[derive(Debug, PartialEq)]
struct Answer {
    within: Vec<usize>,
    nearest: usize,
    squared: f32,
}

fn asked<V, I>(index: &I, ball: Sphere<V>) -> Answer
where
    V: Vector<Scalar = f32>,
    I: SpatialIndex<Vector = V, Item = V, Key = usize>,
{
    let mut within: Vec<usize> = index.query(ball).collect();
    within.sort_unstable();
    let nearest = index.nearest(ball.center()).unwrap();
    Answer {
        within,
        nearest: nearest.item,
        squared: nearest.distance_sq,
    }
}

#[test]
fn each_has_a_tree() {
    let arrays = points();
    let bevy19: Vec<bevy19::Vec3> = arrays.iter().map(|&p| p.into()).collect();
    let bevy20: Vec<bevy20::Vec3> = arrays.iter().map(|&p| p.into()).collect();
    let parry: Vec<parry::math::Vector> = arrays.iter().map(|&p| p.into()).collect();
    let newest: Vec<glam::Vec3> = arrays.iter().map(|&p| p.into()).collect();

    let of_arrays = Orthtree::new(&arrays);
    let of_bevy19 = Orthtree::new(&bevy19);
    let of_bevy20 = Orthtree::new(&bevy20);
    let of_parry = Orthtree::new(&parry);
    let of_newest = Octree::new(&newest);
    let scan = Linear::new(&arrays);

    let mut found = 0;
    for i in (0..arrays.len()).step_by(7) {
        let answer = asked(&scan, Sphere::new(arrays[i], RADIUS));
        found += answer.within.len();
        assert_eq!(asked(&of_arrays, Sphere::new(arrays[i], RADIUS)), answer);
        assert_eq!(asked(&of_bevy19, Sphere::new(bevy19[i], RADIUS)), answer);
        assert_eq!(asked(&of_bevy20, Sphere::new(bevy20[i], RADIUS)), answer);
        assert_eq!(asked(&of_parry, Sphere::new(parry[i], RADIUS)), answer);
        assert_eq!(asked(&of_newest, Sphere::new(newest[i], RADIUS)), answer);
    }
    assert!(found > 900, "{found}");
}

#[test]
fn neighbors_are_those_of_the_scan() {
    let arrays = points();
    let scan = Linear::new(&arrays);
    let pairs: usize = arrays
        .iter()
        .map(|&p| scan.count(Sphere::new(p, RADIUS)))
        .sum();

    let bevy19: Vec<bevy19::Vec3A> = arrays.iter().map(|&p| p.into()).collect();
    assert_eq!(CellList::new(&bevy19, RADIUS).neighbors().total(), pairs);
    let parry: Vec<parry::math::Vector> = arrays.iter().map(|&p| p.into()).collect();
    assert_eq!(CellList::new(&parry, RADIUS).neighbors().total(), pairs);

    let mut loose = LooseOrthtree::new();
    for &point in &parry {
        loose.insert(point);
    }
    let found = parry.iter().map(|&p| loose.count(Sphere::new(p, RADIUS)));
    assert_eq!(found.sum::<usize>(), pairs);
}

/// A grid of bevy 0.19 has voxels of bevy 0.19's `IVec3`, and likewise for bevy 0.20.
#[test]
fn voxels_are_of_the_same_glam() {
    let at = [0.3, -0.2, 0.1];
    let of_arrays: Vec<[i32; 3]> = VoxelGrid::new([0.0; 3], 0.25)
        .voxels(Hollow(Sphere::new(at, 2.0)))
        .collect();
    assert!(of_arrays.len() > 500, "{}", of_arrays.len());

    let of_bevy19: Vec<bevy19::IVec3> = VoxelGrid::new(bevy19::Vec3::ZERO, 0.25)
        .voxels(Hollow(Sphere::new(at.into(), 2.0)))
        .collect();
    let of_bevy20: Vec<bevy20::IVec3> = VoxelGrid::new(bevy20::Vec3::ZERO, 0.25)
        .voxels(Hollow(Sphere::new(at.into(), 2.0)))
        .collect();
    assert!(
        of_bevy19
            .iter()
            .map(bevy19::IVec3::to_array)
            .eq(of_arrays.iter().copied())
    );
    assert!(
        of_bevy20
            .iter()
            .map(bevy20::IVec3::to_array)
            .eq(of_arrays.iter().copied())
    );

    // Double precision and the plane work too.
    let plane: Vec<bevy19::IVec2> = VoxelGrid::new(bevy19::DVec2::ZERO, 0.5)
        .voxels(Sphere::new(bevy19::DVec2::ONE, 1.0))
        .collect();
    assert!(plane.iter().all(|v| v.axis(0) >= -1 && v.axis(1) <= 4));
}

/// A broad phase takes boxes of parry and of bevy.
#[test]
fn broadphases_take_their_boxes() {
    let shape = parry::shape::Ball::new(RADIUS);
    let mut of_parry: Broadphase<parry::math::Vector> = Broadphase::new();
    let mut of_bevy: Broadphase<bevy19::Vec2> = Broadphase::new();
    let mut boxes = Vec::new();
    for [x, y, z] in points() {
        let place = parry::math::Pose3::from_translation(parry::math::Vector::new(x, y, z));
        let aabb = shape.aabb(&place);
        let bounds = Aabb::new(aabb.mins, aabb.maxs);
        boxes.push(bounds);
        of_parry.insert(bounds, Motion::Dynamic);
        let low = bevy19::Vec2::new(x, y);
        of_bevy.insert(Aabb::new(low, low + 0.01), Motion::Dynamic);
    }
    of_parry.update();
    let begun = of_bevy.update().len();
    let mut expected = 0;
    for (i, this) in boxes.iter().enumerate() {
        expected += boxes[..i]
            .iter()
            .filter(|&other| this.overlaps(other))
            .count();
    }
    assert_eq!(of_parry.pairs().count(), expected);
    assert_eq!(of_bevy.pairs().count(), begun);
    assert!(begun > 0);
}

/// A moving ball is rotated by bevy's quaternion, by parry's, and by a matrix.
#[test]
fn rotations_are_of_the_same_glam() {
    let corner = [1.0, 2.0, 3.0];
    let half = [0.0, 0.0, 1.0, 0.0];
    let arrays = Rigid::new(
        |axis| [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]][axis],
        corner,
    );
    let bevy = Rigid::from_rotation_translation(
        bevy19::Quat::from_array(half),
        bevy19::Vec3::from(corner),
    );
    let parry = Rigid::from_rotation_translation(
        parry::math::Rot3::from_array(half),
        parry::math::Vector::from(corner),
    );
    let matrix = Rigid::from_rotation_translation(
        bevy20::Mat3::from_diagonal(bevy20::Vec3::new(-1.0, -1.0, 1.0)),
        bevy20::Vec3::from(corner),
    );
    for point in points() {
        let moved = arrays.point(point);
        assert_eq!(bevy.point(point.into()).to_array(), moved);
        assert_eq!(parry.point(point.into()).to_array(), moved);
        assert_eq!(matrix.point(point.into()).to_array(), moved);
    }
}
