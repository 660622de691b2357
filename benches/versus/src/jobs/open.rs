//! From bytes to the first answer: opening a saved tree and searching it for the nearest point, against building a tree from
//! the points and searching that. Bytes and points are in memory, as those of a mapped file are after a first read.

use crate::answers::Answers;
use crate::contestants::{Register, register};
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::{Set, centers};
use crate::race::{Kind, Registered, Task};
use crate::table::Summary;
use crate::truth::distance_sq;

const TARGET: f64 = 20.0;
/// The nanoseconds in a microsecond.
const UNITS: usize = 1000;

/// Opens or builds a tree, and says which point is nearest to a place.
pub(crate) type First<const D: usize> = Box<dyn Fn(&[f32; D]) -> u32>;

/// A contestant makes bytes or points of the points first, which is not timed.
pub(crate) type OpenContestant<const D: usize> = Registered<fn(&[[f32; D]]) -> First<D>>;

pub(crate) fn opener<const D: usize>(
    name: &'static str,
    kind: Kind,
    build: fn(&[[f32; D]]) -> First<D>,
) -> OpenContestant<D> {
    Registered { name, kind, build }
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes().filter(|&n| n >= QUICK_SIZE) {
        for set in Set::ALL {
            row("open 3D", |c| c.open3, set, n, options, &mut summary);
        }
        for set in Set::ALL {
            row("open 2D", |c| c.open2, set, n, options, &mut summary);
        }
    }
    summary
}

fn row<const D: usize>(
    head: &str,
    entries: fn(Register) -> Vec<OpenContestant<D>>,
    set: Set,
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    let name = format!("{head} {} {}", set.name(), short(n));
    if !options.wants(&name) {
        return;
    }
    let points = set.points::<f32, D>(n, options.seed);
    let center = centers(&points, 1, options.seed + 1)[0];
    let answers = |apart: f32| {
        let mut answers = Answers::default();
        answers.push([u64::from(apart.to_bits())]);
        answers
    };
    let apart = points.iter().map(|point| distance_sq(point, &center));
    let truth = answers(apart.fold(f32::INFINITY, f32::min));
    let register = register(entries);
    let entrants = register.iter().map(|c| c.enter(|save| save(&points)));
    let mut entrants: Vec<_> = entrants.collect();
    let task = Task {
        name,
        unit: "us",
        units: UNITS,
        target: Some(TARGET),
        rounds: options.rounds,
        truth: &truth,
    };
    summary.print(task.race(
        &mut entrants,
        |first| answers(distance_sq(&points[first(&center) as usize], &center)),
        |first| {
            std::hint::black_box(first(&center));
            1
        },
    ));
}
