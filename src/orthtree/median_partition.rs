//! Parting of items at medians, sixteen at a time: the order of [`median_order`](super::median_order).
//!
//! ```text
//! part(range):
//!     find the axis on which the items are spread widest, and a number there that as many are less than as go before
//!     move those that go before to the front, in their order, and all others to other columns, in their order
//!     part both, the second first
//! ```
//!
//! Both sides keep their order, so that of items with equal numbers those of lower indices go before, whatever the
//! instruction set is. Sixteen numbers are compressed and stored whole, which writes up to fifteen too many behind the last:
//! since the second part of a range is done before the first, nothing that is still needed lies there.
//!
//! A range of sixteen full blocks is parted level by level in two small sets of columns, so that the searches for the medians
//! of a level overlap.

use alloc::vec;
use alloc::vec::Vec;

use fearless_simd::Simd;

use super::build::Source;
use super::find_median::{Search, at_most, below, search_together};
use super::median_order::{before, widest};
use crate::overlap::columns::Columns;
use crate::overlap::lanes::W;
use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// The blocks of a range that is parted level by level.
const SMALL: usize = 16;

/// Coordinates in one list for each axis, and the indices of the items.
struct Rows<'a, A: Vector> {
    axes: [&'a mut [A::Scalar]; 4],
    names: &'a mut [u32],
}

/// A range of items that are to be parted.
#[derive(Clone, Copy)]
struct Range {
    /// The first block in the order, and how many there are.
    first: usize,
    blocks: usize,
    /// Which of two sets of columns holds the items.
    side: usize,
    /// The first block there.
    at: usize,
    /// The first block of the other columns from which on they are free.
    free: usize,
}

impl Range {
    /// Range `i` of a level of [`part_small`], whose ranges have so many blocks.
    #[inline(always)]
    fn small(blocks: usize, i: usize) -> Self {
        Self {
            first: 0,
            blocks,
            side: side(i),
            at: 2 * blocks * i,
            free: 2 * blocks * i + blocks,
        }
    }

    /// Both parts.
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

    /// The numbers of its blocks.
    #[inline(always)]
    fn numbers(self) -> core::ops::Range<usize> {
        self.at * LANES..(self.at + self.blocks) * LANES
    }
}

/// The side that holds range `i` of a level: each second half changes sides.
#[inline(always)]
fn side(i: usize) -> usize {
    i.count_ones() as usize % 2
}

/// Finds the order of items: as many numbers as fill the blocks, and a block more. `sorted` receives points in their order; it is empty
/// for other items. Returns false if these instructions compress lanes too slowly for that.
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
    // The second half of all is the most that the other columns hold.
    let room = [blocks + 1, blocks / 2 + 3];
    let zeros = |many: usize| vec![A::Scalar::ZERO; many * LANES];
    let column = |side: usize, axis: usize| zeros(if axis < A::DIM { room[side] } else { 0 });
    let [mut a, mut b] = [0, 1].map(|side| [0, 1, 2, 3].map(|axis| column(side, axis)));
    let (mut other_names, mut near) = (vec![0; room[1] * LANES], zeros(blocks + 2));
    let mut sides = [
        Rows::<A> {
            axes: a.each_mut().map(Vec::as_mut_slice),
            names: order,
        },
        Rows {
            axes: b.each_mut().map(Vec::as_mut_slice),
            names: &mut other_names,
        },
    ];
    let mut small = [[[A::Scalar::ZERO; 2 * SMALL * LANES]; 4]; 2];
    let mut small_names = [[0; 2 * SMALL * LANES]; 2];
    let ([a, b], [c, d]) = (&mut small, &mut small_names);
    let mut small = [
        Rows::<A> {
            axes: a.each_mut().map(|axis| &mut axis[..]),
            names: c,
        },
        Rows {
            axes: b.each_mut().map(|axis| &mut axis[..]),
            names: d,
        },
    ];
    load(source, &mut sides[0]);
    let mut ranges = vec![Range {
        first: 0,
        blocks,
        side: 0,
        at: 0,
        free: 0,
    }];
    while let Some(range) = ranges.pop() {
        if range.blocks == SMALL && (range.first + SMALL) * LANES <= len {
            let points = sorted.get_mut(range.first..range.first + SMALL);
            part_small(simd, &mut sides, &mut small, range, points, &mut near);
            continue;
        }
        if range.blocks == 1 {
            let names: [u32; LANES] = *chunk(sides[range.side].names, range.at);
            *chunk_mut(sides[0].names, range.first) = names;
            if let Some(points) = sorted.get_mut(range.first) {
                emit(&sides[range.side], range.at, points);
                let used = (len - range.first * LANES).min(LANES);
                for column in points.as_mut() {
                    // The last point again behind it.
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

/// Copies centers into columns. Behind the last are infinities, which go last.
#[inline(always)]
fn load<A: Vector>(source: &Source<'_, A>, to: &mut Rows<'_, A>) {
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
        for (name, index) in chunk_mut(to.names, block).iter_mut().zip(first as u32..) {
            *name = index;
        }
    }
}

/// Parts sixteen blocks into single ones, level by level. The blocks of a level lie at twice their numbers, so that there is
/// room behind each range.
#[inline(always)]
fn part_small<A: Vector, S: Simd>(
    simd: S,
    sides: &mut [Rows<'_, A>; 2],
    small: &mut [Rows<'_, A>; 2],
    range: Range,
    mut points: Option<&mut [Columns<A>]>,
    near: &mut [A::Scalar],
) {
    let from = &sides[range.side];
    for axis in 0..A::DIM {
        small[0].axes[axis][..SMALL * LANES].copy_from_slice(&from.axes[axis][range.numbers()]);
    }
    small[0].names[..SMALL * LANES].copy_from_slice(&from.names[range.numbers()]);
    let mut level = 1;
    while level < SMALL {
        let blocks = SMALL / level;
        let mut axes = [0; SMALL / 2];
        let mut searches = [Search::none(); SMALL / 2];
        for i in 0..level {
            let range = Range::small(blocks, i);
            (axes[i], searches[i]) = start(simd, &small[side(i)], range, blocks * LANES);
        }
        let searches = &mut searches[..level];
        let mut numbers: [&[A::Scalar]; SMALL / 2] = [&[]; SMALL / 2];
        for i in 0..level {
            numbers[i] = &*small[side(i)].axes[axes[i]];
        }
        search_together(simd, searches, &numbers);
        for (i, search) in searches.iter_mut().enumerate() {
            if !search.is_found() {
                search.finish(simd, &*small[side(i)].axes[axes[i]], near);
            }
            part(simd, small, Range::small(blocks, i), axes[i], search);
        }
        level *= 2;
    }
    for i in 0..SMALL {
        let names: [u32; LANES] = *chunk(small[side(i)].names, 2 * i);
        *chunk_mut(sides[0].names, range.first + i) = names;
        if let Some(points) = &mut points {
            emit(&small[side(i)], 2 * i, &mut points[i]);
        }
    }
}

/// Copies the points of a block.
#[inline(always)]
fn emit<A: Vector>(from: &Rows<'_, A>, block: usize, to: &mut Columns<A>) {
    for (axis, column) in to.as_mut().iter_mut().enumerate() {
        column.0 = *chunk(from.axes[axis], block);
    }
}

/// The axis on which the first `used` items of a range are spread widest, and a search for the cut on that axis.
#[inline(always)]
fn start<A: Vector, S: Simd>(
    simd: S,
    columns: &Rows<'_, A>,
    range: Range,
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

/// Parts a range: those that go before stay in their columns, and the others go to where the other columns are free.
#[inline(always)]
fn part<A: Vector, S: Simd>(
    simd: S,
    sides: &mut [Rows<'_, A>; 2],
    range: Range,
    axis: usize,
    search: &Search<A::Scalar>,
) {
    let [a, b] = sides;
    let (from, to) = if range.side == 0 { (a, b) } else { (b, a) };
    // Slices of two lengths, so that the compiler checks two bounds a block, and not two for each axis.
    let (blocks, room) = (range.blocks * LANES, (range.blocks / 2 + 1) * LANES);
    let (at, free) = (range.at * LANES, range.free * LANES);
    let first = from.axes.each_mut().map(
        #[inline(always)]
        |axis| {
            if axis.is_empty() {
                &mut axis[..]
            } else {
                &mut axis[at..at + blocks]
            }
        },
    );
    let second = to.axes.each_mut().map(
        #[inline(always)]
        |axis| {
            if axis.is_empty() {
                &mut axis[..]
            } else {
                &mut axis[free..free + room]
            }
        },
    );
    let first_names = &mut from.names[at..at + blocks];
    let second_names = &mut to.names[free..free + room];
    let cut = <W<A, S>>::splat(simd, search.cut);
    let mut ties = search.ties as u32;
    let (mut before, mut after) = (0, 0);
    for block in 0..range.blocks {
        let column = chunk(first[axis], block);
        let mut mask = below::<A::Scalar, S>(simd, column, cut);
        if ties > 0 {
            // Among equal numbers, the first ones go before.
            let mut same = at_most::<A::Scalar, S>(simd, column, cut).bits(simd) & !mask.bits(simd);
            while same.count_ones() > ties {
                same &= !(1 << same.ilog2());
            }
            ties -= same.count_ones();
            mask = mask | Mask::new(simd, same);
        }
        let rest = Mask::new(simd, 0xffff) & !mask;
        for axis in 0..A::DIM {
            let column: [A::Scalar; LANES] = *chunk(first[axis], block);
            Lane::compress(simd, &column, mask, first[axis], before);
            Lane::compress(simd, &column, rest, second[axis], after);
        }
        let column: [u32; LANES] = *chunk(first_names, block);
        Lane::compress(simd, &column, mask, first_names, before);
        Lane::compress(simd, &column, rest, second_names, after);
        before += mask.count();
        after += rest.count();
    }
}
