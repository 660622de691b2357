//! Answers that do not fit into memory. Each test runs in a process of its own, which has little memory.

use std::process::Command;

use orthant::glam::{IVec3, Vec3};
use orthant::{
    Aabb, Adjacency, BrickSet, Broadphase, CellLevels, CellList, Error, Event, Hollow, Motion,
    NearestLists, NeighborLists, Octree, Periodic, Reach, Rule, SpatialIndex, Sphere, VoxelGrid,
};

/// Kilobytes of address space beside those of the binary itself.
const LIMIT: u64 = 192_000;

/// Runs `body` in a child process with no more than `LIMIT`: this test binary, which runs only `test`.
fn with_little_memory(test: &str, body: fn()) {
    const INSIDE: &str = "ORTHANT_TEST_WITH_LITTLE_MEMORY";
    if std::env::var_os(INSIDE).is_some() {
        // Start the threads while there is memory for their stacks.
        rayon::broadcast(|_| ());
        return body();
    }
    let binary = std::env::current_exe().expect("a test has a file");
    let size = std::fs::metadata(&binary).expect("the file is there").len();
    let limit = LIMIT + size / 1024;
    let limited =
        format!("ulimit -v {limit} && exec \"$0\" --exact memory::{test} --test-threads 1");
    let child = Command::new("sh")
        .args(["-c", &limited])
        .arg(binary)
        .env(INSIDE, "1")
        .env("RAYON_NUM_THREADS", "1")
        .env("MALLOC_ARENA_MAX", "1")
        .output();
    let Ok(child) = child else {
        return println!("skipped: there is no sh");
    };
    let (said, complaint) = (
        String::from_utf8_lossy(&child.stdout),
        String::from_utf8_lossy(&child.stderr),
    );
    if complaint.contains("ulimit") {
        return println!("skipped: memory cannot be limited: {complaint}");
    }
    assert!(child.status.success(), "{said}\n{complaint}");
    assert!(said.contains("1 passed"), "{said}");
}

/// Asserts that an answer was refused for lack of memory, with the number of items and their bytes.
#[track_caller]
fn refused<T>(answer: Result<T, Error>) {
    let Err(Error::OutOfMemory { items, bytes }) = answer else {
        panic!("no error, or another: {:?}", answer.err());
    };
    assert!(items > 0 && bytes >= items, "{items} items, {bytes} bytes");
}

fn coincident(many: usize) -> Vec<Vec3> {
    vec![Vec3::ONE; many]
}

#[test]
fn lists_of_coincident_points_in_a_tree() {
    with_little_memory("lists_of_coincident_points_in_a_tree", || {
        let points = coincident(20_000);
        let tree = Octree::new(&points);
        let mut near = NeighborLists::new();
        refused(tree.neighbors_into(1.0, &mut near));
        assert!(near.is_empty());
        refused(tree.neighbors_of_into(&tree, 1.0, &mut near));
        refused(tree.try_query_batch(&vec![Sphere::new(Vec3::ONE, 1.0); 20_000]));
        let mut nearest = NearestLists::new();
        refused(tree.nearest_n_of_all_into(usize::MAX, true, &mut nearest));
        refused(tree.nearest_n_batch_into(&points, usize::MAX, &mut nearest));
        assert!(nearest.is_empty());
        // The tree is unchanged, and lists that fit are made.
        assert_eq!(tree.count(Sphere::new(Vec3::ONE, 1.0)), 20_000);
        let mut found = Vec::new();
        let ball = Sphere::new(Vec3::ONE, 1.0);
        assert_eq!(tree.query(ball).try_append_to(&mut found), Ok(()));
        assert_eq!(found.len(), 20_000);
        let small = Octree::new(&[Vec3::ZERO, Vec3::X]);
        assert_eq!(small.neighbors_into(1.0, &mut near), Ok(()));
        assert_eq!(near.total(), 4);
    });
}

#[test]
fn lists_and_pairs_of_coincident_points_in_cells() {
    with_little_memory("lists_and_pairs_of_coincident_points_in_cells", || {
        let points = coincident(20_000);
        let cells = CellList::new(&points, 1.0);
        let (mut near, mut pairs) = (NeighborLists::new(), vec![[7, 7]]);
        refused(cells.neighbors_into(&mut near));
        refused(cells.neighbors_of(&points));
        refused(cells.pairs(&mut pairs));
        assert!(near.is_empty() && pairs.is_empty());
        assert_eq!(cells.count(Sphere::new(Vec3::ONE, 1.0)), 20_000);
        let mut radii = vec![1.0; 10_000];
        radii.resize(20_000, 4.0);
        let levels = CellLevels::new(&points, &radii, Reach::Larger);
        refused(levels.neighbors_into(&mut near));
        refused(levels.pairs(&mut pairs));
        assert!(near.is_empty() && pairs.is_empty());
    });
}

#[test]
fn neighbors_of_few_points_in_a_million_images() {
    with_little_memory("neighbors_of_few_points_in_a_million_images", || {
        let box_of_one = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let periodic = Periodic::new(box_of_one);
        let points = [Vec3::ZERO, Vec3::splat(0.5)].repeat(4);
        let cells = CellList::try_new_periodic(&points, 90.0, periodic).unwrap();
        refused(cells.neighbors_into(&mut NeighborLists::new()));
        assert_eq!(cells.len(), 8);
    });
}

#[test]
fn voxels_of_a_ball_of_a_million() {
    with_little_memory("voxels_of_a_ball_of_a_million", || {
        let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
        let ball = Sphere::new(Vec3::ZERO, 1e6);
        refused(BrickSet::try_from_regions(&grid, &[ball]));
        refused(BrickSet::try_from_regions(&grid, &[Hollow(ball)]));
        let mut set = BrickSet::from_iter([IVec3::ZERO]);
        refused(set.try_insert_region(&grid, ball));
        assert_eq!((set.len(), set.validate()), (1, Ok(())));
        let half_open = grid.with_rule(Rule::HalfOpen);
        refused(BrickSet::try_from_regions(&half_open, &[ball]));
        refused(BrickSet::try_block(
            IVec3::splat(-1_000_000),
            IVec3::splat(1_000_000),
        ));
        let small = BrickSet::from_regions(&grid, &[Sphere::new(Vec3::ZERO, 8.0)]);
        assert_eq!(small.len(), 2752);
    });
}

#[test]
fn what_a_large_skin_encloses() {
    with_little_memory("what_a_large_skin_encloses", || {
        let (low, high) = (IVec3::splat(-800), IVec3::splat(800));
        let mut skin = BrickSet::new();
        for axis in IVec3::AXES {
            skin |= &BrickSet::block(low, high - axis * 1599);
            skin |= &BrickSet::block(low + axis * 1599, high);
        }
        let before = skin.len();
        refused(skin.try_enclosed(Adjacency::Corners));
        // The solid takes a hundred megabytes, and there is no room for another.
        let solid = BrickSet::block(IVec3::ZERO, IVec3::splat(1100));
        let more = BrickSet::from_iter([IVec3::NEG_ONE]);
        refused(solid.try_intersection(&solid));
        refused(solid.try_difference(&more));
        refused(solid.try_symmetric_difference(&more));
        refused(solid.try_eroded(Adjacency::Faces));
        refused(solid.try_components(Adjacency::Faces));
        assert_eq!(solid.validate(), Ok(()));
        drop(solid);
        assert_eq!((skin.len(), skin.validate()), (before, Ok(())));
        assert!(skin.insert(IVec3::ZERO));
    });
}

#[test]
fn pairs_of_coincident_bodies() {
    with_little_memory("pairs_of_coincident_bodies", || {
        let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
        let mut world = Broadphase::new();
        let [a, b] = [(); 2].map(|()| world.insert(unit, Motion::Dynamic));
        assert_eq!(world.try_update(), Ok(&[Event::Begin(a, b)][..]));
        let many = world.insert_batch(vec![(unit, Motion::Dynamic); 20_000]);
        refused(world.try_update());
        refused(world.try_refresh());
        assert!(world.validate().is_ok() && world.pairs().eq([(a, b)]));
        // Later updates report the changes since the last successful one.
        world.remove(b);
        for &body in &many[1..] {
            world.remove(body);
        }
        let events = [Event::End(a, b), Event::Begin(a, many[0])];
        assert_eq!(world.try_update(), Ok(&events[..]));
        assert_eq!(world.validate(), Ok(()));
    });
}

/// A step reserved 96 bytes for each pair, although it used 63.
#[test]
fn pairs_that_fit_are_found() {
    with_little_memory("pairs_that_fit_are_found", || {
        let body = (Aabb::new(Vec3::ZERO, Vec3::ONE), Motion::Dynamic);
        let mut world = Broadphase::new();
        world.insert_batch(vec![body; 2100]);
        // 2.2 million pairs take 141 megabytes with 64 bytes each, and 212 with 96.
        let pairs = 2100 * 2099 / 2;
        assert_eq!(world.try_update().map(<[Event]>::len), Ok(pairs));
        assert_eq!(world.validate(), Ok(()));
    });
}
