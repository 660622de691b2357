//! How far voxels lie from slanted solids, in whole numbers: `Shell` asks it, and edges that pass each other decide much of it.
//!
//! The differences of the points of two bodies that edges span are the sums `c + Σ t g` with each `t` from 0 to 1. The nearest such sum to
//! the origin is the foot of the origin on a line, plane or space through up to three `g`, with all other `t` 0 or 1; and each foot
//! that is such a sum is no nearer. So all are tried.

use std::cell::Cell;

use orthant::glam::{DVec3, IVec3, Vec3};
use orthant::{Hexahedron, Hollow, Region, Rule, Scalar, Space, Vector, VoxelGrid, Voxelize};
use proptest::prelude::*;

use crate::cases::cases;

type Point = [i128; 3];

fn add(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| a[i] + b[i])
}

fn dot(a: Point, b: Point) -> i128 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

fn determinant(rows: [Point; 3]) -> i128 {
    dot(rows[0], cross(rows[1], rows[2]))
}

/// A squared distance as a fraction, and between what.
#[derive(Clone, Copy)]
struct Distance {
    numerator: i128,
    denominator: i128,
    /// Which edges lead from one foot to all others beside it, as bits.
    free: usize,
}

/// The least distance of the origin from `base + Σ t g`.
fn least(base: Point, edges: [Point; 6]) -> Distance {
    let mut best: Option<Distance> = None;
    for free in (0..64_usize).filter(|free| free.count_ones() <= 3) {
        let fixed = 63 & !free;
        // All parts of what is fixed.
        let mut ends = fixed;
        loop {
            let start = (0..6)
                .filter(|i| ends >> i & 1 == 1)
                .fold(base, |sum, i| add(sum, edges[i]));
            if let Some(found) = foot(start, edges, free) {
                let is_less = |best: Distance| {
                    found.numerator * best.denominator < best.numerator * found.denominator
                };
                if best.is_none_or(is_less) {
                    best = Some(found);
                }
            }
            if ends == 0 {
                break;
            }
            ends = (ends - 1) & fixed;
        }
    }
    best.expect("corners")
}

/// The foot of the origin on `start + Σ t g` of the edges that are free, if each `t` is from 0 to 1: by Cramer's rule.
fn foot(start: Point, edges: [Point; 6], free: usize) -> Option<Distance> {
    let mut along = [[0; 3]; 3];
    let chosen: Vec<Point> = (0..6)
        .filter(|i| free >> i & 1 == 1)
        .map(|i| edges[i])
        .collect();
    along[..chosen.len()].copy_from_slice(&chosen);
    let mut products = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (i, &a) in chosen.iter().enumerate() {
        for (j, &b) in chosen.iter().enumerate() {
            products[i][j] = dot(a, b);
        }
    }
    let denominator = determinant(products);
    if denominator == 0 {
        return None;
    }
    let right = along.map(|edge| -dot(edge, start));
    let mut numerator = dot(start, start) * denominator;
    for (i, value) in right.into_iter().enumerate().take(chosen.len()) {
        // The matrix is symmetric: a row for a column.
        let mut replaced = products;
        replaced[i] = right;
        let t = determinant(replaced);
        if t < 0 || t > denominator {
            return None;
        }
        numerator -= t * value;
    }
    Some(Distance {
        numerator,
        denominator,
        free,
    })
}

/// A solid spanned by three edges.
#[derive(Clone, Debug)]
struct Slanted {
    from: Point,
    edges: [Point; 3],
}

impl Slanted {
    fn corner(&self, bits: usize) -> Point {
        let along = (0..3).filter(|edge| bits >> edge & 1 == 1);
        along.fold(self.from, |sum, edge| add(sum, self.edges[edge]))
    }

    fn hexahedron<V: Vector + Space>(&self) -> Hexahedron<V> {
        let point = |p: Point| V::from_fn(|a| Scalar::from_f64(p[a] as f64));
        Hexahedron::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(|bits| point(self.corner(bits))))
    }

    /// Whether a cell lies in the interior, farther than a length from every plane.
    fn buries(&self, low: Point, high: Point, length: i128) -> bool {
        [(0, 1), (1, 2), (2, 0)].into_iter().all(|(i, j)| {
            let n = cross(self.edges[i], self.edges[j]);
            let corners = || (0..8).map(|bits| dot(n, self.corner(bits)));
            let (least, most) = (corners().min(), corners().max());
            let places = || {
                (0..8_usize).map(|bits| dot(n, [0, 1, 2].map(|a| [low, high][bits >> a & 1][a])))
            };
            let below = most.expect("a corner") - places().max().expect("a corner");
            let above = places().min().expect("a corner") - least.expect("a corner");
            let limit = length * length * dot(n, n);
            [below, above]
                .into_iter()
                .all(|depth| depth > 0 && depth * depth > limit)
        })
    }
}

/// Squared distances of some voxels against the definition; returns how many an edge of each decided.
fn check<V: Vector<Voxel = IVec3> + Space>(
    solid: &Slanted,
    size: i128,
    length: i128,
    nth: usize,
) -> usize
where
    Hexahedron<V>: Voxelize + Region<Vector = V>,
    Hollow<Hexahedron<V>>: Voxelize + Region<Vector = V>,
{
    let float = |x: i128| V::Scalar::from_f64(x as f64);
    let grid =
        VoxelGrid::new(V::splat(float(0)), float(size)).with_rule(Rule::Shell(float(2 * length)));
    let shape = solid.hexahedron::<V>();
    let key = |voxel: IVec3| voxel.to_array();
    let mut filled: Vec<[i32; 3]> = grid.voxels(shape.clone()).map(key).collect();
    let mut surface: Vec<[i32; 3]> = grid.voxels(Hollow(shape.clone())).map(key).collect();
    filled.sort_unstable();
    surface.sort_unstable();

    let bounds = [0, 1, 2].map(|a| {
        let corners = || (0..8).map(|bits| solid.corner(bits)[a]);
        let around = length + size;
        let index = |x: i128| x.div_euclid(size) as i32;
        let (low, high) = (corners().min(), corners().max());
        (
            index(low.expect("a corner") - around),
            index(high.expect("a corner") + around),
        )
    });
    let mut by_edges = 0;
    let mut number = 0;
    for x in bounds[0].0..=bounds[0].1 {
        for y in bounds[1].0..=bounds[1].1 {
            for z in bounds[2].0..=bounds[2].1 {
                number += 1;
                if number % 7 != nth {
                    continue;
                }
                let low = [x, y, z].map(|i| i128::from(i) * size);
                let high = low.map(|x| x + size);
                let [a, b, c] = solid.edges;
                let base = [0, 1, 2].map(|a| solid.from[a] - high[a]);
                let sides = [[size, 0, 0], [0, size, 0], [0, 0, size]];
                let distance = least(base, [a, b, c, sides[0], sides[1], sides[2]]);
                let is_near = distance.numerator <= length * length * distance.denominator;
                let voxel = [x, y, z];
                assert_eq!(filled.binary_search(&voxel).is_ok(), is_near, "{voxel:?}");
                let is_shell = is_near && !solid.buries(low, high, length);
                assert_eq!(
                    surface.binary_search(&voxel).is_ok(),
                    is_shell,
                    "hollow {voxel:?}"
                );
                let edges = |bits: usize| bits.count_ones() == 1;
                if !(edges(distance.free & 7) && edges(distance.free >> 3)) {
                    continue;
                }
                by_edges += 1;
                if by_edges <= 3 && distance.numerator > 0 {
                    // Just reached, and just not.
                    let apart = (distance.numerator as f64 / distance.denominator as f64).sqrt();
                    for (factor, is_near) in [(1.0001, true), (0.9999, false)] {
                        let thickness = V::Scalar::from_f64(2.0 * apart * factor);
                        let grid = grid.with_rule(Rule::Shell(thickness));
                        let mut voxels = grid.voxels(shape.clone()).map(key);
                        assert_eq!(voxels.any(|other| other == voxel), is_near, "{voxel:?}");
                    }
                }
            }
        }
    }
    by_edges
}

#[test]
fn voxels_near_slanted_solids() {
    use proptest::array::uniform3;
    let by_edges = Cell::new(0);
    let input = (
        uniform3(-6i128..=6),
        uniform3(uniform3(-5i128..=5)),
        2i128..=4,
        1i128..=5,
        0usize..7,
    );
    proptest!(cases(12, 300), |((from, edges, size, length, nth) in input)| {
        prop_assume!(determinant(edges) != 0);
        let solid = Slanted { from, edges };
        let found = check::<DVec3>(&solid, size, length, nth) + check::<Vec3>(&solid, size, length, nth);
        by_edges.set(by_edges.get() + found);
    });
    assert!(by_edges.get() > 100, "only {}", by_edges.get());
}
