//! A box in the plane takes two axes.

use orthant::{Hexahedron, glam::Vec2};

fn main() {
    let axes = [Vec2::X, Vec2::Y, Vec2::ONE];
    let _ = Hexahedron::oriented(Vec2::ZERO, Vec2::ONE, axes);
}
