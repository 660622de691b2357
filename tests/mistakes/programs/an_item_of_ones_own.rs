//! A user's type is no item unless it implements `Bounded`, as `item!` does.

use orthant::Orthtree;

struct Boid {
    _position: [f32; 3],
}

fn main() {
    let boids = [Boid { _position: [0.0; 3] }];
    let _ = Orthtree::new(&boids);
}
