//! A dam breaks in a tank: water of 100 000 particles, whose neighbours a cell list finds in every step.

#[allow(dead_code, reason = "shared with other examples")]
#[path = "../shared/camera.rs"]
mod camera;
mod kernel;
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
mod view;
mod water;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame};
use indicatif::{ProgressBar, ProgressStyle};
use orthant::glam::Vec3;

use scene::Scene;
use shared::{create, unwritable, write_png};
use view::View;
use water::Water;

/// A dam breaks in a tank. The result does not depend on the number of threads.
#[derive(Debug, Parser)]
struct Args {
    /// Largest number of particles; as many are used as fill the dam in whole layers
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    particles: u32,
    /// Number of steps; the more particles, the shorter they are
    #[arg(long, default_value_t = 260, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Seed of the random shifts of the particles
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the particles after the last step: rows `x,y,z`
    #[arg(long, value_name = "OUT.csv")]
    dump: Option<PathBuf>,
    /// Draw the water after the last step
    #[arg(long, value_name = "OUT.png")]
    png: Option<PathBuf>,
    /// Draw an animation, with 25 pictures for each second
    #[arg(long, value_name = "OUT.gif")]
    gif: Option<PathBuf>,
    /// Write a page for a browser that shows the particles in space and time, colored by their number of neighbours
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
}

const ROWS: u32 = 10;
/// Seconds between the pictures of an animation.
const FRAME: f32 = 0.04;
const PNG_SIZE: [u32; 2] = [800, 420];
const GIF_SIZE: [u32; 2] = [480, 252];

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    // Files are created before the work, so that a bad path is reported at once.
    let dump = args.dump.as_deref().map(create).transpose()?;
    let png = args.png.as_deref().map(create).transpose()?;
    let mut film = args.gif.as_deref().map(Film::new).transpose()?;
    let html = args.html.as_deref().map(create).transpose()?;

    let mut water = Water::new(Scene::new(args.particles, args.seed));
    let mut table = Table::new(args.steps);
    table.head(&water)?;
    let mut view = html.is_some().then(|| View::new(&water, args.steps));
    for step in 1..=args.steps {
        if let Some(film) = &mut film {
            film.show((step - 1) as f32 * water.step, &water)?;
        }
        water.step();
        table.row(step, &water)?;
        if let Some(view) = &mut view {
            view.show(step, &water);
        }
    }
    table.bar.finish_and_clear();

    if let Some((mut file, path)) = dump {
        let positions = water.in_order();
        let mut rows = positions
            .iter()
            .map(|p| writeln!(file, "{},{},{}", p.x, p.y, p.z));
        rows.try_for_each(|row| row)
            .and_then(|()| file.flush())
            .map_err(|error| unwritable(path, &error))?;
    }
    if let Some((file, path)) = png {
        write_png(&picture::draw(&water, PNG_SIZE), file)
            .map_err(|error| unwritable(path, &error))?;
    }
    if let (Some((file, path)), Some(view)) = (html, view) {
        view.write(file).map_err(|error| unwritable(path, &error))?;
    }
    table.share(water.positions.len())?;
    writeln!(std::io::stdout(), "pairs {}", water.pairs())?;
    Ok(())
}

/// An animation, to which pictures are added as time goes on.
struct Film<'a> {
    encoder: GifEncoder<BufWriter<File>>,
    path: &'a Path,
    /// When the next picture is due.
    due: f32,
}

impl<'a> Film<'a> {
    fn new(path: &'a Path) -> Result<Self, Box<dyn Error>> {
        let (file, path) = create(path)?;
        let mut encoder = GifEncoder::new_with_speed(file, 10);
        encoder
            .set_repeat(Repeat::Infinite)
            .map_err(|error| unwritable(path, &error))?;
        Ok(Self {
            encoder,
            path,
            due: 0.0,
        })
    }

    fn show(&mut self, now: f32, water: &Water) -> Result<(), Box<dyn Error>> {
        if now < self.due {
            return Ok(());
        }
        self.due += FRAME;
        let picture = image::DynamicImage::from(picture::draw(water, GIF_SIZE));
        let delay = Delay::from_saturating_duration(Duration::from_secs_f32(FRAME));
        let frame = Frame::from_parts(picture.into_rgba8(), 0, 0, delay);
        self.encoder
            .encode_frame(frame)
            .map_err(|error| unwritable(self.path, &error))?;
        Ok(())
    }
}

/// The printed table, and the times that it shows.
struct Table {
    steps: u32,
    bar: ProgressBar,
    /// Times of the search and of the rest of a step: since the last row, and in all steps.
    since: [Duration; 2],
    all: [Duration; 2],
    last: u32,
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
            since: [Duration::ZERO; 2],
            all: [Duration::ZERO; 2],
            last: 0,
        }
    }

    fn head(&self, water: &Water) -> std::io::Result<()> {
        let Vec3 { x, y, z } = scene::TANK;
        self.print(&format!(
            "{} particles in a tank of {x} x {y} x {z} m, neighbours within {} m, steps of {:.2} ms",
            water.positions.len(),
            water.reach,
            1e3 * water.step,
        ))?;
        self.print(&format!(
            "{:>6} {:>7} {:>10} {:>10} {:>8} {:>8} {:>10} {:>10}",
            "step", "s", "search ms", "step ms", "front m", "top m", "squeezed %", "energy J"
        ))?;
        self.line(0, water)
    }

    fn row(&mut self, step: u32, water: &Water) -> std::io::Result<()> {
        for times in [&mut self.since, &mut self.all] {
            times[0] += water.search_time;
            times[1] += water.solver_time;
        }
        self.bar.inc(1);
        // Rows are spread evenly over the steps; the last step has one.
        let due = |step: u32| u64::from(step) * u64::from(ROWS) / u64::from(self.steps);
        if due(step) > due(step - 1) {
            self.line(step, water)?;
            (self.since, self.last) = (Default::default(), step);
        }
        Ok(())
    }

    fn line(&self, step: u32, water: &Water) -> std::io::Result<()> {
        let steps = f64::from((step - self.last).max(1));
        let mean = |time: Duration| 1e3 * time.as_secs_f64() / steps;
        let [search, rest] = self.since;
        let state = water.state();
        self.print(&format!(
            "{step:>6} {:>7.3} {:>10.3} {:>10.3} {:>8.3} {:>8.3} {:>10.3} {:>10.1}",
            step as f32 * water.step,
            mean(search),
            mean(search + rest),
            state.front,
            state.top,
            100.0 * state.squeezed,
            state.energy
        ))
    }

    /// Prints the share of the search in the time of all steps.
    fn share(&self, particles: usize) -> std::io::Result<()> {
        let [search, rest] = self.all.map(|time| time.as_secs_f64());
        let mut out = std::io::stdout();
        writeln!(
            out,
            "the search takes {:.1} % of a step: {:.0} ns a particle",
            100.0 * search / (search + rest),
            1e9 * search / (f64::from(self.steps) * particles as f64)
        )
    }

    fn print(&self, line: &str) -> std::io::Result<()> {
        self.bar.suspend(|| writeln!(std::io::stdout(), "{line}"))
    }
}
