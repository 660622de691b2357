//! The distances of voxels from slanted solids, in whole numbers. `Shell` uses them, and pairs of skew edges decide many of them.

use std::cell::Cell;

use orthant::glam::{DVec3, IVec3, Vec3};
use orthant::{
    Frustum, Hexahedron, Hollow, Region, Rule, Scalar, Space, Vector, VoxelGrid, Voxelize,
};
use proptest::prelude::*;

use crate::cases::cases;
use crate::distance::{Point, add, cross, determinant, dot, least};

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

    /// Returns true if a cell lies in the interior, farther than a length from every plane.
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

/// Compares squared distances of some voxels with the definition; returns how many were decided by an edge of each.
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
                let edges = [a, b, c, sides[0], sides[1], sides[2]];
                let ([numerator, denominator], free) = least(base, &edges);
                let is_near = numerator <= length * length * denominator;
                let voxel = [x, y, z];
                assert_eq!(filled.binary_search(&voxel).is_ok(), is_near, "{voxel:?}");
                let is_shell = is_near && !solid.buries(low, high, length);
                assert_eq!(
                    surface.binary_search(&voxel).is_ok(),
                    is_shell,
                    "hollow {voxel:?}"
                );
                let is_one = |bits: usize| bits.count_ones() == 1;
                if !(is_one(free & 7) && is_one(free >> 3)) {
                    continue;
                }
                by_edges += 1;
                if by_edges <= 3 && numerator > 0 {
                    // Test a radius that is just reached, and one that is just not.
                    let apart = (numerator as f64 / denominator as f64).sqrt();
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
    proptest!(cases(24, 300), |((from, edges, size, length, nth) in input)| {
        prop_assume!(determinant(edges) != 0);
        let solid = Slanted { from, edges };
        let found = check::<DVec3>(&solid, size, length, nth) + check::<Vec3>(&solid, size, length, nth);
        by_edges.set(by_edges.get() + found);
    });
    assert!(by_edges.get() > 100, "only {}", by_edges.get());
}

/// Endless edges, as those of a camera without a far plane, are nearest to voxels beyond any corner.
#[test]
fn voxels_near_a_camera_that_sees_for_ever() {
    let camera = |far: f64| {
        // The depths are reversed, with the near plane at 1, and the camera is turned by a rational rotation in sevenths.
        let depth = if far.is_finite() {
            1.0 / (far - 1.0)
        } else {
            0.0
        };
        let columns = [[2.0, 3.0, 6.0], [3.0, -6.0, 2.0], [6.0, 2.0, -3.0]];
        let [a, b, c] = columns.map(|[x, y, z]| [x / 7.0, y / 7.0, depth * z / 7.0, -z / 7.0]);
        Frustum::<DVec3>::from_view_projection([a, b, c, [0.0, 0.0, 1.0 + depth, 0.0]])
    };
    let (endless, far) = (camera(f64::INFINITY), camera(1e6));
    assert!(endless.is_unbounded() && !far.is_unbounded());
    for thickness in [1.5, 2.3, 4.5] {
        let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(Rule::Shell(thickness));
        let grid = grid.within(IVec3::splat(-24), IVec3::splat(24));
        let listed = |seen: &Frustum<DVec3>| {
            let voxels = grid.voxels(seen.clone());
            let mut keys: Vec<_> = voxels.map(|voxel| voxel.to_array()).collect();
            keys.sort_unstable();
            keys
        };
        let (expected, found) = (listed(&far), listed(&endless));
        assert!(expected.len() > 5000, "{}", expected.len());
        let odd = expected.iter().zip(&found).find(|(a, b)| a != b);
        assert_eq!((found.len(), odd), (expected.len(), None), "{thickness}");
    }
}
