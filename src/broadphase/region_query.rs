//! Region queries: boxes and balls are tested against sixteen boxes of the tree at once, other regions node by node.

use alloc::vec::Vec;
use core::ops::Deref;

use super::Kernels;
use super::body::Body;
use super::tree_query::BoxSearch;
use super::world::World;
use super::{Broadphase, Filter, Volume};
use crate::handle::Handle;
use crate::nearest::Closest;
use crate::overlap::distance::Center;
use crate::overlap::lanes::Plain;
use crate::overlap::{Distance, Overlaps, Region, Relation};
use crate::query::{
    BUFFER, Descent, HandleWriter, ItemTree, Relate, nearest_in_tree_if, next_node,
};
use crate::shape::{Aabb, Hollow, Shell, Sphere};
use crate::simd::ArrayVec;
use crate::vector::Vector;

/// A region of the user, tested against bodies that meet a filter.
#[derive(Clone, Copy, Debug)]
pub struct OfBodies<R> {
    pub(super) region: R,
    pub(super) filter: Option<Filter>,
}

impl<R: Region> Region for OfBodies<R> {
    type Vector = R::Vector;

    #[inline(always)]
    fn relate(&self, cell: &Aabb<R::Vector>) -> Relation {
        match self.region.relate(cell) {
            // The filters have to be asked as well.
            Relation::Inside if self.filter.is_some() => Relation::Straddles,
            relation => relation,
        }
    }
}

impl<V: Vector, R: Overlaps<Volume<V>>> Overlaps<Body<V>> for OfBodies<R> {
    #[inline(always)]
    fn overlaps(&self, body: &Body<V>) -> bool {
        self.filter.is_none_or(|filter| filter.meets(body.filter))
            && self.region.overlaps(&body.volume)
    }
}

impl<V: Vector> Distance for Body<V> {
    #[inline]
    fn distance_sq(&self, from: V) -> V::Scalar {
        self.volume.distance_sq(from)
    }
}

/// A body that is made when it is asked.
struct Owned<T>(T);

impl<T> Deref for Owned<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A tree of bodies, whose slots are their keys.
impl<V: Vector> ItemTree for World<V> {
    type Nodes = Self;
    type Item = Body<V>;
    type Key = Handle;

    fn nodes(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn item(&self, place: u32) -> impl Deref<Target = Body<V>> {
        Owned(self.body(place))
    }

    #[inline(always)]
    fn key(&self, place: u32) -> Handle {
        self.bodies.handle(place)
    }
}

/// A tree of bodies in the user's vectors.
impl<V: Vector> ItemTree for Broadphase<V> {
    type Nodes = World<V::Array>;
    type Item = Body<V>;
    type Key = Handle;

    fn nodes(&self) -> &World<V::Array> {
        &self.world
    }

    fn item(&self, place: u32) -> impl Deref<Target = Body<V>> {
        Owned(self.world.body(place).cast())
    }

    fn key(&self, place: u32) -> Handle {
        self.world.bodies.handle(place)
    }

    fn next_node(
        &self,
        region: &dyn Relate<V::Array>,
        descent: &mut Descent,
    ) -> Option<(u32, bool)> {
        <V::Array>::next_node(&self.world, region, descent)
    }
}

/// A ball or a box, tested against bodies that meet a filter, or against all.
#[derive(Clone, Copy, Debug)]
pub struct VolumeRegion<V: Vector> {
    pub(super) plain: Plain<V>,
    pub(super) filter: Option<Filter>,
}

impl<V: Vector> World<V> {
    /// Finds some of the bodies that meet a region.
    pub(super) fn find(
        &self,
        region: &VolumeRegion<V>,
        search: &mut BoxSearch,
        to: &mut HandleWriter<'_>,
    ) {
        let mut found = ArrayVec::<BUFFER>::new();
        let sure = self.candidates(region, search, &mut found);
        for &slot in found.as_slice() {
            if sure || region.meets(&self.body(slot)) {
                to.slots.append(&[slot]);
                to.generations
                    .append(&[self.bodies.handle(slot).generation]);
            }
        }
    }

    /// Counts the bodies that are left.
    pub(super) fn count(&self, region: &VolumeRegion<V>, search: &mut BoxSearch) -> usize {
        let mut found = ArrayVec::<BUFFER>::new();
        let mut count = 0;
        while !search.is_done() {
            found.clear();
            count += if self.candidates(region, search, &mut found) {
                found.len()
            } else {
                let slots = found.as_slice().iter();
                slots
                    .filter(|&&slot| region.meets(&self.body(slot)))
                    .count()
            };
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
        let mut search = BoxSearch::new();
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
        nearest_in_tree_if(self, *from, best, |body| {
            filter.is_none_or(|filter| filter.meets(body.filter))
        });
    }

    pub(super) fn next_node(
        &self,
        region: &dyn Relate<V>,
        descent: &mut Descent,
    ) -> Option<(u32, bool)> {
        next_node(self, region, descent)
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
