//! Bounds on rounding: the distance that neighbors do not exceed, and how far points may lie outside their cells.

use crate::periodic::Periodic;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// A distance on each axis that no two points within the radius exceed, even if squares are rounded or underflow.
pub(super) fn reach<V: Vector>(
    bounds: &Aabb<V>,
    radius: V::Scalar,
    periodic: Option<&Periodic<V>>,
) -> [f64; 4] {
    if !(radius * radius).is_finite() {
        return [f64::INFINITY; 4];
    }
    // Squares may be too small by their rounding, and by what underflows.
    let vanishing = V::Scalar::MIN_POSITIVE.into() * V::Scalar::EPSILON.into() * 8.0;
    let radius: f64 = radius.into();
    let squares = radius * radius * 1.000_001 + vanishing;
    let root = if squares.is_finite() {
        Scalar::sqrt(squares)
    } else {
        radius * 1.000_001
    };
    let rounded = periodic.map(|periodic| rounding(bounds, radius, periodic));
    rounded.unwrap_or_default().map(|by| root + by)
}

/// Bound on the error of sums of coordinates and shifts on each axis. On axes of a box that are not periodic, nothing
/// is shifted.
fn rounding<V: Vector>(bounds: &Aabb<V>, radius: f64, periodic: &Periodic<V>) -> [f64; 4] {
    let (lattice, is_skewed) = (&periodic.lattice, periodic.is_skewed());
    let mut epsilon: f64 = V::Scalar::EPSILON.into();
    if is_skewed {
        // The cell of a point is a rounded sum of products in `f64`, and both points of a pair are rounded.
        epsilon += 4.0 * f64::EPSILON;
    }
    let size = |place: V, a: usize| place.axis(a).into().abs();
    let mut rounded = [0.0; 4];
    for (a, rounded) in rounded.iter_mut().enumerate().take(V::DIM) {
        let mut sizes = size(bounds.min(), a) + size(bounds.max(), a);
        if is_skewed {
            sizes += lattice.origin[a].abs();
        }
        let height = lattice.heights[a];
        if lattice.is_periodic(a) {
            let length: f64 = lattice.vectors[a].iter().map(|x| x.abs()).sum();
            sizes += (1.0 + radius / height) * length;
        } else if !is_skewed {
            continue;
        }
        *rounded = sizes * 4.0 * epsilon;
    }
    if is_skewed {
        // `wrap` may leave each of two neighbors outside the box by 16 ε times its height.
        let highest = lattice.heights.iter().copied().fold(0.0, f64::max);
        let outside = 32.0 * epsilon * highest;
        rounded = [rounded.iter().sum::<f64>() + outside; 4];
    }
    rounded
}

/// How far, on each axis, a point within bounds may lie outside of the skewed cell that is computed for it. The
/// point is multiplied by an inverse matrix. An error in one row of the product moves it along one edge, which in a
/// leaning cell is much longer than the cell is thick.
pub(super) fn outside<V: Vector>(bounds: &Aabb<V>, periodic: &Periodic<V>) -> [f64; 4] {
    let lattice = &periodic.lattice;
    let epsilon: f64 = V::Scalar::EPSILON.into();
    let (mut sizes, mut outside) = ([0.0; 4], [0.0; 4]);
    for (b, size) in sizes.iter_mut().enumerate().take(V::DIM) {
        let ends = [bounds.min(), bounds.max()].map(|end| end.axis(b).into());
        let edges = lattice.vectors.iter().map(|edge| edge[b]);
        let places = ends.into_iter().chain([lattice.origin[b]]).chain(edges);
        *size = places.map(f64::abs).sum();
    }
    for a in 0..V::DIM {
        let (row, edge) = (lattice.inverse[a], lattice.edge(a));
        // The error of the product, and of `wrap`, which may leave points outside the box by 16 ε times its height.
        let sum: f64 = row.iter().zip(sizes).map(|(x, size)| x.abs() * size).sum();
        let rounded = 32.0 * epsilon * (sum + 1.0);
        for (outside, x) in outside.iter_mut().zip(edge) {
            *outside += rounded * x.abs();
        }
    }
    // The inverse is rounded too, so its product with the matrix of the edges is not quite the identity.
    for (b, outside) in outside.iter_mut().enumerate().take(V::DIM) {
        for (c, size) in sizes.iter().enumerate().take(V::DIM) {
            let product = |a: usize| lattice.edge(a)[b] * lattice.inverse[a][c];
            let product: f64 = (0..V::DIM).map(product).sum();
            let unit = f64::from(u8::from(b == c));
            *outside += (product - unit).abs() * size;
        }
    }
    outside
}
