//! The timing loop.

use std::time::Duration;

use cpu_time::ThreadTime;

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
    /// Whether it need not be waited for. The two of this crate are compared, whoever is ahead.
    pub(crate) fn may_be_slow(self) -> bool {
        matches!(self, Self::Peer | Self::Reference)
    }
}

/// The processor time of this thread in nanoseconds: being preempted does not count.
pub(crate) fn time<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let value = run();
    let taken: Duration = start.elapsed();
    (value, taken.as_nanos() as f64)
}

/// A contestant that took so many times the fastest peer's time, and so many nanoseconds, is not
/// asked again after its first run.
pub(crate) const SLOW: f64 = 6.0;
pub(crate) const LONG: f64 = 2e8;

/// Lets each contestant run once to warm up, then in rounds, taking turns to go first. `run` tells
/// its nanoseconds; the answer has those of each contestant's rounds, or of its first run where it
/// is too slow to be waited for.
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
