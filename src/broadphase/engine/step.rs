//! A step, from beginning to end.
//!
//! ```text
//! choose a strategy, by how many boxes are in doubt and why:
//!     few, and boxes alone decide      each is asked where it is and where it was
//!     few, else                        each is asked for all its pairs, compared with those that it had
//!     most moved, few pairs changed    one walk over bounds of old and new places finds what changed
//!     most moved, much changed         one walk finds all pairs, and two lists are compared
//!     nothing is to be a pair          nothing is searched
//! by that, write boxes into their slots and find which pairs began and which ended
//! bring the sorted list of pairs up to date
//! meanwhile keep the trees in order: sort strays, renew a part of the order
//! ```
//!
//! A box is in doubt if it was inserted, removed, set to another place or touched since the last step. Where
//! nobody asks what changed, nothing is compared, and the list is in an order of its own.

use super::items::flag;
use super::pair_list::{pairs_of, patch, sort, splice};

use super::search::PairSearch;
use super::tree::NODE;
use super::{Engine, PairTest};
use crate::parallel::{GRAIN, in_pool, join_if};
use crate::simd::{InstructionSet, LANES};
use crate::vector::Vector;

/// Of so many boxes one may have moved where each that did is asked for itself.
const BOXES_TO_A_MOVED_ONE: usize = 7;
/// Of so many pairs one may have changed in the last step where one walk finds what changes.
const PAIRS_TO_A_CHANGE: usize = 5;
/// Of so many pairs one may have changed where the list is changed where it lies: a copy of it would be
/// most of the step.
const PAIRS_TO_A_SPLICE: usize = 512;
/// Of so many boxes the place of one in the order is renewed in a step in which most moved.
const BOXES_TO_A_RENEWAL: usize = 3;

/// How pairs are found.
#[derive(Clone, Copy, PartialEq)]
enum Strategy {
    /// Few are in doubt, and pairs depend on where boxes are alone: what began and ended is found by asking each of them.
    ChangesOfMoved,
    /// Few are in doubt, but pairs depend on more: all pairs of each are found.
    PairsOfChanged,
    /// Most moved: what began and what ended is found by one walk.
    ChangesOfAll,
    /// Most moved: all pairs are found by one walk.
    AllPairs,
    /// There are no pairs: boxes are only put where they are found.
    NoPairs,
}

impl Strategy {
    /// Whether what began and ended is found, and not compared from lists.
    fn finds_changes(self) -> bool {
        matches!(self, Self::ChangesOfMoved | Self::ChangesOfAll)
    }

    /// Whether every slot is written.
    fn writes_all(self) -> bool {
        matches!(self, Self::ChangesOfAll | Self::AllPairs)
    }
}

impl<V: Vector> Engine<V> {
    /// Brings the pairs up to date, sorted, and finds which began and which ended.
    pub(in super::super) fn step(&mut self, test: &impl PairTest<V>) {
        if !self.is_sorted {
            sort(&mut self.pairs, &mut self.memory.keys[0]);
            self.is_sorted = true;
        }
        self.advance(test, true);
    }

    /// Brings the pairs up to date, in an order of its own.
    pub(in super::super) fn refresh(&mut self, test: &impl PairTest<V>) {
        self.advance(test, false);
        self.begun.clear();
        self.ended.clear();
    }

    fn advance(&mut self, test: &impl PairTest<V>, wants_events: bool) {
        self.begun.clear();
        self.ended.clear();
        if !self.pending.is_empty() {
            in_pool(self.pending.len() > GRAIN, || {
                self.step_pending(test, wants_events);
            });
        }
    }

    /// The step of which the head of this file tells.
    fn step_pending(&mut self, test: &impl PairTest<V>, wants_events: bool) {
        let set = self.instructions();
        let strategy = self.choose(test, wants_events);
        let finds_changes = strategy.finds_changes();
        self.is_sorted = wants_events || finds_changes;
        let search = PairSearch {
            test,
            instructions: set,
            changes: finds_changes,
        };
        let mut patches = true;
        match strategy {
            Strategy::ChangesOfMoved => self.find_changes_of_moved(search),
            Strategy::PairsOfChanged => self.find_pairs_of_changed(search, wants_events),
            Strategy::ChangesOfAll => self.find_changes_of_all(search),
            Strategy::AllPairs => patches = self.find_all_pairs(search, wants_events),
            Strategy::NoPairs => {
                self.ended.append(&mut self.pairs);
                self.write_pending(set);
                patches = false;
            }
        }
        patches &= !self.begun.is_empty() || !self.ended.is_empty();
        let budget = self.renewal_budget(strategy);
        self.items.clear_flags(&self.pending);
        self.pending.clear();
        self.has_other_doubts = false;
        // From here on the list and the trees do not depend on each other: they are worked on at once.
        let Self {
            items,
            moving,
            resting,
            pairs,
            begun,
            ended,
            memory,
            base,
            ..
        } = self;
        let all = moving.len;
        join_if(
            patches && pairs.len() > GRAIN,
            || {
                if finds_changes {
                    let [keys, other_keys] = &mut memory.keys;
                    join_if(
                        begun.len().min(ended.len()) > GRAIN / 4,
                        || sort(begun, keys),
                        || sort(ended, other_keys),
                    );
                }
                if patches && PAIRS_TO_A_SPLICE * (begun.len() + ended.len()) < pairs.len() {
                    splice(pairs, begun, ended);
                } else if patches {
                    patch(pairs, begun, ended, &mut memory.old, set);
                    core::mem::swap(pairs, &mut memory.old);
                }
            },
            || {
                for tree in [moving, resting] {
                    let sorted_strays = tree.sort_many_strays(items, set);
                    if tree.disorder > tree.len as f64 || tree.strays > tree.len / 16 + NODE / 2 {
                        tree.start_renewal(items);
                    }
                    let renews = tree.renewal.is_on();
                    let whole = strategy.writes_all() && tree.len <= all;
                    if tree.renew(items, budget + 4 * LANES, whole, set) {
                        *base = None;
                    }
                    // Else no bounds are too small, and what is stale waits for the next step.
                    if sorted_strays || renews || strategy == Strategy::NoPairs {
                        tree.refit_levels(set);
                    }
                }
            },
        );
    }

    /// Chooses by how many boxes that may move are in doubt (up to a seventh of them is few), and whether what they were
    /// to others is known from their old boxes alone.
    fn choose(&self, test: &impl PairTest<V>, wants_events: bool) -> Strategy {
        if test.accepts_none() {
            return Strategy::NoPairs;
        }
        let (mut unplaced, mut moved) = (0, 0);
        if !self.has_other_doubts {
            moved = self.pending.len();
        }
        for &id in self.other_doubts() {
            let flags = self.items.flags[id as usize];
            if flags & (flag::ALIVE | flag::RESTS) == flag::ALIVE {
                unplaced += usize::from(flags & flag::UNPLACED != 0);
                moved += 1;
            }
        }
        let boxes = self.moving.len + unplaced;
        // Else what a box was to the others is not known from its place alone.
        let finds_changes = self.is_sorted && test.is_steady();
        if moved <= boxes / BOXES_TO_A_MOVED_ONE {
            if finds_changes {
                Strategy::ChangesOfMoved
            } else {
                Strategy::PairsOfChanged
            }
        } else if wants_events
            && finds_changes
            && unplaced <= boxes / 16
            && PAIRS_TO_A_CHANGE * self.last_events < pairs_of(&self.pairs).len()
        {
            Strategy::ChangesOfAll
        } else {
            Strategy::AllPairs
        }
    }

    /// About how many boxes may be given their slots of a new order in this step. What has no slot any
    /// more is much work to renew in time, what moved is little.
    fn renewal_budget(&self, strategy: Strategy) -> usize {
        let part = self.moving.len / BOXES_TO_A_RENEWAL;
        if strategy.writes_all() {
            part
        } else {
            part.min(2 * self.pending.len() + 16 * self.memory.unplaced.len())
        }
    }

    pub(super) fn instructions(&self) -> InstructionSet {
        self.instructions.unwrap_or_else(InstructionSet::best)
    }
}
