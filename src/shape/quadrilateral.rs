//! Convex quadrilaterals in the plane: of what solids of planes are in space, a slice.
//!
//! Inside, it is the prism that stands on it, as high above the plane as below, and higher than it is wide: so no answer
//! about things in the plane depends on the faces that close it, and all arithmetic is that of solids.

use alloc::vec::Vec;
use core::fmt;

use super::ConvexSolid;
use super::polytope::{Point, Polytope, along, narrow, power_of_two, wide};
use super::solid::{check_corners, check_oriented};
use crate::error::{ShapeError, or_panics};
use crate::vector::{Planar, Vector};

/// A convex quadrilateral: an oriented box in the plane, or whatever four corners bound. In the plane only: `Vec2`,
/// `DVec2`, `[f32; 2]`, `[f64; 2]`; in space that is a [`Hexahedron`](crate::Hexahedron). Wrapped in
/// [`Hollow`](crate::Hollow), its outline.
///
/// As a [`Region`](crate::Region) it tells what a turned view or a door's swing holds. Its corners and edges are kept in
/// `f64` for vectors of either scalar, and all questions are answered in it.
///
/// ```
/// use orthant::{Hollow, Quadrilateral, Quadtree, VoxelGrid, glam::Vec2};
/// let along = Vec2::from_angle(0.5);
/// let car = Quadrilateral::oriented(Vec2::new(3.0, 1.0), Vec2::new(2.0, 1.0), [along, along.perp()]);
/// let tree = Quadtree::new(&[Vec2::new(3.0, 1.0), Vec2::new(4.5, 1.5), Vec2::new(5.0, 0.5)]);
/// assert_eq!(tree.count(&car), 2);
/// let grid = VoxelGrid::new(Vec2::ZERO, 0.25);
/// assert!(grid.count(Hollow(car.clone())) < grid.count(car));
/// ```
pub type Quadrilateral<V> = ConvexSolid<V, Flat>;

/// A [`Quadrilateral`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flat {}

impl<V: Vector> fmt::Debug for Quadrilateral<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corners: Vec<V> = self.corners().collect();
        f.debug_struct("Quadrilateral")
            .field("corners", &corners)
            .finish()
    }
}

/// Where the corners of the loop stand among those of a solid, on its lower side.
const AROUND: [usize; 4] = [0, 1, 3, 2];

impl<V: Vector> Quadrilateral<V> {
    or_panics! {
        /// The box around a center that reaches `half_extents` along two axes of its own: the columns of its rotation.
        ///
        /// Axes may have any length, by which the half extents are then multiplied; axes that are not at right angles
        /// make a parallelogram.
        Quadrilateral: oriented = try_oriented(center: V, half_extents: V, axes: [V; 2]) where V: Planar
    }

    /// The box around a center that reaches `half_extents` along two axes of its own.
    ///
    /// # Errors
    ///
    /// If any number is infinite or NaN, a half extent is zero or negative, the axes lie in a line, or the box rounds to
    /// nothing so far from the origin.
    pub fn try_oriented(center: V, half_extents: V, axes: [V; 2]) -> Result<Self, ShapeError>
    where
        V: Planar,
    {
        check_oriented(center, half_extents, &axes)?;
        let half = wide(half_extents);
        let axes = axes.map(wide);
        let corner = |signs: [f64; 2]| {
            (0..2).fold(wide(center), |p, a| along(p, signs[a] * half[a], axes[a]))
        };
        Self::around([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner))
    }

    or_panics! {
        /// The quadrilateral of four corners, in the order in which they stand around it, either way.
        ///
        /// ```
        /// use orthant::Quadrilateral;
        /// let kite = Quadrilateral::from_corners([[0.0, 0.0], [2.0, 1.0], [3.0, 3.0], [1.0, 2.0]]);
        /// assert_eq!(kite.signed_distance([-3.0, -4.0]), 5.0);
        /// assert_eq!(kite.closest_point([-3.0, -4.0]), [0.0, 0.0]);
        /// assert_eq!(kite.corners().next(), Some([0.0, 0.0]));
        /// ```
        Quadrilateral: from_corners = try_from_corners(corners: [V; 4]) where V: Planar
    }

    /// The quadrilateral of four corners, in the order in which they stand around it.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or it is not convex: three corners in a line, an outline that turns
    /// inwards, or crosses itself.
    pub fn try_from_corners(corners: [V; 4]) -> Result<Self, ShapeError>
    where
        V: Planar,
    {
        check_corners(&corners)?;
        Self::around(corners.map(wide))
    }

    /// The quadrilateral of corners around it, in the plane.
    fn around(corners: [Point; 4]) -> Result<Self, ShapeError>
    where
        V: Planar,
    {
        let span = |c: &Point| {
            (c[0] - corners[0][0])
                .abs()
                .max((c[1] - corners[0][1]).abs())
        };
        let unit = power_of_two(corners.iter().map(span).fold(0.0, f64::max));
        let side = |i: usize| {
            let (from, to) = (corners[i % 4], corners[(i + 1) % 4]);
            [(to[0] - from[0]) / unit, (to[1] - from[1]) / unit]
        };
        // No turn where rounding may have made it.
        let turns = [0, 1, 2, 3].map(|i| {
            let (a, b) = (side(i), side(i + 1));
            let (left, right) = (a[0] * b[1], a[1] * b[0]);
            let is_sure = (left - right).abs() > 8.0 * f64::EPSILON * (left.abs() + right.abs());
            if is_sure { left - right } else { 0.0 }
        });
        if let Some(face) = turns.iter().position(|turn| *turn == 0.0) {
            return Err(ShapeError::FlatFace { face });
        }
        if let Some(face) = turns
            .iter()
            .position(|turn| (*turn > 0.0) != (turns[0] > 0.0))
        {
            let corner = (face + 1) % 4;
            return Err(ShapeError::NotConvex { corner, face });
        }
        let height = 4.0 * unit;
        let mut solid = [[0.0; 3]; 8];
        for (&place, corner) in AROUND.iter().zip(corners) {
            solid[place] = [corner[0], corner[1], -height];
            solid[place + 4] = [corner[0], corner[1], height];
        }
        // Where lines through rounded corners meet.
        let far = corners.iter().flatten();
        let far = far.fold(height, |most: f64, x| most.max(x.abs()));
        let solid = Polytope::of_corners(solid, None, 4.0 * f64::EPSILON * far)?;
        Self::bounded(solid)
    }

    /// The corners, rounded, in the order in which they stand around it.
    #[must_use]
    pub fn corners(&self) -> impl ExactSizeIterator<Item = V> {
        AROUND
            .map(|place| narrow(self.solid.corners[place]))
            .into_iter()
    }
}

#[cfg(feature = "serde")]
super::solid::saved_as!(Quadrilateral<V: Planar> as [[f64; 2]; 4]);

#[cfg(feature = "serde")]
impl<V: Vector + Planar> From<&Quadrilateral<V>> for [[f64; 2]; 4] {
    fn from(shape: &Quadrilateral<V>) -> Self {
        AROUND.map(|place| {
            let [x, y, _] = shape.solid.corners[place];
            [x, y]
        })
    }
}

#[cfg(feature = "serde")]
impl<V: Vector + Planar> TryFrom<[[f64; 2]; 4]> for Quadrilateral<V> {
    type Error = ShapeError;

    fn try_from(corners: [[f64; 2]; 4]) -> Result<Self, ShapeError> {
        check_corners(&corners)?;
        Self::around(corners.map(|[x, y]| [x, y, 0.0]))
    }
}
