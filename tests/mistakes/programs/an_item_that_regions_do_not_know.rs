//! A user's item has bounds, but a ball cannot test it.

use orthant::{Aabb, Bounded, Orthtree, Sphere};

#[derive(Clone)]
struct Boid {
    position: [f32; 3],
}

impl Bounded for Boid {
    type Vector = [f32; 3];

    fn core(&self) -> Aabb<[f32; 3]> {
        Aabb::spanning(self.position, self.position)
    }
}

fn main() {
    let tree = Orthtree::new(&[Boid { position: [0.0; 3] }]);
    let _ = tree.count(Sphere::new([0.0; 3], 1.0));
}
