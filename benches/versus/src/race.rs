//! All contestants of a job with the same points, and what they do at one task.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::answers::Answers;
use crate::bench::{Kind, interleave, time};
use crate::contestant::Contestant;
use crate::points::Scalar;
use crate::table::{Entry, Row};

pub(crate) struct Entrant<R: ?Sized> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) runner: Box<R>,
}

/// Who cannot take the points is named and left out.
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

/// Builds those anew that are for one radius.
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

pub(crate) struct Task<'a> {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    /// How many units a run has.
    pub(crate) units: usize,
    pub(crate) target: Option<f64>,
    pub(crate) rounds: u16,
    pub(crate) truth: &'a Answers,
    /// What each entrant answers, listed before.
    pub(crate) answers: &'a [Answers],
}

impl Task<'_> {
    /// Lets them take turns. `run` tells how many results it found; each timed run is held to what
    /// was listed.
    pub(crate) fn race<R: ?Sized>(
        self,
        entrants: &mut [Entrant<R>],
        mut run: impl FnMut(&mut R) -> u64,
    ) -> Row {
        let kinds: Vec<_> = entrants.iter().map(|e| e.kind).collect();
        let mut differing: Vec<_> = self
            .answers
            .iter()
            .map(|answers| answers.differing(self.truth))
            .collect();
        let samples = interleave(&kinds, self.rounds, |i| {
            let (found, taken) = time(|| run(&mut entrants[i].runner));
            let listed = self.answers[i].results();
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
