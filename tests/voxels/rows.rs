//! Compares spheres, ellipsoids and boxes, solid and hollow, and shells, by all rules, with the scan.

use std::fmt::Debug;

use orthant::{
    Aabb, Ellipsoid, Hollow, InstructionSet, Region, Rule, Scalar, Shell, Sphere, Vector, Voxel,
    VoxelGrid, Voxelize,
    glam::{DVec2, DVec3, Vec2, Vec3, Vec4},
};
use proptest::prelude::*;

use crate::brute::{Shape, assert_same, is_met, margin, scan};

/// Whole numbers from which a case is made, so that coordinates lie on a coarse lattice and tie.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    size: usize,
    offset: usize,
    origin: [i32; 4],
    center: [i32; 4],
    extent: [i32; 4],
    tiny: bool,
}

pub(crate) fn raw() -> impl Strategy<Value = Raw> {
    let four = |range: std::ops::Range<i32>| proptest::array::uniform4(range);
    (
        0..6usize,
        0..5usize,
        four(-3..4),
        four(-8..9),
        four(0..11),
        0..8,
    )
        .prop_map(|(size, offset, origin, center, extent, tiny)| Raw {
            size,
            offset,
            origin,
            center,
            extent,
            tiny: tiny == 0,
        })
}

const SIZES: [f64; 6] = [1.0, 1.0, 0.5, 0.25, 0.1, 0.3];

impl Raw {
    pub(crate) fn grid<V: Vector>(&self) -> VoxelGrid<V> {
        let size = SIZES[self.size];
        let origin = V::from_fn(|a| V::Scalar::from_f64(f64::from(self.origin[a]) * 0.25));
        VoxelGrid::new(origin, V::Scalar::from_f64(size))
    }

    /// Returns a whole number, and another for each axis.
    pub(crate) fn numbers(&self) -> (usize, [i32; 4]) {
        (self.offset, self.extent)
    }

    /// Returns a point near the origin.
    pub(crate) fn point<V: Vector>(&self) -> V {
        V::from_fn(|a| V::Scalar::from_f64(self.unit() * f64::from(self.center[a])))
    }

    /// Returns the unit of lengths: half a voxel in half of the cases, otherwise a quarter.
    pub(crate) fn unit(&self) -> f64 {
        if self.size.is_multiple_of(2) {
            0.5 * SIZES[self.size]
        } else {
            0.25
        }
    }

    fn center<V: Vector>(&self) -> V {
        // If the origin is so far out that every f32 is a whole number, a voxel is smaller than the spacing.
        let far = V::DIM <= 2 || (V::DIM == 3 && self.size < 3);
        let offset = [0.0, 0.0, 0.0, 1e7, -1e7][if far { self.offset } else { 0 }];
        V::from_fn(|a| V::Scalar::from_f64(offset + self.unit() * f64::from(self.center[a])))
    }

    fn extent<V: Vector>(&self, a: usize) -> V::Scalar {
        let scale = if self.tiny { 1e-3 } else { self.unit() };
        // Four dimensions have many voxels.
        let cells = if V::DIM == 4 {
            self.extent[a].min(3)
        } else {
            self.extent[a]
        };
        V::Scalar::from_f64(scale * f64::from(cells))
    }

    pub(crate) fn sphere<V: Vector>(&self) -> Sphere<V> {
        Sphere::new(self.center(), self.extent::<V>(0))
    }

    pub(crate) fn shell<V: Vector>(&self) -> Shell<V> {
        let (one, other) = (self.extent::<V>(0), self.extent::<V>(1));
        Shell::new(self.center(), one.smaller(other), one.larger(other))
    }

    pub(crate) fn ellipsoid<V: Vector>(&self) -> Ellipsoid<V> {
        let least = V::Scalar::from_f64(1e-3);
        Ellipsoid::new(
            self.center(),
            V::from_fn(|a| self.extent::<V>(a).larger(least)),
        )
    }

    pub(crate) fn solid_box<V: Vector>(&self) -> Aabb<V> {
        let min: V = self.center();
        Aabb::new(min, V::from_fn(|a| min.axis(a) + self.extent::<V>(a)))
    }
}

/// Returns all rules, with lengths in quarters of a voxel, so that they tie.
pub(crate) fn rules<S: Scalar>(raw: &Raw, size: S) -> [Rule<S>; 6] {
    let length = size * S::from_f64(0.25 * f64::from(raw.extent[3]));
    [
        Rule::Closed,
        Rule::HalfOpen,
        Rule::CenterInside,
        Rule::Thin,
        Rule::Shell(length),
        Rule::NarrowBand(length),
    ]
}

fn check<V, R>(raw: &Raw, region: R, shape: Shape<V>, hollow: bool)
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Copy + Debug,
{
    let grid = raw.grid::<V>();
    let sets: Vec<_> = InstructionSet::available().collect();
    for (i, rule) in rules(raw, grid.voxel_size()).into_iter().enumerate() {
        let set = sets[(i + raw.extent[2] as usize) % sets.len()];
        let grid = grid.with_rule(rule).with_instructions(set);
        let reach = match rule {
            Rule::Shell(length) | Rule::NarrowBand(length) => {
                (length / grid.voxel_size()).into().ceil() as i32
            }
            _ => 0,
        };
        let margin = margin(&grid, &region) + reach;
        let expected = scan(&grid, &region.bounds(), margin, |voxel| {
            let met = is_met(shape, hollow, &grid, voxel);
            if rule == Rule::Closed {
                let cell = grid.voxel_bounds(voxel);
                assert_eq!(met, region.overlaps(&cell), "{region:?} {cell:?}");
            }
            met
        });
        check_forms(&grid, &region, &expected);
        check_chunks(raw, &grid, &region, &expected);
    }
}

/// Compares all forms of output with a list.
pub(crate) fn check_forms<V, R>(grid: &VoxelGrid<V>, region: &R, expected: &[V::Voxel])
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Clone + Debug,
{
    let voxels: Vec<_> = grid.voxels(region.clone()).collect();
    assert_same(&voxels, expected, &(region, grid));
    let mut folded = Vec::new();
    grid.voxels(region.clone())
        .for_each(|voxel| folded.push(voxel));
    assert_same(&folded, expected, &(region, grid));
    let mut left = grid.voxels(region.clone());
    let taken: Vec<_> = left.by_ref().take(3).collect();
    assert!(expected.starts_with(&taken));
    assert_eq!(left.clone().count(), expected.len() - taken.len());
    assert_same(&Vec::from(left), &expected[taken.len()..], &(region, grid));
    assert_eq!(grid.count(region.clone()), expected.len() as u64);

    let mut spans: Vec<_> = grid.spans(region.clone()).collect();
    let mut some = grid.spans(region.clone());
    let one = some.next();
    let rest: Vec<_> = some.fold(one.into_iter().collect(), |mut all: Vec<_>, span| {
        all.push(span);
        all
    });
    assert!(rest == spans, "{region:?} in {grid:?}");
    let written: Vec<_> = spans.iter().flat_map(|s| s.voxels()).collect();
    assert_same(&written, expected, &(region, grid));
    spans.dedup_by(|next, span| span.first().with(0, span.range().end) == next.first());
    assert_eq!(
        spans.len(),
        rest.len(),
        "two spans that are one: {region:?} in {grid:?}"
    );
}

/// Compares the chunks of a tiling, of odd edges, with a list.
pub(crate) fn check_chunks<V, R>(raw: &Raw, grid: &VoxelGrid<V>, region: &R, expected: &[V::Voxel])
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Clone + Debug,
{
    let Some(&some) = expected.get(expected.len() / 3) else {
        return;
    };
    let edge = 1 + raw.extent[1] / 2;
    let holds = |start: V::Voxel, voxel: &V::Voxel| {
        (0..V::DIM).all(|a| (0..edge).contains(&(voxel.axis(a) - start.axis(a))))
    };
    for shift in [0, edge] {
        let start = V::Voxel::from_fn(|a| some.axis(a) - shift + i32::from(raw.tiny));
        let end = V::Voxel::from_fn(|a| start.axis(a) + edge);
        let part: Vec<_> = expected
            .iter()
            .copied()
            .filter(|v| holds(start, v))
            .collect();
        check_forms(&grid.within(start, end), region, &part);
    }
}

fn check_all<V: Vector>(raw: &Raw) {
    let sphere = raw.sphere::<V>();
    let shape = Shape::Sphere(sphere.center(), sphere.radius());
    check(raw, sphere, shape, false);
    check(raw, Hollow(sphere), shape, true);
    let shell = raw.shell::<V>();
    let shape = Shape::Shell(shell.center(), shell.inner(), shell.outer());
    check(raw, shell, shape, false);
    let egg = raw.ellipsoid::<V>();
    let shape = Shape::Ellipsoid(egg.center(), egg.semi_axes());
    check(raw, egg, shape, false);
    check(raw, Hollow(egg), shape, true);
    let solid = raw.solid_box::<V>();
    let shape = Shape::Box(solid.min(), solid.max());
    check(raw, solid, shape, false);
    check(raw, Hollow(solid), shape, true);
}

macro_rules! against_the_scan {
    ($($name:ident: $v:ty, $cases:literal;)*) => {$(
        proptest! {
            #![proptest_config(ProptestConfig::with_cases($cases))]
            #[test]
            fn $name(raw in raw()) {
                check_all::<$v>(&raw);
            }
        }
    )*};
}

against_the_scan! {
    rows_f32x1: [f32; 1], 64;
    rows_f64x1: [f64; 1], 64;
    rows_vec2: Vec2, 32;
    rows_dvec2: DVec2, 32;
    rows_vec3: Vec3, 5;
    rows_dvec3: DVec3, 5;
    rows_vec4: Vec4, 1;
    rows_f64x4: [f64; 4], 1;
}
