//! The exact expressions, for what the filter leaves open.
//!
//! Every finite float is an integer times a power of two. All inputs of a comparison are brought to the least of
//! these powers, after which differences, squares and sums are those of integers. An ellipsoid's quotients are
//! multiplied out.

use alloc::vec::Vec;
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
    compare: fn(&Comparison) -> Ordering,
) -> Ordering {
    let ball = body.ball;
    let semi_axes = match ball.measure {
        Measure::Scaled(semi_axes) => Some(semi_axes),
        _ => None,
    };
    let places = (0..V::DIM).flat_map(|i| {
        let places = [ball.center, cell.min(), cell.max()].into_iter();
        places.chain(semi_axes).map(move |v| v.axis(i))
    });
    // An ellipsoid's reach is 1 in units of its own.
    let lengths = [ball.outer, body.by].into_iter();
    let lattice = Lattice::of(places.chain(lengths.filter(|_| semi_axes.is_none())));
    let reach = if semi_axes.is_some() {
        IBig::ONE
    } else {
        (lattice.integer(ball.outer) + lattice.integer(body.by)).max(IBig::ZERO)
    };
    let axes = (0..V::DIM).map(|i| {
        let at = |v: V| lattice.integer(v.axis(i));
        let center = at(ball.center);
        Axis {
            below: &center - at(cell.min()),
            above: at(cell.max()) - center,
            weight: semi_axes.map_or(IBig::ONE, |v| square(&at(v))),
        }
    });
    compare(&Comparison {
        axes: axes.collect(),
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
pub(super) struct Comparison {
    axes: Vec<Axis>,
    /// The square of the body's reach.
    limit: IBig,
}

/// A body and a box on one axis.
struct Axis {
    /// How far the center lies above the lower face.
    below: IBig,
    /// How far the center lies below the upper face.
    above: IBig,
    /// The squared semi-axis, or 1.
    weight: IBig,
}

impl Comparison {
    /// The squared distance to the nearest point of the solid box, compared with the body's reach.
    pub(super) fn near(&self) -> Ordering {
        self.compare(|axis| (-&axis.below).max(-&axis.above).max(IBig::ZERO))
    }

    /// The squared distance to the farthest corner, compared with the body's reach.
    pub(super) fn far(&self) -> Ordering {
        self.compare(|axis| (&axis.below).max(&axis.above).clone())
    }

    /// The squared distance to the nearest point of the box's surface, compared with the body's reach.
    pub(super) fn surface(&self) -> Ordering {
        let inward = |axis: &Axis| (&axis.below).min(&axis.above).clone();
        if self.axes.iter().any(|axis| inward(axis) < IBig::ZERO) {
            return self.near();
        }
        // From inside, the nearest face decides.
        let faces = self.axes.iter();
        let faces = faces.map(|axis| square(&inward(axis)).cmp(&(&self.limit * &axis.weight)));
        faces.min().unwrap_or(Ordering::Equal)
    }

    /// Compares the sum of the squares of a length on each axis, divided by the weights, with the body's reach.
    fn compare(&self, length: impl Fn(&Axis) -> IBig) -> Ordering {
        let (mut numerator, mut denominator) = (IBig::ZERO, IBig::ONE);
        for axis in &self.axes {
            numerator = numerator * &axis.weight + square(&length(axis)) * &denominator;
            denominator *= &axis.weight;
        }
        numerator.cmp(&(&self.limit * denominator))
    }
}

pub(super) fn square(x: &IBig) -> IBig {
    x.sqr().into()
}
