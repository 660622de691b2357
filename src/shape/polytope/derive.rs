//! From half-spaces to edges and corners.
//!
//! Every two planes meet in a line. The part of it inside the other half-spaces is an edge, and each end of
//! an edge is a corner of three planes.

use smallvec::SmallVec;

use super::{Edge, HalfSpace, Point, Polytope, along, cross, dot, largest, sub};
use crate::error::ShapeError;
use crate::shape::Aabb;
use crate::vector::Scalar;

/// Lengths and angles below this, relative to the sizes at hand, are rounding.
const ROUNDING: f64 = 1e-12;

/// The point that three planes share, unless two are parallel or all three meet in a line.
fn corner(a: &HalfSpace, b: &HalfSpace, c: &HalfSpace) -> Option<Point> {
    let (bc, ca, ab) = (cross(b.n, c.n), cross(c.n, a.n), cross(a.n, b.n));
    let det = dot(a.n, bc);
    if det.abs() <= ROUNDING * Scalar::sqrt(a.nn * b.nn * c.nn) {
        return None;
    }
    let sum = |i: usize| a.k * bc[i] + b.k * ca[i] + c.k * ab[i];
    Some([0, 1, 2].map(|i| sum(i) / det))
}

/// The line of two planes: its point next to the origin, and its direction.
fn line(a: &HalfSpace, b: &HalfSpace) -> Option<(Point, Point)> {
    let d = cross(a.n, b.n);
    let dd = dot(d, d);
    if dd <= ROUNDING * ROUNDING * a.nn * b.nn {
        return None;
    }
    let (u, v) = (cross(b.n, d), cross(d, a.n));
    Some(([0, 1, 2].map(|i| (a.k * u[i] + b.k * v[i]) / dd), d))
}

/// The size of the terms of `n · x - k`, to which its rounding is proportional.
fn slack(plane: &HalfSpace, x: Point) -> f64 {
    plane.k.abs() + largest(plane.n) * largest(x)
}

/// The edge of two planes, if the others leave any of their line. A line without an end is no edge.
fn edge(planes: &[HalfSpace], i: usize, j: usize) -> Option<Edge> {
    let (origin, d) = line(&planes[i], &planes[j])?;
    let (mut low, mut high) = ((f64::NEG_INFINITY, None), (f64::INFINITY, None));
    for (m, plane) in planes.iter().enumerate() {
        if m == i || m == j {
            continue;
        }
        let (slope, g) = (dot(plane.n, d), plane.at(origin));
        if slope.abs() <= ROUNDING * Scalar::sqrt(dot(d, d)) * Scalar::sqrt(plane.nn) {
            if g > ROUNDING * slack(plane, origin) {
                return None;
            }
        } else if slope > 0.0 {
            if -g / slope < high.0 {
                high = (-g / slope, Some(m));
            }
        } else if -g / slope > low.0 {
            low = (-g / slope, Some(m));
        }
    }
    let size = largest(origin) + largest(d) * finite(low.0).max(finite(high.0));
    if (high.0 - low.0) * largest(d) <= ROUNDING * size {
        return None;
    }
    let end = |m: usize, t: f64| {
        // Sorted, so that all three edges that end there have the same corner.
        let mut three = [i, j, m];
        three.sort_unstable();
        let [a, b, c] = three.map(|m| &planes[m]);
        corner(a, b, c).unwrap_or_else(|| along(origin, t, d))
    };
    let (from, to, direction) = match (low.1, high.1) {
        (Some(a), Some(b)) => {
            let (from, to) = (end(a, low.0), end(b, high.0));
            (from, Some(to), sub(to, from))
        }
        (Some(a), None) => (end(a, low.0), None, d),
        (None, Some(b)) => (end(b, high.0), None, d.map(|x| 0.0 - x)),
        (None, None) => return None,
    };
    Some(Edge {
        faces: [i as u8, j as u8],
        from,
        to,
        direction,
    })
}

/// The magnitude of a number, 0 for an infinite one.
fn finite(t: f64) -> f64 {
    if t.is_finite() { t.abs() } else { 0.0 }
}

fn edges(planes: &[HalfSpace]) -> SmallVec<[Edge; 12]> {
    let pairs = (0..planes.len()).flat_map(|i| (i + 1..planes.len()).map(move |j| (i, j)));
    pairs.filter_map(|(i, j)| edge(planes, i, j)).collect()
}

/// Whether the middle of a bounded solid's edges lies in all its half-spaces by more than rounding: some
/// corners of a thinner solid could not be told apart.
fn has_interior(planes: &[HalfSpace], edges: &[Edge]) -> bool {
    if edges.is_empty() {
        return false;
    }
    let share = 0.5 / edges.len() as f64;
    let ends = edges.iter().flat_map(|e| [e.from, e.to.unwrap_or(e.from)]);
    let middle = ends.fold([0.0; 3], |sum, end| along(sum, share, end));
    let within = |plane: &HalfSpace| plane.at(middle) < -ROUNDING * slack(plane, middle);
    planes.iter().all(within)
}

/// The faces of a cube that has all corners, and the feet of all lines and planes, well inside.
fn cube(planes: &[HalfSpace]) -> [HalfSpace; 6] {
    let mut most: f64 = 0.0;
    for (i, a) in planes.iter().enumerate() {
        most = most.max(a.k.abs() / Scalar::sqrt(a.nn));
        for (j, b) in planes.iter().enumerate().skip(i + 1) {
            most = most.max(line(a, b).map_or(0.0, |(foot, _)| largest(foot)));
            for c in planes.iter().skip(j + 1) {
                most = most.max(corner(a, b, c).map_or(0.0, largest));
            }
        }
    }
    let half = if most > 0.0 { 4.0 * most } else { 1.0 };
    [0, 1, 2, 3, 4, 5].map(|f| {
        let mut n = [0.0; 3];
        n[f / 2] = if f % 2 == 0 { -1.0 } else { 1.0 };
        HalfSpace::new(n, half)
    })
}

/// Checks that half-spaces have an interior in common; else names the first that takes it away. Returns their edges
/// within a cube around everything.
fn check_interior(planes: &[HalfSpace]) -> Result<SmallVec<[Edge; 12]>, ShapeError> {
    let cube = cube(planes);
    let mut found = SmallVec::new();
    for plane in 0..planes.len() {
        let mut some: SmallVec<[HalfSpace; 12]> = SmallVec::from_slice(&planes[..=plane]);
        some.extend(cube);
        found = edges(&some);
        if !has_interior(&some, &found) {
            return Err(ShapeError::Empty { plane });
        }
    }
    Ok(found)
}

impl Polytope {
    /// The solid that half-spaces bound, which may extend to infinity.
    pub(crate) fn unbounded(planes: &[HalfSpace]) -> Result<Self, ShapeError> {
        let edges = edges(planes);
        // A bounded solid with an interior needs no cube, which would take nine tenths of the time.
        let is_bounded = edges.iter().all(|edge| edge.to.is_some());
        if !(is_bounded && has_interior(planes, &edges)) {
            let cut = check_interior(planes)?;
            if edges.is_empty() {
                // Name the first plane whose face reaches the cube.
                let count = planes.len();
                let faces = cut.iter().map(|edge| edge.faces.map(usize::from));
                let faces = faces.filter(|&[face, other]| face < count && other >= count);
                let plane = faces.map(|[face, _]| face).min().unwrap_or(0);
                return Err(ShapeError::Unbounded { plane });
            }
        }
        let (mut lo, mut hi) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let mut corners: SmallVec<[Point; 8]> = SmallVec::new();
        for end in edges.iter().flat_map(|e| [Some(e.from), e.to]).flatten() {
            // Corners are rounded in proportion to their size: those of a camera's near plane are close to
            // each other, and the far ones far away.
            let size = largest(end);
            if !corners
                .iter()
                .any(|&c| largest(sub(c, end)) <= ROUNDING * size)
            {
                corners.push(end);
            }
            let pad = 4.0 * f64::EPSILON * size;
            for a in 0..3 {
                lo[a] = lo[a].min(end[a] - pad);
                hi[a] = hi[a].max(end[a] + pad);
            }
        }
        if is_bounded && corners.len() < 4 {
            // Corners of nearly parallel planes are so imprecise that an interior may be made up.
            return Err(ShapeError::Empty {
                plane: planes.len() - 1,
            });
        }
        for ray in edges.iter().filter(|e| e.to.is_none()) {
            for a in 0..3 {
                if ray.direction[a] > 0.0 {
                    hi[a] = f64::INFINITY;
                } else if ray.direction[a] < 0.0 {
                    lo[a] = f64::NEG_INFINITY;
                }
            }
        }
        Ok(Self {
            planes: SmallVec::from_slice(planes),
            edges,
            corners,
            bounds: Aabb::from_corners(lo, hi),
        })
    }
}
