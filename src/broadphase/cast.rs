//! Casts: the bodies that a ray, or a moving ball or box, touches on its way, in the order of their times.
//!
//! ```text
//! until no block of the tree can be entered before the earliest body found:
//!     of the next block of boxes, those that may be entered are asked when, and put in a heap
//! hand out the earliest body of the heap
//! ```

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::sweep_bounds::{EntrySearch, SweepBounds};
use super::{Broadphase, Filter, Filtered, Kernels, Volume, World};
use crate::bits::set_bits;
use crate::handle::Handle;
use crate::nearest::Ranked;
use crate::query::Hit;
use crate::simd::LANES;
use crate::sweep::{Cast, Mover, Ray, Sweep};
use crate::vector::{Scalar, Vector};

impl<V: Vector> Broadphase<V> {
    /// Meets the bodies that a [`Ray`], or a [`Moving`](crate::Moving) ball or box, touches on its way: `visit` is given
    /// each with the time at which it is first touched, 0 where it is from the start. By time, ties by handle, however
    /// the tree lies.
    ///
    /// `visit` returns a new limit of the time, which counts if it is less than the old one: the time to hear of ties only,
    /// infinity to go on, something negative or NaN to end.
    ///
    /// # Complexity
    ///
    /// O(log n + bodies about the way up to the limit).
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

    /// The body that a ray meets first, and when; of several, that with the least handle.
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

impl<V: Vector> Filtered<'_, V> {
    /// [`Broadphase::visit_sweep`], which meets only bodies that meet the filter.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "as every structure takes a mover"
    )]
    pub fn visit_sweep<M: Mover<Volume<V>>>(
        &self,
        mover: M,
        mut visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
    ) {
        let mut hits = <V::Array>::hits(&self.broadphase.world, self.filter, &mover.cast());
        let mut limit = V::Scalar::INFINITY;
        while let Some((body, t)) = <V::Array>::next_hit(&mut hits, limit) {
            let lower = visit(body, t);
            // NaN is no time either.
            if lower >= V::Scalar::ZERO {
                limit = limit.smaller(lower);
            } else {
                return;
            }
        }
    }

    /// [`Broadphase::first_on_ray`], of the bodies that meet the filter.
    #[must_use]
    pub fn first_on_ray(&self, ray: Ray<V>) -> Option<(Handle, V::Scalar)> {
        let cast = Mover::<Volume<V>>::cast(&ray);
        <V::Array>::first_hit(&mut <V::Array>::hits(
            &self.broadphase.world,
            self.filter,
            &cast,
        ))
    }
}

/// Calls a method of what is cast.
macro_rules! cast {
    ($cast:expr, $mover:ident => $call:expr) => {
        match $cast {
            Cast::Ray($mover) => $call,
            Cast::Box($mover) => $call,
            Cast::Ball($mover) => $call,
        }
    };
}

/// The bodies that a shape meets, one after the other.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct Hits<'a, V: Vector> {
    world: &'a World<V>,
    filter: Option<Filter>,
    mover: Cast<V>,
    /// The time after which nothing is touched.
    horizon: V::Scalar,
    bounds: SweepBounds<V>,
    search: EntrySearch<V>,
    /// True if the bodies that are not in the tree were asked.
    has_begun: bool,
    /// Bodies that are touched, but perhaps not before all others.
    touched: BinaryHeap<Reverse<Ranked<V::Scalar, Handle>>>,
}

impl<'a, V: Vector> Hits<'a, V> {
    #[inline]
    pub(super) fn new(world: &'a World<V>, filter: Option<Filter>, mover: &Cast<V>) -> Self {
        Self {
            world,
            filter,
            mover: *mover,
            horizon: cast!(mover, mover => mover.horizon()),
            bounds: match mover {
                Cast::Ray(ray) => SweepBounds::new(&ray.as_box()),
                Cast::Box(bounds) => SweepBounds::new(bounds),
                Cast::Ball(ball) => SweepBounds::new(ball),
            },
            search: EntrySearch::new(world),
            has_begun: false,
            touched: BinaryHeap::new(),
        }
    }

    /// The time at which a body is touched, if that is up to a limit.
    fn ask(&self, id: u32, limit: V::Scalar) -> Option<Ranked<V::Scalar, Handle>> {
        if !self.world.passes(self.filter, id) {
            return None;
        }
        let volume = self.world.volume(id);
        let time = cast!(&self.mover, mover => mover.first(&volume, limit));
        let time = time.filter(|&time| time <= limit)?;
        Some(Ranked(time, self.world.bodies.handle(id)))
    }

    /// The first body by time, ties by handle.
    fn first(&mut self) -> Option<Ranked<V::Scalar, Handle>> {
        let (world, mut limit, mut first) = (self.world, self.horizon, None);
        let mut offer = |this: &Self, id, limit: &mut V::Scalar| {
            let asked = this.ask(id, *limit);
            if let Some(rank) = asked.filter(|rank| first.is_none_or(|first| *rank < first)) {
                (first, *limit) = (Some(rank), rank.0);
            }
        };
        for id in world.out_of_place(0..world.bodies.changed.len()) {
            offer(self, id, &mut limit);
        }
        while let Some(entered) = self.search.next(world, &self.bounds, [limit; 2]) {
            for lane in set_bits(entered.lanes) {
                let lane = lane % LANES;
                if entered.times[lane] <= limit {
                    offer(self, world.tree.ids[entered.block].0[lane], &mut limit);
                }
            }
        }
        first
    }

    /// The next body by time, ties by handle, up to a limit that may fall from call to call.
    fn next(&mut self, limit: V::Scalar) -> Option<Ranked<V::Scalar, Handle>> {
        let (world, limit) = (self.world, limit.smaller(self.horizon));
        if !core::mem::replace(&mut self.has_begun, true) {
            let moved = world.out_of_place(0..world.bodies.changed.len());
            let touched = moved.filter_map(|id| self.ask(id, limit));
            self.touched = touched.map(Reverse).collect();
        }
        loop {
            // At an equal time too: a tie goes by handle.
            let earliest = self.touched.peek().map(|Reverse(earliest)| earliest.0);
            let until = earliest.map_or(limit, |time| limit.smaller(time));
            let Some(entered) = self.search.next(world, &self.bounds, [limit, until]) else {
                break;
            };
            for lane in set_bits(entered.lanes) {
                let touched = self.ask(world.tree.ids[entered.block].0[lane % LANES], limit);
                self.touched.extend(touched.map(Reverse));
            }
        }
        let Reverse(next) = self.touched.pop()?;
        (next.0 <= limit).then_some(next)
    }

    /// A body that is touched, and when and where.
    fn hit(&self, Ranked(_, item): Ranked<V::Scalar, Handle>) -> Option<Hit<Handle, V>> {
        let volume = self.world.volume(item.slot);
        let impact = cast!(&self.mover, mover => mover.sweep(&volume))?;
        Some(Hit { item, impact })
    }

    pub(super) fn next_hit(&mut self, limit: V::Scalar) -> Option<(Handle, V::Scalar)> {
        self.next(limit).map(|Ranked(time, body)| (body, time))
    }

    pub(super) fn first_hit(&mut self) -> Option<(Handle, V::Scalar)> {
        self.first().map(|Ranked(time, body)| (body, time))
    }

    pub(super) fn first_impact(&mut self) -> Option<Hit<Handle, V>> {
        let first = self.first()?;
        self.hit(first)
    }

    pub(super) fn all_impacts(&mut self) -> Vec<Hit<Handle, V>> {
        let mut hits = Vec::new();
        while let Some(next) = self.next(self.horizon) {
            hits.extend(self.hit(next));
        }
        hits
    }
}
