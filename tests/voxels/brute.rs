//! The test of one voxel, written from the definitions, and a scan that uses it.

use orthant::{Aabb, Bounded, Region, Rule, Scalar, Vector, Voxel, VoxelGrid, Voxelize};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape<V: Vector> {
    Sphere(V, V::Scalar),
    /// A ball with a hole: center, inner and outer radius.
    Shell(V, V::Scalar, V::Scalar),
    Ellipsoid(V, V),
    Box(V, V),
}

/// A shape grown by a distance, with the rest of its hole.
struct Around<V: Vector> {
    /// The squared distance to the nearest point of a box, and the limit `outer`.
    near: V::Scalar,
    outer: V::Scalar,
    /// The squared distance to the farthest corner of the box, and the limit `inner`.
    hole: Option<(V::Scalar, V::Scalar)>,
}

fn sum_of_squares<V: Vector>(f: impl Fn(usize) -> V::Scalar) -> V::Scalar {
    let square = |a| f(a) * f(a);
    (1..V::DIM).fold(square(0), |sum, a| sum + square(a))
}

impl<V: Vector> Around<V> {
    fn of(shape: Shape<V>, hollow: bool, reach: V::Scalar, lo: V, hi: V) -> Self {
        let zero = V::Scalar::ZERO;
        let rings = |c: V, outer: V::Scalar, inner: V::Scalar, hollow: bool| {
            let (outer, inner) = (outer + reach, inner - reach);
            Self {
                near: sum_of_squares::<V>(|a| near_on(c, lo, hi, a)),
                outer: outer * outer,
                hole: (hollow && inner >= zero)
                    .then(|| (inner * inner, sum_of_squares::<V>(|a| far_on(c, lo, hi, a)))),
            }
        };
        match shape {
            Shape::Sphere(c, r) => rings(c, r, r, hollow),
            Shape::Shell(c, inner, outer) => rings(c, outer, inner, inner > zero),
            Shape::Ellipsoid(c, semi) => {
                let smaller = |a: usize| semi.axis(a) - reach;
                let has_hole = hollow && (0..V::DIM).all(|a| smaller(a) > zero);
                let far = || sum_of_squares::<V>(|a| far_on(c, lo, hi, a) / smaller(a));
                let larger = |a: usize| semi.axis(a) + reach;
                Self {
                    near: sum_of_squares::<V>(|a| near_on(c, lo, hi, a) / larger(a)),
                    outer: V::Scalar::ONE,
                    hole: has_hole.then(|| (V::Scalar::ONE, far())),
                }
            }
            Shape::Box(min, max) => {
                let gap = sum_of_squares::<V>(|a| {
                    let apart = (min.axis(a) - hi.axis(a)).larger(lo.axis(a) - max.axis(a));
                    apart.larger(zero)
                });
                let depth = |a: usize| (lo.axis(a) - min.axis(a)).smaller(max.axis(a) - hi.axis(a));
                let depth = (1..V::DIM).fold(depth(0), |least, a| least.smaller(depth(a)));
                let depth = if hollow { depth.larger(zero) } else { zero };
                Self {
                    near: gap.larger(depth * depth),
                    outer: reach * reach,
                    hole: None,
                }
            }
        }
    }

    fn is_within(&self, strictly: bool) -> bool {
        let less = |a: V::Scalar, b: V::Scalar| a < b || (!strictly && a == b);
        less(self.near, self.outer) && self.hole.is_none_or(|(inner, far)| less(inner, far))
    }
}

fn near_on<V: Vector>(c: V, lo: V, hi: V, a: usize) -> V::Scalar {
    let d = (lo.axis(a) - c.axis(a)).larger(c.axis(a) - hi.axis(a));
    d.larger(V::Scalar::ZERO)
}

fn far_on<V: Vector>(c: V, lo: V, hi: V, a: usize) -> V::Scalar {
    (c.axis(a) - lo.axis(a)).larger(hi.axis(a) - c.axis(a))
}

/// Returns true if a shape, or its surface alone, meets a voxel by the rule of a grid.
pub(crate) fn is_met<V: Vector>(
    shape: Shape<V>,
    hollow: bool,
    grid: &VoxelGrid<V>,
    voxel: V::Voxel,
) -> bool {
    let cell = grid.voxel_bounds(voxel);
    let (lo, hi) = (cell.min(), cell.max());
    let center_of = |voxel: V::Voxel| {
        V::from_fn(|a| {
            let index = V::Scalar::from_f64(f64::from(voxel.axis(a)) + 0.5);
            grid.origin().axis(a) + index * grid.voxel_size()
        })
    };
    let center = center_of(voxel);
    match grid.rule() {
        Rule::CenterInside => {
            let holds = |p: V| meets(shape, false, true, p, p);
            let beyond = |step| {
                let next = |a: usize| voxel.with(a, voxel.axis(a) + step);
                (0..V::DIM).any(|a| !holds(center_of(next(a))))
            };
            holds(center) && (!hollow || beyond(-1) || beyond(1))
        }
        Rule::Thin => (0..V::DIM).any(|a| {
            let along = |from: V| V::from_fn(|b| if a == b { from } else { center }.axis(b));
            meets(shape, hollow, true, along(lo), along(hi))
        }),
        Rule::Shell(thickness) => {
            let reach = thickness * V::Scalar::from_f64(0.5);
            Around::of(shape, hollow, reach, lo, hi).is_within(false)
        }
        Rule::NarrowBand(w) => Around::of(shape, hollow, w, center, center).is_within(true),
        rule => meets(shape, hollow, rule == Rule::Closed, lo, hi),
    }
}

/// Returns true if a shape, or its surface alone, has a point in the box `[lo, hi]` or `[lo, hi)`.
fn meets<V: Vector>(shape: Shape<V>, hollow: bool, closed: bool, lo: V, hi: V) -> bool {
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

/// Returns true if a region meets a voxel by the rule of a grid, in the words of the rule.
pub(crate) fn is_met_by<V, R>(region: &R, grid: &VoxelGrid<V>, voxel: V::Voxel) -> bool
where
    V: Vector,
    R: Voxelize + Region<Vector = V>,
{
    let cell = grid.voxel_bounds(voxel);
    let center_of = |voxel: V::Voxel| {
        V::from_fn(|a| {
            let index = V::Scalar::from_f64(f64::from(voxel.axis(a)) + 0.5);
            grid.origin().axis(a) + index * grid.voxel_size()
        })
    };
    let point = |voxel| Aabb::new(center_of(voxel), center_of(voxel));
    match grid.rule() {
        Rule::Closed => region.overlaps(&cell),
        Rule::HalfOpen => region.overlaps_half_open(&cell),
        Rule::CenterInside => {
            let next = |a: usize, step| point(voxel.with(a, voxel.axis(a) + step));
            let all_hold = |a| region.holds(&next(a, -1)) && region.holds(&next(a, 1));
            region.holds(&point(voxel)) && !(R::IS_SURFACE && (0..V::DIM).all(all_hold))
        }
        Rule::Thin => (0..V::DIM).any(|a| {
            let center = center_of(voxel);
            let along = |from: V| V::from_fn(|b| if a == b { from } else { center }.axis(b));
            region.overlaps(&Aabb::new(along(cell.min()), along(cell.max())))
        }),
        Rule::Shell(thickness) => {
            let half = thickness * V::Scalar::from_f64(0.5);
            region.compare_distance(&cell, half).unwrap().is_le()
        }
        Rule::NarrowBand(w) => region.compare_distance(&point(voxel), w).unwrap().is_lt(),
        other => panic!("no brute force for {other:?}"),
    }
}

/// Returns all voxels within `margin` of the bounds that pass the test, the last axis slowest.
pub(crate) fn scan<V: Vector>(
    grid: &VoxelGrid<V>,
    bounds: &Aabb<V>,
    margin: i32,
    mut test: impl FnMut(V::Voxel) -> bool,
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

/// Returns a number of voxels around the bounds beyond which no predicate reaches by rounding.
pub(crate) fn margin<V: Vector>(grid: &VoxelGrid<V>, region: &impl Bounded<Vector = V>) -> i32 {
    let bounds = region.bounds();
    let size: f64 = grid.voxel_size().into();
    // If the origin is far away, faces are rounded by its spacing.
    let spacing = (0..V::DIM)
        .flat_map(|a| [bounds.min(), bounds.max(), grid.origin()].map(|p| p.axis(a)))
        .map(|x| (x.abs().next_up() - x.abs()).into() / size)
        .fold(0.0, f64::max);
    2 + (4.0 * spacing).ceil() as i32
}

/// Asserts that two lists are equal, and names only the first difference, since the lists are long.
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
