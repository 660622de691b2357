//! The timing loop.

use std::ops::AddAssign;
use std::time::Duration;

use cpu_time::ThreadTime;

/// How a contestant is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// This crate.
    Own,
    /// A published crate to be faster than.
    Peer,
    /// Shown and not counted.
    Reference,
}

/// How many results a contestant found, and a hash that does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) count: u64,
    hash: u64,
}

impl Findings {
    pub(crate) fn add_id(&mut self, id: u32) {
        *self += Self {
            count: 1,
            // Rotated, since a sum of multiples tells no more than the sum of the ids.
            hash: (u64::from(id) + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29),
        };
    }

    /// Whether a peer's results may be taken for these: some peers round where they prune, and
    /// differ at the very boundary.
    pub(crate) fn nearly(&self, other: &Self) -> bool {
        let difference = self.count.abs_diff(other.count);
        self == other || (difference > 0 && difference <= other.count / 100_000)
    }
}

impl AddAssign for Findings {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.hash = self.hash.wrapping_add(other.hash);
    }
}

/// The processor time of this thread in nanoseconds: being preempted does not count.
pub(crate) fn time<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let value = run();
    let taken: Duration = start.elapsed();
    (value, taken.as_nanos() as f64)
}

/// A contestant that took so many times the fastest's time is not asked more than [`FEW`] times.
const SLOW: f64 = 10.0;
const FEW: usize = 5;

/// Lets each contestant run once to warm up, then in rounds, taking turns to go first. `run` tells
/// its nanoseconds; the answer has those of each contestant's rounds.
pub(crate) fn interleave(
    contestants: usize,
    rounds: u16,
    mut run: impl FnMut(usize) -> f64,
) -> Vec<Vec<f64>> {
    let warm: Vec<f64> = (0..contestants).map(&mut run).collect();
    let fastest = warm.iter().copied().fold(f64::INFINITY, f64::min);
    let mut samples = vec![Vec::new(); contestants];
    for round in 0..usize::from(rounds) {
        for turn in 0..contestants {
            let i = (turn + round) % contestants;
            if round < FEW || warm[i] < SLOW * fastest {
                samples[i].push(run(i));
            }
        }
    }
    samples
}
