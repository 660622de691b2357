//! Lets all contestants take the same steps, in turns.

use crate::race::{Kind, LONG, SLOW, time};
use crate::stepper::{Events, Pair, StepContestant, StepRun};
use crate::table::{Entry, Row};
use crate::worlds::{Bounds, Scene, World, pairs_by_grid};

/// The number of warm-up steps for contestants that start afresh in each step.
const JOIN: usize = 3;
/// The largest number of boxes for which a scan of all pairs checks the grid.
const SCANNED: usize = 20_000;

pub(super) struct Lockstep<const D: usize> {
    world: World<D>,
    entrants: Vec<Entrant<D>>,
    truth: PairsAndEvents,
}

struct Entrant<const D: usize> {
    name: &'static str,
    kind: Kind,
    starts_afresh: bool,
    rows: [bool; 2],
    runner: Box<dyn StepRun<D>>,
    found: PairsAndEvents,
    /// True if the contestant has taken the step before.
    in_step: bool,
    /// True if the contestant is left out of further steps.
    is_slow: bool,
    /// The times for the list, and for the list with events.
    samples: [Vec<f64>; 2],
    /// The numbers of wrong pairs, and of wrong pairs and events.
    differing: [u64; 2],
}

#[derive(Default)]
struct PairsAndEvents {
    pairs: Vec<Pair>,
    events: Events,
}

impl<const D: usize> Lockstep<D> {
    pub(super) fn new(scene: Scene, n: usize, register: &[StepContestant<D>], seed: u64) -> Self {
        let world = World::new(scene, n, seed);
        let fit = register.iter().filter(|c| n <= c.most_boxes);
        Self {
            entrants: fit.map(|c| Entrant::new(c, &world.boxes)).collect(),
            world,
            truth: PairsAndEvents::default(),
        }
    }

    /// Runs the row of the list and that of the list with events; the caller sets names and targets.
    pub(super) fn run(mut self, rounds: u16) -> [Row; 2] {
        let n = self.world.boxes.len();
        // The quality of updated trees falls for some time, so the warm-up is long. A round is the mean of several steps, since
        // steps differ: many boxes leave their fat boxes at once, and trees are improved now and then.
        let (warm_up, rounds, steps) = match n {
            0..=20_000 => (100, rounds, 8),
            20_001..=200_000 => (40, rounds, 3),
            _ => (5, 3, 2),
        };
        let timed = usize::from(rounds) * steps;
        let mut results = [0, 0];
        for step in 0..warm_up + timed {
            self.world.step();
            self.find_truth();
            if step >= warm_up {
                let events = &self.truth.events;
                let changes = events.begins.len() + events.ends.len();
                results[0] += self.truth.pairs.len() as u64;
                results[1] += (self.truth.pairs.len() + changes) as u64;
            }
            let count = self.entrants.len();
            for turn in 0..count {
                let entrant = &mut self.entrants[(turn + step) % count];
                let sits_out = entrant.starts_afresh && step + JOIN < warm_up;
                if !sits_out && !entrant.is_slow {
                    entrant.step(&self.world, &self.truth, step >= warm_up);
                }
            }
            if step == warm_up {
                self.leave_slow();
            }
        }
        if n <= SCANNED {
            assert!(self.truth.pairs == scan(&self.world), "the grid is wrong");
        }
        [0, 1].map(|of| self.row(of, steps, results[of]))
    }

    fn find_truth(&mut self) {
        self.truth.pairs.clear();
        pairs_by_grid(&self.world.boxes, &mut self.truth.pairs);
        self.truth.events.find(&mut self.truth.pairs);
    }

    /// Leaves out slow contestants, after the first timed step.
    fn leave_slow(&mut self) {
        let taken = |entrant: &Entrant<D>| entrant.samples[0].last().copied();
        let peers = self.entrants.iter().filter(|e| e.kind == Kind::Peer);
        let fastest = peers.filter_map(taken).fold(f64::INFINITY, f64::min);
        let long = LONG / self.world.boxes.len() as f64;
        for entrant in &mut self.entrants {
            let taken = taken(entrant);
            let is_slow = taken.is_some_and(|taken| taken > long && taken > SLOW * fastest);
            entrant.is_slow = is_slow && entrant.kind.may_be_slow();
        }
    }

    fn row(&self, of: usize, steps: usize, results: u64) -> Row {
        let mean = |round: &[f64]| round.iter().sum::<f64>() / round.len() as f64;
        let entry = |entrant: &Entrant<D>| Entry {
            name: entrant.name,
            kind: entrant.kind,
            samples: entrant.samples[of].chunks(steps).map(mean).collect(),
            differing: entrant.differing[of],
            note: String::new(),
        };
        let entrants = self.entrants.iter().filter(|entrant| entrant.rows[of]);
        Row {
            name: String::new(),
            unit: "ns a box",
            target: None,
            results,
            entries: entrants.map(entry).collect(),
        }
    }
}

impl<const D: usize> Entrant<D> {
    fn new(contestant: &StepContestant<D>, boxes: &[Bounds<D>]) -> Self {
        Self {
            name: contestant.name,
            kind: contestant.kind,
            starts_afresh: contestant.starts_afresh,
            rows: contestant.rows,
            runner: (contestant.new)(boxes),
            found: PairsAndEvents::default(),
            in_step: false,
            is_slow: false,
            samples: [Vec::new(), Vec::new()],
            differing: [0, 0],
        }
    }

    fn step(&mut self, world: &World<D>, truth: &PairsAndEvents, is_timed: bool) {
        let World { boxes, moved, .. } = world;
        let PairsAndEvents { pairs, events } = &mut self.found;
        let ((), listed) = time(|| self.runner.step(boxes, moved, pairs));
        let mut reported = 0.0;
        if self.rows[1] {
            ((), reported) = time(|| self.runner.report(pairs, events));
        } else {
            pairs.sort_unstable();
        }
        if is_timed {
            let samples = [listed, listed + reported];
            for (all, taken) in self.samples.iter_mut().zip(samples) {
                all.push(taken / boxes.len() as f64);
            }
        }
        let wrong_pairs = differing(pairs, &truth.pairs);
        let mut wrong_events = 0;
        if self.in_step && self.rows[1] {
            wrong_events = differing(&events.begins, &truth.events.begins)
                + differing(&events.ends, &truth.events.ends);
        }
        self.in_step = true;
        self.differing[0] += wrong_pairs;
        self.differing[1] += wrong_pairs + wrong_events;
    }
}

/// The number of places in which two sorted lists differ.
fn differing(found: &[Pair], truth: &[Pair]) -> u64 {
    let places = found.iter().zip(truth).filter(|(a, b)| a != b);
    (places.count() + found.len().abs_diff(truth.len())) as u64
}

/// Tests all pairs of boxes.
fn scan<const D: usize>(world: &World<D>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (id, bounds) in world.boxes.iter().enumerate() {
        for (other, candidate) in world.boxes.iter().enumerate().skip(id + 1) {
            if bounds.overlaps(candidate) {
                pairs.push((id as u64) << 32 | other as u64);
            }
        }
    }
    pairs
}
