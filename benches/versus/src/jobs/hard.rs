//! Sets that are hard to ask, beside uniform ones: how many times as long it takes, and who is ahead.

mod boxes;
mod points;

use std::process::ExitCode;

use crate::jobs::Options;
use crate::race::Kind;
use crate::table::{Row, Summary};

/// How many times as long as of a uniform set a question of ours may take.
const LIMIT: f64 = 5.0;
/// Nobody may be faster.
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

/// What a child does: asks one contestant in one row, and prints its report.
pub(crate) fn alone(contestant: &str, options: &Options) -> ExitCode {
    super::alone::print(points::report(contestant, options))
}

#[derive(Default)]
struct Found {
    summary: Summary,
    /// Rows of which ours takes more than [`LIMIT`] times as long as of the uniform set.
    slow: Vec<(f64, String)>,
}

impl Found {
    /// `times` is how many times as long ours took as of the uniform set.
    fn print(&mut self, row: Row, times: f64) {
        if times > LIMIT {
            self.slow.push((times, row.name.clone()));
        }
        self.summary.print(row);
    }
}

/// How many times as long as in another row each contestant took, least against least, as notes; and ours.
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
