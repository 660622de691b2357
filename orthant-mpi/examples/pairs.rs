//! Counts the pairs of points within a radius, on some ranks. The last line is that of orthant's example `neighbours`.
//!
//! ```text
//! mpirun -n 4 target/release/examples/pairs points.f32.bin --radius 0.1
//! ```

#[path = "shared/mod.rs"]
#[allow(dead_code, reason = "shared with other examples")]
mod shared;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use orthant::{Key, Linear, LooseOrthtree, Orthtree, Scalar, SpatialIndex, Sphere, Vector, Voxel};
use orthant_mpi::{Cause, Cloud, Error, HalfHalo, Halo, Point, Ranks, Tree};
use shared::{Input, Program, Sent};

/// The structures of orthant's example `neighbours`, and two that exist only on many ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Structure {
    /// A cell list of a rank's points and half of the copies
    Cells,
    /// A cell list of a rank's points and all copies
    Whole,
    /// An octree of a rank's points and all copies
    Octree,
    /// A loose octree of a rank's points and all copies, filled point by point
    Loose,
    /// A scan of a rank's points and all copies for each point
    Linear,
    /// A tree of all ranks, queried with a ball about each point
    Tree,
}

/// Counts pairs of points within a radius. The last line is `pairs N`, whatever the number of ranks.
#[derive(Debug, Parser)]
#[command(name = "pairs")]
struct Args {
    #[command(flatten)]
    input: Input,

    /// Largest distance of a pair
    #[arg(long, short, value_name = "R", allow_negative_numbers = true)]
    radius: f64,

    /// Structure that answers
    #[arg(long, value_enum, default_value_t = Structure::Cells)]
    structure: Structure,
}

fn main() -> ExitCode {
    shared::start::<Args>()
}

impl Program for Args {
    fn input(&self) -> &Input {
        &self.input
    }

    fn run<P: Sent>(&self, ranks: &Ranks) -> Result<(), Error> {
        let radius = P::Scalar::from_f64(self.radius);
        let cloud = self.input.cloud::<P>(ranks, radius)?;
        if ranks.rank() == 0 {
            println!("{} points on {} ranks", cloud.total(), ranks.size());
        }
        let (pairs, copies) = match self.structure {
            Structure::Cells => {
                let halo = HalfHalo::new(ranks, &cloud, radius)?;
                (halo.count_pairs(ranks)?, halo.copies())
            }
            Structure::Whole => {
                let halo = Halo::new(ranks, &cloud, radius)?;
                (halo.count_pairs(ranks)?, halo.copies())
            }
            Structure::Tree => (by_tree(ranks, &cloud, radius)?, 0),
            local => {
                let halo = Halo::new(ranks, &cloud, radius)?;
                let here = ranks.agree(here(local, &halo, radius).map_err(argument))?;
                (ranks.sum(&[here])[0], halo.copies())
            }
        };
        self.input.report(ranks, &cloud, radius, copies)?;
        if ranks.rank() == 0 {
            println!("pairs {pairs}");
        }
        Ok(())
    }
}

fn argument(error: orthant::Error) -> Cause {
    let what = error.to_string();
    Cause::Argument { what }
}

/// Counts the pairs whose point of the lower id is this rank's, by a structure of its points and copies.
fn here<P: Point>(
    structure: Structure,
    halo: &Halo<P>,
    radius: P::Scalar,
) -> Result<u64, orthant::Error> {
    match structure {
        Structure::Loose => {
            let mut tree = LooseOrthtree::new();
            for &p in halo.points() {
                tree.try_insert(p)?;
            }
            after(&tree, halo, radius)
        }
        Structure::Linear => after(&Linear::try_new(halo.points())?, halo, radius),
        _ => after(&Orthtree::try_new(halo.points())?, halo, radius),
    }
}

/// Queries with a ball about each own point, and counts the points that come after it.
fn after<P, S>(structure: &S, halo: &Halo<P>, radius: P::Scalar) -> Result<u64, orthant::Error>
where
    P: Point,
    S: SpatialIndex<Vector = P, Item = P>,
{
    let mut pairs = 0;
    for &i in halo.own() {
        let ball = Sphere::try_new(halo.points()[i as usize], radius)?;
        let i = i as usize;
        pairs += match halo.periodic() {
            None => structure.query(ball).filter(|j| j.slot() > i).count(),
            Some(periodic) => {
                let near = periodic.query(structure, ball)?;
                near.filter(|(j, image)| comes_after::<P>(i as u64, j.slot() as u64, image))
                    .count()
            }
        } as u64;
    }
    Ok(pairs)
}

/// Returns true if a pair counts at `this`: at its lower number, and for a point's own images on one side only.
fn comes_after<P: Vector>(this: u64, other: u64, image: &P::Voxel) -> bool {
    let last = (0..P::DIM).rev().map(|a| image.axis(a)).find(|&k| k != 0);
    other > this || other == this && last.is_some_and(|k| k > 0)
}

fn by_tree<P: Sent>(ranks: &Ranks, cloud: &Cloud<P>, radius: P::Scalar) -> Result<u64, Error> {
    let tree = Tree::new(ranks, cloud)?;
    let balls = cloud.points().iter().map(|&p| Sphere::try_new(p, radius));
    let balls = balls.collect::<Result<Vec<_>, _>>();
    let balls = ranks.agree(balls.map_err(|error| argument(error.into())))?;
    let here = if cloud.periodic().is_some() {
        let lists = tree.query_batch_in_images(ranks, &balls)?;
        let each = cloud.ids().iter().zip(&lists);
        let after = each.map(|(id, list)| {
            let near = list.iter();
            near.filter(|(other, image)| comes_after::<P>(*id, *other, image))
                .count() as u64
        });
        2 * after.sum::<u64>()
    } else {
        // Each point is in its own ball, and each pair in two balls.
        let counts = tree.count(ranks, &balls)?;
        counts.iter().sum::<u64>() - cloud.len() as u64
    };
    Ok(ranks.sum(&[here])[0] / 2)
}
