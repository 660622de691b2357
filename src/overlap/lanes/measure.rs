//! The norms by which balls measure distances, for single items and for sixteen lanes.

use fearless_simd::Simd;

use super::{W, splat};
use crate::simd::Wide;
use crate::vector::{Scalar, Vector};

/// How a ball measures the differences to points and boxes on all axes. Balls as items are measured by Euclid alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure<V> {
    /// The sum of squares.
    Euclid,
    /// The sum of the differences.
    Manhattan,
    /// The largest difference.
    Chebyshev,
    /// The sum of squares, each with a weight.
    Weighted(V),
    /// The sum of the squares of quotients: an ellipsoid is the ball of radius 1 in units of its semi-axes.
    Scaled(V),
}

impl<V: Vector> Measure<V> {
    /// The measure of a length.
    #[inline(always)]
    pub(crate) fn of_length(&self, length: V::Scalar) -> V::Scalar {
        match self {
            Self::Manhattan | Self::Chebyshev => length,
            Self::Euclid | Self::Weighted(_) | Self::Scaled(_) => length * length,
        }
    }

    /// A difference on an axis in units of the measure.
    #[inline(always)]
    pub(crate) fn scaled(&self, axis: usize, apart: V::Scalar) -> V::Scalar {
        match self {
            Self::Scaled(units) => apart / units.axis(axis),
            _ => apart,
        }
    }

    /// The measure of a difference on one axis alone.
    #[inline(always)]
    pub(crate) fn on(&self, axis: usize, apart: V::Scalar) -> V::Scalar {
        let apart = self.scaled(axis, apart);
        match self {
            Self::Euclid | Self::Scaled(_) => apart * apart,
            Self::Manhattan | Self::Chebyshev => apart.abs(),
            Self::Weighted(weights) => weights.axis(axis) * apart * apart,
        }
    }

    /// The measure of the differences on all axes, from left to right, by the operations of [`of_lanes`](Self::of_lanes).
    #[inline(always)]
    pub(crate) fn sum(&self, apart: impl Fn(usize) -> V::Scalar) -> V::Scalar {
        let mut all = self.on(0, apart(0));
        for axis in 1..V::DIM {
            let next = self.on(axis, apart(axis));
            all = match self {
                // Keep a NaN, so that a point with a NaN coordinate is nowhere.
                Self::Chebyshev if all > next || all.partial_cmp(&all).is_none() => all,
                Self::Chebyshev => next,
                _ => all + next,
            };
        }
        all
    }

    /// Converts the measure to another type of vector.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(&self) -> Measure<U> {
        match self {
            Self::Euclid => Measure::Euclid,
            Self::Manhattan => Measure::Manhattan,
            Self::Chebyshev => Measure::Chebyshev,
            Self::Weighted(weights) => Measure::Weighted(U::of_array(weights.array())),
            Self::Scaled(units) => Measure::Scaled(U::of_array(units.array())),
        }
    }

    /// The measures of sixteen differences, by the operations of [`sum`](Self::sum). A branch for each step, not for
    /// each measure, halves the code.
    #[inline(always)]
    pub(super) fn of_lanes<S: Simd>(&self, simd: S, mut apart: [W<V, S>; 4]) -> W<V, S> {
        if let Self::Scaled(units) = self {
            for (axis, lanes) in apart.iter_mut().enumerate().take(V::DIM) {
                *lanes = *lanes / splat::<V, S>(simd, units.axis(axis));
            }
        }
        let is_linear = matches!(self, Self::Manhattan | Self::Chebyshev);
        // Multiplying by 1 is exact.
        let weights = match self {
            Self::Weighted(weights) => *weights,
            _ => V::splat(Scalar::ONE),
        };
        for (axis, lanes) in apart.iter_mut().enumerate().take(V::DIM) {
            *lanes = if is_linear {
                lanes.abs()
            } else {
                splat::<V, S>(simd, weights.axis(axis)) * *lanes * *lanes
            };
        }
        let mut all = apart[0];
        for &lanes in &apart[1..V::DIM] {
            all = if matches!(self, Self::Chebyshev) {
                all.larger(lanes)
            } else {
                all + lanes
            };
        }
        all
    }
}
