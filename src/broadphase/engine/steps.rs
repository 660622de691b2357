//! The ways of a step.

mod all;
mod changes;
mod few;
mod moves;

use alloc::vec::Vec;

use super::items::{NOWHERE, flag};
use super::lists::{differ, pairs_of, sort};
use super::patch::patch;
use super::search::Search;
use super::splice::splice;
use super::tree::NODE;
use super::{Engine, Judge};
use crate::parallel::{GRAIN, gathered, join_if};
use crate::simd::LANES;
use crate::{InstructionSet, Vector};

/// The share of boxes, as one of so many, up to which those that moved are asked one by one.
const FEW: usize = 7;
/// The share of pairs, as one of so many, from which on changes are found by comparing lists.
const CALM: usize = 5;
/// The share of pairs, as one of so many, up to which the list is changed where it lies.
const QUIET: usize = 512;
/// The share of boxes whose order is renewed in a step in which most moved, as one of so many.
const PARTS: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Moves,
    Few,
    Changes,
    All,
}

impl<V: Vector> Engine<V> {
    /// Brings the pairs up to date, sorted, and finds which began and which ended.
    pub(in super::super) fn step(&mut self, judge: &impl Judge<V>) {
        if !self.is_sorted {
            sort(&mut self.pairs, &mut self.memory.keys[0]);
            self.is_sorted = true;
        }
        self.advance(judge, true);
    }

    /// Brings the pairs up to date, in an order of its own.
    pub(in super::super) fn refresh(&mut self, judge: &impl Judge<V>) {
        self.advance(judge, false);
        self.begun.clear();
        self.ended.clear();
    }

    /// `told` says whether changes are to be found.
    fn advance(&mut self, judge: &impl Judge<V>, told: bool) {
        self.begun.clear();
        self.ended.clear();
        if !self.pending.is_empty() {
            gathered(self.pending.len() > GRAIN, || {
                self.step_pending(judge, told);
            });
        }
    }

    fn step_pending(&mut self, judge: &impl Judge<V>, told: bool) {
        let set = self.instructions();
        let way = self.way(judge, told);
        let changes = matches!(way, Way::Moves | Way::Changes);
        self.is_sorted = told || changes;
        let search = Search {
            judge,
            instructions: set,
            changes,
        };
        let mut patches = true;
        match way {
            Way::Moves => self.step_moves(search),
            Way::Few => self.step_few(search, told),
            Way::Changes => self.step_changes(search),
            Way::All => patches = self.step_all(search, told),
        }
        patches &= !self.begun.is_empty() || !self.ended.is_empty();
        self.items.calm(&self.pending);
        // What has no slot any more is much work to renew in time, what moved is little.
        let all = self.moving.len;
        let part = all / PARTS;
        let budget = match way {
            Way::Moves | Way::Few => part.min(2 * self.pending.len() + 16 * self.memory.lost.len()),
            _ => part,
        };
        let most = matches!(way, Way::Changes | Way::All);
        self.pending.clear();
        self.is_mixed = false;
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
        join_if(
            patches && pairs.len() > GRAIN,
            || {
                if changes {
                    let [keys, other_keys] = &mut memory.keys;
                    join_if(
                        begun.len().min(ended.len()) > GRAIN / 4,
                        || sort(begun, keys),
                        || sort(ended, other_keys),
                    );
                }
                if patches && QUIET * (begun.len() + ended.len()) < pairs.len() {
                    splice(pairs, begun, ended);
                } else if patches {
                    patch(pairs, begun, ended, &mut memory.old, set);
                    core::mem::swap(pairs, &mut memory.old);
                }
            },
            || {
                for tree in [moving, resting] {
                    let tidied = tree.tidy(items, set);
                    if tree.disorder > tree.len as f64 || tree.strays > tree.len / 16 + NODE / 2 {
                        tree.start_renewal(items);
                    }
                    let renews = tree.renewal.is_on();
                    let whole = most && tree.len <= all;
                    if tree.renew(items, budget + 4 * LANES, whole, set) {
                        *base = None;
                    }
                    // Else no bounds are too small, and what is stale waits for the next step.
                    if tidied || renews {
                        tree.refit_levels(set);
                    }
                }
            },
        );
    }

    fn way(&self, judge: &impl Judge<V>, told: bool) -> Way {
        let (mut lost, mut moved) = (0, 0);
        if !self.is_mixed {
            moved = self.pending.len();
        }
        for &id in self.mixed() {
            let flags = self.items.flags[id as usize];
            if flags & (flag::ALIVE | flag::RESTS) == flag::ALIVE {
                lost += usize::from(flags & flag::LOST != 0);
                moved += 1;
            }
        }
        let boxes = self.moving.len + lost;
        let changes = self.is_sorted && judge.is_steady();
        if moved <= boxes / FEW {
            if changes { Way::Moves } else { Way::Few }
        } else if told
            && changes
            && lost <= boxes / 16
            && CALM * self.last_events < pairs_of(&self.pairs).len()
        {
            Way::Changes
        } else {
            Way::All
        }
    }

    /// The ids in doubt, or none where all of them have slots among those that may move, and moved.
    fn mixed(&self) -> &[u32] {
        if self.is_mixed { &self.pending } else { &[] }
    }

    /// The ids that are in use and have no slot.
    fn lost(&mut self) -> Vec<u32> {
        let mut lost = core::mem::take(&mut self.memory.lost);
        lost.clear();
        let items = &self.items;
        let ids = self.mixed().iter().copied();
        lost.extend(
            ids.filter(|&id| items.has(id, flag::ALIVE) && items.place[id as usize] == NOWHERE),
        );
        lost
    }

    fn settle(&mut self, lost: Vec<u32>, set: InstructionSet) {
        let rests = |id: &u32| self.items.flags[*id as usize] & flag::RESTS != 0;
        let (resting, moving): (Vec<u32>, Vec<u32>) = lost.iter().partition(|id| rests(id));
        self.moving.settle(&mut self.items, &moving, set);
        self.resting.settle(&mut self.items, &resting, set);
        self.memory.lost = lost;
    }

    /// Appends what began and what ended between `memory.old` and a list.
    fn compare(&mut self, new: &[u32]) {
        let flags = &self.items.flags;
        differ(
            &self.memory.old,
            new,
            |[a, b]| (flags[a as usize] | flags[b as usize]) & flag::ENDED != 0,
            &mut self.begun,
            &mut self.ended,
        );
    }

    /// Counts what the order costs since it was renewed.
    fn count(&mut self, all: bool, work: usize) {
        let base = match self.base {
            Some((way, base)) if way == all => base.min(work),
            _ => work,
        };
        self.base = Some((all, base));
        self.moving.disorder += (work - base) as f64 / 3.0;
    }
}
