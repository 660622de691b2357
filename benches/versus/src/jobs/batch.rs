//! All points against all: one call where a contestant has one, else a loop.

use crate::bench::Kind;
use crate::contestant::{BatchContestant, Room};
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::{Order, Scalar, Set};
use crate::race::{Task, enter, tune};
use crate::table::Summary;
use crate::truth::Slabs;

const TARGET: f64 = 6.0;
/// How many lists of ours are held to the truth; all lists of all others are held to ours.
const CHECKED: usize = 1000;

const MEANS: [f32; 3] = [10.0, 100.0, 1000.0];
/// Results of a row, on average. Above the first it is run for the uniform set only, since it takes
/// long; above the second its lists take gigabytes.
const MANY: f32 = 1e7;
const TOO_MANY: f32 = 1e8;
/// The same with `--quick`.
const QUICK_MANY: f32 = 1e6;
const QUICK_TOO_MANY: f32 = 1e7;
/// The most rounds: a row has millions of questions already.
const ROUNDS: u16 = 5;

fn is_worth_it(n: usize, mean: f32, set: Set, order: Order, quick: bool) -> bool {
    let results = n as f32 * mean;
    let is_uniform = set == Set::UNIFORM;
    if quick {
        let is_few = results <= QUICK_MANY || is_uniform && results <= QUICK_TOO_MANY;
        is_few && order == Order::Random
    } else {
        results <= MANY || is_uniform && results <= TOO_MANY
    }
}

pub(super) fn all_sets<S: Scalar, const D: usize>(
    head: &str,
    register: &[BatchContestant<S, D>],
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    for (set, order) in Set::ALL
        .into_iter()
        .flat_map(|s| Order::ALL.map(|o| (s, o)))
    {
        let name = |mean: f32| {
            let (set, n, order) = (set.name(), short(n), order.name());
            format!("{head} batch {set} {n} k={mean} {order}")
        };
        let means = MEANS.into_iter();
        let named = means
            .filter(|&mean| is_worth_it(n, mean, set, order, options.quick))
            .map(|mean| (mean, name(mean)));
        let wanted: Vec<_> = named.filter(|(_, name)| options.wants(name)).collect();
        if wanted.is_empty() {
            continue;
        }
        let points = order.of(&set.points::<S, D>(n, options.seed));
        let slabs = Slabs::new(&points);
        let step = n.div_ceil(CHECKED);
        let sample: Vec<_> = points.iter().copied().step_by(step).collect();
        let mut entrants = enter(register, &points, S::from_f32(0.1));
        let mut room = Room::default();
        for (mean, name) in wanted {
            let radius = slabs.radius_for(&sample, mean);
            tune(register, &mut entrants, &points, radius);
            let runners = entrants.iter_mut().map(|e| &mut e.runner);
            let answers: Vec<_> = runners
                .map(|runner| runner.answers(&points, radius, &mut room))
                .collect();
            let own = entrants.iter().position(|e| e.kind == Kind::Own);
            let truth = &answers[own.expect("orthant takes part")];
            if truth.every(step).differing(&slabs.within(&sample, radius)) > 0 {
                summary.fault(format!("wrong results at {name}"));
            }
            let task = Task {
                name,
                unit: "ns a point",
                units: n,
                target: (n >= QUICK_SIZE).then_some(TARGET),
                rounds: options.rounds.min(ROUNDS),
                truth,
                answers: &answers,
            };
            summary.print(task.race(&mut entrants, |runner| {
                runner.lists(&points, radius, &mut room)
            }));
        }
    }
}
