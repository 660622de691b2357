//! Runs salva's fluid solver on neighbor lists of this crate.
//!
//! In every step the lists of all particles are those that salva finds. With the lists of both in one order, every particle moves as with
//! salva's own, bit for bit.

mod dam;
mod driven;
mod search;

use std::time::Instant;

use crate::dam::Dam;
use crate::driven::Lists;

const STEPS: usize = 64;

#[test]
fn a_dam_breaks_on_these_lists_as_on_its_own() {
    let start = Instant::now();
    let mut theirs = Dam::new(Lists::Theirs);
    let mut ours = Dam::new(Lists::Ours);
    assert!(ours.particles() >= 8000);
    let (before, _) = ours.front();
    for step in 0..STEPS {
        theirs.step();
        ours.step();
        assert!(
            ours.state() == theirs.state(),
            "elsewhere after step {step}"
        );
    }
    let (front, outside) = ours.front();
    assert!(front > 1.5 * before, "the dam holds: {before} to {front}");
    assert_eq!(outside, 0, "particles left the tank");
    let notes = ours.notes();
    let mean = notes.contacts.map(|count| count / STEPS);
    let [their_time, our_time] = notes.time.map(|time| time / STEPS as u32);
    println!(
        "{} particles, {mean:?} contacts; a step's search {our_time:?}, salva's {their_time:?}; \
         the water came from {before} to {front} m; all {:?}",
        ours.particles(),
        start.elapsed()
    );
    let [inside, at_walls, of_walls] = mean;
    assert!(inside > 20 * ours.particles() && at_walls > 10_000 && of_walls > 10_000);
}
