//! A user's item has bounds but no distance, and a query asks for the nearest.

use orthant::{Aabb, Bounded, Orthtree};

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
    let _ = tree.nearest([0.0; 3]);
}
