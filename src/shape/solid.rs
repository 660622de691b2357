//! Convex solids of few planes: one type, which several families of constructors make.

use core::marker::PhantomData;

use super::polytope::Polytope;
use crate::error::ShapeError;
use crate::shape::{Aabb, Bounded, check_finite};
use crate::vector::{Scalar, Vector};

/// A convex solid of at most six planes, with its edges and corners: a [`Hexahedron`](crate::Hexahedron), a
/// [`Frustum`](crate::Frustum) or a [`Quadrilateral`](crate::Quadrilateral), which differ by their constructors and by how they are shown and saved.
///
/// ```
/// use orthant::{ConvexSolid, Hexahedron, Quadrilateral, Vector};
/// fn holds<V: Vector, K>(solid: &ConvexSolid<V, K>, p: V) -> bool {
///     solid.closest_point(p) == p
/// }
/// let cube = Hexahedron::oriented([0.0; 3], [1.0; 3], [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]);
/// let square = Quadrilateral::oriented([2.0, 0.0], [1.0; 2], [[1., 0.], [0., 1.]]);
/// assert!(holds(&cube, [0.5; 3]) && !holds(&square, [0.5; 2]));
/// ```
pub struct ConvexSolid<V: Vector, K> {
    /// In the plane, the prism that stands on it.
    pub(crate) solid: Polytope,
    kind: PhantomData<(V, K)>,
}

impl<V: Vector, K> Clone for ConvexSolid<V, K> {
    fn clone(&self) -> Self {
        Self::of(self.solid.clone())
    }
}

impl<V: Vector, K> PartialEq for ConvexSolid<V, K> {
    fn eq(&self, other: &Self) -> bool {
        self.solid == other.solid
    }
}

impl<V: Vector, K> ConvexSolid<V, K> {
    pub(super) fn of(solid: Polytope) -> Self {
        Self {
            solid,
            kind: PhantomData,
        }
    }

    /// Refuses a solid whose corners leave the vector's scalar.
    pub(super) fn bounded(solid: Polytope) -> Result<Self, ShapeError> {
        solid.bounds_in::<V>().check()?;
        Ok(Self::of(solid))
    }
}

/// As large as numbers are where it never ends.
impl<V: Vector, K> Bounded for ConvexSolid<V, K> {
    type Vector = V;

    #[inline]
    fn core(&self) -> Aabb<V> {
        let (bounds, most) = (self.solid.bounds_in::<V>(), V::Scalar::MAX);
        let finite = |x: V::Scalar| x.smaller(most).larger(V::Scalar::ZERO - most);
        Aabb::from_corners(
            V::from_fn(|a| finite(bounds.min().axis(a))),
            V::from_fn(|a| finite(bounds.max().axis(a))),
        )
    }
}

/// Refuses parts of an oriented box that are not finite, and half extents that are not positive.
pub(super) fn check_oriented<V: Vector>(
    center: V,
    half_extents: V,
    axes: &[V],
) -> Result<(), ShapeError> {
    check_finite("center", center)?;
    check_finite("half extents", half_extents)?;
    for (part, &axis) in ["axis 0", "axis 1", "axis 2"].into_iter().zip(axes) {
        check_finite(part, axis)?;
    }
    let half = |axis| half_extents.axis(axis).into();
    match (0..V::DIM).find(|&axis| half(axis) <= 0.0) {
        None => Ok(()),
        Some(axis) => Err(ShapeError::HalfExtentNotPositive {
            axis,
            value: half(axis),
        }),
    }
}

/// Refuses corners that are not finite.
pub(super) fn check_corners<V: Vector>(corners: &[V]) -> Result<(), ShapeError> {
    const PARTS: [&str; 8] = [
        "corner 0", "corner 1", "corner 2", "corner 3", "corner 4", "corner 5", "corner 6",
        "corner 7",
    ];
    let mut parts = PARTS.into_iter().zip(corners);
    parts.try_for_each(|(part, &corner)| check_finite(part, corner))
}

/// Declares what a solid is saved as: numbers of which it is made anew.
#[cfg(feature = "serde")]
macro_rules! saved_as {
    ($solid:ident<V: $space:ident> as $raw:ty) => {
        impl<V: Vector + $space> serde::Serialize for $solid<V> {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&<$raw>::from(self), to)
            }
        }

        impl<'de, V: Vector + $space> serde::Deserialize<'de> for $solid<V> {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let raw: $raw = serde::Deserialize::deserialize(from)?;
                Self::try_from(raw).map_err(serde::de::Error::custom)
            }
        }
    };
}
#[cfg(feature = "serde")]
pub(super) use saved_as;
