//! Counts the neighbours of each point of a file within a radius.
//!
//! The counts do not depend on the structure: every structure gives the answers of the linear scan.

mod globe;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/page.rs"]
mod page;
mod picture;
mod read;
#[path = "../shared/scale.rs"]
mod scale;
mod search;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/picture.rs"]
mod shared;
mod summary;
mod table;
mod view;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use orthant::glam::{DVec2, DVec3, Vec2, Vec3};
use orthant::{Periodic, Scalar, Vector};

use crate::read::{Cloud, Precision};
use crate::search::Structure;

type Failure = Box<dyn Error + Send + Sync>;

/// Default radius for the lidar tile, in feet: a point has about 18 neighbours.
const TILE_RADIUS: f64 = 5.0;

/// Counts the neighbours of each point within a radius.
///
/// A neighbour lies at a distance of at most R; the point itself is not counted. The last line is
/// `pairs N`, the number of pairs of points within R of each other, which is the same for every
/// structure.
#[derive(Debug, Parser)]
#[command(name = "neighbours")]
struct Args {
    /// Points: .las .laz .ply .xyz .csv .txt .f32.bin .f64.bin
    ///
    /// LAS coordinates are taken relative to the minimum that the file's header states. A text file has its
    /// coordinates in the columns x, y, z or longitude, latitude of its header line, in those of --columns, or,
    /// without a header line, in the first columns. Raw files hold little-endian numbers, x y z (with --dim 2, x y)
    /// of one point after the other. Without FILE, the points are a lidar tile of 110 000 points, in feet.
    #[arg(requires = "radius")]
    file: Option<PathBuf>,

    /// Neighbours lie at most this far away [default for the lidar tile: 5]
    #[arg(long, short, value_name = "R", allow_negative_numbers = true)]
    radius: Option<f64>,

    /// Number of dimensions; 2 leaves out z
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    dim: u8,

    /// Structure that answers the queries
    #[arg(long, value_enum, default_value_t = Structure::Octree)]
    structure: Structure,

    /// Lengths of a periodic box with a corner at 0; an axis with length 0 is not periodic
    ///
    /// A pair counts once for each image within the radius. Images of the point itself count too.
    #[arg(
        long,
        value_name = "LX,LY[,LZ]",
        value_delimiter = ',',
        conflicts_with = "cell"
    )]
    periodic: Option<Vec<f64>>,

    /// Edge vectors of a periodic cell, which may be skewed
    #[arg(
        long,
        value_name = "AX,AY,AZ,BX,…",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    cell: Option<Vec<f64>>,

    /// Measure along great circles, with R in km; the file has longitudes and latitudes in degrees
    ///
    /// The globe has the earth's mean radius, 6371.0088 km. --dim has no effect.
    #[arg(long, requires = "file", conflicts_with_all = ["periodic", "cell"])]
    great_circle: bool,

    /// Type of the numbers in the arithmetic [default: that of the file; text and LAS are f64]
    #[arg(long, value_enum)]
    precision: Option<Precision>,

    /// Columns of a text file, as names or counted from 1
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',')]
    columns: Option<Vec<String>>,

    /// Draw the points from above, colored by their number of neighbours
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,

    /// Write a page for a browser that shows the points in space, in the same colors
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,

    /// Write each point with its number of neighbours (LAS: relative coordinates)
    #[arg(long, value_name = "OUT.csv")]
    csv: Option<PathBuf>,
}

fn main() -> ExitCode {
    match start(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Messages of libraries may span lines.
            let message = failure.to_string();
            let lines: Vec<_> = message.lines().map(str::trim).collect();
            eprintln!("error: {}", lines.join(" "));
            ExitCode::FAILURE
        }
    }
}

fn start(args: &Args) -> Result<(), Failure> {
    let radius = args.radius.unwrap_or(TILE_RADIUS);
    search::check_radius(radius, args.precision)?;
    let dim = if args.great_circle {
        2
    } else {
        args.dim.into()
    };
    let (name, cloud) = match &args.file {
        Some(path) => (
            path.display().to_string(),
            read::file(path, dim, args.columns.as_deref())?,
        ),
        None if args.columns.is_some() => return Err("--columns needs a text FILE".into()),
        None => ("lidar tile autzen_trim.laz".to_owned(), read::tile()?),
    };
    let precision = args.precision.unwrap_or(cloud.precision);
    search::check_radius(radius, Some(precision))?;

    if args.great_circle {
        return run_on_globe(args, &name, &cloud, radius);
    }
    match (dim, precision) {
        (2, Precision::F32) => run::<Vec2>(args, &name, &cloud, radius),
        (2, Precision::F64) => run::<DVec2>(args, &name, &cloud, radius),
        (_, Precision::F32) => run::<Vec3>(args, &name, &cloud, radius),
        (_, Precision::F64) => run::<DVec3>(args, &name, &cloud, radius),
    }
}

fn run<V: Vector>(args: &Args, name: &str, cloud: &Cloud, radius: f64) -> Result<(), Failure> {
    let points: Vec<V> = cloud.points()?;
    let radius = V::Scalar::from_f64(radius);
    let out = &mut io::stdout().lock();
    let (count, dim) = (points.len(), V::DIM);
    let scalar = std::any::type_name::<V::Scalar>();
    writeln!(out, "{name}: {count} points, dimension {dim}, {scalar}")?;
    if let Some([x, y, z]) = cloud.origin {
        writeln!(
            out,
            "coordinates relative to the header's minimum {x}, {y}, {z}"
        )?;
    }

    let periodic = match (&args.periodic, &args.cell) {
        (Some(lengths), _) => Some(search::periodic(lengths)?),
        (_, Some(vectors)) => Some(search::cell(vectors)?),
        _ => None,
    };

    report(args, out, &points, &points, (radius, radius), periodic)
}

fn run_on_globe(args: &Args, name: &str, cloud: &Cloud, km: f64) -> Result<(), Failure> {
    if args.precision == Some(Precision::F32) {
        return Err("--great-circle computes in f64".into());
    }
    let degrees: Vec<DVec2> = cloud.points()?;
    let places = globe::places(&degrees)?;
    let out = &mut io::stdout().lock();
    let many = places.len();
    writeln!(
        out,
        "{name}: {many} points on the globe, distances in km, f64"
    )?;
    report(args, out, &degrees, &places, (km, globe::chord(km)), None)
}

/// Counts the neighbours and prints the results. `points` and `radius` are in the units of the input; `compared` and
/// `reach` are those that the structure takes.
fn report<V: Vector, W: Vector>(
    args: &Args,
    out: &mut impl Write,
    points: &[V],
    compared: &[W],
    (radius, reach): (V::Scalar, W::Scalar),
    periodic: Option<Periodic<W>>,
) -> Result<(), Failure> {
    let start = Instant::now();
    let index = search::build(args.structure, compared, reach, periodic)?;
    let built = start.elapsed();

    let start = Instant::now();
    let counts = index(reach)?;
    let queried = start.elapsed();

    writeln!(
        out,
        "{}: built in {built:.1?}, queried in {queried:.1?} on {} threads",
        args.structure.title(W::DIM),
        rayon::current_num_threads(),
    )?;
    summary::print(out, &counts, radius)?;

    if let Some(path) = &args.png {
        picture::draw(path, points, &counts)?;
        writeln!(out, "picture in {}", path.display())?;
    }
    if let Some(path) = &args.html {
        let unit = if args.great_circle { " km" } else { "" };
        view::write(path, compared, &counts, &format!("{radius}{unit}"))?;
        writeln!(out, "page in {}", path.display())?;
    }
    if let Some(path) = &args.csv {
        table::write(path, points, &counts)?;
        writeln!(out, "table in {}", path.display())?;
    }
    writeln!(out, "pairs {}", search::pairs(&counts))?;
    Ok(())
}
