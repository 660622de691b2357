//! The broad phase against a list of bodies and a double loop, and against the tests that physics engines have
//! of theirs.

mod asked;
mod bad_input;
mod casts;
mod engines;
mod fat;
mod few;
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
