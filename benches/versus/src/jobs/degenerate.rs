//! Points that are hard to part: who builds, how long it takes, and who answers right. Each
//! contestant is a child process with a time limit, since some fail, and some never end.

mod child;
mod scenes;

use std::process::ExitCode;

use crate::bench::Kind;
use crate::contestants;
use crate::jobs::{Options, short};
use crate::table::{Entry, Row, Summary};

use child::Report;
use scenes::Scene;

/// How many times the build of the uniform set may be taken.
const LIMIT: f64 = 2.0;
const POINTS: usize = 100_000;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let mut most = (0.0, "");
    for scene in Scene::ALL {
        let name = format!("degenerate build {} {}", scene.name(), short(POINTS));
        if !options.wants(&name) {
            continue;
        }
        let (mut entries, mut failures, mut results) = (Vec::new(), Vec::new(), 0);
        for contestant in contestants::radius3() {
            if contestant.most_points < POINTS {
                continue;
            }
            let report = match child::ask(contestant.name, scene, options) {
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
                most = (times, scene.name());
            }
            results = report.results;
            entries.push(Entry {
                name: contestant.name,
                kind: contestant.kind,
                differing: report.differing,
                note: format!("  {times:5.2} times uniform's"),
                samples: report.samples,
            });
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
    let (times, scene) = most;
    println!("\nat most {times:.2} times uniform's build, of {scene}; limit {LIMIT}");
    if times > LIMIT {
        summary.fault(format!(
            "the build of {scene} takes {times:.2} times the uniform set's"
        ));
    }
    summary
}

/// What a child does: builds the scene and a uniform set in turn, asks, and prints its report.
pub(crate) fn alone(contestant: &str, options: &Options) -> ExitCode {
    let scene = Scene::ALL.into_iter().find(|s| s.name() == options.rows);
    let register = contestants::radius3();
    let contestant = register.iter().find(|c| c.name == contestant);
    let (Some(scene), Some(contestant)) = (scene, contestant) else {
        return ExitCode::FAILURE;
    };
    println!("{}", Report::of(contestant, scene, options));
    ExitCode::SUCCESS
}
