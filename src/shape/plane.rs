//! Planes, each with the half-space behind it.

use crate::error::{ShapeError, or_panics};
use crate::shape::polytope::{HalfSpace, power_of_two};
use crate::shape::{Sphere, check_finite};
use crate::vector::{Scalar, Vector};

shape! {
    /// A plane, and the closed half-space behind it: the points with `normal · x <= offset`.
    ///
    /// In two dimensions it is a line. The normal points outwards and may have any length but 0. All tests
    /// compute in `f64`, whatever the vector's scalar, and compare squares, so that a touch is found wherever
    /// the squares are exact.
    ///
    /// ```
    /// use orthant::{Plane, Side, Sphere};
    /// let floor = Plane::new([0.0, 0.0, 2.0], 6.0); // z <= 3
    /// assert_eq!(floor.signed_distance([5.0, 1.0, 7.0]), 4.0);
    /// assert_eq!(floor.classify(&Sphere::new([0.0, 0.0, 7.0], 4.0)), Side::Intersecting);
    /// assert!(Plane::try_new([0.0, 0.0, 0.0], 1.0).is_err());
    /// ```
    pub struct Plane<V: Vector> {
        /// The outward normal, as it was given.
        normal: V,
        /// The value of `normal · x` on the plane.
        offset: V::Scalar,
    }
    read through try_new
}

impl<V: Vector> Plane<V> {
    or_panics! {
        /// The points with `normal · x <= offset`.
        Plane: new = try_new(normal: V, offset: V::Scalar)
    }

    /// The points with `normal · x <= offset`.
    ///
    /// # Errors
    ///
    /// If the normal is zero, any number infinite or NaN, or the plane farther away than an `f64`
    /// can say.
    pub fn try_new(normal: V, offset: V::Scalar) -> Result<Self, ShapeError> {
        check_finite("normal", normal)?;
        if (0..V::DIM).all(|a| normal.axis(a) == V::Scalar::ZERO) {
            return Err(ShapeError::ZeroNormal);
        }
        let plane = Self { normal, offset };
        if !plane.scaled(offset.into()).is_finite() {
            return Err(ShapeError::NotFinite {
                part: "offset",
                axis: 0,
                value: offset.into(),
            });
        }
        Ok(plane)
    }

    /// A number divided by the power of two at or below the largest coordinate of the normal. No
    /// square of the normal in these units overflows or vanishes, and nothing is rounded.
    fn scaled(&self, value: f64) -> f64 {
        let largest = (0..V::DIM).fold(0.0, |most: f64, a| most.max(self.wide(a).abs()));
        value / power_of_two(largest)
    }

    fn wide(&self, axis: usize) -> f64 {
        self.normal.axis(axis).into()
    }

    /// The normal's coordinate in these units.
    fn unit(&self, axis: usize) -> f64 {
        self.scaled(self.wide(axis))
    }

    /// The squared length of the normal in these units.
    fn length_sq(&self) -> f64 {
        sum::<V>(|a| self.unit(a) * self.unit(a))
    }

    /// `normal · p - offset` in these units.
    fn beyond(&self, p: V) -> f64 {
        sum::<V>(|a| self.unit(a) * p.axis(a).into()) - self.scaled(self.offset.into())
    }

    /// The distance of a point from the plane: positive in front, negative behind it.
    #[must_use]
    pub fn signed_distance(&self, p: V) -> V::Scalar {
        Scalar::from_f64(self.beyond(p) / Scalar::sqrt(self.length_sq()))
    }

    /// The point of the plane that is nearest to another: its foot.
    ///
    /// ```
    /// use orthant::Plane;
    /// assert_eq!(Plane::new([3.0, 4.0], 25.0).closest_point([0.0, 0.0]), [3.0, 4.0]);
    /// ```
    #[must_use]
    pub fn closest_point(&self, p: V) -> V {
        let step = self.beyond(p) / self.length_sq();
        V::from_fn(|a| Scalar::from_f64(p.axis(a).into() - step * self.unit(a)))
    }

    /// Whether a ball lies strictly behind the plane, strictly in front of it, or meets it, which touching from
    /// either side does.
    ///
    /// After D. Holden, "Correct Box Sphere Intersection", 2013.
    #[must_use]
    pub fn classify(&self, ball: &Sphere<V>) -> Side {
        let (g, r): (f64, f64) = (self.beyond(ball.center()), ball.radius().into());
        if g * g <= r * r * self.length_sq() {
            Side::Intersecting
        } else if g < 0.0 {
            Side::Inside
        } else {
            Side::Outside
        }
    }

    /// The center and radius of the circle in which the plane cuts a sphere, if they meet; a point
    /// of radius 0 where they touch.
    ///
    /// Radius `√((r - d)(r + d))` at distance `d`, without the cancellation of `r² - d²`.
    ///
    /// ```
    /// use orthant::{Plane, Sphere};
    /// let cut = Plane::new([0.0, 0.0, 1.0], 3.0).circle(&Sphere::new([1.0, 2.0, 0.0], 5.0));
    /// assert_eq!(cut, Some(([1.0, 2.0, 3.0], 4.0)));
    /// ```
    #[must_use]
    pub fn circle(&self, sphere: &Sphere<V>) -> Option<(V, V::Scalar)> {
        if self.classify(sphere) != Side::Intersecting {
            return None;
        }
        let r: f64 = sphere.radius().into();
        let d = self.beyond(sphere.center()).abs() / Scalar::sqrt(self.length_sq());
        let radius = Scalar::sqrt(((r - d) * (r + d)).max(0.0));
        let center = self.closest_point(sphere.center());
        Some((center, Scalar::from_f64(radius)))
    }

    /// The half-space in three dimensions and `f64`.
    pub(crate) fn half_space(&self) -> HalfSpace {
        HalfSpace::new([0, 1, 2].map(|a| self.wide(a)), self.offset.into())
    }
}

/// Sums a term over all axes, left to right.
fn sum<V: Vector>(term: impl Fn(usize) -> f64) -> f64 {
    (1..V::DIM).fold(term(0), |sum, a| sum + term(a))
}

/// The side of a plane or a solid on which a ball lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The closed ball lies in the interior: behind the plane, or within the solid.
    Inside,
    /// It meets the plane, or the solid without lying in its interior.
    Intersecting,
    /// It lies in front of the plane, or away from the solid.
    Outside,
}
