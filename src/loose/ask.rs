//! Queries of this tree.

use alloc::vec::Vec;
use core::ops::Deref;

use super::tree::Tree;
use super::{Kernels, LooseOrthtree};
use crate::error::Error;
use crate::handle::Handle;
use crate::nearest::{Closest, Nearest};
use crate::norm::{DistanceBy, Norm};
use crate::overlap::distance::Center;
use crate::overlap::lanes::Asked;
use crate::overlap::{Distance, Extent, Overlaps, Region};
use crate::query::{
    BlockSearch, Bound, Descent, Hit, ItemTree, Query, Relate, SpatialIndex, TreeWalk, Writer,
    all_in_tree, extent_of, first_in_tree, nearest_in_tree, offer_best_first, offer_by_norm,
};
use crate::shape::{ArrayOf, Bounded, Layout};
use crate::sweep::Mover;
use crate::vector::Vector;
use crate::wide_nodes::region_query::Cursor;

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

    fn extent(&self) -> Option<Extent<T::Vector>> {
        extent_of(self)
    }

    #[inline(always)]
    fn by_blocks<R>(&self, region: &R) -> Option<Asked<ArrayOf<T>>>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        Asked::of(region, T::LAYOUT, self.core.instructions)
    }

    #[inline]
    fn walk<R>(&self, region: R) -> TreeWalk<'_, Self, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        TreeWalk::new(self, region)
    }

    fn offer_nearest(
        &self,
        from: Center<T::Vector>,
        best: &mut Closest<<T::Vector as Vector>::Scalar, Handle>,
    ) where
        T: Distance,
    {
        if T::LAYOUT != Layout::Whole && self.core.instructions.is_wide() {
            <ArrayOf<T>>::nearest(&self.core, &from.cast(), best);
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
        let by_lanes = matches!(T::LAYOUT, Layout::Point | Layout::Box);
        if by_lanes && self.core.instructions.is_wide() {
            let (from, measure) = (from.array(), norm.by_lanes().cast());
            <ArrayOf<T>>::nearest_by(&self.core, from, measure, best);
        } else {
            offer_by_norm(self, norm, from, best);
        }
    }

    fn offer_best_first(
        &self,
        bound: impl Fn(&Extent<T::Vector>) -> <T::Vector as Vector>::Scalar,
        distance_sq: impl Fn(&T) -> <T::Vector as Vector>::Scalar,
        best: &mut Closest<<T::Vector as Vector>::Scalar, Handle>,
    ) {
        let bound = |extent: &Extent<_>| Some(bound(&extent.cast()));
        offer_best_first(self, &bound, |item| Some(distance_sq(item)), best);
    }

    fn sweep<M: Mover<T>>(&self, mover: M) -> Option<Hit<Handle, T::Vector>> {
        first_in_tree(self, &mover)
    }

    fn sweep_all<M: Mover<T>>(&self, mover: M) -> Vec<Hit<Handle, T::Vector>> {
        all_in_tree(self, &mover)
    }
}

/// Regions that sixteen items can be tested against at once are searched for by `wide_nodes/region_query.rs`; all others, node by node, by
/// `query/tree.rs`.
impl<T: Bounded> BlockSearch<LooseOrthtree<T>> for Asked<ArrayOf<T>> {
    type Cursor = Cursor;

    #[inline(always)]
    fn cursor() -> Cursor {
        Cursor::new()
    }

    #[inline]
    fn start(&self, _: &LooseOrthtree<T>, _: &mut Cursor) {}

    #[inline]
    fn is_done(cursor: &mut Cursor) -> bool {
        cursor.is_done()
    }

    #[inline]
    fn fill(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor, to: &mut Writer<'_, Handle>) {
        <ArrayOf<T>>::resume(&tree.core, self, cursor, to);
    }

    #[inline]
    fn count(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor) -> usize {
        <ArrayOf<T>>::count_rest(&tree.core, self, cursor)
    }

    #[inline]
    fn append_all(&self, tree: &LooseOrthtree<T>, list: &mut Vec<Handle>) -> Result<(), Error> {
        <ArrayOf<T>>::append(&tree.core, self, list)
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
    fn nodes(&self) -> &Tree<ArrayOf<T>> {
        &self.core
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

    #[inline]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        &self.items[slot as usize]
    }

    #[inline]
    fn key(&self, slot: u32) -> Handle {
        self.core.handle(slot)
    }
}
