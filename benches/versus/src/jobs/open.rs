//! From bytes to the first answer: opening a saved tree and searching it for the nearest point, against building a tree from
//! the points and searching that. Bytes and points are in memory, as those of a mapped file are after a first read.

use crate::answers::Answers;
use crate::contestants::{Crate, register};
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::{Set, centers};
use crate::race::{Entrant, Kind, Task};
use crate::table::Summary;
use crate::truth::distance_sq;

const TARGET: f64 = 20.0;
/// The nanoseconds in a microsecond.
const UNITS: usize = 1000;

/// One contestant: bytes or points, from which it finds a nearest point.
pub(crate) trait Opened<const D: usize>: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;

    fn save(points: &[[f32; D]]) -> Self;

    /// Opens or builds the tree, and says which point is nearest to a place.
    fn nearest(&mut self, center: &[f32; D]) -> u32;
}

pub(crate) trait OpenRun<const D: usize> {
    fn nearest(&mut self, center: &[f32; D]) -> u32;
}

impl<const D: usize, T: Opened<D>> OpenRun<D> for T {
    fn nearest(&mut self, center: &[f32; D]) -> u32 {
        Opened::nearest(self, center)
    }
}

pub(crate) struct OpenContestant<const D: usize> {
    name: &'static str,
    kind: Kind,
    save: fn(&[[f32; D]]) -> Box<dyn OpenRun<D>>,
}

pub(crate) fn opener<const D: usize, T: Opened<D>>() -> OpenContestant<D> {
    OpenContestant {
        name: T::NAME,
        kind: T::KIND,
        save: |points| Box::new(T::save(points)),
    }
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes().filter(|&n| n >= QUICK_SIZE) {
        for set in Set::ALL {
            row("open 3D", |c| c.open3(), set, n, options, &mut summary);
        }
        for set in Set::ALL {
            row("open 2D", |c| c.open2(), set, n, options, &mut summary);
        }
    }
    summary
}

fn row<const D: usize>(
    head: &str,
    entries: fn(&dyn Crate) -> Vec<OpenContestant<D>>,
    set: Set,
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    let name = format!("{head} {} {}", set.name(), short(n));
    if !options.wants(&name) {
        return;
    }
    let points = set.points::<f32, D>(n, options.seed);
    let center = centers(&points, 1, options.seed + 1)[0];
    let answers = |apart: f32| {
        let mut answers = Answers::default();
        answers.push([u64::from(apart.to_bits())]);
        answers
    };
    let apart = points.iter().map(|point| distance_sq(point, &center));
    let truth = answers(apart.fold(f32::INFINITY, f32::min));
    let entrant = |contestant: OpenContestant<D>| Entrant {
        name: contestant.name,
        kind: contestant.kind,
        runner: (contestant.save)(&points),
    };
    let mut entrants: Vec<_> = register(entries).into_iter().map(entrant).collect();
    let found = |runner: &mut Box<dyn OpenRun<D>>| {
        let nearest = runner.nearest(&center) as usize;
        answers(distance_sq(&points[nearest], &center))
    };
    let listed: Vec<_> = entrants.iter_mut().map(|e| found(&mut e.runner)).collect();
    let task = Task {
        name,
        unit: "us",
        units: UNITS,
        target: Some(TARGET),
        rounds: options.rounds,
        answers: &listed,
        truth: &truth,
    };
    summary.print(task.race(&mut entrants, |runner| {
        std::hint::black_box(runner.nearest(&center));
        1
    }));
}
