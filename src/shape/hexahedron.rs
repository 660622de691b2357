//! Convex solids of six faces.

#[cfg(feature = "serde")]
mod serial;

use alloc::vec::Vec;
use core::fmt;

use smallvec::SmallVec;

use super::frustum::{self, Depth, Matrix4};
use super::polytope::{
    HalfSpace, Polytope, along, cross, dot, largest, narrow, power_of_two, wide,
};
use super::solid::{check_corners, check_oriented};
use super::{ConvexSolid, Plane};
use crate::error::{ShapeError, or_panics};
use crate::vector::{Scalar, Space, Vector};

/// A convex solid of at most six faces: an oriented box, a view frustum, or whatever six half-spaces
/// bound. In space only: `Vec3`, `Vec3A`, `DVec3`, `[f32; 3]`, `[f64; 3]`. Wrapped in
/// [`Hollow`](crate::Hollow), its surface.
///
/// As a [`Region`](crate::Region) it tells what a camera sees or an oriented box holds. Its planes,
/// edges and corners are kept in `f64` for vectors of either scalar, and all questions are answered
/// in it: exactly wherever the squares and products of the given numbers are.
///
/// As an item, alone or with data ([`With`](crate::With)), it is what points, balls, shells, ellipsoids, boxes, rays and
/// other solids are asked about, and has its distance from a point; it meets no moving shape. It takes 1.5 kB, so that
/// for many small boxes the box around each, asked first, may be the better item.
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
pub type Hexahedron<V> = ConvexSolid<V, Six>;

/// A [`Hexahedron`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Six {}

impl<V: Vector> fmt::Debug for Hexahedron<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corners: Vec<V> = self.corners().collect();
        f.debug_struct("Hexahedron")
            .field("corners", &corners)
            .finish()
    }
}

impl<V: Vector> Hexahedron<V> {
    or_panics! {
        /// The box around a center that reaches `half_extents` along three axes of its own: the columns
        /// of its rotation.
        ///
        /// Axes may have any length, by which the half extents are then multiplied; axes that are not at
        /// right angles make a parallelepiped.
        Hexahedron: oriented = try_oriented(center: V, half_extents: V, axes: [V; 3]) where V: Space
    }

    /// The box around a center that reaches `half_extents` along three axes of its own.
    ///
    /// # Errors
    ///
    /// If any number is infinite or NaN, a half extent is zero or negative, the axes lie in a
    /// plane, or the box rounds to nothing so far from the origin.
    pub fn try_oriented(center: V, half_extents: V, axes: [V; 3]) -> Result<Self, ShapeError>
    where
        V: Space,
    {
        check_oriented(center, half_extents, &axes)?;
        let half = wide(half_extents);
        // Scaled to about length 1, so that no product of three overflows or vanishes.
        let units = axes.map(|axis| power_of_two(largest(wide(axis))));
        let half = [0, 1, 2].map(|a| half[a] * units[a]);
        let axes = [0, 1, 2].map(|a| wide(axes[a]).map(|x| x / units[a]));
        let determinant = dot(axes[0], cross(axes[1], axes[2]));
        if !frustum::exceeds_rounding(determinant, frustum::magnitude(axes)) {
            return Err(ShapeError::Singular { determinant });
        }
        let normals = [0, 1, 2].map(|a| cross(axes[(a + 1) % 3], axes[(a + 2) % 3]));
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: usize| {
            (0..3).fold(wide(center), |p, a| {
                let side = if i >> a & 1 == 1 { half[a] } else { -half[a] };
                along(p, side, axes[a])
            })
        });
        Self::bounded(Polytope::of_corners(corners, Some(normals), 0.0)?)
    }

    or_panics! {
        /// The solid of eight corners.
        ///
        /// Bit 0 of a corner's index is set on the upper side of the first axis, bit 1 on that of the
        /// second, bit 2 on that of the third. The axes need not be those of the space, and may be
        /// left-handed. Faces are numbered lower before upper, axis by axis.
        ///
        /// ```
        /// use orthant::{Contains, Hexahedron};
        /// let upper = |i: usize, axis: usize| if i >> axis & 1 == 1 { 1.0 } else { 0.0 };
        /// let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| [upper(i, 0) + upper(i, 2), upper(i, 1), upper(i, 2)]);
        /// let leaning = Hexahedron::from_corners(corners);
        /// assert!(leaning.contains(&[1.9, 0.5, 1.0]) && !leaning.contains(&[1.9, 0.5, 0.5]));
        /// ```
        Hexahedron: from_corners = try_from_corners(corners: [V; 8]) where V: Space
    }

    /// The solid of eight corners; see [`from_corners`](Self::from_corners) for their order.
    ///
    /// Corners may be rounded: up to 32 units in the last place of the largest coordinate off the
    /// plane of a face.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or, beyond that tolerance, the corners of a face do not
    /// lie in a plane, a corner lies in front of a face, or a face or the solid is flat.
    pub fn try_from_corners(corners: [V; 8]) -> Result<Self, ShapeError>
    where
        V: Space,
    {
        check_corners(&corners)?;
        let all = || (0..24).map(|i| corners[i / 3].axis(i % 3).abs());
        let largest = all().fold(V::Scalar::ZERO, Scalar::larger);
        // From the largest coordinate down, where a unit in the last place is never the larger one.
        let unit: f64 = (largest - largest.next_down()).into();
        Self::bounded(Polytope::of_corners(corners.map(wide), None, 32.0 * unit)?)
    }

    or_panics! {
        /// The solid that six half-spaces have in common, in any order; some may be redundant.
        Hexahedron: from_planes = try_from_planes(planes: [Plane<V>; 6]) where V: Space
    }

    /// The solid that six half-spaces have in common.
    ///
    /// Its corners are those points of three planes that lie in the other half-spaces, each as precise
    /// as the angles there are wide: at 1e-8, half of the digits are left. Planes whose angle is below
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
    /// If they have no interior in common that is thicker than about 1e-12 of how far it is from the origin, or have but never
    /// end, or a corner is beyond the vector's scalar.
    pub fn try_from_planes(planes: [Plane<V>; 6]) -> Result<Self, ShapeError>
    where
        V: Space,
    {
        Self::bounded(Polytope::bounded(&planes.map(|plane| plane.half_space()))?)
    }

    or_panics! {
        /// The view of a camera: the points that a view-projection matrix takes to `-w <= x <= w`, `-w <= y <= w`,
        /// `0 <= z <= w`.
        ///
        /// That is the clip space of Vulkan, Metal, Direct3D and WebGPU; reverse-z is the same space. For an infinite
        /// far plane and for OpenGL see [`Frustum`](crate::Frustum).
        ///
        /// ```
        /// use orthant::{Contains, Hexahedron, glam::Vec3};
        /// // 90 degrees down -z, from 1 to 3, by columns; a glam matrix does as well.
        /// let camera = [[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., -1.5, -1.], [0., 0., -1.5, 0.]];
        /// let seen = Hexahedron::<Vec3>::from_view_projection(camera);
        /// assert!(seen.contains(&Vec3::new(2.0, 0.0, -2.0)));
        /// assert!(!seen.contains(&Vec3::new(0.0, 0.0, -3.5)));
        /// ```
        Hexahedron: from_view_projection = try_from_view_projection(matrix: impl Matrix4<Scalar = V::Scalar>) where V: Space
    }

    /// The view of a camera; see [`from_view_projection`](Self::from_view_projection).
    ///
    /// # Errors
    ///
    /// If an entry is infinite or NaN, the matrix is singular to within rounding, or the planes
    /// bound nothing: they are numbered left, right, bottom, top, `z = 0`, `z = w`, and an infinite
    /// far plane is [`ShapeError::Unbounded`].
    pub fn try_from_view_projection(
        matrix: impl Matrix4<Scalar = V::Scalar>,
    ) -> Result<Self, ShapeError>
    where
        V: Space,
    {
        let planes = frustum::planes::<V>(matrix.columns(), Depth::ZeroToOne)?;
        let mut all: SmallVec<[HalfSpace; 6]> = SmallVec::new();
        for (plane, half_space) in planes.into_iter().enumerate() {
            all.push(half_space.ok_or(ShapeError::Unbounded { plane })?);
        }
        Self::bounded(Polytope::bounded(&all)?)
    }

    /// The corners, rounded. Of a solid made of corners or axes in the order that
    /// [`from_corners`](Self::from_corners) takes; else in no particular order, and fewer than eight
    /// if some coincide.
    #[must_use]
    pub fn corners(&self) -> impl ExactSizeIterator<Item = V> {
        self.solid.corners.iter().map(|&corner| narrow(corner))
    }
}
