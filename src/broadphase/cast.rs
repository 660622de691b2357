//! Rays, balls and boxes sent through the world.

mod search;

pub(super) use search::Hits;

use super::world::Kernels;
use super::{Broadphase, Filtered, Volume};
use crate::handle::Handle;
use crate::overlap::Region;
use crate::overlap::lanes::Plain;
use crate::shape::{Aabb, Bounded, Sphere};
use crate::sweep::Moving;
use crate::vector::{Scalar, Vector};

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
    pub(super) fn of<S>(moving: &Moving<S>) -> Cast<V::Array>
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

impl<V: Vector> Broadphase<V> {
    /// Meets the bodies on a ray from `origin` along `direction`, of any length: `visit` is given each with
    /// the time `t` from 0 to `max_t` at which `origin + t * direction` first touches it, 0 where the ray
    /// starts inside. By time, ties by handle, however the tree lies.
    ///
    /// What `visit` returns is the new limit of the time, if it is less than the old one: `t` to hear of
    /// ties only, infinity to go on, something negative to end. A ray that is not finite, or a `max_t` that
    /// is negative or NaN, meets nothing; an infinite `max_t` is fine.
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
        self.unfiltered().cast_ray(origin, direction, max_t, visit);
    }

    /// The body that a ray meets first, and when; of several, that with the least handle.
    ///
    /// Otherwise like [`cast_ray`](Self::cast_ray). For a ball or a box, [`sweep`](crate::SpatialIndex::sweep) finds the
    /// first.
    #[must_use]
    pub fn first_on_ray(
        &self,
        origin: V,
        direction: V,
        max_t: V::Scalar,
    ) -> Option<(Handle, V::Scalar)> {
        self.unfiltered().first_on_ray(origin, direction, max_t)
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
        self.unfiltered().cast_sphere(ball, direction, max_t, visit);
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
        self.unfiltered().cast_box(bounds, direction, max_t, visit);
    }
}

impl<V: Vector> Filtered<'_, V> {
    /// [`Broadphase::cast_ray`], which meets only bodies that meet the filter.
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

    /// [`Broadphase::first_on_ray`], of the bodies that meet the filter.
    #[must_use]
    pub fn first_on_ray(
        &self,
        origin: V,
        direction: V,
        max_t: V::Scalar,
    ) -> Option<(Handle, V::Scalar)> {
        let cast = Cast {
            shape: CastShape::Ray(origin.array()),
            direction: direction.array(),
            max_t,
        };
        <V::Array>::first_hit(&self.broadphase.world, self.filter, &cast)
    }

    /// [`Broadphase::cast_sphere`], which meets only bodies that meet the filter.
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

    /// [`Broadphase::cast_box`], which meets only bodies that meet the filter.
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
        let cast = Cast {
            shape,
            direction: direction.array(),
            max_t,
        };
        let hits = <V::Array>::hits(&self.broadphase.world, self.filter, &cast);
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
}
