//! The neighbors of all points within one radius, in each step of a simulation. The time includes the build.

use std::array::from_fn;

use orthant::CellList;
use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestant::{BatchContestant, BatchRun, FlatLists};
use crate::contestants::{Register, register};
use crate::jobs::{Options, short};
use crate::points::{Scalar, Set};
use crate::race::{Entrant, Kind, Task, answers_of, enter};
use crate::scenes::Random;
use crate::table::Summary;
use crate::truth::{Slabs, distance_sq};

const SIZES: [usize; 2] = [100_000, 1_000_000];
const QUICK_SIZE: usize = 100_000;
/// The mean number of neighbors of a point, without itself.
const MEANS: [usize; 2] = [29, 60];
/// The number of our lists that are compared with the truth. All lists of the peers are compared with ours.
const CHECKED: usize = 500;
/// The largest number of rounds: a row has millions of results already.
const ROUNDS: u16 = 5;
/// How far points move along each axis after they were sorted, in radii.
const DRIFT: f32 = 0.1;

const FULL: f64 = 6.0;
const SORTED: f64 = 8.0;
const COUNT: f64 = 4.0;
const OTHER: f64 = 4.0;

/// Puts points into the order in which they lie in memory.
type Arrange<S, const D: usize> = fn(&[[S; D]], S) -> Vec<[S; D]>;

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes_of(&SIZES, QUICK_SIZE) {
        for mean in MEANS.into_iter().take(if options.quick { 1 } else { 2 }) {
            let mut all = All {
                n,
                mean,
                options,
                summary: &mut summary,
            };
            all.run();
        }
    }
    summary
}

/// The rows of one size and one number of neighbors.
struct All<'a> {
    n: usize,
    mean: usize,
    options: &'a Options,
    summary: &'a mut Summary,
}

impl All<'_> {
    fn run(&mut self) {
        self.row("lists 3D full", "random", FULL, |c| c.lists3, plain, random);
        self.row(
            "lists 3D full",
            "sorted",
            SORTED,
            |c| c.lists3,
            plain,
            sorted,
        );
        self.count();
        // The other rows would take minutes, and show nothing new.
        if self.n > QUICK_SIZE && self.mean > MEANS[0] {
            return;
        }
        self.row(
            "lists 2D full",
            "random",
            OTHER,
            |c| c.lists2,
            plain,
            random,
        );
        self.row(
            "lists 3D f64 full",
            "random",
            OTHER,
            |c| c.lists3_f64,
            plain,
            random,
        );
        self.row(
            "lists 3D periodic full",
            "random",
            OTHER,
            |c| c.periodic3,
            periodic,
            random,
        );
    }

    fn name(&self, head: &str, order: &str) -> Option<String> {
        let name = format!("{head} {} k={} {order}", short(self.n), self.mean);
        self.options.wants(&name).then_some(name)
    }

    /// The points, and the radius at which they have `mean` neighbors.
    fn question<S: Scalar, const D: usize>(&self) -> (Vec<[S; D]>, S) {
        let points = Set::UNIFORM.points::<S, D>(self.n, self.options.seed);
        let sample = sample(&points);
        // Each point is its own neighbor as well.
        let radius = Slabs::new(&points).radius_for(&sample, self.mean as f32 + 1.0);
        (points, radius)
    }

    fn row<S: Scalar, const D: usize>(
        &mut self,
        head: &str,
        order: &str,
        target: f64,
        entries: fn(Register) -> Vec<BatchContestant<S, D>>,
        truth: fn(&[[S; D]], S) -> Answers,
        arrange: Arrange<S, D>,
    ) {
        let Some(name) = self.name(head, order) else {
            return;
        };
        let (points, radius) = self.question::<S, D>();
        let points = arrange(&points, radius);
        let mut entrants = enter(&register(entries), &points, radius);
        let task = Task {
            name,
            unit: "ns a point",
            units: self.n,
            target: Some(target),
            rounds: self.options.rounds.min(ROUNDS),
            truth: &truth(&points, radius),
        };
        let step = step(points.len());
        race_lists(task, step, &points, radius, &mut entrants, self.summary);
    }

    fn count(&mut self) {
        let Some(name) = self.name("lists 3D count", "random") else {
            return;
        };
        let (points, radius) = self.question::<f32, 3>();
        // The truth is the number of listed neighbors; the rows of lists compare lists with a scan.
        let mut listers = enter(&register(|c| c.lists3)[..1], &points, radius);
        let truth = listers[0]
            .runner
            .lists(&points, radius, &mut FlatLists::default());
        let truth = Answers::counted(truth);
        let mut entrants = enter(&register(|c| c.counts3), &points, radius);
        let task = Task {
            name,
            unit: "ns a point",
            units: self.n,
            target: Some(COUNT),
            rounds: self.options.rounds.min(ROUNDS),
            truth: &truth,
        };
        let row = task.race(
            &mut entrants,
            |runner| Answers::counted(runner.count(&points, radius)),
            |runner| runner.count(&points, radius),
        );
        self.summary.print(row);
    }
}

/// Races at the lists of all points. The truth of the task has every `step`th list. Ours are compared with it, and all lists of the
/// others are compared with ours.
pub(super) fn race_lists<S: Scalar, const D: usize>(
    task: Task<'_>,
    step: usize,
    points: &[[S; D]],
    radius: S,
    entrants: &mut [Entrant<dyn BatchRun<S, D>>],
    summary: &mut Summary,
) {
    let mut out = FlatLists::default();
    let answers = answers_of(entrants, |runner| runner.answers(points, radius, &mut out));
    let own = entrants.iter().position(|e| e.kind == Kind::Own);
    let ours = &answers[own.expect("orthant takes part")];
    if ours.every(step).differing(task.truth) > 0 {
        summary.fault(format!("wrong results at {}", task.name));
    }
    let task = Task {
        truth: ours,
        ..task
    };
    let lists =
        |runner: &mut (dyn BatchRun<S, D> + 'static)| runner.lists(points, radius, &mut out);
    summary.print(task.race_checked(entrants, &answers, lists));
}

fn step(n: usize) -> usize {
    n.div_ceil(CHECKED)
}

fn sample<S: Scalar, const D: usize>(points: &[[S; D]]) -> Vec<[S; D]> {
    points.iter().copied().step_by(step(points.len())).collect()
}

fn random<S: Scalar, const D: usize>(points: &[[S; D]], _: S) -> Vec<[S; D]> {
    points.to_vec()
}

/// Sorts the points in the order of cells, and then moves them a little, as in a simulation that keeps them sorted.
fn sorted(points: &[[f32; 3]], radius: f32) -> Vec<[f32; 3]> {
    let order = CellList::new(points, radius).reorder();
    let numbers = &mut Random::seed_from_u64(1);
    let mut drift = |x: f32| {
        let moved = x + radius * numbers.random_range(-DRIFT..DRIFT);
        moved.clamp(0.0, 1.0 - f32::EPSILON)
    };
    let moved = |&i: &usize| points[i].map(&mut drift);
    order.iter().map(moved).collect()
}

fn plain<S: Scalar, const D: usize>(points: &[[S; D]], radius: S) -> Answers {
    Slabs::new(points).within(&sample(points), radius)
}

/// The neighbors in the periodic unit cube. The shift of the image is added to the difference of the points, as in the crate.
fn periodic(points: &[[f32; 3]], radius: f32) -> Answers {
    let limit = radius * radius;
    let mut answers = Answers::default();
    for i in (0..points.len()).step_by(step(points.len())) {
        let near = |j: usize| {
            // Radii are shorter than half of the cube, so at most one image is near.
            let apart: [f32; 3] = from_fn(|a| {
                let d = points[j][a] - points[i][a];
                d - d.round()
            });
            distance_sq(&apart, &[0.0; 3]) <= limit
        };
        let near = (0..points.len()).filter(|&j| near(j));
        answers.push(near.map(|j| j as u64));
    }
    answers
}
