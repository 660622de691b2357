//! The order of items: that of their centres along the Z-curve through all of space, whatever the
//! scale.
//!
//! Of two points, the first on the curve is told by the axis on which their coordinates, in binary
//! notation, differ in the highest bit. So nothing needs to be known of the extent of a set, and
//! points as near as numbers can be are told apart: M. Connor, P. Kumar, "Fast construction of
//! k-nearest neighbor graphs for point clouds", IEEE Transactions on Visualization and Computer
//! Graphics, 2010. Of several axes with the same highest bit, the first counts.

use crate::overlap::Extent;
use crate::overlap::lanes::Layout;
use crate::{Bounded, Scalar, Vector};

/// What is to be known of an item to place it.
#[derive(Clone, Copy)]
pub(super) struct Spot<V: Vector> {
    pub(super) extent: Extent<V>,
    pub(super) key: V,
}

impl<V: Vector> Spot<V> {
    #[inline(always)]
    pub(super) fn of<T: Bounded<Vector = V>>(extent: Extent<V>) -> Self {
        let key = key::<T>(&extent);
        Self { extent, key }
    }
}

/// Where an item lies in the order: its centre, on each axis rounded to a multiple of a power of two
/// that is between a half and all of its extent there. A large item comes before the small ones that
/// it lies among, so that few leaves hold both.
#[inline(always)]
fn key<T: Bounded>(extent: &Extent<T::Vector>) -> T::Vector {
    let zero = <ScalarOf<T>>::ZERO;
    match T::LAYOUT {
        // There are two zeros.
        Layout::Point => T::Vector::from_fn(|axis| extent.core.min().axis(axis) + zero),
        Layout::Ball => {
            let large = rounding_to(extent.most + extent.most);
            T::Vector::from_fn(|axis| (extent.core.min().axis(axis) + large) - large + zero)
        }
        Layout::Box | Layout::Whole => {
            let (min, max) = (extent.core.min(), extent.core.max());
            let center = extent.core.center();
            let around = extent.most + extent.most;
            T::Vector::from_fn(|axis| {
                let large = rounding_to(max.axis(axis) - min.axis(axis) + around);
                (center.axis(axis) + large) - large + zero
            })
        }
    }
}

type ScalarOf<T> = <<T as Bounded>::Vector as Vector>::Scalar;

/// The number to which others are added to round them to multiples of the power of two just below a
/// size; 0, which rounds nothing, if that is too large or too small.
#[inline(always)]
fn rounding_to<S: Scalar>(size: S) -> S {
    let power = S::from_bits(size.to_bits() & !(mantissa::<S>() - 1));
    let large = power * (S::from_f64(1.5) / S::EPSILON);
    if large.is_finite() { large } else { S::ZERO }
}

/// The lowest bit of an exponent.
#[inline(always)]
fn mantissa<S: Scalar>() -> u64 {
    S::MIN_POSITIVE.to_bits()
}

#[inline(always)]
fn sign<S: Scalar>() -> u64 {
    (S::ZERO - S::ONE).to_bits() ^ S::ONE.to_bits()
}

/// A sign that differs counts more than any bit.
const SIGN: u32 = 1 << 20;

/// How high the highest bit is in which two numbers differ; 0 if they are the same.
#[inline(always)]
fn level<S: Scalar>(a: S, b: S) -> u32 {
    let (sign, lowest) = (sign::<S>(), mantissa::<S>());
    let (a, b) = (a.to_bits(), b.to_bits());
    let differing = a ^ b;
    if differing == 0 {
        return 0;
    }
    // Of subnormal numbers, it is as if it were 1.
    let exponent = ((a & !sign).max(b & !sign) / lowest).max(1) as u32;
    let bit = differing.ilog2().min(lowest.trailing_zeros());
    let signs = if differing & sign == 0 { 0 } else { SIGN };
    exponent + bit + signs
}

/// Whether a point comes before another.
#[inline(always)]
pub(super) fn is_before<V: Vector>(a: &V, b: &V) -> bool {
    let (mut first, mut highest) = (0, level(a.axis(0), b.axis(0)));
    for axis in 1..V::DIM {
        let level = level(a.axis(axis), b.axis(axis));
        if level > highest {
            (first, highest) = (axis, level);
        }
    }
    a.axis(first) < b.axis(first)
}

/// How much there is between two points: more, the larger the cells of which they are in different
/// halves; 0 if they are the same.
#[inline(always)]
pub(super) fn gap<V: Vector>(a: &V, b: &V) -> u32 {
    let mut highest = 0;
    for axis in 0..V::DIM {
        let level = level(a.axis(axis), b.axis(axis)) * V::DIM as u32;
        if level > 0 {
            highest = highest.max(level + (V::DIM - axis) as u32);
        }
    }
    highest
}

/// The axis and the plane that halve the smallest cell around some points: of those, the ones that
/// come last are not below it. `None` if all are the same.
#[inline(always)]
pub(super) fn halves<V: Vector>(least: &V, largest: &V) -> Option<(usize, V::Scalar)> {
    let (mut first, mut highest) = (0, 0);
    for axis in 0..V::DIM {
        let level = level(least.axis(axis), largest.axis(axis));
        if level > highest {
            (first, highest) = (axis, level);
        }
    }
    (highest > 0).then(|| (first, plane(least.axis(first), largest.axis(first))))
}

/// The least number of which the highest bit in which two numbers differ is that of the larger.
fn plane<S: Scalar>(least: S, largest: S) -> S {
    let lowest = mantissa::<S>();
    let differing = least.to_bits() ^ largest.to_bits();
    if differing & sign::<S>() != 0 {
        return S::ZERO;
    }
    let bit = differing.ilog2().min(lowest.trailing_zeros());
    let above = !((1 << bit) - 1);
    if largest > S::ZERO {
        S::from_bits(largest.to_bits() & above)
    } else {
        S::from_bits(least.to_bits() & above).next_up()
    }
}

#[cfg(test)]
mod tests {
    use super::{gap, halves, is_before};

    const LINE: [f32; 13] = [
        f32::NEG_INFINITY,
        -f32::MAX,
        -1.5,
        -1.0,
        -1e-40,
        0.0,
        1e-45,
        1e-40,
        1.2e-38,
        0.75,
        1.0,
        1.5,
        f32::MAX,
    ];

    #[test]
    fn on_one_axis_the_order_is_that_of_numbers() {
        for (i, a) in LINE.iter().enumerate() {
            for (j, b) in LINE.iter().enumerate() {
                assert_eq!(is_before(&[*a], &[*b]), i < j, "{a} {b}");
                assert_eq!(gap(&[*a], &[*b]) == 0, i == j, "{a} {b}");
            }
        }
    }

    #[test]
    fn halves_part_what_differs() {
        for (i, &a) in LINE.iter().enumerate() {
            assert_eq!(halves(&[a], &[a]), None);
            for &b in &LINE[i + 1..] {
                let (axis, plane) = halves(&[a], &[b]).unwrap();
                assert!(axis == 0 && a < plane && plane <= b, "{a} {plane} {b}");
            }
        }
        assert_eq!(halves(&[5.0, 1.0], &[7.0, 1.5]), Some((0, 6.0)));
        assert_eq!(halves(&[-7.0_f64, 1.0], &[-5.0, 1.5]).map(|h| h.0), Some(0));
    }

    #[test]
    fn cells_of_the_plane_are_passed_in_the_order_of_their_bits() {
        let point = |n: u32| {
            let bit = |n: u32, at: u32| (n >> at & 1) as f32;
            [bit(n, 1) + 2.0 * bit(n, 3), bit(n, 0) + 2.0 * bit(n, 2)]
        };
        for a in 0..16 {
            for b in 0..16 {
                assert_eq!(is_before(&point(a), &point(b)), a < b);
            }
        }
    }
}
