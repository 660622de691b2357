//! Few half-spaces and what they bound, in `f64` for vectors of either scalar.
//!
//! Normals keep the length they were given, up to a power of two: comparisons are of squares, with
//! `|n|²` on the other side, so that no root decides a touch.

mod corners;
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

pub(crate) fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a + t b`.
pub(crate) fn along(a: Point, t: f64, b: Point) -> Point {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

pub(crate) fn length(a: Point) -> f64 {
    Scalar::sqrt(dot(a, a))
}

/// The largest coordinate, without its sign.
pub(crate) fn largest(a: Point) -> f64 {
    a[0].abs().max(a[1].abs()).max(a[2].abs())
}

pub(crate) fn wide<V: Vector>(v: V) -> Point {
    [0, 1, 2].map(|a| v.axis(a).into())
}

pub(crate) fn narrow<V: Vector>(p: Point) -> V {
    V::from_fn(|a| Scalar::from_f64(p[a]))
}

/// The power of two at or below a positive number.
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
    /// For a normal that is finite and not zero.
    pub(crate) fn new(n: Point, k: f64) -> Self {
        let unit = power_of_two(largest(n));
        let n = n.map(|x| x / unit);
        Self {
            n,
            k: k / unit,
            nn: dot(n, n),
        }
    }

    /// `n · x - k`: positive in front.
    pub(crate) fn at(&self, x: Point) -> f64 {
        dot(self.n, x) - self.k
    }

    /// The least of these over a box, bounding from below, after rounding too, that of every box
    /// and point within.
    #[inline]
    pub(crate) fn least(&self, cell: &Aabb<Point>) -> f64 {
        let (lo, hi) = (cell.min(), cell.max());
        self.at([0, 1, 2].map(|a| if self.n[a] > 0.0 { lo[a] } else { hi[a] }))
    }

    /// The greatest of these over a box.
    #[inline]
    pub(crate) fn greatest(&self, cell: &Aabb<Point>) -> f64 {
        let (lo, hi) = (cell.min(), cell.max());
        self.at([0, 1, 2].map(|a| if self.n[a] > 0.0 { hi[a] } else { lo[a] }))
    }
}

/// Where two faces meet: from a corner to another, or on and on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    pub(crate) faces: [u8; 2],
    pub(crate) from: Point,
    /// The other corner; of a ray, nothing.
    pub(crate) to: Option<Point>,
    pub(crate) direction: Point,
}

/// The common points of up to six half-spaces: with an interior, at least one corner, and all edges.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Polytope {
    pub(crate) planes: SmallVec<[HalfSpace; 6]>,
    pub(crate) edges: SmallVec<[Edge; 12]>,
    pub(crate) corners: SmallVec<[Point; 8]>,
    /// Infinite where it never ends.
    pub(crate) bounds: Aabb<Point>,
}

impl Polytope {
    /// The box around it in the vector's own scalar, rounded outwards.
    pub(crate) fn bounds_in<V: Vector>(&self) -> Aabb<V> {
        let (lo, hi) = (self.bounds.min(), self.bounds.max());
        let min = V::from_fn(|a| {
            let near: V::Scalar = Scalar::from_f64(lo[a]);
            if near.into() > lo[a] {
                near.next_down()
            } else {
                near
            }
        });
        let max = V::from_fn(|a| {
            let near: V::Scalar = Scalar::from_f64(hi[a]);
            if near.into() < hi[a] {
                near.next_up()
            } else {
                near
            }
        });
        Aabb::from_corners(min, max)
    }

    /// The squared distance to the farthest corner.
    pub(crate) fn farthest_sq<V: Vector>(&self, from: V) -> f64 {
        let squares = self.corners.iter().map(|&corner| {
            let d = sub(corner, wide(from));
            dot(d, d)
        });
        squares.fold(0.0, f64::max)
    }

    /// Refuses a solid whose corners leave the vector's scalar.
    pub(crate) fn fits<V: Vector>(self) -> Result<Self, ShapeError> {
        self.bounds_in::<V>().check()?;
        Ok(self)
    }
}

/// A solid is a matter of space; refuses other vectors when it is compiled.
pub(crate) const fn assert_space<V: Vector>() {
    assert!(V::DIM == 3, "a solid takes vectors of 3 dimensions");
}
