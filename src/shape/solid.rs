//! Convex solids of few planes: one type, with constructors for the oriented box, six planes, eight corners, the view of a
//! camera, and the quadrilateral in the plane.
//!
//! In the plane a solid is the prism that stands on a quadrilateral, as high above the plane as below, and higher than it is wide:
//! no answer about things in the plane depends on the faces that close it, and all arithmetic is that of space.

mod corners;
#[cfg(feature = "serde")]
mod saved;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use super::polytope::{
    Point, Polytope, along, cross, dot, exceeds_rounding, largest, magnitude, narrow, power_of_two,
    wide,
};
use crate::error::{ShapeError, or_panic, or_panics};
use crate::shape::{Aabb, Bounded, Plane, check_finite};
use crate::vector::{Planar, Space, Vector};
use corners::AROUND;

/// A convex solid of at most six planes, with its edges and corners. Wrap it in [`Hollow`](crate::Hollow) for its
/// surface.
///
/// [`Hexahedron`], [`Frustum`](crate::Frustum) and [`Quadrilateral`] are other names of this type, for its constructors.
///
/// As a [`Region`](crate::Region) it tells what a camera sees or an oriented box holds. Its planes, edges and corners
/// are kept in `f64` for vectors of either scalar, and all tests compute in `f64`: exactly, wherever squares and
/// products of the given numbers are exact.
///
/// As an item, alone or with data ([`With`](crate::With)), it can be tested against points, balls, shells, ellipsoids, boxes,
/// rays and other solids, and has a distance from a point; no moving shape can be swept against it. It takes 1.5 kB: for many
/// small boxes, index the box around each and test the solid afterwards.
///
/// ```
/// use orthant::{ConvexSolid, Hexahedron, Quadrilateral, Vector};
/// fn holds<V: Vector>(solid: &ConvexSolid<V>, p: V) -> bool {
///     solid.closest_point(p) == p
/// }
/// let cube = Hexahedron::oriented([0.0; 3], [1.0; 3], [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]);
/// let square = Quadrilateral::oriented([2.0, 0.0], [1.0; 2], [[1., 0.], [0., 1.]]);
/// assert!(holds(&cube, [0.5; 3]) && !holds(&square, [0.5; 2]));
/// ```
#[derive(Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "saved::Raw", into = "saved::Raw", bound = "")
)]
pub struct ConvexSolid<V: Vector> {
    /// The solid itself; in the plane, the prism.
    pub(crate) solid: Polytope,
    space: PhantomData<V>,
}

/// A convex solid of at most six faces: an oriented box, or whatever six planes or eight corners bound. In space only: `Vec3`,
/// `Vec3A`, `DVec3`, `[f32; 3]`, `[f64; 3]`.
///
/// ```
/// use orthant::{Hexahedron, Octree, Orthtree, glam::Vec3};
/// let axes = [Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0), Vec3::Z];
/// let turned = Hexahedron::oriented(Vec3::ZERO, Vec3::new(5.0, 1.0, 1.0), axes);
/// let tree = Octree::new(&[Vec3::ZERO, Vec3::new(2.4, 3.2, 0.0), Vec3::new(3.0, 0.0, 0.0)]);
/// assert_eq!(tree.count(&turned), 2);
///
/// let beams = Orthtree::new(&[turned]);
/// assert_eq!(beams.nearest(Vec3::new(0.0, 0.0, 3.0)).unwrap().distance(), 2.0);
/// ```
pub type Hexahedron<V> = ConvexSolid<V>;

/// A convex quadrilateral: an oriented box in the plane, or whatever four corners bound. In the plane only: `Vec2`,
/// `DVec2`, `[f32; 2]`, `[f64; 2]`. Wrap it in [`Hollow`](crate::Hollow) for its outline.
///
/// ```
/// use orthant::{Hollow, Overlaps, Quadrilateral, Quadtree, glam::Vec2};
/// let along = Vec2::from_angle(0.5);
/// let car = Quadrilateral::oriented(Vec2::new(3.0, 1.0), Vec2::new(2.0, 1.0), [along, along.perp()]);
/// let tree = Quadtree::new(&[Vec2::new(3.0, 1.0), Vec2::new(4.5, 1.5), Vec2::new(5.0, 0.5)]);
/// assert_eq!(tree.count(&car), 2);
/// assert!(car.overlaps(&Vec2::new(3.0, 1.0)) && !Hollow(car).overlaps(&Vec2::new(3.0, 1.0)));
/// ```
pub type Quadrilateral<V> = ConvexSolid<V>;

/// An array with one vector for each axis of a box: 2 in the plane, 3 in space.
pub trait PerAxis {}
/// An array with one vector for each corner of a box: 4 in the plane, 8 in space.
pub trait PerCorner {}
impl<V: Planar> PerAxis for [V; 2] {}
impl<V: Space> PerAxis for [V; 3] {}
impl<V: Planar> PerCorner for [V; 4] {}
impl<V: Space> PerCorner for [V; 8] {}

impl<V: Vector> ConvexSolid<V> {
    pub(super) fn of(solid: Polytope) -> Self {
        let space = PhantomData;
        Self { solid, space }
    }

    /// Refuses a solid with corners beyond the range of the vector's scalar.
    fn bounded(solid: Polytope) -> Result<Self, ShapeError> {
        solid.bounds_in::<V>().check()?;
        Ok(Self::of(solid))
    }

    /// The box around a center that reaches `half_extents` along axes of its own, three in space and two in the plane: the
    /// columns of its rotation.
    ///
    /// Axes may have any length, by which the half extents are then multiplied; axes that are not at right angles make a
    /// parallelepiped.
    ///
    /// # Panics
    ///
    /// Where [`try_oriented`](Self::try_oriented) returns an error.
    #[must_use]
    #[track_caller]
    pub fn oriented<const N: usize>(center: V, half_extents: V, axes: [V; N]) -> Self
    where
        [V; N]: PerAxis,
    {
        let made = Self::try_oriented(center, half_extents, axes);
        or_panic("ConvexSolid", made)
    }

    /// The box around a center that reaches `half_extents` along axes of its own; see [`oriented`](Self::oriented).
    ///
    /// # Errors
    ///
    /// If any number is infinite or NaN, a half extent is zero or negative, the axes lie in a plane or line, or the box rounds
    /// to nothing so far from the origin.
    pub fn try_oriented<const N: usize>(
        center: V,
        half_extents: V,
        axes: [V; N],
    ) -> Result<Self, ShapeError>
    where
        [V; N]: PerAxis,
    {
        check_finite("center", center)?;
        check_finite("half extents", half_extents)?;
        for (part, &axis) in ["axis 0", "axis 1", "axis 2"].into_iter().zip(&axes) {
            check_finite(part, axis)?;
        }
        let half = wide(half_extents);
        if let Some(axis) = (0..N).find(|&axis| half[axis] <= 0.0) {
            let value = half[axis];
            return Err(ShapeError::HalfExtentNotPositive { axis, value });
        }
        let center = wide(center);
        if N == 2 {
            let corner = |signs: [f64; 2]| {
                (0..2).fold(center, |p, a| along(p, signs[a] * half[a], wide(axes[a])))
            };
            return Self::around([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner));
        }
        // Scale the axes to about length 1, so that no product of three overflows or vanishes.
        let axes: [Point; 3] = [0, 1, 2].map(|a| wide(axes[a]));
        let units = axes.map(|axis| power_of_two(largest(axis)));
        let half = [0, 1, 2].map(|a| half[a] * units[a]);
        let axes = [0, 1, 2].map(|a| axes[a].map(|x| x / units[a]));
        let determinant = dot(axes[0], cross(axes[1], axes[2]));
        if !exceeds_rounding(determinant, magnitude(axes)) {
            return Err(ShapeError::Singular { determinant });
        }
        let normals = [0, 1, 2].map(|a| cross(axes[(a + 1) % 3], axes[(a + 2) % 3]));
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| {
            (0..3).fold(center, |p, a| {
                let side = if i >> a & 1 == 1 { half[a] } else { -half[a] };
                along(p, side, axes[a])
            })
        });
        Self::bounded(Polytope::of_corners(corners, Some(normals), 0.0)?)
    }

    or_panics! {
        /// The solid that six half-spaces have in common, in any order; some may be redundant.
        ConvexSolid: from_planes = try_from_planes(planes: [Plane<V>; 6]) where V: Space
    }

    /// The solid that six half-spaces have in common.
    ///
    /// Its corners are those points of three planes that lie in the other half-spaces. They lose precision
    /// where the angles between planes are small: at 1e-8, half of the digits are left. Planes whose angle is below
    /// 1e-12 count as parallel.
    ///
    /// ```
    /// use orthant::{Hexahedron, Plane, ShapeError};
    /// let slab = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., 1.]];
    /// let open = Hexahedron::try_from_planes(slab.map(|normal| Plane::new(normal, 1.0)));
    /// assert_eq!(open, Err(ShapeError::Unbounded { plane: 0 }));
    /// ```
    ///
    /// # Errors
    ///
    /// If they have no interior in common that is thicker than about 1e-12 of its distance from the origin, or that
    /// interior is unbounded, or a corner is beyond the range of the vector's scalar.
    pub fn try_from_planes(planes: [Plane<V>; 6]) -> Result<Self, ShapeError>
    where
        V: Space,
    {
        let solid = Polytope::unbounded(&planes.map(|plane| plane.half_space()))?;
        if let Some(ray) = solid.edges.iter().find(|edge| edge.to.is_none()) {
            let plane = usize::from(ray.faces[0]);
            return Err(ShapeError::Unbounded { plane });
        }
        Self::bounded(solid)
    }

    /// The corners, rounded.
    ///
    /// In the plane they are in their order around the solid. In space they are in the order of
    /// [`from_corners`](Self::from_corners) if the solid was made of corners or axes. Other solids have them
    /// in no particular order, and fewer than eight if some coincide; an unbounded solid has only those that exist.
    ///
    /// ```
    /// use orthant::{Aabb, Frustum, glam::Vec3};
    /// // Without perspective: 4 wide, 2 high, down -z from 0 to 8.
    /// let camera = [[0.5, 0., 0., 0.], [0., 1., 0., 0.], [0., 0., -0.125, 0.], [0., 0., 0., 1.]];
    /// let seen = Frustum::<Vec3>::from_view_projection(camera);
    /// let points = seen.corners().map(|corner| Aabb::spanning(corner, corner));
    /// let around = Aabb::new(Vec3::new(-2.0, -1.0, -8.0), Vec3::new(2.0, 1.0, 0.0));
    /// assert_eq!(points.reduce(|all, corner| all.union(&corner)), Some(around));
    /// ```
    #[must_use]
    pub fn corners(&self) -> impl ExactSizeIterator<Item = V> {
        let (corners, is_flat) = (&self.solid.corners, V::DIM == 2);
        let count = if is_flat { AROUND.len() } else { corners.len() };
        (0..count).map(move |i| narrow(corners[if is_flat { AROUND[i] } else { i }]))
    }

    /// True if the solid extends to infinity.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        self.solid.is_unbounded()
    }

    /// The planes, in `f64`.
    fn planes(&self) -> Vec<Plane<Point>> {
        let planes = self.solid.planes.iter();
        planes.map(|plane| Plane::new(plane.n, plane.k)).collect()
    }
}

impl<V: Vector> fmt::Debug for ConvexSolid<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corners: Vec<V> = self.corners().collect();
        f.debug_struct("ConvexSolid")
            .field("corners", &corners)
            .field("planes", &self.planes())
            .finish()
    }
}

/// The bounds of an unbounded solid end with the largest finite numbers.
impl<V: Vector> Bounded for ConvexSolid<V> {
    type Vector = V;

    #[inline]
    fn core(&self) -> Aabb<V> {
        self.solid.finite_bounds_in()
    }
}
