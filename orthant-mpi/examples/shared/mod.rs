//! The common part of the examples: start and end, arguments, input by its name, and a report of each rank.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, ValueEnum};
use orthant::{Aabb, Periodic, Scalar, Vector};
use orthant_mpi::input::{Raw, read_raw, read_raw_parts};
use orthant_mpi::{Balance, Cause, Cloud, Error, Halo, Point, Ranks};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The work of an example, on points of either precision.
pub(crate) trait Program: Parser {
    fn input(&self) -> &Input;

    fn run<P: Sent>(&self, ranks: &Ranks) -> Result<(), Error>;
}

/// A point that can be sent, with regions about it.
pub(crate) trait Sent:
    Point<Scalar: Serialize + DeserializeOwned> + Serialize + DeserializeOwned
{
}

impl Sent for [f32; 3] {}
impl Sent for [f64; 3] {}

/// Runs a program and ends it. Rank 0 prints an error once, and all ranks have the same status.
pub(crate) fn start<X: Program>() -> ExitCode {
    let program = X::parse();
    let Some(universe) = mpi::initialize() else {
        return ExitCode::FAILURE;
    };
    orthant_mpi::abort_on_panic();
    let ranks = program.input().ranks(&universe.world());
    let result = match program.input().precision() {
        Precision::F32 => program.run::<[f32; 3]>(&ranks),
        Precision::F64 => program.run::<[f64; 3]>(&ranks),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if ranks.rank() == 0 {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

/// The work of a point itself, in units of a neighbor.
const POINT: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    F32,
    F64,
}

/// The source of points, and how they are divided.
#[derive(Clone, Debug, Args)]
pub(crate) struct Input {
    /// File of points: .f32.bin .f64.bin; with the feature `las` .las .laz, with `arrow` .parquet .arrow (columns x, y, z)
    ///
    /// Without FILE: 100 000 points in a thousand clumps, or the number of --made on each rank.
    pub(crate) file: Option<PathBuf>,

    /// FILE is a prefix: each rank reads FILE.0, FILE.1, … as raw numbers of --precision
    #[arg(long, requires = "file")]
    pub(crate) parts: bool,

    /// Number of made points on each rank
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub(crate) made: Option<u64>,

    /// Place all made points anywhere, instead of half of them in clumps
    #[arg(long, conflicts_with = "file")]
    pub(crate) uniform: bool,

    /// Precision of the arithmetic [default: that of the file; LAS and Parquet are f64, made points f32]
    #[arg(long, value_enum)]
    pub(crate) precision: Option<Precision>,

    /// Lengths of a periodic box that begins at 0; a length of 0 is not periodic
    #[arg(long, value_name = "LX,LY,LZ", value_delimiter = ',')]
    pub(crate) periodic: Option<Vec<f64>>,

    /// Divide by the neighbors of points, and not by the points alone
    #[arg(long)]
    pub(crate) weighted: bool,

    /// Bytes that a rank may take at most
    #[arg(long, value_name = "BYTES")]
    pub(crate) budget: Option<usize>,

    /// Print what each rank has and sent
    #[arg(long)]
    pub(crate) report: bool,

    /// Print on standard error what is being done
    #[arg(long)]
    pub(crate) progress: bool,
}

impl Input {
    fn extension(&self) -> &str {
        let name = self
            .file
            .as_ref()
            .and_then(|file| file.file_name()?.to_str());
        let name = name.unwrap_or(".f32.bin");
        for raw in [".f32.bin", ".f64.bin"] {
            if name.ends_with(raw) {
                return raw;
            }
        }
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    pub(crate) fn precision(&self) -> Precision {
        self.precision.unwrap_or(match self.extension() {
            ".f32.bin" | "" => Precision::F32,
            _ => Precision::F64,
        })
    }

    /// Makes ranks with the settings of the arguments.
    pub(crate) fn ranks(&self, world: &impl mpi::traits::Communicator) -> Ranks {
        let mut ranks = Ranks::new(world);
        if let Some(budget) = self.budget {
            ranks = ranks.with_budget(budget);
        }
        if self.progress {
            ranks = ranks.with_progress(|stage| eprintln!("{stage}"));
        }
        ranks
    }

    /// Returns the points that this rank reads.
    pub(crate) fn read<P: Point>(&self, ranks: &Ranks) -> Result<Vec<P>, Error> {
        let Some(path) = &self.file else {
            let many = self.made.unwrap_or(100_000 / ranks.size() as u64);
            let first = many * ranks.rank() as u64;
            return Ok((first..first + many)
                .map(|id| made(id, self.uniform))
                .collect());
        };
        if self.parts {
            let raw = match self.precision() {
                Precision::F32 => Raw::F32,
                Precision::F64 => Raw::F64,
            };
            return read_raw_parts(ranks, path, raw);
        }
        match self.extension() {
            ".f32.bin" => read_raw(ranks, path, Raw::F32),
            ".f64.bin" => read_raw(ranks, path, Raw::F64),
            #[cfg(feature = "las")]
            "las" | "laz" => orthant_mpi::input::read_las(ranks, path),
            #[cfg(feature = "arrow")]
            "parquet" => orthant_mpi::input::read_parquet(ranks, path, &["x", "y", "z"][..P::DIM]),
            #[cfg(feature = "arrow")]
            "arrow" | "feather" => {
                orthant_mpi::input::read_arrow(ranks, path, &["x", "y", "z"][..P::DIM])
            }
            _ => ranks.agree(Err(Cause::Input {
                what: format!(
                    "{}: not a kind of file that this program was built for",
                    path.display()
                ),
            })),
        }
    }

    /// Moves points to their owners: equal numbers to each rank, or equal work, counted in neighbors within a radius.
    pub(crate) fn cloud<P: Point>(
        &self,
        ranks: &Ranks,
        radius: P::Scalar,
    ) -> Result<Cloud<P>, Error> {
        let points = self.read(ranks)?;
        let mut cloud = match &self.periodic {
            Some(lengths) => {
                let periodic = ranks.agree(box_of(lengths))?;
                Cloud::new_periodic(ranks, &points, periodic)?
            }
            None => Cloud::new(ranks, &points)?,
        };
        drop(points);
        cloud.balance(ranks, &Balance::default())?;
        if self.weighted {
            let near = Halo::new(ranks, &cloud, radius)?.count_neighbors(ranks)?;
            let weights: Vec<u32> = near
                .iter()
                .map(|&near| near.saturating_add(POINT))
                .collect();
            cloud.balance_by(ranks, &Balance::default(), &weights)?;
            // The report covers what follows.
            ranks.take_tally();
        }
        Ok(cloud)
    }

    /// Prints a line for each rank, on rank 0: its points, its copies, what it sent, and its work, which is the neighbors of its points and the
    /// points themselves.
    pub(crate) fn report<P: Point>(
        &self,
        ranks: &Ranks,
        cloud: &Cloud<P>,
        radius: P::Scalar,
        copies: usize,
    ) -> Result<(), Error> {
        if !self.report {
            return Ok(());
        }
        let tally = ranks.take_tally();
        let near = Halo::new(ranks, cloud, radius)?.count_neighbors(ranks)?;
        let work: u64 = near
            .iter()
            .map(|&near| u64::from(near) + u64::from(POINT))
            .sum();
        let (points, copies) = (cloud.len() as u64, copies as u64);
        let mine = [
            points,
            copies,
            tally.sent,
            tally.messages,
            tally.rounds,
            work,
        ];
        let all = ranks.share(&mine)?;
        if ranks.rank() == 0 {
            for (rank, row) in all.items.as_chunks::<6>().0.iter().enumerate() {
                let [points, copies, sent, messages, rounds, work] = row;
                println!(
                    "rank {rank}: {points} points, {copies} copies, {sent} bytes in {messages} messages, {rounds} rounds, work {work}"
                );
            }
            let column = |column: usize| all.items.iter().skip(column).step_by(6);
            let uneven = |at: usize| {
                let (sum, most) = (column(at).sum::<u64>(), column(at).max());
                most.map_or(1.0, |&most| {
                    most as f64 * ranks.size() as f64 / sum.max(1) as f64
                })
            };
            println!(
                "fullest rank, in parts of the mean: points {:.3}, copies {:.3}, work {:.3}",
                uneven(0),
                uneven(1),
                uneven(5)
            );
        }
        Ok(())
    }
}

/// Returns a box that begins at 0, periodic on axes whose length is positive.
fn box_of<P: Vector>(lengths: &[f64]) -> Result<Periodic<P>, Cause> {
    let refuse = |what: String| Cause::Argument { what };
    if lengths.len() != P::DIM || !lengths.iter().all(|&x| (0.0..f64::INFINITY).contains(&x)) {
        return Err(refuse(format!(
            "--periodic {lengths:?} is not {} lengths",
            P::DIM
        )));
    }
    let end = P::from_fn(|a| P::Scalar::from_f64(lengths[a]));
    let bounds = Aabb::try_new(P::splat(P::Scalar::ZERO), end);
    let mut axes = P::axes(false);
    for (on, &length) in axes.as_mut().iter_mut().zip(lengths) {
        *on = length > 0.0;
    }
    let periodic = bounds
        .map_err(orthant::Error::from)
        .and_then(|bounds| Periodic::try_on_axes(bounds, axes));
    periodic.map_err(|error| refuse(error.to_string()))
}

/// Returns a well-mixed number.
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Returns a point of the unit box in one of a thousand clumps of uneven size. It depends on the id alone, so any rank can make any point. Every
/// other point lies anywhere, or all points do.
fn made<P: Vector>(id: u64, uniform: bool) -> P {
    let unit = |x: u64| (mix(x) >> 11) as f64 / (1_u64 << 53) as f64;
    let draw = |axis: usize, what: u64| unit(id.wrapping_mul(64) + what * 8 + axis as u64);
    let clump = (draw(0, 1).powi(3) * 1000.0) as u64;
    let out = 0.02 * draw(1, 1).powi(2);
    P::from_fn(|axis| {
        P::Scalar::from_f64(if uniform || id.is_multiple_of(2) {
            draw(axis, 0)
        } else {
            let at = unit(u64::MAX / 2 + clump * 64 + axis as u64);
            at + out * (draw(axis, 2) + draw(axis, 3) + draw(axis, 4) - 1.5)
        })
    })
}
