//! Bricks are masks in space; a grid may have four axes.
use orthant::{Sphere, VoxelGrid};

fn main() {
    let grid = VoxelGrid::new([0.0; 4], 1.0);
    let bricks = grid.bricks(Sphere::new([0.0; 4], 2.0));
    println!("{}", bricks.count());
}
