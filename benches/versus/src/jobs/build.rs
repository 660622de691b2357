//! The cost of building a structure: nanoseconds and bytes a point.

use crate::allocated::measured;
use crate::contestant::RadiusContestant;
use crate::contestants::register;
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::{Scalar, Set, centers};
use crate::race::attempt;
use crate::race::{interleave, time};
use crate::table::{Entry, Row, Summary};
use crate::truth::Slabs;

const TARGET: f64 = 1.5;
/// The number of queries that check a built structure.
const CHECKED: usize = 100;
/// The mean number of their results.
const MEAN: f32 = 30.0;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes() {
        for set in Set::ALL {
            let contestants = register(|c| c.radius3);
            one("build 3D", &contestants, set, n, options, &mut summary);
        }
        for set in Set::ALL {
            let contestants = register(|c| c.radius2);
            one("build 2D", &contestants, set, n, options, &mut summary);
        }
    }
    summary
}

fn one<S: Scalar, const D: usize>(
    head: &str,
    register: &[RadiusContestant<S, D>],
    set: Set,
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    let name = format!("{head} {} {}", set.name(), short(n));
    if options.wants(&name) {
        let points = set.points::<S, D>(n, options.seed);
        let builds = examine(register, &points, options.seed + 1);
        let target = (n >= QUICK_SIZE).then_some(TARGET);
        summary.print(builds.race(name, target, options.rounds));
    }
}

/// The contestants that can be built from these points.
pub(super) struct Builds<'a, S, const D: usize> {
    points: &'a [[S; D]],
    radius: S,
    results: u64,
    pub(super) all: Vec<Examined<'a, S, D>>,
}

pub(super) struct Examined<'a, S, const D: usize> {
    contestant: &'a RadiusContestant<S, D>,
    /// The bytes a point that stay allocated.
    pub(super) bytes: f64,
    differing: u64,
}

/// Measures the bytes that each build leaves allocated, and checks its answers.
pub(super) fn examine<'a, S: Scalar, const D: usize>(
    register: &'a [RadiusContestant<S, D>],
    points: &'a [[S; D]],
    seed: u64,
) -> Builds<'a, S, D> {
    let slabs = Slabs::new(points);
    let centers = centers(points, CHECKED, seed);
    let radius = slabs.radius_for(&centers, MEAN);
    let truth = slabs.within(&centers, radius);
    let fit = register.iter().filter(|c| points.len() <= c.most_points);
    let all = fit.filter_map(|contestant| {
        let (runner, bytes) = measured(|| attempt(contestant, points, radius));
        let answers = runner?.answers(&centers, radius);
        Some(Examined {
            contestant,
            bytes: bytes as f64 / points.len() as f64,
            differing: answers.differing(&truth),
        })
    });
    Builds {
        points,
        radius,
        results: truth.results(),
        all: all.collect(),
    }
}

impl<S: Scalar, const D: usize> Builds<'_, S, D> {
    /// Builds them all in turn.
    pub(super) fn race(&self, name: String, target: Option<f64>, rounds: u16) -> Row {
        let kinds: Vec<_> = self.all.iter().map(|e| e.contestant.kind).collect();
        let samples = interleave(&kinds, rounds, |i| {
            let build = self.all[i].contestant.build;
            // The structure is dropped after the clock has stopped.
            let (_built, taken) = time(|| build(self.points, self.radius));
            taken / self.points.len() as f64
        });
        let entry = |(examined, samples): (&Examined<S, D>, _)| Entry {
            name: examined.contestant.name,
            kind: examined.contestant.kind,
            samples,
            differing: examined.differing,
            note: format!("  {:5.1} bytes a point", examined.bytes),
        };
        Row {
            name,
            unit: "ns a point",
            target,
            results: self.results,
            entries: self.all.iter().zip(samples).map(entry).collect(),
        }
    }
}
