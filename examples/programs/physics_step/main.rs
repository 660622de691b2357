//! Balls and crates of mixed sizes fall into a box and come to rest; `Broadphase` says which may touch.

#[path = "../shared/camera.rs"]
mod camera;
mod check;
mod dump;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/page.rs"]
mod page;
mod picture;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/scale.rs"]
mod scale;
mod scene;
#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/picture.rs"]
mod shared;
mod solver;
mod view;
mod world;

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use check::Check;
use scene::Scene;
use shared::{create, unwritable, write_png};
use view::Film;
use world::{STEP, State, World};

/// Balls and crates of mixed sizes fall into an open-topped box and come to rest. They do not rotate.
///
/// `orthant::Broadphase` finds which of them may touch, at every step of 1/60 s. The exit code is 1 if it missed a
/// pair or listed a wrong one, 2 on any other error.
#[derive(Debug, Parser)]
struct Args {
    /// Number of balls
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    balls: u32,
    /// Number of crates
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    boxes: u32,
    /// Number of steps: 200 bring some thousand bodies to rest, 400 bring 20 000
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Seed of the random bodies
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Compare the pairs with a scan of all pairs in every step, not only in the last
    #[arg(long)]
    check: bool,
    /// Write the bodies and the pairs of the last step: rows `ball,i,x,y,z,r`, `box,i,` with two
    /// corners, and `pair,i,j`
    #[arg(long, value_name = "OUT.csv")]
    dump: Option<PathBuf>,
    /// Draw the bodies after the last step
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,
    /// Write a page for a browser that shows the bodies in space and time, colored by their number of pairs
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
}

/// Largest overlap of bodies at rest, as a share of the smaller radius.
const REST_OVERLAP: f64 = 0.02;
/// Largest mean speed of bodies at rest, in metres per second.
const REST_SPEED: f64 = 0.01;
const ROWS: u32 = 10;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the program; returns whether all pairs were right.
fn run(args: &Args) -> Result<bool, Box<dyn Error>> {
    // Files are created before the work, so that a bad path is reported at once.
    let dump = args.dump.as_deref().map(create).transpose()?;
    let png = args.png.as_deref().map(create).transpose()?;
    let html = args.html.as_deref().map(create).transpose()?;

    let mut world = World::new(Scene::new(
        args.balls as usize,
        args.boxes as usize,
        args.seed,
    ));
    let mut check = Check::default();
    replay(&mut world, &mut check, |world| world.find_pairs(STEP));
    if args.check {
        check.compare(&world);
    }
    let start = world.state();
    let mut table = Table::new(args.steps);
    table.head(&world, &start)?;
    let mut film = html.is_some().then(|| Film::new(&world, args.steps));
    for step in 1..=args.steps {
        let last = step == args.steps;
        replay(&mut world, &mut check, |world| world.step(last));
        if args.check || last {
            check.compare(&world);
        }
        table.row(step, &world)?;
        if let Some(film) = &mut film {
            film.show(step, &world);
        }
    }
    table.bar.finish_and_clear();

    if let Some((file, path)) = dump {
        dump::write(&world, file).map_err(|error| unwritable(path, &error))?;
    }
    if let Some((file, path)) = png {
        write_png(&picture::draw(&world), file).map_err(|error| unwritable(path, &error))?;
    }
    if let (Some((file, path)), Some(film)) = (html, film) {
        film.write(file).map_err(|error| unwritable(path, &error))?;
    }
    summary(args, &start, &world.state(), &check)?;
    Ok(check.missed == 0 && check.spurious == 0)
}

fn replay(
    world: &mut World,
    check: &mut Check,
    update: impl FnOnce(&mut World) -> &[orthant::Event],
) {
    let events = update(world).to_vec();
    check.replay(&events, |event| {
        let (p, q) = event.pair();
        (world.number(p), world.number(q))
    });
}

fn summary(args: &Args, start: &State, end: &State, check: &Check) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let fallen = start.energy() - end.energy();
    writeln!(
        out,
        "deepest overlap {:.3} %, {fallen:.0} J of {:.0} J spent, mean speed {:.6} m/s",
        100.0 * end.overlap,
        start.energy(),
        end.speed
    )?;
    if end.overlap >= REST_OVERLAP || end.speed >= REST_SPEED {
        writeln!(out, "not at rest yet: give it more --steps")?;
    }
    if !args.check {
        writeln!(
            out,
            "compared with all pairs after the last step only; --check compares each step"
        )?;
    }
    writeln!(out, "missed {} spurious {}", check.missed, check.spurious)?;
    out.flush()
}

/// The printed table, and the times that it shows.
struct Table {
    steps: u32,
    bar: ProgressBar,
    /// Times since the last row.
    broadphase: Duration,
    solver: Duration,
    since: u32,
}

impl Table {
    fn new(steps: u32) -> Self {
        let style = ProgressStyle::with_template("{bar:40} step {pos} of {len}, {eta} left");
        // The bar is hidden unless standard error is a terminal.
        let bar =
            ProgressBar::new(steps.into()).with_style(style.expect("the template is well-formed"));
        Self {
            steps,
            bar,
            broadphase: Duration::ZERO,
            solver: Duration::ZERO,
            since: 0,
        }
    }

    fn head(&self, world: &World, start: &State) -> std::io::Result<()> {
        let tub = world.tub;
        self.print(&format!(
            "balls: {}, crates: {}, of radius {} to {} m, in a box {:.2} m wide, {:.2} m high",
            world.balls().count(),
            world.crates().count(),
            scene::RADII.0,
            scene::RADII.1,
            2.0 * tub.half,
            tub.rim
        ))?;
        self.print(&format!(
            "{:>6} {:>8} {:>13} {:>10} {:>10} {:>14} {:>14}",
            "step", "pairs", "broadphase ms", "step ms", "overlap %", "kinetic J", "energy J"
        ))?;
        self.line(0, world, start)
    }

    fn row(&mut self, step: u32, world: &World) -> std::io::Result<()> {
        self.broadphase += world.broadphase_time;
        self.solver += world.solver_time;
        self.since += 1;
        self.bar.inc(1);
        // Rows are spread evenly over the steps; the last step has one.
        let due = |step: u32| u64::from(step) * u64::from(ROWS) / u64::from(self.steps);
        if due(step) > due(step - 1) {
            self.line(step, world, &world.state())?;
            (self.broadphase, self.solver, self.since) = Default::default();
        }
        Ok(())
    }

    fn line(&self, step: u32, world: &World, state: &State) -> std::io::Result<()> {
        let mean = |time: Duration| 1e3 * time.as_secs_f64() / f64::from(self.since.max(1));
        self.print(&format!(
            "{step:>6} {:>8} {:>13.3} {:>10.3} {:>10.3} {:>14.3} {:>14.3}",
            world.pairs().len(),
            mean(self.broadphase),
            mean(self.broadphase + self.solver),
            100.0 * state.overlap,
            state.kinetic,
            state.energy()
        ))
    }

    fn print(&self, line: &str) -> std::io::Result<()> {
        self.bar.suspend(|| writeln!(std::io::stdout(), "{line}"))
    }
}
