//! Moving shapes: exact vectors, exact bisection, edge cases, and every structure against the scan.

mod boxes;
mod capsules;
#[path = "../shared/cases.rs"]
mod cases;
#[path = "../shared/distance.rs"]
mod distance;
mod edges;
mod exact;
#[path = "../shared/lattice.rs"]
mod lattice;
mod oracle;
mod rooms;
mod structures;
mod surfaces;

use orthant::{Scalar, Vector};

fn vector<V: Vector>(values: &[f64]) -> V {
    V::from_fn(|a| Scalar::from_f64(values[a]))
}

/// The relative rounding error of one operation.
fn rounding<S: Scalar>() -> f64 {
    (S::ONE.next_up() - S::ONE).into() / 2.0
}
