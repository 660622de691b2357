//! Rays, balls and boxes sent through the world.

mod sent;

use sent::Sent;

use super::engine::Probe;
use super::{Broadphase, Filtered, Volume};
use crate::{Aabb, Bounded, Handle, Moving, Scalar, Sphere, Sweep, Vector};

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
