//! Compares bricks and cells with the list of voxels, and tests refused regions.

use std::collections::BTreeSet;

use orthant::{
    Aabb, Bricked, Cell, Ellipsoid, Error, Hollow, InstructionSet, Overlaps, Region, Relation,
    Rule, Sphere, Vector, Voxel, VoxelGrid, Voxelize,
    glam::{DVec2, DVec3, IVec3, Vec3},
};
use proptest::prelude::*;

use crate::rows::{Raw, raw, rules};

fn key<X: Voxel>(voxel: X) -> [i32; 3] {
    let place = |a: usize| if a < X::DIM { voxel.axis(a) } else { 0 };
    [place(2), place(1), place(0)]
}

fn check<V, R>(raw: &Raw, region: R)
where
    V: Vector<Voxel: Bricked>,
    R: Voxelize + Region<Vector = V> + Copy,
{
    let grid = raw.grid::<V>();
    let sets: Vec<_> = InstructionSet::available().collect();
    for (i, rule) in rules(raw, grid.voxel_size()).into_iter().enumerate() {
        let set = sets[i % sets.len()];
        let grid = grid.with_rule(rule).with_instructions(set);
        let voxels: Vec<_> = grid.voxels(region).collect();
        check_bricks(&grid, &region, &voxels);
        check_cells(&grid, &region);
        if let Some(&some) = voxels.get(voxels.len() / 2) {
            let chunk = grid.within(some, V::Voxel::from_fn(|a| some.axis(a) + 5));
            check_bricks(&chunk, &region, &chunk.voxels(region).collect::<Vec<_>>());
            check_cells(&chunk, &region);
        }
    }
}

pub(crate) fn check_bricks<V, R>(grid: &VoxelGrid<V>, region: &R, voxels: &[V::Voxel])
where
    V: Vector<Voxel: Bricked>,
    R: Voxelize + Region<Vector = V> + Clone,
{
    let bricks: Vec<_> = grid.bricks(region.clone()).collect();
    assert!(bricks.iter().all(|brick| brick.count() > 0));
    assert!(bricks.is_sorted_by(|a, b| key(a.coordinates) < key(b.coordinates)));
    let mut found: Vec<_> = bricks.iter().flat_map(|brick| brick.voxels()).collect();
    found.sort_by_key(|&voxel| key(voxel));
    assert!(found == voxels, "{grid:?} {:?}", region.bounds());
    let mut folded = Vec::new();
    grid.bricks(region.clone())
        .for_each(|brick| folded.push(brick));
    assert!(folded == bricks);
    let holders = |voxel| bricks.iter().filter(|brick| brick.contains(voxel)).count();
    assert!(voxels.iter().take(3).all(|&voxel| holders(voxel) == 1));
}

pub(crate) fn check_cells<V, R>(grid: &VoxelGrid<V>, region: &R)
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Clone,
{
    let cells: Vec<Cell<V::Voxel>> = grid.cells(region.clone()).collect();
    assert!(cells.is_sorted_by(|a, b| a.morton() < b.morton()));
    let mut found = Vec::new();
    for cell in &cells {
        assert!(cell.level == 0 || cell.is_inside);
        let edge = 1 << cell.level;
        for i in 0..1 << (cell.level as usize * V::DIM) {
            let place = |a: usize| i >> (cell.level as usize * a) & (edge - 1);
            found.push(V::Voxel::from_fn(|a| cell.first.axis(a) + place(a)));
        }
    }
    found.sort_by_key(|&voxel| key(voxel));
    assert!(
        found.into_iter().eq(grid.voxels(region.clone())),
        "{grid:?} {:?}",
        region.bounds()
    );
}

fn check_all<V: Vector<Voxel: Bricked>>(raw: &Raw) {
    check(raw, raw.sphere::<V>());
    check(raw, Hollow(raw.sphere::<V>()));
    check(raw, raw.shell::<V>());
    check(raw, Hollow(raw.ellipsoid::<V>()));
    check(raw, raw.solid_box::<V>());
    check(raw, Hollow(raw.solid_box::<V>()));
}

/// The center of every second voxel rounds to that of the next.
#[test]
fn cells_of_an_outermost_layer_where_middles_coincide() {
    let grid = VoxelGrid::new(Vec3::new(0.5, 0.0, 0.0), 1.0).with_rule(Rule::CenterInside);
    let middle = Vec3::new(1e7, 10_000_001.0, 10_000_004.0);
    let skin = Hollow(Ellipsoid::new(middle, Vec3::new(2.0, 5.0, 5.0)));
    assert_eq!(grid.count(skin), 176);
    check_cells(&grid, &skin);
    check_cells(&grid.with_rule(Rule::NarrowBand(1.5)), &skin);
}

/// The cells lie near zero, but the origin of the grid is far away.
#[test]
fn half_open_cells_that_only_the_origin_makes_flat() {
    let grid = VoxelGrid::new(Vec3::new(-4_800_000.0, -4_800_000.0, -4_799_999.5), 0.3);
    let point = Sphere::new(Vec3::new(0.0, 1.0, 1.5), 0.0);
    check_cells(&grid, &point);
    check_cells(&grid.with_rule(Rule::HalfOpen), &point);
}

#[test]
fn boxes_at_the_ends_of_the_range() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let (first, end) = (DVec3::splat(i32::MIN.into()), DVec3::splat(i32::MAX.into()));
    let boxes = [
        Aabb::new(first + 0.25, first + 4.75),
        Aabb::new(end - 4.75, end - 0.25),
    ];
    for rule in [Rule::Closed, Rule::HalfOpen, Rule::CenterInside, Rule::Thin] {
        let grid = grid.with_rule(rule);
        for solid in boxes {
            let voxels: Vec<_> = grid.voxels(solid).collect();
            assert_eq!(voxels.len(), 125);
            check_bricks(&grid, &solid, &voxels);
            check_cells(&grid, &solid);
            let skin: Vec<_> = grid.voxels(Hollow(solid)).collect();
            assert_eq!(skin.len(), 98);
            check_bricks(&grid, &Hollow(solid), &skin);
            check_cells(&grid, &Hollow(solid));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn bricks_and_cells_dvec2(raw in raw()) {
        check_all::<DVec2>(&raw);
    }

    #[test]
    fn bricks_and_cells_vec3(raw in raw()) {
        check_all::<Vec3>(&raw);
    }
}

#[test]
fn cells_are_as_large_as_they_come() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let ball = Sphere::new(DVec3::splat(0.3), 20.5);
    let inside: BTreeSet<_> = grid
        .cells(ball)
        .filter(|cell| cell.is_inside)
        .map(|cell| (cell.level, cell.first.to_array()))
        .collect();
    let parent = |(level, first): (u32, [i32; 3])| {
        (level + 1, first.map(|i| i >> (level + 1) << (level + 1)))
    };
    for &(level, first) in &inside {
        let (above, corner) = parent((level, first));
        let start = IVec3::from(corner).as_dvec3();
        let cell = Aabb::new(start, start + f64::from(1 << above));
        assert_ne!(ball.relate(&cell), Relation::Inside, "{first:?} at {level}");
    }
    assert!(inside.iter().any(|&(level, _)| level == 3));
}

#[test]
fn lengths_of_rules_that_are_none_are_refused() {
    let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
    for length in [-1.0, f32::INFINITY, f32::NAN] {
        for (rule, part) in [
            (Rule::Shell(length), "shell thickness"),
            (Rule::NarrowBand(length), "half width of a narrow band"),
        ] {
            let refused = grid.try_with_rule(rule);
            assert!(matches!(refused, Err(Error::Distance { part: p, .. }) if p == part));
        }
    }
}

#[test]
fn empty_blocks_are_refused() {
    let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
    let refused = grid.try_within(IVec3::new(0, 5, 0), IVec3::new(1, 5, 9));
    let reason = Error::EmptyBlock {
        axis: 1,
        start: 5,
        end: 5,
    };
    assert_eq!(refused, Err(reason));
    assert_eq!(reason.to_string(), "no voxels from 5 to 5 on axis 1");
    assert!(grid.try_within(IVec3::ONE, IVec3::ZERO).is_err());
}

#[test]
fn a_huge_sphere_and_a_small_chunk() {
    let planet = Hollow(Sphere::new(DVec3::ZERO, 3e9));
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    assert!(grid.check(&planet).is_err());
    // The surface passes through all corners in the plane of index 1732050807 or so.
    let at = (3e9 / 3f64.sqrt()) as i32;
    let chunk = grid.within(IVec3::splat(at - 4), IVec3::splat(at + 5));
    let voxels: Vec<_> = chunk.voxels(planet).collect();
    assert!(!voxels.is_empty());
    let all = (0..9 * 9 * 9).map(|i| IVec3::new(i % 9, i / 9 % 9, i / 81) + (at - 4));
    assert!(
        all.filter(|&v| planet.overlaps(&grid.voxel_bounds(v)))
            .eq(voxels)
    );
    let away = grid.within(IVec3::ZERO, IVec3::splat(64));
    assert_eq!(
        (away.count(planet), away.count(planet.0)),
        (0, 64 * 64 * 64)
    );
}
