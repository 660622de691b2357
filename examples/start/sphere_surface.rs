//! Quick start: lists the voxels that a sphere's surface touches.

use orthant::glam::{IVec3, Vec3};
use orthant::{Hollow, Rule, Sphere, VoxelGrid};

fn main() {
    // Voxels of edge 1; voxel (0, 0, 0) has its lower corner at the origin.
    let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
    let ball = Sphere::new(Vec3::ZERO, 8.0);

    let mut voxels: Vec<IVec3> = Vec::new();
    for voxel in grid.voxels(Hollow(ball)) {
        voxels.push(voxel);
    }
    println!(
        "the first is {}, the last {}",
        voxels[0],
        voxels[voxels.len() - 1]
    );

    // `Hollow` is the surface alone. A rule says which voxels count: by default all that touch the shape.
    println!("solid {}", grid.count(ball));
    println!(
        "half-open {}",
        grid.with_rule(Rule::HalfOpen).count(Hollow(ball))
    );

    println!("voxels {}", voxels.len());
}
