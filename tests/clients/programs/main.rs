//! Seven programs as users would write them. Each has a test against plain loops over everything, which use nothing of the crate.
//!
//! The author knew only the README, the guide and the documentation, and wrote each in the shortest clear way. "Lines" counts those of the
//! program, without tests, comments and blanks. "Before" is for the programs of b350fd2, whose author knew the crate from within (`culling` took
//! 85 lines and five impls until oriented boxes became items):
//!
//! | program | lines | before | impls of traits | before |
//! |---|---|---|---|---|
//! | `boids` | 62 | 61 | 0 | 0 |
//! | `interest` | 75 | 56 | 0 | 0 |
//! | `cloud` | 64 | 60 | 0 | 0 |
//! | `brush` | 40 | 60 | 0 | 0 |
//! | `bullets` | 84 | 72 | 0 | 0 |
//! | `lennard_jones` | 98 | 108 | 0 | 0 |
//! | `culling` | 33 | 52 | 0, one `item!` | 0, one `item!` |

mod boids;
mod brush;
mod bullets;
mod cloud;
mod culling;
mod interest;
mod lennard_jones;

use orthant::glam::Vec3;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Random numbers that repeat in every run.
struct Random(Xoshiro256PlusPlus);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn range(&mut self, from: f32, to: f32) -> f32 {
        self.0.random_range(from..to)
    }

    fn unit(&mut self) -> f32 {
        self.range(0.0, 1.0)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }

    fn in_cube(&mut self, from: f32, to: f32) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.range(from, to)))
    }
}
