//! The growth of build, query and memory with the number of points, for orthant and the three best peers,
//! at a fixed mean number of results. Points are uniform, so every size is the same problem.

mod measurements;

use std::path::Path;

use sysinfo::System;

use crate::contestant::RadiusContestant;
use crate::contestants;
use crate::jobs::build::examine;
use crate::jobs::{Options, short};
use crate::points::{Set, centers};
use crate::race::Kind;
use crate::race::{Task, enter};
use crate::table::{Row, Summary};
use crate::truth::Slabs;

use measurements::Measurements;

const LEAST: usize = 1000;
/// The most points with `--quick`.
const QUICK_MOST: usize = 300_000;
/// The number of points at which the best peers are chosen.
const CHOSEN_AT: usize = 100_000;
const PEERS: usize = 3;
const MEAN: f32 = 30.0;
const QUERIES: usize = 5000;

type Register = Vec<RadiusContestant<f32, 3>>;

pub(crate) fn run(options: &Options, folder: &Path) -> Summary {
    let mut summary = Summary::default();
    let register = best(options);
    let mut measurements = Measurements::default();
    let mut bytes = 0.0;
    for n in sizes(options.quick) {
        if !fits(n, bytes) {
            println!(
                "\n{} points do not fit into the memory that is free",
                short(n)
            );
            break;
        }
        let name = |what| format!("growth {what} {}", short(n));
        if !options.wants(&name("build")) && !options.wants(&name("query")) {
            continue;
        }
        let points: Vec<_> = Set::UNIFORM.points(n, options.seed);
        if options.wants(&name("build")) {
            let builds = examine(&register, &points, options.seed + 1);
            let each: Vec<_> = builds.all.iter().map(|e| e.bytes).collect();
            bytes = each.iter().sum();
            let row = builds.race(name("build"), None, options.rounds);
            measurements.add(n, "build_ns_per_point", &row);
            for (entry, bytes) in row.entries.iter().zip(each) {
                measurements.put(n, entry.name, "bytes_per_point", bytes);
            }
            summary.print(row);
        }
        if options.wants(&name("query")) {
            let row = query(name("query"), &register, &points, options);
            measurements.add(n, "query_ns", &row);
            summary.print(row);
        }
    }
    match measurements.write(folder) {
        Ok(files) => println!("\n{files}"),
        Err(error) => summary.fault(format!("{}: {error}", folder.display())),
    }
    summary
}

/// The numbers of points: 1000, 3000, 10 000, 30 000 and so on.
fn sizes(quick: bool) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(LEAST), |n| n.checked_mul(10));
    let sizes = powers.flat_map(|n| [n, 3 * n]);
    sizes.take_while(move |&n| n <= u32::MAX as usize && (!quick || n <= QUICK_MOST))
}

/// Returns true if the points, the truth and all structures fit into memory, twice each while they are
/// built. `bytes` is the memory of all structures at the last size, a point.
fn fits(n: usize, bytes: f64) -> bool {
    let mut system = System::new();
    system.refresh_memory();
    let (points, truth) = (size_of::<[f32; 3]>(), size_of::<([f32; 3], u32)>());
    let needed = n as f64 * (2.0 * (points + truth) as f64 + 2.0 * bytes);
    needed < system.available_memory() as f64
}

fn query(name: String, register: &Register, points: &[[f32; 3]], options: &Options) -> Row {
    let slabs = Slabs::new(points);
    let centers = centers(points, QUERIES, options.seed + 1);
    let radius = slabs.radius_for(&centers, MEAN);
    let mut entrants = enter(register, points, radius);
    let task = Task {
        name,
        unit: "ns a query",
        units: QUERIES,
        target: None,
        rounds: options.rounds,
        truth: &slabs.within(&centers, radius),
    };
    let mut ids = Vec::new();
    task.race(
        &mut entrants,
        |runner| runner.answers(&centers, radius),
        |runner| runner.collect(&centers, radius, &mut ids),
    )
}

/// Chooses orthant and the peers that collect fastest, one of each crate.
fn best(options: &Options) -> Register {
    let mut register = contestants::register(|c| c.radius3);
    register.retain(|c| c.kind != Kind::Reference);
    let points: Vec<_> = Set::UNIFORM.points(CHOSEN_AT, options.seed);
    let mut row = query("the choice".into(), &register, &points, options);
    row.entries
        .sort_by(|a, b| a.median().total_cmp(&b.median()));
    let mut crates: Vec<&str> = Vec::new();
    register.sort_by_key(|c| row.entries.iter().position(|e| e.name == c.name));
    register.retain(|c| {
        let its_crate = c.name.split(' ').next().unwrap_or_default();
        if c.kind != Kind::Peer {
            return true;
        }
        let is_new = !crates.contains(&its_crate) && crates.len() < PEERS;
        crates.extend(is_new.then_some(its_crate));
        is_new
    });
    register
}
