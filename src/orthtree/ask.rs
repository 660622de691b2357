//! What is asked of a tree.

use core::ops::ControlFlow;

use super::{Orthtree, OrthtreeQuery};
use crate::{Bounded, Lists, Overlaps, Region};

impl<T: Bounded> Orthtree<T> {
    /// The items that overlap a region, lazily, each once.
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for items and regions that are not much longer than wide, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> OrthtreeQuery<'_, T, R>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        OrthtreeQuery::new(self, region)
    }

    /// Calls `f` with each item that [`query`](Self::query) gives, in the same order, until it
    /// breaks.
    #[inline]
    pub fn visit<R, B>(&self, region: R, f: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        self.query(region).visit(f)
    }

    /// The number of items that overlap a region. Items of nodes that lie inside it are not touched.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        self.query(region).count()
    }

    /// The answers to many regions at once: list `i` is what [`query`](Self::query) gives for region
    /// `i`, in the same order. On several threads with the feature `rayon`.
    #[must_use]
    pub fn query_batch<R>(&self, regions: &[R]) -> Lists<u32>
    where
        R: Region<Vector = T::Vector> + Overlaps<T> + Sync,
        T: Sync,
    {
        Lists::collect(regions, |region, found| self.query(region).append_to(found))
    }
}
