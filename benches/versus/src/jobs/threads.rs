//! Two threads against one: the build, all points against all, and steps of moving boxes. By the
//! clock, since several threads share the work.

use std::time::Instant;

use orthant::Octree;
use orthant::glam::Vec3;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::bench::{Kind, interleave};
use crate::contestants::broadphase::orthant::Proxies;
use crate::jobs::broadphase::SHARES;
use crate::jobs::{Options, short};
use crate::points::Set;
use crate::stepper::Stepper;
use crate::table::{Entry, Row, Summary};
use crate::truth::Slabs;
use crate::worlds::{Scene, Sizes, World};

const TARGET: f64 = 1.7;
const POINTS: usize = 1_000_000;
const MEAN: f32 = 30.0;

const STEP_TARGET: f64 = 1.6;
const BOXES: usize = 100_000;
/// Steps that are not timed.
const WARM_UP: usize = 40;

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
            summary.print(row(build, options, || Octree::new(&vectors).len()));
        }
        if options.wants(&batch) {
            let sample: Vec<_> = points.iter().copied().step_by(1000).collect();
            let radius = Slabs::new(&points).radius_for(&sample, MEAN);
            let tree = Octree::new(&vectors);
            let run = || tree.neighbors(radius).items().len();
            summary.print(row(batch, options, run));
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
    summary
}

fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// One thread is the peer to be faster than. `run` tells how many results it has.
fn row(name: String, options: &Options, run: impl Fn() -> usize + Sync) -> Row {
    let pools = [1, 2].map(|threads| pool(threads).expect("there are threads to be had"));
    let mut results = [0, 0];
    let samples = interleave(&[Kind::Peer, Kind::Own], options.rounds, |i| {
        let start = Instant::now();
        results[i] = pools[i].install(&run) as u64;
        start.elapsed().as_nanos() as f64 / POINTS as f64
    });
    let differing = results[0].abs_diff(results[1]);
    Row {
        name,
        unit: "ns a point, by the clock",
        target: Some(TARGET),
        results: results[0],
        entries: entries(samples, differing),
    }
}

/// Both take the same steps.
fn steps(name: String, scene: Scene, options: &Options) -> Row {
    let pools = [1, 2].map(|threads| pool(threads).expect("there are threads to be had"));
    let mut world = World::<3>::new(scene, BOXES, options.seed);
    let new = |_| Proxies::<Vec3>::new(&world.boxes);
    let mut proxies = [0, 1].map(new);
    let mut lists = [Vec::new(), Vec::new()];
    let mut samples = vec![Vec::new(); 2];
    let (mut results, mut differing) = (0, 0);
    for step in 0..WARM_UP + usize::from(options.rounds) {
        world.step();
        for turn in 0..2 {
            let i = (step + turn) % 2;
            let (proxies, list) = (&mut proxies[i], &mut lists[i]);
            let start = Instant::now();
            pools[i].install(|| proxies.step(&world.boxes, &world.moved, list));
            let taken = start.elapsed().as_nanos() as f64 / BOXES as f64;
            if step >= WARM_UP {
                samples[i].push(taken);
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
