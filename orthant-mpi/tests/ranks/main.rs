//! Any number of ranks, division and size of messages gives the answer of one process.
//!
//! This program starts itself under `mpirun`; if there is no `mpirun`, it prints so and passes. Each test is a job of some ranks together: they compare
//! their answers with those of orthant for all points in one process, and a difference is a panic, which ends them all. `cargo test -p
//! orthant-mpi --release -- NAME` runs the tests of that name.

mod check;
mod clouds;
mod damaged;
mod examples;
mod faults;
mod formats;
mod groups;
mod pairs;
mod questions;
mod shapes;

use std::process::{Command, ExitCode, Output};

use mpi::traits::Communicator;
use orthant_mpi::Ranks;

/// The work of some ranks together.
type Job = fn(&Ranks, &[String]);

const JOBS: &[(&str, Job)] = &[
    ("pairs", pairs::all),
    ("questions", questions::all),
    ("groups", groups::all),
    ("shapes", shapes::all),
    ("refused", faults::refused),
    ("files", faults::files),
    ("die", faults::die),
    #[cfg(any(feature = "las", feature = "arrow"))]
    ("damaged", damaged::read),
    #[cfg(feature = "las")]
    ("lidar", formats::lidar),
    #[cfg(feature = "arrow")]
    ("columns", formats::columns::read),
];

/// A test, and the function that runs it.
type Test = (&'static str, fn());

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [job, piece, rest @ ..] = &arguments[..]
        && let Some(job) = job.strip_prefix("--job=")
    {
        return work(job, piece, rest);
    }
    let tests: Vec<Test> = [
        pairs::TESTS,
        questions::TESTS,
        groups::TESTS,
        shapes::TESTS,
        faults::TESTS,
        formats::TESTS,
        damaged::TESTS,
        examples::TESTS,
    ]
    .concat();
    let wanted: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(&***w));
    if Command::new("mpirun").arg("--version").output().is_err() {
        println!("skipped {} tests: no mpirun", tests.len());
        return ExitCode::SUCCESS;
    }
    for (name, test) in tests.into_iter().filter(|(name, _)| is_wanted(name)) {
        print!("test {name} ... ");
        test();
        println!("ok");
    }
    ExitCode::SUCCESS
}

/// Does a job as one of some ranks.
fn work(job: &str, piece: &str, rest: &[String]) -> ExitCode {
    let universe = mpi::initialize().expect("MPI");
    orthant_mpi::abort_on_panic();
    let world = universe.world();
    let ranks = Ranks::new(&world)
        .with_piece(piece.parse().expect("bytes"))
        .expect("a piece");
    let (_, job) = JOBS.iter().find(|(name, _)| *name == job).expect("a job");
    job(&ranks, rest);
    ranks.barrier();
    if world.rank() == 0 {
        println!("done");
    }
    ExitCode::SUCCESS
}

/// Runs a job on `n` ranks, with messages of at most `piece` bytes.
fn run(n: usize, job: &str, piece: usize, rest: &[&str]) -> Output {
    let this = std::env::current_exe().expect("this program");
    Command::new("timeout")
        .args([
            "100",
            "mpirun",
            "--allow-run-as-root",
            "--oversubscribe",
            "-n",
            &n.to_string(),
        ])
        .arg(this)
        .args([&format!("--job={job}"), &piece.to_string()])
        .args(rest)
        .output()
        .expect("mpirun runs")
}

/// Runs a job that must succeed.
fn well(n: usize, job: &str, piece: usize, rest: &[&str]) {
    let output = run(n, job, piece, rest);
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let is_done = output.status.success() && out.lines().any(|line| line == "done");
    assert!(
        is_done,
        "{job} on {n} ranks, pieces of {piece} bytes: {out}{err}"
    );
}

/// Runs a job on one to four ranks, with everything in one message and in many.
fn on_ranks(job: &str) {
    for n in 1..=4 {
        well(n, job, if n % 2 == 0 { 64 } else { 1 << 20 }, &[]);
    }
    well(3, job, 64, &[]);
}
