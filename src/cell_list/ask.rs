//! Cell after cell: its surroundings are gathered, its points asked, and what is near them taken.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::buckets::Buckets;
use super::grid::Grid;
use super::limit::Limit;
use super::near::{Blocks, Near, Probe};
use super::walk::Walk;
use crate::simd::{Job, LANES, Mask, Pile, Wide, compress, pairs};
use crate::{InstructionSet, Periodic, Vector};

/// Room is made for so many items at least, where that is for several lists.
const ROOM: usize = 1 << 14;

/// What is asked, and of what.
pub(crate) struct Ask<'a, V: Vector> {
    pub(crate) grid: &'a Grid<V>,
    pub(crate) asking: &'a Buckets<V>,
    pub(crate) held: &'a Buckets<V>,
    pub(crate) periodic: Option<&'a Periodic<V>>,
    /// Of two sets: a shift is always added to the point that asks.
    pub(crate) between: bool,
    /// The radius for all.
    pub(crate) radius: V::Scalar,
    pub(crate) instructions: InstructionSet,
}

impl<V: Vector> Clone for Ask<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for Ask<'_, V> {}

/// What is done with what is near a point.
pub(crate) trait Take<V: Vector> {
    /// Each pair comes once.
    const HALF: bool;

    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        cell: Cell<'_, V, S>,
        near: &Near<V>,
    );
}

/// The points of a cell, which ask.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a, V: Vector, S: Simd> {
    simd: S,
    ask: Ask<'a, V>,
    start: usize,
    end: usize,
}

/// One of them.
struct Asked<V: Vector, S: Simd> {
    probe: Probe<V, S>,
    point: V,
    index: u32,
    /// The index that is compared with those of others.
    rank: u32,
    /// The block that is asked first, and what of it counts: each pair comes once if what is asked comes
    /// after.
    block: usize,
    lanes: Mask,
}

impl<V: Vector, S: Simd> Cell<'_, V, S> {
    #[inline(always)]
    fn slots(&self) -> Range<usize> {
        self.start..self.end
    }

    #[inline(always)]
    fn asked<L: Limit<V>, const HALF: bool>(&self, slot: usize) -> Asked<V, S> {
        let Ask {
            asking,
            between,
            radius,
            ..
        } = self.ask;
        let size = if L::SIZED { asking.size(slot) } else { radius };
        let (point, index) = (asking.point(slot), asking.indices()[slot]);
        // No index is lower than that of one of two sets.
        let rank = if between { 0 } else { index };
        let from = if HALF { slot - self.start + 1 } else { 0 };
        Asked {
            probe: Probe::new(self.simd, point, rank, size),
            point,
            index,
            rank,
            block: from / LANES,
            lanes: Mask::new(self.simd, u32::MAX << (from % LANES)),
        }
    }
}

impl<V: Vector, S: Simd> Asked<V, S> {
    /// What of a block is near.
    #[inline(always)]
    fn meets<L: Limit<V>, const SHIFTED: bool, const HALF: bool>(
        &self,
        near: &Blocks<'_, V>,
        block: usize,
    ) -> Mask {
        let mask = self.probe.meets::<L, SHIFTED>(near, block);
        if HALF && block == self.block {
            return mask & self.lanes;
        }
        mask
    }
}

impl<V: Vector> Ask<'_, V> {
    /// Asks the points at some slots.
    pub(crate) fn run<L: Limit<V>, T: Take<V>>(self, slots: Range<usize>, take: &mut T, _: L) {
        self.instructions.run(Part {
            ask: self,
            slots,
            take,
            limit: core::marker::PhantomData::<L>,
        });
    }
}

struct Part<'a, V: Vector, T, L> {
    ask: Ask<'a, V>,
    slots: Range<usize>,
    take: &'a mut T,
    limit: core::marker::PhantomData<L>,
}

impl<V: Vector, T: Take<V>, L: Limit<V>> Job for Part<'_, V, T, L> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Ask {
            grid, asking, held, ..
        } = self.ask;
        let mut walk = Walk::new(grid, asking, held, self.slots, T::HALF);
        let mut near = Near::new();
        while walk.step() {
            near.gather::<L, S>(simd, &walk, self.ask);
            let cell = Cell {
                simd,
                ask: self.ask,
                start: walk.own.start,
                end: walk.own.end,
            };
            if near.shifted {
                self.take.take::<L, S, true>(cell, &near);
            } else {
                self.take.take::<L, S, false>(cell, &near);
            }
        }
    }
}

/// Lists what is near each point.
pub(crate) struct Listed<'a> {
    pub(crate) items: &'a mut Vec<u32>,
    pub(crate) lens: &'a mut Vec<u32>,
}

impl<V: Vector> Take<V> for Listed<'_> {
    const HALF: bool = false;

    #[inline(always)]
    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        cell: Cell<'_, V, S>,
        near: &Near<V>,
    ) {
        let blocks = near.blocks::<L, SHIFTED>();
        let (items, lens) = (&mut *self.items, &mut *self.lens);
        let most = near.len + LANES;
        let mut slots = cell.slots();
        while !slots.is_empty() {
            // Room is made for many at once.
            let some = slots.len().min((ROOM / most).max(1));
            items.reserve(some * most);
            lens.reserve(some);
            let these = slots.start..slots.start + some;
            slots.start += some;
            Pile::extend(
                items,
                #[inline(always)]
                |to| {
                    let mut to = to.pile();
                    for slot in these {
                        let before = to.len();
                        let asked = cell.asked::<L, false>(slot);
                        for (block, indices) in blocks.indices.iter().enumerate() {
                            let mask = asked.meets::<L, SHIFTED, false>(&blocks, block);
                            compress(cell.simd, indices, mask, &mut to);
                        }
                        lens.push((to.len() - before) as u32);
                    }
                },
            );
        }
    }
}

/// Lists pairs, flat; all that are near, or each once if `HALF`.
pub(crate) struct Paired<'a, const HALF: bool>(pub(crate) &'a mut Vec<u32>);

impl<V: Vector, const HALF: bool> Take<V> for Paired<'_, HALF> {
    const HALF: bool = HALF;

    #[inline(always)]
    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        cell: Cell<'_, V, S>,
        near: &Near<V>,
    ) {
        let blocks = near.blocks::<L, SHIFTED>();
        for slot in cell.slots() {
            self.0.reserve(2 * (near.len + 2 * LANES));
            let asked = cell.asked::<L, HALF>(slot);
            Pile::extend(
                self.0,
                #[inline(always)]
                |to| {
                    let mut to = to.pile();
                    for block in asked.block..blocks.indices.len() {
                        let mask = asked.meets::<L, SHIFTED, HALF>(&blocks, block);
                        let indices = &blocks.indices[block];
                        pairs(cell.simd, indices, mask, asked.index, &mut to);
                    }
                },
            );
        }
    }
}

/// Counts what is near, of all points or, if `HALF`, in pairs.
#[derive(Default)]
pub(crate) struct Counted<const HALF: bool>(pub(crate) u64);

impl<V: Vector, const HALF: bool> Take<V> for Counted<HALF> {
    const HALF: bool = HALF;

    #[inline(always)]
    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        cell: Cell<'_, V, S>,
        near: &Near<V>,
    ) {
        let blocks = near.blocks::<L, SHIFTED>();
        let mut count = 0;
        for slot in cell.slots() {
            let asked = cell.asked::<L, HALF>(slot);
            for block in asked.block..blocks.indices.len() {
                count += asked.meets::<L, SHIFTED, HALF>(&blocks, block).count() as u64;
            }
        }
        self.0 += count;
    }
}

/// Counts what is nearer than each of some distances, whose squares increase.
pub(crate) struct Binned<'a, V: Vector, const HALF: bool> {
    squares: &'a [V::Scalar],
    pub(crate) counts: Vec<u64>,
}

impl<'a, V: Vector, const HALF: bool> Binned<'a, V, HALF> {
    pub(crate) fn new(squares: &'a [V::Scalar]) -> Self {
        Self {
            squares,
            counts: vec![0; squares.len()],
        }
    }
}

impl<V: Vector, const HALF: bool> Take<V> for Binned<'_, V, HALF> {
    const HALF: bool = HALF;

    #[inline(always)]
    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        cell: Cell<'_, V, S>,
        near: &Near<V>,
    ) {
        let counts = &mut self.counts[..self.squares.len()];
        let blocks = near.blocks::<L, SHIFTED>();
        for slot in cell.slots() {
            let asked = cell.asked::<L, HALF>(slot);
            for block in asked.block..blocks.indices.len() {
                let squares = asked.probe.squares::<SHIFTED>(&blocks, block);
                // What is not within one distance is not within a lesser one.
                for bin in (0..counts.len()).rev() {
                    let end = Wide::splat(cell.simd, self.squares[bin]);
                    let mut mask = squares.at_most(end);
                    if HALF && block == asked.block {
                        mask = mask & asked.lanes;
                    }
                    if mask.is_empty() {
                        break;
                    }
                    counts[bin] += mask.count() as u64;
                }
            }
        }
    }
}

/// Calls a function with each pair: the index of the point that asks, that of the other, the
/// displacement from the lower to the higher index, of two sets from the point that asks.
pub(crate) struct Each<F, const HALF: bool> {
    f: F,
    /// Where near points lie in the buffer.
    places: Vec<u32>,
}

impl<F, const HALF: bool> Each<F, HALF> {
    pub(crate) fn new(f: F) -> Self {
        let places = Vec::new();
        Self { f, places }
    }
}

impl<V, F, const HALF: bool> Take<V> for Each<F, HALF>
where
    V: Vector,
    F: FnMut(u32, u32, V),
{
    const HALF: bool = HALF;

    #[inline(always)]
    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        cell: Cell<'_, V, S>,
        near: &Near<V>,
    ) {
        let blocks = near.blocks::<L, SHIFTED>();
        for slot in cell.slots() {
            self.places.clear();
            self.places.reserve(near.len + LANES);
            let asked = cell.asked::<L, HALF>(slot);
            Pile::extend(
                &mut self.places,
                #[inline(always)]
                |to| {
                    let mut to = to.pile();
                    for block in asked.block..blocks.indices.len() {
                        let mask = asked.meets::<L, SHIFTED, HALF>(&blocks, block);
                        let first = block * LANES;
                        let lanes = core::array::from_fn(|lane| (first + lane) as u32);
                        compress(cell.simd, &lanes, mask, &mut to);
                    }
                },
            );
            for &place in &self.places {
                let (other, displacement) = near.pair(asked.point, asked.rank, place as usize);
                (self.f)(asked.index, other, displacement);
            }
        }
    }
}
