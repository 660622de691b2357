use std::fmt::{self, Display, Formatter};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, io};

use wait_timeout::ChildExt;

use super::POINTS;
use super::scenes::Scene;
use crate::bench::time;
use crate::contestant::RadiusContestant;
use crate::jobs::Options;
use crate::points::{Set, centers};
use crate::truth::Slabs;

const QUERIES: usize = 32;
const LIMIT: Duration = Duration::from_secs(10);

/// Of one contestant.
pub(super) struct Report {
    pub(super) results: u64,
    pub(super) differing: u64,
    /// Of the uniform set, in nanoseconds a point.
    uniform: f64,
    pub(super) samples: Vec<f64>,
}

impl Report {
    pub(super) fn of(
        contestant: &RadiusContestant<f32, 3>,
        scene: Scene,
        options: &Options,
    ) -> Self {
        let points = scene.points(POINTS, options.seed);
        let uniform: Vec<_> = Set::UNIFORM.points(POINTS, options.seed);
        let centers = centers(&points, QUERIES, options.seed + 1);
        let truth = Slabs::new(&points).within(&centers, scene.radius());
        let mut built = (contestant.build)(&points, scene.radius());
        let answers = built.answers(&centers, scene.radius());
        let build = |points: &[[f32; 3]], radius| {
            let (_built, taken) = time(|| (contestant.build)(points, radius));
            taken / POINTS as f64
        };
        // As wide as makes some dozens of results.
        let usual = 0.04;
        let rounds =
            (0..options.rounds).map(|_| (build(&uniform, usual), build(&points, scene.radius())));
        let (uniforms, samples): (Vec<_>, Vec<_>) = rounds.unzip();
        Self {
            results: truth.results(),
            differing: answers.differing(&truth),
            uniform: uniforms.into_iter().fold(f64::INFINITY, f64::min),
            samples,
        }
    }

    /// How many times the uniform set's build, least against least.
    pub(super) fn times_uniform(&self) -> f64 {
        self.samples.iter().copied().fold(f64::INFINITY, f64::min) / self.uniform
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        Some(Self {
            results: words.next()?.parse().ok()?,
            differing: words.next()?.parse().ok()?,
            uniform: words.next()?.parse().ok()?,
            samples: words.map_while(|word| word.parse().ok()).collect(),
        })
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.results, self.differing, self.uniform)?;
        self.samples
            .iter()
            .try_for_each(|taken| write!(f, " {taken}"))
    }
}

/// Runs a contestant in a process of its own.
pub(super) fn ask(contestant: &str, scene: Scene, options: &Options) -> Result<Report, String> {
    let told = run(contestant, scene, options).map_err(|error| error.to_string())?;
    let (output, complaint) = told?;
    Report::parse(&output).ok_or_else(|| {
        let lines = complaint.lines().map(str::trim);
        // Behind the place of a panic is what it says.
        let said = lines.skip_while(|l| !l.contains("panicked")).nth(1);
        format!("failed, {}", said.unwrap_or("without a word"))
    })
}

type Told = Result<(String, String), String>;

fn run(contestant: &str, scene: Scene, options: &Options) -> io::Result<Told> {
    let mut child = Command::new(env::current_exe()?)
        .args(["degenerate", "--alone", contestant, "--rows", scene.name()])
        .args(["--rounds", &options.rounds.to_string()])
        .args(["--seed", &options.seed.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if child.wait_timeout(LIMIT)?.is_none() {
        child.kill()?;
        child.wait()?;
        return Ok(Err(format!("not done after {} s", LIMIT.as_secs())));
    }
    let (mut output, mut complaint) = (String::new(), String::new());
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut output)?;
    }
    if let Some(mut pipe) = child.stderr.take() {
        pipe.read_to_string(&mut complaint)?;
    }
    Ok(Ok((output, complaint)))
}
