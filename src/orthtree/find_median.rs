//! Finds medians of columns of numbers.
//!
//! A cut of rank `k` has exactly `k` of the numbers below it; if necessary, some of those equal to it count as below.
//!
//! ```text
//! find_cut(numbers, rank):
//!     keep an interval around the cut, and the counts below its ends
//!     interpolate between these counts, up to eight times (regula falsi by the Illinois rule, M. Dowell and P. Jarratt, 1971)
//!     if that fails, because numbers are equal or unevenly spread, try one of the numbers in the interval
//!     go on with only the numbers within the interval
//! ```
//!
//! All decisions follow from counts, so the result does not depend on the instruction set.

use fearless_simd::Simd;

use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::Scalar;

/// The most steps of regula falsi. Uniform numbers need three to six.
const STEPS: usize = 8;

/// For more blocks than this, half the steps are taken before numbers outside of the interval are dropped.
const LARGE: usize = 512;

/// Finds the cut of a rank among whole blocks of numbers. `len` of the numbers are finite and lie between `low` and `high`; the others
/// are infinite. `room` holds all numbers and a block more.
///
/// Returns the cut, and how many of the numbers equal to it count as below it.
#[inline(always)]
pub(super) fn find_cut<X: Scalar, S: Simd>(
    simd: S,
    numbers: &[X],
    room: &mut [X],
    rank: usize,
    (mut low, mut high): (X, X),
    len: usize,
) -> (X, u32) {
    let half = X::from_f64(0.5);
    let (mut rank, mut is_first, mut blocks) = (rank as isize, true, numbers.len() / LANES);
    // How far the count below `low` falls short of the rank, and how far that below `high` exceeds it. One of them is halved when the same
    // end moves twice in a row.
    let (mut short, mut over) = (number(rank), number(len as isize - rank));
    loop {
        let inside = if is_first { numbers } else { &*room };
        let inside = &inside.as_chunks().0[..blocks];
        // Interpolate, without branches on the end that moves.
        let steps = if blocks > LARGE { STEPS / 2 } else { STEPS };
        let mut last = 0;
        for _ in 0..steps {
            let cut = low + (high - low) * (short / (short + over));
            let off = count_below(simd, inside, cut) - rank;
            if off == 0 {
                return (cut, 0);
            }
            if !(low < cut && cut < high) {
                break;
            }
            let is_less = off < 0;
            let halved = |count: X, is_again: bool| count * if is_again { half } else { X::ONE };
            low = if is_less { cut } else { low };
            high = if is_less { high } else { cut };
            short = if is_less {
                number(-off)
            } else {
                halved(short, last > 0)
            };
            over = if is_less {
                halved(over, last < 0)
            } else {
                number(off)
            };
            last = off;
        }
        // Try one of the numbers.
        let pivot = number_within(simd, inside, low, high);
        let under = count_below(simd, inside, pivot);
        let upto = count_below(simd, inside, pivot.next_up());
        if rank < under {
            high = pivot.next_down();
        } else if rank < upto {
            return (pivot, (rank - under) as u32);
        } else if rank == upto {
            return (pivot.next_up(), 0);
        } else {
            low = pivot.next_up();
        }
        // Go on with only the numbers within the interval.
        let mut kept = 0;
        let (from, to) = (
            <X::Wide<S>>::splat(simd, low),
            <X::Wide<S>>::splat(simd, high),
        );
        for block in 0..blocks {
            let inside = if is_first { numbers } else { &*room };
            let column: [X; LANES] = inside.as_chunks().0[block];
            let under = below::<X, S>(simd, &column, from);
            let within = at_most::<X, S>(simd, &column, to) & !under;
            Lane::compress(simd, &column, within, room, kept);
            rank -= under.count() as isize;
            kept += within.count();
        }
        room[kept..kept.next_multiple_of(LANES)].fill(X::INFINITY);
        (is_first, blocks) = (false, kept.div_ceil(LANES));
        (short, over) = (number(rank), number(kept as isize - rank));
    }
}

/// Chooses a number within an interval, preferably from the middle of a block. There is one, since the interval holds the cut.
#[inline(always)]
fn number_within<X: Scalar, S: Simd>(simd: S, columns: &[[X; LANES]], low: X, high: X) -> X {
    let (from, to) = (
        <X::Wide<S>>::splat(simd, low),
        <X::Wide<S>>::splat(simd, high),
    );
    let start = columns.len() / 3;
    for i in 0..columns.len() {
        let column = &columns[(start + i) % columns.len()];
        let within = at_most::<X, S>(simd, column, to) & !below::<X, S>(simd, column, from);
        let within = within.bits(simd);
        if within != 0 {
            let upper = within & 0xff80;
            let lane = if upper == 0 { within } else { upper }.trailing_zeros();
            return column[lane as usize % LANES];
        }
    }
    low
}

fn number<X: Scalar>(count: isize) -> X {
    X::from_f64(count as f64)
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
fn count_below<X: Scalar, S: Simd>(simd: S, columns: &[[X; LANES]], number: X) -> isize {
    let number = <X::Wide<S>>::splat(simd, number);
    let mut counts = <X::Wide<S>>::splat(simd, X::ZERO);
    for column in columns {
        counts = number.count_above(<X::Wide<S>>::load(simd, column), counts);
    }
    let counts = counts.store();
    counts.iter().map(|count| count.to_bits() as isize).sum()
}
