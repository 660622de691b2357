//! Sinks of the pair search, which list, pair, count or bin the neighbors, or call a function with them.

use alloc::vec::Vec;

use fearless_simd::Simd;

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

    /// Takes a query point and its candidates.
    fn take<S: Simd, const SHIFTED: bool>(&mut self, query: &Near<'_, V, S>) -> Result<(), Error>;
}

/// A query point with the candidates for its neighbors: the points in the cells around it.
pub(super) struct Near<'a, V: Vector, S: Simd> {
    pub(super) simd: S,
    pub(super) limit: Limit,
    pub(super) center: V,
    pub(super) index: u32,
    /// The query point in registers.
    pub(super) point: QueryPoint<V, S>,
    pub(super) candidates: &'a Candidates<V>,
    /// The candidates in blocks of sixteen.
    pub(super) blocks: &'a Packed<'a, V>,
    /// The first candidate that is compared with the query point.
    pub(super) from: usize,
}

impl<V: Vector, S: Simd> Near<'_, V, S> {
    /// Calls `f` with each block of candidates and the lanes of it that are compared with the query point.
    #[inline(always)]
    fn for_each_block(&self, mut f: impl FnMut(usize, Mask)) {
        let mut lanes = Mask::new(self.simd, u32::MAX << (self.from % LANES));
        for block in self.from / LANES..self.blocks.indices.len() {
            f(block, lanes);
            lanes = Mask::new(self.simd, u32::MAX);
        }
    }

    /// Calls `f` with each block of candidates and the lanes of it that are near the query point.
    #[inline(always)]
    fn for_each_hit<const SHIFTED: bool>(&self, mut f: impl FnMut(usize, Mask)) {
        self.for_each_block(
            #[inline(always)]
            |block, lanes| {
                let mask = self.point.within::<SHIFTED>(self.limit, self.blocks, block);
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
    fn take<S: Simd, const SHIFTED: bool>(&mut self, query: &Near<'_, V, S>) -> Result<(), Error> {
        let Part { items, lens } = &mut *self.part;
        reserve(items, query.candidates.len() + LANES)?;
        let before = items.len();
        let (point, limit, blocks) = (&query.point, query.limit, query.blocks);
        ListWriter::extend(
            items,
            #[inline(always)]
            |to| point.list::<SHIFTED>(limit, blocks, &mut to.writer()),
        );
        if let Some(others) = self.others {
            let others = &others[query.index as usize];
            reserve(items, others.len())?;
            items.extend_from_slice(others);
        }
        lens.push((items.len() - before) as u32);
        Ok(())
    }
}

/// Lists pairs, as two indices one after the other.
pub(super) struct Paired(pub(super) Vec<u32>);

impl<V: Vector> Sink<V> for Paired {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, query: &Near<'_, V, S>) -> Result<(), Error> {
        reserve(&mut self.0, 2 * (query.candidates.len() + 2 * LANES))?;
        ListWriter::extend(
            &mut self.0,
            #[inline(always)]
            |to| {
                let mut to = to.writer();
                query.for_each_hit::<SHIFTED>(
                    #[inline(always)]
                    |block, mask| {
                        let indices = &query.blocks.indices[block];
                        pairs(query.simd, indices, mask, query.index, &mut to);
                    },
                );
            },
        );
        Ok(())
    }
}

pub(super) struct Counted(pub(super) u64);

impl<V: Vector> Sink<V> for Counted {
    const ALL_INSTRUCTION_SETS: bool = true;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, query: &Near<'_, V, S>) -> Result<(), Error> {
        let mut count = 0;
        query.for_each_hit::<SHIFTED>(
            #[inline(always)]
            |_, mask| count += mask.count() as u64,
        );
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
    fn take<S: Simd, const SHIFTED: bool>(&mut self, query: &Near<'_, V, S>) -> Result<(), Error> {
        let counts = &mut self.counts[..self.squares.len()];
        query.for_each_block(
            #[inline(always)]
            |block, lanes| {
                let squares = query.point.squares::<SHIFTED>(query.blocks, block);
                for bin in (0..counts.len()).rev() {
                    let end = Wide::splat(query.simd, self.squares[bin]);
                    let mask = squares.at_most(end) & lanes;
                    // A point beyond one distance is beyond all lesser ones.
                    if mask.is_empty() {
                        break;
                    }
                    counts[bin] += mask.count() as u64;
                }
            },
        );
        Ok(())
    }
}

/// A pair of near points. A point and its own image occur once: with the image whose last number other than 0 is positive.
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
    /// True for points of one set, whose pairs begin with the lower index. Otherwise pairs begin with the point of the list.
    pub(super) in_order: bool,
    pub(super) is_periodic: bool,
    /// Memory for the pairs of a query point, which are passed on together.
    pub(super) pairs: Vec<Pair<V>>,
}

impl<V: Vector> Sink<V> for Each<'_, V> {
    const ALL_INSTRUCTION_SETS: bool = false;

    #[inline(always)]
    fn take<S: Simd, const SHIFTED: bool>(&mut self, query: &Near<'_, V, S>) -> Result<(), Error> {
        self.pairs.clear();
        let candidates = query.candidates;
        reserve(&mut self.pairs, candidates.len())?;
        query.for_each_hit::<SHIFTED>(
            #[inline(always)]
            |block, mask| {
                for lane in set_bits(mask.bits(query.simd)) {
                    let place = block * LANES + lane;
                    let displacement =
                        candidates.displacement(query.center, place, self.is_periodic);
                    let pair = Pair {
                        first: query.index,
                        second: query.blocks.indices[block][lane],
                        displacement,
                        distance_sq: point_sq(&V::splat(V::Scalar::ZERO), displacement),
                        image: candidates.image(place),
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
        Ok(())
    }
}
