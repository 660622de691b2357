//! Rays, balls and boxes sent through the world.

mod search;

pub(super) use search::Hits;

use alloc::vec::Vec;

use super::world::Kernels;
use super::{Broadphase, Filtered, Volume};
use crate::overlap::lanes::Plain;
use crate::{Aabb, Bounded, Handle, Hit, Moving, Overlaps, Region, Scalar, Sphere, Sweep, Vector};

/// A shape sent along a direction up to a time.
#[derive(Clone, Copy, Debug)]
pub struct Cast<V: Vector> {
    shape: CastShape<V>,
    direction: V,
    max_t: V::Scalar,
}

#[derive(Clone, Copy, Debug)]
enum CastShape<V: Vector> {
    Ray(V),
    Volume(Volume<V>),
}

impl<V: Vector> Cast<V> {
    /// That of a moving ball or box: nothing else can be swept against volumes.
    fn of<S>(moving: &Moving<S>) -> Cast<V::Array>
    where
        S: Bounded<Vector = V> + Region<Vector = V>,
    {
        let volume = match moving.shape().plain() {
            Some(Plain::Box(bounds)) => Volume::Box(bounds),
            Some(Plain::Ball(ball)) => Volume::Sphere(Sphere::valid(ball.center, ball.outer)),
            None => unreachable!("only balls and boxes move"),
        };
        Cast {
            shape: CastShape::Volume(volume.cast()),
            direction: moving.displacement().array(),
            max_t: moving.horizon(),
        }
    }
}

macro_rules! casts {
    ([$($g:tt)*] $asked:ty, |$this:ident| $broadphase:expr, $filter:expr) => {
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
                let shape = CastShape::Ray(origin.array());
                self.cast(shape, direction, max_t, visit);
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
                let $this = self;
                let cast = Cast {
                    shape: CastShape::Ray(origin.array()),
                    direction: direction.array(),
                    max_t,
                };
                <V::Array>::first_hit(&$broadphase.world, $filter, &cast)
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
                let shape = CastShape::Volume(Volume::Sphere(ball).cast());
                self.cast(shape, direction, max_t, visit);
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
                let shape = CastShape::Volume(Volume::Box(bounds).cast());
                self.cast(shape, direction, max_t, visit);
            }

            fn cast(
                &self,
                shape: CastShape<V::Array>,
                direction: V,
                max_t: V::Scalar,
                mut visit: impl FnMut(Handle, V::Scalar) -> V::Scalar,
            ) {
                let $this = self;
                let cast = Cast {
                    shape,
                    direction: direction.array(),
                    max_t,
                };
                let hits = <V::Array>::hits(&$broadphase.world, $filter, &cast);
                let Some(mut hits) = hits else { return };
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

            /// The body that a moving shape touches first; of several, that with the least handle.
            /// `None` if it touches nothing until its horizon. All that it touches, without times:
            /// `query`.
            ///
            /// What moves is a sphere or box with its displacement:
            /// `sweep(Moving::new(sphere, displacement))`.
            ///
            /// # Complexity
            ///
            /// O(log n + bodies about the path up to the hit).
            #[must_use]
            pub fn sweep<S>(&self, moving: Moving<S>) -> Option<Hit<Handle, V>>
            where
                S: Bounded<Vector = V> + Region<Vector = V> + Overlaps<Volume<V>>,
                Moving<S>: Sweep<Volume<V>, Vector = V>,
            {
                let $this = self;
                let hit = <V::Array>::sweep(&$broadphase.world, $filter, &Cast::<V>::of(&moving));
                hit.map(Hit::cast)
            }

            /// All bodies that a moving shape touches, with time and place, by first touch, ties by
            /// handle.
            #[must_use]
            pub fn sweep_all<S>(&self, moving: Moving<S>) -> Vec<Hit<Handle, V>>
            where
                S: Bounded<Vector = V> + Region<Vector = V> + Overlaps<Volume<V>>,
                Moving<S>: Sweep<Volume<V>, Vector = V>,
            {
                let $this = self;
                let hits = <V::Array>::sweep_all(&$broadphase.world, $filter, &Cast::<V>::of(&moving));
                hits.into_iter().map(Hit::cast).collect()
            }
        }
    };
}

casts!([V: Vector] Broadphase<V>, |this| this, None);
casts!([V: Vector] Filtered<'_, V>, |this| this.broadphase, Some(this.filter));
