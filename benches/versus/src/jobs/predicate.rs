//! Counts of 4096 boxes that touch a sphere, and of 4096 spheres that touch a box. Each contestant keeps
//! boxes and spheres in its own types.

use std::hint::black_box;

use rand::{RngExt, SeedableRng};

use crate::answers::Answers;
use crate::contestants::register;
use crate::jobs::Options;
use crate::race::{Kind, Registered, Task};
use crate::scenes::Random;
use crate::table::{Entry, Row, Summary};
use crate::worlds::{Ball, Bounds};

/// One contestant. Shapes are named by their positions in the slices given to `build`.
pub(crate) trait Predicate: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;

    fn build(boxes: &[Bounds<3>], balls: &[Ball]) -> Self;

    /// The number of boxes that a ball touches.
    fn count_boxes(&self, ball: usize) -> usize;

    /// The number of balls that a box touches.
    fn count_balls(&self, cuboid: usize) -> usize;

    /// Lists the boxes that a ball touches; not timed.
    fn boxes(&self, ball: usize, ids: &mut Vec<u32>);

    /// Lists the balls that a box touches; not timed.
    fn balls(&self, cuboid: usize, ids: &mut Vec<u32>);
}

#[derive(Clone, Copy)]
pub(crate) enum Test {
    BoxesOneBall,
    BallsOneBox,
}

/// A contestant's loop over all queries.
pub(crate) trait Runner {
    fn run(&self, test: Test, queries: usize) -> u64;

    fn answers(&self, test: Test, queries: usize) -> Answers;
}

impl<T: Predicate> Runner for T {
    fn run(&self, test: Test, queries: usize) -> u64 {
        let counts = (0..queries).map(|query| {
            let asked = black_box(asked(query));
            match test {
                Test::BoxesOneBall => self.count_boxes(asked),
                Test::BallsOneBox => self.count_balls(asked),
            }
        });
        counts.sum::<usize>() as u64
    }

    fn answers(&self, test: Test, queries: usize) -> Answers {
        let (mut answers, mut ids) = (Answers::default(), Vec::new());
        for query in 0..queries {
            ids.clear();
            match test {
                Test::BoxesOneBall => self.boxes(asked(query), &mut ids),
                Test::BallsOneBox => self.balls(asked(query), &mut ids),
            }
            answers.push_ids(&ids);
        }
        answers
    }
}

pub(crate) type Tester = Registered<fn(&[Bounds<3>], &[Ball]) -> Box<dyn Runner>>;

pub(crate) fn tester<T: Predicate>() -> Tester {
    Registered {
        name: T::NAME,
        kind: T::KIND,
        build: |boxes, balls| Box::new(T::build(boxes, balls)),
    }
}

const SHAPES: usize = 4096;
/// The speed-ups wanted over the best peer and over the plain loop.
const TARGET: f64 = 5.0;
const PLAIN_TARGET: f64 = 1.5;
/// The mean radii with which about half, and few, of the shapes touch.
const RADII: [(&str, f32); 2] = [("half hit", 0.52), ("few hit", 0.18)];

fn asked(query: usize) -> usize {
    query * 17 % SHAPES
}

fn shapes(radius: f32, seed: u64) -> (Vec<Bounds<3>>, Vec<Ball>) {
    let random = &mut Random::seed_from_u64(seed);
    let boxes = (0..SHAPES).map(|_| {
        let min: [f32; 3] = std::array::from_fn(|_| random.random_range(0.0..0.9));
        let max = min.map(|x| x + random.random_range(0.01..0.2));
        Bounds { min, max }
    });
    let boxes = boxes.collect();
    let balls = (0..SHAPES).map(|_| Ball {
        center: random.random(),
        radius: radius * random.random_range(0.8..1.2),
    });
    (boxes, balls.collect())
}

/// The truth of every row: whether a box and a ball touch, with nearly the rounding of every contestant.
fn touch(cuboid: &Bounds<3>, ball: &Ball) -> bool {
    let mut sum = 0.0;
    for (axis, c) in ball.center.into_iter().enumerate() {
        let apart = c - c.max(cuboid.min[axis]).min(cuboid.max[axis]);
        sum += apart * apart;
    }
    sum <= ball.radius * ball.radius
}

pub(crate) fn run(options: &Options) -> Summary {
    let testers = register(|c| c.predicate);
    let mut summary = Summary::default();
    let mut least = f64::INFINITY;
    let queries = if options.quick { 200 } else { 1000 };
    for (hits, radius) in RADII {
        let (boxes, balls) = shapes(radius, options.seed);
        let entrants = testers
            .iter()
            .map(|c| c.enter(|build| build(&boxes, &balls)));
        let mut entrants: Vec<_> = entrants.collect();
        for (test, what) in [
            (Test::BoxesOneBall, "4096 boxes against 1 sphere"),
            (Test::BallsOneBox, "4096 spheres against 1 box"),
        ] {
            let name = format!("{what}, {hits}");
            if !options.wants(&name) {
                continue;
            }
            let mut truth = Answers::default();
            for query in 0..queries {
                let touched = |&id: &usize| match test {
                    Test::BoxesOneBall => touch(&boxes[id], &balls[asked(query)]),
                    Test::BallsOneBox => touch(&boxes[asked(query)], &balls[id]),
                };
                truth.push((0..SHAPES).filter(touched).map(|id| id as u64));
            }
            let task = Task {
                name,
                unit: "ps a test",
                units: queries * SHAPES,
                target: Some(TARGET),
                rounds: options.rounds,
                truth: &truth,
            };
            let row = task.race(
                &mut entrants,
                |runner| runner.answers(test, queries),
                |runner| runner.run(test, queries),
            );
            let row = row.in_picoseconds();
            let ahead = ahead_of_plain(&row);
            summary.print(row);
            if let Some(ahead) = ahead {
                println!("  plain loop {ahead:.2}, target {PLAIN_TARGET}");
                least = least.min(ahead);
            }
        }
    }
    if least.is_finite() {
        println!("\nleast speed-up over the plain loop {least:.2}, target {PLAIN_TARGET}");
    }
    summary
}

/// The plain loop's time divided by ours, if it takes part.
fn ahead_of_plain(row: &Row) -> Option<f64> {
    let median = |kind| {
        row.entries
            .iter()
            .find(|e| e.kind == kind)
            .map(Entry::median)
    };
    Some(median(Kind::Reference)? / median(Kind::Own)?)
}
