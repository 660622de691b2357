//! Round shapes: spheres, shells and ellipsoids.

use crate::error::{ShapeError, or_panic, or_panics};
use crate::shape::{Aabb, Bounded, FromParts, Layout, check_finite, check_number, check_radius};
use crate::vector::{Scalar, Vector};

shape! {
    /// A ball: the points within `radius` of `center`. It is a disc in two dimensions. Wrap it in
    /// [`Hollow`](crate::Hollow) for its surface.
    ///
    /// ```
    /// use orthant::{Contains, Sphere};
    /// let ball = Sphere::new([1.0, 0.0], 5.0);
    /// assert!(ball.contains(&[4.0, 4.0])); // touching counts
    /// assert!(Sphere::try_new([0.0, 0.0], -1.0).is_err());
    /// ```
    pub struct Sphere<V: Vector> {
        /// The center.
        center: V,
        /// The radius.
        radius: V::Scalar,
    }
    read through try_new
}

impl<V: Vector> Sphere<V> {
    /// The ball around a center.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn new(center: V, radius: V::Scalar) -> Self {
        // A ball inside a `Result` would be written to memory, and a query would wait for it.
        or_panic("Sphere", Self::check(center, radius));
        Self { center, radius }
    }

    /// The ball around a center.
    ///
    /// # Errors
    ///
    /// If the radius is negative, or any number infinite or NaN.
    pub fn try_new(center: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        Self::check(center, radius)?;
        Ok(Self { center, radius })
    }

    /// Returns the error for a center and a radius that [`try_new`](Self::try_new) refuses.
    fn check(center: V, radius: V::Scalar) -> Result<(), ShapeError> {
        check_finite("center", center)?;
        check_radius(radius)
    }

    /// A ball of a center and a radius that are known to be valid; unchecked.
    #[inline(always)]
    pub(crate) fn valid(center: V, radius: V::Scalar) -> Self {
        Self { center, radius }
    }

    /// Converts the ball to another type of vector.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(&self) -> Sphere<U> {
        Sphere {
            center: U::of_array(self.center.array()),
            radius: self.radius,
        }
    }
}

impl<V: Vector> Bounded for Sphere<V> {
    type Vector = V;
    const HAS_RADIUS: bool = true;
    const LAYOUT: Layout = Layout::Ball;
    const FROM_PARTS: FromParts<Self> = Some(|core, radius| Self::valid(core.min(), radius));

    #[inline(always)]
    fn core(&self) -> Aabb<V> {
        Aabb::point(self.center)
    }

    #[inline(always)]
    fn radius(&self) -> V::Scalar {
        self.radius
    }
}

shape! {
    /// The points whose distance from `center` lies between two radii, both included: an annulus in two
    /// dimensions, a ball with a hole in three.
    ///
    /// With an inner radius of 0 it is a [`Sphere`]; with two equal radii it is the surface of one, like
    /// [`Hollow`](crate::Hollow).
    ///
    /// ```
    /// use orthant::{Octree, Shell, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, 2.0 * Vec3::Y, 3.0 * Vec3::Z]);
    /// assert_eq!(tree.count(Shell::new(Vec3::ZERO, 1.0, 2.0)), 2); // touching counts
    /// assert!(Shell::try_new(Vec3::ZERO, 2.0, 1.0).is_err());
    /// ```
    pub struct Shell<V: Vector> {
        /// The center.
        center: V,
        /// The inner radius.
        inner: V::Scalar,
        /// The outer radius.
        outer: V::Scalar,
    }
    read through try_new
}

impl<V: Vector> Shell<V> {
    or_panics! {
        /// The shell around a center, from the inner radius to the outer.
        Shell: new = try_new(center: V, inner: V::Scalar, outer: V::Scalar)
    }

    /// The shell around a center, from the inner radius to the outer.
    ///
    /// # Errors
    ///
    /// If the inner radius is negative or larger than the outer, or any number infinite or NaN.
    pub fn try_new(center: V, inner: V::Scalar, outer: V::Scalar) -> Result<Self, ShapeError> {
        check_finite("center", center)?;
        check_number("inner radius", inner)?;
        check_number("outer radius", outer)?;
        check_radius(inner)?;
        if inner > outer {
            return Err(ShapeError::InvertedRadii {
                inner: inner.into(),
                outer: outer.into(),
            });
        }
        Ok(Self::valid(center, inner, outer))
    }

    /// A shell of a center and radii that are known to be valid; unchecked.
    #[inline(always)]
    pub(crate) fn valid(center: V, inner: V::Scalar, outer: V::Scalar) -> Self {
        Self {
            center,
            inner,
            outer,
        }
    }

    /// The ball with the outer radius, without a hole.
    #[inline(always)]
    pub(crate) fn filled(&self) -> Sphere<V> {
        Sphere::valid(self.center, self.outer)
    }
}

impl<V: Vector> Bounded for Shell<V> {
    type Vector = V;

    // The core is all of it, with no radius: a region that contains the center may miss the shell.
    #[inline]
    fn core(&self) -> Aabb<V> {
        self.filled().bounds()
    }
}

shape! {
    /// A solid ellipsoid whose axes are parallel to the coordinate axes; an ellipse in two dimensions.
    /// Wrap it in [`Hollow`](crate::Hollow) for its surface.
    ///
    /// ```
    /// use orthant::{Contains, Ellipsoid};
    /// let egg = Ellipsoid::new([0.0, 0.0], [3.0, 1.0]);
    /// assert!(egg.contains(&[3.0, 0.0]) && !egg.contains(&[0.0, 3.0]));
    /// assert!(Ellipsoid::try_new([0.0, 0.0], [1.0, 0.0]).is_err());
    /// ```
    pub struct Ellipsoid<V> {
        /// The center.
        center: V,
        /// Half the diameter along each axis.
        semi_axes: V,
    }
    read through try_new
}

impl<V: Vector> Ellipsoid<V> {
    or_panics! {
        /// The ellipsoid around a center, with a semi-axis (half a diameter) along each axis of space.
        Ellipsoid: new = try_new(center: V, semi_axes: V)
    }

    /// The ellipsoid around a center, with a semi-axis (half a diameter) along each axis of space.
    ///
    /// # Errors
    ///
    /// If a semi-axis is zero or negative, or any number infinite or NaN.
    pub fn try_new(center: V, semi_axes: V) -> Result<Self, ShapeError> {
        check_finite("center", center)?;
        check_finite("semi-axis", semi_axes)?;
        match (0..V::DIM).find(|&a| semi_axes.axis(a) <= V::Scalar::ZERO) {
            None => Ok(Self { center, semi_axes }),
            Some(axis) => Err(ShapeError::SemiAxisNotPositive {
                axis,
                value: semi_axes.axis(axis).into(),
            }),
        }
    }
}

impl<V: Vector> Bounded for Ellipsoid<V> {
    type Vector = V;

    fn core(&self) -> Aabb<V> {
        Aabb::point(self.center).grown_on(|a| self.semi_axes.axis(a))
    }
}
