//! Rays, balls and boxes sent through the world.
//!
//! Bodies are met in the order of their times. Nodes wait in a heap by the time at which they can be
//! touched, bodies in another; a body is told once no node can hold an earlier one.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::engine::Probe;
use super::{Broadphase, Filter, Filtered, Volume};
use crate::nearest::Ranked;
use crate::query::Hierarchy;
use crate::{Aabb, Bounded, Handle, Moving, Region, Scalar, Sphere, Sweep, Vector};

/// Something sent through the world: as nodes see it, and as sixteen boxes do.
struct Sent<'a, V: Vector, S: Bounded<Vector = V>> {
    world: &'a Broadphase<V>,
    filter: Option<Filter>,
    moving: &'a Moving<S>,
    probe: Option<Probe<V>>,
}

impl<V: Vector, S> Sent<'_, V, S>
where
    S: Bounded<Vector = V> + Region<Vector = V>,
{
    /// The time at which a body is touched.
    fn time(
        &self,
        slot: u32,
        limit: V::Scalar,
        time: impl Fn(&Volume<V>, V::Scalar) -> Option<V::Scalar>,
    ) -> Option<V::Scalar> {
        let body = self.world.slots.at(slot);
        let counts = self
            .filter
            .is_none_or(|filter| filter.meets(body.proxy.filter));
        counts.then(|| time(&body.volume, limit))?
    }

    /// The first body by time, ties by handle.
    fn first(
        &self,
        probe: &Probe<V>,
        time: impl Fn(&Volume<V>, V::Scalar) -> Option<V::Scalar>,
    ) -> Option<Ranked<V::Scalar, Handle>> {
        let engine = &self.world.engine;
        // Then the tree holds all that is to be known.
        let bare = self.filter.is_none() && self.world.is_bare();
        let mut first = None;
        let mut limit = self.moving.horizon();
        let mut offer = |time: Option<V::Scalar>, slot, limit: &mut V::Scalar| {
            if let Some(time) = time.filter(|time| *time <= *limit) {
                let rank = Ranked(time, self.world.slots.handle(slot));
                if first.is_none_or(|first| rank < first) {
                    first = Some(rank);
                    *limit = time;
                }
            }
        };
        let mut descent = engine.descent();
        while let Some(entered) = engine.next_entered(&mut descent, probe, limit) {
            let mut others = entered.others;
            if bare {
                for lane in lanes(entered.met) {
                    let slot = engine.entered_id(&entered, lane);
                    offer(Some(V::Scalar::ZERO), slot, &mut limit);
                }
            } else {
                others |= entered.met;
            }
            for lane in lanes(others) {
                if entered.times[lane] > limit {
                    continue;
                }
                let slot = engine.entered_id(&entered, lane);
                let touched = if bare {
                    time(&Volume::Box(engine.entered_box(&entered, lane)), limit)
                } else {
                    self.time(slot, limit, &time)
                };
                offer(touched, slot, &mut limit);
            }
        }
        for slot in engine.astray() {
            let bound = self.moving.bound_of(&engine.bounds(slot));
            if bound.is_some_and(|bound| bound <= limit) {
                offer(self.time(slot, limit, &time), slot, &mut limit);
            }
        }
        first
    }

    /// Meets bodies by time, ties by handle, up to a time that `visit` may lower. `time` is that of
    /// a volume, `None` for never; above the limit it is given it may be anything.
    fn meet(
        &self,
        time: impl Fn(&Volume<V>, V::Scalar) -> Option<V::Scalar>,
        mut visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
    ) {
        let mut limit = self.moving.horizon();
        let mut met = None;
        if let Some(probe) = &self.probe {
            // Most ask for no more than the first, which has a shorter way.
            let Some(Ranked(t, handle)) = self.first(probe, &time) else {
                return;
            };
            let lower = visit(handle, t);
            // NaN is no time either.
            if lower >= V::Scalar::ZERO {
                limit = limit.smaller(lower);
            } else {
                return;
            }
            met = Some(Ranked(t, handle));
        }
        let world = self.world;
        // A time before which nothing in a node is touched.
        let bound = |node| {
            let enter = self.moving.bound_of(&world.extent(node).core);
            enter.map(|enter| Reverse(Ranked(enter, node)))
        };
        let mut nodes: BinaryHeap<_> = world.root().and_then(bound).into_iter().collect();
        let mut bodies = BinaryHeap::new();
        loop {
            let earliest = bodies.peek().map(|Reverse(Ranked(time, _))| *time);
            // At an equal time too: a tie goes by handle.
            let opens = |time| time <= limit && earliest.is_none_or(|earliest| time <= earliest);
            if let Some(Reverse(Ranked(enter, node))) = nodes.peek().copied()
                && opens(enter)
            {
                nodes.pop();
                let mut ask = |slot| {
                    let touched = self.time(slot, limit, &time);
                    if let Some(time) = touched.filter(|&time| time <= limit) {
                        let rank = Ranked(time, world.slots.handle(slot));
                        if met != Some(rank) {
                            bodies.push(Reverse(rank));
                        }
                    }
                };
                let asked = self.probe.as_ref().is_some_and(|probe| {
                    let child = |node, enter| nodes.push(Reverse(Ranked(enter, node)));
                    world.engine.enter(node, probe, limit, child, &mut ask)
                });
                if !asked {
                    world.run(node, false).for_each(ask);
                    let children = world.children(node, false).filter_map(bound);
                    nodes.extend(children.filter(|child| child.0.0 <= limit));
                }
            } else if let Some(Reverse(Ranked(time, handle))) = bodies.pop()
                && time <= limit
            {
                let lower = visit(handle, time);
                if lower >= V::Scalar::ZERO {
                    limit = limit.smaller(lower);
                } else {
                    return;
                }
            } else {
                return;
            }
        }
    }
}

/// The numbers of the bits that are set.
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        let some = bits != 0;
        bits &= bits.wrapping_sub(1);
        some.then_some(lane)
    })
}

/// A shape sent along a direction; nothing where that is no motion.
#[inline]
fn send<V, S>(shape: S, direction: V, max_t: V::Scalar) -> Option<Moving<S>>
where
    V: Vector,
    S: Bounded<Vector = V>,
{
    let moving = Moving::try_new(shape, direction).ok()?;
    moving.try_until(max_t).ok()
}

/// When a ray first meets a volume: to boxes it is a box, to balls and nodes a ball.
fn ray_time<V: Vector>(
    point: &Moving<Aabb<V>>,
    ball: &Moving<Sphere<V>>,
    volume: &Volume<V>,
) -> Option<V::Scalar> {
    match volume {
        Volume::Box(b) => point.times(b).map(|times| times.0),
        Volume::Sphere(_) => ball.times(volume).map(|times| times.0),
    }
}

macro_rules! casts {
    ([$($g:tt)*] $asked:ty, |$this:ident| $world:expr, $filter:expr) => {
        impl<$($g)*> $asked {
            /// Meets the bodies on a ray from `origin` along `direction`, of any length: `visit` is
            /// given each with the time `t` from 0 to `max_t` at which `origin + t * direction`
            /// first touches it, 0 where the ray starts inside. By time, ties by handle, however the
            /// tree lies.
            ///
            /// What `visit` returns is the new limit of the time, if it is less than the old one:
            /// `t` to hear of ties only, infinity to go on, something negative to end. A ray that is
            /// not finite, or a `max_t` that is negative or NaN, meets nothing; an infinite `max_t`
            /// is fine.
            ///
            /// # Complexity
            ///
            /// O(log n + bodies about the ray up to the limit).
            ///
            /// ```
            /// use orthant::{Aabb, Broadphase, Motion, Sphere};
            /// let mut world = Broadphase::new();
            /// let ball = world.insert(Sphere::new([5.0, 0.0], 1.0), Motion::Dynamic);
            /// let wall = world.insert(Aabb::new([8.0, -9.0], [9.0, 9.0]), Motion::Static);
            /// let mut met = Vec::new();
            /// world.cast_ray([0.0, 0.0], [2.0, 0.0], f64::INFINITY, |body, t| {
            ///     met.push((body, t));
            ///     f64::INFINITY
            /// });
            /// assert_eq!(met, [(ball, 2.0), (wall, 4.0)]);
            /// ```
            pub fn cast_ray(
                &self,
                origin: V,
                direction: V,
                max_t: V::Scalar,
                visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
            ) {
                let ($this, ball) = (self, Sphere::try_new(origin, V::Scalar::ZERO));
                let point = send(Aabb::point(origin), direction, max_t);
                let ball = ball.ok().and_then(|ball| send(ball, direction, max_t));
                let (Some(point), Some(ball)) = (point, ball) else {
                    return;
                };
                let sent = Sent {
                    world: $world,
                    filter: $filter,
                    moving: &ball,
                    probe: Probe::new(&point),
                };
                sent.meet(|volume, _| ray_time(&point, &ball, volume), visit);
            }

            /// The body that a ray meets first, and when; of several, that with the least handle.
            ///
            /// Otherwise like [`cast_ray`](Self::cast_ray). For a ball or a box,
            /// [`sweep`](Self::sweep) finds the first.
            #[must_use]
            pub fn first_on_ray(
                &self,
                origin: V,
                direction: V,
                max_t: V::Scalar,
            ) -> Option<(Handle, V::Scalar)> {
                let mut first = None;
                self.cast_ray(origin, direction, max_t, |body, t| {
                    first = Some((body, t));
                    V::Scalar::ZERO - V::Scalar::ONE
                });
                first
            }

            /// Meets the bodies that a ball touches on its way along `direction`; otherwise like
            /// [`cast_ray`](Self::cast_ray).
            pub fn cast_sphere(
                &self,
                ball: Sphere<V>,
                direction: V,
                max_t: V::Scalar,
                visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
            ) {
                let $this = self;
                if let Some(ball) = send(ball, direction, max_t) {
                    let sent = Sent {
                        world: $world,
                        filter: $filter,
                        moving: &ball,
                        probe: Probe::new(&ball),
                    };
                    sent.meet(|volume, limit| ball.first(volume, limit), visit);
                }
            }

            /// Meets the bodies that a box touches on its way along `direction`; otherwise like
            /// [`cast_ray`](Self::cast_ray).
            pub fn cast_box(
                &self,
                bounds: Aabb<V>,
                direction: V,
                max_t: V::Scalar,
                visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
            ) {
                let $this = self;
                if let Some(bounds) = send(bounds, direction, max_t) {
                    let sent = Sent {
                        world: $world,
                        filter: $filter,
                        moving: &bounds,
                        probe: Probe::new(&bounds),
                    };
                    sent.meet(|volume, limit| bounds.first(volume, limit), visit);
                }
            }
        }
    };
}

casts!([V: Vector] Broadphase<V>, |this| this, None);
casts!([V: Vector] Filtered<'_, V>, |this| this.world, Some(this.filter));
