//! Peers side by side: see README.md.

mod bench;
mod contestants;
mod jobs;
#[allow(dead_code, reason = "shared with the criterion benches")]
#[path = "../../scenes.rs"]
mod scenes;
mod table;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use jobs::{Options, predicate, radius};

/// Races orthant against the crates that do the same job, all in one process.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// What to race at.
    job: Job,
    /// The smallest size that has a target, with fewer rounds: two minutes at most.
    #[arg(long)]
    quick: bool,
    /// Rounds of each row, at least 5 [default: 9, 5 with --quick].
    #[arg(long, value_parser = clap::value_parser!(u16).range(5..))]
    rounds: Option<u16>,
    /// Only rows whose name contains this, such as "clustered 100k".
    #[arg(long, value_name = "FILTER", default_value = "")]
    rows: String,
    /// Of the random points.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Job {
    /// Points within a radius, 3D, f32.
    Radius,
    /// 4096 boxes against one sphere and 4096 spheres against one box, 3D, f32.
    Predicate,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let usual_rounds = if arguments.quick { 5 } else { 9 };
    let options = Options {
        quick: arguments.quick,
        rounds: arguments.rounds.unwrap_or(usual_rounds),
        rows: arguments.rows,
        seed: arguments.seed,
    };
    let summary = match arguments.job {
        Job::Radius => radius::run(&options),
        Job::Predicate => predicate::run(&options),
    };
    match summary.conclude() {
        Ok(last_line) => {
            println!("{last_line}");
            ExitCode::SUCCESS
        }
        Err(complaint) => {
            eprintln!("versus: {complaint}");
            ExitCode::FAILURE
        }
    }
}
