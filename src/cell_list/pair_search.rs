//! The search for neighbors: cell after cell, what lies around is packed, and the points of the cell are compared with it.
//!
//! ```text
//! for each cell that holds query points:
//!     pack what lies in the cells around, without what is too far from the box around the query points
//!     for each query point of the cell:
//!         for each sixteen candidates:
//!             a sink lists, counts or hands on those within the distance
//! ```

use core::ops::Range;

use fearless_simd::Simd;

use super::Cells;
use super::buckets::Buckets;
use super::cell_walk::Walk;
use super::grid::Grid;
use super::pack::pack;
use crate::candidates::{Candidates, Limit, Packed, QueryPoint};
use crate::error::Error;
use crate::periodic::Periodic;
use crate::simd::{InstructionSet, LANES, Mask, run, run_up_to_avx2};
use crate::vector::{Scalar, Vector};

/// Query points, the points among which their neighbors are, and when two are neighbors.
#[derive(Debug)]
pub struct PairSearch<'a, V: Vector> {
    pub(crate) grid: &'a Grid<V>,
    pub(crate) queries: &'a Buckets<V>,
    pub(crate) points: &'a Buckets<V>,
    pub(crate) periodic: Option<&'a Periodic<V>>,
    /// True for points of two sets, whose indices cannot be compared.
    pub(crate) between: bool,
    /// True if each pair comes once. Lists are always whole.
    pub(crate) half: bool,
    /// When two points are near.
    pub(crate) limit: Limit,
    /// The radius for all.
    pub(crate) radius: V::Scalar,
    pub(crate) instructions: InstructionSet,
}

/// A query point and a point near it. Of two points of one set, the one with the lower index is the query point, and a point sees
/// its own image upwards: the one that is positive on the last axis on which it is not 0.
#[derive(Clone, Copy, Debug)]
pub struct Pair<V: Vector> {
    pub(crate) query: u32,
    pub(crate) near: u32,
    /// From the query point to the near one.
    pub(crate) displacement: V,
    pub(crate) distance_sq: V::Scalar,
    /// The image in which the query point sees the near one.
    pub(crate) image: [i16; 4],
}

impl<V: Vector> Pair<V> {
    /// The pair as the near point sees it: every number is the exact negative.
    #[inline(always)]
    pub(super) fn reversed(self) -> Self {
        Self {
            query: self.near,
            near: self.query,
            displacement: V::from_fn(|a| V::Scalar::ZERO - self.displacement.axis(a)),
            distance_sq: self.distance_sq,
            image: self.image.map(|k| -k),
        }
    }

    /// The pair as the lower index sees it.
    #[inline(always)]
    pub(super) fn in_order(self) -> Self {
        let last = self.image.iter().rfind(|&&k| k != 0);
        let is_lower = self.near == self.query && last.is_some_and(|&k| k < 0);
        if self.query < self.near || self.query == self.near && !is_lower {
            return self;
        }
        self.reversed()
    }

    /// Both indices, the displacement from the first to the second, and its square.
    pub(crate) fn parts<U>(&self) -> (usize, usize, U, V::Scalar)
    where
        U: Vector<Array = V>,
    {
        (
            self.query as usize,
            self.near as usize,
            U::of_array(self.displacement),
            self.distance_sq,
        )
    }
}

impl<A: Vector> Cells<A> {
    /// All points against all, each pair once if `half`.
    pub(crate) fn search(&self, half: bool) -> PairSearch<'_, A> {
        PairSearch {
            grid: &self.grid,
            queries: &self.buckets,
            points: &self.buckets,
            periodic: self.periodic.as_ref(),
            between: false,
            half,
            limit: Limit::Radius,
            radius: self.radius,
            instructions: self.instructions,
        }
    }

    /// Other points against all.
    pub(super) fn search_with<'a>(&'a self, queries: &'a Buckets<A>) -> PairSearch<'a, A> {
        PairSearch {
            queries,
            between: true,
            ..self.search(false)
        }
    }
}

impl<V: Vector> PairSearch<'_, V> {
    /// Hands the neighbors of the query points at some slots to a sink.
    pub(crate) fn run<T: Sink<V>>(&self, slots: Range<usize>, sink: &mut T) -> Result<(), Error> {
        if T::ALL_INSTRUCTION_SETS {
            run!(self.instructions, |simd| self.run_here(simd, slots, sink))
        } else {
            run_up_to_avx2!(self.instructions, |simd| self.run_here(simd, slots, sink))
        }
    }

    #[inline(always)]
    fn run_here<S: Simd, T: Sink<V>>(
        &self,
        simd: S,
        slots: Range<usize>,
        sink: &mut T,
    ) -> Result<(), Error> {
        let mut walk = Walk::new(self, slots);
        let mut near = Candidates::new();
        while walk.step()? {
            pack(simd, &walk, &mut near)?;
            let cell = Cell {
                simd,
                search: self,
                slots: (walk.own.start, walk.own.end),
                limit: self.limit,
                near: &near,
            };
            if near.is_shifted() {
                sink.take::<S, true>(cell)?;
            } else if T::ALL_INSTRUCTION_SETS && self.limit == Limit::Radius {
                // The compiler knows the most frequent limit, and makes one more loop for it.
                let limit = Limit::Radius;
                sink.take::<S, false>(Cell { limit, ..cell })?;
            } else {
                sink.take::<S, false>(cell)?;
            }
        }
        Ok(())
    }
}

/// What is done with the neighbors of query points.
pub(crate) trait Sink<V: Vector> {
    /// True if it is asked for often: it is compiled for all instruction sets, and once more for one radius for all.
    const ALL_INSTRUCTION_SETS: bool;

    fn take<S: Simd, const SHIFTED: bool>(&mut self, cell: Cell<'_, V, S>) -> Result<(), Error>;
}

/// The query points of a cell, and what lies around them.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a, V: Vector, S: Simd> {
    pub(super) simd: S,
    pub(super) search: &'a PairSearch<'a, V>,
    slots: (usize, usize),
    pub(super) limit: Limit,
    pub(super) near: &'a Candidates<V>,
}

impl<V: Vector, S: Simd> Cell<'_, V, S> {
    #[inline(always)]
    pub(super) fn slots(&self) -> Range<usize> {
        self.slots.0..self.slots.1
    }

    /// The candidates by sixteen.
    #[inline(always)]
    pub(super) fn blocks<const SHIFTED: bool>(&self) -> Packed<'_, V> {
        self.near.packed::<SHIFTED>(self.limit)
    }

    /// The query point at a slot.
    #[inline(always)]
    pub(super) fn query_point(&self, slot: usize) -> QueryPoint<V, S> {
        let queries = self.search.queries;
        let size = if self.limit.is_sized() {
            queries.size(slot)
        } else {
            self.search.radius
        };
        QueryPoint::new(self.simd, queries.point(slot), size)
    }

    /// Calls `f` with each of so many blocks of candidates and the lanes of it that count for the query point at a slot. Where
    /// each pair comes once, those count that come after the point.
    #[inline(always)]
    pub(super) fn for_each_block(
        &self,
        slot: usize,
        blocks: usize,
        mut f: impl FnMut(usize, Mask),
    ) {
        // The points of the cell come first.
        let from = if self.search.half {
            slot - self.slots.0 + 1
        } else {
            0
        };
        let mut lanes = Mask::new(self.simd, u32::MAX << (from % LANES));
        for block in from / LANES..blocks {
            f(block, lanes);
            lanes = Mask::new(self.simd, u32::MAX);
        }
    }
}
