//! The timing loop, in which contestants take turns, and a race of all contestants at one task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::answers::Answers;
use crate::contestant::Contestant;
use crate::points::Scalar;
use crate::table::{Entry, Row};

/// How a contestant is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// This crate.
    Own,
    /// This crate as it was at an earlier commit.
    #[allow(dead_code, reason = "only with the feature `before`")]
    Before,
    /// A published crate to be faster than.
    Peer,
    /// Shown and not counted.
    Reference,
}

impl Kind {
    /// True if the contestant is left out of further rounds when it is slow. Both versions of this crate always run, to be compared.
    pub(crate) fn may_be_slow(self) -> bool {
        matches!(self, Self::Peer | Self::Reference)
    }
}

/// Returns a result and the processor time of this thread in nanoseconds, without the time while it was preempted.
pub(crate) fn time<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let value = run();
    let taken: Duration = start.elapsed();
    (value, taken.as_nanos() as f64)
}

/// A contestant does not run again if its first run took more than `SLOW` times the fastest peer's time and more than
/// `LONG` nanoseconds.
pub(crate) const SLOW: f64 = 6.0;
pub(crate) const LONG: f64 = 2e8;

/// Lets each contestant run once to warm up, and then in rounds, in which contestants take turns to go first. `run` returns
/// nanoseconds. The result has the times of each contestant's rounds, or the time of its first run if that was too slow.
pub(crate) fn interleave(
    kinds: &[Kind],
    rounds: u16,
    mut run: impl FnMut(usize) -> f64,
) -> Vec<Vec<f64>> {
    let warm: Vec<f64> = (0..kinds.len()).map(&mut run).collect();
    let peers = warm
        .iter()
        .zip(kinds)
        .filter(|(_, kind)| **kind == Kind::Peer);
    let fastest = peers.map(|(taken, _)| *taken).fold(f64::INFINITY, f64::min);
    let is_slow = |i: usize| kinds[i].may_be_slow() && warm[i] > LONG && warm[i] > SLOW * fastest;
    let mut samples = vec![Vec::new(); kinds.len()];
    for round in 0..usize::from(rounds) {
        for turn in 0..kinds.len() {
            let i = (turn + round) % kinds.len();
            if !is_slow(i) {
                samples[i].push(run(i));
            } else if round == 0 {
                samples[i].push(warm[i]);
            }
        }
    }
    samples
}

pub(crate) struct Entrant<R: ?Sized> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) runner: Box<R>,
}

/// An entry of a register. `B` is the function that builds the contestant.
pub(crate) struct Registered<B> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) build: B,
}

impl<B> Registered<B> {
    pub(crate) fn enter<R: ?Sized>(&self, build: impl FnOnce(&B) -> Box<R>) -> Entrant<R> {
        Entrant {
            name: self.name,
            kind: self.kind,
            runner: build(&self.build),
        }
    }
}

/// Builds a contestant. If that panics, the contestant is left out, and its name is printed.
pub(crate) fn attempt<S: Scalar, const D: usize, R: ?Sized>(
    contestant: &Contestant<S, D, R>,
    points: &[[S; D]],
    radius: S,
) -> Option<Box<R>> {
    let build = AssertUnwindSafe(|| (contestant.build)(points, radius));
    let built = catch_unwind(build).ok();
    if built.is_none() {
        println!("\n{} is left out: it failed to build", contestant.name);
    }
    built
}

pub(crate) fn enter<S: Scalar, const D: usize, R: ?Sized>(
    contestants: &[Contestant<S, D, R>],
    points: &[[S; D]],
    radius: S,
) -> Vec<Entrant<R>> {
    let fit = contestants.iter().filter(|c| points.len() <= c.most_points);
    let entrant = |contestant: &Contestant<S, D, R>| {
        Some(Entrant {
            name: contestant.name,
            kind: contestant.kind,
            runner: attempt(contestant, points, radius)?,
        })
    };
    fit.filter_map(entrant).collect()
}

/// Rebuilds the contestants that are built for one radius.
pub(crate) fn tune<S: Scalar, const D: usize, R: ?Sized>(
    contestants: &[Contestant<S, D, R>],
    entrants: &mut [Entrant<R>],
    points: &[[S; D]],
    radius: S,
) {
    for contestant in contestants.iter().filter(|c| c.one_radius) {
        for entrant in entrants.iter_mut().filter(|e| e.name == contestant.name) {
            entrant.runner = (contestant.build)(points, radius);
        }
    }
}

pub(crate) fn answers_of<R: ?Sized>(
    entrants: &mut [Entrant<R>],
    mut answers: impl FnMut(&mut R) -> Answers,
) -> Vec<Answers> {
    let runners = entrants.iter_mut().map(|e| &mut *e.runner);
    runners.map(&mut answers).collect()
}

pub(crate) struct Task<'a> {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// The number of units in a run.
    pub(crate) units: usize,
    pub(crate) target: Option<f64>,
    pub(crate) rounds: u16,
    pub(crate) truth: &'a Answers,
}

impl Task<'_> {
    /// Runs each entrant once without timing it, and then times all of them as `race_checked` does.
    pub(crate) fn race<R: ?Sized>(
        self,
        entrants: &mut [Entrant<R>],
        answers: impl FnMut(&mut R) -> Answers,
        run: impl FnMut(&mut R) -> u64,
    ) -> Row {
        let answers = answers_of(entrants, answers);
        self.race_checked(entrants, &answers, run)
    }

    /// Compares the answers of an untimed run of each entrant with the truth, and then times the entrants in turns. `run` returns the
    /// number of its results, which has to be the number of its untimed answers.
    pub(crate) fn race_checked<R: ?Sized>(
        self,
        entrants: &mut [Entrant<R>],
        answers: &[Answers],
        mut run: impl FnMut(&mut R) -> u64,
    ) -> Row {
        let kinds: Vec<_> = entrants.iter().map(|e| e.kind).collect();
        let compared = answers.iter().map(|answers| answers.differing(self.truth));
        let mut differing: Vec<_> = compared.collect();
        let samples = interleave(&kinds, self.rounds, |i| {
            let (found, taken) = time(|| run(&mut entrants[i].runner));
            let listed = answers[i].results();
            differing[i] = differing[i].max(found.abs_diff(listed));
            taken / self.units as f64
        });
        let entries = entrants.iter().zip(samples).zip(differing);
        Row {
            name: self.name,
            unit: self.unit,
            target: self.target,
            results: self.truth.results(),
            entries: entries
                .map(|((entrant, samples), differing)| Entry {
                    name: entrant.name,
                    kind: entrant.kind,
                    samples,
                    differing,
                    note: String::new(),
                })
                .collect(),
        }
    }
}
