//! Points that are hard to part: who builds, how long it takes, and who answers right. Each
//! contestant is a child process with a time limit, since some fail, and some never end.

mod scenes;

use std::fmt::{self, Display, Formatter};
use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use std::{env, io};

use wait_timeout::ChildExt;

use crate::contestant::RadiusContestant;
use crate::contestants::register;
use crate::jobs::{Options, short};
use crate::points::{Set, centers};
use crate::race::{Kind, time};
use crate::table::{Entry, Row, Summary};
use crate::truth::Slabs;
use scenes::Scene;

/// How many times the build of the uniform set may be taken.
const LIMIT: f64 = 2.0;
const POINTS: usize = 100_000;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let mut most = (0.0, "");
    for scene in Scene::ALL {
        let name = format!("degenerate build {} {}", scene.name(), short(POINTS));
        if !options.wants(&name) {
            continue;
        }
        let (mut entries, mut failures, mut results) = (Vec::new(), Vec::new(), 0);
        for contestant in register(|c| c.radius3()) {
            if contestant.most_points < POINTS {
                continue;
            }
            let report = match ask(contestant.name, scene, options) {
                Ok(report) => report,
                Err(failure) => {
                    failures.push(format!("{}: {failure}", contestant.name));
                    if contestant.kind == Kind::Own {
                        summary.fault(format!("{failure} at {name}"));
                    }
                    continue;
                }
            };
            let times = report.times_uniform();
            if contestant.kind == Kind::Own && times > most.0 {
                most = (times, scene.name());
            }
            results = report.results;
            entries.push(Entry {
                name: contestant.name,
                kind: contestant.kind,
                differing: report.differing,
                note: format!("  {times:5.2} times uniform's"),
                samples: report.samples,
            });
        }
        summary.print(Row {
            name,
            unit: "ns a point",
            target: None,
            results,
            entries,
        });
        failures.iter().for_each(|failure| println!("  {failure}"));
    }
    let (times, scene) = most;
    println!("\nat most {times:.2} times uniform's build, of {scene}; limit {LIMIT}");
    if times > LIMIT {
        summary.fault(format!(
            "the build of {scene} takes {times:.2} times the uniform set's"
        ));
    }
    summary
}

/// What a child does: builds the scene and a uniform set in turn, asks, and prints its report.
pub(crate) fn alone(contestant: &str, options: &Options) -> ExitCode {
    let scene = Scene::ALL.into_iter().find(|s| s.name() == options.rows);
    let contestants = register(|c| c.radius3());
    let contestant = contestants.iter().find(|c| c.name == contestant);
    let (Some(scene), Some(contestant)) = (scene, contestant) else {
        return ExitCode::FAILURE;
    };
    println!("{}", Report::of(contestant, scene, options));
    ExitCode::SUCCESS
}

const QUERIES: usize = 32;
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Of one contestant.
struct Report {
    results: u64,
    differing: u64,
    /// Of the uniform set, in nanoseconds a point.
    uniform: f64,
    samples: Vec<f64>,
}

impl Report {
    fn of(contestant: &RadiusContestant<f32, 3>, scene: Scene, options: &Options) -> Self {
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
    fn times_uniform(&self) -> f64 {
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
fn ask(contestant: &str, scene: Scene, options: &Options) -> Result<Report, String> {
    let written = run_alone(contestant, scene, options).map_err(|error| error.to_string())?;
    let (output, complaint) = written?;
    Report::parse(&output).ok_or_else(|| {
        let lines = complaint.lines().map(str::trim);
        // Behind the place of a panic is what it says.
        let said = lines.skip_while(|l| !l.contains("panicked")).nth(1);
        format!("failed, {}", said.unwrap_or("without a word"))
    })
}

/// What a child wrote to standard output and to standard error.
type Written = Result<(String, String), String>;

fn run_alone(contestant: &str, scene: Scene, options: &Options) -> io::Result<Written> {
    let mut child = Command::new(env::current_exe()?)
        .args(["degenerate", "--alone", contestant, "--rows", scene.name()])
        .args(["--rounds", &options.rounds.to_string()])
        .args(["--seed", &options.seed.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if child.wait_timeout(TIME_LIMIT)?.is_none() {
        child.kill()?;
        child.wait()?;
        return Ok(Err(format!("not done after {} s", TIME_LIMIT.as_secs())));
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
