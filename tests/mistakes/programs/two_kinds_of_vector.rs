//! Both sides of a predicate have one type of vector.

use orthant::{Contains, Overlaps, Sphere, glam::{Vec3, DVec3}};

fn main() {
    let ball = Sphere::new(Vec3::ZERO, 1.0);
    let _ = ball.overlaps(&DVec3::ZERO);
    let _ = ball.contains(&DVec3::ZERO);
}
