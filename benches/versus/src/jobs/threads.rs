//! Two threads against one: the build, all points against all, lists of neighbours with their build,
//! steps of moving boxes, and the union of many balls. By the clock, since several threads share the
//! work.

use std::sync::Mutex;
use std::time::Instant;

use orthant::glam::Vec3;
use orthant::{BrickSet, CellList, Neighbors, Octree, VoxelGrid};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::bench::{Kind, interleave};
use crate::contestants::broadphase::orthant::Proxies;
use crate::jobs::broadphase::SHARES;
use crate::jobs::voxels::cloud;
use crate::jobs::{Options, short};
use crate::points::Set;
use crate::stepper::Stepper;
use crate::table::{Entry, Row, Summary};
use crate::truth::Slabs;
use crate::worlds::{Scene, Sizes, World};

const TARGET: f64 = 1.7;
const POINTS: usize = 1_000_000;
const MEAN: f32 = 30.0;
const A_POINT: &str = "ns a point, by the clock";

const STEP_TARGET: f64 = 1.6;
const BOXES: usize = 100_000;
/// Steps of one thread or two in a row, of which the second half is timed.
const IN_A_ROW: usize = 20;
/// Runs of steps that are not timed.
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
            let kept = Mutex::new(Neighbors::new());
            let run = || {
                let mut lists = kept.lock().expect("no run has failed");
                tree.neighbors_into(radius, &mut lists);
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
            let name = format!(
                "threads broadphase {} {} {moving}",
                sizes.name(),
                short(BOXES)
            );
            if options.wants(&name) {
                summary.print(steps(name, Scene::Drift { sizes, share }, options));
            }
        }
    }
    let name = "threads union of 100k balls r=5";
    if options.wants(name) {
        let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
        let balls = cloud(options.seed);
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

/// A pool of threads that each have a core to themselves. Of steps of 2 ms, in which all boxes move, two
/// threads make 1.2 to 1.8 times as many as one so, and 1.0 to 1.2 times where the system places them.
fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let pin = move |thread: usize| {
        if let Some(&core) = cores.get(thread) {
            core_affinity::set_for_current(core);
        }
    };
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.start_handler(pin).build()
}

/// One thread is the peer to be faster than. What `run` made is dropped after the clock has stopped;
/// lists are made in the memory of those before.
fn row<T: Send>(
    name: String,
    unit: &'static str,
    units: usize,
    options: &Options,
    run: impl Fn() -> T + Sync,
    results_of: impl Fn(&T) -> usize,
) -> Row {
    let pools = [1, 2].map(|threads| pool(threads).expect("there are threads to be had"));
    let mut results = [0, 0];
    let samples = interleave(&[Kind::Peer, Kind::Own], options.rounds, |i| {
        let start = Instant::now();
        let made = pools[i].install(&run);
        let taken = start.elapsed().as_nanos() as f64 / units as f64;
        results[i] = results_of(&made) as u64;
        taken
    });
    let differing = results[0].abs_diff(results[1]);
    Row {
        name,
        unit,
        target: Some(TARGET),
        results: results[0],
        entries: entries(samples, differing),
    }
}

/// The cell list is built anew, in the memory of the one before.
fn lists(name: String, mean: f32, options: &Options) -> Row {
    let points: Vec<[f32; 3]> = Set::UNIFORM.points(POINTS, options.seed);
    let sample: Vec<_> = points.iter().copied().step_by(1000).collect();
    // Each finds itself as well.
    let radius = Slabs::new(&points).radius_for(&sample, mean + 1.0);
    let vectors: Vec<_> = points.iter().copied().map(Vec3::from).collect();
    let kept = Mutex::new((CellList::new(&vectors, radius), Neighbors::new()));
    let run = || {
        let mut kept = kept.lock().expect("no run has failed");
        let (cells, lists) = &mut *kept;
        cells.rebuild(&vectors).expect("points are finite");
        cells.neighbors_into(lists);
        lists.total()
    };
    row(name, A_POINT, POINTS, options, run, |&n| n)
}

/// Both take the same steps, some in a row by turns, as a world would be driven.
fn steps(name: String, scene: Scene, options: &Options) -> Row {
    let pools = [1, 2].map(|threads| pool(threads).expect("there are threads to be had"));
    let mut worlds = [0, 1].map(|_| World::<3>::new(scene, BOXES, options.seed));
    let mut proxies = [0, 1].map(|i: usize| Proxies::<Vec3>::new(&worlds[i].boxes));
    let mut lists = [Vec::new(), Vec::new()];
    let mut samples = vec![Vec::new(); 2];
    let (mut results, mut differing) = (0, 0);
    for run in 0..WARM_RUNS + usize::from(options.rounds) {
        for turn in 0..2 {
            let i = (run + turn) % 2;
            let (world, proxies, list) = (&mut worlds[i], &mut proxies[i], &mut lists[i]);
            for step in 0..IN_A_ROW {
                world.step();
                // Awake, as the threads of an engine that has just moved its bodies.
                pools[i].broadcast(|_| ());
                let start = Instant::now();
                pools[i].install(|| proxies.step(&world.boxes, &world.moved, list));
                let taken = start.elapsed().as_nanos() as f64 / BOXES as f64;
                if run >= WARM_RUNS && step >= IN_A_ROW / 2 {
                    samples[i].push(taken);
                }
            }
        }
        differing += u64::from(lists[0] != lists[1]);
        results += lists[0].len() as u64;
    }
    Row {
        name,
        unit: "ns a box, by the clock",
        target: Some(STEP_TARGET),
        results,
        entries: entries(samples, differing),
    }
}

fn entries(samples: Vec<Vec<f64>>, differing: u64) -> Vec<Entry> {
    let entry = |((name, kind), samples)| Entry {
        name,
        kind,
        samples,
        differing,
        note: String::new(),
    };
    let heads = [("1 thread", Kind::Peer), ("2 threads", Kind::Own)];
    heads.into_iter().zip(samples).map(entry).collect()
}
