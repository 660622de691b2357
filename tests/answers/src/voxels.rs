//! Hashes the voxels of round shapes and boxes by every rule, and signed distances.

use orthant::{
    Aabb, Ellipsoid, Hollow, Region, Rule, Shell, Sphere, Vector, Voxel, VoxelGrid, Voxelize,
};

use crate::places::{Numbers, number};
use crate::{Hash, Said};

fn of_voxels<V: Vector, R>(hash: &mut Hash, grid: &VoxelGrid<V>, region: R)
where
    R: Voxelize + Region<Vector = V> + Clone,
{
    for voxel in grid.voxels(region.clone()) {
        (0..V::DIM).for_each(|a| hash.word(voxel.axis(a) as u64));
    }
    for span in grid.spans(region.clone()) {
        hash.word(u64::from(span.len()));
    }
    for cell in grid.cells(region.clone()) {
        hash.word(u64::from(cell.level));
    }
    hash.word(grid.count(region));
    hash.end();
}

pub(crate) fn all<V: Vector>(said: &mut Said, name: &str) {
    let thickness = number::<V::Scalar>(0.04);
    let rules = [
        ("closed", Rule::Closed),
        ("half open", Rule::HalfOpen),
        ("center inside", Rule::CenterInside),
        ("thin", Rule::Thin),
        ("shell", Rule::Shell(thickness)),
        ("narrow band", Rule::NarrowBand(thickness)),
    ];
    for (rule_name, rule) in rules {
        let origin = V::from_fn(|a| number(0.01 * a as f64));
        let grid = VoxelGrid::new(origin, number(0.0625))
            .with_rule(rule)
            .with_instructions(said.instructions);
        let mut numbers = Numbers::new(10);
        let (mut round, mut boxed) = (Hash::new(), Hash::new());
        for i in 0..4 {
            // The second shape touches faces of voxels.
            let at: V = if i == 1 {
                V::from_fn(|a| origin.axis(a) + number(0.5))
            } else {
                numbers.place()
            };
            let size = if i == 1 {
                number(0.25)
            } else {
                numbers.unit::<V::Scalar>() * number(0.4)
            };
            let half = size * number(0.5);
            of_voxels(&mut round, &grid, Sphere::new(at, size));
            of_voxels(&mut round, &grid, Hollow(Sphere::new(at, size)));
            of_voxels(&mut round, &grid, Shell::new(at, half, size));
            let axes = V::from_fn(|a| {
                if a == 0 {
                    half + number(0.01)
                } else {
                    size + number(0.01)
                }
            });
            of_voxels(&mut round, &grid, Hollow(Ellipsoid::new(at, axes)));
            let cuboid = Aabb::new(at, V::from_fn(|a| at.axis(a) + size));
            of_voxels(&mut boxed, &grid, cuboid);
            of_voxels(&mut boxed, &grid, Hollow(cuboid));
        }
        said.say(
            name,
            &alloc::format!("voxels of round shapes, {rule_name}"),
            round,
        );
        said.say(name, &alloc::format!("voxels of boxes, {rule_name}"), boxed);
    }
    let grid = VoxelGrid::new(V::from_fn(|_| number(0.0)), number(0.0625))
        .with_instructions(said.instructions);
    let mut hash = Hash::new();
    let ball = Sphere::new(V::from_fn(|_| number(0.4)), number(0.31));
    for (voxel, distance) in grid.distances(ball, number(0.2)).expect("a band") {
        (0..V::DIM).for_each(|a| hash.word(voxel.axis(a) as u64));
        hash.number(distance);
    }
    said.say(name, "signed distances", hash);
}
