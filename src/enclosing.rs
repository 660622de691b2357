//! Smallest balls around points and balls.
//!
//! The center is found in double precision, in units of the content's own size, and rounded; the
//! radius is then grown until [`Contains`] holds for every point or ball, so that rounding makes a
//! ball larger than need be but never smaller than its content.

mod pivot;

use alloc::vec::Vec;

use pivot::reach;
pub(crate) use pivot::{Ball, Point, center};

use crate::error::Error;
use crate::overlap::Contains;
use crate::shape::{Sphere, check_finite};
use crate::vector::{Scalar, Vector, assert_structure};

impl<V: Vector> Sphere<V> {
    /// The smallest ball around points of 1 to 4 dimensions; `None` where there are none.
    ///
    /// It [contains](Contains) every point. Its radius exceeds the least possible one by about the
    /// rounding of the center: the tests allow 1e-13 of the radius, and four times the scalar's
    /// precision of the largest coordinate or radius. The order of the points may change the last
    /// places.
    ///
    /// # Complexity
    ///
    /// O(n) for each ball tried on the way: few in practice, though no small bound is proved. After
    /// Fischer and Gärtner, "The smallest enclosing ball of balls", 2003.
    ///
    /// # Panics
    ///
    /// Where [`try_enclosing`](Self::try_enclosing) returns an error.
    ///
    /// ```
    /// use orthant::Sphere;
    /// let ball = Sphere::enclosing(&[[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]]);
    /// assert_eq!(ball, Some(Sphere::new([2.0, 0.0], 2.0)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn enclosing(points: &[V]) -> Option<Self> {
        Self::try_enclosing(points).unwrap_or_else(|error| panic!("Sphere: {error}"))
    }

    /// The smallest ball around points, see [`enclosing`](Self::enclosing).
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the point), or the radius would exceed
    /// the largest finite number.
    pub fn try_enclosing(points: &[V]) -> Result<Option<Self>, Error> {
        for (index, p) in points.iter().enumerate() {
            check_finite("point", *p).map_err(|error| Error::Item { index, error })?;
        }
        let units = Units::of(points.iter().map(|p| (*p, V::Scalar::ZERO)));
        let balls: Vec<Ball> = points
            .iter()
            .map(|p| units.ball(*p, V::Scalar::ZERO))
            .collect();
        smallest(&units, &balls, points)
    }

    /// The smallest ball around balls of 1 to 4 dimensions; `None` where there are none.
    ///
    /// As [`enclosing`](Self::enclosing), and of the same precision and complexity.
    ///
    /// # Panics
    ///
    /// Where [`try_enclosing_spheres`](Self::try_enclosing_spheres) returns an error.
    ///
    /// ```
    /// use orthant::Sphere;
    /// let balls = [Sphere::new([0.0, 0.0], 1.0), Sphere::new([3.0, 0.0], 2.0)];
    /// assert_eq!(Sphere::enclosing_spheres(&balls), Some(Sphere::new([2.0, 0.0], 3.0)));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn enclosing_spheres(balls: &[Self]) -> Option<Self> {
        Self::try_enclosing_spheres(balls).unwrap_or_else(|error| panic!("Sphere: {error}"))
    }

    /// The smallest ball around balls, see [`enclosing_spheres`](Self::enclosing_spheres).
    ///
    /// # Errors
    ///
    /// If the radius would exceed the largest finite number.
    pub fn try_enclosing_spheres(balls: &[Self]) -> Result<Option<Self>, Error> {
        let units = Units::of(balls.iter().map(|b| (b.center(), b.radius())));
        let scaled: Vec<Ball> = balls
            .iter()
            .map(|b| units.ball(b.center(), b.radius()))
            .collect();
        smallest(&units, &scaled, balls)
    }

    /// The smallest ball around this one and another: one of the two where it contains the other.
    ///
    /// # Panics
    ///
    /// Where [`try_merged`](Self::try_merged) returns an error.
    ///
    /// ```
    /// use orthant::Sphere;
    /// let (small, large) = (Sphere::new([1.0, 0.0], 1.0), Sphere::new([0.0, 0.0], 3.0));
    /// assert_eq!(small.merged(&large), large);
    /// assert_eq!(small.merged(&Sphere::new([5.0, 0.0], 1.0)), Sphere::new([3.0, 0.0], 3.0));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn merged(&self, other: &Self) -> Self {
        self.try_merged(other)
            .unwrap_or_else(|error| panic!("Sphere: {error}"))
    }

    /// The smallest ball around this one and another, see [`merged`](Self::merged).
    ///
    /// # Errors
    ///
    /// If the radius would exceed the largest finite number.
    pub fn try_merged(&self, other: &Self) -> Result<Self, Error> {
        if self.contains(other) {
            return Ok(*self);
        }
        if other.contains(self) {
            return Ok(*other);
        }
        let around = Self::try_enclosing_spheres(&[*self, *other])?;
        Ok(around.unwrap_or(*self))
    }
}

/// The ball around the center found, large enough for all of `content` by the crate's own test.
fn smallest<V: Vector, T>(
    units: &Units,
    balls: &[Ball],
    content: &[T],
) -> Result<Option<Sphere<V>>, Error>
where
    Sphere<V>: Contains<T>,
{
    let Some(found) = center(balls, V::DIM) else {
        return Ok(None);
    };
    let center: V = units.restore(&found);
    // From the rounded center, which lies elsewhere.
    let from = units.ball(center, V::Scalar::ZERO).center;
    let needs = balls.iter().map(|b| reach(&from, b)).fold(0.0, f64::max);
    let mut around = Sphere::try_new(center, V::Scalar::from_f64(needs / units.scale))?;
    // A few steps, but where squares vanish the radius has far to grow: each is twice the last.
    let mut step = around.radius().next_up() - around.radius();
    for item in content {
        while !around.contains(item) {
            around = Sphere::try_new(center, around.radius() + step)?;
            step = step + step;
        }
    }
    Ok(Some(around))
}

/// Where the lower corner of the content lies at the origin, and no square overflows or vanishes.
pub(crate) struct Units {
    origin: Point,
    /// A power of two.
    scale: f64,
}

impl Units {
    pub(crate) fn of<V: Vector>(balls: impl Iterator<Item = (V, V::Scalar)>) -> Self {
        const { assert_structure::<V>() }
        let mut origin = [f64::INFINITY; 4];
        let mut most = 0.0f64;
        for (center, radius) in balls {
            most = most.max(radius.into());
            for (axis, least) in origin.iter_mut().take(V::DIM).enumerate() {
                let x: f64 = center.axis(axis).into();
                most = most.max(x.abs());
                *least = least.min(x);
            }
        }
        // The exponent, from the bits; beyond these bounds it no longer matters.
        let exponent = ((most.to_bits() >> 52) as i64 - 1023).clamp(-1000, 1000);
        let scale = f64::from_bits(((1023 - exponent) as u64) << 52);
        Self {
            origin: origin.map(|x| if x.is_finite() { x * scale } else { 0.0 }),
            scale,
        }
    }

    pub(crate) fn ball<V: Vector>(&self, center: V, radius: V::Scalar) -> Ball {
        let mut at = [0.0; 4];
        for (axis, x) in at.iter_mut().take(V::DIM).enumerate() {
            *x = Into::<f64>::into(center.axis(axis)) * self.scale - self.origin[axis];
        }
        Ball {
            center: at,
            radius: Into::<f64>::into(radius) * self.scale,
        }
    }

    pub(crate) fn restore<V: Vector>(&self, p: &Point) -> V {
        V::from_fn(|axis| {
            let x = V::Scalar::from_f64((p[axis] + self.origin[axis]) / self.scale);
            // A center lies between points that are finite.
            x.smaller(V::Scalar::MAX)
                .larger(V::Scalar::ZERO - V::Scalar::MAX)
        })
    }
}
