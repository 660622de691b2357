//! Counts the pairs of points within a radius, on some ranks; the last line is that of orthant's example `neighbours`.
//!
//! ```text
//! mpirun -n 4 target/release/examples/pairs points.f32.bin --radius 0.1
//! ```

#[path = "shared/mod.rs"]
#[allow(dead_code, reason = "shared with other examples")]
mod shared;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use orthant::{Scalar, Sphere};
use orthant_mpi::{Balance, Cause, Error, HalfHalo, Halo, Point, Ranks, Tree};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::{Input, Precision};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Structure {
    /// A cell list of a rank's points and half of the copies
    Cells,
    /// The same of all copies: every pair across ranks is counted on both
    Whole,
    /// A tree of all ranks, asked for a ball about each point
    Octree,
}

/// Counts pairs of points within a radius: the last line is `pairs N`, for each number of ranks the same.
#[derive(Debug, Parser)]
#[command(name = "pairs")]
struct Args {
    #[command(flatten)]
    input: Input,

    /// Pairs lie at most this far apart
    #[arg(long, short, value_name = "R", allow_negative_numbers = true)]
    radius: f64,

    /// A box from 0 on whose opposite faces are one; 0 for a length that has no end
    #[arg(long, value_name = "LX,LY,LZ", value_delimiter = ',')]
    periodic: Option<Vec<f64>>,

    /// Divide by the neighbors that points have, and not by the points alone
    #[arg(long)]
    weighted: bool,

    /// What answers
    #[arg(long, value_enum, default_value_t = Structure::Cells)]
    structure: Structure,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let Some(universe) = mpi::initialize() else {
        return ExitCode::FAILURE;
    };
    orthant_mpi::abort_on_panic();
    let ranks = args.input.ranks(&universe.world());
    let result = match args.input.precision() {
        Precision::F32 => run::<[f32; 3]>(&args, &ranks),
        Precision::F64 => run::<[f64; 3]>(&args, &ranks),
    };
    shared::end(&ranks, result)
}

fn run<P>(args: &Args, ranks: &Ranks) -> Result<(), Error>
where
    P: Point<Scalar: Serialize + DeserializeOwned> + Serialize + DeserializeOwned,
{
    let radius = P::Scalar::from_f64(args.radius);
    let mut cloud = args.input.cloud::<P>(ranks, args.periodic.as_deref())?;
    if args.weighted {
        let weights = Halo::new(ranks, &cloud, radius)?.count_neighbors(ranks)?;
        let weights: Vec<u32> = weights
            .iter()
            .map(|&near| near.saturating_add(10))
            .collect();
        cloud.balance_by(ranks, &Balance::default(), &weights)?;
        ranks.take_tally();
    }
    if ranks.rank() == 0 {
        println!("{} points on {} ranks", cloud.total(), ranks.size());
    }
    let (pairs, copies) = match args.structure {
        Structure::Cells => {
            let halo = HalfHalo::new(ranks, &cloud, radius)?;
            (halo.count_pairs(ranks)?, halo.copies())
        }
        Structure::Whole => {
            let halo = Halo::new(ranks, &cloud, radius)?;
            (halo.count_pairs(ranks)?, halo.copies())
        }
        Structure::Octree => {
            let open = if args.periodic.is_none() {
                Ok(())
            } else {
                let what = "--structure octree asks without images".to_owned();
                Err(Cause::Argument { what })
            };
            ranks.agree(open)?;
            let tree = Tree::new(ranks, &cloud)?;
            let balls = cloud.points().iter().map(|&p| Sphere::try_new(p, radius));
            let balls = balls.collect::<Result<Vec<_>, _>>();
            let balls = ranks.agree(balls.map_err(|error| Cause::Argument {
                what: error.to_string(),
            }))?;
            let counts = tree.count(ranks, &balls)?;
            // Each is in its own ball, and each pair in two.
            let sum = ranks.sum(&[counts.iter().sum()])[0];
            ((sum - cloud.total()) / 2, 0)
        }
    };
    if args.input.report {
        let tally = ranks.take_tally();
        let near = Halo::new(ranks, &cloud, radius)?.count_neighbors(ranks)?;
        let work = near.iter().map(|&near| u64::from(near) + 10).sum();
        let counts = [cloud.len() as u64, copies as u64, work];
        args.input.report(ranks, tally, counts)?;
    }
    if ranks.rank() == 0 {
        println!("pairs {pairs}");
    }
    Ok(())
}
