//! What is asked of a tree.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::keys::order;
use super::{Orthtree, OrthtreeQuery};
use crate::{Bounded, Lists, Overlaps, Region, Scalar, Vector};

/// From so many items on, regions are asked in the order of a Hilbert curve: what one query has
/// brought into the cache serves the next. At a million points, in half to three quarters of the
/// time.
const LARGE: usize = 1 << 18;

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
        if self.len < LARGE || regions.len() < LARGE / 64 {
            return Lists::collect(regions, |region, found| self.query(region).append_to(found));
        }
        let nowhere = T::Vector::splat(Scalar::ZERO);
        let center = |region: &R| region.hint().map_or(nowhere, |hint| hint.center());
        let centers: Vec<_> = regions.iter().map(center).collect();
        let order = order(&centers, self.instructions);
        Lists::in_order(&order, |range, part| {
            for &region in &order[range] {
                let before = part.items.len();
                self.query(&regions[region as usize])
                    .append_to(&mut part.items);
                part.lens.push((part.items.len() - before) as u32);
            }
        })
    }
}
