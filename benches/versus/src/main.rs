//! A program that races orthant against other crates: see README.md.

mod allocated;
mod answers;
mod contestant;
mod contestants;
mod jobs;
mod points;
mod race;
mod report;
#[allow(dead_code, reason = "shared with the criterion benches")]
#[path = "../../scenes.rs"]
mod scenes;
mod stepper;
mod table;
mod truth;
mod worlds;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};

#[cfg(feature = "threads")]
use jobs::threads;
use jobs::{
    Options, batch, broadphase, build, casts, degenerate, frustum, groups, growth, hard, lists,
    loose, nearest, open, pairs, predicate, radius, voxels, windows,
};
use table::Summary;

/// Races orthant against the crates that do the same job, all in one process.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The job to run.
    job: Job,
    /// The smallest size that has a target, with fewer rounds: two minutes at most. Always so in `report`.
    #[arg(long)]
    quick: bool,
    /// Rounds of each row, at least 5 [default: 9, 5 with --quick].
    #[arg(long, value_parser = clap::value_parser!(u16).range(5..))]
    rounds: Option<u16>,
    /// Only rows whose name contains this, such as "clustered 100k".
    #[arg(long, value_name = "FILTER", default_value = "")]
    rows: String,
    /// Only orthant and the earlier commit take part.
    #[cfg(feature = "before")]
    #[arg(long)]
    only_before: bool,
    /// The seed of the random points and boxes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where `growth` writes its table and its picture.
    #[arg(long, value_name = "FOLDER", default_value = "target/versus")]
    out: PathBuf,
    /// A page whose tables `report` fills [default: docs/performance.md and README.md]. May be given several times.
    #[arg(long, value_name = "FILE")]
    page: Vec<PathBuf>,
    /// Runs only this contestant of `degenerate` or `hard`: these jobs start a process for each.
    #[arg(long, value_name = "NAME", hide = true)]
    alone: Option<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Job {
    /// Points within a radius, 3D: one center at a time (f32 and f64), and all points in one call.
    Radius,
    /// Points within a radius, 2D, f32.
    Radius2d,
    /// The nearest point and the eight nearest, 3D and 2D, f32.
    Nearest,
    /// The eight nearest of many points in one call, 3D and 2D, f32.
    Batch,
    /// Nanoseconds and bytes a point, 3D and 2D, f32.
    Build,
    /// The boxes that overlap a box, 3D and 2D, f32.
    Windows,
    /// The boxes that a camera sees, 3D, f32.
    Frustum,
    /// Builds over sets that are hard to divide, 3D, f32.
    Degenerate,
    /// Queries of sets that are hard for trees, against uniform ones, 3D, f32.
    Hard,
    /// Build, query and memory by the number of points, 3D, f32: a table and a picture.
    Growth,
    /// The neighbors of all points within one radius, built anew each step: 3D, 2D, f64, periodic.
    Lists,
    /// Connected components and clusters by density, 3D and 2D, f32.
    Groups,
    /// Two sets of points: lists, counts, the closest pair and the Hausdorff distance, 3D and 2D, f32.
    Pairs,
    /// From a saved tree to the first answer, against building one, 3D and 2D, f32.
    Open,
    /// Items inserted one by one, moved, queried and removed, 3D, f32.
    Loose,
    /// 4096 boxes against one sphere and 4096 spheres against one box, 3D, f32.
    Predicate,
    /// Steps of moving boxes, 3D, f32: all overlapping pairs, and with what began and ended.
    Broadphase,
    /// Steps of moving boxes, 2D, f32.
    Broadphase2d,
    /// Moving boxes, queried by rays, moving spheres and boxes, 3D, f32.
    Casts,
    /// The voxels that a sphere's surface meets, and the union of many balls, 3D, f32.
    Voxels,
    /// All jobs whose figures stand in docs/performance.md and README.md: writes the tables there.
    Report,
    /// Two threads against one, 3D, f32.
    #[cfg(feature = "threads")]
    Threads,
}

impl Job {
    fn run(self, options: &Options, out: &Path) -> Summary {
        match self {
            Self::Radius => radius::run3(options),
            Self::Radius2d => radius::run2(options),
            Self::Nearest => nearest::run(options),
            Self::Batch => batch::run(options),
            Self::Build => build::run(options),
            Self::Windows => windows::run(options),
            Self::Frustum => frustum::run(options),
            Self::Degenerate => degenerate::run(options),
            Self::Hard => hard::run(options),
            Self::Growth => growth::run(options, out),
            Self::Lists => lists::run(options),
            Self::Groups => groups::run(options),
            Self::Pairs => pairs::run(options),
            Self::Open => open::run(options),
            Self::Loose => loose::run(options),
            Self::Predicate => predicate::run(options),
            Self::Broadphase => broadphase::run3(options),
            Self::Broadphase2d => broadphase::run2(options),
            Self::Casts => casts::run(options),
            Self::Voxels => voxels::run(options),
            Self::Report => Summary::default(),
            #[cfg(feature = "threads")]
            Self::Threads => threads::run(options),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    #[cfg(feature = "before")]
    if arguments.only_before {
        contestants::let_peers_sit_out();
    }
    let usual_rounds = if arguments.quick { 5 } else { 9 };
    let options = Options {
        quick: arguments.quick,
        rounds: arguments.rounds.unwrap_or(usual_rounds),
        rows: arguments.rows,
        seed: arguments.seed,
    };
    // The other jobs measure the time of one thread, and would miss orthant's work on others.
    #[cfg(feature = "threads")]
    if !matches!(arguments.job, Job::Threads) {
        eprintln!("versus: the feature `threads` is for the job `threads` alone");
        return ExitCode::FAILURE;
    }
    if let Some(contestant) = arguments.alone {
        return hard::alone(&contestant, &options);
    }
    let summary = if arguments.job == Job::Report {
        let named = |job: &str, options: &Options| {
            Some(Job::from_str(job, false).ok()?.run(options, &arguments.out))
        };
        report::run(&options, &arguments.page, named)
    } else {
        arguments.job.run(&options, &arguments.out)
    };
    let (last_line, faults) = summary.conclude();
    for fault in &faults {
        eprintln!("versus: {fault}");
    }
    if let Some(line) = last_line {
        println!("{line}");
    }
    if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
