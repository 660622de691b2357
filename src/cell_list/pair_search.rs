//! The search for neighbors: for each cell that holds query points, the points of the cells around are packed as
//! [candidates](crate::candidates), and a sink lists, counts or hands on the candidates near each query point.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::buckets::Buckets;
use super::build::{Cells, Level};
use super::gather::{Walk, pack};
use super::sinks::{Binned, Counted, Each, Listed, Near, Pair, Paired, Sink};
use crate::candidates::{Candidates, Limit, QueryPoint};
use crate::error::{Error, headroom, reserve};
use crate::lists::{Lists, NeighborLists};
use crate::parallel;
use crate::simd::run;
use crate::vector::Vector;

/// A search for the neighbors of query points among the points of a level.
#[derive(Debug)]
pub(super) struct PairSearch<'a, V: Vector> {
    /// The cell list, for its limit, its period and its instruction set.
    pub(super) cells: &'a Cells<V>,
    /// The points that may be neighbors, in their grid.
    pub(super) level: &'a Level<V>,
    pub(super) queries: &'a Buckets<V>,
    /// True if a query point is compared only with points behind it, so that each pair comes once.
    pub(super) half: bool,
}

impl<A: Vector> Cells<A> {
    /// Searches the points of a level for neighbors of each other.
    fn search(&self, level: usize) -> PairSearch<'_, A> {
        let level = &self.levels[level];
        PairSearch {
            cells: self,
            level,
            queries: &level.buckets,
            half: false,
        }
    }

    /// Searches the points of a level for neighbors of other points.
    fn search_of<'a>(&'a self, queries: &'a Buckets<A>, level: usize) -> PairSearch<'a, A> {
        PairSearch {
            queries,
            ..self.search(level)
        }
    }

    /// Calls `f` with the searches that together find each pair once. For each level these are a search for pairs within the level,
    /// and one for neighbors of the points of all lower levels. With `others`, there is one search, for neighbors of these points.
    fn for_each_search(
        &self,
        others: Option<&Buckets<A>>,
        mut f: impl FnMut(&PairSearch<'_, A>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(queries) = others {
            return f(&self.search_of(queries, 0));
        }
        for level in 0..self.levels.len() {
            f(&PairSearch {
                half: true,
                ..self.search(level)
            })?;
            if let Some(smaller) = &self.smaller(level) {
                f(&self.search_of(smaller, level))?;
            }
        }
        Ok(())
    }
}

impl<V: Vector> PairSearch<'_, V> {
    /// Hands the neighbors of the query points at some slots to a sink.
    pub(super) fn run<T: Sink<V>>(&self, slots: Range<usize>, sink: &mut T) -> Result<(), Error> {
        if T::ALL_INSTRUCTION_SETS {
            run!(self.cells.instructions, |simd| self
                .run_here(simd, slots, sink))
        } else {
            run!(up_to_avx2(self.cells.instructions), |simd| self
                .run_here(simd, slots, sink))
        }
    }

    /// Makes a sink for each part of the query points, hands it the neighbors of these points, and then hands the sinks to
    /// `put`, in order. It uses several threads with the feature `rayon`.
    fn run_in_parts<T: Sink<V> + Send>(
        &self,
        make: impl Fn() -> T + Sync,
        mut put: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let part = |slots| {
            headroom()?;
            let mut sink = make();
            self.run(slots, &mut sink)?;
            Ok(sink)
        };
        parallel::try_parts(self.queries.len(), PART, &part, &mut put)
    }

    #[inline(always)]
    fn run_here<S: Simd, T: Sink<V>>(
        &self,
        simd: S,
        slots: Range<usize>,
        sink: &mut T,
    ) -> Result<(), Error> {
        let mut walk = Walk::new(self, slots)?;
        let mut near = Candidates::new();
        // Go from cell to cell: pack the points around the cell, and hand them with the cell's query points to the sink.
        while walk.step()? {
            pack(simd, &walk, &mut near)?;
            let (own, limit) = (walk.own.clone(), self.cells.limit);
            if walk.is_shifted {
                self.hand_on::<S, T, true>(simd, limit, own, &near, sink)?;
            } else if T::ALL_INSTRUCTION_SETS && limit == Limit::Radius {
                // A constant limit, so that the compiler specializes the loops for the most frequent one.
                self.hand_on::<S, T, false>(simd, Limit::Radius, own, &near, sink)?;
            } else {
                self.hand_on::<S, T, false>(simd, limit, own, &near, sink)?;
            }
        }
        Ok(())
    }

    /// Hands the query points of a cell to the sink, one by one, with the candidates around the cell.
    #[inline(always)]
    fn hand_on<S: Simd, T: Sink<V>, const SHIFTED: bool>(
        &self,
        simd: S,
        limit: Limit,
        own: Range<usize>,
        candidates: &Candidates<V>,
        sink: &mut T,
    ) -> Result<(), Error> {
        let blocks = &candidates.packed::<SHIFTED>(limit);
        for slot in own.clone() {
            let mut size = self.level.radius;
            if limit.is_sized() {
                size = self.queries.column(V::DIM)[slot];
            }
            let center = self.queries.points()(slot);
            // If each pair comes once, the candidates begin with the query points.
            let behind = slot - own.start + 1;
            sink.take::<S, SHIFTED>(&Near {
                simd,
                limit,
                center,
                index: self.queries.indices()[slot],
                point: QueryPoint::new(simd, center, size),
                candidates,
                blocks,
                from: if self.half { behind } else { 0 },
            })?;
        }
        Ok(())
    }
}

/// The number of query points in a piece of work.
const PART: usize = 4096;

/// Lists the neighbors of each point.
pub(super) fn lists<A: Vector>(cells: &Cells<A>, near: &mut NeighborLists) -> Result<(), Error> {
    if let [Level { buckets, .. }] = &cells.levels[..] {
        return lists_of(cells, buckets, buckets.indices(), near);
    }
    near.clear();
    // Find neighbors in other levels as pairs.
    let mut pairs = Vec::new();
    let mut order = Vec::new();
    reserve(&mut order, cells.len())?;
    for (number, level) in cells.levels.iter().enumerate() {
        if let Some(smaller) = &cells.smaller(number) {
            append_pairs(&cells.search_of(smaller, number), &mut pairs)?;
        }
        order.extend_from_slice(level.buckets.indices());
    }
    let both = pairs.iter().flat_map(|&[a, b]| [(a, b), (b, a)]);
    let others = Lists::of_entries(cells.len(), both)?;
    // Slots count through all levels, one level after the other.
    near.fill(&order, PART, &|slots, part| {
        let others = Some(&others);
        let (mut sink, mut first) = (Listed { part, others }, 0);
        for (number, level) in cells.levels.iter().enumerate() {
            let end = first + level.buckets.len();
            let (from, to) = (slots.start.max(first), slots.end.min(end));
            if from < to {
                let search = cells.search(number);
                search.run(from - first..to - first, &mut sink)?;
            }
            first = end;
        }
        Ok(())
    })
}

/// Lists the neighbors of other points, each with the number of its list.
pub(super) fn lists_of<A: Vector>(
    cells: &Cells<A>,
    others: &Buckets<A>,
    numbers: &[u32],
    near: &mut NeighborLists,
) -> Result<(), Error> {
    let search = cells.search_of(others, 0);
    near.fill(numbers, PART, &|slots, part| {
        search.run(slots, &mut Listed { part, others: None })
    })
}

/// Appends all pairs to a list; where that fails it is empty, and holds no memory.
pub(super) fn pairs<A: Vector>(cells: &Cells<A>, pairs: &mut Vec<[u32; 2]>) -> Result<(), Error> {
    cells.for_each_search(None, |search| append_pairs(search, pairs))
}

fn append_pairs<A: Vector>(
    search: &PairSearch<'_, A>,
    pairs: &mut Vec<[u32; 2]>,
) -> Result<(), Error> {
    let make = || Paired(Vec::new());
    let listed = search.run_in_parts(make, |Paired(flat)| {
        reserve(pairs, flat.len() / 2)?;
        pairs.extend_from_slice(flat.as_chunks().0);
        Ok(())
    });
    if listed.is_err() {
        *pairs = Vec::new();
    }
    listed
}

/// The number of pairs.
pub(super) fn count<A: Vector>(
    cells: &Cells<A>,
    others: Option<&Buckets<A>>,
) -> Result<u64, Error> {
    let mut count = 0;
    let mut put = |part: Counted| {
        count += part.0;
        Ok(())
    };
    cells.for_each_search(others, |search| {
        search.run_in_parts(|| Counted(0), &mut put)
    })?;
    Ok(count)
}

/// The number of pairs in each bin of distances.
pub(super) fn count_in_bins<A: Vector>(
    cells: &Cells<A>,
    others: Option<&Buckets<A>>,
    ends: &[A::Scalar],
) -> Result<Vec<u64>, Error> {
    let squares: Vec<A::Scalar> = ends.iter().map(|&end| end * end).collect();
    let mut counts = vec![0; ends.len()];
    let make = || Binned::<A> {
        squares: &squares,
        counts: vec![0; ends.len()],
    };
    cells.for_each_search(others, |search| {
        search.run_in_parts(make, |part| {
            for (count, more) in counts.iter_mut().zip(part.counts) {
                *count += more;
            }
            Ok(())
        })
    })?;
    // Each count still includes all nearer pairs: subtract the count of the bin before.
    for bin in (1..counts.len()).rev() {
        counts[bin] -= counts[bin - 1];
    }
    Ok(counts)
}

/// Hands on the pairs of one query point after the other. Pairs within one set begin with the lower index.
pub(super) fn each<A: Vector>(
    cells: &Cells<A>,
    others: Option<&Buckets<A>>,
    f: &mut dyn FnMut(&[Pair<A>]),
) -> Result<(), Error> {
    let in_order = others.is_none();
    cells.for_each_search(others, |search| {
        let mut sink = Each {
            f,
            in_order,
            is_periodic: cells.periodic.is_some(),
            pairs: Vec::new(),
        };
        search.run(0..search.queries.len(), &mut sink)
    })
}
