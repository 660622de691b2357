//! Users' regions, which the grid knows by their predicates alone.

use std::cell::Cell;
use std::cmp::Ordering;

use orthant::{
    Aabb, Bounded, Complement, Difference, Error, Intersection, Overlaps, Region, Relation, Rule,
    Sphere, Union, VoxelGrid, Voxelize,
    glam::{DVec3, IVec3, Vec2},
};
use proptest::prelude::*;

use crate::rows::{Raw, raw, rules};
use crate::solids::check;

/// A torus: the points near a circle about the z axis, or the surface of that.
#[derive(Clone, Copy, Debug)]
struct Torus<const HOLLOW: bool> {
    ring: f64,
    tube: f64,
}

impl<const HOLLOW: bool> Torus<HOLLOW> {
    /// Returns the squared distances of the nearest and the farthest point of a box from the circle.
    fn ends(cell: &Aabb<DVec3>, ring: f64) -> (f64, f64) {
        let (lo, hi) = (cell.min(), cell.max());
        let (near, far) = (lo.max(-hi).max(DVec3::ZERO), hi.max(-lo));
        // These are the least and greatest distances of the box from the axis, minus the radius of the circle.
        let low = (near.x * near.x + near.y * near.y).sqrt() - ring;
        let high = (far.x * far.x + far.y * far.y).sqrt() - ring;
        let (across, beyond) = (low.max(-high).max(0.0), high.max(-low));
        (
            across * across + near.z * near.z,
            beyond * beyond + far.z * far.z,
        )
    }
}

impl<const HOLLOW: bool> Overlaps<Aabb<DVec3>> for Torus<HOLLOW> {
    fn overlaps(&self, cell: &Aabb<DVec3>) -> bool {
        let (near, far) = Self::ends(cell, self.ring);
        let limit = self.tube * self.tube;
        near <= limit && (!HOLLOW || limit <= far)
    }
}

impl<const HOLLOW: bool> Region for Torus<HOLLOW> {
    type Vector = DVec3;

    fn relate(&self, cell: &Aabb<DVec3>) -> Relation {
        let inside = !HOLLOW && Self::ends(cell, self.ring).1 <= self.tube * self.tube;
        match self.overlaps(cell) {
            false => Relation::Outside,
            true if inside => Relation::Inside,
            true => Relation::Straddles,
        }
    }
}

impl<const HOLLOW: bool> Bounded for Torus<HOLLOW> {
    type Vector = DVec3;

    fn core(&self) -> Aabb<DVec3> {
        let wide = self.ring + self.tube;
        let corner = DVec3::new(wide, wide, self.tube);
        Aabb::new(-corner, corner)
    }
}

impl<const HOLLOW: bool> Voxelize for Torus<HOLLOW> {
    const IS_SURFACE: bool = HOLLOW;

    fn holds(&self, point: &Aabb<DVec3>) -> bool {
        Self::ends(point, self.ring).0 <= self.tube * self.tube
    }

    fn compare_distance(&self, cell: &Aabb<DVec3>, distance: f64) -> Option<Ordering> {
        let (near, far) = Self::ends(cell, self.ring);
        let (outer, inner) = (self.tube + distance, self.tube - distance);
        let beyond = near.partial_cmp(&(outer * outer))?;
        if HOLLOW && inner >= 0.0 {
            return Some(beyond.max((inner * inner).partial_cmp(&far)?));
        }
        Some(beyond)
    }
}

/// Two boxes that form an L, in the plane.
#[derive(Clone, Copy, Debug)]
struct Corner([Aabb<Vec2>; 2]);

impl Overlaps<Aabb<Vec2>> for Corner {
    fn overlaps(&self, cell: &Aabb<Vec2>) -> bool {
        self.0.iter().any(|part| part.overlaps(cell))
    }
}

impl Region for Corner {
    type Vector = Vec2;

    fn relate(&self, cell: &Aabb<Vec2>) -> Relation {
        let [a, b] = self.0.map(|part| part.relate(cell));
        if [a, b].contains(&Relation::Inside) {
            Relation::Inside
        } else if a == Relation::Outside {
            b
        } else {
            a
        }
    }
}

impl Bounded for Corner {
    type Vector = Vec2;

    fn core(&self) -> Aabb<Vec2> {
        self.0[0].union(&self.0[1])
    }
}

impl Voxelize for Corner {
    fn compare_distance(&self, cell: &Aabb<Vec2>, distance: f32) -> Option<Ordering> {
        let gap = |part: &Aabb<Vec2>| {
            let apart = (part.min() - cell.max()).max(cell.min() - part.max());
            let apart = apart.max(Vec2::ZERO);
            apart.x * apart.x + apart.y * apart.y
        };
        let least = gap(&self.0[0]).min(gap(&self.0[1]));
        least.partial_cmp(&(distance * distance))
    }
}

fn torus<const HOLLOW: bool>(raw: &Raw) -> Torus<HOLLOW> {
    let [a, b, ..] = raw.numbers().1.map(f64::from);
    Torus {
        ring: raw.unit() * a,
        tube: raw.unit() * (b % 4.0),
    }
}

fn corner(raw: &Raw) -> Corner {
    let at: Vec2 = raw.point();
    let long = |a: usize| raw.unit() as f32 * raw.numbers().1[a] as f32;
    let arm = |x, y| Aabb::new(at, at + Vec2::new(x, y));
    Corner([arm(long(0), long(1) * 0.25), arm(long(2) * 0.25, long(3))])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn a_torus(raw in raw()) {
        check(&raw, &torus::<false>(&raw));
        check(&raw, &torus::<true>(&raw));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn two_boxes(raw in raw()) {
        check(&raw, &corner(&raw));
    }

    /// A combination of regions has the combination of their voxels, by every rule.
    #[test]
    fn parts_of_all_kinds(raw in raw()) {
        let (a, b) = (corner(&raw), Sphere::new(raw.point::<Vec2>() + 0.75, raw.unit() as f32 * 3.0));
        let skin = orthant::Hollow(b);
        let grid = raw.grid::<Vec2>();
        let start = grid.voxel_of(raw.point()).unwrap() - 6;
        for rule in rules(&raw, grid.voxel_size()) {
            let grid = grid.with_rule(rule).within(start, start + 13);
            let voxels = |of: &dyn Fn(orthant::glam::IVec2) -> bool| {
                let all = (0..13 * 13).map(|i| start + orthant::glam::IVec2::new(i % 13, i / 13));
                all.filter(|&voxel| of(voxel)).collect::<Vec<_>>()
            };
            let [in_a, in_b, in_skin] = [
                grid.voxels(a).collect::<Vec<_>>(),
                grid.voxels(b).collect(),
                grid.voxels(skin).collect(),
            ];
            let expected = voxels(&|v| in_a.contains(&v) && !in_skin.contains(&v));
            prop_assert_eq!(Vec::from(grid.voxels(Difference(a, skin))), expected);
            let expected = voxels(&|v| in_a.contains(&v) != in_b.contains(&v));
            let either = Union(Difference(a, b), Intersection(b, Complement(a)));
            prop_assert_eq!(grid.cells(either).map(|cell| 1 << (2 * cell.level)).sum::<usize>(), expected.len());
            prop_assert_eq!(Vec::from(grid.voxels(either)), expected);
            // In the window the region is bounded.
            let expected = voxels(&|v| !in_skin.contains(&v));
            prop_assert_eq!(Vec::from(grid.voxels(Complement(skin))), expected);
        }
    }
}

/// A region with only the required methods.
#[derive(Clone, Copy, Debug)]
struct Plain(Sphere<DVec3>);

impl Overlaps<Aabb<DVec3>> for Plain {
    fn overlaps(&self, cell: &Aabb<DVec3>) -> bool {
        self.0.overlaps(cell)
    }
}

impl Region for Plain {
    type Vector = DVec3;

    fn relate(&self, cell: &Aabb<DVec3>) -> Relation {
        self.0.relate(cell)
    }
}

impl Bounded for Plain {
    type Vector = DVec3;

    fn core(&self) -> Aabb<DVec3> {
        self.0.bounds()
    }
}

impl Voxelize for Plain {}

#[test]
fn rules_of_distances_need_distances() {
    let (ball, plain) = (
        Sphere::new(DVec3::ZERO, 3.0),
        Plain(Sphere::new(DVec3::ONE, 2.0)),
    );
    let grid = VoxelGrid::new(DVec3::ZERO, 0.5);
    assert_eq!(grid.count(plain), grid.count(plain.0));
    for (rule, name) in [
        (Rule::Shell(0.5), "Shell"),
        (Rule::NarrowBand(0.5), "NarrowBand"),
    ] {
        let grid = grid.with_rule(rule);
        let reason = Error::NoDistances { rule: name };
        assert_eq!(grid.check(&plain), Err(reason));
        assert_eq!(grid.check(&plain), Err(reason));
        assert_eq!(grid.check(&Difference(ball, plain)), Err(reason));
        assert_eq!(grid.check(&Union(plain, ball)), Err(reason));
        let window = grid.within(IVec3::ZERO, IVec3::ONE);
        assert_eq!(window.check(&Complement(plain)), Err(reason));
    }
}

/// Counts the calls of a region's methods.
#[derive(Clone)]
struct Counted<'a>(Plain, &'a Cell<u32>);

impl Overlaps<Aabb<DVec3>> for Counted<'_> {
    fn overlaps(&self, cell: &Aabb<DVec3>) -> bool {
        self.1.set(self.1.get() + 1);
        self.0.overlaps(cell)
    }
}

impl Region for Counted<'_> {
    type Vector = DVec3;

    fn relate(&self, cell: &Aabb<DVec3>) -> Relation {
        self.1.set(self.1.get() + 1);
        self.0.relate(cell)
    }
}

impl Bounded for Counted<'_> {
    type Vector = DVec3;

    fn core(&self) -> Aabb<DVec3> {
        self.0.bounds()
    }
}

impl Voxelize for Counted<'_> {}

/// A chunk costs as much for a large region as for a small one.
#[test]
fn a_chunk_costs_what_is_in_it() {
    let start = IVec3::new(-8, 3, 7);
    for radius in [1e2, 1e5, 1e9, 1e12] {
        let asked = Cell::new(0);
        let ball = Plain(Sphere::new(DVec3::new(0.3, 0.1 - radius, 0.2), radius));
        let grid = VoxelGrid::new(DVec3::ZERO, 1.0).with_rule(Rule::HalfOpen);
        let chunk = grid.within(start.with_y(-8), start.with_y(-8) + 16);
        let found = chunk.count(Counted(ball, &asked));
        assert!(
            (16 * 16 * 4..=16 * 16 * 9).contains(&found),
            "{found} at {radius}"
        );
        // The surface has 256 voxels in the chunk, each reached by some halvings.
        assert!(asked.get() < 5_000, "{} at {radius}", asked.get());
    }
}
