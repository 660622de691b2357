//! Queries of hard sets, compared with those of uniform sets and with the peers.

mod boxes;
mod points;

use std::process::ExitCode;

use crate::jobs::Options;
use crate::race::Kind;
use crate::table::{Row, Summary};

/// Rows are listed at the end if a query of ours takes more than this many times as long as in the uniform set.
const LIMIT: f64 = 5.0;
/// No peer should be faster.
const TARGET: f64 = 1.0;

pub(crate) fn run(options: &Options) -> Summary {
    let mut found = Found::default();
    points::run(options, &mut found);
    boxes::run(options, &mut found);
    println!("\nmore than {LIMIT} times uniform's:");
    for (times, name) in &found.slow {
        println!("  {times:.1} {name}");
    }
    if found.slow.is_empty() {
        println!("  none");
    }
    found.summary
}

/// Runs the rows of the job `degenerate`. Returns the most times as long as the uniform set that ours takes, with the set.
pub(crate) fn builds(options: &Options) -> (Summary, f64, &'static str) {
    let mut found = Found::default();
    let (times, set) = points::run_builds(options, &mut found);
    (found.summary, times, set)
}

/// The work of a child process: runs one contestant at one row, and prints its report.
pub(crate) fn alone(contestant: &str, options: &Options) -> ExitCode {
    super::alone::print(points::report(contestant, options))
}

#[derive(Default)]
struct Found {
    summary: Summary,
    /// The rows in which ours takes more than [`LIMIT`] times as long as in the uniform set.
    slow: Vec<(f64, String)>,
}

impl Found {
    /// Prints a row. `times` is our time divided by that for the uniform set.
    fn print(&mut self, row: Row, times: f64) {
        if times > LIMIT {
            self.slow.push((times, row.name.clone()));
        }
        self.summary.print(row);
    }
}

/// Notes for each contestant its least time divided by that in the uniform row, and returns ours.
fn compare(row: &mut Row, uniform: &Row) -> f64 {
    let mut own = 0.0;
    for entry in &mut row.entries {
        let same = uniform.entries.iter().find(|e| e.name == entry.name);
        let times = same.map_or(f64::NAN, |e| entry.min() / e.min());
        entry.note = note(times);
        if entry.kind == Kind::Own {
            own = times;
        }
    }
    own
}

fn note(times: f64) -> String {
    format!("  {times:5.2} times uniform's")
}
