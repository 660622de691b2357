//! Finds medians of columns of numbers.
//!
//! A cut of rank `k` has exactly `k` of the numbers below it; if necessary, some of those equal to it count as below. The search keeps an
//! interval around it and interpolates between the counts at its ends (regula falsi by the Illinois rule, M. Dowell and P. Jarratt, 1971).
//! If that fails, because numbers are equal or unevenly spread, it tries one of the numbers in the interval as a pivot and continues with
//! the numbers that are still inside.
//!
//! All decisions follow from counts, so the result does not depend on the instruction set.

use fearless_simd::Simd;

use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::Scalar;

/// The most steps of regula falsi. Uniform numbers need three to six.
const STEPS: usize = 8;

/// For more blocks than this, half the steps are taken before numbers outside of the interval are dropped.
const LARGE: usize = 512;

/// The search for a cut.
#[derive(Clone, Copy)]
pub(super) struct Search<X> {
    /// The first block, and the number of blocks.
    at: usize,
    blocks: usize,
    /// The number of numbers that shall lie below the cut.
    rank: i32,
    /// The interval that holds the cut. `short` is how far the count below `low` falls short of the rank, and `over` how far the
    /// count below `high` exceeds it. One of them is halved when the same end moves twice in a row.
    low: X,
    high: X,
    short: X,
    over: X,
    /// The count below the cut of the last step, less the rank; 0 before the first step.
    last: i32,
    pub(super) cut: X,
    /// How many of the numbers equal to the cut count as below it; negative until the cut is found.
    pub(super) ties: i32,
}

impl<X: Scalar> Search<X> {
    /// Starts a search for a cut among `used` numbers, which lie between `low` and `high`.
    #[inline(always)]
    pub(super) fn new(at: usize, blocks: usize, rank: usize, low: X, high: X, used: usize) -> Self {
        Self {
            at,
            blocks,
            rank: rank as i32,
            low,
            high,
            short: number(rank as i32),
            over: number(used as i32 - rank as i32),
            last: 0,
            cut: low,
            ties: -1,
        }
    }

    /// Takes one step of regula falsi, without branches. Returns true if another step can help.
    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, columns: &[X]) -> bool {
        let cut = self.low + (self.high - self.low) * (self.short / (self.short + self.over));
        let off = count_below(simd, self.blocks_of(columns), cut) - self.rank;
        let is_inside = cut > self.low && cut < self.high;
        let (is_less, is_more) = (is_inside && off < 0, is_inside && off > 0);
        let (short, over) = (self.short, self.over);
        self.low = if is_less { cut } else { self.low };
        self.high = if is_more { cut } else { self.high };
        let half = X::from_f64(0.5);
        let halved = |number: X, is_again: bool| number * if is_again { half } else { X::ONE };
        self.short = if is_less {
            number(-off)
        } else {
            halved(short, is_more && self.last > 0)
        };
        self.over = if is_more {
            number(off)
        } else {
            halved(over, is_less && self.last < 0)
        };
        self.last = off;
        self.cut = cut;
        self.ties = if off == 0 { 0 } else { -1 };
        is_inside && off != 0
    }

    #[inline(always)]
    fn blocks_of<'a>(&self, columns: &'a [X]) -> &'a [[X; LANES]] {
        &columns.as_chunks().0[self.at..self.at + self.blocks]
    }

    /// Finds the cut. `near` needs room for all blocks and one more.
    #[inline(always)]
    pub(super) fn finish<S: Simd>(&mut self, simd: S, columns: &[X], near: &mut [X]) {
        let mut is_first = true;
        while self.ties < 0 {
            let numbers = if is_first { columns } else { &*near };
            let is_large = self.blocks > LARGE;
            let steps = if is_large { STEPS / 2 } else { STEPS };
            for _ in 0..steps {
                if !self.step(simd, numbers) {
                    break;
                }
            }
            if self.ties >= 0 {
                break;
            }
            let under = self.try_one(simd, numbers);
            if self.ties >= 0 {
                break;
            }
            // Continue with only the numbers within the interval.
            if self.blocks > 2 {
                let low = <X::Wide<S>>::splat(simd, self.low);
                let high = <X::Wide<S>>::splat(simd, self.high);
                let mut kept = 0;
                for i in 0..self.blocks {
                    let from = if is_first { columns } else { &*near };
                    let first = if is_first { self.at } else { 0 };
                    let column: [X; LANES] = from.as_chunks().0[first + i];
                    let within =
                        at_most::<X, S>(simd, &column, high) & !below::<X, S>(simd, &column, low);
                    Lane::compress(simd, &column, within, near, kept);
                    kept += within.count();
                }
                near[kept..kept.next_multiple_of(LANES)].fill(X::INFINITY);
                self.at = 0;
                self.blocks = kept.div_ceil(LANES);
                self.rank -= under;
                self.short = number(self.rank);
                self.over = number(kept as i32 - self.rank);
                self.last = 0;
                is_first = false;
            }
        }
    }

    /// Tries one of the numbers within the interval as the cut. Returns how many numbers lie below the interval.
    #[inline(always)]
    fn try_one<S: Simd>(&mut self, simd: S, columns: &[X]) -> i32 {
        let columns = self.blocks_of(columns);
        let (low, high) = (
            <X::Wide<S>>::splat(simd, self.low),
            <X::Wide<S>>::splat(simd, self.high),
        );
        // Choose a number within the interval, preferably from the middle of a block. There is one, since the interval holds the cut.
        let mut number_within = self.low;
        let start = self.blocks / 3;
        for i in 0..self.blocks {
            let column = &columns[(start + i) % self.blocks];
            let within = at_most::<X, S>(simd, column, high) & !below::<X, S>(simd, column, low);
            let within = within.bits(simd);
            if within != 0 {
                let upper = within & 0xff80;
                let lane = if upper == 0 { within } else { upper }.trailing_zeros();
                number_within = column[lane as usize % LANES];
                break;
            }
        }
        let under = count_below(simd, columns, number_within);
        let upto = count_below(simd, columns, number_within.next_up());
        self.cut = number_within;
        if under <= self.rank && self.rank < upto {
            self.ties = self.rank - under;
        } else if self.rank < under {
            self.high = number_within.next_down();
            self.over = number(under - self.rank);
        } else {
            self.low = number_within.next_up();
            self.short = number(self.rank - upto);
            if upto == self.rank {
                (self.cut, self.ties) = (self.low, 0);
            }
        }
        self.last = 0;
        count_below(simd, columns, self.low)
    }
}

#[inline(always)]
fn number<X: Scalar>(count: i32) -> X {
    X::from_f64(count.into())
}

/// The lanes that are less than a number.
#[inline(always)]
pub(super) fn below<X: Scalar, S: Simd>(simd: S, column: &[X; LANES], number: X::Wide<S>) -> Mask {
    let column = <X::Wide<S>>::load(simd, column);
    Mask::new(simd, 0xffff) & !number.at_most(column)
}

/// The lanes that are at most a number.
#[inline(always)]
pub(super) fn at_most<X: Scalar, S: Simd>(
    simd: S,
    column: &[X; LANES],
    number: X::Wide<S>,
) -> Mask {
    <X::Wide<S>>::load(simd, column).at_most(number)
}

/// Counts the numbers in some columns that are less than a number.
#[inline(always)]
fn count_below<X: Scalar, S: Simd>(simd: S, columns: &[[X; LANES]], number: X) -> i32 {
    let number = <X::Wide<S>>::splat(simd, number);
    let mut counts = <X::Wide<S>>::splat(simd, X::ZERO);
    for column in columns {
        counts = number.count_above(<X::Wide<S>>::load(simd, column), counts);
    }
    counts
        .store()
        .iter()
        .map(|count| count.to_bits() as i32)
        .sum()
}
