//! The measure from a point to the nearest point of a ball, by norms other than Euclid's.
//!
//! It is computed in `f64` without regard to rounding, since the caller clamps it between the measures of the ball's
//! box and its center (see [`DistanceBy`](super::DistanceBy)). With `q` the distance to the center on each axis, it
//! is the least measure of an `x` with `Σ (q - x)² <= r²`.
//!
//! ```text
//! Manhattan:  x = q less t, but not below 0, where Σ min(q, t)² = r²
//! Chebyshev:  the largest of x is m, where Σ max(q - m, 0)² = r²
//! Weighted:   x = q λ / (w + λ), where Σ (q w / (w + λ))² = r² (Lagrange)
//! ```
//!
//! The first two sort the axes by `q` to resolve the minima and maxima; the last finds λ by bisection.

use crate::overlap::lanes::Measure;
use crate::shape::polytope::power_of_two;
use crate::vector::{Scalar, Vector};

/// The measure to a ball whose center is `apart` away on each axis, but for rounding. No distance is negative.
pub(super) fn measure_to_ball<V: Vector>(
    measure: Measure<V>,
    apart: &mut [f64],
    radius: f64,
) -> f64 {
    // Lengths are in units of about the largest one, so that no square overflows or vanishes.
    let unit = power_of_two(apart.iter().fold(radius, |most, &q| most.max(q)));
    let square = (radius / unit) * (radius / unit);
    if sum(apart, |q| (q / unit) * (q / unit)) <= square {
        return 0.0;
    }
    if let Measure::Weighted(weights) = measure {
        return weighted(apart, square, unit, |a| weights.axis(a).into());
    }
    apart.sort_unstable_by(|a, b| b.total_cmp(a));
    match measure {
        Measure::Manhattan => manhattan(apart, square, unit),
        Measure::Chebyshev => chebyshev(apart, square, unit),
        _ => unreachable!("no norm"),
    }
}

fn sum(all: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    all.iter().map(|&q| f(q)).sum()
}

/// The Manhattan measure, from the distances in order, the largest first.
fn manhattan(sorted: &[f64], square: f64, unit: f64) -> f64 {
    // The smallest distances shrink to 0, all others by the same `t`.
    let mut left = square;
    for others in (1..=sorted.len()).rev() {
        let t = Scalar::sqrt(left / others as f64) * unit;
        let next = sorted[others - 1];
        if t <= next {
            return sum(&sorted[..others], |q| (q - t).max(0.0));
        }
        left = (left - (next / unit) * (next / unit)).max(0.0);
    }
    0.0
}

/// The Chebyshev measure, from the distances in order, the largest first.
fn chebyshev(sorted: &[f64], square: f64, unit: f64) -> f64 {
    // The largest distances shrink to one number, which no other distance exceeds.
    for first in 1..sorted.len() {
        let most = largest(&sorted[..first], square, unit);
        if most >= sorted[first] {
            return most;
        }
    }
    largest(sorted, square, unit)
}

/// The `m` below all `q` with `Σ (q - m)² = r²`, computed from their mean, since the squares are nearly equal.
fn largest(all: &[f64], square: f64, unit: f64) -> f64 {
    let count = all.len() as f64;
    let mean = sum(all, |q| q / count);
    let spread = sum(all, |q| ((q - mean) / unit) * ((q - mean) / unit));
    (mean - Scalar::sqrt((square - spread).max(0.0) / count) * unit).max(0.0)
}

/// The weighted measure, from the distances on all axes.
fn weighted(apart: &[f64], square: f64, unit: f64, weight: impl Fn(usize) -> f64) -> f64 {
    let all = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        let terms = apart.iter().enumerate();
        terms.map(|(axis, q)| f(q / unit, weight(axis))).sum()
    };
    let left = |lambda: f64| {
        all(&|q, w| {
            let y = q * (w / (w + lambda));
            y * y
        })
    };
    // Bisect λ by its bits, which for numbers from 0 on are in the order of the numbers.
    let (mut low, mut high) = (0, f64::MAX.to_bits());
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if left(f64::from_bits(middle)) > square {
            low = middle;
        } else {
            high = middle;
        }
    }
    let lambda = f64::from_bits(high);
    all(&|q, w| {
        let x = q * (lambda / (w + lambda)) * unit;
        w * x * x
    })
}
