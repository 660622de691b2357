#[cfg(feature = "serde")]
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::marker::PhantomData;

use smallvec::SmallVec;

use super::hexahedron::clip;
use super::polytope::{HalfSpace, Polytope, assert_space};
use crate::error::ShapeError;
#[cfg(feature = "serde")]
use crate::shape::Plane;
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector};

/// What a camera sees, whose far plane may be infinitely far away: a solid of five or six faces, in
/// space only.
///
/// Where it never ends it has no far corners, its bounds end with the finite numbers, and its farthest
/// distance is infinite; all else holds as for a [`Hexahedron`](crate::Hexahedron). A
/// [`VoxelGrid`](crate::VoxelGrid) lists what lies in a window of it then.
///
/// ```
/// use orthant::{Frustum, Octree, glam::Vec3};
/// // 90 degrees down -z from 0.5 on, reverse-z.
/// let camera = [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 0., -1.], [0., 0., 0.5, 0.]];
/// let seen = Frustum::from_view_projection(camera);
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::new(0.0, 0.0, -1.0), Vec3::new(9.0, 9.0, -1e9)]);
/// assert_eq!(tree.count(&seen), 2);
/// assert_eq!(seen.farthest_distance(Vec3::ZERO), f32::INFINITY);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Raw", into = "Raw", bound = "")
)]
pub struct Frustum<V: Vector> {
    pub(crate) solid: Polytope,
    vector: PhantomData<V>,
}

/// The planes, from which the rest follows.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Raw {
    planes: Vec<Plane<[f64; 3]>>,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Raw> for Frustum<V> {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        const { assert_space::<V>() }
        let count = raw.planes.len();
        if !(5..=6).contains(&count) {
            return Err(format!("frustum of {count} planes"));
        }
        let planes: SmallVec<[HalfSpace; 6]> = raw.planes.iter().map(Plane::half_space).collect();
        let solid = Polytope::unbounded(&planes).map_err(|error| error.to_string())?;
        Ok(Self {
            solid,
            vector: PhantomData,
        })
    }
}

#[cfg(feature = "serde")]
impl<V: Vector> From<Frustum<V>> for Raw {
    fn from(frustum: Frustum<V>) -> Self {
        let planes = frustum.solid.planes.iter();
        Self {
            planes: planes.map(|plane| Plane::new(plane.n, plane.k)).collect(),
        }
    }
}

impl<V: Vector> Frustum<V> {
    /// What a camera sees; the conventions are those of
    /// [`Hexahedron::from_view_projection`](crate::Hexahedron::from_view_projection).
    ///
    /// The far plane is at infinity when the matrix says exactly so: the third row, in reverse-z, or else
    /// its difference from the fourth, is zero but for the last entry. The usual infinite projections
    /// are such, alone or times a rigid view.
    ///
    /// # Panics
    ///
    /// Where [`try_from_view_projection`](Self::try_from_view_projection) returns an error.
    #[must_use]
    #[track_caller]
    pub fn from_view_projection(columns: [[V::Scalar; 4]; 4]) -> Self {
        Self::try_from_view_projection(columns).unwrap_or_else(|error| panic!("Frustum: {error}"))
    }

    /// What a camera sees; the conventions are those of
    /// [`Hexahedron::from_view_projection`](crate::Hexahedron::from_view_projection).
    ///
    /// # Errors
    ///
    /// If an entry is infinite or NaN, the matrix is singular to within rounding, or the planes
    /// leave nothing, or a whole line: numbered left, right, bottom, top, `z = 0`, `z = w`.
    pub fn try_from_view_projection(columns: [[V::Scalar; 4]; 4]) -> Result<Self, ShapeError> {
        const { assert_space::<V>() }
        let planes = clip::planes::<V>(columns)?;
        if let Some(plane) = planes[..4].iter().position(Option::is_none) {
            return Err(ShapeError::Unbounded { plane });
        }
        let some: SmallVec<[HalfSpace; 6]> = planes.iter().copied().flatten().collect();
        // An error names a plane of the matrix, of which one may be missing.
        let missing = planes.iter().position(Option::is_none).unwrap_or(6);
        let named = |plane: usize| plane + usize::from(plane >= missing);
        let solid = Polytope::unbounded(&some).map_err(|error| match error {
            ShapeError::Empty { plane } => ShapeError::Empty {
                plane: named(plane),
            },
            ShapeError::Unbounded { plane } => ShapeError::Unbounded {
                plane: named(plane),
            },
            other => other,
        })?;
        Ok(Self {
            solid,
            vector: PhantomData,
        })
    }

    /// Whether it never ends.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        self.solid.edges.iter().any(|edge| edge.to.is_none())
    }

    /// The distance from a point to the farthest corner; infinite where there is no far plane.
    #[must_use]
    pub fn farthest_distance(&self, from: V) -> V::Scalar {
        if self.is_unbounded() {
            return V::Scalar::INFINITY;
        }
        Scalar::from_f64(Scalar::sqrt(self.solid.farthest_sq(from)))
    }
}

/// As large as numbers are where it never ends.
impl<V: Vector> Bounded for Frustum<V> {
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
