//! Queries of the loose tree: its [`SpatialIndex`].

use alloc::vec::Vec;
use core::ops::Range;

use super::LooseOrthtree;
use crate::error::Error;
use crate::handle::Handle;
use crate::nearest::{Closest, Nearest};
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Asked, Measure};
use crate::overlap::{Distance, Extent, Overlaps, Region};
use crate::query::{Descent, Hierarchy, KeyList, KeyWriter, Query, Search, SlotRun, SpatialIndex};
use crate::shape::{ArrayOf, Bounded};
use crate::vector::Vector;
use crate::wide_nodes;
use crate::wide_nodes::nearest::offer;
use crate::wide_nodes::region_query::Cursor;

/// The most frequent queries; [`SpatialIndex`] has all of them.
impl<T: Bounded> LooseOrthtree<T> {
    /// The items that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for items and regions that are not much longer than wide, if the items do not lie in
    /// one place; O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Query::new(self, region)
    }

    /// The number of items that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// The cost of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Query::new(self, region).count()
    }

    /// The item nearest to a point; of several, that with the least handle: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for items that are not all equally far.
    #[must_use]
    pub fn nearest(
        &self,
        point: T::Vector,
    ) -> Option<Nearest<Handle, <T::Vector as Vector>::Scalar>>
    where
        T: Distance,
    {
        SpatialIndex::nearest(self, point)
    }
}

impl<T: Bounded> Search<T, Handle> for LooseOrthtree<T> {
    type ByBlocks = Asked<ArrayOf<T>>;
    type Cursor = Cursor;
    type Walk = Descent;

    fn extent(&self) -> Option<Extent<T::Vector>> {
        let root = self.core.tree.root()?;
        Some(self.core.tree.extent(root).cast())
    }

    #[inline(always)]
    fn by_blocks<R>(&self, region: &R) -> Option<Asked<ArrayOf<T>>>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Asked::of(region, T::LAYOUT, self.core.tree.instructions)
    }

    #[inline(always)]
    fn is_done(cursor: &Cursor) -> bool {
        cursor.is_done()
    }

    #[inline]
    fn search(
        &self,
        region: &Asked<ArrayOf<T>>,
        cursor: &mut Cursor,
        to: Option<&mut KeyWriter<'_>>,
    ) -> usize {
        <ArrayOf<T> as wide_nodes::Kernels>::search(&self.core.tree, region, cursor, to)
    }

    #[inline]
    fn search_all(
        &self,
        region: &Asked<ArrayOf<T>>,
        list: Option<&mut Vec<Handle>>,
    ) -> Result<usize, Error> {
        <ArrayOf<T> as wide_nodes::Kernels>::search_all(
            &self.core.tree,
            region,
            list.map(KeyList::Handles),
        )
    }

    #[inline]
    fn next_run<R>(&self, region: &R, descent: &mut Descent) -> Option<SlotRun>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        let relate = |extent: &Extent<_>| extent.cast().relate::<T>(region);
        <ArrayOf<T> as wide_nodes::Kernels>::next_run(&self.core.tree, &relate, descent)
    }

    #[inline]
    fn best_first(
        &self,
        bound: impl Fn(&Extent<T::Vector>) -> Option<<T::Vector as Vector>::Scalar>,
        mut offer: impl FnMut(SlotRun) -> <T::Vector as Vector>::Scalar,
    ) {
        let bound = |extent: &Extent<_>| bound(&extent.cast());
        <ArrayOf<T> as wide_nodes::Kernels>::best_first(&self.core.tree, &bound, &mut offer);
    }

    #[inline(always)]
    fn offer_by_kernel(
        &self,
        from: &Center<T::Vector>,
        measure: Option<Measure<T::Vector>>,
        best: &mut Closest<<T::Vector as Vector>::Scalar, Handle>,
    ) -> bool {
        let key = |slot| self.core.handle(slot);
        offer(&self.core.tree, from, measure, best, key)
    }

    #[inline]
    fn each_item(&self, _: u32, places: Range<u32>, mut f: impl FnMut(u32, &T)) {
        for place in places {
            f(
                place,
                &self.items[self.core.tree.indices[place as usize] as usize],
            );
        }
    }

    #[inline]
    fn key_at(&self, _: u32, place: u32) -> Handle {
        self.core.handle(self.core.tree.indices[place as usize])
    }
}

impl<T: Bounded> SpatialIndex for LooseOrthtree<T> {
    type Vector = T::Vector;
    type Item = T;
    type Key = Handle;

    fn len(&self) -> usize {
        self.core.tree.len
    }
}
