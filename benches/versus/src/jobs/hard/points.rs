//! Hard sets of points: counts in balls that just reach the tenth nearest point, the nearest point, and the eight nearest; and builds,
//! which are the job `degenerate`.

use super::{Found, TARGET};
use crate::contestant::{Contestant, NearestRun};
use crate::contestants::register;
use crate::jobs::alone::{Report, ask};
use crate::jobs::nearest::SEVERAL;
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::hard::HardSet;
use crate::points::{Set, centers};
use crate::race::{Kind, time};
use crate::table::Row;
use crate::truth::{Slabs, distance_sq};

const POINTS: usize = QUICK_SIZE;
const QUERIES: usize = 160;
/// The number of points in a ball, not counting further points as near as the last.
const FOUND: usize = 10;

/// A question about a set is a row of `hard`, or of `degenerate`.
type Asked = (HardSet, Question);

pub(super) fn run(options: &Options, found: &mut Found) {
    for (set, question) in queries() {
        run_row((set, question), options, found);
    }
}

/// Builds all sets. Returns the most times as long as the uniform set that ours takes, with the set.
pub(super) fn run_builds(options: &Options, found: &mut Found) -> (f64, &'static str) {
    let rows = builds().map(|row| (run_row(row, options, found), row.0.name()));
    rows.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
}

/// Returns our time divided by that for the uniform set, or 0 if the row does not run.
fn run_row((set, question): Asked, options: &Options, found: &mut Found) -> f64 {
    let name = name(set, question);
    if !options.wants(&name) {
        return 0.0;
    }
    let (mut entries, mut failures) = (Vec::new(), Vec::new());
    let (mut results, mut times) = (0, 0.0);
    for (contestant, kind) in question.contestants() {
        match ask(contestant, &name, options) {
            Ok(report) => {
                if kind == Kind::Own {
                    (results, times) = (report.results, report.times_uniform());
                }
                entries.push(report.entry(contestant, kind));
            }
            Err(failure) if kind == Kind::Own => {
                found.summary.fault(format!("{failure} at {name}"));
            }
            Err(failure) => failures.push(format!("{contestant}: {failure}")),
        }
    }
    let (unit, target) = question.unit_and_target();
    let row = Row {
        name,
        unit,
        target,
        results,
        entries,
    };
    found.print(row, times);
    failures.iter().for_each(|failure| println!("  {failure}"));
    times
}

/// Runs one contestant at the row that the options name.
pub(super) fn report(contestant: &str, options: &Options) -> Option<Report> {
    let mut rows = queries().chain(builds());
    let (set, question) = rows.find(|&(set, question)| name(set, question) == options.rows)?;
    question.report(contestant, set, options)
}

fn queries() -> impl Iterator<Item = Asked> {
    let sets = HardSet::TO_ASK.into_iter();
    sets.flat_map(|set| Question::TO_ASK.map(|question| (set, question)))
}

fn builds() -> impl Iterator<Item = Asked> {
    HardSet::TO_BUILD
        .into_iter()
        .map(|set| (set, Question::Build))
}

fn name(set: HardSet, question: Question) -> String {
    format!("{} {} {}", question.name(), set.name(), short(POINTS))
}

#[derive(Clone, Copy)]
enum Question {
    Count,
    Nearest,
    Several,
    /// The job `degenerate`.
    Build,
}

impl Question {
    const TO_ASK: [Self; 3] = [Self::Count, Self::Nearest, Self::Several];

    fn name(self) -> &'static str {
        match self {
            Self::Count => "hard count k=10",
            Self::Nearest => "hard nearest n=1",
            Self::Several => "hard nearest n=8",
            Self::Build => "degenerate build",
        }
    }

    fn unit_and_target(self) -> (&'static str, Option<f64>) {
        match self {
            Self::Build => ("ns a point", None),
            _ => ("ns a query", Some(TARGET)),
        }
    }

    fn contestants(self) -> Vec<(&'static str, Kind)> {
        fn named<R: ?Sized>(
            register: &[Contestant<f32, 3, R>],
            one_radius: bool,
        ) -> Vec<(&'static str, Kind)> {
            let fit = register
                .iter()
                .filter(|c| c.most_points >= POINTS && (one_radius || !c.one_radius));
            fit.map(|c| (c.name, c.kind)).collect()
        }
        match self {
            // Structures for one radius cannot be built for these sets.
            Self::Count => named(&register(|c| c.radius3), false),
            Self::Nearest => named(&register(|c| c.nearest3), false),
            Self::Several => named(&register(|c| c.nearest_n3), false),
            Self::Build => named(&register(|c| c.radius3), true),
        }
    }

    fn report(self, contestant: &str, set: HardSet, options: &Options) -> Option<Report> {
        let uniform: Vec<[f32; 3]> = Set::UNIFORM.points(POINTS, options.seed);
        let points = set.points(POINTS, options.seed);
        let near = set.centers(&points, QUERIES, options.seed + 1);
        let anywhere = centers(&uniform, QUERIES, options.seed + 1);
        let sets = [Sample::new(uniform, anywhere), Sample::new(points, near)];
        let nearest = |register: &[Contestant<f32, 3, dyn NearestRun<f32, 3>>], n| {
            measure(
                register,
                contestant,
                &sets,
                options,
                |runner, set| {
                    let truth = set.slabs.nearest(&set.centers, n);
                    let answers = runner.answers(&set.points, &set.centers);
                    (truth.results(), answers.differing(&truth))
                },
                |runner, set, ids| runner.run(&set.centers, ids),
            )
        };
        match self {
            Self::Nearest => nearest(&register(|c| c.nearest3), 1),
            Self::Several => nearest(&register(|c| c.nearest_n3), SEVERAL),
            Self::Build => report_build(contestant, set, options),
            Self::Count => measure(
                &register(|c| c.radius3),
                contestant,
                &sets,
                options,
                |runner, set| {
                    let (mut results, mut differing) = (0, 0);
                    for (center, radius) in set.balls() {
                        let truth = set.slabs.within(&[center], radius);
                        results += truth.results();
                        differing += runner.answers(&[center], radius).differing(&truth);
                    }
                    (results, differing)
                },
                |runner, set, _| {
                    let balls = set.balls();
                    balls.map(|(c, radius)| runner.count(&[c], radius)).sum()
                },
            ),
        }
    }
}

/// Runs a contestant at the uniform set and the hard one in turn. `check` returns the number of results of the hard set, and
/// the number of those that differ.
fn measure<R: ?Sized>(
    register: &[Contestant<f32, 3, R>],
    contestant: &str,
    sets: &[Sample; 2],
    options: &Options,
    check: impl Fn(&mut R, &Sample) -> (u64, u64),
    run: impl Fn(&mut R, &Sample, &mut Vec<u32>) -> u64,
) -> Option<Report> {
    let contestant = register.iter().find(|c| c.name == contestant)?;
    let mut runners = sets
        .each_ref()
        .map(|set| (contestant.build)(&set.points, 0.0));
    let (results, differing) = check(&mut runners[1], &sets[1]);
    let (mut samples, mut ids) = ([Vec::new(), Vec::new()], Vec::new());
    // The first round warms up.
    for round in 0..=options.rounds {
        for (i, samples) in samples.iter_mut().enumerate() {
            let (_, taken) = time(|| run(&mut runners[i], &sets[i], &mut ids));
            if round > 0 {
                samples.push(taken / QUERIES as f64);
            }
        }
    }
    let [uniform, samples] = samples;
    Some(Report {
        results,
        differing,
        uniform: uniform.into_iter().fold(f64::INFINITY, f64::min),
        samples,
    })
}

/// The number of queries that check a build.
const CHECKED: usize = 32;

/// Builds a contestant from the set and from a uniform one in turn, and checks queries.
fn report_build(contestant: &str, set: HardSet, options: &Options) -> Option<Report> {
    let register = register(|c| c.radius3);
    let contestant = register.iter().find(|c| c.name == contestant)?;
    let points = set.points(POINTS, options.seed);
    let uniform: Vec<_> = Set::UNIFORM.points(POINTS, options.seed);
    let centers = centers(&points, CHECKED, options.seed + 1);
    let truth = Slabs::new(&points).within(&centers, set.radius());
    let mut built = (contestant.build)(&points, set.radius());
    let answers = built.answers(&centers, set.radius());
    let build = |points: &[[f32; 3]], radius| {
        let (_built, taken) = time(|| (contestant.build)(points, radius));
        taken / POINTS as f64
    };
    // A ball of this radius has some dozens of points.
    let usual = 0.04;
    let rounds =
        (0..options.rounds).map(|_| (build(&uniform, usual), build(&points, set.radius())));
    let (uniforms, samples): (Vec<_>, Vec<_>) = rounds.unzip();
    Some(Report {
        results: truth.results(),
        differing: answers.differing(&truth),
        uniform: uniforms.into_iter().fold(f64::INFINITY, f64::min),
        samples,
    })
}

/// Points, and the centers of queries.
struct Sample {
    points: Vec<[f32; 3]>,
    slabs: Slabs<f32, 3>,
    centers: Vec<[f32; 3]>,
    /// The radius of the ball around each center.
    radii: Vec<f32>,
}

impl Sample {
    fn new(points: Vec<[f32; 3]>, centers: Vec<[f32; 3]>) -> Self {
        let mut distances = Vec::new();
        let mut reach = |center: &[f32; 3]| {
            distances.clear();
            distances.extend(points.iter().map(|point| distance_sq(point, center)));
            *distances
                .select_nth_unstable_by(FOUND - 1, f32::total_cmp)
                .1
        };
        Self {
            radii: centers.iter().map(|c| reach(c).sqrt()).collect(),
            slabs: Slabs::new(&points),
            centers,
            points,
        }
    }

    fn balls(&self) -> impl Iterator<Item = ([f32; 3], f32)> {
        self.centers.iter().copied().zip(self.radii.iter().copied())
    }
}
