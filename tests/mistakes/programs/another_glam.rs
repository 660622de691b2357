//! These are points of a version of glam whose feature is off.

use orthant::{Orthtree, Sphere};

/// A `Vec3` as the compiler sees that of a version without its feature.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vec3 {
    _x: f32,
    _y: f32,
    _z: f32,
}

fn main() {
    let point = Vec3 { _x: 0.0, _y: 0.0, _z: 0.0 };
    let _ = Orthtree::new(&[point]);
    let _ = Sphere::new(point, 1.0);
}
