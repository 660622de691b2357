use super::{Aabb, Bounded, check_finite};
use crate::error::ShapeError;
use crate::vector::{Scalar, Vector};

/// A solid ellipsoid whose axes are those of space; an ellipse in two dimensions. Wrapped in
/// [`Hollow`](crate::Hollow), its surface.
///
/// ```
/// use orthant::{Contains, Ellipsoid};
/// let egg = Ellipsoid::new([0.0, 0.0], [3.0, 1.0]);
/// assert!(egg.contains(&[3.0, 0.0]) && !egg.contains(&[0.0, 3.0]));
/// assert!(Ellipsoid::try_new([0.0, 0.0], [1.0, 0.0]).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "Raw<V>",
        bound(deserialize = "V: Vector + serde::Deserialize<'de>")
    )
)]
pub struct Ellipsoid<V> {
    center: V,
    semi_axes: V,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Raw<V> {
    center: V,
    semi_axes: V,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Raw<V>> for Ellipsoid<V> {
    type Error = ShapeError;

    fn try_from(raw: Raw<V>) -> Result<Self, ShapeError> {
        Self::try_new(raw.center, raw.semi_axes)
    }
}

impl<V: Vector> Ellipsoid<V> {
    /// The ellipsoid around a center, with a semi-axis (half a diameter) along each axis of space.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(center: V, semi_axes: V) -> Self {
        Self::try_new(center, semi_axes).unwrap_or_else(|error| panic!("Ellipsoid: {error}"))
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

    /// The center.
    #[inline(always)]
    #[must_use]
    pub fn center(&self) -> V {
        self.center
    }

    /// Half the diameter along each axis.
    #[inline(always)]
    #[must_use]
    pub fn semi_axes(&self) -> V {
        self.semi_axes
    }

    /// With each semi-axis longer by a length, if all remain positive.
    pub(crate) fn widened(&self, by: V::Scalar) -> Option<Self> {
        let semi_axes = V::from_fn(|a| self.semi_axes.axis(a) + by);
        let positive = (0..V::DIM).all(|a| semi_axes.axis(a) > V::Scalar::ZERO);
        positive.then_some(Self { semi_axes, ..*self })
    }
}

impl<V: Vector> Bounded for Ellipsoid<V> {
    type Vector = V;

    fn core(&self) -> Aabb<V> {
        let (c, s) = (self.center, self.semi_axes);
        Aabb::from_corners(
            V::from_fn(|a| c.axis(a).sub_down(s.axis(a))),
            V::from_fn(|a| c.axis(a).add_up(s.axis(a))),
        )
    }
}
