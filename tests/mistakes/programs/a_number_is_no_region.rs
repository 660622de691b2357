//! What is near something is asked by a ball around it.

use orthant::{Octree, glam::Vec3};

fn main() {
    let tree = Octree::new(&[Vec3::ZERO, Vec3::ONE]);
    let _ = tree.count(7);
    let _ = tree.query(3.0_f32);
}
