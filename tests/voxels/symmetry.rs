//! What must not change an answer: the symmetries of the cube, and whole voxels.

use std::collections::BTreeSet;

use orthant::{
    Hollow, Rule, Sphere, VoxelGrid,
    glam::{DVec3, IVec3, Vec3},
};

const RULES: [Rule<f64>; 5] = [
    Rule::Closed,
    Rule::CentreInside,
    Rule::Thin,
    Rule::Shell(1.25),
    Rule::NarrowBand(0.75),
];

/// An axis permutation and signs; a voxel is turned about a corner or the centre of one.
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
                let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(rule);
                let skin = Hollow(Sphere::new(DVec3::splat(center), radius));
                let voxels: BTreeSet<_> = grid.voxels(skin).map(|v| v.to_array()).collect();
                for turn in symmetries(about_center) {
                    let turned = voxels.iter().map(|&v| turn(v.into()).to_array());
                    assert_eq!(turned.collect::<BTreeSet<_>>(), voxels, "{rule:?} {radius}");
                }
            }
        }
    }
}

/// All numbers are exact here.
#[test]
fn whole_voxels_of_translation() {
    let shift = IVec3::new(1000, -77, 4096);
    for rule in [
        Rule::Closed,
        Rule::HalfOpen,
        Rule::CentreInside,
        Rule::Thin,
        Rule::Shell(0.5),
        Rule::NarrowBand(0.5),
    ] {
        let grid = VoxelGrid::new(Vec3::ZERO, 0.5).with_rule(rule);
        for radius in [0.0, 0.25, 1.5, 3.75] {
            let center = Vec3::new(0.25, 1.0, -0.125);
            let here = Hollow(Sphere::new(center, radius));
            let there = Hollow(Sphere::new(center + 0.5 * shift.as_vec3(), radius));
            let moved = grid.voxels(here).map(|voxel| voxel + shift);
            assert!(moved.eq(grid.voxels(there)), "{rule:?} {radius}");
        }
    }
}
