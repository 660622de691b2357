//! Compares the broad phase with a list of bodies and a double loop, and repeats tests of physics engines.

mod asked;
mod bad_input;
mod casts;
mod engines;
mod fat;
mod few;
mod instructions;
mod leaving;
mod life;
mod machine;
mod make;
mod model;
mod predicted;
#[cfg(feature = "serde")]
mod serial;
mod sweeps;
mod volumes;
