use super::{Aabb, Bounded, check_finite};
use crate::error::ShapeError;
use crate::overlap::lanes::Layout;
use crate::vector::{Scalar, Vector};

/// A ball: the points within `radius` of `center`. A circular disc in two dimensions. Wrapped in
/// [`Hollow`](crate::Hollow), its surface.
///
/// ```
/// use orthant::{Contains, Sphere};
/// let ball = Sphere::new([1.0, 0.0], 5.0);
/// assert!(ball.contains(&[4.0, 4.0])); // touching counts
/// assert!(Sphere::try_new([0.0, 0.0], -1.0).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "Raw<V>",
        bound(
            serialize = "V: serde::Serialize, V::Scalar: serde::Serialize",
            deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"
        )
    )
)]
pub struct Sphere<V: Vector> {
    center: V,
    radius: V::Scalar,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(bound(deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"))]
struct Raw<V: Vector> {
    center: V,
    radius: V::Scalar,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Raw<V>> for Sphere<V> {
    type Error = ShapeError;

    fn try_from(raw: Raw<V>) -> Result<Self, ShapeError> {
        Self::try_new(raw.center, raw.radius)
    }
}

impl<V: Vector> Sphere<V> {
    /// The ball around a center.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(center: V, radius: V::Scalar) -> Self {
        Self::try_new(center, radius).unwrap_or_else(|error| panic!("Sphere: {error}"))
    }

    /// The ball around a center.
    ///
    /// # Errors
    ///
    /// If the radius is negative, or any number infinite or NaN.
    pub fn try_new(center: V, radius: V::Scalar) -> Result<Self, ShapeError> {
        check_finite("center", center)?;
        if !radius.is_finite() {
            return Err(ShapeError::NotFinite {
                part: "radius",
                axis: 0,
                value: radius.into(),
            });
        }
        // Its square would hide the sign.
        if radius < V::Scalar::ZERO {
            return Err(ShapeError::NegativeRadius {
                radius: radius.into(),
            });
        }
        Ok(Self { center, radius })
    }

    /// For a center and a radius that are known to be valid.
    #[inline(always)]
    pub(crate) fn valid(center: V, radius: V::Scalar) -> Self {
        Self { center, radius }
    }

    /// The same in other vectors.
    #[inline(always)]
    pub(crate) fn cast<U>(&self) -> Sphere<U>
    where
        U: Vector<Array = V::Array, Scalar = V::Scalar>,
    {
        Sphere {
            center: U::of_array(self.center.array()),
            radius: self.radius,
        }
    }

    /// The center.
    #[inline(always)]
    #[must_use]
    pub fn center(&self) -> V {
        self.center
    }

    /// The radius.
    #[inline(always)]
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }
}

impl<V: Vector> Bounded for Sphere<V> {
    type Vector = V;
    const HAS_RADIUS: bool = true;
    const LAYOUT: Layout = Layout::Ball;

    #[inline(always)]
    fn core(&self) -> Aabb<V> {
        Aabb::point(self.center)
    }

    #[inline(always)]
    fn radius(&self) -> V::Scalar {
        self.radius
    }

    #[inline(always)]
    fn from_parts(core: Aabb<V>, radius: V::Scalar) -> Option<Self> {
        Some(Self::valid(core.min(), radius))
    }
}
