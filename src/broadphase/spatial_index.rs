//! Queries of all bodies, or of those that meet a filter, at their latest places.

use alloc::vec::Vec;
use core::ops::Range;

use super::Kernels;
use super::tree_query::{BoxSearch, VolumeRegion};
use super::{Broadphase, Filter, Volume, World};
use crate::handle::Handle;
use crate::nearest::Nearest;
use crate::overlap::lanes::Plain;
use crate::overlap::{Extent, Overlaps, Region, Relation};
use crate::query::{Descent, Hit, KeyWriter, Query, Search, SlotRun, SpatialIndex};
use crate::sweep::{Mover, Ray};
use crate::vector::{Scalar, Vector};

/// The bodies that meet a filter, made by [`Broadphase::filtered`].
#[derive(Clone, Copy, Debug)]
pub struct Filtered<'a, V: Vector> {
    pub(super) broadphase: &'a Broadphase<V>,
    /// `None` for all bodies.
    pub(super) filter: Option<Filter>,
}

impl<V: Vector> Broadphase<V> {
    /// The bodies that a body with this filter would meet, for queries and casts.
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

    /// All bodies, whatever their filters.
    pub(super) fn unfiltered(&self) -> Filtered<'_, V> {
        Filtered {
            broadphase: self,
            filter: None,
        }
    }

    /// The bodies that are a pair with a given one, in no particular order; none if it has been removed.
    ///
    /// Bodies count where they are now: right after an update the answer is that of its [`pairs`](Self::pairs), later
    /// that of the next update.
    ///
    /// # Complexity
    ///
    /// O(log n + bodies near it).
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

    /// Calls `visit` with each body that a [`Ray`], or a [`Moving`](crate::Moving) ball or box, touches on its way, and the time of the
    /// first touch: 0 if they overlap at the start. Bodies come by time, ties by handle, whatever the state of the tree.
    ///
    /// `visit` returns a limit for the times to come, which has no effect if it is above the old one: the time itself
    /// to get only ties, infinity to go on, a negative number or NaN to stop.
    ///
    /// # Complexity
    ///
    /// O(log n + bodies near the way up to the limit).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion, Ray, Sphere};
    /// let mut world = Broadphase::new();
    /// let ball = world.insert(Sphere::new([5.0, 0.0], 1.0), Motion::Dynamic);
    /// let wall = world.insert(Aabb::new([8.0, -9.0], [9.0, 9.0]), Motion::Static);
    /// let mut met = Vec::new();
    /// world.visit_sweep(Ray::new([0.0, 0.0], [2.0, 0.0]), |body, t| {
    ///     met.push((body, t));
    ///     f64::INFINITY
    /// });
    /// assert_eq!(met, [(ball, 2.0), (wall, 4.0)]);
    /// ```
    pub fn visit_sweep<M: Mover<Volume<V>>>(
        &self,
        mover: M,
        visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
    ) {
        self.unfiltered().visit_sweep(mover, visit);
    }

    /// The body that a ray touches first, and the time; of several, the one with the least handle.
    ///
    /// [`cast_ray`](crate::SpatialIndex::cast_ray) also says where, and takes a little longer.
    ///
    /// ```
    /// use orthant::{Broadphase, Filter, Motion, Ray, Sphere};
    /// let mut world = Broadphase::new();
    /// let ball = world.insert(Sphere::new([5.0, 0.0], 1.0), Motion::Dynamic);
    /// let ray = Ray::new([0.0, 0.0], [2.0, 0.0]);
    /// assert_eq!(world.first_on_ray(ray), Some((ball, 2.0)));
    /// let blind = world.filtered(Filter { mask: 0, ..Filter::ALL });
    /// assert_eq!(blind.first_on_ray(ray), None);
    /// ```
    #[must_use]
    pub fn first_on_ray(&self, ray: Ray<V>) -> Option<(Handle, V::Scalar)> {
        self.unfiltered().first_on_ray(ray)
    }
}

/// The most common queries; [`SpatialIndex`] has all of them.
impl<V: Vector> Broadphase<V> {
    /// The bodies that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for bodies and regions that are not much longer than wide, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of bodies that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// The cost of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<Volume<V>>,
    {
        SpatialIndex::count(self, region)
    }

    /// The body nearest to a point; of several, the one with the least handle: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for bodies that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<Handle, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
}

impl<'a, V: Vector> Filtered<'a, V> {
    #[inline(always)]
    fn world(self) -> &'a World<V::Array> {
        &self.broadphase.world
    }

    /// Calls `visit` as [`Broadphase::visit_sweep`] does, but only with bodies that meet the filter.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "as every structure takes a mover"
    )]
    pub fn visit_sweep<M: Mover<Volume<V>>>(
        &self,
        mover: M,
        mut visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
    ) {
        <V::Array>::visit_hits(self.world(), self.filter, &mover.cast(), &mut visit);
    }

    /// Finds what [`Broadphase::first_on_ray`] does, among the bodies that meet the filter.
    #[must_use]
    pub fn first_on_ray(&self, ray: Ray<V>) -> Option<(Handle, V::Scalar)> {
        let cast = Mover::<Volume<V>>::cast(&ray);
        <V::Array>::first_hit(self.world(), self.filter, &cast)
    }
}

/// Implements [`SpatialIndex`] for all bodies of a world, or for those that meet a filter; `$view` makes a [`Filtered`] of them.
macro_rules! bodies {
    ($(#[$about:meta])* $bodies:ty, $view:ident) => {
        $(#[$about])*
        impl<V: Vector> Search<Volume<V>, Handle> for $bodies {
            type ByBlocks = VolumeRegion<V::Array>;
            type Cursor = BoxSearch;
            type Walk = Descent;

            fn by_blocks<R>(&self, region: &R) -> Option<VolumeRegion<V::Array>>
            where
                R: Region<Vector = V> + Overlaps<Volume<V>>,
            {
                let plain = region.plain().filter(Plain::is_euclidean)?.cast();
                let filter = self.$view().filter;
                Some(VolumeRegion { plain, filter })
            }

            #[inline]
            fn start(&self, _: &VolumeRegion<V::Array>, search: &mut BoxSearch) {
                search.start(self.$view().world());
            }

            #[inline]
            fn is_done(search: &BoxSearch) -> bool {
                search.is_done()
            }

            #[inline]
            fn search(
                &self,
                region: &VolumeRegion<V::Array>,
                search: &mut BoxSearch,
                to: Option<&mut KeyWriter<'_>>,
            ) -> usize {
                <V::Array>::find(self.$view().world(), region, search, to)
            }

            fn next_run<R>(&self, region: &R, descent: &mut Descent) -> Option<SlotRun>
            where
                R: Region<Vector = V> + Overlaps<Volume<V>>,
            {
                let relate = |extent: &Extent<V::Array>| match region.relate(&extent.core.cast()) {
                    // Each body has to be tested: a filter may exclude it, or it may have moved away.
                    Relation::Inside => Relation::Straddles,
                    relation => relation,
                };
                <V::Array>::next_run(self.$view().world(), &relate, descent)
            }

            fn best_first(
                &self,
                bound: impl Fn(&Extent<V>) -> Option<V::Scalar>,
                mut offer: impl FnMut(SlotRun) -> V::Scalar,
            ) {
                let bound = |extent: &Extent<V::Array>| bound(&extent.cast());
                <V::Array>::best_first(self.$view().world(), &bound, &mut offer);
            }

            fn each_item(&self, node: u32, lanes: Range<u32>, mut f: impl FnMut(u32, &Volume<V>)) {
                let (world, wanted) = (self.$view().world(), self.$view().filter);
                for lane in lanes {
                    if let Some(id) = world.id_at(node, lane).filter(|&id| world.passes(wanted, id)) {
                        f(lane, &world.volume(id).cast());
                    }
                }
            }

            fn key_at(&self, node: u32, lane: u32) -> Handle {
                let id = self.$view().world().id_at(node, lane);
                self.$view().world().bodies.handle(id.expect("a lane with a body"))
            }

            fn extent(&self) -> Option<Extent<V>> {
                self.$view().world().extent_of_all().map(|all| all.cast())
            }
        }

        impl<V: Vector> SpatialIndex for $bodies {
            type Vector = V;
            type Item = Volume<V>;
            type Key = Handle;

            fn len(&self) -> usize {
                let (world, filter) = (self.$view().world(), self.$view().filter);
                if filter.is_none() {
                    return world.bodies.len();
                }
                let handles = world.bodies.handles();
                handles.filter(|body| world.passes(filter, body.slot)).count()
            }

            fn sweep<M: Mover<Volume<V>>>(&self, mover: M) -> Option<Hit<Handle, V>> {
                let cast = mover.cast();
                let (world, filter) = (self.$view().world(), self.$view().filter);
                let (item, _) = <V::Array>::first_hit(world, filter, &cast)?;
                let impact = mover.sweep(&world.volume(item.slot).cast())?;
                Some(Hit { item, impact })
            }

            fn sweep_all<M: Mover<Volume<V>>>(&self, mover: M) -> Vec<Hit<Handle, V>> {
                let (cast, mut hits) = (mover.cast(), Vec::new());
                let (world, filter) = (self.$view().world(), self.$view().filter);
                <V::Array>::visit_hits(world, filter, &cast, &mut |item, _| {
                    let impact = mover.sweep(&world.volume(item.slot).cast());
                    hits.extend(impact.map(|impact| Hit { item, impact }));
                    Scalar::INFINITY
                });
                hits
            }
        }
    };
}

bodies!(Broadphase<V>, unfiltered);
bodies!(
    /// The bodies that meet the filter. [`len`](SpatialIndex::len) takes O(n), since it looks at every body.
    Filtered<'_, V>, clone
);
