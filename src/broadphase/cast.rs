//! Rays, balls and boxes sent through the world.
//!
//! Bodies are met in the order of their times. Nodes wait in a heap by the time at which they can be
//! touched, bodies in another; a body is told once no node can hold an earlier one.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::engine::Probe;
use super::{Body, Broadphase, Filtered, Volume};
use crate::nearest::Ranked;
use crate::query::Hierarchy;
use crate::{Aabb, Bounded, Handle, Moving, Region, Scalar, Sphere, Sweep, Vector};

/// The first body by time, ties by handle.
fn first<V: Vector, S>(
    world: &Broadphase<V>,
    moving: &Moving<S>,
    probe: &Probe<V>,
    time: impl Fn(&Body<V>) -> Option<V::Scalar>,
) -> Option<Ranked<V::Scalar, Handle>>
where
    S: Bounded<Vector = V> + Region<Vector = V>,
{
    let mut first = None;
    let mut limit = moving.horizon();
    let mut offer = |slot, limit: &mut V::Scalar| {
        if let Some(time) = time(world.slots.at(slot)).filter(|time| *time <= *limit) {
            let rank = Ranked(time, world.slots.handle(slot));
            if first.is_none_or(|first| rank < first) {
                first = Some(rank);
                *limit = time;
            }
        }
    };
    let mut descent = world.engine.descent(probe, limit);
    while let Some(slot) = world.engine.next_entered(&mut descent, probe, limit) {
        offer(slot, &mut limit);
    }
    for slot in world.engine.astray() {
        let bound = moving.bound_of(&world.engine.bounds(slot));
        if bound.is_some_and(|bound| bound <= limit) {
            offer(slot, &mut limit);
        }
    }
    first
}

/// Meets bodies by time, ties by handle, up to a time that `visit` may lower. `time` is that of a
/// body, `None` for never.
fn meet<V: Vector, S>(
    world: &Broadphase<V>,
    moving: &Moving<S>,
    time: impl Fn(&Body<V>) -> Option<V::Scalar>,
    mut visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
) where
    S: Bounded<Vector = V> + Region<Vector = V>,
{
    let probe = Probe::new(moving);
    let mut limit = moving.horizon();
    let mut met = None;
    if let Some(probe) = &probe {
        // Most ask for no more than the first, which has a shorter way.
        let Some(Ranked(t, handle)) = first(world, moving, probe, &time) else {
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
    // A time before which nothing in a node is touched.
    let bound = |node| {
        let enter = moving.bound_of(&world.extent(node).core);
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
                if let Some(time) = time(world.slots.at(slot)).filter(|&time| time <= limit) {
                    let rank = Ranked(time, world.slots.handle(slot));
                    if met != Some(rank) {
                        bodies.push(Reverse(rank));
                    }
                }
            };
            let asked = probe.as_ref().is_some_and(|probe| {
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

/// A shape sent along a direction; nothing where that is no motion.
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
    ([$($g:tt)*] $asked:ty, |$this:ident| $world:expr, |$body:ident| $has:expr) => {
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
                let time = |$body: &Body<V>| {
                    let meets = $has.then(|| ray_time(&point, &ball, &$body.volume));
                    meets.flatten()
                };
                meet($world, &ball, time, visit);
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
                    let time = |$body: &Body<V>| {
                        let times = $has.then(|| ball.times(&$body.volume));
                        times.flatten().map(|times| times.0)
                    };
                    meet($world, &ball, time, visit);
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
                    let time = |$body: &Body<V>| {
                        let times = $has.then(|| bounds.times(&$body.volume));
                        times.flatten().map(|times| times.0)
                    };
                    meet($world, &bounds, time, visit);
                }
            }
        }
    };
}

casts!([V: Vector] Broadphase<V>, |this| this, |body| true);
casts!([V: Vector] Filtered<'_, V>, |this| this.world, |body| this.has(body));
