//! Points of a glam whose feature is not on.

use orthant::{Orthtree, Sphere};

/// As the compiler sees the `Vec3` of a version that is not taken.
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
