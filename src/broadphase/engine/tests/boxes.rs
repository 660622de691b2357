//! Boxes by chance.

use rand::RngExt;
use rand::rngs::SmallRng;

use crate::{Aabb, Scalar, Vector};

/// On a lattice of halves, so that boxes touch.
pub(super) fn coarse(random: &mut SmallRng, below: u32) -> f64 {
    f64::from(random.random_range(0..2 * below)) * 0.5
}

pub(super) fn random_box<V: Vector>(random: &mut SmallRng, side: u32) -> Aabb<V> {
    let size = match random.random_range(0..40) {
        0 | 1 => 0.0,
        2 => f64::from(side) / 2.0,
        3 => 1e30,
        _ => 1.0 + coarse(random, 2),
    };
    let low = V::from_fn(|_| V::Scalar::from_f64(coarse(random, side)));
    let high = V::from_fn(|axis| low.axis(axis) + V::Scalar::from_f64(size));
    Aabb::new(low, high)
}

pub(super) fn nudged<V: Vector>(random: &mut SmallRng, bounds: &Aabb<V>) -> Aabb<V> {
    let by = V::from_fn(|_| V::Scalar::from_f64(coarse(random, 2) - 0.5));
    let moved = |corner: V| V::from_fn(|axis| corner.axis(axis) + by.axis(axis));
    Aabb::new(moved(bounds.min()), moved(bounds.max()))
}
