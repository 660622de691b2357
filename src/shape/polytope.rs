//! Convex solids bounded by a few half-spaces, in `f64` for vectors of either scalar.
//!
//! Normals keep the length they were given, up to a power of two: comparisons are of squares, with
//! `|n|²` on the other side, so that no root decides a touch.

mod derive;

use smallvec::SmallVec;

use crate::error::ShapeError;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

pub(crate) type Point = [f64; 3];

pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Whether a determinant exceeds the rounding of its terms, whose magnitudes add up to `magnitude`.
pub(super) fn exceeds_rounding(determinant: f64, magnitude: f64) -> bool {
    // Underflow to zero, and overflow to infinity or NaN, prove nothing.
    determinant.is_finite() && determinant.abs() > 16.0 * f64::EPSILON * magnitude
}

/// The sum of the magnitudes of the terms of a determinant of three rows.
pub(super) fn magnitude(rows: [Point; 3]) -> f64 {
    let [a, b, c] = rows.map(|row| row.map(f64::abs));
    let products = [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        b[j] * c[k] + b[k] * c[j]
    });
    dot(a, products)
}

pub(crate) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a + t b`.
pub(crate) fn along(a: Point, t: f64, b: Point) -> Point {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

/// The largest coordinate, without its sign.
pub(crate) fn largest(a: Point) -> f64 {
    a[0].abs().max(a[1].abs()).max(a[2].abs())
}

/// The corner of a box with the greatest or the least dot product with a direction.
#[inline(always)]
pub(crate) fn corner_towards(cell: &Aabb<Point>, direction: Point, is_greatest: bool) -> Point {
    let (lo, hi) = (cell.min(), cell.max());
    [0, 1, 2].map(|a| {
        if (direction[a] > 0.0) == is_greatest {
            hi[a]
        } else {
            lo[a]
        }
    })
}

/// Converts a vector to a point in space and `f64`; in the plane, at height 0.
pub(crate) fn wide<V: Vector>(v: V) -> Point {
    [0, 1, 2].map(|a| if a < V::DIM { v.axis(a).into() } else { 0.0 })
}

pub(crate) fn narrow<V: Vector>(p: Point) -> V {
    V::from_fn(|a| Scalar::from_f64(p[a]))
}

/// The power of two at or below a positive number, at least `f64::MIN_POSITIVE`.
pub(crate) fn power_of_two(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE)
}

/// The points with `n · x <= k`; the largest coordinate of `n` lies in `[1, 2)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HalfSpace {
    pub(crate) n: Point,
    pub(crate) k: f64,
    /// The square of the normal's length.
    pub(crate) nn: f64,
}

impl HalfSpace {
    /// The half-space of a normal that is finite and not zero.
    pub(crate) fn new(n: Point, k: f64) -> Self {
        let unit = power_of_two(largest(n));
        let n = n.map(|x| x / unit);
        // Scale once more, if the largest coordinate was subnormal.
        let again = power_of_two(largest(n));
        let n = n.map(|x| x / again);
        Self {
            n,
            k: (k / unit / again).clamp(-f64::MAX, f64::MAX),
            nn: dot(n, n),
        }
    }

    /// `n · x - k`: positive in front.
    pub(crate) fn at(&self, x: Point) -> f64 {
        dot(self.n, x) - self.k
    }

    /// The least `n · x - k` over a box. After rounding, too, it is at most that of every box and point within.
    #[inline]
    pub(crate) fn least(&self, cell: &Aabb<Point>) -> f64 {
        self.at(corner_towards(cell, self.n, false))
    }

    /// Bound on the rounding error of `n · x - k` over a box.
    pub(crate) fn rounding(&self, cell: &Aabb<Point>) -> f64 {
        let far = |a: usize| cell.min()[a].abs().max(cell.max()[a].abs());
        let most = (0..3).fold(self.k.abs(), |sum, a| sum + self.n[a].abs() * far(a));
        most * (8.0 * f64::EPSILON)
    }

    /// The greatest `n · x - k` over a box.
    #[inline]
    pub(crate) fn greatest(&self, cell: &Aabb<Point>) -> f64 {
        self.at(corner_towards(cell, self.n, true))
    }
}

/// The edge of two faces: a segment between two corners, or a ray from one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    pub(crate) faces: [u8; 2],
    pub(crate) from: Point,
    /// The other corner; `None` for a ray.
    pub(crate) to: Option<Point>,
    pub(crate) direction: Point,
}

/// The intersection of up to six half-spaces, with all edges. It has an interior and at least one corner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Polytope {
    pub(crate) planes: SmallVec<[HalfSpace; 6]>,
    pub(crate) edges: SmallVec<[Edge; 12]>,
    pub(crate) corners: SmallVec<[Point; 8]>,
    /// Infinite in the directions of rays.
    pub(crate) bounds: Aabb<Point>,
}

impl Polytope {
    /// Whether it extends to infinity.
    pub(crate) fn is_unbounded(&self) -> bool {
        self.edges.iter().any(|edge| edge.to.is_none())
    }

    /// The box around it in the vector's own scalar, rounded outwards.
    pub(crate) fn bounds_in<V: Vector>(&self) -> Aabb<V> {
        let (lo, hi) = (self.bounds.min(), self.bounds.max());
        let below = |x: f64| {
            let near: V::Scalar = Scalar::from_f64(x);
            if near.into() > x {
                near.next_down()
            } else {
                near
            }
        };
        let above = |x: f64| V::Scalar::ZERO - below(0.0 - x);
        let (min, max) = (V::from_fn(|a| below(lo[a])), V::from_fn(|a| above(hi[a])));
        Aabb::from_corners(min, max)
    }

    /// [`bounds_in`](Self::bounds_in) with the largest finite numbers instead of infinities.
    pub(crate) fn finite_bounds_in<V: Vector>(&self) -> Aabb<V> {
        let (bounds, most) = (self.bounds_in::<V>(), V::Scalar::MAX);
        let finite = |x: V::Scalar| x.smaller(most).larger(V::Scalar::ZERO - most);
        Aabb::from_corners(
            V::from_fn(|a| finite(bounds.min().axis(a))),
            V::from_fn(|a| finite(bounds.max().axis(a))),
        )
    }

    /// The squared distance to the farthest corner; infinite for an unbounded solid.
    pub(crate) fn farthest_sq<V: Vector>(&self, from: V) -> f64 {
        if self.is_unbounded() {
            return f64::INFINITY;
        }
        let squares = self.corners.iter().map(|&corner| {
            let mut d = sub(corner, wide(from));
            // In the plane, the height of a prism does not count.
            d[2] = if V::DIM > 2 { d[2] } else { 0.0 };
            dot(d, d)
        });
        squares.fold(0.0, f64::max)
    }
}

// From eight corners to faces and edges.

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
    /// The solid of eight corners, each of which may lie `tolerance` off its planes. With `normals` of the faces,
    /// corners are known to be right but for rounding.
    pub(crate) fn of_corners(
        corners: [Point; 8],
        normals: Option<[Point; 3]>,
        tolerance: f64,
    ) -> Result<Self, ShapeError> {
        // Edges are in units of about the longest diagonal, so that no product overflows or vanishes.
        let span = |c: &Point| largest(sub(*c, corners[0]));
        let unit = power_of_two(corners.iter().map(span).fold(0.0, f64::max));
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
        let mut edges = SmallVec::new();
        // An edge leads from each corner to the one whose index has one more bit.
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
        let solid = Self {
            planes,
            edges,
            corners: SmallVec::from_slice(&corners),
            bounds,
        };
        if normals.is_none() {
            solid.check_corners(middle, tolerance)?;
        } else if let Some(face) = solid.planes.iter().position(|p| p.at(middle) >= 0.0) {
            // The solid is so small and so far from the origin that it rounds to nothing.
            return Err(ShapeError::FlatFace { face: face ^ 1 });
        }
        Ok(solid)
    }

    fn check_corners(&self, middle: Point, tolerance: f64) -> Result<(), ShapeError> {
        let corners = &self.corners;
        for (face, plane) in self.planes.iter().enumerate() {
            let allowed = tolerance * Scalar::sqrt(plane.nn);
            let around = LOOPS[face];
            for &corner in &around {
                // Twice the tolerance, since the plane was laid through the outermost corner.
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
            // Something must lie behind the face. How its corners wind need not be checked: all corners are behind
            // the faces beside it.
            let behind = corners.iter().any(|&c| plane.at(c) < -4.0 * allowed);
            if !behind || plane.at(middle) >= 0.0 {
                return Err(ShapeError::FlatFace { face: face ^ 1 });
            }
        }
        Ok(())
    }
}
