//! Queries: for boxes and balls that are not much larger than a cell, the points of the cells around are tested row by
//! row, sixteen at a time. Other regions are searched by halved blocks of cells (`region_walk.rs`).

use core::ops::Range;

use fearless_simd::Simd;

use super::build::{Cells, Level};
use super::region_walk::CellWalk;
use super::{CellGrid, Kernels};
use crate::lattice::{Block, RowsOf};
use crate::nearest::Nearest;
use crate::overlap::lanes::{Cuboid, Plain, Probe, WideRegion};
use crate::overlap::{Extent, Overlaps, Region};
use crate::query::{KeyWriter, Query, Search, SlotRun, SpatialIndex};
use crate::shape::Aabb;
use crate::simd::{LANES, Mask, compress, run};
use crate::vector::{Scalar, Vector};

/// A region in more cells than this is searched by halved blocks, since the points of cells inside need not be tested.
const MAX_CELLS: usize = 512;

/// The most frequent queries; [`SpatialIndex`] has all of them.
impl<V: Vector, const SIZED: bool> CellGrid<V, SIZED> {
    /// The points that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for points that are spread evenly and regions that are not much longer than wide nor
    /// much smaller than a cell, O(n) at worst; times the number of octaves of radii.
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
    /// The cost of [`query`](Self::query), or less.
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
    /// O(log n) for points that are not all equally far, times the number of octaves of radii.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
}

impl<V: Vector, const SIZED: bool> Search<V, usize> for CellGrid<V, SIZED> {
    type ByBlocks = RegionInCells<V::Array>;
    type Cursor = RowCursor<V::Array>;
    type Walk = CellWalk<V::Array>;

    #[inline(always)]
    fn by_blocks<R>(&self, region: &R) -> Option<RegionInCells<V::Array>>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        // With radii, most regions cover too many cells of the lowest level to be searched row by row.
        if SIZED {
            return None;
        }
        let plain = region.plain().filter(Plain::is_euclidean);
        let plain = plain.or_else(|| region.cube().map(Plain::Box))?;
        <V::Array as Kernels>::around(&self.cells, plain.cast())
    }

    #[inline(always)]
    fn start(&self, region: &RegionInCells<V::Array>, cursor: &mut RowCursor<V::Array>) {
        cursor.rows = RowsOf::new(region.block);
    }

    #[inline(always)]
    fn is_done(cursor: &RowCursor<V::Array>) -> bool {
        cursor.done
    }

    #[inline(always)]
    fn search(
        &self,
        region: &RegionInCells<V::Array>,
        cursor: &mut RowCursor<V::Array>,
        to: Option<&mut KeyWriter<'_>>,
    ) -> usize {
        <V::Array as Kernels>::search(&self.cells, region, cursor, to)
    }

    #[inline]
    fn next_run<R>(&self, region: &R, walk: &mut CellWalk<V::Array>) -> Option<SlotRun>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        let hint = || region.hint().map(|hint| hint.cast());
        let relate = |cell: &Aabb<V::Array>| region.relate(&cell.cast());
        <V::Array as Kernels>::next_run(&self.cells, walk, &hint, &relate)
    }

    fn best_first(
        &self,
        bound: impl Fn(&Extent<V>) -> Option<V::Scalar>,
        mut offer: impl FnMut(SlotRun) -> V::Scalar,
    ) {
        let bound = |cell: &Aabb<V::Array>| bound(&Extent::of(&cell.cast::<V>()));
        <V::Array as Kernels>::best_first(&self.cells, &bound, &mut offer);
    }

    fn extent(&self) -> Option<Extent<V>> {
        let levels = self.cells.levels.iter();
        let extents = levels
            .filter(|level| level.buckets.len() > 0)
            .map(|level| Extent::of(&level.grid.bounds.cast()));
        extents.reduce(|all, level| all.union(&level))
    }

    #[inline(always)]
    fn each_item(&self, level: u32, slots: Range<u32>, mut f: impl FnMut(u32, &V)) {
        let point = self.cells.levels[level as usize].buckets.points();
        for slot in slots {
            f(slot, &V::of_array(point(slot as usize)));
        }
    }

    #[inline(always)]
    fn key_at(&self, level: u32, slot: u32) -> usize {
        self.cells.levels[level as usize].buckets.indices()[slot as usize] as usize
    }
}

impl<V: Vector, const SIZED: bool> SpatialIndex for CellGrid<V, SIZED> {
    type Vector = V;
    type Item = V;
    type Key = usize;

    fn len(&self) -> usize {
        self.cells.len()
    }
}

/// A region that is not much larger than a cell, and the cells around it.
#[derive(Clone, Debug)]
pub struct RegionInCells<V: Vector> {
    plain: Plain<V>,
    block: Block<V::Voxel>,
}

/// The rows of cells around a region that are left.
#[derive(Clone, Debug)]
pub struct RowCursor<V: Vector> {
    rows: RowsOf<V::Voxel>,
    /// The slots of the current row that are left.
    slots: Range<u32>,
    done: bool,
}

impl<V: Vector> RowCursor<V> {
    /// The next slots to test, at most sixteen: the first slot and their number.
    #[inline(always)]
    fn next(&mut self, level: &Level<V>) -> Option<(usize, usize)> {
        while self.slots.is_empty() {
            let Some(row) = self.rows.next() else {
                self.done = true;
                return None;
            };
            self.slots = level.buckets.row(&level.grid, &row);
        }
        let (first, many) = (self.slots.start as usize, self.slots.len().min(LANES));
        self.slots.start += many as u32;
        Some((first, many))
    }
}

impl<V: Vector> Default for RowCursor<V> {
    #[inline(always)]
    fn default() -> Self {
        Self {
            rows: RowsOf::none(),
            slots: 0..0,
            done: false,
        }
    }
}

/// A region with the cells around it; `None` if there are too many of them.
pub(super) fn around<A: Vector>(cells: &Cells<A>, region: Plain<A>) -> Option<RegionInCells<A>> {
    let grid = &cells.levels[0].grid;
    let block = match &region {
        Plain::Box(cuboid) => grid.around(cuboid.min(), cuboid.max(), Scalar::ZERO)?,
        Plain::Ball(ball) => grid.around(ball.center, ball.center, ball.outer)?,
    };
    (block.cells() <= MAX_CELLS).then_some(RegionInCells {
        plain: region,
        block,
    })
}

/// Appends points that overlap until there is no room for sixteen more, or counts all that are left.
pub(super) fn search<A: Vector>(
    cells: &Cells<A>,
    region: &RegionInCells<A>,
    cursor: &mut RowCursor<A>,
    to: Option<&mut KeyWriter<'_>>,
) -> usize {
    let level = &cells.levels[0];
    run!(up_to_avx2(cells.instructions), |simd| match &region.plain {
        Plain::Box(cuboid) => {
            let probe = Cuboid::<A, _>::new(simd, cuboid);
            search_rows(simd, level, &probe, cursor, to)
        }
        Plain::Ball(ball) => {
            let probe = Probe::<A, _, true>::new(simd, ball);
            search_rows(simd, level, &probe, cursor, to)
        }
    })
}

#[inline(always)]
fn search_rows<V: Vector, S: Simd>(
    simd: S,
    level: &Level<V>,
    probe: &impl WideRegion<V, S>,
    cursor: &mut RowCursor<V>,
    to: Option<&mut KeyWriter<'_>>,
) -> usize {
    let Some(to) = to else {
        let mut count = 0;
        while let Some((first, many)) = cursor.next(level) {
            count += meets(simd, level, probe, first, many).count();
        }
        return count;
    };
    let mut to = to.writer();
    while to.room() >= LANES
        && let Some((first, many)) = cursor.next(level)
    {
        let mask = meets(simd, level, probe, first, many);
        let indices = level.buckets.indices[first..].first_chunk();
        compress(simd, indices.expect("sixteen more"), mask, &mut to.slots);
    }
    0
}

/// The lanes of the points that overlap.
#[inline(always)]
fn meets<V: Vector, S: Simd>(
    simd: S,
    level: &Level<V>,
    probe: &impl WideRegion<V, S>,
    first: usize,
    many: usize,
) -> Mask {
    let buckets = &level.buckets;
    let mask = probe.meets_row(&buckets.columns[first..], buckets.stride());
    mask & Mask::new(simd, (1 << many) - 1)
}
