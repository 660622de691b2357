//! Two threads against one: builds, lists of all neighbors from a tree and from a cell list (with its build),
//! steps of moving boxes, and the union of many balls. Times are wall-clock times, since two threads share the
//! work.

mod turns;

use std::sync::Mutex;

use orthant::glam::Vec3;
use orthant::{BrickSet, CellList, NeighborLists, Octree, Sphere, VoxelGrid};

use crate::contestants::orthant::boxes::Proxies;
use crate::jobs::broadphase::SHARES;
use crate::jobs::voxels::cloud;
use crate::jobs::{Options, short};
use crate::points::Set;
use crate::stepper::Stepper;
use crate::table::{Row, Summary};
use crate::truth::Slabs;
use crate::worlds::{Ball, Scene, Sizes, World};
use turns::Turns;

const TARGET: f64 = 1.7;
const POINTS: usize = 1_000_000;
const MEAN: f32 = 30.0;
const A_POINT: &str = "ns a point, by the clock";

const STEP_TARGET: f64 = 1.6;
const BOXES: usize = 100_000;
/// The number of steps in a run on one thread or two; the second half is timed.
const IN_A_ROW: usize = 20;
/// The number of first runs that are not timed.
const WARM_RUNS: usize = 2;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for set in Set::ALL {
        let place = format!("{} {}", set.name(), short(POINTS));
        let build = format!("threads build {place}");
        let batch = format!("threads batch {place} k={MEAN}");
        if !options.wants(&build) && !options.wants(&batch) {
            continue;
        }
        let points: Vec<[f32; 3]> = set.points(POINTS, options.seed);
        let vectors: Vec<_> = points.iter().copied().map(Vec3::from).collect();
        if options.wants(&build) {
            let run = || Octree::new(&vectors).len();
            summary.print(row(build, A_POINT, POINTS, options, run, |&n| n));
        }
        if options.wants(&batch) {
            let sample: Vec<_> = points.iter().copied().step_by(1000).collect();
            let radius = Slabs::new(&points).radius_for(&sample, MEAN);
            let tree = Octree::new(&vectors);
            let kept = Mutex::new(NeighborLists::new());
            let run = || {
                let mut lists = kept.lock().expect("no run has failed");
                tree.neighbors_into(radius, &mut lists).unwrap();
                lists.total()
            };
            summary.print(row(batch, A_POINT, POINTS, options, run, |&n| n));
        }
    }
    for mean in [29.0, 60.0] {
        let name = format!("threads lists uniform {} k={mean} random", short(POINTS));
        if options.wants(&name) {
            summary.print(lists(name, mean, options));
        }
    }
    for sizes in Sizes::ALL {
        for (share, moving) in SHARES.into_iter().filter(|(share, _)| *share > 0.01) {
            for (what, events) in [("all pairs", false), ("events", true)] {
                let (sizes_name, boxes) = (sizes.name(), short(BOXES));
                let name = format!("threads broadphase {sizes_name} {boxes} {moving}, {what}");
                if options.wants(&name) {
                    let scene = Scene::Drift { sizes, share };
                    summary.print(steps(name, scene, events, options));
                }
            }
        }
    }
    let name = "threads union of 100k balls r=5";
    if options.wants(name) {
        let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
        let sphere = |ball: Ball| Sphere::new(ball.center.into(), ball.radius);
        let balls: Vec<_> = cloud(options.seed).into_iter().map(sphere).collect();
        let run = || BrickSet::from_regions(&grid, &balls);
        let voxels = |set: &BrickSet| set.len() as usize;
        summary.print(row(
            name.into(),
            "ns a ball, by the clock",
            balls.len(),
            options,
            run,
            voxels,
        ));
    }
    summary
}

/// Races one thread against two. The value that `run` made is dropped after the clock has stopped.
fn row<T: Send>(
    name: String,
    unit: &'static str,
    units: usize,
    options: &Options,
    run: impl Fn() -> T + Sync,
    results_of: impl Fn(&T) -> usize,
) -> Row {
    let mut turns = Turns::new();
    let mut results = [0, 1].map(|i| results_of(&turns.warm(i, &run)) as u64);
    for round in 0.. {
        for turn in 0..2 {
            let i = (round + turn) % 2;
            results[i] = results_of(&turns.time(i, units, &run)) as u64;
        }
        if turns.are_done(options.rounds.into()) {
            break;
        }
    }
    let differing = results[0].abs_diff(results[1]);
    Row {
        name,
        unit,
        target: Some(TARGET),
        results: results[0],
        entries: turns.entries(differing),
    }
}

/// Rebuilds a cell list in its own memory, and lists all neighbors.
fn lists(name: String, mean: f32, options: &Options) -> Row {
    let points: Vec<[f32; 3]> = Set::UNIFORM.points(POINTS, options.seed);
    let sample: Vec<_> = points.iter().copied().step_by(1000).collect();
    // Each point is its own neighbor as well.
    let radius = Slabs::new(&points).radius_for(&sample, mean + 1.0);
    let vectors: Vec<_> = points.iter().copied().map(Vec3::from).collect();
    let kept = Mutex::new((CellList::new(&vectors, radius), NeighborLists::new()));
    let run = || {
        let mut kept = kept.lock().expect("no run has failed");
        let (cells, lists) = &mut *kept;
        cells.rebuild(&vectors).expect("points are finite");
        cells.neighbors_into(lists).unwrap();
        lists.total()
    };
    row(name, A_POINT, POINTS, options, run, |&n| n)
}

/// Both take the same steps, in runs by turns. As in an engine, a step sets the bounds of bodies,
/// and then brings the pairs up to date, with events or without.
fn steps(name: String, scene: Scene, events: bool, options: &Options) -> Row {
    let mut turns = Turns::new();
    let mut worlds = [0, 1].map(|_| World::<3>::new(scene, BOXES, options.seed));
    let mut proxies = [0, 1].map(|i: usize| Proxies::<Vec3>::new(&worlds[i].boxes));
    let (mut results, mut differing) = (0, 0);
    for run in 0.. {
        let mut found = [0, 0];
        for turn in 0..2 {
            let i = (run + turn) % 2;
            let (world, proxies, found) = (&mut worlds[i], &mut proxies[i], &mut found[i]);
            for step in 0..IN_A_ROW {
                world.step();
                let take = || {
                    proxies.place(&world.boxes, &world.moved);
                    if events {
                        proxies.world.update().len()
                    } else {
                        proxies.world.refresh();
                        0
                    }
                };
                *found += if run < WARM_RUNS || step < IN_A_ROW / 2 {
                    turns.warm(i, take)
                } else {
                    turns.time(i, BOXES, take)
                };
            }
        }
        let [one, two] = &proxies;
        let same = one.world.pairs().eq(two.world.pairs()) && found[0] == found[1];
        differing += u64::from(!same);
        results += one.world.pairs().len() as u64;
        if turns.are_done(usize::from(options.rounds) * IN_A_ROW / 2) {
            break;
        }
    }
    Row {
        name,
        unit: "ns a box, by the clock",
        target: Some(STEP_TARGET),
        results,
        entries: turns.entries(differing),
    }
}
