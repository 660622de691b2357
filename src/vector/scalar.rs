//! Scalars: `f32` and `f64`, and the few operations that the crate needs of them.

use core::fmt::{Debug, Display};
use core::ops::{Add, Div, Mul, Sub};

use fearless_simd::Simd;

use super::lanes::{Double, Single};
use super::sealed;
use crate::kernels::OfScalar;
use crate::simd::{Lane, Wide};

/// A coordinate: `f32` or `f64`.
///
/// The methods are the few that the crate's own arithmetic needs.
///
/// ```
/// use orthant::Scalar;
/// fn diagonal<S: Scalar>(a: S, b: S) -> S {
///     (a * a + b * b).sqrt().larger(S::ZERO)
/// }
/// assert_eq!((diagonal(3.0_f32, 4.0), diagonal(3.0_f64, 4.0)), (5.0, 5.0));
/// assert_eq!(<f32 as Scalar>::from_f64(0.5).add_up(1e-9), 0.5_f32.next_up());
/// ```
pub trait Scalar:
    Copy
    + PartialEq
    + PartialOrd
    + Debug
    + Display
    + Default
    + Send
    + Sync
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Lane
    + OfScalar
    + sealed::Sealed
    + 'static
{
    /// Sixteen of them in registers.
    #[doc(hidden)]
    type Wide<S: Simd>: Wide<S, Lane = Self>;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The largest finite value.
    const MAX: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// The distance from 1 to the next larger value.
    const EPSILON: Self;
    /// The smallest positive normal value.
    const MIN_POSITIVE: Self;
    /// The nearest representable value.
    fn from_f64(value: f64) -> Self;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// The next larger value; that of the largest is infinity.
    fn next_up(self) -> Self;
    /// The next smaller value; that of the smallest is minus infinity.
    fn next_down(self) -> Self;
    /// The representation, which grows with the value from 0 to infinity, by 1 from each to the next.
    fn to_bits(self) -> u64;
    /// The value of a representation.
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
    /// A whole number next to one from 0 to 2^22, by a sum that leaves it in the lowest bits: a cast has
    /// to look for numbers that are out of range.
    #[doc(hidden)]
    fn to_whole(self) -> u32;

    /// The larger of two numbers.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // A comparison and not `max`: one instruction, since no operand is NaN.
        if self > other { self } else { other }
    }

    /// The smaller of two numbers.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    /// `self + other` rounded up, at most [`MAX`](Self::MAX).
    fn add_up(self, other: Self) -> Self {
        let sum = self + other;
        // The exact rounding error of a sum (Knuth's two-sum).
        let part = sum - self;
        let error = (self - (sum - part)) + (other - part);
        let up = if error > Self::ZERO {
            sum.next_up()
        } else {
            sum
        };
        up.smaller(Self::MAX)
    }

    /// `self - other` rounded down, at least minus [`MAX`](Self::MAX).
    fn sub_down(self, other: Self) -> Self {
        Self::ZERO - (Self::ZERO - self).add_up(other)
    }
}

macro_rules! scalar {
    ($s:ident, $sqrt:ident, $wide:ident) => {
        impl sealed::Sealed for $s {}

        impl Scalar for $s {
            type Wide<S: Simd> = $wide<S>;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const MAX: Self = $s::MAX;
            const INFINITY: Self = $s::INFINITY;
            const EPSILON: Self = $s::EPSILON;
            const MIN_POSITIVE: Self = $s::MIN_POSITIVE;

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $s
            }

            #[inline]
            fn is_finite(self) -> bool {
                $s::is_finite(self)
            }

            #[inline]
            fn sqrt(self) -> Self {
                #[cfg(feature = "std")]
                return $s::sqrt(self);
                #[cfg(all(feature = "libm", not(feature = "std")))]
                return libm::$sqrt(self);
                #[cfg(not(any(feature = "std", feature = "libm")))]
                return self;
            }

            #[inline]
            fn abs(self) -> Self {
                $s::abs(self)
            }

            #[inline]
            fn next_up(self) -> Self {
                $s::next_up(self)
            }

            #[inline]
            fn next_down(self) -> Self {
                $s::next_down(self)
            }

            #[inline(always)]
            fn to_bits(self) -> u64 {
                $s::to_bits(self).into()
            }

            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                $s::from_bits(bits as _)
            }

            #[inline(always)]
            fn to_whole(self) -> u32 {
                // Above and below it, whole numbers follow each other.
                const MIDDLE: $s = (3u64 << ($s::MANTISSA_DIGITS - 2)) as $s;
                $s::to_bits(self + MIDDLE) as u32 & 0x3f_ffff
            }
        }
    };
}

scalar!(f32, sqrtf, Single);
scalar!(f64, sqrt, Double);
