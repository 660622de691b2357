//! Casts: the bodies that a ray, or a moving ball or box, touches on its way, in the order of their times.
//!
//! ```text
//! find the first body: sweep the bodies of blocks that may be entered before the earliest body found
//! for the other bodies:
//!     until no block of the tree can be entered before the earliest body of the heap:
//!         sweep the bodies of the next block that may be entered, and push those that are touched onto the heap
//!     hand out the earliest body of the heap
//! ```

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::sweep_bounds::{EntrySearch, SweepBounds};
use super::{Broadphase, Filter, Filtered, Kernels, Volume, World};
use crate::bits::set_bits;
use crate::handle::Handle;
use crate::nearest::Ranked;
use crate::simd::LANES;
use crate::sweep::{Cast, Impact, Mover, Ray, Sweep};
use crate::vector::{Scalar, Vector};

impl<V: Vector> Broadphase<V> {
    /// Calls `visit` with each body that a [`Ray`], or a [`Moving`](crate::Moving) ball or box, touches on its way, and
    /// the time of the first touch: 0 if they overlap at the start. Bodies come by time, ties by handle, whatever the
    /// state of the tree.
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

impl<V: Vector> Filtered<'_, V> {
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
        let world = &self.broadphase.world;
        <V::Array>::visit_hits(world, self.filter, &mover.cast(), &mut visit);
    }

    /// Finds what [`Broadphase::first_on_ray`] does, among the bodies that meet the filter.
    #[must_use]
    pub fn first_on_ray(&self, ray: Ray<V>) -> Option<(Handle, V::Scalar)> {
        let cast = Mover::<Volume<V>>::cast(&ray);
        <V::Array>::first_hit(&self.broadphase.world, self.filter, &cast)
    }
}

/// Takes a body and the time of its first touch, and returns a limit for the times to come.
pub(super) type Visit<'a, S> = dyn FnMut(Handle, S) -> S + 'a;

impl<V: Vector> Cast<V> {
    /// The ray, box or ball that is cast, to be swept against volumes.
    fn sweeper(&self) -> &dyn Sweep<Volume<V>, Vector = V> {
        match self {
            Self::Ray(ray) => ray,
            Self::Box(bounds) => bounds,
            Self::Ball(ball) => ball,
        }
    }
}

/// Hands out the bodies that a moving shape touches to `visit`, as [`Broadphase::visit_sweep`] says.
pub(super) fn visit_hits<V: Vector>(
    world: &World<V>,
    filter: Option<Filter>,
    mover: &Cast<V>,
    visit: &mut Visit<'_, V::Scalar>,
) {
    // Most visitors want only the first body, for which the shorter search suffices.
    let Some(first) = first_hit(world, filter, mover) else {
        return;
    };
    let (bounds, mut limit) = bounds_and_horizon(mover);
    // A negative number or NaN ends the search.
    let mut goes_on = |(body, time), limit: &mut V::Scalar| {
        let lower = visit(body, time);
        *limit = limit.smaller(lower);
        lower >= V::Scalar::ZERO
    };
    if !goes_on(first, &mut limit) {
        return;
    }
    let mut search = EntrySearch::new(world);
    // The heap holds touched bodies before which others may be touched. Start with bodies that are not in place in the
    // tree.
    let moved = world.out_of_place(0..world.bodies.changed.len());
    let touched = moved.filter_map(|id| touch(world, filter, mover, id, limit));
    let mut touched: BinaryHeap<_> = touched.map(Reverse).collect();
    loop {
        // Open blocks that are entered at an equal time too, since ties go by handle.
        let earliest = touched.peek().map(|Reverse(earliest)| earliest.0);
        let until = earliest.map_or(limit, |time| limit.smaller(time));
        if let Some(entered) = search.next(world, &bounds, [limit, until]) {
            for lane in set_bits(entered.lanes) {
                let id = world.tree.ids[entered.block].0[lane % LANES];
                touched.extend(touch(world, filter, mover, id, limit).map(Reverse));
            }
            continue;
        }
        // No other body is touched before the earliest in the heap.
        let Some(Reverse(Ranked(time, body))) = touched.pop() else {
            return;
        };
        if time > limit || (body, time) != first && !goes_on((body, time), &mut limit) {
            return;
        }
    }
}

/// The body that a moving shape touches first, ties by handle, and the time.
pub(super) fn first_hit<V: Vector>(
    world: &World<V>,
    filter: Option<Filter>,
    mover: &Cast<V>,
) -> Option<(Handle, V::Scalar)> {
    let (bounds, mut limit) = bounds_and_horizon(mover);
    let mut first = None;
    let mut offer = |id, limit: &mut V::Scalar| {
        let touched = touch(world, filter, mover, id, *limit);
        if let Some(rank) = touched.filter(|rank| first.is_none_or(|first| *rank < first)) {
            (first, *limit) = (Some(rank), rank.0);
        }
    };
    // Bodies that are not in place in the tree come first, then the blocks of the tree by time.
    for id in world.out_of_place(0..world.bodies.changed.len()) {
        offer(id, &mut limit);
    }
    let mut search = EntrySearch::new(world);
    while let Some(entered) = search.next(world, &bounds, [limit; 2]) {
        for lane in set_bits(entered.lanes) {
            let lane = lane % LANES;
            if entered.times[lane] <= limit {
                offer(world.tree.ids[entered.block].0[lane], &mut limit);
            }
        }
    }
    first.map(|Ranked(time, body)| (body, time))
}

/// When and where a moving shape touches a body.
pub(super) fn impact_of_hit<V: Vector>(
    world: &World<V>,
    mover: &Cast<V>,
    body: Handle,
) -> Option<Impact<V>> {
    let volume = world.volume(body.slot);
    mover.sweeper().sweep(&volume)
}

/// The bounds of a moving shape, and the time after which it touches nothing.
#[inline]
fn bounds_and_horizon<V: Vector>(mover: &Cast<V>) -> (SweepBounds<V>, V::Scalar) {
    match mover {
        Cast::Ray(ray) => (SweepBounds::new(&ray.as_box()), ray.horizon()),
        Cast::Box(bounds) => (SweepBounds::new(bounds), bounds.horizon()),
        Cast::Ball(ball) => (SweepBounds::new(ball), ball.horizon()),
    }
}

/// The time at which a moving shape touches a body, if that is up to a limit and the body meets the filter.
#[inline]
fn touch<V: Vector>(
    world: &World<V>,
    filter: Option<Filter>,
    mover: &Cast<V>,
    id: u32,
    limit: V::Scalar,
) -> Option<Ranked<V::Scalar, Handle>> {
    if !world.passes(filter, id) {
        return None;
    }
    let volume = world.volume(id);
    let time = mover.sweeper().first(&volume, limit);
    let time = time.filter(|&time| time <= limit)?;
    Some(Ranked(time, world.bodies.handle(id)))
}
