//! Moving shapes: exact vectors, exact bisection, edge cases, and every structure against the scan.

mod cases;
mod exact;
mod oracle;
mod structures;

use orthant::{Scalar, Vector};
use proptest::prelude::ProptestConfig;

fn vector<V: Vector>(values: &[f64]) -> V {
    V::from_fn(|a| Scalar::from_f64(values[a]))
}

/// The relative rounding error of one operation.
fn rounding<S: Scalar>() -> f64 {
    (S::ONE.next_up() - S::ONE).into() / 2.0
}

/// More cases where they are cheap.
fn config(release: u32) -> ProptestConfig {
    let fewer = if cfg!(debug_assertions) { 16 } else { 1 };
    ProptestConfig {
        cases: release / fewer,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
