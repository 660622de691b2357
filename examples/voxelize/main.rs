//! Lists the voxels that a sphere, circle, ellipsoid or box meets, and writes them as a `.vox` scene
//! or a picture.

mod picture;
mod request;
mod scene;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use request::{Kind, Request};

/// The voxels that a sphere, circle, ellipsoid or box meets.
///
/// Lists the surface of the shape, or all of it with --solid. The last line of the output is
/// `voxels N`.
#[derive(Parser)]
struct Args {
    /// Radius of the sphere or circle, 0 or more
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Centre of the shape [default: 0 on each axis]
    #[arg(
        long,
        value_name = "X,Y[,Z]",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    center: Option<Vec<f64>>,
    /// sphere, circle, ellipsoid:A,B[,C] (semi-axes) or box:A,B[,C] (edge lengths)
    #[arg(long, default_value = "sphere")]
    shape: Kind,
    /// Edge of a voxel; voxel 0 has its lower corner at the origin
    #[arg(
        long,
        value_name = "S",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    voxel: f64,
    /// The whole shape instead of its surface
    #[arg(long)]
    solid: bool,
    /// Whether a voxel owns its upper faces
    #[arg(long, value_enum, default_value_t = Rule::Closed)]
    rule: Rule,
    /// Write a scene for voxel editors, in models of at most 256 voxels a side
    #[arg(long, value_name = "OUT.vox")]
    vox: Option<PathBuf>,
    /// Write a picture; in 3D the octant towards the viewer is cut away
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Rule {
    /// Touching counts: a surface through a face has voxels on both sides
    Closed,
    /// Each point of the shape belongs to one voxel
    HalfOpen,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(voxels) => {
            println!("voxels {voxels}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<u64, String> {
    let rule = match args.rule {
        Rule::Closed => orthant::Rule::Closed,
        Rule::HalfOpen => orthant::Rule::HalfOpen,
    };
    if args.radius.is_some() && matches!(args.shape, Kind::Ellipsoid(_) | Kind::Box(_)) {
        eprintln!("note: --radius says nothing about this shape");
    }
    let request = Request::new(args.shape, args.radius, args.center, args.voxel, rule)?;

    let start = Instant::now();
    let bar = progress("listing", request.slabs());
    let (mut voxels, mut rows, mut spans) = (0, 0, 0);
    let (mut row, mut slab) = (None, None);
    request.each_span(args.solid, |span| {
        voxels += u64::from(span.len());
        spans += 1;
        if row != Some((span.y, span.z)) {
            row = Some((span.y, span.z));
            rows += 1;
        }
        if slab != Some(request.slab(&span)) {
            slab = Some(request.slab(&span));
            bar.inc(1);
        }
    })?;
    bar.finish_and_clear();
    let time = start.elapsed();

    let what = if args.solid { "solid" } else { "surface" };
    println!("shape  {request}, {what}");
    let named = match args.rule {
        Rule::Closed => "closed",
        Rule::HalfOpen => "half-open",
    };
    println!("grid   voxel {}, {named}, f64", args.voxel);
    println!("rows   {rows}");
    println!("spans  {spans}");
    println!("time   {:.3} ms", time.as_secs_f64() * 1e3);
    if let Some(path) = &args.vox {
        let bar = progress("writing the scene", request.slabs());
        let models = scene::write(path, &request, args.solid, voxels, &bar)?;
        bar.finish_and_clear();
        println!(
            "wrote  {} ({models} {})",
            path.display(),
            if models == 1 { "model" } else { "models" }
        );
    }
    if let Some(path) = &args.png {
        let bar = progress("drawing", request.slabs());
        let (width, height) = picture::write(path, &request, args.solid, &bar)?;
        bar.finish_and_clear();
        println!("wrote  {} ({width} x {height})", path.display());
    }
    Ok(voxels)
}

/// A bar on standard error, which shows itself only on a terminal.
fn progress(what: &'static str, slabs: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(slabs).with_style(style).with_message(what)
}
