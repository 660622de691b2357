//! From eight corners to faces and edges.

use smallvec::SmallVec;

use super::{Edge, HalfSpace, Point, Polytope, along, cross, dot, largest, length, sub};
use crate::error::ShapeError;
use crate::shape::Aabb;
use crate::vector::Scalar;

/// The corners of each face in a loop; bit 0, 1 or 2 of a corner's index is set on the upper side of
/// the first, second or third axis. Faces are lower before upper, axis by axis.
const LOOPS: [[usize; 4]; 6] = [
    [0, 2, 6, 4],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 3, 7, 6],
    [0, 1, 3, 2],
    [4, 5, 7, 6],
];

impl Polytope {
    /// The solid of eight corners, each of which may lie `tolerance` off its planes. Corners that
    /// come with their faces' normals are known to be right but for rounding.
    pub(crate) fn of_corners(
        corners: [Point; 8],
        normals: Option<[Point; 3]>,
        tolerance: f64,
    ) -> Result<Self, ShapeError> {
        // In units of about the longest diagonal, so that no product overflows or vanishes.
        let span = |c: &Point| largest(sub(*c, corners[0]));
        let unit = super::power_of_two(corners.iter().map(span).fold(0.0, f64::max));
        let middle = corners.iter().fold([0.0; 3], |m, &c| along(m, 0.125, c));
        let mut planes: SmallVec<[HalfSpace; 6]> = SmallVec::new();
        for (face, around) in LOOPS.iter().enumerate() {
            let [a, b, c, d] = around.map(|i| corners[i]);
            let normal = normals.map_or_else(
                || {
                    let edge = |to: Point, from: Point| sub(to, from).map(|x| x / unit);
                    cross(edge(c, a), edge(d, b))
                },
                |normals| normals[face / 2],
            );
            let flat = largest(normal) * unit <= 2.0 * tolerance;
            if flat && normals.is_none() || largest(normal) == 0.0 {
                return Err(ShapeError::FlatFace { face });
            }
            let outward = dot(normal, sub(a, middle));
            let sign = if outward < 0.0 { -1.0 } else { 1.0 };
            let mut plane = HalfSpace::new(normal.map(|x| x * sign), 0.0);
            let heights = around.map(|i| dot(plane.n, corners[i]));
            plane.k = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
            planes.push(plane);
        }
        let solid = Self::joined(planes, corners);
        if normals.is_none() {
            solid.check_corners(tolerance)?;
        } else if let Some(face) = solid.planes.iter().position(|p| p.at(middle) >= 0.0) {
            // So small and so far away that it rounds to nothing.
            return Err(ShapeError::FlatFace { face: face ^ 1 });
        }
        Ok(solid)
    }

    fn joined(planes: SmallVec<[HalfSpace; 6]>, corners: [Point; 8]) -> Self {
        let mut edges = SmallVec::new();
        for low in 0..8_usize {
            for axis in 0..3 {
                let high = low | 1 << axis;
                if high == low {
                    continue;
                }
                let face = |axis: usize| (2 * axis + (low >> axis & 1)) as u8;
                let (from, to) = (corners[low], corners[high]);
                edges.push(Edge {
                    faces: [face((axis + 1) % 3), face((axis + 2) % 3)],
                    from,
                    to: Some(to),
                    direction: sub(to, from),
                });
            }
        }
        let bounds = corners.map(Aabb::point);
        let bounds = bounds.iter().fold(bounds[0], |all, one| all.union(one));
        Self {
            planes,
            edges,
            corners: SmallVec::from_slice(&corners),
            bounds,
        }
    }

    fn check_corners(&self, tolerance: f64) -> Result<(), ShapeError> {
        let corners = &self.corners;
        for (face, plane) in self.planes.iter().enumerate() {
            let allowed = tolerance * Scalar::sqrt(plane.nn);
            let around = LOOPS[face];
            for &corner in &around {
                // Half of it each way: the plane was laid through the outermost corner.
                let off = -plane.at(corners[corner]);
                if off > 2.0 * allowed {
                    let distance = off / Scalar::sqrt(plane.nn);
                    return Err(ShapeError::NotPlanar {
                        corner,
                        face,
                        distance,
                    });
                }
            }
            let beyond = |&corner: &usize| plane.at(corners[corner]) > allowed;
            if let Some(corner) = (0..8).find(beyond) {
                return Err(ShapeError::NotConvex { corner, face });
            }
            // The face must have something behind it, and wind once.
            let behind = corners.iter().any(|&c| plane.at(c) < -4.0 * allowed);
            let middle = corners.iter().fold([0.0; 3], |m, &c| along(m, 0.125, c));
            if !behind || plane.at(middle) >= 0.0 {
                return Err(ShapeError::FlatFace { face: face ^ 1 });
            }
            let side = |i: usize| sub(corners[around[(i + 1) % 4]], corners[around[i % 4]]);
            let turns = [0, 1, 2, 3].map(|i| {
                let turn = dot(cross(side(i), side(i + 1)), plane.n);
                let least = 4.0 * allowed * length(side(i)).max(length(side(i + 1)));
                (turn, least)
            });
            let left = turns.iter().any(|&(turn, least)| turn > least);
            let right = turns.iter().position(|&(turn, least)| turn < -least);
            if let (true, Some(i)) = (left, right) {
                let corner = around[(i + 1) % 4];
                return Err(ShapeError::NotConvex { corner, face });
            }
        }
        Ok(())
    }
}
