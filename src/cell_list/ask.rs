//! Cell after cell: its surroundings are gathered, its points asked, and what is near them taken.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::buckets::Buckets;
use super::grid::Grid;
use super::limit::Limit;
use super::near::{Near, Probe};
use super::walk::Walk;
use crate::simd::{Job, LANES, Pile, Wide, compress, pairs};
use crate::{InstructionSet, Periodic, Vector};

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
    /// Each pair comes once: what is before `from` is left out.
    const HALF: bool;

    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        simd: S,
        asked: &Asked<V, S>,
        near: &Near<V>,
        from: usize,
    );
}

/// A point that asks.
pub(crate) struct Asked<V: Vector, S: Simd> {
    probe: Probe<V, S>,
    point: V,
    index: u32,
    /// The index that is compared with those of others.
    rank: u32,
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
            grid,
            asking,
            held,
            periodic,
            between,
            radius,
            ..
        } = self.ask;
        let mut walk = Walk::new(grid, asking, held, self.slots, T::HALF);
        let mut near = Near::new();
        while walk.step() {
            near.gather::<L>(&walk, held, periodic, between);
            for slot in walk.own.clone() {
                let size = if L::SIZED { asking.size(slot) } else { radius };
                let (point, index) = (asking.point(slot), asking.indices()[slot]);
                // No index is lower.
                let rank = if between { 0 } else { index };
                let probe = Probe::new(simd, point, rank, size);
                let asked = Asked {
                    probe,
                    point,
                    index,
                    rank,
                };
                let from = if T::HALF {
                    slot - walk.own.start + 1
                } else {
                    0
                };
                if near.shifted {
                    self.take.take::<L, S, true>(simd, &asked, &near, from);
                } else {
                    self.take.take::<L, S, false>(simd, &asked, &near, from);
                }
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
        simd: S,
        asked: &Asked<V, S>,
        near: &Near<V>,
        from: usize,
    ) {
        let before = self.items.len();
        self.items.reserve(near.len + LANES);
        Pile::extend(
            self.items,
            #[inline(always)]
            |to| {
                let mut to = to.pile();
                let (probe, blocks) = (asked.probe, near.blocks::<L, SHIFTED>(from));
                for (block, indices) in blocks.indices.iter().enumerate() {
                    let mask = probe.meets::<L, SHIFTED>(&blocks, block);
                    compress(simd, indices, mask, &mut to);
                }
            },
        );
        self.lens.push((self.items.len() - before) as u32);
    }
}

/// Lists pairs, flat; all that are near, or each once if `HALF`.
pub(crate) struct Paired<'a, const HALF: bool>(pub(crate) &'a mut Vec<u32>);

impl<V: Vector, const HALF: bool> Take<V> for Paired<'_, HALF> {
    const HALF: bool = HALF;

    #[inline(always)]
    fn take<L: Limit<V>, S: Simd, const SHIFTED: bool>(
        &mut self,
        simd: S,
        asked: &Asked<V, S>,
        near: &Near<V>,
        from: usize,
    ) {
        self.0.reserve(2 * (near.len + 2 * LANES));
        Pile::extend(
            self.0,
            #[inline(always)]
            |to| {
                let mut to = to.pile();
                let (probe, blocks) = (asked.probe, near.blocks::<L, SHIFTED>(from));
                for (block, indices) in blocks.indices.iter().enumerate() {
                    let mask = probe.meets::<L, SHIFTED>(&blocks, block);
                    pairs(simd, indices, mask, asked.index, &mut to);
                }
            },
        );
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
        _: S,
        asked: &Asked<V, S>,
        near: &Near<V>,
        from: usize,
    ) {
        let (probe, blocks) = (asked.probe, near.blocks::<L, SHIFTED>(from));
        let mut count = 0;
        for block in 0..blocks.indices.len() {
            count += probe.meets::<L, SHIFTED>(&blocks, block).count();
        }
        self.0 += count as u64;
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
        simd: S,
        asked: &Asked<V, S>,
        near: &Near<V>,
        from: usize,
    ) {
        let counts = &mut self.counts[..self.squares.len()];
        let (probe, blocks) = (asked.probe, near.blocks::<L, SHIFTED>(from));
        for block in 0..blocks.indices.len() {
            let squares = probe.squares::<SHIFTED>(&blocks, block);
            // What is not within one distance is not within a lesser one.
            for bin in (0..counts.len()).rev() {
                let end = Wide::splat(simd, self.squares[bin]);
                let count = squares.at_most(end).count();
                if count == 0 {
                    break;
                }
                counts[bin] += count as u64;
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
        simd: S,
        asked: &Asked<V, S>,
        near: &Near<V>,
        from: usize,
    ) {
        self.places.clear();
        self.places.reserve(near.len + LANES);
        Pile::extend(
            &mut self.places,
            #[inline(always)]
            |to| {
                let mut to = to.pile();
                let (probe, blocks) = (asked.probe, near.blocks::<L, SHIFTED>(from));
                for block in 0..blocks.indices.len() {
                    let mask = probe.meets::<L, SHIFTED>(&blocks, block);
                    let first = from + block * LANES;
                    let lanes = core::array::from_fn(|lane| (first + lane) as u32);
                    compress(simd, &lanes, mask, &mut to);
                }
            },
        );
        for &place in &self.places {
            let (other, displacement) = near.pair(asked.point, asked.rank, place as usize);
            (self.f)(asked.index, other, displacement);
        }
    }
}
