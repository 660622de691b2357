//! Makes balls from small integers.

use orthant::{Scalar, Sphere, Vector};

use crate::lattice::place;

/// A position and a radius, in steps.
pub(crate) type Raw = ([i8; 4], u8);

pub(crate) fn make<V: Vector>(raw: &[Raw], offset: f64, step: f64) -> Vec<Sphere<V>> {
    let radius = |r: u8| Scalar::from_f64(step * f64::from(r));
    raw.iter()
        .map(|(at, r)| Sphere::new(place(at, offset, step), radius(*r)))
        .collect()
}
