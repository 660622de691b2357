//! A set that changes: items are inserted one by one, moved a little and far, queried and removed. One such sequence is a
//! *life*; a structure has a new life in each round.

mod script;

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::answers::Answers;
use crate::contestants::register;
use crate::jobs::{Options, SIZES, short};
use crate::points::Set;
use crate::race::{Kind, interleave, time};
use crate::scenes::Scene;
use crate::table::{Entry, Row, Summary};
use crate::worlds::Ball;
use script::{Change, MEANS, STEPS, Script};

/// The speed-up wanted in every row.
const TARGET: f64 = 2.0;
const QUICK_SIZE: usize = SIZES[0];
/// With more items, each contestant has one timed life, after the one that is checked: more would take an hour.
const MOST_IN_ROUNDS: usize = SIZES[1];
const SETS: [Set; 2] = [Set::UNIFORM, Set::Scene(Scene::Clustered)];
/// The moves after which each query is run.
const MOVED: [&str; 2] = ["steps", "jumps"];

/// One contestant: a structure that begins empty.
pub(crate) trait Changing: Sized + 'static {
    const NAME: &'static str;
    const KIND: Kind = Kind::Peer;

    fn new() -> Self;

    fn insert(&mut self, id: u32, item: &Ball);

    fn update(&mut self, id: u32, from: &Ball, to: &Ball);

    fn remove(&mut self, id: u32, item: &Ball);

    /// Moves all items, in the order of their ids.
    fn step(&mut self, from: &[Ball], to: &[Ball]) {
        for (id, (from, to)) in from.iter().zip(to).enumerate() {
            self.update(id as u32, from, to);
        }
    }

    /// Moves each item anywhere, in the given order of ids.
    fn jump(&mut self, order: &[u32], from: &[Ball], to: &[Ball]) {
        for &id in order {
            self.update(id, &from[id as usize], &to[id as usize]);
        }
    }

    /// Appends the structure's own names of the items that meet a ball.
    fn collect(&mut self, center: &[f32; 3], radius: f32, names: &mut Vec<u32>);

    fn id(&self, name: u32) -> u32 {
        name
    }
}

/// The parts of a life that are timed, in their order.
#[derive(Clone, Copy)]
enum Verb {
    Insert,
    Step,
    /// An index into [`MOVED`], and one into [`MEANS`].
    Query(usize, usize),
    Jump,
    Churn,
    Remove,
}

const VERBS: [Verb; 9] = [
    Verb::Insert,
    Verb::Step,
    Verb::Query(0, 0),
    Verb::Query(0, 1),
    Verb::Jump,
    Verb::Query(1, 0),
    Verb::Query(1, 1),
    Verb::Churn,
    Verb::Remove,
];

impl Verb {
    fn name(self) -> String {
        match self {
            Self::Insert => "insert".into(),
            Self::Step => "move a little".into(),
            Self::Query(moved, mean) => {
                format!("query k={} after {}", MEANS[mean].0, MOVED[moved])
            }
            Self::Jump => "move far".into(),
            Self::Churn => "churn".into(),
            Self::Remove => "remove".into(),
        }
    }

    fn units(self, script: &Script) -> usize {
        match self {
            Self::Insert | Self::Jump => script.first.len(),
            Self::Step => STEPS * script.first.len(),
            Self::Query(_, mean) => MEANS[mean].1,
            Self::Churn => script.churn.len(),
            Self::Remove => script.removals.len(),
        }
    }
}

/// The nanoseconds and the number of results of each verb.
#[derive(Clone, Copy, Default)]
struct Life {
    taken: [f64; VERBS.len()],
    found: [u64; VERBS.len()],
}

/// An entry of the register.
pub(crate) struct Changer {
    name: &'static str,
    kind: Kind,
    live: fn(&Script) -> Life,
    /// Runs a life without timing, and returns the answers of each verb.
    answers: fn(&Script) -> Vec<Answers>,
}

pub(crate) fn changer<T: Changing>() -> Changer {
    Changer {
        name: T::NAME,
        kind: T::KIND,
        live: live::<T>,
        answers: answers::<T>,
    }
}

fn ask<T: Changing>(structure: &mut T, script: &Script, mean: usize, names: &mut Vec<u32>) -> u64 {
    let mut found = 0;
    for center in &script.centers[..MEANS[mean].1] {
        names.clear();
        structure.collect(center, script.radii[mean], names);
        found += black_box(names.as_slice()).len() as u64;
    }
    found
}

fn churn<T: Changing>(structure: &mut T, script: &Script, mut tell: impl FnMut(&T, &[u32])) -> u64 {
    let (mut found, mut names) = (0, Vec::new());
    for change in &script.churn {
        match change {
            Change::Insert(id, item) => structure.insert(*id, item),
            Change::Update(id, from, to) => structure.update(*id, from, to),
            Change::Remove(id, item) => structure.remove(*id, item),
            Change::Ask(center) => {
                names.clear();
                structure.collect(center, script.radii[0], &mut names);
                found += names.len() as u64;
                tell(structure, &names);
            }
        }
    }
    found
}

fn perform<T: Changing>(
    structure: &mut T,
    verb: Verb,
    script: &Script,
    names: &mut Vec<u32>,
) -> u64 {
    match verb {
        Verb::Insert => {
            for (id, item) in script.first.iter().enumerate() {
                structure.insert(id as u32, item);
            }
        }
        Verb::Step => {
            let mut from = &script.first;
            for to in &script.steps {
                structure.step(from, to);
                from = to;
            }
        }
        Verb::Query(_, mean) => return ask(structure, script, mean, names),
        Verb::Jump => {
            let from = script.steps.last().expect("there are steps");
            structure.jump(&script.order, from, &script.far);
        }
        Verb::Churn => return churn(structure, script, |_, _| {}),
        Verb::Remove => {
            for (id, item) in &script.removals {
                structure.remove(*id, item);
            }
        }
    }
    0
}

fn live<T: Changing>(script: &Script) -> Life {
    let mut structure = T::new();
    let (mut life, mut names) = (Life::default(), Vec::new());
    for (i, verb) in VERBS.into_iter().enumerate() {
        (life.found[i], life.taken[i]) = time(|| perform(&mut structure, verb, script, &mut names));
        life.taken[i] /= verb.units(script) as f64;
    }
    life
}

fn answers<T: Changing>(script: &Script) -> Vec<Answers> {
    let mut structure = T::new();
    let mut names = Vec::new();
    let mut all = Vec::new();
    for verb in VERBS {
        let mut answers = Answers::default();
        let mut tell = |structure: &T, names: &[u32]| {
            answers.push(names.iter().map(|&name| structure.id(name).into()));
        };
        match verb {
            Verb::Query(_, mean) => {
                for center in &script.centers[..MEANS[mean].1] {
                    names.clear();
                    structure.collect(center, script.radii[mean], &mut names);
                    tell(&structure, &names);
                }
            }
            Verb::Churn => _ = churn(&mut structure, script, tell),
            _ => _ = perform(&mut structure, verb, script, &mut names),
        }
        all.push(answers);
    }
    // In the end no item is left.
    names.clear();
    structure.collect(&[0.5; 3], 10.0, &mut names);
    if let Some(last) = all.last_mut() {
        last.push_ids(&names);
    }
    all
}

pub(crate) fn run(options: &Options) -> Summary {
    let mut summary = Summary::default();
    for n in options.sizes_of(&SIZES, QUICK_SIZE) {
        for set in SETS {
            let points = register(|c| c.changing_points);
            one("points", &points, set, n, options, &mut summary);
            let balls = register(|c| c.changing_balls);
            one("balls", &balls, set, n, options, &mut summary);
        }
    }
    summary
}

fn one(
    what: &str,
    register: &[Changer],
    set: Set,
    n: usize,
    options: &Options,
    summary: &mut Summary,
) {
    let size = short(n);
    let names = VERBS.map(|verb| format!("loose {what} {} {} {size}", verb.name(), set.name()));
    if !names.iter().any(|name| options.wants(name)) {
        return;
    }
    let script = Script::new(set, n, what == "balls", options.seed);
    let truth = script.truth();
    let mut entrants = Vec::new();
    for changer in register {
        match catch_unwind(AssertUnwindSafe(|| (changer.answers)(&script))) {
            Ok(answers) => entrants.push((changer, answers)),
            Err(_) => println!("\n{} is left out: it failed at this set", changer.name),
        }
    }
    let kinds: Vec<_> = entrants.iter().map(|(changer, _)| changer.kind).collect();
    let mut lives = vec![Vec::new(); entrants.len()];
    let rounds = match n {
        _ if n > MOST_IN_ROUNDS => 0,
        _ => options.rounds,
    };
    interleave(&kinds, rounds, |i| {
        let life = (entrants[i].0.live)(&script);
        lives[i].push(life);
        let units = VERBS.iter().map(|verb| verb.units(&script) as f64);
        units
            .zip(life.taken)
            .map(|(units, taken)| units * taken)
            .sum()
    });
    for (i, verb) in VERBS.into_iter().enumerate() {
        if !options.wants(&names[i]) {
            continue;
        }
        let entry = |((changer, answers), lives): (&(&Changer, Vec<Answers>), &Vec<Life>)| {
            let timed = lives.iter().map(|life| life.found[i]);
            let listed = answers[i].results();
            let off = timed.map(|found| match verb {
                Verb::Query(..) | Verb::Churn => found.abs_diff(listed),
                _ => 0,
            });
            // The first life warms up, unless it is the only one.
            let counted = &lives[usize::from(lives.len() > 1)..];
            Entry {
                name: changer.name,
                kind: changer.kind,
                samples: counted.iter().map(|life| life.taken[i]).collect(),
                differing: answers[i].differing(&truth[i]).max(off.max().unwrap_or(0)),
                note: String::new(),
            }
        };
        summary.print(Row {
            name: names[i].clone(),
            unit: "ns each",
            target: Some(TARGET),
            results: truth[i].results(),
            entries: entrants.iter().zip(&lives).map(entry).collect(),
        });
    }
}
