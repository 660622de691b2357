//! A tree in space is queried with a disk of the plane.

use orthant::{Octree, Sphere, glam::{Vec2, Vec3}};

fn main() {
    let tree = Octree::new(&[Vec3::ZERO]);
    let _ = tree.count(Sphere::new(Vec2::ZERO, 1.0));
}
