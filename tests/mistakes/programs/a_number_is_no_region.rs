//! A query for near items needs a ball around a point, not a number.

use orthant::{Octree, glam::Vec3};

fn main() {
    let tree = Octree::new(&[Vec3::ZERO, Vec3::ONE]);
    let _ = tree.count(7);
    let _ = tree.query(3.0_f32);
}
