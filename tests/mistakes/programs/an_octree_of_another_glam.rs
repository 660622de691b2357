//! `Octree` is of `orthant::glam`; for other vectors there is `Orthtree`.

use bevy_math20::Vec3;
use orthant::Octree;

fn main() {
    let _ = Octree::new(&[Vec3::ZERO]);
}
