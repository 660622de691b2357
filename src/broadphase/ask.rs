//! What is asked of all bodies, or of those that meet a filter, wherever they were last put: balls and boxes by
//! blocks of sixteen, other regions node by node.

use alloc::vec::Vec;

use super::engine::BoxSearch;
use super::query::{OfBodies, VolumeRegion};
use super::world::{Kernels, World};
use super::{Broadphase, Filter, Volume};
use crate::handle::Handle;
use crate::kernels::Array;
use crate::nearest::Closest;
use crate::norm::{DistanceBy, Norm};
use crate::overlap::{Extent, Overlaps, Region};
use crate::query::{
    BlockSearch, HandleWriter, Hit, SpatialIndex, TreeWalk, nearest_in_tree_by, own_questions,
};
use crate::sweep::Mover;
use crate::vector::Vector;

/// The bodies that meet a filter: what [`Broadphase::filtered`] gives.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<'a, V: Vector> {
    pub(super) broadphase: &'a Broadphase<V>,
    /// `None` for all bodies.
    pub(super) filter: Option<Filter>,
}

impl<V: Vector> Broadphase<V> {
    /// The bodies that a body with this filter would meet, to be asked like the world itself.
    ///
    /// ```
    /// use orthant::{Aabb, BodyInfo, Broadphase, Filter, Motion, SpatialIndex};
    /// let mut world = Broadphase::new();
    /// let glass = Filter { category: 2, ..Filter::ALL };
    /// let unit = Aabb::new([0.0], [1.0]);
    /// let window = world.insert(unit, BodyInfo::from(Motion::Static).with_filter(glass));
    /// assert!(world.query(unit).eq([window]));
    /// let light = Filter { mask: !2, ..Filter::ALL };
    /// assert_eq!(world.filtered(light).count(unit), 0);
    /// ```
    #[must_use]
    pub fn filtered(&self, filter: Filter) -> Filtered<'_, V> {
        Filtered {
            broadphase: self,
            filter: Some(filter),
        }
    }

    /// All bodies: what is asked of the world itself.
    pub(super) fn unfiltered(&self) -> Filtered<'_, V> {
        Filtered {
            broadphase: self,
            filter: None,
        }
    }

    /// The bodies that make a pair with one, in no order of use; none if it has been removed.
    ///
    /// Asks where bodies are now: right after an update that are its [`pairs`](Self::pairs), later
    /// what the next update would find.
    ///
    /// # Complexity
    ///
    /// O(log n + bodies about it).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let mut world = Broadphase::new();
    /// let [a, _, c] = [4.0, 9.0, 5.0].map(|x| {
    ///     world.insert(Aabb::new([x], [x + 1.0]), Motion::Dynamic)
    /// });
    /// assert!(world.partners(a).eq([c]));
    /// ```
    pub fn partners(&self, handle: Handle) -> impl Iterator<Item = Handle> {
        <V::Array>::partners(&self.world, handle).into_iter()
    }
}

own_questions! {
    impl[V: Vector] Broadphase<V> { Volume<V>, V, Handle }

    /// The bodies that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for bodies and regions that are not much longer than wide, O(n) at worst.
    query;

    /// The number of bodies that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query), or less.
    count;

    /// The body nearest to a point; of several, that with the least handle: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for bodies that are not all equally far.
    nearest;
}

impl<V: Vector> SpatialIndex for Broadphase<V> {
    type Vector = V;
    type Item = Volume<V>;
    type Key = Handle;
    type ByBlocks = VolumeRegion<V::Array>;
    type Walk<'a, R>
        = TreeWalk<'a, Self, OfBodies<R>>
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>;

    fn len(&self) -> usize {
        self.len()
    }

    fn by_blocks<R>(&self, region: &R) -> Option<VolumeRegion<V::Array>>
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>,
    {
        self.unfiltered().by_blocks(region)
    }

    fn walk<R>(&self, region: R) -> TreeWalk<'_, Self, OfBodies<R>>
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>,
    {
        self.unfiltered().tree_walk(region)
    }

    fn offer_nearest(&self, from: V, best: &mut Closest<V::Scalar, Handle>) {
        self.unfiltered().offer_nearest(from, best);
    }

    fn offer_nearest_by<N>(&self, norm: &N, from: V, best: &mut Closest<V::Scalar, Handle>)
    where
        N: Norm<V>,
        Volume<V>: DistanceBy<N>,
    {
        self.unfiltered().offer_nearest_by(norm, from, best);
    }

    fn sweep<M: Mover<Volume<V>>>(&self, mover: M) -> Option<Hit<Handle, V>> {
        self.unfiltered().sweep(mover)
    }

    fn sweep_all<M: Mover<Volume<V>>>(&self, mover: M) -> Vec<Hit<Handle, V>> {
        self.unfiltered().sweep_all(mover)
    }

    fn extent(&self) -> Option<Extent<V>> {
        self.world.engine.extent_of_all().map(|all| all.cast())
    }
}

impl<'w, V: Vector> Filtered<'w, V> {
    fn tree_walk<R>(&self, region: R) -> TreeWalk<'w, Broadphase<V>, OfBodies<R>>
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>,
    {
        let filter = self.filter;
        TreeWalk::new(self.broadphase, OfBodies { region, filter })
    }
}

/// The bodies that meet the filter. What differs from the world itself is [`len`](SpatialIndex::len), which looks at
/// every body.
impl<'w, V: Vector> SpatialIndex for Filtered<'w, V> {
    type Vector = V;
    type Item = Volume<V>;
    type Key = Handle;
    type ByBlocks = VolumeRegion<V::Array>;
    type Walk<'a, R>
        = TreeWalk<'w, Broadphase<V>, OfBodies<R>>
    where
        Self: 'a,
        R: Region<Vector = V> + Overlaps<Volume<V>>;

    /// The number of bodies that meet the filter: each is looked at.
    fn len(&self) -> usize {
        let world = &self.broadphase.world;
        let handles = self.broadphase.iter().map(|(handle, _)| handle);
        handles
            .filter(|handle| {
                let body = world.body(handle.slot);
                self.filter.is_none_or(|filter| filter.meets(body.filter))
            })
            .count()
    }

    fn by_blocks<R>(&self, region: &R) -> Option<VolumeRegion<V::Array>>
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>,
    {
        Some(VolumeRegion {
            plain: region.plain()?.cast(),
            filter: self.filter,
        })
    }

    fn walk<R>(&self, region: R) -> TreeWalk<'w, Broadphase<V>, OfBodies<R>>
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>,
    {
        self.tree_walk(region)
    }

    fn offer_nearest(&self, from: V, best: &mut Closest<V::Scalar, Handle>) {
        <V::Array>::nearest(&self.broadphase.world, self.filter, from.array(), best);
    }

    fn offer_nearest_by<N>(&self, norm: &N, from: V, best: &mut Closest<V::Scalar, Handle>)
    where
        N: Norm<V>,
        Volume<V>: DistanceBy<N>,
    {
        nearest_in_tree_by(self.broadphase, norm, from, best, |body| {
            self.filter.is_none_or(|filter| filter.meets(body.filter))
        });
    }

    fn sweep<M: Mover<Volume<V>>>(&self, mover: M) -> Option<Hit<Handle, V>> {
        let cast = mover.cast();
        let hit = <V::Array>::sweep(&self.broadphase.world, self.filter, &cast);
        hit.map(Hit::cast)
    }

    fn sweep_all<M: Mover<Volume<V>>>(&self, mover: M) -> Vec<Hit<Handle, V>> {
        let cast = mover.cast();
        let hits = <V::Array>::sweep_all(&self.broadphase.world, self.filter, &cast);
        hits.into_iter().map(Hit::cast).collect()
    }

    fn extent(&self) -> Option<Extent<V>> {
        self.broadphase.extent()
    }
}

/// Whose bodies are asked: a world's, all or those that meet a filter, which the region knows.
pub trait OfWorld: SpatialIndex<Key = Handle> {
    type Array: Array + Kernels;

    fn world(&self) -> &World<Self::Array>;
}

impl<V: Vector> OfWorld for Broadphase<V> {
    type Array = V::Array;

    #[inline(always)]
    fn world(&self) -> &World<V::Array> {
        &self.world
    }
}

impl<V: Vector> OfWorld for Filtered<'_, V> {
    type Array = V::Array;

    #[inline(always)]
    fn world(&self) -> &World<V::Array> {
        &self.broadphase.world
    }
}

impl<B: OfWorld> BlockSearch<B> for VolumeRegion<B::Array> {
    type Cursor = BoxSearch;

    #[inline]
    fn cursor() -> BoxSearch {
        BoxSearch::new()
    }

    #[inline]
    fn start(&self, bodies: &B, search: &mut BoxSearch) {
        search.start(&bodies.world().engine);
    }

    #[inline]
    fn is_done(search: &mut BoxSearch) -> bool {
        search.is_done()
    }

    #[inline]
    fn fill(&self, bodies: &B, search: &mut BoxSearch, to: &mut HandleWriter<'_>) {
        <B::Array>::find(bodies.world(), self, search, to);
    }

    #[inline]
    fn count(&self, bodies: &B, search: &mut BoxSearch) -> usize {
        <B::Array>::count(bodies.world(), self, search)
    }
}
