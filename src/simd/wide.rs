//! Arithmetic of sixteen numbers at once.

use core::ops::{Add, Div, Mul, Sub};

use fearless_simd::Simd;

use super::{LANES, Mask};

/// Implements `+ - * /` for a type of sixteen lanes; `$apply` applies one operation to all lanes.
macro_rules! arithmetic {
    (impl[$($generics:tt)*] $lanes:ty, |$a:ident, $b:ident, $of:ident| $apply:expr) => {
        $crate::simd::arithmetic!(@each [$($generics)*] $lanes, |$a, $b, $of| $apply; Add::add);
        $crate::simd::arithmetic!(@each [$($generics)*] $lanes, |$a, $b, $of| $apply; Sub::sub);
        $crate::simd::arithmetic!(@each [$($generics)*] $lanes, |$a, $b, $of| $apply; Mul::mul);
        $crate::simd::arithmetic!(@each [$($generics)*] $lanes, |$a, $b, $of| $apply; Div::div);
    };
    (@each [$($generics:tt)*] $lanes:ty, |$a:ident, $b:ident, $of:ident| $apply:expr; $trait:ident::$method:ident) => {
        impl<$($generics)*> $trait for $lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, $b: Self) -> Self {
                let ($a, $of) = (self, $trait::$method);
                $apply
            }
        }
    };
}
pub(crate) use arithmetic;

/// Sixteen numbers, in registers where the machine has some.
pub trait Wide<S: Simd>:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// One of them.
    type Lane;

    /// The sixteen of an array.
    fn load(simd: S, lanes: &[Self::Lane; LANES]) -> Self;

    /// One number sixteen times.
    fn splat(simd: S, lane: Self::Lane) -> Self;

    /// The sixteen as an array.
    fn store(self) -> [Self::Lane; LANES];

    /// The larger of two in each lane. None is to be NaN: machines differ about that.
    fn larger(self, other: Self) -> Self;

    /// The smaller of two in each lane. None is to be NaN.
    fn smaller(self, other: Self) -> Self;

    /// The lanes in which `self <= other`.
    fn at_most(self, other: Self) -> Mask;

    /// The lanes in which intervals meet on all of the first `axes` axes. Compared in registers, and
    /// made a mask only once.
    fn meet(
        axes: usize,
        low: &[Self; 4],
        high: &[Self; 4],
        other_low: &[Self; 4],
        other_high: &[Self; 4],
    ) -> Mask;

    /// The largest of the sixteen, none of which is NaN.
    fn largest(self) -> Self::Lane;

    /// The smallest of the sixteen, none of which is NaN.
    fn smallest(self) -> Self::Lane;

    /// The magnitude of each.
    fn abs(self) -> Self;

    /// The smaller of two in each lane, neither of which is negative: by their bits where that is quicker. The other one may be
    /// NaN, which is large.
    fn nearer(self, other: Self) -> Self;

    /// The smallest of sixteen that are not negative, NaN being large.
    fn least_distance(self) -> Self::Lane;

    /// The lane of about the smallest of the numbers that are left, none of which is negative: of several that differ in
    /// their last six bits only, any. Sixteen lanes to each, at most 64. And what none of these numbers is less than; if
    /// there are none, NaN.
    fn closest<const N: usize>(distances: [Self; N], left: u64) -> (usize, Self::Lane);

    /// The square root of each, correctly rounded.
    fn sqrt(self) -> Self;

    /// The lanes that are larger than a bound, and another number in all others.
    fn above(self, bound: Self, other: Self) -> Self;

    /// The lanes of a mask, and another number in all others.
    fn only(self, mask: Mask, other: Self) -> Self;

    /// Other numbers, one more in each lane in which this is larger than a bound.
    fn count_above(self, bound: Self, counts: Self) -> Self;
}
