//! An item without `Clone`, which a tree copies.

use orthant::{Orthtree, glam::Vec3};

struct Boid {
    at: Vec3,
}

orthant::item!(Boid: Vec3, |boid| boid.at);

fn main() {
    let _ = Orthtree::new(&[Boid { at: Vec3::ZERO }]);
}
