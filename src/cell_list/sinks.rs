//! What is done with neighbors: they are listed, paired, counted, counted by distance or handed on.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::pair_search::{Cell, Pair, Sink};
use crate::error::{Error, reserve};
use crate::overlap::distance::point_sq;
use crate::simd::{LANES, ListWriter, Wide, compress, pairs};
use crate::vector::{Scalar, Vector};

/// Room is made for at least so many items, where that is for several lists.
const ROOM: usize = 1 << 14;

/// Lists the neighbors of each query point.
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
                        let query = cell.query_point(slot);
                        query.list::<SHIFTED>(cell.limit, &blocks, &mut to);
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
            let query = cell.query_point(slot);
            let index = cell.search.queries.indices()[slot];
            ListWriter::extend(
                self.0,
                #[inline(always)]
                |to| {
                    let mut to = to.writer();
                    cell.for_each_block(
                        slot,
                        blocks.indices.len(),
                        #[inline(always)]
                        |block, lanes| {
                            let mask = query.within::<SHIFTED>(cell.limit, &blocks, block) & lanes;
                            pairs(cell.simd, &blocks.indices[block], mask, index, &mut to);
                        },
                    );
                },
            );
        }
        Ok(())
    }
}

/// Counts neighbors.
pub(crate) struct Counted(pub(crate) u64);

impl<V: Vector> Sink<V> for Counted {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error> {
        let blocks = cell.blocks::<SHIFTED>();
        let mut count = 0;
        for slot in cell.slots() {
            let query = cell.query_point(slot);
            cell.for_each_block(
                slot,
                blocks.indices.len(),
                #[inline(always)]
                |block, lanes| {
                    let mask = query.within::<SHIFTED>(cell.limit, &blocks, block) & lanes;
                    count += mask.count() as u64;
                },
            );
        }
        self.0 += count;
        Ok(())
    }
}

/// Counts neighbors within each of some distances, whose squares increase.
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
            let query = cell.query_point(slot);
            cell.for_each_block(
                slot,
                blocks.indices.len(),
                #[inline(always)]
                |block, lanes| {
                    let squares = query.squares::<SHIFTED>(&blocks, block);
                    for bin in (0..counts.len()).rev() {
                        let end = Wide::splat(cell.simd, self.squares[bin]);
                        let mask = squares.at_most(end) & lanes;
                        // No point that is beyond one distance is within a lesser one.
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

/// Hands on the pairs of each query point.
pub(crate) struct Each<'a, V: Vector> {
    f: &'a mut dyn FnMut(&[Pair<V>]),
    /// Where near points lie among the candidates.
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
            // Find where near points lie.
            self.places.clear();
            reserve(&mut self.places, cell.near.len() + LANES)?;
            let query = cell.query_point(slot);
            ListWriter::extend(
                &mut self.places,
                #[inline(always)]
                |to| {
                    let mut to = to.writer();
                    cell.for_each_block(
                        slot,
                        blocks.indices.len(),
                        #[inline(always)]
                        |block, lanes| {
                            let mask = query.within::<SHIFTED>(cell.limit, &blocks, block) & lanes;
                            let first = block * LANES;
                            let lanes = crate::simd::from_fn(|lane| (first + lane) as u32);
                            compress(cell.simd, &lanes, mask, &mut to);
                        },
                    );
                },
            );
            // Measure them one by one.
            let (point, index) = (
                cell.search.queries.point(slot),
                cell.search.queries.indices()[slot],
            );
            self.pairs.clear();
            reserve(&mut self.pairs, self.places.len())?;
            self.pairs.extend(self.places.iter().map(
                #[inline(always)]
                |&place| {
                    let place = place as usize;
                    let is_periodic = cell.search.periodic.is_some();
                    let displacement = cell.near.displacement(point, place, is_periodic);
                    let pair = Pair {
                        query: index,
                        near: cell.near.index(place),
                        displacement,
                        distance_sq: point_sq(&V::splat(V::Scalar::ZERO), displacement),
                        image: cell.near.image(place),
                    };
                    if cell.search.between {
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
