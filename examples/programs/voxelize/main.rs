//! Lists the voxels that a shape meets, by any rule, and writes them as a scene, points, a mesh, a
//! `NumPy` array or pictures.

mod cloud;
mod kind;
mod output;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/page.rs"]
mod page;
mod picture;
#[allow(dead_code, reason = "all that another example reads")]
#[path = "../neighbours/read.rs"]
mod read;
mod request;
mod rule;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/scale.rs"]
mod scale;
mod scene;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/picture.rs"]
mod shared;
mod view;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use kind::Kind;
use output::Scene;
use request::Request;
use rule::Rule;

type Failure = Box<dyn Error + Send + Sync>;

/// Lists the voxels that a shape meets.
///
/// By default only the surface of the shape counts, with --solid all of it. The last line of the output is `voxels
/// N`.
#[derive(Parser)]
struct Args {
    /// Radius of the sphere, the circle, the capsule or the balls of a cloud, 0 or more
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Center of the shape, or the place of the camera for a frustum [default: 0 on each axis]
    #[arg(
        long,
        value_name = "X,Y[,Z]",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    center: Option<Vec<f64>>,
    /// sphere, circle, ellipsoid:A,B[,C] (semi-axes), box:A,B[,C] (edge lengths), oriented:A,B,C (a box turned by
    /// --turn), frustum:DEGREES,NEAR,FAR (the view of a camera that looks along -z, turned by --turn), capsule:X,Y,Z
    /// (the path of a ball) or cloud:FILE (balls around the points of a file)
    #[arg(long, default_value = "sphere")]
    shape: Kind,
    /// Angle in degrees by which an oriented box or a frustum is turned about the axis (1, 1, 1)
    #[arg(
        long,
        value_name = "DEGREES",
        default_value_t = 30.0,
        allow_negative_numbers = true
    )]
    turn: f64,
    /// Edge of a voxel; voxel 0 has its lower corner at the origin
    #[arg(
        long,
        value_name = "S",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    voxel: f64,
    /// List the whole shape instead of its surface
    #[arg(long)]
    solid: bool,
    /// Which voxels are listed: closed (all that touch the shape), half-open (each point has one voxel), center (the
    /// center lies in the shape), thin (the thinnest surface without gaps between faces), shell:T (within T/2 of the
    /// shape) or band:W (centers nearer than W)
    #[arg(long, default_value = "closed")]
    rule: Rule,
    /// Write a scene for voxel editors, in models of at most 256 voxels a side
    #[arg(long, value_name = "OUT.vox")]
    vox: Option<PathBuf>,
    /// Write a picture; in 3D the octant towards the viewer is cut away
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,
    /// Write a page for a browser that shows the voxels in space
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    /// Pixels on the longer side of what is drawn; a margin is added
    #[arg(long, value_name = "PIXELS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(16..=8000))]
    side: u32,
    /// Write in the format of the extension: .vox, .png, .ply (centers), .obj (mesh) or .npy (a block of booleans,
    /// the last axis first); may be given several times
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Write the surface of the voxels as a mesh, .obj or .ply
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Write a picture of each layer of voxels into a folder
    #[arg(long, value_name = "FOLDER")]
    slices: Option<PathBuf>,
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
    if args.radius.is_some() && !args.shape.is_round() {
        eprintln!("note: --radius says nothing about this shape");
    }
    let Rule(rule) = args.rule;
    let start = Instant::now();
    let request = Request::new(
        args.shape,
        args.radius,
        args.center,
        args.turn,
        args.voxel,
        rule,
    )?;
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
    println!("grid   voxel {}, {}, f64", args.voxel, args.rule);
    println!("rows   {rows}");
    println!("spans  {spans}");
    println!("time   {:.3} ms", time.as_secs_f64() * 1e3);

    let by_extension = |name: &'static str| {
        let named = move |path: &&PathBuf| output::extension(path) == name;
        args.out.iter().filter(named)
    };
    for path in args.vox.iter().chain(by_extension("vox")) {
        let bar = progress("writing the scene", request.slabs());
        let models = scene::write(path, &request, args.solid, voxels, &bar)?;
        bar.finish_and_clear();
        wrote(
            path,
            &format!("{models} {}", if models == 1 { "model" } else { "models" }),
        );
    }
    for path in args.png.iter().chain(by_extension("png")) {
        let bar = progress("drawing", request.slabs());
        let (width, height) = picture::write(path, &request, args.solid, args.side, &bar)?;
        bar.finish_and_clear();
        wrote(path, &format!("{width} x {height}"));
    }
    if let Some(path) = &args.html {
        wrote(path, &view::write(path, &request, args.solid, voxels)?);
    }
    let is_left = |path: &&PathBuf| !matches!(output::extension(path).as_str(), "vox" | "png");
    let others: Vec<&PathBuf> = args.out.iter().filter(is_left).collect();
    if others.is_empty() && args.mesh.is_none() && args.slices.is_none() {
        return Ok(voxels);
    }
    let set = request.bricks(args.solid)?;
    let scene = Scene {
        set: &set,
        voxel: request.voxel(),
        dim: request.dim(),
    };
    for path in others {
        wrote(path, &output::write(path, &scene)?);
    }
    if let Some(path) = &args.mesh {
        wrote(path, &output::mesh(path, &scene)?);
    }
    if let Some(folder) = &args.slices {
        wrote(folder, &output::slices(folder, &scene)?);
    }
    Ok(voxels)
}

fn wrote(path: &Path, what: &str) {
    println!("wrote  {} ({what})", path.display());
}

/// A progress bar on standard error, hidden unless that is a terminal.
fn progress(what: &'static str, slabs: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent}% {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(slabs).with_style(style).with_message(what)
}
