//! Quick start: finds which bodies may touch, step by step.

use orthant::glam::Vec3;
use orthant::{Aabb, Broadphase, Event, Motion};

/// The unit cube whose lower corner is (x, y, 0).
fn cube(x: f32, y: f32) -> Aabb<Vec3> {
    let corner = Vec3::new(x, y, 0.0);
    Aabb::new(corner, corner + Vec3::ONE)
}

fn main() {
    // Four cubes make a floor. A fifth slides over it, by a quarter of its edge in each step.
    let mut world = Broadphase::new();
    for i in 0..4 {
        world.insert(cube(1.5 * i as f32, 0.0), Motion::Static);
    }
    let slider = world.insert(cube(-2.0, 1.0), Motion::Dynamic);

    let mut begun = 0;
    for step in 0..24 {
        world.set_bounds(slider, cube(0.25 * step as f32 - 2.0, 1.0));
        for event in world.update() {
            match event {
                Event::Begin(a, b) => {
                    begun += 1;
                    println!("step {step}: {} and {} begin to touch", a.slot(), b.slot());
                }
                Event::End(a, b) => println!("step {step}: {} and {} part", a.slot(), b.slot()),
            }
        }
    }

    // The pairs that touch after the last step.
    println!("begun {begun}, pairs {}", world.pairs().len());
}
