//! The searches of a structure, from which its queries are made.
//!
//! Every structure has a search run by run, for a region of any kind ([`next_run`](Search::next_run)), and one in the order of a lower bound, for the
//! nearest items ([`best_first`](Search::best_first)). All trees share these two (`node_search.rs`). Where vector instructions are faster, a structure also has
//! a search by blocks of sixteen items ([`by_blocks`](Search::by_blocks)) and one for the nearest that is compiled in this crate
//! ([`offer_by_kernel`](Search::offer_by_kernel)).

use alloc::vec::Vec;
use core::ops::Range;

use super::{BUFFER, Key, KeyWriter, SlotRun};
use crate::error::Error;
use crate::nearest::Closest;
use crate::norm::{DistanceBy, Norm, least_measure};
use crate::overlap::distance::Center;
use crate::overlap::lanes::Measure;
use crate::overlap::{Distance, Extent, Overlaps, Region};
use crate::shape::{Bounded, ScalarOf};

/// The searches of a structure of items `T` with keys `K`: by blocks, run by run, and in the order of a lower bound.
pub trait Search<T: Bounded, K: Key>: Sized {
    /// The form of a region that is tested against blocks of sixteen items; `Infallible` if none is.
    type ByBlocks: Clone;

    /// The state of a search by blocks. It is started only in its final place: moving it would take a fifth of the time of a query for ten
    /// points.
    type Cursor: Clone + Default;

    /// The state of a search run by run; by default, the search has not begun.
    type Walk: Clone + Default;

    /// Converts a region, if it can be tested against blocks.
    #[inline(always)]
    fn by_blocks<R>(&self, _: &R) -> Option<Self::ByBlocks>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>,
    {
        None
    }

    /// Starts a search by blocks.
    #[inline(always)]
    fn start(&self, _: &Self::ByBlocks, _: &mut Self::Cursor) {}

    /// Returns true if a search by blocks is done.
    #[must_use]
    #[inline(always)]
    fn is_done(_: &Self::Cursor) -> bool {
        true
    }

    /// Continues a search by blocks: appends keys of items as long as those of a whole block fit, or counts items.
    fn search(
        &self,
        _: &Self::ByBlocks,
        _: &mut Self::Cursor,
        _: Option<&mut KeyWriter<'_>>,
    ) -> usize {
        unreachable!("this structure has no search by blocks")
    }

    /// Appends the keys of all items that a search by blocks finds to a list, or counts the items.
    #[inline]
    fn search_all(
        &self,
        region: &Self::ByBlocks,
        mut list: Option<&mut Vec<K::Packed>>,
    ) -> Result<usize, Error> {
        let (mut cursor, mut count) = (Self::Cursor::default(), 0);
        self.start(region, &mut cursor);
        while !Self::is_done(&cursor) {
            match &mut list {
                None => count += self.search(region, &mut cursor, None),
                Some(list) => K::list(list).extend(BUFFER, |to| {
                    self.search(region, &mut cursor, Some(to));
                })?,
            }
        }
        Ok(count)
    }

    /// The next run of items to report or to test.
    fn next_run<R>(&self, region: &R, walk: &mut Self::Walk) -> Option<SlotRun>
    where
        R: Region<Vector = T::Vector> + Overlaps<T>;

    /// Offers the items of cells and nodes, in the order of `bound`: a lower bound for the items of a cell or node, or `None` to skip it.
    /// `offer` returns the limit beyond which no item matters any more.
    fn best_first(
        &self,
        bound: impl Fn(&Extent<T::Vector>) -> Option<ScalarOf<T>>,
        offer: impl FnMut(SlotRun) -> ScalarOf<T>,
    );

    /// Calls `f` with each slot of a range and its item. Skips items that queries leave out, such as bodies that a filter excludes.
    fn each_item(&self, part: u32, slots: Range<u32>, f: impl FnMut(u32, &T));

    /// The key of the item in a slot of a run.
    fn key_at(&self, part: u32, slot: u32) -> K;

    /// Offers all items that may be nearer than the farthest in `best`, by a measure or else by Euclid's distance, with vector
    /// instructions. Returns false, having offered nothing, if there are none for it.
    #[inline(always)]
    fn offer_by_kernel(
        &self,
        _from: &Center<T::Vector>,
        _measure: Option<Measure<T::Vector>>,
        _best: &mut Closest<ScalarOf<T>, K>,
    ) -> bool {
        false
    }

    /// Offers all items that may be nearer than the farthest in `best`.
    #[inline(always)]
    fn offer_nearest(&self, from: &Center<T::Vector>, best: &mut Closest<ScalarOf<T>, K>)
    where
        T: Distance,
    {
        if !self.offer_by_kernel(from, None, best) {
            self.offer_best_first(
                |extent| extent.distance_sq::<T>(from),
                |item| from.item_sq(item),
                best,
            );
        }
    }

    /// Offers items by a norm, whose measure takes the place of the squared distance.
    fn offer_nearest_by<N>(&self, norm: &N, from: T::Vector, best: &mut Closest<ScalarOf<T>, K>)
    where
        N: Norm<T::Vector>,
        T: DistanceBy<N>,
    {
        if !self.offer_by_kernel(&Center::open(from), Some(norm.as_measure()), best) {
            self.offer_best_first(
                |extent| least_measure::<T, N>(norm, from, extent),
                |item| item.measure(norm, from),
                best,
            );
        }
    }

    /// Offers items by any squared distance. Cells and nodes come in the order of a lower bound for their items, until none can hold a
    /// nearer item.
    #[inline(always)]
    fn offer_best_first(
        &self,
        bound: impl Fn(&Extent<T::Vector>) -> ScalarOf<T>,
        distance_sq: impl Fn(&T) -> ScalarOf<T>,
        best: &mut Closest<ScalarOf<T>, K>,
    ) {
        self.best_first(
            |extent| Some(bound(extent)),
            |run| {
                let part = run.part;
                self.each_item(part, run.slots, |slot, item| {
                    best.offer(distance_sq(item), self.key_at(part, slot));
                });
                best.limit_sq()
            },
        );
    }

    /// The extent of all items; `None` if there are none.
    fn extent(&self) -> Option<Extent<T::Vector>>;
}
