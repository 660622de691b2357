//! Writes the bodies and pairs of the example `physics_step`, step by step, to a file for the viewer of rerun.io:
//! `cargo run -- pile.rrd`, then `pip install rerun-sdk==0.36.3` and `rerun pile.rrd`.

#[allow(dead_code, reason = "some items are used by `physics_step` only")]
#[path = "../../programs/physics_step/scene.rs"]
mod scene;
#[allow(dead_code, reason = "some items are used by `physics_step` only")]
#[path = "../../programs/physics_step/solver.rs"]
mod solver;
#[allow(dead_code, reason = "some items are used by `physics_step` only")]
#[path = "../../programs/physics_step/world.rs"]
mod world;

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use orthant::glam::DVec3;
use orthant::{Bounded, Volume};
use rerun::{Boxes3D, Color, LineStrips3D, Points3D, RecordingStream, Scalars, ViewCoordinates};

use scene::Scene;
use world::{STEP, World};

/// Balls and crates fall into a box and come to rest; each step goes to a file for the viewer of rerun.io: the bodies,
/// colored by their number of pairs, a line for each pair, and how many pairs there are.
#[derive(Debug, Parser)]
struct Args {
    /// File to write
    #[arg(value_name = "OUT.rrd")]
    file: PathBuf,
    /// Number of balls
    #[arg(long, default_value_t = 700)]
    balls: u32,
    /// Number of crates
    #[arg(long, default_value_t = 300)]
    boxes: u32,
    /// Number of steps
    #[arg(long, default_value_t = 200)]
    steps: u32,
    /// Seed of the random bodies
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let to = rerun::RecordingStreamBuilder::new("orthant_physics_step").save(&args.file)?;
    let scene = Scene::new(args.balls as usize, args.boxes as usize, args.seed);
    let mut world = World::new(scene);
    to.log_static("/", &ViewCoordinates::RIGHT_HAND_Z_UP())?;
    log_tub(&to, &world)?;
    world.find_pairs(STEP);
    log(&to, 0, &world)?;
    for step in 1..=args.steps {
        world.step(step == args.steps);
        log(&to, step, &world)?;
    }
    to.flush_blocking()?;
    println!("pairs {}", world.pairs().len());
    Ok(())
}

fn floats(at: DVec3) -> [f32; 3] {
    at.as_vec3().to_array()
}

/// Logs the edges of the box that the bodies fall into.
fn log_tub(to: &RecordingStream, world: &World) -> Result<(), Box<dyn Error>> {
    let (half, rim) = (world.tub.half as f32, world.tub.rim as f32);
    let tub =
        Boxes3D::from_centers_and_half_sizes([[0.0, 0.0, rim / 2.0]], [[half, half, rim / 2.0]]);
    Ok(to.log_static("tub", &tub.with_colors([Color::from_rgb(130, 140, 150)]))?)
}

fn log(to: &RecordingStream, step: u32, world: &World) -> Result<(), Box<dyn Error>> {
    to.set_time_sequence("step", step);
    to.set_duration_secs("time", f64::from(step) * STEP);

    let mut bodies: Vec<Option<Volume<DVec3>>> = vec![None; world.first_mover()];
    bodies.extend(world.movers().map(|(_, body)| Some(body)));
    let center = |number: usize| bodies[number].map(|body| floats(body.bounds().center()));
    let mut counts = vec![0_u32; bodies.len()];
    let mut lines = Vec::new();
    for (p, q) in world.pairs() {
        let (p, q) = (world.number(p), world.number(q));
        counts[p] += 1;
        counts[q] += 1;
        // Floor and walls have no center: pairs with them get no line.
        lines.extend(center(p).zip(center(q)).map(|(from, to)| [from, to]));
    }
    let color = |number: usize| {
        let height = 0.06 + 0.92 * (f64::from(counts[number]) / 12.0).min(1.0);
        let color = colorous::TURBO.eval_continuous(height);
        Color::from_rgb(color.r, color.g, color.b)
    };

    let balls = Points3D::new(world.balls().map(|(_, ball)| floats(ball.center())));
    let balls = balls.with_radii(world.balls().map(|(_, ball)| ball.radius() as f32));
    to.log(
        "bodies/balls",
        &balls.with_colors(world.balls().map(|(i, _)| color(i))),
    )?;

    let crates = Boxes3D::from_centers_and_half_sizes(
        world.crates().map(|(_, bounds)| floats(bounds.center())),
        world
            .crates()
            .map(|(_, bounds)| floats(0.5 * bounds.size())),
    );
    let crates = crates.with_fill_mode(rerun::FillMode::Solid);
    to.log(
        "bodies/crates",
        &crates.with_colors(world.crates().map(|(i, _)| color(i))),
    )?;

    to.log(
        "pairs",
        &LineStrips3D::new(lines).with_colors([Color::from_rgb(255, 255, 255)]),
    )?;
    Ok(to.log("count", &Scalars::single(world.pairs().len() as f64))?)
}
