//! Builds over points that are hard to divide: who can build, how long it takes, and who answers correctly.

use std::process::ExitCode;

use crate::contestant::RadiusContestant;
use crate::contestants::register;
use crate::jobs::alone::{self, Report, ask};
use crate::jobs::{Options, short};
use crate::points::hard::HardSet;
use crate::points::{Set, centers};
use crate::race::{Kind, time};
use crate::table::{Row, Summary};
use crate::truth::Slabs;

/// Our builds may take this many times as long as that of the uniform set.
const LIMIT: f64 = 2.0;
const POINTS: usize = 100_000;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let mut most = (0.0, "");
    for set in HardSet::TO_BUILD {
        let name = format!("degenerate build {} {}", set.name(), short(POINTS));
        if !options.wants(&name) {
            continue;
        }
        let (mut entries, mut failures, mut results) = (Vec::new(), Vec::new(), 0);
        for contestant in register(|c| c.radius3()) {
            if contestant.most_points < POINTS {
                continue;
            }
            let report = match ask("degenerate", contestant.name, set.name(), options) {
                Ok(report) => report,
                Err(failure) => {
                    failures.push(format!("{}: {failure}", contestant.name));
                    if contestant.kind == Kind::Own {
                        summary.fault(format!("{failure} at {name}"));
                    }
                    continue;
                }
            };
            let times = report.times_uniform();
            if contestant.kind == Kind::Own && times > most.0 {
                most = (times, set.name());
            }
            results = report.results;
            entries.push(report.entry(contestant.name, contestant.kind));
        }
        summary.print(Row {
            name,
            unit: "ns a point",
            target: None,
            results,
            entries,
        });
        failures.iter().for_each(|failure| println!("  {failure}"));
    }
    let (times, set) = most;
    println!("\nat most {times:.2} times uniform's build, of {set}; limit {LIMIT}");
    if times > LIMIT {
        summary.fault(format!(
            "the build of {set} takes {times:.2} times the uniform set's"
        ));
    }
    summary
}

/// The work of a child process: builds the set and a uniform one in turn, checks queries, and prints its report.
pub(crate) fn alone(contestant: &str, options: &Options) -> ExitCode {
    let set = HardSet::TO_BUILD
        .into_iter()
        .find(|s| s.name() == options.rows);
    let contestants = register(|c| c.radius3());
    let contestant = contestants.iter().find(|c| c.name == contestant);
    alone::print(
        set.zip(contestant)
            .map(|(set, contestant)| report(contestant, set, options)),
    )
}

const QUERIES: usize = 32;

fn report(contestant: &RadiusContestant<f32, 3>, set: HardSet, options: &Options) -> Report {
    let points = set.points(POINTS, options.seed);
    let uniform: Vec<_> = Set::UNIFORM.points(POINTS, options.seed);
    let centers = centers(&points, QUERIES, options.seed + 1);
    let truth = Slabs::new(&points).within(&centers, set.radius());
    let mut built = (contestant.build)(&points, set.radius());
    let answers = built.answers(&centers, set.radius());
    let build = |points: &[[f32; 3]], radius| {
        let (_built, taken) = time(|| (contestant.build)(points, radius));
        taken / POINTS as f64
    };
    // A ball of this radius has some dozens of points.
    let usual = 0.04;
    let rounds =
        (0..options.rounds).map(|_| (build(&uniform, usual), build(&points, set.radius())));
    let (uniforms, samples): (Vec<_>, Vec<_>) = rounds.unzip();
    Report {
        results: truth.results(),
        differing: answers.differing(&truth),
        uniform: uniforms.into_iter().fold(f64::INFINITY, f64::min),
        samples,
    }
}
