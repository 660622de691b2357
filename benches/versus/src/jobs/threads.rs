//! Two threads against one: the build, and all points against all. By the clock, since several
//! threads share the work.

use std::time::Instant;

use orthant::Octree;
use orthant::glam::Vec3;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::bench::{Kind, interleave};
use crate::jobs::{Options, short};
use crate::points::Set;
use crate::table::{Entry, Row, Summary};
use crate::truth::Slabs;

const TARGET: f64 = 1.7;
const POINTS: usize = 1_000_000;
const MEAN: f32 = 30.0;

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
    let entry = |((name, kind), samples)| Entry {
        name,
        kind,
        samples,
        differing: results[0].abs_diff(results[1]),
        note: String::new(),
    };
    let heads = [("1 thread", Kind::Peer), ("2 threads", Kind::Own)];
    Row {
        name,
        unit: "ns a point, by the clock",
        target: Some(TARGET),
        results: results[0],
        entries: heads.into_iter().zip(samples).map(entry).collect(),
    }
}
