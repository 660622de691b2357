//! Sixteen numbers in memory, for machines without registers for them: RISC-V, 32-bit Arm, WebAssembly without
//! vectors.
//!
//! Each operation is a function that is not inlined. If it were, sixteen lanes at a time wherever it is used, LLVM
//! would take more than a quarter of an hour for the hot code.

use core::ops::{Add, Div, Mul, Sub};

use fearless_simd::Simd;

use super::Scalar;
use crate::bits::set_bits;
use crate::simd::{LANES, Mask, Wide, arithmetic};

/// Sixteen `f32`.
pub(crate) type Single<S> = Lanes<f32, S>;
/// Sixteen `f64`.
pub(crate) type Double<S> = Lanes<f64, S>;

/// Sixteen numbers in memory.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<T, S> {
    simd: S,
    lanes: [T; LANES],
}

/// Applies a function to each lane; `of_two` does so for pairs of lanes.
#[inline(never)]
fn each<T: Scalar>(a: &[T; LANES], f: impl Fn(T) -> T) -> [T; LANES] {
    crate::simd::from_fn(|lane| f(a[lane]))
}

#[inline(never)]
fn of_two<T: Scalar>(a: &[T; LANES], b: &[T; LANES], f: impl Fn(T, T) -> T) -> [T; LANES] {
    crate::simd::from_fn(|lane| f(a[lane], b[lane]))
}

/// The lanes in which `f` holds.
#[inline(never)]
fn test<T: Scalar>(a: &[T; LANES], b: &[T; LANES], f: impl Fn(T, T) -> bool) -> u32 {
    (0..LANES).fold(0, |bits, lane| {
        bits | u32::from(f(a[lane], b[lane])) << lane
    })
}

#[inline(never)]
fn reduced<T: Scalar>(a: &[T; LANES], f: impl Fn(T, T) -> T) -> T {
    a.iter().skip(1).fold(a[0], |least, &lane| f(least, lane))
}

/// Takes `a` in the lanes of a mask, and `b` in the rest.
#[inline(never)]
fn chosen<T: Scalar>(bits: u32, a: &[T; LANES], b: &[T; LANES]) -> [T; LANES] {
    crate::simd::from_fn(|lane| {
        if bits >> lane & 1 == 1 {
            a[lane]
        } else {
            b[lane]
        }
    })
}

/// The smaller of two numbers that are not negative, by their bits.
#[inline(always)]
fn nearer<T: Scalar>(a: T, b: T) -> T {
    if b.to_bits() < a.to_bits() { b } else { a }
}

impl<T: Scalar, S: Simd> Lanes<T, S> {
    /// Replaces the lanes.
    #[inline(always)]
    fn with(self, lanes: [T; LANES]) -> Self {
        Self { lanes, ..self }
    }
}

arithmetic!(impl[T: Scalar, S: Simd] Lanes<T, S>, |a, b, of| a.with(of_two(&a.lanes, &b.lanes, of)));

impl<T: Scalar, S: Simd> Wide<S> for Lanes<T, S> {
    type Lane = T;

    #[inline(always)]
    fn load(simd: S, lanes: &[T; LANES]) -> Self {
        Self {
            simd,
            lanes: *lanes,
        }
    }

    #[inline(always)]
    fn splat(simd: S, lane: T) -> Self {
        Self {
            simd,
            lanes: [lane; LANES],
        }
    }

    #[inline(always)]
    fn store(self) -> [T; LANES] {
        self.lanes
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.with(of_two(&self.lanes, &other.lanes, T::larger))
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.with(of_two(&self.lanes, &other.lanes, T::smaller))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Mask {
        Mask::new(self.simd, test(&self.lanes, &other.lanes, |a, b| a <= b))
    }

    #[inline(always)]
    fn meet(axes: usize, [low, high]: [&[Self; 4]; 2], [from, to]: [&[Self; 4]; 2]) -> Mask {
        (0..axes).fold(Mask::new(low[0].simd, !0), |met, axis| {
            met & low[axis].at_most(to[axis]) & from[axis].at_most(high[axis])
        })
    }

    #[inline(always)]
    fn largest(self) -> T {
        reduced(&self.lanes, T::larger)
    }

    #[inline(always)]
    fn smallest(self) -> T {
        reduced(&self.lanes, T::smaller)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.with(each(&self.lanes, T::abs))
    }

    #[inline(always)]
    fn nearer(self, other: Self) -> Self {
        self.with(of_two(&self.lanes, &other.lanes, nearer))
    }

    #[inline(always)]
    fn least_distance(self) -> T {
        reduced(&self.lanes, nearer)
    }

    #[inline(never)]
    fn closest<const N: usize>(distances: [Self; N], left: u64) -> (usize, T) {
        let mut least = None;
        for at in set_bits(left) {
            let distance = distances[at / LANES].lanes[at % LANES];
            if least.is_none_or(|(_, least): (usize, T)| distance.to_bits() < least.to_bits()) {
                least = Some((at, distance));
            }
        }
        least.unwrap_or((0, T::from_f64(f64::NAN)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.with(each(&self.lanes, T::sqrt))
    }

    #[inline(always)]
    fn only(self, mask: Mask, other: Self) -> Self {
        self.with(chosen(mask.bits(self.simd), &self.lanes, &other.lanes))
    }

    #[inline(always)]
    fn count_above(self, bound: Self, counts: Self) -> Self {
        let above = test(&self.lanes, &bound.lanes, |a, bound| a > bound);
        let more = counts.lanes.map(|count| T::from_bits(count.to_bits() + 1));
        self.with(chosen(above, &more, &counts.lanes))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use fearless_simd::Simd;

    use super::super::Scalar;
    use super::Lanes;
    use crate::simd::{InstructionSet, LANES, Mask, Wide, run};

    /// Two operands and a mask.
    struct Operands<T> {
        a: [T; LANES],
        b: [T; LANES],
        mask: u32,
    }

    /// All results, as lanes of type `W` have them.
    #[inline(always)]
    fn results<T: Scalar, S: Simd, W: Wide<S, Lane = T>>(
        simd: S,
        of: &Operands<T>,
    ) -> (Vec<[T; LANES]>, Vec<u32>, Vec<T>, usize) {
        let (a, b) = (W::load(simd, &of.a), W::load(simd, &of.b));
        let (two, mask) = (W::splat(simd, T::ONE + T::ONE), Mask::new(simd, of.mask));
        let numbers = [a + b, a - b, a * b, a / b, a.larger(b), a.smaller(b)];
        let more = [a.abs(), a.sqrt(), a.nearer(b), a.only(mask, b)];
        let lanes = numbers
            .into_iter()
            .chain(more)
            .chain([a.count_above(two, b)]);
        let meet = W::meet(
            2,
            [&[a; 4], &[b, two, a, b]],
            [&[two, a, b, a], &[b, b, a, b]],
        );
        let masks = [a.at_most(b), meet].map(|mask| mask.bits(simd));
        let (place, _) = W::closest([a, b], u64::from(of.mask) << 9);
        let least = [a.largest(), a.smallest(), a.least_distance()];
        let lanes = lanes.map(Wide::store).collect();
        (lanes, masks.into(), least.into(), place)
    }

    /// Lanes in registers and in memory have one result.
    #[inline(always)]
    fn compare<T: Scalar, S: Simd>(simd: S, of: &Operands<T>) {
        let registers = results::<T, S, T::Wide<S>>(simd, of);
        let memory = results::<T, S, Lanes<T, S>>(simd, of);
        assert_eq!(registers, memory, "{:?}", simd.level());
    }

    fn same<T: Scalar>() {
        for set in InstructionSet::available() {
            for seed in 1..40_u32 {
                // Numbers from 0 to 4 of which some tie, but not in what `closest` may tell apart.
                let number = |i: usize| {
                    let mixed = (i as u32 + 1).wrapping_mul(seed).wrapping_mul(0x9E37_79B9);
                    T::from_f64(f64::from(mixed >> 22) / 256.0)
                };
                let a = crate::simd::from_fn(number);
                let b = crate::simd::from_fn(|i| if i % 3 == 0 { a[i] } else { number(i + LANES) });
                let mask = seed.wrapping_mul(0x9E37_79B9) >> 16;
                run!(set, |simd| compare(simd, &Operands { a, b, mask }));
            }
        }
    }

    #[test]
    fn lanes_in_memory_are_those_in_registers() {
        same::<f32>();
        same::<f64>();
    }
}
