//! The code that real programs share; each program is a test under `tests/`.
//!
//! Recorded input is read from the folder that the environment variable `ORTHANT_DATA` names.
//! Without it, input of the same kind is generated.

pub mod bodies;
pub mod crowd;
pub mod scene;
pub mod skin;
