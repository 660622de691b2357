//! The functions that `orthant` calls from JavaScript: typed arrays in, typed arrays out, numbers as `f32`.
//!
//! Nothing panics: invalid input is refused by an exception that names it (`input.rs`).

#![allow(
    clippy::too_many_arguments,
    reason = "a place is two or three numbers: an array would cost more than the question"
)]
#![allow(
    clippy::missing_errors_doc,
    clippy::must_use_candidate,
    reason = "JavaScript asks, and exceptions say what is wrong"
)]

#[cfg(feature = "bodies")]
pub mod bodies;
#[cfg(feature = "demo")]
mod demo;
#[allow(dead_code, reason = "each module of the package has some of it")]
mod input;
#[cfg(feature = "trees")]
pub mod tree;
#[cfg(feature = "voxels")]
pub mod voxels;
