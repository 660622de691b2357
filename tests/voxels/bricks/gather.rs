//! The voxels of many regions at once are the union of those of each.

use orthant::glam::{DVec3, IVec3, Vec3};
use orthant::{
    Aabb, Adjacency, BrickSet, Ellipsoid, Error, Hollow, Region, Rule, Scalar, Shell, Space,
    Sphere, Vector, VoxelGrid, Voxelize,
};
use rand::{RngExt, SeedableRng, rngs::StdRng};

/// Makes positions, some of them on the lattice, and sizes, some larger than a tile.
fn places(many: usize, seed: u64) -> Vec<([f64; 3], f64)> {
    let random = &mut StdRng::seed_from_u64(seed);
    let place = |i: usize| {
        let at: [f64; 3] = core::array::from_fn(|_| random.random_range(-70.0..70.0));
        let size = if i.is_multiple_of(16) {
            random.random_range(20.0..36.0)
        } else {
            random.random_range(0.0..9.0)
        };
        if i.is_multiple_of(3) {
            (at.map(f64::round), f64::round(size))
        } else {
            (at, size)
        }
    };
    (0..many).map(place).collect()
}

fn check<V, R>(grid: VoxelGrid<V>, regions: &[R])
where
    V: Vector<Voxel: Space>,
    R: Voxelize + Region<Vector = V> + Clone + Sync,
{
    let mut expected = BrickSet::new();
    for region in regions {
        expected.insert_region(&grid, region.clone());
    }
    let made = BrickSet::from_regions(&grid, regions);
    made.validate().unwrap();
    assert!(
        made == expected,
        "{:?}: {} voxels, not {}",
        grid.rule(),
        made.len(),
        expected.len()
    );
}

/// Checks shapes of every kind: those with rows, and one that is halved.
fn check_all<V: Vector<Voxel: Space>>(rule: Rule<V::Scalar>, many: usize) {
    let of = |x: f64| -> V::Scalar { Scalar::from_f64(x) };
    let grid = VoxelGrid::new(V::splat(of(0.1)), of(1.0)).with_rule(rule);
    let places = places(many, 5);
    let place = |at: &[f64; 3]| V::from_fn(|a| of(at[a]));
    let balls: Vec<_> = places
        .iter()
        .map(|(at, size)| Sphere::new(place(at), of(*size)))
        .collect();
    check(grid, &balls);
    let egg = |(at, size): &([f64; 3], f64)| {
        Ellipsoid::new(place(at), V::from_fn(|a| of(0.5 * *size + 0.5 + a as f64)))
    };
    check(grid, &places.iter().map(egg).collect::<Vec<_>>());
    if rule == Rule::Closed {
        let shell =
            |(at, size): &([f64; 3], f64)| Shell::new(place(at), of(0.75 * size), of(*size));
        check(grid, &places.iter().map(shell).collect::<Vec<_>>());
        check(grid, &balls.iter().copied().map(Hollow).collect::<Vec<_>>());
    }
    let cuboid =
        |(at, size): &([f64; 3], f64)| Aabb::new(place(at), V::from_fn(|a| of(at[a] + size)));
    check(
        grid,
        &places.iter().take(12).map(cuboid).collect::<Vec<_>>(),
    );
}

#[test]
fn many_regions_are_the_union_of_each() {
    check_all::<Vec3>(Rule::Closed, 24);
    check_all::<DVec3>(Rule::Closed, 10);
    check_all::<DVec3>(Rule::CenterInside, 6);
    let grid = VoxelGrid::new(Vec3::ZERO, 1.0).with_rule(Rule::HalfOpen);
    let ball = |(at, size): &([f64; 3], f64)| Sphere::new(DVec3::from(*at).as_vec3(), *size as f32);
    check(grid, &places(20, 9).iter().map(ball).collect::<Vec<_>>());
    check::<Vec3, Sphere<Vec3>>(grid, &[]);
    // Whole tiles lie inside.
    check(
        grid.with_rule(Rule::Closed),
        &[Sphere::new(Vec3::splat(30.0), 90.0)],
    );
}

#[test]
#[cfg(feature = "rayon")]
fn threads_do_not_matter() {
    let grid = VoxelGrid::new(Vec3::ZERO, 0.7);
    let ball = |(at, size): &([f64; 3], f64)| Sphere::new(DVec3::from(*at).as_vec3(), *size as f32);
    let balls: Vec<_> = places(120, 11).iter().map(ball).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| BrickSet::from_regions(&grid, &balls))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_region_beyond_the_indices_is_named() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let balls = [
        Sphere::new(DVec3::ZERO, 1.0),
        Sphere::new(4e9 * DVec3::Y, 1.0),
    ];
    let refused = Error::RegionOutOfRange {
        region: 1,
        axis: 1,
        value: 4e9 - 1.0,
    };
    assert_eq!(BrickSet::try_from_regions(&grid, &balls), Err(refused));
    assert!(
        refused
            .to_string()
            .starts_with("region 1: 3999999999 on axis 1")
    );
    // The last voxel of the range is met; the one beyond would be touched.
    let last = f64::from(i32::MAX) - 1.0;
    let near = |radius| [Sphere::new(DVec3::new(last, 0.5, 0.5), radius)];
    assert_eq!(
        BrickSet::from_regions(&grid, &near(0.5))
            .bounds()
            .unwrap()
            .1,
        IVec3::new(i32::MAX - 1, 1, 1)
    );
    assert!(BrickSet::try_from_regions(&grid, &near(1.0)).is_err());
}

#[test]
fn a_huge_region_costs_what_the_set_does() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let corner = Sphere::new(DVec3::new(3.5, 0.0, 0.0), 20.0);
    let set = BrickSet::from_region(&grid, corner);
    let half = Sphere::new(DVec3::new(-9e9, 0.0, 0.0), 9e9);
    let left = set.query(&grid, half);
    let expected = set.iter().filter(|voxel| voxel.x <= 0);
    assert_eq!(left, expected.collect());
    assert!(grid.check(&half).is_err());
    assert_eq!(
        set.query(&grid.within(IVec3::ZERO, IVec3::splat(9)), half)
            .len(),
        9 * 9
    );
}

#[test]
fn a_window_is_all_that_is_listed() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let balls: Vec<_> = places(20, 3)
        .iter()
        .map(|(at, size)| Sphere::new(DVec3::from(*at), *size))
        .collect();
    let (start, end) = (IVec3::new(-70, -3, -30), IVec3::new(20, 65, 40));
    let clipped = BrickSet::from_regions(&grid.within(start, end), &balls);
    assert_eq!(
        clipped,
        &BrickSet::from_regions(&grid, &balls) & &BrickSet::block(start, end)
    );
}

#[test]
fn a_set_of_a_sphere_separates() {
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let ball = Sphere::new(DVec3::new(0.3, -0.1, 7.7), 40.2);
    let skin = BrickSet::from_region(&grid, Hollow(ball));
    let filled = BrickSet::from_region(&grid, ball);
    for adjacency in [Adjacency::Faces, Adjacency::Edges, Adjacency::Corners] {
        assert!(&skin | &skin.enclosed(adjacency) == filled);
        assert_eq!(skin.components(adjacency).len(), 1);
    }
    assert_eq!(
        filled
            .eroded(Adjacency::Faces)
            .enclosed(Adjacency::Faces)
            .len(),
        0
    );
    // The set takes about a bit for each voxel of the bricks that it touches.
    let bricks = filled.bricks().count();
    assert!(
        filled.bytes() < bricks * 64 * 5 / 4,
        "{} bytes, {bricks} bricks",
        filled.bytes()
    );
}
