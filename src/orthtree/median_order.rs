//! Finds the order of the items: they are partitioned at medians, sixteen at a time, down to single blocks.
//!
//! ```text
//! part(items):
//!     stop if they fit into one block
//!     choose the axis on which their centers are spread widest
//!     first half: the items with the least coordinates, ties by index, as many as fill the largest power of two that is less
//!     than the number of blocks
//!     move the first half to the front, and the second half behind it; both keep their order
//!     part both halves
//! ```
//!
//! So every block but the last is full. If all blocks are divided into runs of a power of two, each run is a cell of the partition, so the
//! nodes follow from the number of items alone. The cuts are those of Bentley's k-d tree (1975), near the median of the widest axis
//! (Friedman, Bentley and Finkel, 1977).
//!
//! The order does not depend on the instruction set, nor on the number of threads.

use alloc::vec;
use alloc::vec::Vec;

use fearless_simd::Simd;

use super::build::{Source, padded};
use super::find_median::{at_most, below, find_cut};
use crate::overlap::columns::{Columns, all};
use crate::parallel::{GRAIN, join, threads};
use crate::simd::{InstructionSet, LANES, Lane, Mask, Wide, run};
use crate::vector::{Scalar, Vector};

/// Consecutive items, in whole blocks.
struct Places<'a, A: Vector> {
    /// The centers, a list for each axis. Lanes behind the last item hold infinity, which goes last.
    axes: [&'a mut [A::Scalar]; 4],
    indices: &'a mut [u32],
    /// Receives the centers in their final order; may be empty.
    sorted: &'a mut [Columns<A>],
    /// The number of items.
    len: usize,
}

/// Finds the indices of the items in the order of the tree, followed by zeros as padding. Items of a block are in the order of their
/// indices. If the items are points, `points` receives them in that order; otherwise it is left empty.
pub(super) fn order<A: Vector>(
    source: &Source<'_, A>,
    set: InstructionSet,
    order: &mut Vec<u32>,
    points: &mut Vec<Columns<A>>,
) {
    let len = source.len();
    let blocks = len.div_ceil(LANES);
    points.clear();
    if let Source::Points(_) = source {
        points.resize(blocks, all::<A>(A::Scalar::ZERO));
    }
    order.clear();
    order.resize(padded(len), 0);
    let room = |axis: usize| if axis < A::DIM { blocks * LANES } else { 0 };
    let mut axes = [0, 1, 2, 3].map(|axis| vec![A::Scalar::ZERO; room(axis)]);
    let mut places = Places {
        axes: axes.each_mut().map(Vec::as_mut_slice),
        indices: &mut order[..blocks * LANES],
        sorted: points,
        len,
    };
    run!(up_to_avx2(set), |_simd| load(source, &mut places));
    part(set, places);
    order[len..].fill(0);
}

/// The number of blocks in the first part when `blocks` blocks are split: the largest power of two below `blocks`.
#[inline(always)]
pub(crate) fn before(blocks: usize) -> usize {
    blocks.next_power_of_two() / 2
}

#[inline(always)]
fn chunk<X>(column: &mut [X], block: usize) -> &mut [X; LANES] {
    &mut column.as_chunks_mut().0[block]
}

/// Copies the centers and indices of all items.
#[inline(always)]
fn load<A: Vector>(source: &Source<'_, A>, to: &mut Places<'_, A>) {
    for block in 0..to.len.div_ceil(LANES) {
        let first = block * LANES;
        let used = (to.len - first).min(LANES);
        let mut centers = [A::splat(A::Scalar::INFINITY); LANES];
        if let Source::Points(points) = source
            && used == LANES
        {
            centers.copy_from_slice(&points[first..first + LANES]);
        } else {
            for (lane, center) in centers.iter_mut().enumerate().take(used) {
                *center = source.center(first + lane);
            }
        }
        for axis in 0..A::DIM {
            let column = chunk(to.axes[axis], block);
            for lane in 0..LANES {
                column[lane] = centers[lane].axis(axis);
            }
        }
        for (to, index) in chunk(to.indices, block).iter_mut().zip(first as u32..) {
            *to = index;
        }
    }
}

/// Parts items down to single blocks.
fn part<A: Vector>(set: InstructionSet, places: Places<'_, A>) {
    let divided = run!(set, |simd| part_blocks(simd, places));
    // Hand large halves to two threads.
    if let Some([first, second]) = divided {
        join(|| part(set, first), || part(set, second));
    }
}

/// Parts items down to single blocks. If the halves are large enough for two threads, stops after the first cut and returns them.
#[inline(always)]
fn part_blocks<'a, A: Vector, S: Simd>(
    simd: S,
    mut places: Places<'a, A>,
) -> Option<[Places<'a, A>; 2]> {
    let blocks = places.len.div_ceil(LANES);
    // Compressing writes sixteen numbers, up to fifteen of them behind the end.
    let mut room = vec![A::Scalar::ZERO; (blocks + 1) * LANES];
    let mut room_of_indices = vec![0; (blocks / 2 + 1) * LANES];
    let mut masks = vec![Mask::new(simd, 0); blocks];
    let all = 0..blocks;
    let mut ranges = vec![all];
    while let Some(range) = ranges.pop() {
        let len = places.len.min(range.end * LANES) - range.start * LANES;
        // A single block is done.
        if range.len() <= 1 {
            if let Some(points) = places.sorted.get_mut(range.start) {
                for (column, from) in points.as_mut().iter_mut().zip(&mut places.axes) {
                    column.0 = *chunk(from, range.start);
                    // Unused lanes repeat the last point.
                    let last = column.0[len - 1];
                    column.0[len..].fill(last);
                }
            }
            continue;
        }
        let numbers = range.start * LANES..range.end * LANES;
        // Find the axis on which the items are spread widest.
        let half = A::Scalar::from_f64(0.5);
        let (mut widest, mut axis, mut ends) = (A::Scalar::ZERO, 0, (half, half));
        for on_axis in 0..A::DIM {
            let (low, high) = ends_of(simd, &places.axes[on_axis][numbers.clone()][..len]);
            // The ends are halved first, since the difference of two numbers may overflow.
            let spread = high * half - low * half;
            if on_axis == 0 || spread > widest {
                (widest, axis, ends) = (spread, on_axis, (low, high));
            }
        }
        // Find the cut, and the lanes that go to the first half.
        let middle = range.start + before(range.len());
        let rank = (middle - range.start) * LANES;
        let column = &places.axes[axis][numbers.clone()];
        let (cut, ties) = find_cut(simd, column, &mut room, rank, ends, len);
        let masks = &mut masks[..range.len()];
        lanes_before(simd, column, cut, ties, masks);
        // Move the items.
        for column in &mut places.axes[..A::DIM] {
            divide(simd, &mut column[numbers.clone()], masks, &mut room);
        }
        let indices = &mut places.indices[numbers];
        divide(simd, indices, masks, &mut room_of_indices);
        // Only the first range can be this large: the halves of a range that stays here have at most `GRAIN` items.
        if threads() > 1 && rank > GRAIN {
            return Some(places.split(middle));
        }
        ranges.extend([middle..range.end, range.start..middle]);
    }
    None
}

impl<A: Vector> Places<'_, A> {
    /// The items before a block, and the others.
    fn split(mut self, block: usize) -> [Self; 2] {
        let at = block * LANES;
        let axes = self.axes.each_mut();
        let second = Self {
            axes: axes.map(|axis| axis.split_off_mut(at..).unwrap_or_default()),
            indices: self.indices.split_off_mut(at..).unwrap_or_default(),
            sorted: self.sorted.split_off_mut(block..).unwrap_or_default(),
            len: self.len - at,
        };
        self.len = at;
        [self, second]
    }
}

/// The least and the largest of some numbers.
#[inline(always)]
fn ends_of<X: Scalar, S: Simd>(simd: S, numbers: &[X]) -> (X, X) {
    let (full, rest) = numbers.as_chunks::<LANES>();
    let mut low = <X::Wide<S>>::splat(simd, numbers[0]);
    let mut high = low;
    for column in full {
        let column = <X::Wide<S>>::load(simd, column);
        (low, high) = (column.smaller(low), column.larger(high));
    }
    let (mut low, mut high) = (low.smallest(), high.largest());
    for &x in rest {
        (low, high) = (x.smaller(low), x.larger(high));
    }
    (low, high)
}

/// Finds the lanes of each block that go to the first half: those below the cut, and the first `ties` of those equal to it.
#[inline(always)]
fn lanes_before<X: Scalar, S: Simd>(
    simd: S,
    numbers: &[X],
    cut: X,
    mut ties: u32,
    masks: &mut [Mask],
) {
    let cut = <X::Wide<S>>::splat(simd, cut);
    for (column, to) in numbers.as_chunks().0.iter().zip(masks) {
        let mut mask = below::<X, S>(simd, column, cut);
        if ties > 0 {
            let mut same = at_most::<X, S>(simd, column, cut).bits(simd) & !mask.bits(simd);
            while same.count_ones() > ties {
                same &= !(1 << same.ilog2());
            }
            ties -= same.count_ones();
            mask = mask | Mask::new(simd, same);
        }
        *to = mask;
    }
}

/// Moves the numbers in the lanes of the masks to the front, and the others behind them. Both keep their order.
#[inline(always)]
fn divide<X: Lane, S: Simd>(simd: S, numbers: &mut [X], masks: &[Mask], room: &mut [X]) {
    let (mut before, mut after) = (0, 0);
    for (block, &mask) in masks.iter().enumerate() {
        let column: [X; LANES] = *chunk(numbers, block);
        let rest = Mask::new(simd, 0xffff) & !mask;
        Lane::compress(simd, &column, mask, numbers, before);
        Lane::compress(simd, &column, rest, room, after);
        before += mask.count();
        after += rest.count();
    }
    numbers[before..].copy_from_slice(&room[..after]);
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::build::Source;
    use super::{before, order};
    use crate::overlap::columns::point;
    use crate::simd::{InstructionSet, LANES};
    use crate::vector::{Scalar, Vector};

    /// Orders items by sorting them.
    fn part<A: Vector>(points: &[A], indices: &mut [u32]) {
        indices.sort_unstable();
        if indices.len() <= LANES {
            return;
        }
        let half = A::Scalar::from_f64(0.5);
        let spread = |axis: usize| {
            let numbers = indices
                .iter()
                .map(|&i| points[i as usize].axis(axis) * half);
            let low = numbers.clone().reduce(A::Scalar::smaller);
            numbers.reduce(A::Scalar::larger).unwrap() - low.unwrap()
        };
        let axis = (1..A::DIM).fold(0, |best, axis| {
            if spread(axis) > spread(best) {
                axis
            } else {
                best
            }
        });
        let on = |i: u32| points[i as usize].axis(axis);
        indices.sort_by(|&a, &b| on(a).partial_cmp(&on(b)).unwrap());
        let many = before(indices.len().div_ceil(LANES)) * LANES;
        let (first, second) = indices.split_at_mut(many);
        part(points, first);
        part(points, second);
    }

    fn same<A: Vector<Array = A>>(points: &[A]) {
        let mut expected: Vec<u32> = (0..points.len() as u32).collect();
        part(points, &mut expected);
        for set in InstructionSet::available() {
            let (mut found, mut placed) = (Vec::new(), Vec::new());
            order(&Source::Points(points.into()), set, &mut found, &mut placed);
            assert_eq!(found[..points.len()], expected, "{set}");
            for (slot, &index) in expected.iter().enumerate() {
                let there = point::<A>(&placed[slot / LANES], slot % LANES);
                assert!(there == points[index as usize]);
            }
        }
    }

    /// The order is that of sorted items, with ties, and with items far from or close to each other.
    fn is_that_of_sorted_items(lens: &[u32]) {
        let number = |i: u32| i.wrapping_mul(0x9E37_79B9) >> 8;
        for &len in lens {
            let spread = |i: u32, k: u32| number(3 * i + k) as f32;
            let all = (0..len).map(|i| [0, 1, 2].map(|k| spread(i, k)));
            let all: Vec<[f32; 3]> = all.collect();
            let changes: [fn(f32) -> f32; 4] = [
                |x| x,
                |x| x % 4.0,
                |x| x % 2.0 * f32::MAX,
                |x| (x / 1e7).exp2() * 1e-40,
            ];
            for change in changes {
                same(&all.iter().map(|p| p.map(change)).collect::<Vec<_>>());
            }
            let doubles = all.iter().map(|p| [p[0], p[1] % 9.0].map(f64::from));
            same(&doubles.collect::<Vec<_>>());
            let ties = all.iter().map(|p| [f64::from(p[0] % 3.0); 3]);
            same(&ties.collect::<Vec<_>>());
            same(&all.iter().map(|_| [7.0_f32; 2]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_order_is_that_of_sorted_items() {
        is_that_of_sorted_items(&[0, 1, 15, 16, 17, 33, 255, 256, 257, 1000, 5000]);
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn several_threads_give_the_same_order() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        pool.unwrap().install(|| is_that_of_sorted_items(&[70_000]));
    }
}
