//! Region queries: boxes and balls are tested against sixteen boxes of the tree at once, other regions node by node.

use alloc::vec::Vec;

use super::body::Body;
use super::tree_query::BoxSearch;
use super::world::World;
use super::{Filter, Volume};
use crate::handle::Handle;
use crate::nearest::Closest;
use crate::overlap::distance::Center;
use crate::overlap::lanes::Plain;
use crate::overlap::{Extent, Overlaps};
use crate::query::{BUFFER, Descent, Key, KeyWriter, Relate, SlotRun, best_first, next_run};
use crate::shape::{Hollow, Shell, Sphere};
use crate::simd::ArrayVec;
use crate::vector::Vector;

/// A ball or a box, tested against bodies that meet a filter, or against all.
#[derive(Clone, Copy, Debug)]
pub struct VolumeRegion<V: Vector> {
    pub(super) plain: Plain<V>,
    pub(super) filter: Option<Filter>,
}

impl<V: Vector> World<V> {
    /// Lists the slots of some of the bodies that meet a region, or counts all of them that are left.
    pub(super) fn find(
        &self,
        region: &VolumeRegion<V>,
        search: &mut BoxSearch,
        mut to: Option<&mut KeyWriter<'_>>,
    ) -> usize {
        let mut found = ArrayVec::<BUFFER>::new();
        let mut count = 0;
        while !search.is_done() {
            found.clear();
            let sure = self.candidates(region, search, &mut found);
            let slots = found.as_slice().iter();
            let slots = slots.filter(|&&slot| sure || region.meets(&self.body(slot)));
            let Some(to) = &mut to else {
                count += slots.count();
                continue;
            };
            slots.for_each(|&slot| self.bodies.handle(slot).push(to));
            break;
        }
        count
    }

    /// Lists some bodies whose boxes in the tree may meet a region. Returns true if it is known that the bodies do.
    fn candidates(
        &self,
        region: &VolumeRegion<V>,
        search: &mut BoxSearch,
        found: &mut ArrayVec<BUFFER>,
    ) -> bool {
        let bare = region.filter.is_none() && self.is_bare();
        search.fill(self, &region.plain, found) && bare
    }

    /// The bodies that make a pair with one.
    pub(super) fn partners(&self, handle: Handle) -> Vec<Handle> {
        let mut partners = Vec::new();
        let Some(body) = self.bodies.get(handle).filter(|_| self.rules.paired) else {
            return partners;
        };
        let (slot, rules) = (handle.slot, self.pair_rules());
        let around = Plain::Box(body.bounds);
        let mut search = BoxSearch::default();
        search.start(self);
        let mut found = ArrayVec::<BUFFER>::new();
        while !search.is_done() {
            found.clear();
            search.fill(self, &around, &mut found);
            for &other in found.as_slice() {
                let (a, b) = (slot.min(other), slot.max(other));
                let overlap = || self.bodies.bounds(a).overlaps(&self.bodies.bounds(b));
                if a != b && overlap() && rules.is_pair(a, b) {
                    partners.push(self.bodies.handle(other));
                }
            }
        }
        partners
    }

    /// Offers the bodies that may be nearest to a point.
    pub(super) fn nearest(
        &self,
        filter: Option<Filter>,
        from: &Center<V>,
        best: &mut Closest<V::Scalar, Handle>,
    ) {
        let bound = |extent: &Extent<V>| Some(extent.distance_sq::<Volume<V>>(from));
        best_first(self, &bound, &mut |run| {
            for slot in run.slots.filter_map(|lane| self.id_at(run.part, lane)) {
                let body = self.body(slot);
                if filter.is_none_or(|filter| filter.meets(body.filter)) {
                    best.offer(from.item_sq(&body.volume), self.bodies.handle(slot));
                }
            }
            best.limit_sq()
        });
    }

    pub(super) fn next_run(
        &self,
        relate: &Relate<'_, V>,
        descent: &mut Descent,
    ) -> Option<SlotRun> {
        next_run(self, relate, descent)
    }
}

impl<V: Vector> VolumeRegion<V> {
    /// True if a body meets the region and the filter.
    fn meets(&self, body: &Body<V>) -> bool {
        self.filter.is_none_or(|filter| filter.meets(body.filter))
            && match &self.plain {
                Plain::Box(b) => b.overlaps(&body.volume),
                Plain::Ball(ball) if !ball.hollow => {
                    Sphere::valid(ball.center, ball.outer).overlaps(&body.volume)
                }
                Plain::Ball(ball) if ball.inner == ball.outer => {
                    Hollow(Sphere::valid(ball.center, ball.outer)).overlaps(&body.volume)
                }
                Plain::Ball(ball) => {
                    Shell::valid(ball.center, ball.inner, ball.outer).overlaps(&body.volume)
                }
            }
    }
}
