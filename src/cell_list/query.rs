//! How cells are asked: boxes and balls that are not much larger than a cell row by row, sixteen points at a
//! time; other regions cell by cell.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::build::Cells;
use super::region::CellWalk;
use super::{CellList, Kernels};
use crate::nearest::Closest;
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Plain, WideRegion, with_wide};
use crate::overlap::{Extent, Overlaps, Region};
use crate::query::{BlockSearch, Hit, SpatialIndex, all_in_walk, first_of, own_questions};
use crate::shape::Aabb;
use crate::simd::{LANES, ListWriter, Mask, compress, run_up_to_avx2};
use crate::sweep::Mover;
use crate::vector::{Scalar, Vector};
use crate::voxel::{Block, RowsOf};

/// In more cells than this, a region is asked as any region is: those inside need not be looked into.
const MAX_CELLS: usize = 512;

/// What is asked of one grid and of several, level by level.
macro_rules! cell_questions {
    () => {
        fn walk<R>(&self, region: R) -> CellWalk<'_, V, R>
        where
            R: Region<Vector = V> + Overlaps<V>,
        {
            CellWalk::new(self.levels(), region)
        }

        fn offer_nearest(&self, from: Center<V>, best: &mut Closest<V::Scalar, usize>) {
            for level in self.levels() {
                <V::Array as Kernels>::nearest(level, &from.cast(), best);
            }
        }

        fn offer_best_first(
            &self,
            bound: impl Fn(&Extent<V>) -> V::Scalar,
            distance_sq: impl Fn(&V) -> V::Scalar,
            best: &mut Closest<V::Scalar, usize>,
        ) {
            let bound = |cell: &Aabb<V::Array>| bound(&Extent::of(&cell.cast::<V>()));
            let distance_sq = |point: &V::Array| distance_sq(&V::of_array(*point));
            for level in self.levels() {
                <V::Array as Kernels>::nearest_by(level, &bound, &distance_sq, best);
            }
        }

        fn sweep<M: Mover<V>>(&self, mover: M) -> Option<Hit<usize, V>> {
            let bound = |cell: &Aabb<V::Array>| mover.bound_of(&cell.cast());
            let time = |point: &V::Array| Some(mover.times(&V::of_array(*point))?.0);
            let in_level = |level: &Cells<V::Array>| {
                first_of(
                    |first| <V::Array as Kernels>::first_touched(level, &bound, &time, first),
                    |slot| mover.sweep(&V::of_array(level.buckets.point(slot as usize))),
                )
            };
            let hits = self.levels().iter().filter_map(in_level);
            hits.min_by_key(Hit::rank)
        }

        fn sweep_all<M: Mover<V>>(&self, mover: M) -> Vec<Hit<usize, V>> {
            let mut hits = Vec::new();
            for level in self.levels() {
                let walk = CellWalk::new(core::slice::from_ref(level), &mover);
                hits.extend(all_in_walk(walk, |slot| {
                    mover.sweep(&V::of_array(level.buckets.point(slot as usize)))
                }));
            }
            hits.sort_unstable_by_key(Hit::rank);
            hits
        }

        fn extent(&self) -> Option<Extent<V>> {
            let levels = self.levels().iter().filter(|_| !self.is_empty());
            let extents = levels.map(|level| Extent::of(&level.grid.bounds.cast()));
            extents.reduce(|all, level| all.union(&level))
        }
    };
}
pub(crate) use cell_questions;

own_questions! {
    impl[V: Vector] CellList<V> { V, V, usize }

    /// The points that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for points that are spread evenly and regions that are not much longer than wide nor
    /// much smaller than a cell, O(n) at worst.
    query;

    /// The number of points that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query), or less.
    count;

    /// The point nearest to a place; of several, that with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for points that are not all equally far.
    nearest;
}

impl<V: Vector> SpatialIndex for CellList<V> {
    type Vector = V;
    type Item = V;
    type Key = usize;
    type ByBlocks = RegionInCells<V::Array>;
    type Walk<'a, R>
        = CellWalk<'a, V, R>
    where
        R: Region<Vector = V> + Overlaps<V>;

    fn len(&self) -> usize {
        self.cells.buckets.len()
    }

    #[inline(always)]
    fn by_blocks<R>(&self, region: &R) -> Option<RegionInCells<V::Array>>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        let plain = region.plain().or_else(|| region.cube().map(Plain::Box))?;
        <V::Array as Kernels>::around(&self.cells, plain.cast())
    }

    cell_questions!();
}

impl<V: Vector> CellList<V> {
    fn levels(&self) -> &[Cells<V::Array>] {
        core::slice::from_ref(&self.cells)
    }
}

/// A region that is not much larger than a cell, and the cells around it.
#[derive(Clone, Debug)]
pub struct RegionInCells<V: Vector> {
    region: Plain<V>,
    block: Block<V::Voxel>,
}

/// What is left of the rows of cells around a region.
#[derive(Clone, Debug)]
pub struct RowCursor<V: Vector> {
    rows: RowsOf<V::Voxel>,
    /// Of the row at hand.
    slots: Range<u32>,
    done: bool,
}

impl<V: Vector> RowCursor<V> {
    /// The next up to sixteen slots to be asked.
    #[inline(always)]
    fn next(&mut self, cells: &Cells<V>) -> Option<(usize, usize)> {
        while self.slots.is_empty() {
            let Some(row) = self.rows.next() else {
                self.done = true;
                return None;
            };
            self.slots = cells.buckets.row(&cells.grid, &row);
        }
        let (first, many) = (self.slots.start as usize, self.slots.len().min(LANES));
        self.slots.start += many as u32;
        Some((first, many))
    }
}

impl<V: Vector> BlockSearch<CellList<V>> for RegionInCells<V::Array> {
    type Cursor = RowCursor<V::Array>;

    #[inline(always)]
    fn cursor() -> RowCursor<V::Array> {
        RowCursor {
            rows: RowsOf::none(),
            slots: 0..0,
            done: false,
        }
    }

    #[inline(always)]
    fn start(&self, _: &CellList<V>, cursor: &mut RowCursor<V::Array>) {
        cursor.rows = RowsOf::new(self.block);
    }

    #[inline(always)]
    fn is_done(cursor: &mut RowCursor<V::Array>) -> bool {
        cursor.done
    }

    #[inline(always)]
    fn fill(&self, list: &CellList<V>, cursor: &mut RowCursor<V::Array>, to: &mut ListWriter<'_>) {
        <V::Array as Kernels>::search(&list.cells, self, cursor, Some(to));
    }

    #[inline(always)]
    fn count(&self, list: &CellList<V>, cursor: &mut RowCursor<V::Array>) -> usize {
        <V::Array as Kernels>::search(&list.cells, self, cursor, None)
    }
}

/// A region with the cells around it, if they are few.
pub(super) fn around<A: Vector>(cells: &Cells<A>, region: Plain<A>) -> Option<RegionInCells<A>> {
    let grid = &cells.grid;
    let block = match &region {
        Plain::Box(cuboid) => grid.around(cuboid.min(), cuboid.max(), Scalar::ZERO)?,
        Plain::Ball(ball) => grid.around(ball.center, ball.center, ball.outer)?,
    };
    (block.cells() <= MAX_CELLS).then_some(RegionInCells { region, block })
}

/// Appends points that overlap, as long as sixteen fit, or counts those that are left.
pub(super) fn search<A: Vector>(
    cells: &Cells<A>,
    asked: &RegionInCells<A>,
    cursor: &mut RowCursor<A>,
    to: Option<&mut ListWriter<'_>>,
) -> usize {
    run_up_to_avx2!(cells.instructions, |simd| search_rows(
        simd, cells, asked, cursor, to
    ))
}

#[inline(always)]
fn search_rows<V: Vector, S: Simd>(
    simd: S,
    cells: &Cells<V>,
    asked: &RegionInCells<V>,
    cursor: &mut RowCursor<V>,
    to: Option<&mut ListWriter<'_>>,
) -> usize {
    let mut count = 0;
    with_wide!(&asked.region, V, S, simd, |probe| match to {
        Some(to) => {
            let mut to = to.writer();
            while to.room() >= LANES
                && let Some((first, many)) = cursor.next(cells)
            {
                let mask = meets(simd, cells, &probe, first, many);
                let indices = cells.buckets.indices_and_more()[first..].first_chunk();
                compress(simd, indices.expect("sixteen more"), mask, &mut to);
            }
        }
        None => {
            while let Some((first, many)) = cursor.next(cells) {
                count += meets(simd, cells, &probe, first, many).count();
            }
        }
    });
    count
}

/// Which of some points overlap.
#[inline(always)]
fn meets<V: Vector, S: Simd>(
    simd: S,
    cells: &Cells<V>,
    probe: &impl WideRegion<V, S>,
    first: usize,
    many: usize,
) -> Mask {
    let buckets = &cells.buckets;
    let mask = probe.meets_row(&buckets.coordinates[first..], buckets.stride());
    mask & Mask::new(simd, (1 << many) - 1)
}
