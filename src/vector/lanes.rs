//! Sixteen numbers in registers.

use core::ops::{Add, Div, Mul, Sub};

use fearless_simd::{
    Bytes, Select, Simd, SimdBase, SimdFloat, SimdMask, SimdSplit, f32x16, f64x8, i32x16, i64x8,
    mask32x16, mask64x8, u32x16,
};

use crate::simd::{LANES, Mask, Wide, arithmetic};

/// Sixteen `f32`.
pub(crate) type Single<S> = f32x16<S>;

impl<S: Simd> Wide<S> for f32x16<S> {
    type Lane = f32;

    #[inline(always)]
    fn load(simd: S, lanes: &[f32; LANES]) -> Self {
        Self::load_array_ref(simd, lanes)
    }

    #[inline(always)]
    fn splat(simd: S, lane: f32) -> Self {
        SimdBase::splat(simd, lane)
    }

    #[inline(always)]
    fn store(self) -> [f32; LANES] {
        self.into()
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        SimdBase::max(self, other)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        SimdBase::min(self, other)
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Mask {
        if const { Mask::is_halved::<S>() } {
            let ((low, high), others) = (self.split(), other.split());
            let (low, high) = (low.simd_le(others.0), high.simd_le(others.1));
            Mask::of_halves(self.simd, low.to_bitmask(), high.to_bitmask())
        } else {
            Mask::new(self.simd, self.simd_le(other).to_bitmask() as u32)
        }
    }

    #[inline(always)]
    fn meet(axes: usize, [low, high]: [&[Self; 4]; 2], [from, to]: [&[Self; 4]; 2]) -> Mask {
        let simd = low[0].simd;
        if const { !Mask::is_halved::<S>() } {
            let mut all = low[0].max(from[0]).simd_le(high[0].min(to[0]));
            for axis in 1..axes {
                let first = low[axis].max(from[axis]);
                all &= first.simd_le(high[axis].min(to[axis]));
            }
            return Mask::new(simd, all.to_bitmask() as u32);
        }
        let (a, b) = (low[0].split(), to[0].split());
        let (c, d) = (from[0].split(), high[0].split());
        let mut first = a.0.simd_le(b.0) & c.0.simd_le(d.0);
        let mut second = a.1.simd_le(b.1) & c.1.simd_le(d.1);
        for axis in 1..axes {
            let (a, b) = (low[axis].split(), to[axis].split());
            let (c, d) = (from[axis].split(), high[axis].split());
            first = first & a.0.simd_le(b.0) & c.0.simd_le(d.0);
            second = second & a.1.simd_le(b.1) & c.1.simd_le(d.1);
        }
        Mask::of_halves(simd, first.to_bitmask(), second.to_bitmask())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        SimdBase::abs(self)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        SimdFloat::sqrt(self)
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        SimdBase::reduce_max(self)
    }

    #[inline(always)]
    fn smallest(self) -> f32 {
        SimdBase::reduce_min(self)
    }

    #[inline(always)]
    fn nearer(self, other: Self) -> Self {
        let (own, other) = (self.bitcast::<u32x16<S>>(), other.bitcast::<u32x16<S>>());
        own.min(other).bitcast()
    }

    #[inline(always)]
    fn least_distance(self) -> f32 {
        f32::from_bits(self.bitcast::<u32x16<S>>().reduce_min())
    }

    #[inline(always)]
    fn closest<const N: usize>(distances: [Self; N], left: u64) -> (usize, f32) {
        let simd = distances[0].simd;
        let numbers: [u32; LANES] = crate::simd::from_fn(|lane| lane as u32);
        let none = u32x16::splat(simd, u32::MAX);
        let mut least = none;
        for (i, near) in distances.iter().enumerate() {
            let numbers = u32x16::load_array_ref(simd, &numbers) + (i * LANES) as u32;
            let key = near.bitcast::<u32x16<S>>() & !63 | numbers;
            let left = mask32x16::from_bitmask(simd, left >> (i * LANES) & 0xffff);
            least = least.min(left.select(key, none));
        }
        let least = least.reduce_min();
        ((least & 63) as usize, f32::from_bits(least & !63))
    }

    #[inline(always)]
    fn only(self, mask: Mask, other: Self) -> Self {
        let mask = u64::from(mask.bits(self.simd));
        mask32x16::from_bitmask(self.simd, mask).select(self, other)
    }

    #[inline(always)]
    fn count_above(self, bound: Self, counts: Self) -> Self {
        // A mask is -1 in each lane that is set.
        let above = self.simd_gt(bound).to_vector();
        (counts.bitcast::<i32x16<S>>() - above).bitcast()
    }
}

/// Sixteen `f64` in two halves, each of the widest type that there is for `f64`: a register of AVX-512.
#[derive(Clone, Copy, Debug)]
pub struct Double<S: Simd>(f64x8<S>, f64x8<S>);

arithmetic!(impl[S: Simd] Double<S>, |a, b, of| Self(of(a.0, b.0), of(a.1, b.1)));

impl<S: Simd> Wide<S> for Double<S> {
    type Lane = f64;

    #[inline(always)]
    fn load(simd: S, lanes: &[f64; LANES]) -> Self {
        let (low, high) = lanes.split_at(LANES / 2);
        Self(f64x8::from_slice(simd, low), f64x8::from_slice(simd, high))
    }

    #[inline(always)]
    fn splat(simd: S, lane: f64) -> Self {
        let half = f64x8::splat(simd, lane);
        Self(half, half)
    }

    #[inline(always)]
    fn store(self) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        let (low, high) = lanes.split_at_mut(LANES / 2);
        self.0.store_slice(low);
        self.1.store_slice(high);
        lanes
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1.max(other.1))
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Mask {
        let (low, high) = (self.0.simd_le(other.0), self.1.simd_le(other.1));
        Mask::of_halves(self.0.simd, low.to_bitmask(), high.to_bitmask())
    }

    #[inline(always)]
    fn meet(axes: usize, [low, high]: [&[Self; 4]; 2], [from, to]: [&[Self; 4]; 2]) -> Mask {
        let simd = low[0].0.simd;
        let mut first = low[0].0.simd_le(to[0].0) & from[0].0.simd_le(high[0].0);
        let mut second = low[0].1.simd_le(to[0].1) & from[0].1.simd_le(high[0].1);
        for axis in 1..axes {
            let (a, b) = (low[axis], to[axis]);
            let (c, d) = (from[axis], high[axis]);
            first = first & a.0.simd_le(b.0) & c.0.simd_le(d.0);
            second = second & a.1.simd_le(b.1) & c.1.simd_le(d.1);
        }
        Mask::of_halves(simd, first.to_bitmask(), second.to_bitmask())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }

    #[inline(always)]
    fn largest(self) -> f64 {
        self.0.max(self.1).reduce_max()
    }

    #[inline(always)]
    fn smallest(self) -> f64 {
        self.0.min(self.1).reduce_min()
    }

    #[inline(always)]
    fn nearer(self, other: Self) -> Self {
        // A comparison with NaN takes the second operand.
        other.smaller(self)
    }

    #[inline(always)]
    fn least_distance(self) -> f64 {
        self.smallest()
    }

    #[inline(always)]
    fn closest<const N: usize>(distances: [Self; N], left: u64) -> (usize, f64) {
        let simd = distances[0].0.simd;
        let infinity = Self::splat(simd, f64::INFINITY);
        let mut least = infinity;
        for (i, near) in distances.iter().enumerate() {
            let left = Mask::new(simd, (left >> (i * LANES)) as u32);
            least = least.smaller(near.only(left, infinity));
        }
        let bound = least.smallest();
        let least = Self::splat(simd, bound);
        let mut lanes = 0;
        for (i, near) in distances.iter().enumerate() {
            lanes |= u64::from(near.at_most(least).bits(simd)) << (i * LANES);
        }
        lanes &= left;
        let bound = if lanes == 0 { f64::NAN } else { bound };
        (lanes.trailing_zeros() as usize & 63, bound)
    }

    #[inline(always)]
    fn only(self, mask: Mask, other: Self) -> Self {
        let simd = self.0.simd;
        let (low, high) = mask.halves(simd);
        let low = mask64x8::from_bitmask(simd, low.into());
        let high = mask64x8::from_bitmask(simd, high.into());
        Self(low.select(self.0, other.0), high.select(self.1, other.1))
    }

    #[inline(always)]
    fn count_above(self, bound: Self, counts: Self) -> Self {
        let low = self.0.simd_gt(bound.0).to_vector();
        let high = self.1.simd_gt(bound.1).to_vector();
        Self(
            (counts.0.bitcast::<i64x8<S>>() - low).bitcast(),
            (counts.1.bitcast::<i64x8<S>>() - high).bitcast(),
        )
    }
}
