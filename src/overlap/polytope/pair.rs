//! Two solids of few planes: whether they meet, by separating axes, and whether one holds the other; and a
//! solid in the metric of an ellipsoid.

use crate::shape::Aabb;
use crate::shape::polytope::{Edge, HalfSpace, Point, Polytope, cross, dot, sub};
use crate::vector::Vector;

impl Polytope {
    /// Whether two solids share a point, by separating axes: the normals of both, and the cross products of their
    /// edges.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let holds_one = |a: &Self, b: &Self| b.corners.iter().any(|&corner| a.holds(corner));
        let is_ahead =
            |a: &Self, b: &Self| a.planes.iter().any(|plane| b.range(plane.n).0 > plane.k);
        holds_one(self, other)
            || holds_one(other, self)
            || !(is_ahead(self, other) || is_ahead(other, self) || self.parted_by_edges(other))
    }

    fn parted_by_edges(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.directions(), other.directions());
        let axes = ours
            .iter()
            .flat_map(|&a| theirs.iter().map(move |&b| cross(a, b)));
        axes.into_iter().any(|axis| {
            let ((low, high), (first, last)) = (self.range(axis), other.range(axis));
            last < low || first > high
        })
    }

    /// Whether `holds` is true for all corners of another solid, and its rays stay behind every plane. In the plane,
    /// the heights of a prism's corners do not count.
    pub(crate) fn covers<V: Vector>(&self, other: &Self, holds: impl Fn(Point) -> bool) -> bool {
        let flat = |&[x, y, z]: &Point| [x, y, if V::DIM > 2 { z } else { 0.0 }];
        let stays = |d: Point| self.planes.iter().all(|plane| dot(plane.n, d) <= 0.0);
        let mut rays = other.edges.iter().filter(|edge| edge.to.is_none());
        other.corners.iter().map(flat).all(holds) && rays.all(|ray| stays(ray.direction))
    }

    /// The solid with coordinates relative to a center, divided by a length for each axis.
    pub(crate) fn measured(&self, center: Point, by: Point) -> Self {
        let along = |d: Point| [0, 1, 2].map(|a| d[a] / by[a]);
        let place = |p: Point| along(sub(p, center));
        let plane = |plane: &HalfSpace| {
            let n = [0, 1, 2].map(|a| plane.n[a] * by[a]);
            HalfSpace::new(n, plane.k - dot(plane.n, center))
        };
        let edge = |edge: &Edge| Edge {
            from: place(edge.from),
            to: edge.to.map(place),
            direction: along(edge.direction),
            ..*edge
        };
        Self {
            planes: self.planes.iter().map(plane).collect(),
            edges: self.edges.iter().map(edge).collect(),
            corners: self.corners.iter().copied().map(place).collect(),
            bounds: Aabb::from_corners(place(self.bounds.min()), place(self.bounds.max())),
        }
    }
}
