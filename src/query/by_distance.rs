//! All items by their distance from a point, lazily.

use alloc::vec;
use core::fmt;
use core::iter::FusedIterator;

use super::{ScalarIn, SpatialIndex};
use crate::nearest::Nearest;
use crate::overlap::Distance;

/// The number of items that the first search finds.
const FIRST: usize = 16;

/// The answers of a structure.
type NearestIn<S> = Nearest<<S as SpatialIndex>::Key, ScalarIn<S>>;

/// A lazy iterator over items by their distance from a point; [`SpatialIndex::by_distance`] returns it. It searches for the nearest items
/// when they are read, then for twice as many, and so on.
pub struct ByDistance<'a, S: SpatialIndex> {
    index: &'a S,
    point: S::Vector,
    found: vec::IntoIter<NearestIn<S>>,
    /// The number of items found so far.
    seen: usize,
    is_done: bool,
}

impl<'a, S: SpatialIndex> ByDistance<'a, S> {
    pub(super) fn new(index: &'a S, point: S::Vector) -> Self {
        Self {
            index,
            point,
            found: vec::IntoIter::default(),
            seen: 0,
            is_done: false,
        }
    }
}

impl<S: SpatialIndex<Item: Distance>> Iterator for ByDistance<'_, S> {
    type Item = NearestIn<S>;

    #[inline]
    fn next(&mut self) -> Option<NearestIn<S>> {
        let next = self.found.next();
        if next.is_some() || self.is_done {
            return next;
        }
        let wanted = self.seen.saturating_mul(2).max(FIRST);
        let mut all = self.index.nearest_n(self.point, wanted);
        self.is_done = all.len() < wanted;
        let seen = core::mem::replace(&mut self.seen, all.len());
        // A search may find fewer than the last one if distances are NaN, as those of unchecked items of a saved tree may be.
        all.drain(..seen.min(all.len()));
        self.found = all.into_iter();
        self.found.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.found.len();
        (left, self.is_done.then_some(left))
    }
}

impl<S: SpatialIndex<Item: Distance>> FusedIterator for ByDistance<'_, S> {}

impl<S: SpatialIndex> Clone for ByDistance<'_, S> {
    fn clone(&self) -> Self {
        Self {
            found: self.found.clone(),
            ..*self
        }
    }
}

impl<S: SpatialIndex> fmt::Debug for ByDistance<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByDistance")
            .field("point", &self.point)
            .field("seen", &(self.seen - self.found.len()))
            .finish_non_exhaustive()
    }
}
