//! Makes coordinates from small integers: they tie, and shrink well.

use orthant::{Scalar, Vector};

/// The integers times a step from an offset, from the first on again where a vector has more axes.
pub(crate) fn place<V: Vector>(at: &[i8], offset: f64, step: f64) -> V {
    V::from_fn(|a| Scalar::from_f64(offset + step * f64::from(at[a % at.len()])))
}
