//! Scalars: `f32` and `f64`, and the few operations that the crate needs of them.

use core::fmt::{Debug, Display};
use core::ops::{Add, Div, Mul, RangeInclusive, Sub};

use fearless_simd::Simd;

use super::lanes::{Double, Single};
use super::sealed;
use crate::kernels::{BrickKernels, VoxelKernels};
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
    + BrickKernels
    + VoxelKernels
    + sealed::Sealed
    + 'static
{
    /// Sixteen numbers in registers.
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
    /// True if it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The next larger value; that of the largest is infinity.
    fn next_up(self) -> Self;
    /// The next smaller value; that of the smallest is minus infinity.
    fn next_down(self) -> Self;
    /// The bits of the value, which from 0 to infinity grow by 1 from each value to the next.
    fn to_bits(self) -> u64;
    /// The value of some bits.
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
    /// Rounds a number from 0 to 2²² to a whole one, by a sum that leaves it in the lowest bits: a cast would
    /// have to check the range.
    #[doc(hidden)]
    fn to_whole(self) -> u32;

    /// The least radius that reaches this squared distance: the least number whose square, rounded as the structures
    /// compare it, is at least this number. It is 0 for NaN and for negative numbers.
    ///
    /// The root itself is too small in about a quarter of all cases: see
    /// [distances and radii](crate::guide::precision#distances-and-radii).
    ///
    /// ```
    /// use orthant::Scalar;
    /// let root = 2.0_f32.sqrt();
    /// assert!(root * root < 2.0);
    /// assert_eq!(2.0_f32.to_radius(), root.next_up());
    /// assert_eq!(25.0_f32.to_radius(), 5.0);
    /// ```
    #[must_use]
    fn to_radius(self) -> Self {
        // For a normal number `x` let `s` be the rounded root, and `u` the distance from `s` to the next number. The
        // root of `x` lies within `u / 2` of `s`. The number after `s` is not less than the root of `x`, and its square
        // not less than `x`. The number before `s` is at least `u / 2` less than the root, and its square at least
        // `s u` less than `x` but for a term in `u²`: more than half of the distance from `x` to the number before it, so
        // that it rounds to less than `x`. So only `s` and the number after it are left. The root of the largest number rounds
        // down, and the square of the number after it is infinite.
        if self >= Self::MIN_POSITIVE {
            let root = self.smaller(Self::MAX).sqrt();
            return if root * root < self {
                root.next_up()
            } else {
                root
            };
        }
        // Below, squares have few digits or vanish, and many numbers share one: bisect the bits, with which numbers
        // and their squares grow.
        let (mut low, mut high) = (0, Self::MIN_POSITIVE.sqrt().to_bits());
        while low < high {
            let middle = low.midpoint(high);
            let number = Self::from_bits(middle);
            if number * number < self {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Self::from_bits(low)
    }

    /// The larger of two numbers.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // A comparison, not `max`: it is one instruction, since no operand is NaN.
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

/// The range of lengths whose squares have full precision: 2⁻⁶³ to 2⁶³ in `f32` (about 1e-19 to 9e18), 2⁻⁵¹¹ to 2⁵¹¹
/// in `f64` (1.5e-154 to 6.7e153).
///
/// Squares of longer distances overflow, so that all are equally far; squares of shorter ones lose digits and vanish,
/// so that separate points seem to coincide. Structures accept such points all the same, and agree about them. Check
/// the extent of data of unknown units by this range, and multiply them by a power of two, which rounds nothing, or
/// use `f64`.
///
/// ```
/// use orthant::{Octree, glam::Vec3, safe_lengths};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X * 1e24]);
/// let bounds = tree.bounds().unwrap();
/// assert!(!safe_lengths::<f32>().contains(&(bounds.max().x - bounds.min().x)));
/// assert!(safe_lengths::<f64>().contains(&1e24));
/// assert_eq!(tree.nearest(Vec3::X * 9e23).unwrap().distance_sq, f32::INFINITY);
/// ```
#[must_use]
pub fn safe_lengths<S: Scalar>() -> RangeInclusive<S> {
    let least = S::MIN_POSITIVE.sqrt();
    least..=S::ONE / least
}

/// Implements [`Scalar`] for a type by its methods, with the type of its lanes.
macro_rules! scalar {
    (own $s:ident: $($method:ident -> $out:ty),*) => {$(
        #[inline]
        fn $method(self) -> $out {
            $s::$method(self)
        }
    )*};
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
            fn sqrt(self) -> Self {
                #[cfg(feature = "std")]
                return $s::sqrt(self);
                #[cfg(all(feature = "libm", not(feature = "std")))]
                return libm::$sqrt(self);
                #[cfg(not(any(feature = "std", feature = "libm")))]
                return self;
            }

            scalar!(own $s: is_finite -> bool, abs -> Self, next_up -> Self, next_down -> Self);

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
                // Around it, consecutive floats are whole numbers.
                const MIDDLE: $s = (3u64 << ($s::MANTISSA_DIGITS - 2)) as $s;
                $s::to_bits(self + MIDDLE) as u32 & 0x3f_ffff
            }
        }
    };
}

scalar!(f32, sqrtf, Single);
scalar!(f64, sqrt, Double);
