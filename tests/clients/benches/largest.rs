//! Builds the largest sets that memory holds: `cargo bench -p clients --bench largest [-- GIGABYTES [KIND]]`. It takes some minutes; the
//! defaults are 20 and all kinds.
//!
//! Each structure is built of a few million items first, to measure the peak memory of one item, and then of as many as fit. It answers some
//! queries, whose answers are counted one by one or known.

use std::time::Instant;
use std::{env, fs};

use orthant::{
    Aabb, Bounded, BrickSet, CellList, Hollow, Orthtree, Overlaps, Sphere, VoxelGrid, glam::DVec3,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

type Point = [f32; 3];

/// Returns the bytes that the process has in memory: now, or the peak since `forget`.
fn memory(what: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with(what));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    1024.0 * kilobytes.expect("a line").parse::<f64>().expect("a number")
}

fn forget() {
    fs::write("/proc/self/clear_refs", "5").expect("Linux");
}

/// A structure that was built: its bytes, its number of items, and the time of the build.
struct Made {
    kept: usize,
    items: u64,
    seconds: f64,
}

/// Builds a structure of `few` items, and then one of as many as fit into `limit` bytes, at most `most`.
fn largest(what: &str, limit: f64, few: usize, most: usize, make: impl Fn(usize) -> Made) {
    let mut many = few;
    for last in [false, true] {
        let before = memory("VmRSS");
        forget();
        let Made {
            kept,
            items,
            seconds,
        } = make(many);
        let at_most = memory("VmHWM") - before;
        let of_each = |bytes: f64| bytes / items as f64;
        println!(
            "{what}: {items} in {seconds:.1} s, {:.2} bytes of each at most, {:.2} kept, {:.1} GB",
            of_each(at_most),
            of_each(kept as f64),
            at_most / 1e9
        );
        assert!(
            !last || at_most < limit * 1.1,
            "{what} takes more of each than of a few"
        );
        many = (many as f64 * (limit / at_most)).min(most as f64) as usize;
    }
}

fn random_point(random: &mut SmallRng) -> Point {
    [0; 3].map(|_| random.random())
}

/// Compares the counts within balls of a few hundred items with counts one by one.
fn check<T: Copy>(items: &[T], count: impl Fn(Sphere<Point>) -> usize)
where
    Sphere<Point>: Overlaps<T>,
{
    let mut random = SmallRng::seed_from_u64(7);
    let radius = (100.0 / items.len() as f32).cbrt();
    for _ in 0..3 {
        let ball = Sphere::new(random_point(&mut random), radius);
        let expected = items.iter().filter(|item| ball.overlaps(*item)).count();
        assert_eq!(count(ball), expected);
    }
}

fn tree_of<T>(items: &[T]) -> Made
where
    T: Bounded<Vector = Point> + Copy + Sync,
    Sphere<Point>: Overlaps<T>,
{
    let begin = Instant::now();
    let tree = Orthtree::new(items);
    let seconds = begin.elapsed().as_secs_f64();
    check(items, |ball| tree.count(ball));
    Made {
        kept: tree.bytes(),
        items: items.len() as u64,
        seconds,
    }
}

fn points(many: usize) -> Made {
    let mut random = SmallRng::seed_from_u64(1);
    let points: Vec<Point> = (0..many).map(|_| random_point(&mut random)).collect();
    tree_of(&points)
}

fn boxes(many: usize) -> Made {
    let mut random = SmallRng::seed_from_u64(2);
    let side = (1.0 / many as f32).cbrt();
    let mut cuboid = || {
        let min = random_point(&mut random);
        Aabb::new(min, min.map(|x| x + side))
    };
    let boxes: Vec<Aabb<Point>> = (0..many).map(|_| cuboid()).collect();
    tree_of(&boxes)
}

/// Builds the lists of neighbors, forty for each point.
fn lists(many: usize) -> Made {
    let mut random = SmallRng::seed_from_u64(3);
    let points: Vec<Point> = (0..many).map(|_| random_point(&mut random)).collect();
    let radius = (40.0 / (many as f32 * 4.19)).cbrt();
    let begin = Instant::now();
    let cells = CellList::new(&points, radius);
    let near = cells.neighbors();
    let seconds = begin.elapsed().as_secs_f64();
    let entries = near.total() as u64;
    // The lists hold each pair twice, and each point as its own neighbor.
    assert_eq!(entries, 2 * cells.count_pairs() + many as u64);
    for i in [0, many / 2, many - 1] {
        let ball = Sphere::new(points[i], radius);
        let expected = points.iter().filter(|p| ball.overlaps(*p)).count();
        assert_eq!(near.list(i).len(), expected);
    }
    Made {
        kept: cells.bytes() + 4 * near.total() + 16 * near.len(),
        items: entries,
        seconds,
    }
}

/// Fills the voxels of a ball's surface. Their number is three halves of the area.
fn voxels(many: usize) -> Made {
    let radius = (many as f64 / (1.5 * 4.0 * std::f64::consts::PI)).sqrt();
    let grid = VoxelGrid::new(DVec3::ZERO, 1.0);
    let ball = Hollow(Sphere::new(DVec3::splat(0.3), radius));
    let begin = Instant::now();
    let set = BrickSet::from_region(&grid, ball);
    let seconds = begin.elapsed().as_secs_f64();
    let expected = grid.voxels(ball).count() as u64;
    assert_eq!(set.len(), expected);
    Made {
        kept: set.bytes(),
        items: set.len(),
        seconds,
    }
}

fn main() {
    let gigabytes: Option<f64> = env::args().find_map(|arg| arg.parse().ok());
    let limit = 1e9 * gigabytes.unwrap_or(20.0);
    let only = env::args()
        .skip(1)
        .find(|arg| arg.starts_with(|c: char| c.is_alphabetic()));
    let run = |what: &str, few, most, make: fn(usize) -> Made| {
        if only.as_ref().is_none_or(|only| only == what) {
            largest(what, limit, few, most, make);
        }
    };
    run("points", 4_000_000, u32::MAX as usize, points);
    run("boxes", 4_000_000, u32::MAX as usize, boxes);
    run("neighbors", 1_000_000, u32::MAX as usize, lists);
    run("voxels", 10_000_000, 40_000_000_000, voxels);
}
