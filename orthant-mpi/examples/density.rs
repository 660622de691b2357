//! Computes densities by a kernel, as in smoothed particle hydrodynamics, and how much they differ from those of the neighbors. It makes two
//! passes over the same lists; the second uses the densities that other ranks found for the copies in the first.
//!
//! ```text
//! mpirun -n 4 target/release/examples/density points.f32.bin --radius 0.1
//! ```

#[path = "shared/mod.rs"]
#[allow(dead_code, reason = "shared with other examples")]
mod shared;

use std::process::ExitCode;

use clap::Parser;
use orthant::Scalar;
use orthant_mpi::{Error, Halo, Point, Ranks};
use shared::{Input, Program, Sent, mix};

/// Densities by a kernel. The last line is `density LEAST MEAN MOST DIGEST`, whatever the number of ranks.
#[derive(Debug, Parser)]
#[command(name = "density")]
struct Args {
    #[command(flatten)]
    input: Input,

    /// Radius of the kernel
    #[arg(long, short, value_name = "R", allow_negative_numbers = true)]
    radius: f64,
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
    let radius = P::Scalar::from_f64(args.radius);
    let cloud = args.input.cloud::<P>(ranks, radius)?;
    let halo = Halo::new(ranks, &cloud, radius)?;
    let near = halo.neighbors(ranks)?;
    // Numbers ascend with ids, so sums are added in the order of one process and are equal.
    let weight = |from: u32, to: u32| {
        let (p, q) = (halo.points()[from as usize], halo.points()[to as usize]);
        let by = match halo.periodic() {
            Some(periodic) => periodic.displacement(p, q),
            None => P::from_fn(|a| q.axis(a) - p.axis(a)),
        };
        let distance_sq: f64 = (0..P::DIM).map(|a| by.axis(a).into().powi(2)).sum();
        let reach: f64 = radius.into();
        (1.0 - distance_sq / (reach * reach)).max(0.0).powi(3)
    };
    let each = halo.own().iter().zip(&near);
    let density = each.map(|(&own, list)| list.iter().map(|i| weight(own, i as u32)).sum::<f64>());
    let density: Vec<f64> = density.collect();
    let all = halo.fill(ranks, &density)?;
    let each = halo.own().iter().zip(&near);
    let smooth: Vec<f64> = each
        .map(|(&own, list)| {
            let sum: f64 = list.iter().map(|i| all[i] * weight(own, i as u32)).sum();
            sum / all[own as usize]
        })
        .collect();
    // Only integers are summed over ranks: millionths of the densities, and a digest of both densities of each point.
    let each = cloud.ids().iter().zip(density.iter().zip(&smooth));
    let digest = each.fold(0_u64, |sum, (&id, (density, smooth))| {
        sum.wrapping_add(mix(mix(mix(id) ^ density.to_bits()) ^ smooth.to_bits()))
    });
    let millionths = density.iter().map(|density| (density * 1e6) as u64).sum();
    let sums = ranks.sum(&[digest, millionths]);
    // Bits of non-negative floats are ordered like the floats.
    let least = density.iter().map(|density| density.to_bits()).min();
    let most = density.iter().map(|density| density.to_bits()).max();
    let least = f64::from_bits(ranks.least(&[least.unwrap_or(u64::MAX)])[0]);
    let most = f64::from_bits(ranks.most(&[most.unwrap_or(0)])[0]);
    args.input.report(ranks, &cloud, radius, halo.copies())?;
    if ranks.rank() == 0 && cloud.total() > 0 {
        let mean = sums[1] as f64 / 1e6 / cloud.total() as f64;
        println!("density {least:.6} {mean:.6} {most:.6} {:016x}", sums[0]);
    }
    Ok(())
}
