//! Finds groups of friends: points that are connected by a chain of steps, none longer than a length. A single point is a group.
//!
//! ```text
//! mpirun -n 4 target/release/examples/groups points.f32.bin --length 0.2 --png groups.png
//! ```

mod picture;
#[path = "../shared/mod.rs"]
#[allow(dead_code, reason = "shared with other examples")]
mod shared;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use orthant::Scalar;
use orthant_mpi::{Cloud, Error, GroupIds, Point, Ranks};
use shared::{Input, Program, Sent};

/// Groups of friends. The last line is `groups N`, whatever the number of ranks.
#[derive(Debug, Parser)]
#[command(name = "groups")]
struct Args {
    #[command(flatten)]
    input: Input,

    /// Largest distance of two friends
    #[arg(long, short, value_name = "B", allow_negative_numbers = true)]
    length: f64,

    /// Find clusters by density instead: core points have this many points within the length, themselves included
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_points: usize,

    /// Draw the points from above, their division between ranks, and the largest groups in color
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,
}

fn main() -> ExitCode {
    shared::start::<Args>()
}

impl Program for Args {
    fn input(&self) -> &Input {
        &self.input
    }

    fn run<P: Sent>(&self, ranks: &Ranks) -> Result<(), Error> {
        run::<P>(self, ranks)
    }
}

fn run<P: Point>(args: &Args, ranks: &Ranks) -> Result<(), Error> {
    let length = P::Scalar::from_f64(args.length);
    let cloud = args.input.cloud::<P>(ranks, length)?;
    let groups = cloud.dbscan(ranks, length, args.min_points)?;
    let largest = largest(ranks, &cloud, &groups.labels)?;
    if ranks.rank() == 0 {
        let (many, size) = (cloud.total(), ranks.size());
        println!(
            "{many} points on {size} ranks, names joined in {} rounds",
            groups.rounds
        );
        for (name, size) in largest.iter().take(3) {
            println!("group {name}: {size} points");
        }
    }
    if let Some(path) = &args.png {
        picture::draw(ranks, path, &cloud, &groups.labels, &largest)?;
    }
    args.input.report(ranks, &cloud, length, groups.copies)?;
    if ranks.rank() == 0 {
        println!("groups {}", groups.groups);
    }
    Ok(())
}

/// Returns the names and sizes of the largest groups of all ranks. Each size is summed on the home rank of the name.
fn largest<P: Point>(
    ranks: &Ranks,
    cloud: &Cloud<P>,
    labels: &[u64],
) -> Result<Vec<(u64, u64)>, Error> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for &label in labels.iter().filter(|&&label| label != GroupIds::NOISE) {
        *sizes.entry(label).or_default() += 1;
    }
    let mut counts = vec![0; ranks.size()];
    // Homes ascend with names, so the parts are sorted by rank.
    let parts: Vec<[u64; 2]> = sizes.into_iter().map(|(name, size)| [name, size]).collect();
    parts
        .iter()
        .for_each(|part| counts[cloud.home(part[0])] += 1);
    let mut whole: BTreeMap<u64, u64> = BTreeMap::new();
    for [name, size] in ranks.exchange(&parts, &counts)?.items {
        *whole.entry(name).or_default() += size;
    }
    let mut mine: Vec<[u64; 2]> = whole.into_iter().map(|(name, size)| [name, size]).collect();
    let by_size = |a: &[u64; 2], b: &[u64; 2]| b[1].cmp(&a[1]).then(a[0].cmp(&b[0]));
    mine.sort_unstable_by(by_size);
    mine.truncate(picture::COLORS.len());
    let mut all = ranks.share(&mine)?.items;
    all.sort_unstable_by(by_size);
    all.truncate(picture::COLORS.len());
    Ok(all.into_iter().map(|[name, size]| (name, size)).collect())
}
