//! Separating axes: the cross products of the edges of a solid with those of a box, which are the coordinate axes.

use smallvec::SmallVec;

use super::{Polytope, is_up, opposite};
use crate::shape::Aabb;
use crate::shape::polytope::{Point, corner_towards, dot, largest, power_of_two};
use crate::vector::Scalar;

/// The cross product of an edge and an axis, and the interval of the solid along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrossAxis {
    direction: Point,
    low: f64,
    high: f64,
}

impl CrossAxis {
    /// The interval of a box along it.
    #[inline(always)]
    fn range_of(&self, cell: &Aabb<Point>) -> (f64, f64) {
        let end = |up| dot(self.direction, corner_towards(cell, self.direction, up));
        (end(false), end(true))
    }

    /// Whether a box and the solid have intervals along it that are apart.
    #[inline(always)]
    pub(crate) fn separates(&self, cell: &Aabb<Point>) -> bool {
        let (first, last) = self.range_of(cell);
        last < self.low || first > self.high
    }

    /// Whether all that a box and the solid may share, as far as this axis tells, lies on an upper face of the box.
    pub(super) fn is_met_above(&self, cell: &Aabb<Point>) -> bool {
        let (first, last) = self.range_of(cell);
        (last == self.low && is_up(self.direction, cell))
            || (first == self.high && is_up(opposite(self.direction), cell))
    }
}

impl Polytope {
    /// The cross products of all edges and axes.
    pub(crate) fn cross_axes(&self) -> impl Iterator<Item = CrossAxis> {
        let products = |[x, y, z]: Point| [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        let all = self.directions().into_iter().flat_map(products);
        all.map(|direction| {
            let (low, high) = self.range(direction);
            CrossAxis {
                direction,
                low,
                high,
            }
        })
    }

    /// The directions of the edges without repetitions, scaled by powers of two so that no product overflows or
    /// vanishes.
    pub(super) fn directions(&self) -> SmallVec<[Point; 12]> {
        let mut all: SmallVec<[Point; 12]> = SmallVec::new();
        for edge in &self.edges {
            let by = 0.125 / power_of_two(largest(edge.direction));
            let direction = edge.direction.map(|x| x * by);
            if !all.contains(&direction) {
                all.push(direction);
            }
        }
        all
    }

    /// Whether a cross product separates the solid from a box.
    pub(super) fn separated(&self, cell: &Aabb<Point>) -> bool {
        self.cross_axes().any(|axis| axis.separates(cell))
    }

    /// The least and the greatest dot product of a direction and a point of the solid.
    pub(super) fn range(&self, direction: Point) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &corner in &self.corners {
            let at = dot(direction, corner);
            (low, high) = (at.smaller(low), at.larger(high));
        }
        for ray in self.edges.iter().filter(|edge| edge.to.is_none()) {
            let slope = dot(direction, ray.direction);
            if slope > 0.0 {
                high = f64::INFINITY;
            } else if slope < 0.0 {
                low = f64::NEG_INFINITY;
            }
        }
        (low, high)
    }
}
