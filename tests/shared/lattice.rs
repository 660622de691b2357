//! Makes coordinates from small integers, which tie and shrink well.

use orthant::{Scalar, Vector};

/// Returns the integers times a step, plus an offset; they repeat if a vector has more axes.
pub(crate) fn place<V: Vector>(at: &[i8], offset: f64, step: f64) -> V {
    V::from_fn(|a| Scalar::from_f64(offset + step * f64::from(at[a % at.len()])))
}
