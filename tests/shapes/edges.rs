//! Solids and boxes that are disjoint, but separated only by a plane along an edge of each, not by a face. The truth is computed in integers, by elimination.
//!
//! Two convex bodies meet if some point satisfies the inequalities of both. Fourier's elimination removes one coordinate after the other: each
//! of its lower bounds must be at most each upper one.

use std::cell::Cell;

use orthant::{Aabb, Hexahedron, Hollow, Orthtree, Overlaps, Rule, VoxelGrid};
use proptest::prelude::*;

use crate::cases::cases;

type Point = [i128; 3];

/// `n · x <= k`, or `n · x < k` if it is strict.
#[derive(Clone, Copy)]
struct Inequality {
    n: Point,
    k: i128,
    strict: bool,
}

fn at_most(n: Point, k: i128) -> Inequality {
    let strict = false;
    Inequality { n, k, strict }
}

fn cross(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

fn dot(a: Point, b: Point) -> i128 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// Returns true if any point satisfies all inequalities.
fn is_feasible(mut all: Vec<Inequality>) -> bool {
    for axis in 0..3 {
        let (below, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.n[axis] < 0);
        let (above, mut left): (Vec<_>, Vec<_>) = rest.into_iter().partition(|one| one.n[axis] > 0);
        for low in &below {
            for high in &above {
                let (by, other) = (high.n[axis], -low.n[axis]);
                left.push(Inequality {
                    n: [0, 1, 2].map(|a| low.n[a] * by + high.n[a] * other),
                    k: low.k * by + high.k * other,
                    strict: low.strict || high.strict,
                });
            }
        }
        all = left;
    }
    all.iter().all(|one| one.k > 0 || one.k == 0 && !one.strict)
}

/// The parts of a unit. Boxes are grown and shrunk by some parts.
const PART: i128 = 1024;

/// A solid spanned by three edges; lengths are in parts of a unit.
struct Slanted {
    from: Point,
    edges: [Point; 3],
}

impl Slanted {
    fn corner(&self, bits: usize) -> Point {
        [0, 1, 2].map(|a| {
            let along = (0..3).filter(|edge| bits >> edge & 1 == 1);
            self.from[a] + along.map(|edge| self.edges[edge][a]).sum::<i128>()
        })
    }

    /// Returns two half-spaces for each pair of edges.
    fn inequalities(&self) -> Vec<Inequality> {
        let pairs = [(1, 2), (2, 0), (0, 1)];
        let planes = pairs.into_iter().flat_map(|(i, j)| {
            // Edges are counted in whole units, so that products stay small.
            let units = |edge: Point| edge.map(|x| x / PART);
            let n = cross(units(self.edges[i]), units(self.edges[j]));
            let products = (0..8).map(|bits| dot(n, self.corner(bits)));
            let (least, most) = (products.clone().min(), products.max());
            [
                at_most(n.map(|x| -x), -least.expect("a corner")),
                at_most(n, most.expect("a corner")),
            ]
        });
        planes.collect()
    }

    /// Returns true if the solid meets another solid whose points are grown to boxes of `by` parts to each side.
    fn meets_other(&self, other: &Self, by: i128) -> bool {
        let mut all = self.inequalities();
        all.extend(other.inequalities());
        for one in &mut all[..6] {
            one.k += by * one.n.iter().map(|x| x.abs()).sum::<i128>();
        }
        is_feasible(all)
    }

    /// Returns true if the other solid lies in front of a face of this one.
    fn is_behind_of(&self, other: &Self) -> bool {
        let in_front = |one: &Inequality| (0..8).all(|bits| dot(one.n, other.corner(bits)) > one.k);
        self.inequalities().iter().any(in_front)
    }

    fn hexahedron(&self) -> Hexahedron<[f64; 3]> {
        let corner = |bits| self.corner(bits).map(|x| x as f64 / PART as f64);
        Hexahedron::from_corners([0, 1, 2, 3, 4, 5, 6, 7].map(corner))
    }

    /// Returns true if the solid meets a box that is grown on all sides by some parts.
    fn meets(&self, low: Point, high: Point, by: i128) -> bool {
        let mut all = self.inequalities();
        for a in 0..3 {
            let mut n = [0; 3];
            n[a] = 1;
            all.push(at_most(n, high[a] + by));
            n[a] = -1;
            all.push(at_most(n, by - low[a]));
        }
        is_feasible(all)
    }

    /// Returns true if a face of the solid or of the box separates them.
    fn is_parted_by_a_face(&self, low: Point, high: Point) -> bool {
        let corners = || (0..8).map(|bits| self.corner(bits));
        let beside = |a: usize| {
            corners().all(|corner| corner[a] > high[a])
                || corners().all(|corner| corner[a] < low[a])
        };
        let in_front = |one: &Inequality| {
            let nearest = [0, 1, 2].map(|a| if one.n[a] > 0 { low[a] } else { high[a] });
            dot(one.n, nearest) > one.k
        };
        (0..3).any(beside) || self.inequalities().iter().any(in_front)
    }
}

#[test]
fn edges_part_what_no_face_parts() {
    use proptest::array::uniform3;
    let parted_by_edges = Cell::new(0);
    let input = (
        uniform3(-6i8..=6),
        uniform3(uniform3(-5i8..=5)),
        uniform3(-6i8..=6),
        // Some boxes are so large that the solid lies within.
        prop_oneof![5 => uniform3(0u8..=5), 1 => uniform3(20u8..=40)],
    );
    proptest!(cases(1500, 10_000), |((from, edges, low, size) in input)| {
        let parts = |v: [i8; 3]| v.map(|x| i128::from(x) * PART);
        let solid = Slanted { from: parts(from), edges: edges.map(parts) };
        let units = edges.map(|edge| edge.map(i128::from));
        prop_assume!(dot(units[0], cross(units[1], units[2])) != 0);
        let low = parts(low);
        let high = [0, 1, 2].map(|a| low[a] + i128::from(size[a]) * PART);
        let meets = solid.meets(low, high, 1);
        // Skip shapes that touch within a thousandth of a unit, since rounding decides.
        prop_assume!(meets == solid.meets(low, high, -1) || size.contains(&0));
        prop_assume!(meets == solid.meets(low, high, 0));
        if !meets && !solid.is_parted_by_a_face(low, high) {
            parted_by_edges.set(parted_by_edges.get() + 1);
        }
        let wide = |p: Point| p.map(|x| x as f64 / PART as f64);
        let hexahedron = solid.hexahedron();
        let cell = Aabb::new(wide(low), wide(high));
        prop_assert_eq!(hexahedron.overlaps(&cell), meets);
        // The solid meets the surface of the box too, unless the solid lies within the box.
        let within = |a: usize| (0..8).all(|bits| {
            let x = solid.corner(bits)[a];
            low[a] < x && x < high[a]
        });
        let on_surface = meets && !(0..3).all(within);
        prop_assert_eq!(hexahedron.overlaps(&Hollow(cell)), on_surface);
        // Trees of boxes take another code path.
        prop_assert_eq!(Orthtree::new(&[cell]).count(&hexahedron), usize::from(meets));
    });
    assert!(parted_by_edges.get() > 5, "only {}", parted_by_edges.get());
}

#[test]
fn edges_part_two_solids() {
    use proptest::array::uniform3;
    let parted_by_edges = Cell::new(0);
    let solid = || (uniform3(-6i8..=6), uniform3(uniform3(-5i8..=5)));
    proptest!(cases(600, 10_000), |(solids in [solid(), solid()])| {
        let parts = |v: [i8; 3]| v.map(|x| i128::from(x) * PART);
        let solids = solids.map(|(from, edges)| Slanted { from: parts(from), edges: edges.map(parts) });
        let [one, other] = &solids;
        let is_solid = |[a, b, c]: [Point; 3]| dot(a, cross(b, c)) != 0;
        prop_assume!(is_solid(one.edges) && is_solid(other.edges));
        let meets = one.meets_other(other, 0);
        // Skip shapes that touch within a thousandth of a unit, since rounding decides.
        prop_assume!(meets == one.meets_other(other, 1) && meets == one.meets_other(other, -1));
        if !(meets || one.is_behind_of(other) || other.is_behind_of(one)) {
            parted_by_edges.set(parted_by_edges.get() + 1);
        }
        let [one, other] = solids.each_ref().map(Slanted::hexahedron);
        prop_assert_eq!(one.overlaps(&other), meets);
        prop_assert_eq!(other.overlaps(&one), meets);
    });
    assert!(parted_by_edges.get() > 5, "only {}", parted_by_edges.get());
}

/// Half-open voxels near leaning solids touch them mostly at a corner or an edge, if at all. Numbers are so small that nothing is rounded.
#[test]
fn voxels_that_leaning_solids_touch() {
    use proptest::array::uniform3;
    let counts = [const { Cell::new(0) }; 2];
    proptest!(cases(60, 5000), |(from in uniform3(-2i8..=2), edges in uniform3(uniform3(-2i8..=2)))| {
        let wide = |v: [i8; 3]| v.map(i128::from);
        let solid = Slanted { from: wide(from).map(|x| x * PART), edges: edges.map(|edge| wide(edge).map(|x| x * PART)) };
        prop_assume!(dot(wide(edges[0]), cross(wide(edges[1]), wide(edges[2]))) != 0);
        let hexahedron = solid.hexahedron();
        let grid = VoxelGrid::new([0.0; 3], 1.0);
        let closed: Vec<[i32; 3]> = grid.voxels(hexahedron.clone()).collect();
        let half_open: Vec<[i32; 3]> = grid.with_rule(Rule::HalfOpen).voxels(hexahedron).collect();
        let whole = solid.inequalities();
        for code in 0..15 * 15 * 15 {
            let voxel = [1, 15, 225].map(|digit| code / digit % 15 - 7);
            let low = voxel.map(|i| i128::from(i) * PART);
            // Far away no voxels are met.
            let is_beside = |a: usize| {
                (0..8).all(|bits| solid.corner(bits)[a] > low[a] + PART)
                    || (0..8).all(|bits| solid.corner(bits)[a] < low[a])
            };
            if (0..3).any(is_beside) {
                prop_assert!(!closed.contains(&voxel) && !half_open.contains(&voxel));
                continue;
            }
            let meets = |strict: bool| {
                let mut all = whole.clone();
                for a in 0..3 {
                    let mut n = [0; 3];
                    n[a] = 1;
                    all.push(Inequality { n, k: low[a] + PART, strict });
                    n[a] = -1;
                    all.push(at_most(n, -low[a]));
                }
                is_feasible(all)
            };
            let [open, all] = [true, false].map(meets);
            prop_assert_eq!(closed.contains(&voxel), all, "{:?}", voxel);
            prop_assert_eq!(half_open.contains(&voxel), open, "{:?} half open", voxel);
            let count = &counts[usize::from(open != all)];
            count.set(count.get() + 1);
        }
    });
    assert!(counts.iter().all(|count| count.get() > 100), "{counts:?}");
}
