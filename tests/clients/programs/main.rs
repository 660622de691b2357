//! Seven programs as users would write them, each with a test against plain loops over everything.
//!
//! What each needs of the crate, beside its own sixty to a hundred lines: no impl of a trait in any of them;
//! one line, `item!`, in `culling`.

mod boids;
mod brush;
mod bullets;
mod cloud;
mod culling;
mod interest;
mod lennard_jones;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Numbers in `0..1`, the same in every run.
fn random(seed: u64) -> impl FnMut() -> f32 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    move || rng.random_range(0.0..1.0)
}
