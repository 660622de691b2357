//! Spheres, ellipsoids and boxes, solid and hollow, and shells, under both rules, against the scan.

use std::fmt::Debug;

use orthant::{
    Aabb, Ellipsoid, Hollow, Region, Rule, Scalar, Shell, Sphere, Vector, VoxelGrid, Voxelize,
    glam::{DVec2, DVec3, Vec2, Vec3, Vec4},
};
use proptest::prelude::*;

use crate::brute::{Shape, assert_same, margin, meets, scan};

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

    /// In units of half a voxel for half of the cases, else in quarters.
    fn unit(&self) -> f64 {
        if self.size.is_multiple_of(2) {
            0.5 * SIZES[self.size]
        } else {
            0.25
        }
    }

    fn center<V: Vector>(&self) -> V {
        // Where an f32 is a whole number, a voxel is smaller than the spacing.
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

fn check<V, R>(grid: &VoxelGrid<V>, region: R, shape: Shape<V>, hollow: bool)
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Copy + Debug,
{
    for rule in [Rule::Closed, Rule::HalfOpen] {
        let grid = grid.with_rule(rule);
        let expected = scan(&grid, &region.bounds(), margin(&grid, &region), |voxel| {
            let cell = grid.voxel_bounds(voxel);
            let met = meets(shape, hollow, rule, cell.min(), cell.max());
            if rule == Rule::Closed {
                assert_eq!(met, region.overlaps(&cell), "{region:?} {cell:?}");
            }
            met
        });
        let voxels: Vec<_> = grid.voxels(region).collect();
        assert_same(&voxels, &expected, &(region, grid));

        let mut one_by_one = Vec::new();
        for voxel in grid.voxels(region) {
            one_by_one.push(voxel);
        }
        assert_same(&one_by_one, &expected, &(region, grid));
        assert_eq!(grid.count(region), expected.len() as u64);
        assert_eq!(grid.voxels(region).count(), expected.len());

        let spans: Vec<_> = grid.spans(region).collect();
        let written: Vec<_> = spans.iter().flat_map(|s| s.voxels()).collect();
        assert_same(&written, &expected, &(region, grid));
        let next_of = |i: usize| {
            use orthant::Voxel;
            spans[i].first().with(0, spans[i].range().end)
        };
        let joins = (1..spans.len()).find(|&i| next_of(i - 1) == spans[i].first());
        assert_eq!(
            joins, None,
            "two spans that are one: {region:?} in {grid:?}"
        );
    }
}

fn check_all<V: Vector>(raw: &Raw) {
    let grid = raw.grid::<V>();
    let sphere = raw.sphere::<V>();
    let shape = Shape::Sphere(sphere.center(), sphere.radius());
    check(&grid, sphere, shape, false);
    check(&grid, Hollow(sphere), shape, true);
    let shell = raw.shell::<V>();
    let shape = Shape::Shell(shell.center(), shell.inner(), shell.outer());
    check(&grid, shell, shape, false);
    let egg = raw.ellipsoid::<V>();
    let shape = Shape::Ellipsoid(egg.center(), egg.semi_axes());
    check(&grid, egg, shape, false);
    check(&grid, Hollow(egg), shape, true);
    let solid = raw.solid_box::<V>();
    let shape = Shape::Box(solid.min(), solid.max());
    check(&grid, solid, shape, false);
    check(&grid, Hollow(solid), shape, true);
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
    rows_f32x1: [f32; 1], 256;
    rows_f64x1: [f64; 1], 256;
    rows_vec2: Vec2, 256;
    rows_dvec2: DVec2, 256;
    rows_vec3: Vec3, 48;
    rows_dvec3: DVec3, 48;
    rows_vec4: Vec4, 12;
    rows_f64x4: [f64; 4], 12;
}
