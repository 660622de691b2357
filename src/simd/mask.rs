//! Masks: a bit for each of sixteen lanes.

use core::ops::{BitAnd, BitOr, Not};

use fearless_simd::Simd;

use super::LANES;
use super::instructions::register;

/// A bit for each of sixteen lanes.
///
/// On AVX2 the bits of the two registers of eight lanes are kept 16 apart: merging them into one run of bits
/// would cost a query an eighth of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(u32);

const HALF: u32 = LANES as u32 / 2;
const LOW: u32 = (1 << HALF) - 1;

impl Mask {
    /// Whether the halves are kept apart.
    #[inline(always)]
    pub(crate) const fn is_halved<S: Simd>() -> bool {
        cfg!(target_arch = "x86_64") && register::<S>() == 8
    }

    /// How far the bits of the upper half lie above those of the lower.
    #[inline(always)]
    const fn apart<S: Simd>() -> u32 {
        if Self::is_halved::<S>() {
            2 * HALF
        } else {
            HALF
        }
    }

    /// The mask of a bit for each lane, the lowest for the first.
    #[inline(always)]
    pub(crate) fn new<S: Simd>(_simd: S, bits: u32) -> Self {
        Self(bits & LOW | (bits >> HALF & LOW) << const { Self::apart::<S>() })
    }

    /// The mask of the bits of two registers of eight lanes.
    #[inline(always)]
    pub(crate) fn of_halves<S: Simd>(_simd: S, low: u64, high: u64) -> Self {
        Self(low as u32 | (high as u32) << Self::apart::<S>())
    }

    /// A bit for each lane, the lowest for the first.
    #[inline(always)]
    pub(crate) fn bits<S: Simd>(self, _simd: S) -> u32 {
        if const { Self::is_halved::<S>() } {
            self.0 & LOW | self.0 >> LANES << HALF
        } else {
            self.0
        }
    }

    /// The bits of the first and of the last eight lanes.
    #[allow(dead_code, reason = "where there are registers")]
    #[inline(always)]
    pub(crate) fn halves<S: Simd>(self, _simd: S) -> (u32, u32) {
        (self.0 & LOW, self.0 >> Self::apart::<S>() & LOW)
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Inverts all bits, also those beyond the lanes: combine the result with another mask by `&`.
impl Not for Mask {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}
