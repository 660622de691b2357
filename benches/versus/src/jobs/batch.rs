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
/// The most rounds: a row has millions of questions already.
const ROUNDS: u16 = 5;

/// Whether a row is run. What takes minutes is run for the uniform set only, and what takes
/// gigabytes of lists not at all.
fn is_run(n: usize, mean: f32, set: Set, order: Order, quick: bool) -> bool {
    let is_uniform = set == Set::UNIFORM;
    if quick {
        order == Order::Random && (mean <= 10.0 || is_uniform && mean <= 100.0)
    } else if n <= QUICK_SIZE {
        mean <= 100.0 || is_uniform
    } else {
        mean <= 100.0 && is_uniform
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
            .filter(|&mean| is_run(n, mean, set, order, options.quick))
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
