//! What is asked of a tree.

use alloc::vec::Vec;
use core::ops::Deref;

use super::tree::Tree;
use super::{Kernels, LooseOrthtree};
use crate::handle::Handle;
use crate::nearest::{Closest, Nearest};
use crate::norm::{DistanceBy, Norm};
use crate::overlap::lanes::Asked;
use crate::overlap::{Distance, Extent, Overlaps, Region};
use crate::query::{
    BlockSearch, Bound, Cursor, Descent, HandleWriter, Hit, ItemTree, Query, Relate, SpatialIndex,
    TreeWalk, all_in_tree, extent_of, first_in_tree, nearest_in_tree, nearest_in_tree_by,
};
use crate::shape::{ArrayOf, Bounded, Layout};
use crate::sweep::Mover;
use crate::vector::Vector;

/// The questions that are asked most; [`SpatialIndex`] has all of them.
impl<T: Bounded> LooseOrthtree<T> {
    /// The items that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for items and regions that are not much longer than wide, nor lie in one place; O(n)
    /// at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of items that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        SpatialIndex::count(self, region)
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

impl<T: Bounded> SpatialIndex for LooseOrthtree<T> {
    type Vector = T::Vector;
    type Item = T;
    type Key = Handle;
    type ByBlocks = Asked<ArrayOf<T>>;
    type Walk<'a, R>
        = TreeWalk<'a, Self, R>
    where
        Self: 'a,
        R: Region<Vector = T::Vector> + Overlaps<T>;

    fn len(&self) -> usize {
        self.core.len
    }

    #[inline(always)]
    fn by_blocks<R>(&self, region: &R) -> Option<Asked<ArrayOf<T>>>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        if T::LAYOUT == Layout::Whole {
            None
        } else {
            Asked::of::<T, _>(region)
        }
    }

    fn walk<R>(&self, region: R) -> TreeWalk<'_, Self, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        TreeWalk::new(self, region)
    }

    fn offer_nearest(
        &self,
        from: T::Vector,
        best: &mut Closest<<T::Vector as Vector>::Scalar, Handle>,
    ) where
        T: Distance,
    {
        if T::LAYOUT != Layout::Whole && self.core.instructions.is_wide() {
            <ArrayOf<T>>::nearest(&self.core, from.array(), best);
        } else {
            nearest_in_tree(self, from, best);
        }
    }

    fn offer_nearest_by<N>(
        &self,
        norm: &N,
        from: T::Vector,
        best: &mut Closest<<T::Vector as Vector>::Scalar, Handle>,
    ) where
        N: Norm<T::Vector>,
        T: DistanceBy<N>,
    {
        nearest_in_tree_by(self, norm, from, best, |_| true);
    }

    fn sweep<M: Mover<T>>(&self, mover: M) -> Option<Hit<Handle, T::Vector>> {
        first_in_tree(self, &mover)
    }

    fn sweep_all<M: Mover<T>>(&self, mover: M) -> Vec<Hit<Handle, T::Vector>> {
        all_in_tree(self, &mover)
    }

    fn extent(&self) -> Option<Extent<T::Vector>> {
        extent_of(self)
    }
}

impl<T: Bounded> BlockSearch<LooseOrthtree<T>> for Asked<ArrayOf<T>> {
    type Cursor = Cursor;

    #[inline(always)]
    fn cursor() -> Cursor {
        Cursor::new()
    }

    #[inline]
    fn start(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor) {
        cursor.start(&tree.core);
    }

    #[inline]
    fn is_done(cursor: &mut Cursor) -> bool {
        cursor.is_done()
    }

    #[inline]
    fn fill(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor, to: &mut HandleWriter<'_>) {
        <ArrayOf<T>>::go_on(&tree.core, self, cursor, to, false);
    }

    #[inline]
    fn count(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor) -> usize {
        <ArrayOf<T>>::count_rest(&tree.core, self, cursor)
    }

    #[inline]
    fn append_all(&self, tree: &LooseOrthtree<T>, list: &mut Vec<Handle>) {
        <ArrayOf<T>>::append(&tree.core, self, list);
    }

    #[inline]
    fn count_all(&self, tree: &LooseOrthtree<T>) -> usize {
        <ArrayOf<T>>::count(&tree.core, self)
    }
}

impl<T: Bounded> ItemTree for LooseOrthtree<T> {
    type Nodes = Tree<ArrayOf<T>>;
    type Item = T;
    type Key = Handle;

    #[inline]
    fn nodes(&self) -> &Self::Nodes {
        &self.core
    }

    #[inline]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        let item = self.items[slot as usize].as_ref();
        item.expect("a slot in use has an item")
    }

    #[inline]
    fn key(&self, slot: u32) -> Handle {
        self.core.handle(slot)
    }

    #[inline]
    fn next_node(
        &self,
        region: &dyn Relate<ArrayOf<T>>,
        descent: &mut Descent,
    ) -> Option<(u32, bool)> {
        <ArrayOf<T>>::next_node(&self.core, region, descent)
    }

    #[inline]
    fn best_first(
        &self,
        bound: &Bound<'_, ArrayOf<T>>,
        offer: &mut dyn FnMut(u32) -> <ArrayOf<T> as Vector>::Scalar,
    ) {
        <ArrayOf<T>>::best_first(&self.core, bound, offer);
    }
}
