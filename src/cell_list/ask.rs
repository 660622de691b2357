//! Cell after cell: its surroundings are gathered, its points asked, and what is near them taken.
//!
//! ```text
//! for each cell that holds points which ask:
//!     gather what lies in the cells around, without what is too far from the box around those points
//!     for each of those points:
//!         for each sixteen of what was gathered:
//!             those within the distance are listed, counted or handed on
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::Cells;
use super::buckets::Buckets;
use super::gather::gather;
use super::grid::Grid;
use super::walk::Walk;
use crate::candidates::{Candidates, Limit, Packed, QueryPoint};
use crate::error::{Error, reserve};
use crate::overlap::distance::point_sq;
use crate::periodic::Periodic;
use crate::simd::{
    InstructionSet, LANES, ListWriter, Mask, Wide, compress, pairs, run, run_up_to_avx2,
};
use crate::vector::{Scalar, Vector};

/// Room is made for so many items at least, where that is for several lists.
const ROOM: usize = 1 << 14;

/// What is asked, and of what.
#[derive(Debug)]
pub struct Ask<'a, V: Vector> {
    pub(crate) grid: &'a Grid<V>,
    pub(crate) asking: &'a Buckets<V>,
    pub(crate) held: &'a Buckets<V>,
    pub(crate) periodic: Option<&'a Periodic<V>>,
    /// Points of two sets, whose indices cannot be compared.
    pub(crate) between: bool,
    /// Each pair comes once. Lists are always whole.
    pub(crate) half: bool,
    /// When two points are near.
    pub(crate) limit: Limit,
    /// The radius for all.
    pub(crate) radius: V::Scalar,
    pub(crate) instructions: InstructionSet,
}

/// A point that asks and one that is near it. Of one set, the lower index asks, and a point asks its own image upwards: the
/// one that is positive on the last axis on which it is not 0.
#[derive(Clone, Copy, Debug)]
pub struct Pair<V: Vector> {
    pub(crate) asking: u32,
    pub(crate) near: u32,
    /// From the point that asks to the near one.
    pub(crate) displacement: V,
    pub(crate) distance_sq: V::Scalar,
    /// The image in which the point that asks sees the near one.
    pub(crate) image: [i16; 4],
}

impl<V: Vector> Pair<V> {
    /// The pair as the lower index sees it: every number is the exact negative of what the other one sees.
    #[inline(always)]
    fn in_order(self) -> Self {
        let last = self.image.iter().rfind(|&&k| k != 0);
        let is_lower = self.near == self.asking && last.is_some_and(|&k| k < 0);
        if self.asking < self.near || self.asking == self.near && !is_lower {
            return self;
        }
        Self {
            asking: self.near,
            near: self.asking,
            displacement: V::from_fn(|a| V::Scalar::ZERO - self.displacement.axis(a)),
            distance_sq: self.distance_sq,
            image: self.image.map(|k| -k),
        }
    }
}

impl<A: Vector> Cells<A> {
    /// All points against all, each pair once if `half`.
    pub(crate) fn ask(&self, half: bool) -> Ask<'_, A> {
        Ask {
            grid: &self.grid,
            asking: &self.buckets,
            held: &self.buckets,
            periodic: self.periodic.as_ref(),
            between: false,
            half,
            limit: Limit::Radius,
            radius: self.radius,
            instructions: self.instructions,
        }
    }

    /// Others against all.
    pub(super) fn ask_with<'a>(&'a self, asking: &'a Buckets<A>) -> Ask<'a, A> {
        Ask {
            asking,
            between: true,
            ..self.ask(false)
        }
    }
}

impl<V: Vector> Ask<'_, V> {
    /// Asks the points at some slots.
    pub(crate) fn run<T: Sink<V>>(&self, slots: Range<usize>, take: &mut T) -> Result<(), Error> {
        if T::ALL_INSTRUCTION_SETS {
            run!(self.instructions, |simd| self.run_here(simd, slots, take))
        } else {
            run_up_to_avx2!(self.instructions, |simd| self.run_here(simd, slots, take))
        }
    }

    #[inline(always)]
    fn run_here<S: Simd, T: Sink<V>>(
        &self,
        simd: S,
        slots: Range<usize>,
        sink: &mut T,
    ) -> Result<(), Error> {
        let (ask, limit) = (self, self.limit);
        let mut walk = Walk::new(ask, slots);
        let mut near = Candidates::new();
        while walk.step()? {
            gather(simd, &walk, &mut near)?;
            let cell = Cell {
                simd,
                ask,
                start: walk.own.start,
                end: walk.own.end,
                limit,
                near: &near,
            };
            if near.is_shifted() {
                sink.take::<S, true>(cell)?;
            } else if T::ALL_INSTRUCTION_SETS && limit == Limit::Radius {
                let limit = Limit::Radius;
                sink.take::<S, false>(Cell { limit, ..cell })?;
            } else {
                sink.take::<S, false>(cell)?;
            }
        }
        Ok(())
    }
}

/// What is done with what is near a point.
pub(crate) trait Sink<V: Vector> {
    /// Asked for often: compiled for all instruction sets, and once more for one radius for all.
    const ALL_INSTRUCTION_SETS: bool;

    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error>;
}

/// The points of a cell, which ask.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a, V: Vector, S: Simd> {
    simd: S,
    ask: &'a Ask<'a, V>,
    start: usize,
    end: usize,
    limit: Limit,
    /// What lies around it.
    near: &'a Candidates<V>,
}

/// One of them.
struct AskingPoint<V: Vector, S: Simd> {
    probe: QueryPoint<V, S>,
    point: V,
    index: u32,
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
    fn blocks<const SHIFTED: bool>(&self) -> Packed<'_, V> {
        self.near.packed::<SHIFTED>(self.limit)
    }

    #[inline(always)]
    fn asking_point(&self, slot: usize, half: bool) -> AskingPoint<V, S> {
        let Ask { asking, radius, .. } = *self.ask;
        let size = if self.limit.is_sized() {
            asking.size(slot)
        } else {
            radius
        };
        let (point, index) = (asking.point(slot), asking.indices()[slot]);
        let from = if half { slot - self.start + 1 } else { 0 };
        AskingPoint {
            probe: QueryPoint::new(self.simd, point, size),
            point,
            index,
            block: from / LANES,
            lanes: Mask::new(self.simd, u32::MAX << (from % LANES)),
        }
    }
}

impl<V: Vector, S: Simd> AskingPoint<V, S> {
    /// What of a block is near.
    #[inline(always)]
    fn meets<const SHIFTED: bool>(&self, limit: Limit, near: &Packed<'_, V>, block: usize) -> Mask {
        let mask = self.probe.within::<SHIFTED>(limit, near, block);
        if block == self.block {
            return mask & self.lanes;
        }
        mask
    }
}

/// Lists what is near each point.
pub(crate) struct Listed<'a> {
    pub(crate) items: &'a mut Vec<u32>,
    pub(crate) lens: &'a mut Vec<u32>,
}

impl<V: Vector> Sink<V> for Listed<'_> {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        let (items, lens) = (&mut *self.items, &mut *self.lens);
        let most = cell.near.len() + LANES;
        let mut slots = cell.slots();
        while !slots.is_empty() {
            // Room is made for many at once.
            let some = slots.len().min((ROOM / most).max(1));
            reserve(items, some * most)?;
            lens.reserve(some);
            let these = slots.start..slots.start + some;
            slots.start += some;
            ListWriter::extend(
                items,
                #[inline(always)]
                |to| {
                    let mut to = to.writer();
                    for slot in these {
                        let before = to.len();
                        let asked = cell.asking_point(slot, false);
                        asked.probe.list::<SHIFTED>(cell.limit, &blocks, &mut to);
                        lens.push((to.len() - before) as u32);
                    }
                },
            );
        }
        Ok(())
    }
}

/// Lists pairs, flat.
pub(crate) struct Paired<'a>(pub(crate) &'a mut Vec<u32>);

impl<V: Vector> Sink<V> for Paired<'_> {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        for slot in cell.slots() {
            reserve(self.0, 2 * (cell.near.len() + 2 * LANES))?;
            let asked = cell.asking_point(slot, cell.ask.half);
            ListWriter::extend(
                self.0,
                #[inline(always)]
                |to| {
                    let mut to = to.writer();
                    for block in asked.block..blocks.indices.len() {
                        let mask = asked.meets::<SHIFTED>(cell.limit, &blocks, block);
                        let indices = &blocks.indices[block];
                        pairs(cell.simd, indices, mask, asked.index, &mut to);
                    }
                },
            );
        }
        Ok(())
    }
}

/// Counts what is near.
#[derive(Default)]
pub(crate) struct Counted(pub(crate) u64);

impl<V: Vector> Sink<V> for Counted {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        let mut count = 0;
        for slot in cell.slots() {
            let asked = cell.asking_point(slot, cell.ask.half);
            for block in asked.block..blocks.indices.len() {
                count += asked.meets::<SHIFTED>(cell.limit, &blocks, block).count() as u64;
            }
        }
        self.0 += count;
        Ok(())
    }
}

/// Counts what is nearer than each of some distances, whose squares increase.
pub(crate) struct Binned<'a, V: Vector> {
    pub(crate) squares: &'a [V::Scalar],
    pub(crate) counts: Vec<u64>,
}

impl<V: Vector> Sink<V> for Binned<'_, V> {
    const ALL_INSTRUCTION_SETS: bool = false;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let counts = &mut self.counts[..self.squares.len()];
        let blocks = cell.blocks::<SHIFTED>();
        for slot in cell.slots() {
            let asked = cell.asking_point(slot, cell.ask.half);
            for block in asked.block..blocks.indices.len() {
                let squares = asked.probe.squares::<SHIFTED>(&blocks, block);
                // What is not within one distance is not within a lesser one.
                for bin in (0..counts.len()).rev() {
                    let end = Wide::splat(cell.simd, self.squares[bin]);
                    let mut mask = squares.at_most(end);
                    if block == asked.block {
                        mask = mask & asked.lanes;
                    }
                    if mask.is_empty() {
                        break;
                    }
                    counts[bin] += mask.count() as u64;
                }
            }
        }
        Ok(())
    }
}

/// Hands on the pairs of each point that asks.
pub(crate) struct Each<'a, V: Vector> {
    f: &'a mut dyn FnMut(&[Pair<V>]),
    /// Where near points lie in the buffer.
    places: Vec<u32>,
    pairs: Vec<Pair<V>>,
}

impl<'a, V: Vector> Each<'a, V> {
    pub(crate) fn new(f: &'a mut dyn FnMut(&[Pair<V>])) -> Self {
        Self {
            f,
            places: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

impl<V: Vector> Sink<V> for Each<'_, V> {
    const ALL_INSTRUCTION_SETS: bool = false;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        for slot in cell.slots() {
            self.places.clear();
            reserve(&mut self.places, cell.near.len() + LANES)?;
            let asked = cell.asking_point(slot, cell.ask.half);
            ListWriter::extend(
                &mut self.places,
                #[inline(always)]
                |to| {
                    let mut to = to.writer();
                    for block in asked.block..blocks.indices.len() {
                        let mask = asked.meets::<SHIFTED>(cell.limit, &blocks, block);
                        let first = block * LANES;
                        let lanes = crate::simd::from_fn(|lane| (first + lane) as u32);
                        compress(cell.simd, &lanes, mask, &mut to);
                    }
                },
            );
            self.pairs.clear();
            reserve(&mut self.pairs, self.places.len())?;
            self.pairs.extend(self.places.iter().map(
                #[inline(always)]
                |&place| {
                    let place = place as usize;
                    let displacement =
                        cell.near
                            .displacement(asked.point, place, cell.ask.periodic.is_some());
                    let pair = Pair {
                        asking: asked.index,
                        near: cell.near.index(place),
                        displacement,
                        distance_sq: point_sq(&V::splat(V::Scalar::ZERO), displacement),
                        image: cell.near.image(place),
                    };
                    if cell.ask.between {
                        pair
                    } else {
                        pair.in_order()
                    }
                },
            ));
            (self.f)(&self.pairs);
        }
        Ok(())
    }
}
