//! Regions and the nearest, asked of the points level by level, as a cell list is asked; and what sound levels
//! are.

use alloc::vec::Vec;
use core::convert::Infallible;

use super::CellLevels;
use crate::cell_list::{CellWalk, Cells, best_first, extent};
use crate::nearest::Nearest;
use crate::overlap::{Extent, Overlaps, Region};
use crate::query::{Held, Query, SlotRun, SpatialIndex};
use crate::sort::check_permutation;
use crate::vector::Vector;

/// The questions that are asked most; [`SpatialIndex`] has all of them.
impl<V: Vector> CellLevels<V> {
    /// The points that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// For each octave of radii that of [`CellList::query`](crate::CellList::query).
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
    /// O(octaves · log n) for points that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
}

impl<V: Vector> SpatialIndex for CellLevels<V> {
    type Vector = V;
    type Item = V;
    type Key = usize;
    /// In the small cells of some level, most regions have too many to be asked row by row.
    type ByBlocks = Infallible;
    type Cursor = ();
    type Walk = CellWalk<V::Array>;

    fn len(&self) -> usize {
        self.0.len
    }

    #[inline]
    fn next_run<R>(&self, region: &R, walk: &mut CellWalk<V::Array>) -> Option<SlotRun>
    where
        R: Region<Vector = V> + Overlaps<V>,
    {
        walk.next_run(&self.0.levels, region)
    }

    fn best_first(
        &self,
        bound: impl Fn(&Extent<V>) -> Option<V::Scalar>,
        offer: impl FnMut(SlotRun) -> V::Scalar,
    ) {
        best_first(&self.0.levels, bound, offer);
    }

    fn extent(&self) -> Option<Extent<V>> {
        extent(&self.0.levels)
    }

    #[inline(always)]
    fn items_of<'a>(&'a self, level: u32) -> impl Fn(u32) -> Option<Held<'a, V>> {
        let point = self.0.levels[level as usize].buckets.points();
        move |slot| Some(Held::Made(V::of_array(point(slot as usize))))
    }

    #[inline(always)]
    fn key_at(&self, level: u32, slot: u32) -> usize {
        self.0.levels[level as usize].buckets.indices()[slot as usize] as usize
    }
}

impl<V: Vector> CellLevels<V> {
    /// Checks what every query relies on, for tests and for memory that is in doubt: each point is in exactly
    /// one level, and there in a cell that it lies in.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n + cells).
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        let levels = self.0.levels.iter();
        let all: Vec<u32> = levels
            .flat_map(|level| level.buckets.indices())
            .copied()
            .collect();
        check_permutation(&all, self.len())?;
        self.0.levels.iter().try_for_each(Cells::check)
    }
}

#[cfg(test)]
mod tests {
    use crate::cell_levels::{CellLevels, Reach};

    #[test]
    fn validate_finds_what_is_broken() {
        let points = [[0.0, 0.0], [3.5, 0.5], [3.5, 9.0], [0.1, 0.2]];
        let levels = CellLevels::new(&points, &[1.0, 1.0, 1.0, 9.0], Reach::Sum);
        levels.validate().unwrap();
        let mut twice = levels.clone();
        twice.0.levels[1].buckets.indices[0] = 2;
        assert_eq!(twice.validate(), Err("the indices are not a permutation"));
        let mut elsewhere = levels;
        elsewhere.0.levels[0].buckets.coordinates.swap(0, 2);
        assert_eq!(elsewhere.validate(), Err("a point lies outside its cell"));
    }
}
