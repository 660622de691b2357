//! Real programs that use the crate: each is a test under `tests/`, and here is what they run on.
//!
//! Recorded input is read from the folder that the environment variable `ORTHANT_DATA` names.
//! Without it, input of the same kind is generated.

pub mod bodies;
pub mod crowd;
pub mod scene;
pub mod skin;
