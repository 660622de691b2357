//! Sinks of the pair search, which list, pair, count or bin the neighbors, or call a function with them.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::pair_search::PairSearch;
use crate::bits::set_bits;
use crate::candidates::{Candidates, Limit, Packed, QueryPoint};
use crate::error::{Error, reserve};
use crate::lists::{Lists, Part};
use crate::overlap::distance::point_sq;
use crate::simd::{LANES, ListWriter, Mask, Wide, pairs};
use crate::vector::{Scalar, Vector};

/// A consumer of the neighbors of query points.
pub(super) trait Sink<V: Vector> {
    /// True for frequent queries, which are compiled for all instruction sets, and once more for [`Limit::Radius`].
    const ALL_INSTRUCTION_SETS: bool;

    /// Takes the query points of a cell and their candidates.
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error>;
}

/// The query points of a cell, and the candidates around them.
pub(super) struct Cell<'a, V: Vector, S: Simd> {
    pub(super) simd: S,
    pub(super) search: &'a PairSearch<'a, V>,
    pub(super) slots: Range<usize>,
    pub(super) limit: Limit,
    pub(super) near: &'a Candidates<V>,
}

impl<V: Vector, S: Simd> Cell<'_, V, S> {
    /// The candidates in blocks of sixteen.
    #[inline(always)]
    pub(super) fn blocks<const SHIFTED: bool>(&self) -> Packed<'_, V> {
        self.near.packed::<SHIFTED>(self.limit)
    }

    #[inline(always)]
    pub(super) fn query_point(&self, slot: usize) -> QueryPoint<V, S> {
        let queries = self.search.queries;
        let size = if self.limit.is_sized() {
            queries.column(V::DIM)[slot]
        } else {
            self.search.level.radius
        };
        QueryPoint::new(self.simd, queries.points()(slot), size)
    }

    /// Calls `f` with each block of candidates and the lanes of it that are compared with the query point at a slot: all, or only
    /// those behind the point if each pair comes once.
    #[inline(always)]
    fn for_each_block(&self, slot: usize, mut f: impl FnMut(usize, Mask)) {
        // If each pair comes once, the candidates begin with the query points.
        let behind = slot - self.slots.start + 1;
        let from = if self.search.half { behind } else { 0 };
        let mut lanes = Mask::new(self.simd, u32::MAX << (from % LANES));
        for block in from / LANES..self.near.len().div_ceil(LANES) {
            f(block, lanes);
            lanes = Mask::new(self.simd, u32::MAX);
        }
    }

    /// Calls `f` with each block of candidates and the lanes of it that are near the query point at a slot.
    #[inline(always)]
    fn for_each_hit<const SHIFTED: bool>(
        &self,
        slot: usize,
        blocks: &Packed<'_, V>,
        mut f: impl FnMut(usize, Mask),
    ) {
        let query = self.query_point(slot);
        self.for_each_block(
            slot,
            #[inline(always)]
            |block, lanes| {
                let mask = query.within::<SHIFTED>(self.limit, blocks, block);
                f(block, mask & lanes);
            },
        );
    }
}

/// Lists the neighbors of each query point and, behind them, those that were found before, by the index of the point.
pub(super) struct Listed<'a> {
    pub(super) part: &'a mut Part<u32>,
    pub(super) others: Option<&'a Lists<u32>>,
}

impl<V: Vector> Sink<V> for Listed<'_> {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        let Part { items, lens } = &mut *self.part;
        for slot in cell.slots.clone() {
            reserve(items, cell.near.len() + LANES)?;
            let before = items.len();
            let query = cell.query_point(slot);
            ListWriter::extend(
                items,
                #[inline(always)]
                |to| query.list::<SHIFTED>(cell.limit, &blocks, &mut to.writer()),
            );
            if let Some(others) = self.others {
                let others = &others[cell.search.queries.indices()[slot] as usize];
                reserve(items, others.len())?;
                items.extend_from_slice(others);
            }
            lens.push((items.len() - before) as u32);
        }
        Ok(())
    }
}

/// Lists pairs, as two indices one after the other.
pub(super) struct Paired(pub(super) Vec<u32>);

impl<V: Vector> Sink<V> for Paired {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        for slot in cell.slots.clone() {
            reserve(&mut self.0, 2 * (cell.near.len() + 2 * LANES))?;
            let index = cell.search.queries.indices()[slot];
            ListWriter::extend(
                &mut self.0,
                #[inline(always)]
                |to| {
                    let mut to = to.writer();
                    cell.for_each_hit::<SHIFTED>(
                        slot,
                        &blocks,
                        #[inline(always)]
                        |block, mask| {
                            pairs(cell.simd, &blocks.indices[block], mask, index, &mut to);
                        },
                    );
                },
            );
        }
        Ok(())
    }
}

pub(super) struct Counted(pub(super) u64);

impl<V: Vector> Sink<V> for Counted {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        let mut count = 0;
        for slot in cell.slots.clone() {
            cell.for_each_hit::<SHIFTED>(
                slot,
                &blocks,
                #[inline(always)]
                |_, mask| count += mask.count() as u64,
            );
        }
        self.0 += count;
        Ok(())
    }
}

/// Counts the neighbors within each of several distances, whose squares increase.
pub(super) struct Binned<'a, V: Vector> {
    pub(super) squares: &'a [V::Scalar],
    pub(super) counts: Vec<u64>,
}

impl<V: Vector> Sink<V> for Binned<'_, V> {
    const ALL_INSTRUCTION_SETS: bool = false;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let counts = &mut self.counts[..self.squares.len()];
        let blocks = cell.blocks::<SHIFTED>();
        for slot in cell.slots.clone() {
            let query = cell.query_point(slot);
            cell.for_each_block(
                slot,
                #[inline(always)]
                |block, lanes| {
                    let squares = query.squares::<SHIFTED>(&blocks, block);
                    for bin in (0..counts.len()).rev() {
                        let end = Wide::splat(cell.simd, self.squares[bin]);
                        let mask = squares.at_most(end) & lanes;
                        // A point beyond one distance is beyond all lesser ones.
                        if mask.is_empty() {
                            break;
                        }
                        counts[bin] += mask.count() as u64;
                    }
                },
            );
        }
        Ok(())
    }
}

/// Two points that are near. Of a point and its own image, the pair is that with the image whose number is positive on the last axis on
/// which it is not 0.
#[derive(Clone, Copy, Debug)]
pub struct Pair<V: Vector> {
    pub(super) first: u32,
    pub(super) second: u32,
    /// The vector from the first point to the second.
    pub(super) displacement: V,
    pub(super) distance_sq: V::Scalar,
    /// The image in which the first point sees the second.
    pub(super) image: [i16; 4],
}

impl<V: Vector> Pair<V> {
    /// The pair from the other end. The displacement and the image are negated exactly.
    #[inline(always)]
    pub(super) fn reversed(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            displacement: V::from_fn(|a| V::Scalar::ZERO - self.displacement.axis(a)),
            distance_sq: self.distance_sq,
            image: self.image.map(|k| -k),
        }
    }

    /// The pair that begins with the lower index or, for a point and its own image, with the image that counts.
    #[inline(always)]
    pub(super) fn in_order(self) -> Self {
        let last = self.image.iter().rfind(|&&k| k != 0);
        let is_lower = self.second == self.first && last.is_some_and(|&k| k < 0);
        let is_ordered = self.first < self.second || self.first == self.second && !is_lower;
        if is_ordered { self } else { self.reversed() }
    }
}

/// Calls a function with the pairs of each query point.
pub(super) struct Each<'a, V: Vector> {
    pub(super) f: &'a mut dyn FnMut(&[Pair<V>]),
    /// True for points of one set, whose pairs begin with the lower index. Otherwise pairs begin with the point that is near.
    pub(super) in_order: bool,
    /// Memory for the pairs of a query point.
    pub(super) pairs: Vec<Pair<V>>,
}

impl<V: Vector> Sink<V> for Each<'_, V> {
    const ALL_INSTRUCTION_SETS: bool = false;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        let is_periodic = cell.search.cells.periodic.is_some();
        for slot in cell.slots.clone() {
            // Collect the pairs of the query point, and then pass them on together.
            self.pairs.clear();
            reserve(&mut self.pairs, cell.near.len())?;
            let queries = cell.search.queries;
            let (point, index) = (queries.points()(slot), queries.indices()[slot]);
            cell.for_each_hit::<SHIFTED>(
                slot,
                &blocks,
                #[inline(always)]
                |block, mask| {
                    for lane in set_bits(mask.bits(cell.simd)) {
                        let place = block * LANES + lane;
                        let displacement = cell.near.displacement(point, place, is_periodic);
                        let pair = Pair {
                            first: index,
                            second: blocks.indices[block][lane],
                            displacement,
                            distance_sq: point_sq(&V::splat(V::Scalar::ZERO), displacement),
                            image: cell.near.image(place),
                        };
                        self.pairs.push(if self.in_order {
                            pair.in_order()
                        } else {
                            pair.reversed()
                        });
                    }
                },
            );
            (self.f)(&self.pairs);
        }
        Ok(())
    }
}
