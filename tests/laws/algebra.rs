//! Combined regions: their answers are the algebra of the parts' answers.

use std::collections::BTreeSet;

use orthant::{
    Aabb, Complement, Difference, Error, Hollow, Intersection, Orthtree, Overlaps, Region, Rule,
    Sphere, Union, VoxelGrid, Voxelize,
    glam::{DVec2, IVec2, Vec3},
};
use proptest::prelude::*;

use crate::cases::cases;
use crate::combined::other;
use crate::make::{Ball, Brick, Make, raw, raws, scale};

/// Returns the indices that a tree finds.
fn found(
    tree: &Orthtree<Aabb<Vec3>>,
    region: impl Region<Vector = Vec3> + Overlaps<Aabb<Vec3>>,
) -> BTreeSet<usize> {
    tree.query(region).collect()
}

proptest! {
    #![proptest_config(cases(50, 800))]

    #[test]
    fn trees_answer_the_algebra(region in raw(), items in raws(12), scale in scale()) {
        let (a, b): (Sphere<Vec3>, Aabb<Vec3>) =
            (Ball::make(&region, scale), Brick::make(&other(&region), scale));
        let boxes: Vec<Aabb<Vec3>> = items.iter().map(|raw| Brick::make(raw, scale)).collect();
        let tree = Orthtree::new(&boxes);
        let (in_a, in_b) = (found(&tree, a), found(&tree, b));
        let all: BTreeSet<usize> = (0..boxes.len()).collect();
        prop_assert_eq!(found(&tree, Union(a, b)), &in_a | &in_b);
        prop_assert_eq!(found(&tree, Intersection(a, b)), &in_a & &in_b);
        prop_assert_eq!(found(&tree, Difference(a, b)), &in_a - &in_b);
        prop_assert_eq!(found(&tree, Complement(a)), &all - &in_a);
    }

    #[test]
    fn grids_answer_the_algebra(region in raw(), far in any::<bool>()) {
        let center = |i: usize| f64::from(region.0[i]) * 0.25;
        let radius = |i: usize| f64::from(region.1[i] % 9) * 0.25;
        let grid = VoxelGrid::new(DVec2::splat(0.125), 0.5);
        let a = Sphere::new(DVec2::new(center(0), center(1)), radius(0));
        let away = DVec2::splat(if far { 0.5 + radius(0) + radius(1) } else { 0.25 });
        let b = Sphere::new(a.center() + away, radius(1));
        for rule in [
            Rule::Closed,
            Rule::HalfOpen,
            Rule::CenterInside,
            Rule::Thin,
            Rule::Shell(0.75),
            Rule::NarrowBand(0.5),
        ] {
            let grid = grid.with_rule(rule);
            let (in_a, in_b) = (voxels(&grid, Hollow(a)), voxels(&grid, b));
            prop_assert_eq!(voxels(&grid, Union(Hollow(a), b)), &in_a | &in_b);
            prop_assert_eq!(voxels(&grid, Intersection(Hollow(a), b)), &in_a & &in_b);
            prop_assert_eq!(voxels(&grid, Difference(Hollow(a), b)), &in_a - &in_b);
            prop_assert_eq!(voxels(&grid, Intersection(Hollow(a), Complement(b))), &in_a - &in_b);
        }
    }
}

fn voxels<R: Voxelize + Region<Vector = DVec2>>(
    grid: &VoxelGrid<DVec2>,
    region: R,
) -> BTreeSet<[i32; 2]> {
    grid.voxels(region).map(IVec2::into).collect()
}

#[test]
fn a_complement_without_a_clip_is_refused() {
    let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    let (ball, larger) = (Sphere::new([0.0; 3], 1.0), Sphere::new([0.0; 3], 1.5));
    let rest = Complement(ball);
    let is_refused = |grid: VoxelGrid<[f32; 3]>, region: Union<Sphere<_>, _>| {
        matches!(grid.check(&region), Err(Error::OutOfRange { axis: 0, .. }))
    };
    assert!(is_refused(grid, Union(ball, rest)));
    assert!(is_refused(
        grid.with_rule(Rule::HalfOpen),
        Union(larger, rest)
    ));
    assert!(grid.check(&Intersection(rest, rest)).is_err());
    let left = grid.count(larger) - grid.count(ball);
    assert_eq!(grid.count(Intersection(rest, larger)), left);
    assert_eq!(grid.count(Difference(larger, ball)), left);
}
