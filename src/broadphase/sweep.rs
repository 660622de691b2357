//! The methods that send rays, balls and boxes through the world.

use super::Kernels;
use super::{Broadphase, Filtered, Volume};
use crate::handle::Handle;
use crate::sweep::{Mover, Ray};
use crate::vector::{Scalar, Vector};

impl<V: Vector> Broadphase<V> {
    /// Meets the bodies that a [`Ray`], or a [`Moving`](crate::Moving) ball or box, touches on its way: `visit` is given
    /// each with the time at which it is first touched, 0 where it is from the start. By time, ties by handle, however
    /// the tree lies.
    ///
    /// What `visit` returns is the new limit of the time, if it is less than the old one: the time to hear of ties only,
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
        reason = "taken as every structure takes what is sent"
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
        <V::Array>::first_hit(&self.broadphase.world, self.filter, &cast)
    }
}
