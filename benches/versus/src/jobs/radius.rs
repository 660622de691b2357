//! Points within a radius: structures are built once, and queried for one center at a time. In the rows `batch`, they list the neighbors
//! of all points, in one call if the contestant has such a call, in a loop otherwise.

use crate::contestant::{BatchContestant, RadiusContestant};
use crate::contestants::register;
use crate::jobs::lists::race_lists;
use crate::jobs::{Options, QUICK_SIZE, short};
use crate::points::{Order, Scalar, Set, centers};
use crate::race::{Task, answers_of, enter, tune};
use crate::table::Summary;
use crate::truth::Slabs;

/// The mean number of results, and the number of centers: fewer if each takes longer, but enough that the cache misses at
/// the beginning of a turn do not matter.
const MEANS: [(f32, usize); 3] = [(10.0, 10_000), (100.0, 4_000), (1000.0, 1_500)];

/// The kind of query of a row.
#[derive(Clone, Copy)]
enum Verb {
    Collect,
    Count,
}

impl Verb {
    const ALL: [Self; 2] = [Self::Collect, Self::Count];

    fn name(self) -> &'static str {
        match self {
            Self::Collect => "collect",
            Self::Count => "count",
        }
    }
}

/// The speed-ups wanted at each of [`MEANS`].
type Targets = fn(Verb, usize) -> Option<[f64; 3]>;

pub(crate) fn run3(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let targets: Targets = |verb, n| match (verb, n) {
        (Verb::Collect, 100_000) => Some([2.5, 5.0, 9.0]),
        (Verb::Collect, 1_000_000) => Some([2.0, 3.5, 5.0]),
        (Verb::Count, 100_000) => Some([2.5, 6.0, 11.0]),
        _ => None,
    };
    let wide: Targets = |_, _| Some([2.0, 4.0, 6.0]);
    for n in options.sizes() {
        let contestants = register(|c| c.radius3);
        all_sets("radius 3D", &contestants, targets, n, options, &mut summary);
        if n == 100_000 {
            let contestants = register(|c| c.radius3_f64);
            all_sets(
                "radius 3D f64",
                &contestants,
                wide,
                n,
                options,
                &mut summary,
            );
        }
        let contestants = register(|c| c.batch3);
        batch_all_sets("radius 3D", &contestants, n, options, &mut summary);
    }
    summary
}

pub(crate) fn run2(options: &Options) -> Summary {
    let mut summary = Summary::default();
    let targets: Targets = |verb, n| match (verb, n) {
        (Verb::Collect, 100_000 | 1_000_000) | (Verb::Count, 100_000) => Some([2.0, 3.0, 5.0]),
        _ => None,
    };
    for n in options.sizes() {
        let contestants = register(|c| c.radius2);
        all_sets("radius 2D", &contestants, targets, n, options, &mut summary);
        let contestants = register(|c| c.batch2);
        batch_all_sets("radius 2D", &contestants, n, options, &mut summary);
    }
    summary
}

fn all_sets<S: Scalar, const D: usize>(
    head: &str,
    register: &[RadiusContestant<S, D>],
    targets: Targets,
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    for set in Set::ALL {
        let name = |verb: Verb, mean: f32, order: Order| {
            let (verb, set, n, order) = (verb.name(), set.name(), short(n), order.name());
            format!("{head} {verb} {set} {n} k={mean} {order}")
        };
        // Points, structures and truths are made only if a wanted row needs them.
        let (mut race, mut ids) = (None, Vec::new());
        for (i, (mean, queries)) in MEANS.into_iter().enumerate() {
            let mut question = None;
            for order in Order::ALL {
                let wanted = options.wanted(Verb::ALL, |&verb| name(verb, mean, order));
                if wanted.is_empty() {
                    continue;
                }
                let (points, slabs, entrants) = race.get_or_insert_with(|| {
                    let points = set.points(n, options.seed);
                    // Structures for one radius are rebuilt for each question.
                    let entrants = enter(register, &points, S::from_f32(0.1));
                    (points.clone(), Slabs::new(&points), entrants)
                });
                let (centers, radius) = question.get_or_insert_with(|| {
                    let centers = centers(points, queries, options.seed + 1);
                    let radius = slabs.radius_for(&centers, mean);
                    tune(register, entrants, points, radius);
                    (centers, radius)
                });
                let (centers, radius) = (order.of(centers), *radius);
                let truth = slabs.within(&centers, radius);
                let answers = answers_of(entrants, |runner| runner.answers(&centers, radius));
                for (verb, name) in wanted {
                    let task = Task {
                        name,
                        unit: "ns a query",
                        units: queries,
                        target: targets(verb, n).map(|targets| targets[i]),
                        rounds: options.rounds,
                        truth: &truth,
                    };
                    summary.print(task.race_checked(entrants, &answers, |runner| match verb {
                        Verb::Collect => runner.collect(&centers, radius, &mut ids),
                        Verb::Count => runner.count(&centers, radius),
                    }));
                }
            }
        }
    }
}

const BATCH_TARGET: f64 = 6.0;
/// The number of our lists that are compared with the truth. All lists of the peers are compared with ours.
const CHECKED: usize = 1000;

const BATCH_MEANS: [f32; 3] = [10.0, 100.0, 1000.0];
/// The largest number of rounds: a row has millions of queries already.
const BATCH_ROUNDS: u16 = 5;

/// Returns true if a row is run. Rows that take minutes are run for the uniform set only, and rows whose lists take
/// gigabytes are not run.
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

fn batch_all_sets<S: Scalar, const D: usize>(
    head: &str,
    register: &[BatchContestant<S, D>],
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    for (set, order) in Set::in_orders() {
        let name = |mean: f32| {
            let (set, n, order) = (set.name(), short(n), order.name());
            format!("{head} batch {set} {n} k={mean} {order}")
        };
        let means = BATCH_MEANS.into_iter();
        let run = means.filter(|&mean| is_run(n, mean, set, order, options.quick));
        let wanted = options.wanted(run, |&mean| name(mean));
        if wanted.is_empty() {
            continue;
        }
        let points = order.of(&set.points::<S, D>(n, options.seed));
        let slabs = Slabs::new(&points);
        let step = n.div_ceil(CHECKED);
        let sample: Vec<_> = points.iter().copied().step_by(step).collect();
        let mut entrants = enter(register, &points, S::from_f32(0.1));
        for (mean, name) in wanted {
            let radius = slabs.radius_for(&sample, mean);
            tune(register, &mut entrants, &points, radius);
            let task = Task {
                name,
                unit: "ns a point",
                units: n,
                target: (n >= QUICK_SIZE).then_some(BATCH_TARGET),
                rounds: options.rounds.min(BATCH_ROUNDS),
                truth: &slabs.within(&sample, radius),
            };
            race_lists(task, step, &points, radius, &mut entrants, summary);
        }
    }
}
