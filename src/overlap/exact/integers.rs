//! The exact expressions, for what the filter leaves open.
//!
//! Every finite float is an integer times a power of two. All inputs of a comparison are brought to the least of
//! these powers, after which differences, squares and sums are those of integers. An ellipsoid's quotients are
//! multiplied out.

use core::cmp::Ordering;

use dashu_int::IBig;

use super::body::Body;
use crate::overlap::lanes::Measure;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// Turns floats into integers of one scale.
#[derive(Clone, Copy)]
pub(super) struct Lattice {
    /// Binary exponent of the spacing.
    exponent: i32,
}

impl Lattice {
    /// The coarsest lattice on which all values lie.
    pub(super) fn of<S: Scalar>(values: impl Iterator<Item = S>) -> Self {
        let exponents = values.map(|x| split(x.into())).filter(|&(m, _)| m != 0);
        Self {
            exponent: exponents.map(|(_, e)| e).min().unwrap_or(0),
        }
    }

    /// A value in units of the spacing.
    pub(super) fn integer<S: Scalar>(self, value: S) -> IBig {
        let (mantissa, exponent) = split(value.into());
        if mantissa == 0 {
            return IBig::ZERO;
        }
        IBig::from(mantissa) << (exponent - self.exponent) as usize
    }
}

/// A finite float as an odd integer times a power of two; 0 is `(0, 0)`.
fn split(value: f64) -> (i64, i32) {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = value.to_bits();
    let biased = (bits >> FRACTION & 0x7ff) as i32;
    let fraction = (bits & ((1 << FRACTION) - 1)) as i64;
    let (magnitude, exponent) = if biased == 0 {
        (fraction, 1)
    } else {
        (fraction | 1 << FRACTION, biased)
    };
    if magnitude == 0 {
        return (0, 0);
    }
    // Odd, so that the integers stay short.
    let even = magnitude.trailing_zeros();
    let odd = magnitude >> even;
    let power = exponent - 1023 - FRACTION as i32 + even as i32;
    (if value < 0.0 { -odd } else { odd }, power)
}

// The body is passed by value, the box or point by reference, so that neither has to be copied or kept in memory
// where the filter decides.

/// Compares a body and a box exactly.
#[cold]
#[inline(never)]
pub(super) fn compare_exactly<V: Vector>(
    body: Body<V>,
    cell: &Aabb<V>,
    compare: fn(&Comparison<V>) -> Ordering,
) -> Ordering {
    let semi_axes = match body.ball.measure {
        Measure::Scaled(semi_axes) => Some(semi_axes),
        _ => None,
    };
    let axes = (0..V::DIM).flat_map(|i| {
        let places = [body.ball.center, cell.min(), cell.max()].into_iter();
        places.chain(semi_axes).map(move |v| v.axis(i))
    });
    // An ellipsoid's reach is 1 in units of its own.
    let lengths = [body.ball.outer, body.by].into_iter();
    let lengths = lengths.filter(|_| semi_axes.is_none());
    let lattice = Lattice::of(axes.chain(lengths));
    let integer = |length| lattice.integer(length);
    let reach = semi_axes.map_or_else(
        || (integer(body.ball.outer) + integer(body.by)).max(IBig::ZERO),
        |_| IBig::ONE,
    );
    compare(&Comparison {
        center: body.ball.center,
        cell: *cell,
        lattice,
        semi_axes,
        limit: square(&reach),
    })
}

/// How a point relates to the body's surface.
#[cold]
#[inline(never)]
pub(super) fn point<V: Vector>(body: Body<V>, p: &V) -> Ordering {
    // A point that is not finite lies in no shape.
    if p.non_finite_axis().is_some() {
        return Ordering::Greater;
    }
    compare_exactly(body, &Aabb::point(*p), Comparison::near)
}

/// A body and a box on their common lattice.
pub(super) struct Comparison<V: Vector> {
    center: V,
    cell: Aabb<V>,
    lattice: Lattice,
    /// The semi-axes of an ellipsoid, which divide differences.
    semi_axes: Option<V>,
    /// The square of the body's reach.
    limit: IBig,
}

/// A non-negative fraction.
struct Fraction {
    numerator: IBig,
    denominator: IBig,
}

impl<V: Vector> Comparison<V> {
    /// The squared distance to the nearest point of the solid box, compared with the body's reach.
    pub(super) fn near(&self) -> Ordering {
        self.compare(&self.sum(|below, above| (-below).max(-above).max(IBig::ZERO)))
    }

    /// The squared distance to the farthest corner, compared with the body's reach.
    pub(super) fn far(&self) -> Ordering {
        self.compare(&self.sum(Ord::max))
    }

    /// The squared distance to the nearest point of the box's surface, compared with the body's reach.
    pub(super) fn surface(&self) -> Ordering {
        let mut least: Option<Fraction> = None;
        for axis in 0..V::DIM {
            let (below, above) = self.depths(axis);
            let inward = below.min(above);
            if inward < IBig::ZERO {
                return self.near();
            }
            let here = Fraction {
                numerator: square(&inward),
                denominator: self.weight(axis),
            };
            let is_less =
                |l: &Fraction| &here.numerator * &l.denominator < &l.numerator * &here.denominator;
            if least.as_ref().is_none_or(is_less) {
                least = Some(here);
            }
        }
        least.map_or(Ordering::Equal, |least| self.compare(&least))
    }

    /// How far the center lies above the lower face and below the upper one.
    fn depths(&self, axis: usize) -> (IBig, IBig) {
        let at = |v: V| self.lattice.integer(v.axis(axis));
        let center = at(self.center);
        (&center - at(self.cell.min()), at(self.cell.max()) - &center)
    }

    /// The squared semi-axis, or 1.
    fn weight(&self, axis: usize) -> IBig {
        let squared = |v: V| square(&self.lattice.integer(v.axis(axis)));
        self.semi_axes.map_or(IBig::ONE, squared)
    }

    /// The sum of the squares of `length(below, above)` of the depths on each axis.
    fn sum(&self, length: impl Fn(IBig, IBig) -> IBig) -> Fraction {
        let mut sum = Fraction {
            numerator: IBig::ZERO,
            denominator: IBig::ONE,
        };
        for axis in 0..V::DIM {
            let (below, above) = self.depths(axis);
            let (term, weight) = (square(&length(below, above)), self.weight(axis));
            sum.numerator = sum.numerator * &weight + term * &sum.denominator;
            sum.denominator *= weight;
        }
        sum
    }

    fn compare(&self, distance_sq: &Fraction) -> Ordering {
        let limit = &self.limit * &distance_sq.denominator;
        distance_sq.numerator.cmp(&limit)
    }
}

/// Compares the distances from a center to the faces of a box with a reach on each axis; the least result of all.
#[cold]
#[inline(never)]
pub(super) fn room<V: Vector>(cell: &Aabb<V>, center: V, reach: V) -> Ordering {
    let gaps = (0..V::DIM).map(|i| {
        let numbers = [center, cell.min(), cell.max(), reach].map(|v| v.axis(i));
        let lattice = Lattice::of(numbers.into_iter());
        let [c, low, high, length] = numbers.map(|x| lattice.integer(x));
        (&c - low).min(high - &c).cmp(&length)
    });
    gaps.min().unwrap_or(Ordering::Greater)
}

pub(super) fn square(x: &IBig) -> IBig {
    x.sqr().into()
}
