//! Solids of corners: eight in space, four in the plane.

use crate::error::{ShapeError, or_panics};
use crate::shape::check_finite;
use crate::shape::polytope::{Point, Polytope, power_of_two, wide};
use crate::shape::solid::{ConvexSolid, PerCorner};
use crate::vector::{Scalar, Vector};

/// The lower corners of the prism, in the order around the quadrilateral.
pub(super) const AROUND: [usize; 4] = [0, 1, 3, 2];

impl<V: Vector> ConvexSolid<V> {
    or_panics! {
    /// The solid of eight corners in space, or four in the plane.
    ///
    /// In space, bit 0 of a corner's index is set on the upper side of the first axis, bit 1 on that of the
    /// second, bit 2 on that of the third. These axes need not be parallel to the coordinate axes, and may be
    /// left-handed. Faces are numbered lower before upper, axis by axis.
    ///
    /// In the plane, corners are in their order around the quadrilateral, either way.
    ///
    /// ```
    /// use orthant::{Contains, Hexahedron, Quadrilateral};
    /// let upper = |i: usize, axis: usize| if i >> axis & 1 == 1 { 1.0 } else { 0.0 };
    /// let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| [upper(i, 0) + upper(i, 2), upper(i, 1), upper(i, 2)]);
    /// let leaning = Hexahedron::from_corners(corners);
    /// assert!(leaning.contains(&[1.9, 0.5, 1.0]) && !leaning.contains(&[1.9, 0.5, 0.5]));
    ///
    /// let kite = Quadrilateral::from_corners([[0.0, 0.0], [2.0, 1.0], [3.0, 3.0], [1.0, 2.0]]);
    /// assert_eq!(kite.signed_distance([-3.0, -4.0]), 5.0);
    /// assert_eq!(kite.closest_point([-3.0, -4.0]), [0.0, 0.0]);
    /// assert_eq!(kite.corners().next(), Some([0.0, 0.0]));
    /// ```
    ConvexSolid: from_corners<const N: usize> = try_from_corners(corners: [V; N]) where [V; N]: PerCorner
    }

    /// The solid of corners; see [`from_corners`](Self::from_corners) for their order.
    ///
    /// In space, corners may be rounded: up to 32 units in the last place of the largest coordinate off the
    /// plane of a face.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or, beyond that tolerance, the corners of a face do not
    /// lie in a plane, a corner lies in front of a face, or a face or the solid is flat. In the plane, if it is not convex: three
    /// corners in a line, an outline that turns inwards, or crosses itself.
    pub fn try_from_corners<const N: usize>(corners: [V; N]) -> Result<Self, ShapeError>
    where
        [V; N]: PerCorner,
    {
        check_corners(&corners)?;
        if N == 4 {
            return Self::around([0, 1, 2, 3].map(|i| wide(corners[i])));
        }
        Self::of_eight([0, 1, 2, 3, 4, 5, 6, 7].map(|i| corners[i]))
    }

    /// The solid of eight corners in space, which are finite.
    pub(super) fn of_eight(corners: [V; 8]) -> Result<Self, ShapeError> {
        let all = || (0..24).map(|i| corners[i / 3].axis(i % 3).abs());
        let largest = all().fold(V::Scalar::ZERO, Scalar::larger);
        // The unit in the last place below the largest coordinate: at a power of two that above would be larger.
        let unit: f64 = (largest - largest.next_down()).into();
        Self::bounded(Polytope::of_corners(corners.map(wide), None, 32.0 * unit)?)
    }

    /// The quadrilateral of corners around it, in the plane.
    pub(super) fn around(corners: [Point; 4]) -> Result<Self, ShapeError> {
        let span = |c: &Point| {
            let [x, y, _] = corners[0];
            (c[0] - x).abs().max((c[1] - y).abs())
        };
        let unit = power_of_two(corners.iter().map(span).fold(0.0, f64::max));
        let side = |i: usize| {
            let (from, to) = (corners[i % 4], corners[(i + 1) % 4]);
            [(to[0] - from[0]) / unit, (to[1] - from[1]) / unit]
        };
        // A turn that may be due to rounding counts as none.
        let turns = [0, 1, 2, 3].map(|i| {
            let (a, b) = (side(i), side(i + 1));
            let (left, right) = (a[0] * b[1], a[1] * b[0]);
            let is_sure = (left - right).abs() > 8.0 * f64::EPSILON * (left.abs() + right.abs());
            if is_sure { left - right } else { 0.0 }
        });
        if let Some(face) = turns.iter().position(|turn| *turn == 0.0) {
            return Err(ShapeError::FlatFace { face });
        }
        let is_other = |turn: &f64| (*turn > 0.0) != (turns[0] > 0.0);
        if let Some(face) = turns.iter().position(is_other) {
            let corner = (face + 1) % 4;
            return Err(ShapeError::NotConvex { corner, face });
        }
        // Build the prism.
        let height = 4.0 * unit;
        let mut solid = [[0.0; 3]; 8];
        for (&place, [x, y, _]) in AROUND.iter().zip(corners) {
            solid[place] = [x, y, -height];
            solid[place + 4] = [x, y, height];
        }
        // The tolerance is how far rounded corners move the points at which lines meet.
        let far = corners.iter().flatten();
        let far = far.fold(height, |most: f64, x| most.max(x.abs()));
        Self::bounded(Polytope::of_corners(solid, None, 4.0 * f64::EPSILON * far)?)
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
