//! Points within a radius: built once, asked often, one centre at a time, centres in random order.

use std::hint::black_box;

use crate::bench::{Findings, Kind, interleave, time};
use crate::contestants;
use crate::jobs::{Options, short};
use crate::scenes::{Scene, centers, is_within, radius_for};
use crate::table::{Entry, Row, Summary};

/// One contestant: all points at most `radius` from a centre, as positions in the slice given to
/// `build`.
pub(crate) trait Radius<const D: usize>: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;
    /// Left out above this.
    const MOST_POINTS: usize = usize::MAX;

    fn build(points: &[[f32; D]]) -> Self;

    fn count(&mut self, center: &[f32; D], radius: f32) -> usize;

    /// `ids` comes empty, with the room it had.
    fn collect(&mut self, center: &[f32; D], radius: f32, ids: &mut Vec<u32>);
}

/// What to do with a whole row's centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Collect,
    Count,
}

/// A contestant's loop over the centres, compiled for it alone: nothing is dispatched inside.
trait Runner<const D: usize> {
    /// The number found.
    fn run(&mut self, verb: Verb, centers: &[[f32; D]], radius: f32, ids: &mut Vec<u32>) -> u64;

    fn findings(&mut self, centers: &[[f32; D]], radius: f32) -> Findings;
}

impl<const D: usize, T: Radius<D>> Runner<D> for T {
    fn run(&mut self, verb: Verb, centers: &[[f32; D]], radius: f32, ids: &mut Vec<u32>) -> u64 {
        let mut found = 0;
        match verb {
            Verb::Count => {
                for center in centers {
                    found += self.count(center, radius) as u64;
                }
            }
            Verb::Collect => {
                for center in centers {
                    ids.clear();
                    self.collect(center, radius, ids);
                    found += black_box(ids.as_slice()).len() as u64;
                }
            }
        }
        found
    }

    fn findings(&mut self, centers: &[[f32; D]], radius: f32) -> Findings {
        let (mut findings, mut ids) = (Findings::default(), Vec::new());
        for center in centers {
            ids.clear();
            self.collect(center, radius, &mut ids);
            ids.iter().for_each(|&id| findings.add_id(id));
        }
        findings
    }
}

/// An entry of the register.
pub(crate) struct Contestant<const D: usize> {
    name: &'static str,
    kind: Kind,
    most_points: usize,
    build: fn(&[[f32; D]]) -> Box<dyn Runner<D>>,
}

pub(crate) fn contestant<const D: usize, T: Radius<D>>() -> Contestant<D> {
    Contestant {
        name: T::NAME,
        kind: T::KIND,
        most_points: T::MOST_POINTS,
        build: |points| Box::new(T::build(points)),
    }
}

/// Mean results, the centres asked for (fewer where each takes longer), and the speed-ups wanted of
/// collecting and counting at the sizes that have targets.
const MEANS: [(f32, usize, [f64; 2]); 3] = [
    (10.0, 10_000, [2.5, 2.5]),
    (100.0, 2_500, [5.0, 6.0]),
    (1000.0, 500, [9.0, 11.0]),
];
/// Points, and whether the targets are meant for so many.
const SIZES: [(usize, bool); 2] = [(10_000, false), (100_000, true)];
const SCENES: [Scene; 2] = [Scene::Uniform, Scene::Clustered];

pub(crate) fn run(options: &Options) -> Summary {
    let contestants = contestants::radius();
    let mut summary = Summary::default();
    for (n, has_target) in SIZES {
        for scene in SCENES {
            if options.quick && !has_target {
                continue;
            }
            let points = scene.points(n, options.seed);
            let mut race = Race::new(&points, &contestants);
            for (mean, queries, targets) in MEANS {
                let name =
                    |verb: &str| format!("radius 3D {verb} {} {} k={mean}", scene.name(), short(n));
                let verbs = [("collect", Verb::Collect), ("count", Verb::Count)];
                let wanted: Vec<_> = verbs
                    .into_iter()
                    .zip(targets)
                    .map(|((verb, run), target)| (name(verb), run, has_target.then_some(target)))
                    .filter(|(name, ..)| options.wants(name))
                    .collect();
                if wanted.is_empty() {
                    continue;
                }
                let task = race.task(mean, queries, options.seed + 1);
                for (name, verb, target) in wanted {
                    summary.print(race.row(name, verb, target, &task, options.rounds));
                }
            }
        }
    }
    summary
}

/// All contestants with the same points.
struct Race<'a, const D: usize> {
    points: &'a [[f32; D]],
    runners: Vec<(&'a Contestant<D>, Box<dyn Runner<D>>)>,
    ids: Vec<u32>,
}

struct Task<const D: usize> {
    centers: Vec<[f32; D]>,
    radius: f32,
    truth: Findings,
    /// By contestant.
    findings: Vec<Findings>,
}

impl<'a, const D: usize> Race<'a, D> {
    fn new(points: &'a [[f32; D]], contestants: &'a [Contestant<D>]) -> Self {
        let runners = contestants
            .iter()
            .filter(|c| points.len() <= c.most_points)
            .map(|c| (c, (c.build)(points)))
            .collect();
        Self {
            points,
            runners,
            ids: Vec::new(),
        }
    }

    fn task(&mut self, mean: f32, queries: usize, seed: u64) -> Task<D> {
        let centers = centers(self.points, queries, seed);
        let radius = radius_for(self.points, &centers, mean);
        let mut truth = Findings::default();
        for center in &centers {
            for (point, id) in self.points.iter().zip(0..) {
                if is_within(point, center, radius) {
                    truth.add_id(id);
                }
            }
        }
        let findings =
            |(_, runner): &mut (_, Box<dyn Runner<D>>)| runner.findings(&centers, radius);
        Task {
            findings: self.runners.iter_mut().map(findings).collect(),
            truth,
            centers,
            radius,
        }
    }

    fn row(
        &mut self,
        name: String,
        verb: Verb,
        target: Option<f64>,
        task: &Task<D>,
        rounds: u16,
    ) -> Row {
        let mut findings = task.findings.clone();
        let samples = interleave(self.runners.len(), rounds, |i| {
            let runner = &mut self.runners[i].1;
            let (found, taken) =
                time(|| runner.run(verb, &task.centers, task.radius, &mut self.ids));
            // Each timed run is held to what was collected; a count may be wrong by itself.
            if found != findings[i].count {
                findings[i] = Findings::default();
            }
            taken / task.centers.len() as f64
        });
        let entries = self.runners.iter().zip(samples).zip(findings);
        Row {
            name,
            unit: "ns a query",
            target,
            truth: task.truth,
            entries: entries
                .map(|(((contestant, _), samples), findings)| Entry {
                    name: contestant.name,
                    kind: contestant.kind,
                    samples,
                    findings,
                })
                .collect(),
        }
    }
}
