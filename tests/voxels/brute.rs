//! The test of one voxel, written from the definitions, and the scan by it.

use orthant::{Aabb, Bounded, Rule, Scalar, Vector, Voxel, VoxelGrid};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<V: Vector> {
    Sphere(V, V::Scalar),
    /// Centre, inner and outer radius.
    Shell(V, V::Scalar, V::Scalar),
    Ellipsoid(V, V),
    Box(V, V),
}

/// Whether a shape, or its surface alone, has a point in the voxel `[lo, hi]` or `[lo, hi)`.
pub(crate) fn meets<V: Vector>(
    shape: Shape<V>,
    hollow: bool,
    rule: Rule<V::Scalar>,
    lo: V,
    hi: V,
) -> bool {
    let closed = rule == Rule::Closed;
    let all = |f: &dyn Fn(usize) -> bool| (0..V::DIM).all(f);
    let (c, limit, hole) = match shape {
        Shape::Sphere(c, r) => (c, r * r, hollow.then_some(r * r)),
        Shape::Shell(c, inner, outer) => (c, outer * outer, Some(inner * inner)),
        Shape::Ellipsoid(c, _) => (c, V::Scalar::ONE, hollow.then_some(V::Scalar::ONE)),
        Shape::Box(min, max) => {
            let met = all(&|a| {
                let reaches = if closed {
                    min.axis(a) <= hi.axis(a)
                } else {
                    min.axis(a) < hi.axis(a)
                };
                reaches && lo.axis(a) <= max.axis(a)
            });
            let within = all(&|a| {
                let ends = if closed {
                    hi.axis(a) < max.axis(a)
                } else {
                    hi.axis(a) <= max.axis(a)
                };
                min.axis(a) < lo.axis(a) && ends
            });
            return met && !(hollow && within);
        }
    };
    let sum = |f: &dyn Fn(usize) -> V::Scalar| {
        let square = |a: usize| {
            let d = match shape {
                Shape::Ellipsoid(_, semi) => f(a) / semi.axis(a),
                _ => f(a),
            };
            d * d
        };
        (1..V::DIM).fold(square(0), |s, a| s + square(a))
    };
    let below = |a: usize| c.axis(a) - lo.axis(a);
    let above = |a: usize| hi.axis(a) - c.axis(a);
    let near = sum(&|a| {
        let d = (lo.axis(a) - c.axis(a)).larger(c.axis(a) - hi.axis(a));
        d.larger(V::Scalar::ZERO)
    });
    let far = sum(&|a| below(a).larger(above(a)));
    let has_near = closed || all(&|a| c.axis(a) < hi.axis(a));
    let has_far = closed || all(&|a| below(a) >= above(a));
    (near < limit || (near == limit && has_near))
        && hole.is_none_or(|hole| hole < far || (hole == far && has_far))
}

/// All voxels within `margin` of the bounds that pass the test, the last axis slowest.
pub(crate) fn scan<V: Vector>(
    grid: &VoxelGrid<V>,
    bounds: &Aabb<V>,
    margin: i32,
    test: impl Fn(V::Voxel) -> bool,
) -> Vec<V::Voxel> {
    let start = grid.voxel_of(bounds.min()).unwrap();
    let end = grid.voxel_of(bounds.max()).unwrap();
    let (start, end) = (
        V::Voxel::from_fn(|a| start.axis(a) - margin),
        V::Voxel::from_fn(|a| end.axis(a) + margin),
    );
    let mut found = Vec::new();
    let mut at = start;
    loop {
        if test(at) {
            found.push(at);
        }
        let Some(axis) = (0..V::DIM).find(|&a| at.axis(a) < end.axis(a)) else {
            return found;
        };
        at = V::Voxel::from_fn(|a| match a {
            a if a < axis => start.axis(a),
            a if a == axis => at.axis(a) + 1,
            a => at.axis(a),
        });
    }
}

/// Enough voxels around the bounds that no predicate reaches farther by rounding.
pub(crate) fn margin<V: Vector>(grid: &VoxelGrid<V>, region: &impl Bounded<Vector = V>) -> i32 {
    let bounds = region.bounds();
    let size: f64 = grid.voxel_size().into();
    let spacing = (0..V::DIM)
        .flat_map(|a| [bounds.min().axis(a), bounds.max().axis(a)])
        .map(|x| (x.abs().next_up() - x.abs()).into() / size)
        .fold(0.0, f64::max);
    2 + (4.0 * spacing).ceil() as i32
}

/// Equality that names the first difference, since the lists are long.
pub(crate) fn assert_same<X: Voxel>(found: &[X], expected: &[X], context: &dyn std::fmt::Debug) {
    let first = (0..found.len().max(expected.len())).find(|&i| found.get(i) != expected.get(i));
    if let Some(i) = first {
        panic!(
            "voxel {i} of {} is {:?}, expected {:?} of {}: {context:?}",
            found.len(),
            found.get(i),
            expected.get(i),
            expected.len()
        );
    }
}
