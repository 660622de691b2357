//! How cells are asked: boxes and balls that are not much larger than a cell row by row, sixteen points at a
//! time; other regions cell by cell.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::build::Cells;
use super::region::CellWalk;
use super::{CellList, Kernels};
use crate::nearest::{Closest, Nearest};
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Plain, WideRegion, with_wide};
use crate::overlap::{Extent, Overlaps, Region};
use crate::query::{BlockSearch, Hit, Query, SpatialIndex, all_in_walk, first_of};
use crate::shape::Aabb;
use crate::simd::{LANES, ListWriter, Mask, compress, run_up_to_avx2};
use crate::sweep::Mover;
use crate::vector::{Scalar, Vector};
use crate::voxel::{Block, RowsOf};

/// In more cells than this, a region is asked as any region is: those inside need not be looked into.
const MAX_CELLS: usize = 512;

/// The questions that are asked most; [`SpatialIndex`] has all of them.
impl<V: Vector> CellList<V> {
    /// The points that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for points that are spread evenly and regions that are not much longer than wide nor
    /// much smaller than a cell, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of points that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        SpatialIndex::count(self, region)
    }

    /// The point nearest to a place; of several, that with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for points that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
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

    fn walk<R>(&self, region: R) -> CellWalk<'_, V, R>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        CellWalk::new(self.grids(), region)
    }

    fn offer_nearest(&self, from: Center<V>, best: &mut Closest<V::Scalar, usize>) {
        offer_nearest(self.grids(), &from, best);
    }

    fn offer_best_first(
        &self,
        bound: impl Fn(&Extent<V>) -> V::Scalar,
        distance_sq: impl Fn(&V) -> V::Scalar,
        best: &mut Closest<V::Scalar, usize>,
    ) {
        offer_best_first(self.grids(), bound, distance_sq, best);
    }

    fn sweep<M: Mover<V>>(&self, mover: M) -> Option<Hit<usize, V>> {
        sweep(self.grids(), &mover)
    }

    fn sweep_all<M: Mover<V>>(&self, mover: M) -> Vec<Hit<usize, V>> {
        sweep_all(self.grids(), &mover)
    }

    fn extent(&self) -> Option<Extent<V>> {
        extent(self.grids())
    }
}

impl<V: Vector> CellList<V> {
    fn grids(&self) -> &[Cells<V::Array>] {
        core::slice::from_ref(&self.cells)
    }
}

// `CellList` calls these functions with its one grid, `CellLevels` with several.

/// Offers the points of all grids to what keeps those nearest to a place.
pub(crate) fn offer_nearest<V: Vector>(
    grids: &[Cells<V::Array>],
    from: &Center<V>,
    best: &mut Closest<V::Scalar, usize>,
) {
    for cells in grids {
        <V::Array as Kernels>::nearest(cells, &from.cast(), best);
    }
}

/// Offers the points of all grids by any squared distance, of which `bound` is a lower bound for what a box holds.
pub(crate) fn offer_best_first<V: Vector>(
    grids: &[Cells<V::Array>],
    bound: impl Fn(&Extent<V>) -> V::Scalar,
    distance_sq: impl Fn(&V) -> V::Scalar,
    best: &mut Closest<V::Scalar, usize>,
) {
    let bound = |cell: &Aabb<V::Array>| bound(&Extent::of(&cell.cast::<V>()));
    let distance_sq = |point: &V::Array| distance_sq(&V::of_array(*point));
    for cells in grids {
        <V::Array as Kernels>::nearest_by(cells, &bound, &distance_sq, best);
    }
}

/// The point of all grids that a moving shape touches first.
pub(crate) fn sweep<V: Vector, M: Mover<V>>(
    grids: &[Cells<V::Array>],
    mover: &M,
) -> Option<Hit<usize, V>> {
    let bound = |cell: &Aabb<V::Array>| mover.bound_of(&cell.cast());
    let time = |point: &V::Array| Some(mover.times(&V::of_array(*point))?.0);
    let first_in = |cells: &Cells<V::Array>| {
        first_of(
            |first| <V::Array as Kernels>::first_touched(cells, &bound, &time, first),
            |slot| mover.sweep(&V::of_array(cells.buckets.point(slot as usize))),
        )
    };
    grids.iter().filter_map(first_in).min_by_key(Hit::rank)
}

/// All points of all grids that a moving shape touches, by first touch.
pub(crate) fn sweep_all<V: Vector, M: Mover<V>>(
    grids: &[Cells<V::Array>],
    mover: &M,
) -> Vec<Hit<usize, V>> {
    let mut hits = Vec::new();
    for cells in grids {
        let walk = CellWalk::new(core::slice::from_ref(cells), mover);
        hits.extend(all_in_walk(walk, |slot| {
            mover.sweep(&V::of_array(cells.buckets.point(slot as usize)))
        }));
    }
    hits.sort_unstable_by_key(Hit::rank);
    hits
}

/// A box around the points of all grids that hold any.
pub(crate) fn extent<V: Vector>(grids: &[Cells<V::Array>]) -> Option<Extent<V>> {
    let held = grids.iter().filter(|cells| cells.buckets.len() > 0);
    let extents = held.map(|cells| Extent::of(&cells.grid.bounds.cast()));
    extents.reduce(|all, cells| all.union(&cells))
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
