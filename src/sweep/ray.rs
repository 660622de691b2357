//! Rays: against points and spheres, a moving ball of radius 0; against boxes, a moving box without extent, by slabs
//! (T. L. Kay, J. T. Kajiya, "Ray tracing complex scenes", SIGGRAPH, 1986).

use super::{Moving, Sweep};
use crate::error::{ShapeError, or_panics};
use crate::overlap::{Overlaps, Region, Relation};
use crate::shape::{Aabb, Sphere, shape};
use crate::vector::{Scalar, Vector};

shape! {
    /// A half-line from an origin along a direction, or a part of it ([`until`](Self::until)).
    ///
    /// Places on it are `origin + t * direction`: times `t` are in units of the direction's length, which need not be 1,
    /// as `toi` is in parry and rapier. [`cast_ray`](crate::SpatialIndex::cast_ray) gives the first item of a structure
    /// that it touches; as a [`Region`] it is all of its points, so that `query` gives every item on it. A ray that begins
    /// within an item touches it at time 0, and one whose direction is zero touches nothing else.
    ///
    /// ```
    /// use orthant::{Aabb, Orthtree, Ray, SpatialIndex, glam::Vec3};
    ///
    /// let wall = |x: f32| Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x + 1.0, 1.0, 1.0));
    /// let walls = Orthtree::new(&[wall(9.0), wall(5.0), wall(-5.0)]);
    /// let ray = Ray::new(Vec3::ZERO, Vec3::X * 2.0);
    /// let hit = walls.cast_ray(ray).unwrap();
    /// assert_eq!((hit.item, hit.impact.first), (1, 2.5));
    /// assert_eq!((hit.impact.point, hit.impact.normal), (ray.at(2.5), Vec3::NEG_X));
    /// assert_eq!(walls.count(ray), 2);
    /// assert!(walls.cast_ray(ray.until(2.0)).is_none());
    /// ```
    pub struct Ray<V: Vector> {
        /// Where it begins.
        origin: V,
        /// Where it leads in each unit of time.
        direction: V,
        /// The time at which it ends; infinity if it does not.
        #[serde(
            with = "super::endless",
            default = "super::endless::infinity",
            bound(serialize = "V::Scalar: serde::Serialize", deserialize = "V::Scalar: serde::Deserialize<'de>")
        )]
        horizon: V::Scalar,
    }
    read through try_new_until
}

impl<V: Vector> Ray<V> {
    or_panics! {
        /// The ray from an origin along a direction of any length, without end.
        Ray: new = try_new(origin: V, direction: V)
    }

    /// The ray from an origin along a direction of any length, without end.
    ///
    /// # Errors
    ///
    /// If a component is infinite or NaN.
    pub fn try_new(origin: V, direction: V) -> Result<Self, ShapeError> {
        crate::shape::check_finite("origin", origin)?;
        crate::shape::check_finite("direction", direction)?;
        Ok(Self {
            origin,
            direction,
            horizon: V::Scalar::INFINITY,
        })
    }

    #[cfg(feature = "serde")]
    fn try_new_until(origin: V, direction: V, horizon: V::Scalar) -> Result<Self, ShapeError> {
        Self::try_new(origin, direction)?.try_until(horizon)
    }

    or_panics! {
        /// The part of the ray up to a time.
        Ray: until = try_until(self, horizon: V::Scalar)
    }

    /// The part of the ray up to a time; infinity for all of it.
    ///
    /// # Errors
    ///
    /// If the time is negative or NaN.
    pub fn try_until(self, horizon: V::Scalar) -> Result<Self, ShapeError> {
        super::check_horizon(horizon)?;
        Ok(Self { horizon, ..self })
    }

    /// The place at a time: `origin + t * direction`, each operation rounded.
    #[inline]
    #[must_use]
    pub fn at(&self, t: V::Scalar) -> V {
        super::moved(self.origin, self.direction, t)
    }

    /// The ray with arrays as its vectors.
    pub(crate) fn arrays(&self) -> Ray<V::Array> {
        Ray {
            origin: self.origin.array(),
            direction: self.direction.array(),
            horizon: self.horizon,
        }
    }

    /// The ray as a moving ball of radius 0, for points and spheres.
    #[inline]
    pub(crate) fn as_ball(&self) -> Moving<Sphere<V>> {
        let point = Sphere::valid(self.origin, Scalar::ZERO);
        Moving::made(point, self.direction, self.horizon)
    }

    /// The ray as a moving box without extent, for boxes.
    #[inline]
    pub(crate) fn as_box(&self) -> Moving<Aabb<V>> {
        Moving::made(Aabb::point(self.origin), self.direction, self.horizon)
    }
}

/// Whether it touches the target.
impl<V: Vector, T: ?Sized> Overlaps<T> for Ray<V>
where
    Self: Sweep<T>,
{
    #[inline]
    fn overlaps(&self, target: &T) -> bool {
        self.times(target).is_some()
    }
}

/// All of its points.
impl<V: Vector> Region for Ray<V> {
    type Vector = V;

    fn hint(&self) -> Option<Aabb<V>> {
        self.as_ball().hint()
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        no_inside(self.as_ball().relate(cell))
    }

    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        no_inside(self.as_ball().relate_balls(centers, least, most))
    }
}

/// No cell is inside a ray. Cells so small that their squares vanish would lie in the ball, but boxes in them are
/// tested without squares.
#[inline]
fn no_inside(relation: Relation) -> Relation {
    match relation {
        Relation::Inside => Relation::Straddles,
        relation => relation,
    }
}
