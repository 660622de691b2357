//! Separating axes: the cross products of the edges of a solid with those of a box, which are the coordinate axes.

use super::{Polytope, is_up, opposite};
use crate::shape::Aabb;
use crate::shape::polytope::{Edge, Point, corner_towards, dot, largest, power_of_two};
use crate::vector::Scalar;

/// The dot product of a point and a direction that is 0 on `axis`, which need not be multiplied.
#[inline(always)]
fn dot_without(axis: usize, direction: Point, p: Point) -> f64 {
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
    direction[b] * p[b] + direction[c] * p[c]
}

/// The least and the greatest of these products over a box.
#[inline(always)]
fn range_of(cell: &Aabb<Point>, axis: usize, direction: Point) -> (f64, f64) {
    let end = |up| dot_without(axis, direction, corner_towards(cell, direction, up));
    (end(false), end(true))
}

/// The cross products of an edge and the axes, scaled by a power of two so that no product with a point overflows.
#[inline(always)]
fn products(edge: &Edge) -> [(usize, Point); 3] {
    let by = 0.125 / power_of_two(largest(edge.direction));
    let [x, y, z] = edge.direction.map(|x| x * by);
    [(0, [0.0, -z, y]), (1, [z, 0.0, -x]), (2, [-y, x, 0.0])]
}

/// The cross product of an edge and an axis, and the interval of the solid along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrossAxis {
    axis: usize,
    direction: Point,
    low: f64,
    high: f64,
}

impl CrossAxis {
    /// Whether a box and the solid have intervals along it that are apart.
    #[inline(always)]
    pub(crate) fn separates(&self, cell: &Aabb<Point>) -> bool {
        let (first, last) = range_of(cell, self.axis, self.direction);
        last < self.low || first > self.high
    }

    /// Whether all that a box and the solid may share, as far as this axis tells, lies on an upper face of the box.
    pub(super) fn is_met_above(&self, cell: &Aabb<Point>) -> bool {
        let (first, last) = range_of(cell, self.axis, self.direction);
        (last == self.low && is_up(self.direction, cell))
            || (first == self.high && is_up(opposite(self.direction), cell))
    }
}

impl Polytope {
    /// The cross products of all edges and axes.
    pub(crate) fn cross_axes(&self) -> impl Iterator<Item = CrossAxis> {
        let is_unbounded = self.is_unbounded();
        let all = self.edges.iter().flat_map(products);
        all.map(move |(axis, direction)| {
            let (low, high) = self.range_by(is_unbounded, |p| dot_without(axis, direction, p));
            CrossAxis {
                axis,
                direction,
                low,
                high,
            }
        })
    }

    /// Whether a cross product separates the solid from a box.
    pub(super) fn separated(&self, cell: &Aabb<Point>) -> bool {
        self.cross_axes().any(|axis| axis.separates(cell))
    }

    /// The least and the greatest dot product of a direction and a point of the solid.
    pub(super) fn range(&self, direction: Point) -> (f64, f64) {
        self.range_by(self.is_unbounded(), |p| dot(direction, p))
    }

    /// [`range`](Self::range) by a function for the dot product, which may skip zeros of the direction.
    #[inline(always)]
    fn range_by(&self, is_unbounded: bool, product: impl Fn(Point) -> f64) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &corner in &self.corners {
            let at = product(corner);
            (low, high) = (at.smaller(low), at.larger(high));
        }
        if !is_unbounded {
            return (low, high);
        }
        for ray in self.edges.iter().filter(|edge| edge.to.is_none()) {
            let slope = product(ray.direction);
            if slope > 0.0 {
                high = f64::INFINITY;
            } else if slope < 0.0 {
                low = f64::NEG_INFINITY;
            }
        }
        (low, high)
    }
}
