//! Points within a radius: built once, asked often, one center at a time; and all points against
//! all.

use crate::answers::Answers;
use crate::contestant::{RadiusContestant, RadiusRun};
use crate::contestants;
use crate::jobs::{Options, batch, short};
use crate::points::{Order, Scalar, Set, centers};
use crate::race::{Entrant, Task, enter, tune};
use crate::table::Summary;
use crate::truth::Slabs;

/// Mean results, and the centers asked for: fewer where each takes longer, but enough that filling the
/// caches anew at the beginning of a turn does not decide.
const MEANS: [(f32, usize); 3] = [(10.0, 10_000), (100.0, 4_000), (1000.0, 1_500)];

/// What to do with a whole row's centers.
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
        let register = contestants::radius3();
        all_sets("radius 3D", &register, targets, n, options, &mut summary);
        if n == 100_000 {
            let register = contestants::radius3_f64();
            all_sets("radius 3D f64", &register, wide, n, options, &mut summary);
        }
        let register = contestants::batch3();
        batch::all_sets("radius 3D", &register, n, options, &mut summary);
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
        let register = contestants::radius2();
        all_sets("radius 2D", &register, targets, n, options, &mut summary);
        let register = contestants::batch2();
        batch::all_sets("radius 2D", &register, n, options, &mut summary);
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
        // What no wanted row needs is not made.
        let mut race = None;
        for (i, (mean, queries)) in MEANS.into_iter().enumerate() {
            let mut question = None;
            for order in Order::ALL {
                let named = Verb::ALL.map(|verb| (verb, name(verb, mean, order)));
                let wanted = named.into_iter().filter(|(_, name)| options.wants(name));
                let wanted: Vec<_> = wanted.collect();
                if wanted.is_empty() {
                    continue;
                }
                let race = race.get_or_insert_with(|| Race::new(set, n, register, options.seed));
                let question =
                    question.get_or_insert_with(|| race.question(mean, queries, options.seed + 1));
                let asked = race.ask(question, order);
                for (verb, name) in wanted {
                    let task = Task {
                        name,
                        unit: "ns a query",
                        units: queries,
                        target: targets(verb, n).map(|targets| targets[i]),
                        rounds: options.rounds,
                        truth: &asked.truth,
                        answers: &asked.answers,
                    };
                    let (centers, radius) = (&asked.centers, question.radius);
                    let ids = &mut race.ids;
                    summary.print(task.race(&mut race.entrants, |runner| match verb {
                        Verb::Collect => runner.collect(centers, radius, ids),
                        Verb::Count => runner.count(centers, radius),
                    }));
                }
            }
        }
    }
}

/// All contestants with the same points.
struct Race<'a, S, const D: usize> {
    points: Vec<[S; D]>,
    slabs: Slabs<S, D>,
    register: &'a [RadiusContestant<S, D>],
    entrants: Vec<Entrant<dyn RadiusRun<S, D>>>,
    ids: Vec<u32>,
}

struct Question<S, const D: usize> {
    centers: Vec<[S; D]>,
    radius: S,
}

/// A question in some order, and what each entrant collects.
struct Asked<S, const D: usize> {
    centers: Vec<[S; D]>,
    truth: Answers,
    answers: Vec<Answers>,
}

impl<'a, S: Scalar, const D: usize> Race<'a, S, D> {
    fn new(set: Set, n: usize, register: &'a [RadiusContestant<S, D>], seed: u64) -> Self {
        let points = set.points(n, seed);
        // Those that are for one radius are built anew for each question.
        let somewhere = S::from_f32(0.1);
        Self {
            slabs: Slabs::new(&points),
            entrants: enter(register, &points, somewhere),
            points,
            register,
            ids: Vec::new(),
        }
    }

    fn question(&mut self, mean: f32, queries: usize, seed: u64) -> Question<S, D> {
        let centers = centers(&self.points, queries, seed);
        let radius = self.slabs.radius_for(&centers, mean);
        tune(self.register, &mut self.entrants, &self.points, radius);
        Question { centers, radius }
    }

    fn ask(&mut self, question: &Question<S, D>, order: Order) -> Asked<S, D> {
        let centers = order.of(&question.centers);
        let truth = self.slabs.within(&centers, question.radius);
        let runners = self.entrants.iter_mut().map(|e| &mut e.runner);
        let answers = runners.map(|runner| runner.answers(&centers, question.radius));
        Asked {
            answers: answers.collect(),
            centers,
            truth,
        }
    }
}
