//! Parts items at medians, sixteen at a time: the vectorized way to the order of [`median_order`](super::median_order).
//!
//! ```text
//! part(range):
//!     find the axis on which the items are spread widest, and the cut below which the first half lies
//!     move the items of the first half to the front, and those of the second half to columns of the other side
//!     part both halves, the second first
//! ```
//!
//! Both halves keep their order, so among items with equal coordinates those with lower indices go first, on every instruction set. Each
//! compressed store writes sixteen numbers, up to fifteen of them behind the end. Nothing that is still needed lies there, because the
//! second half of a range is finished before the first.

use alloc::vec;
use alloc::vec::Vec;

use fearless_simd::Simd;

use super::build::Source;
use super::find_median::{Search, at_most, below};
use super::median_order::{before, widest};
use crate::overlap::columns::Columns;
use crate::overlap::lanes::W;
use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// The centers of items, one list for each axis, and the indices of the items.
struct ItemColumns<'a, A: Vector> {
    axes: [&'a mut [A::Scalar]; 4],
    indices: &'a mut [u32],
}

/// A range of blocks that are to be parted.
#[derive(Clone, Copy)]
struct BlockRange {
    /// The first block in the final order, and the number of blocks.
    first: usize,
    blocks: usize,
    /// Which of the two sides holds the items.
    side: usize,
    /// The first block on that side.
    at: usize,
    /// The first free block on the other side.
    free: usize,
}

impl BlockRange {
    /// The two halves that [`part`] leaves.
    #[inline(always)]
    fn halves(self) -> [Self; 2] {
        let many = before(self.blocks);
        let second = Self {
            first: self.first + many,
            blocks: self.blocks - many,
            side: 1 - self.side,
            at: self.free,
            free: self.at + many,
        };
        [
            Self {
                blocks: many,
                ..self
            },
            second,
        ]
    }

    /// The places of its numbers in the columns of its side.
    #[inline(always)]
    fn numbers(self) -> core::ops::Range<usize> {
        self.at * LANES..(self.at + self.blocks) * LANES
    }
}

/// Writes the indices of items in their order to `order`, which has room for whole blocks and one block more. Points are also written to
/// `sorted`, which is empty for other items. Returns false, having written nothing, if these instructions compress lanes too slowly.
#[inline(always)]
pub(super) fn partition<A: Vector, S: Simd>(
    simd: S,
    source: &Source<'_, A>,
    order: &mut [u32],
    sorted: &mut [Columns<A>],
) -> bool {
    if !A::Scalar::is_quick(simd) {
        return false;
    }
    let len = source.len();
    let blocks = len.div_ceil(LANES);
    if blocks == 0 {
        return true;
    }
    // Allocate both sides. The second side never holds more than the second half of all items.
    let room = [blocks + 1, blocks / 2 + 3];
    let zeros = |many: usize| vec![A::Scalar::ZERO; many * LANES];
    let column = |side: usize, axis: usize| zeros(if axis < A::DIM { room[side] } else { 0 });
    let [mut a, mut b] = [0, 1].map(|side| [0, 1, 2, 3].map(|axis| column(side, axis)));
    let (mut other_indices, mut near) = (vec![0; room[1] * LANES], zeros(blocks + 2));
    let mut sides = [
        ItemColumns::<A> {
            axes: a.each_mut().map(Vec::as_mut_slice),
            indices: order,
        },
        ItemColumns {
            axes: b.each_mut().map(Vec::as_mut_slice),
            indices: &mut other_indices,
        },
    ];
    load(source, &mut sides[0]);
    // Part ranges down to single blocks.
    let mut ranges = vec![BlockRange {
        first: 0,
        blocks,
        side: 0,
        at: 0,
        free: 0,
    }];
    while let Some(range) = ranges.pop() {
        // A single block is done: copy it to its place in the order.
        if range.blocks == 1 {
            let indices: [u32; LANES] = *chunk(sides[range.side].indices, range.at);
            *chunk_mut(sides[0].indices, range.first) = indices;
            if let Some(points) = sorted.get_mut(range.first) {
                let used = (len - range.first * LANES).min(LANES);
                let from = &sides[range.side].axes;
                for (column, from) in points.as_mut().iter_mut().zip(from) {
                    column.0 = *chunk(from, range.at);
                    // Unused lanes repeat the last point.
                    let last = column.0[used - 1];
                    column.0[used..].fill(last);
                }
            }
            continue;
        }
        let used = (len - range.first * LANES).min(range.blocks * LANES);
        let (axis, mut search) = start(simd, &sides[range.side], range, used);
        search.finish(simd, &*sides[range.side].axes[axis], &mut near);
        part(simd, &mut sides, range, axis, &search);
        ranges.extend(range.halves());
    }
    true
}

#[inline(always)]
fn chunk<X>(column: &[X], block: usize) -> &[X; LANES] {
    &column.as_chunks().0[block]
}

#[inline(always)]
fn chunk_mut<X>(column: &mut [X], block: usize) -> &mut [X; LANES] {
    &mut column.as_chunks_mut().0[block]
}

/// Copies centers and indices into columns. Unused lanes get infinity, which goes last.
#[inline(always)]
fn load<A: Vector>(source: &Source<'_, A>, to: &mut ItemColumns<'_, A>) {
    let len = source.len();
    for block in 0..len.div_ceil(LANES) {
        let first = block * LANES;
        let used = (len - first).min(LANES);
        let mut centers = [A::splat(A::Scalar::INFINITY); LANES];
        if used == LANES && source.are_points() {
            centers.copy_from_slice(&source.low[first..first + LANES]);
        } else {
            for (lane, center) in centers.iter_mut().enumerate().take(used) {
                *center = source.center(first + lane);
            }
        }
        for axis in 0..A::DIM {
            let column = chunk_mut(to.axes[axis], block);
            for lane in 0..LANES {
                column[lane] = centers[lane].axis(axis);
            }
        }
        for (to, index) in chunk_mut(to.indices, block).iter_mut().zip(first as u32..) {
            *to = index;
        }
    }
}

/// Finds the axis on which the first `used` items of a range are spread widest, and starts the search for the cut on it.
#[inline(always)]
fn start<A: Vector, S: Simd>(
    simd: S,
    columns: &ItemColumns<'_, A>,
    range: BlockRange,
    used: usize,
) -> (usize, Search<A::Scalar>) {
    let (mut lows, mut highs) = ([A::Scalar::ZERO; 4], [A::Scalar::ZERO; 4]);
    for axis in 0..A::DIM {
        let (full, rest) = columns.axes[axis][range.numbers()][..used].as_chunks::<LANES>();
        let first = columns.axes[axis][range.at * LANES];
        let mut low = <W<A, S>>::splat(simd, first);
        let mut high = low;
        for column in full {
            let column = <W<A, S>>::load(simd, column);
            (low, high) = (column.smaller(low), column.larger(high));
        }
        let (mut low, mut high) = (low.smallest(), high.largest());
        for &x in rest {
            (low, high) = (x.smaller(low), x.larger(high));
        }
        (lows[axis], highs[axis]) = (low, high);
    }
    let axis = widest::<A>(&lows, &highs);
    let rank = before(range.blocks) * LANES;
    let search = Search::new(range.at, range.blocks, rank, lows[axis], highs[axis], used);
    (axis, search)
}

/// Parts a range: the first half moves to the front of its columns, the second half to the free blocks of the other side.
#[inline(always)]
fn part<A: Vector, S: Simd>(
    simd: S,
    sides: &mut [ItemColumns<'_, A>; 2],
    range: BlockRange,
    axis: usize,
    search: &Search<A::Scalar>,
) {
    let [a, b] = sides;
    let (from, to) = if range.side == 0 { (a, b) } else { (b, a) };
    let (at, free) = (range.at * LANES, range.free * LANES);
    let cut = <W<A, S>>::splat(simd, search.cut);
    let mut ties = search.ties as u32;
    let (mut before, mut after) = (0, 0);
    // Compress each block twice: into the first half and into the second.
    for block in range.at..range.at + range.blocks {
        let column = chunk(from.axes[axis], block);
        let mut mask = below::<A::Scalar, S>(simd, column, cut);
        if ties > 0 {
            // The first `ties` of the numbers equal to the cut belong to the first half.
            let mut same = at_most::<A::Scalar, S>(simd, column, cut).bits(simd) & !mask.bits(simd);
            while same.count_ones() > ties {
                same &= !(1 << same.ilog2());
            }
            ties -= same.count_ones();
            mask = mask | Mask::new(simd, same);
        }
        let rest = Mask::new(simd, 0xffff) & !mask;
        for axis in 0..A::DIM {
            let column: [A::Scalar; LANES] = *chunk(from.axes[axis], block);
            Lane::compress(simd, &column, mask, from.axes[axis], at + before);
            Lane::compress(simd, &column, rest, to.axes[axis], free + after);
        }
        let column: [u32; LANES] = *chunk(from.indices, block);
        Lane::compress(simd, &column, mask, from.indices, at + before);
        Lane::compress(simd, &column, rest, to.indices, free + after);
        before += mask.count();
        after += rest.count();
    }
}
