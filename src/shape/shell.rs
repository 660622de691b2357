use super::{Bounded, Sphere, check_finite};
use crate::error::ShapeError;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// The points whose distance from `center` lies between two radii, both included: an annulus in two
/// dimensions, a ball with a hole in three.
///
/// With an inner radius of 0 it is a [`Sphere`], with two equal radii the surface of one,
/// [`Hollow`](crate::Hollow).
///
/// ```
/// use orthant::{Octree, Shell, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, 2.0 * Vec3::Y, 3.0 * Vec3::Z]);
/// assert_eq!(tree.count(Shell::new(Vec3::ZERO, 1.0, 2.0)), 2); // touching counts
/// assert!(Shell::try_new(Vec3::ZERO, 2.0, 1.0).is_err());
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
pub struct Shell<V: Vector> {
    center: V,
    inner: V::Scalar,
    outer: V::Scalar,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(bound(deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"))]
struct Raw<V: Vector> {
    center: V,
    inner: V::Scalar,
    outer: V::Scalar,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Raw<V>> for Shell<V> {
    type Error = ShapeError;

    fn try_from(raw: Raw<V>) -> Result<Self, ShapeError> {
        Self::try_new(raw.center, raw.inner, raw.outer)
    }
}

impl<V: Vector> Shell<V> {
    /// The shell around a center, from the inner radius to the outer.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(center: V, inner: V::Scalar, outer: V::Scalar) -> Self {
        Self::try_new(center, inner, outer).unwrap_or_else(|error| panic!("Shell: {error}"))
    }

    /// The shell around a center, from the inner radius to the outer.
    ///
    /// # Errors
    ///
    /// If the inner radius is negative or larger than the outer, or any number infinite or NaN.
    pub fn try_new(center: V, inner: V::Scalar, outer: V::Scalar) -> Result<Self, ShapeError> {
        check_finite("center", center)?;
        for (part, radius) in [("inner radius", inner), ("outer radius", outer)] {
            if !radius.is_finite() {
                return Err(ShapeError::NotFinite {
                    part,
                    axis: 0,
                    value: radius.into(),
                });
            }
        }
        if inner < V::Scalar::ZERO {
            return Err(ShapeError::NegativeRadius {
                radius: inner.into(),
            });
        }
        if inner > outer {
            return Err(ShapeError::InvertedRadii {
                inner: inner.into(),
                outer: outer.into(),
            });
        }
        Ok(Self {
            center,
            inner,
            outer,
        })
    }

    /// For a center and radii that are known to be valid.
    #[inline(always)]
    pub(crate) fn valid(center: V, inner: V::Scalar, outer: V::Scalar) -> Self {
        Self {
            center,
            inner,
            outer,
        }
    }

    /// The center.
    #[inline(always)]
    #[must_use]
    pub fn center(&self) -> V {
        self.center
    }

    /// The inner radius.
    #[inline(always)]
    #[must_use]
    pub fn inner(&self) -> V::Scalar {
        self.inner
    }

    /// The outer radius.
    #[inline(always)]
    #[must_use]
    pub fn outer(&self) -> V::Scalar {
        self.outer
    }

    /// The ball whose hole was filled.
    #[inline(always)]
    pub(crate) fn filled(&self) -> Sphere<V> {
        Sphere::valid(self.center, self.outer)
    }
}

impl<V: Vector> Bounded for Shell<V> {
    type Vector = V;

    // All in the core, as of a surface: a ball around a point need not reach what is left of it.
    #[inline]
    fn core(&self) -> Aabb<V> {
        self.filled().bounds()
    }
}
