//! Other regions have the same voxels by halving.

use orthant::{
    Aabb, Bounded, Hollow, Overlaps, Region, Relation, Rule, Sphere, Vector, VoxelGrid, Voxelize,
    glam::{DVec3, Vec2, Vec3},
};
use proptest::prelude::*;

use crate::brute::{assert_same, margin, scan};
use crate::rows::{Raw, raw};

/// A region that hides all but its trait methods from the grid.
#[derive(Clone, Copy, Debug)]
struct Opaque<R>(R);

impl<R: Region> Region for Opaque<R> {
    type Vector = R::Vector;

    fn relate(&self, cell: &Aabb<R::Vector>) -> Relation {
        self.0.relate(cell)
    }
}

impl<R: Bounded> Bounded for Opaque<R> {
    type Vector = R::Vector;

    fn core(&self) -> Aabb<R::Vector> {
        self.0.bounds()
    }
}

impl<T, R: Overlaps<T>> Overlaps<T> for Opaque<R> {
    fn overlaps(&self, other: &T) -> bool {
        self.0.overlaps(other)
    }
}

impl<R: Voxelize> Voxelize for Opaque<R> {}

fn check<V, R>(grid: &VoxelGrid<V>, region: R)
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Copy,
{
    let spans: Vec<_> = grid.spans(region).collect();
    let halved: Vec<_> = grid.spans(Opaque(region)).collect();
    assert!(halved == spans, "{:?} in {grid:?}", region.bounds());

    // Half-open voxels hold the floats below their upper faces.
    let half_open = grid.with_rule(Rule::HalfOpen);
    let expected = scan(grid, &region.bounds(), margin(grid, &region), |voxel| {
        use orthant::Scalar;
        let (min, max) = (
            grid.voxel_bounds(voxel).min(),
            grid.voxel_bounds(voxel).max(),
        );
        let last = |a| max.axis(a).next_down().larger(min.axis(a));
        region.overlaps(&Aabb::new(min, V::from_fn(last)))
    });
    let found: Vec<_> = half_open.voxels(Opaque(region)).collect();
    assert_same(&found, &expected, &grid);
}

fn check_all<V: Vector>(raw: &Raw) {
    let grid = raw.grid::<V>();
    check(&grid, raw.sphere::<V>());
    check(&grid, Hollow(raw.sphere::<V>()));
    check(&grid, raw.shell::<V>());
    check(&grid, raw.ellipsoid::<V>());
    check(&grid, Hollow(raw.ellipsoid::<V>()));
    check(&grid, raw.solid_box::<V>());
    check(&grid, Hollow(raw.solid_box::<V>()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn halving_f32x1(raw in raw()) {
        check_all::<[f32; 1]>(&raw);
    }

    #[test]
    fn halving_vec2(raw in raw()) {
        check_all::<Vec2>(&raw);
    }

    #[test]
    fn halving_dvec3(raw in raw()) {
        check_all::<DVec3>(&raw);
    }
}

/// Guesses from square roots are off by many voxels here, and must not change the answer.
#[test]
fn thousands_of_voxels_across() {
    for size in [1.0, 1.0 / 3.0] {
        let grid = VoxelGrid::new(Vec2::new(-3.7, 0.0), size);
        for rule in [Rule::Closed, Rule::HalfOpen] {
            let grid = grid.with_rule(rule);
            let disc = Sphere::new(Vec2::new(1234.567, -98765.4), 1357.9);
            let closed = rule == Rule::Closed;
            assert!(!closed || grid.spans(disc).eq(grid.spans(Opaque(disc))));
            let circle = Hollow(disc);
            assert!(!closed || grid.spans(circle).eq(grid.spans(Opaque(circle))));
            assert!(grid.count(circle) > 8 * (1357.0 / size) as u64);
        }
    }
}

#[test]
fn an_empty_answer_and_an_endless_one() {
    /// A region whose relation is constant within its bounds.
    #[derive(Clone, Copy)]
    struct Constant(Relation);
    impl Region for Constant {
        type Vector = Vec3;
        fn relate(&self, _: &Aabb<Vec3>) -> Relation {
            self.0
        }
    }
    impl Overlaps<Aabb<Vec3>> for Constant {
        fn overlaps(&self, _: &Aabb<Vec3>) -> bool {
            self.0 == Relation::Inside
        }
    }
    impl Bounded for Constant {
        type Vector = Vec3;
        fn core(&self) -> Aabb<Vec3> {
            Aabb::new(Vec3::splat(-1e9), Vec3::splat(1e9))
        }
    }
    impl Voxelize for Constant {}

    let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
    assert_eq!(grid.spans(Constant(Relation::Outside)).next(), None);
    let spans = grid.spans(Constant(Relation::Inside));
    let first: Vec<_> = spans.take(2).collect();
    assert_eq!(first[0].first().y + 1, first[1].first().y);
    assert!(first[0].len() >= 2_000_000_000);
}
