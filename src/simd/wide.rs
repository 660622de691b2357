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
    /// The type of each number.
    type Lane;

    /// Loads an array.
    fn load(simd: S, lanes: &[Self::Lane; LANES]) -> Self;

    /// Repeats a number sixteen times.
    fn splat(simd: S, lane: Self::Lane) -> Self;

    /// Stores the numbers in an array.
    fn store(self) -> [Self::Lane; LANES];

    /// The larger of two in each lane. Neither may be NaN, which machines treat differently.
    fn larger(self, other: Self) -> Self;

    /// The smaller of two in each lane. Neither may be NaN.
    fn smaller(self, other: Self) -> Self;

    /// The lanes in which `self <= other`.
    fn at_most(self, other: Self) -> Mask;

    /// The lanes in which intervals meet on all of the first `axes` axes. Combines the comparisons in registers,
    /// and makes a mask only once.
    fn meet(axes: usize, one: [&[Self; 4]; 2], other: [&[Self; 4]; 2]) -> Mask;

    /// The largest of the sixteen, none of which is NaN.
    fn largest(self) -> Self::Lane;

    /// The smallest of the sixteen, none of which is NaN.
    fn smallest(self) -> Self::Lane;

    /// The magnitude of each.
    fn abs(self) -> Self;

    /// The smaller of two numbers in each lane, neither of which is negative; compares bits where that is quicker.
    /// `other` may be NaN, which counts as large.
    fn nearer(self, other: Self) -> Self;

    /// The smallest of the sixteen, none of which is negative; NaN counts as large.
    fn least_distance(self) -> Self::Lane;

    /// The place, among at most 64, of about the smallest number that is `left`, and a lower bound for all that are;
    /// NaN if there are none. No number is negative. Any may be chosen of those that differ in their last six bits
    /// only.
    fn closest<const N: usize>(distances: [Self; N], left: u64) -> (usize, Self::Lane);

    /// The square root of each, correctly rounded.
    fn sqrt(self) -> Self;

    /// Keeps the lanes of a mask, and takes `other` in the rest.
    fn only(self, mask: Mask, other: Self) -> Self;

    /// Adds 1 to `counts` in each lane in which `self` is larger than `bound`, which NaN is not. The bits of a lane of `counts` are an integer,
    /// to be read by `to_bits`; for `f32` it has 32 bits.
    fn count_above(self, bound: Self, counts: Self) -> Self;
}
