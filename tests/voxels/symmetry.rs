//! Changes that must not change an answer: the symmetries of the cube, and translations by whole voxels.

use std::collections::BTreeSet;

use orthant::{
    Aabb, Difference, Ellipsoid, Hexahedron, Hollow, Moving, Region, Rule, Sphere, VoxelGrid,
    Voxelize,
    glam::{DVec3, IVec3},
};

const RULES: [Rule<f64>; 5] = [
    Rule::Closed,
    Rule::CenterInside,
    Rule::Thin,
    Rule::Shell(1.25),
    Rule::NarrowBand(0.75),
];

/// Returns the axis permutations with signs. They turn a voxel about a corner of a voxel or about the center of one.
fn symmetries(about_center: bool) -> impl Iterator<Item = impl Fn(IVec3) -> IVec3> {
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    orders.into_iter().flat_map(move |order| {
        (0..8).map(move |signs| {
            move |voxel: IVec3| {
                let turned = |a: usize| {
                    let index = voxel[order[a]];
                    let mirrored = if about_center { -index } else { -1 - index };
                    if signs >> a & 1 == 1 { mirrored } else { index }
                };
                IVec3::new(turned(0), turned(1), turned(2))
            }
        })
    })
}

#[test]
fn the_48_symmetries_of_the_cube() {
    for (about_center, center) in [(false, 0.0), (true, 0.5)] {
        for radius in [0.5, 2.0, 4.5, 6.3] {
            for rule in RULES {
                let (grid, center) = (VoxelGrid::new(DVec3::ZERO, 1.0), DVec3::splat(center));
                let ball = Sphere::new(center, radius);
                check(&grid.with_rule(rule), Hollow(ball), about_center);
            }
        }
        let center = DVec3::splat(center);
        let cube = Aabb::new(center - 3.25, center + 3.25);
        let turned = Hexahedron::oriented(center, DVec3::splat(3.25), DVec3::AXES);
        for rule in RULES {
            let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(rule);
            check(
                &grid,
                Hollow(Ellipsoid::new(center, DVec3::splat(2.75))),
                about_center,
            );
            check(&grid, Hollow(cube), about_center);
            check(&grid, Hollow(turned.clone()), about_center);
            check(
                &grid,
                Difference(cube, Sphere::new(center, 3.5)),
                about_center,
            );
        }
    }
}

fn check<R>(grid: &VoxelGrid<DVec3>, region: R, about_center: bool)
where
    R: Voxelize + Region<Vector = DVec3>,
{
    let voxels: BTreeSet<_> = grid.voxels(region).map(|v| v.to_array()).collect();
    for turn in symmetries(about_center) {
        let turned = voxels.iter().map(|&v| turn(v.into()).to_array());
        assert_eq!(turned.collect::<BTreeSet<_>>(), voxels, "{grid:?}");
    }
}

/// All numbers are exact here.
#[test]
fn whole_voxels_of_translation() {
    let shift = IVec3::new(1000, -77, 4096);
    for rule in RULES.into_iter().chain([Rule::HalfOpen]) {
        let grid = VoxelGrid::new(DVec3::ZERO, 0.5).with_rule(rule);
        let by = 0.5 * shift.as_dvec3();
        let center = DVec3::new(0.25, 1.0, -0.125);
        for radius in [0.0, 0.25, 1.5, 3.75] {
            let ball = |by| Hollow(Sphere::new(center + by, radius));
            same(&grid, ball(DVec3::ZERO), ball(by), shift);
        }
        let semi = DVec3::new(1.5, 0.75, 2.0);
        let egg = |by| Hollow(Ellipsoid::new(center + by, semi));
        same(&grid, egg(DVec3::ZERO), egg(by), shift);
        let solid = |by| Aabb::new(center - semi + by, center + semi + by);
        same(&grid, Hollow(solid(DVec3::ZERO)), Hollow(solid(by)), shift);
        let axes = [
            DVec3::new(1.0, 0.5, 0.0),
            DVec3::new(-0.5, 1.0, 0.0),
            DVec3::Z,
        ];
        let turned = |by| Hollow(Hexahedron::oriented(center + by, semi, axes));
        same(&grid, turned(DVec3::ZERO), turned(by), shift);
        let way = DVec3::new(1.0, -2.0, 0.5);
        let capsule = |by| Hollow(Moving::new(Sphere::new(center + by, 0.75), way));
        same(&grid, capsule(DVec3::ZERO), capsule(by), shift);
        let rest = |by| Difference(solid(by), Sphere::new(center + by, 1.0));
        same(&grid, rest(DVec3::ZERO), rest(by), shift);
    }
}

fn same<R>(grid: &VoxelGrid<DVec3>, here: R, there: R, shift: IVec3)
where
    R: Voxelize + Region<Vector = DVec3>,
{
    let place = here.bounds();
    let moved = grid.voxels(here).map(|voxel| voxel + shift);
    assert!(moved.eq(grid.voxels(there)), "{grid:?} {place:?}");
}
