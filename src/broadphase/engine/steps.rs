//! The ways of a step.

use alloc::vec::Vec;

use super::blocks::{Found, Side};
use super::items::{NOWHERE, flag};
use super::lists::{differ, flagged, pairs_of, sort};
use super::marked::Leave;
use super::patch::patch;
use super::refit::{gather, unite};
use super::row;
use super::search::{Search, mark, side, unmark};
use super::tree::NODE;
use super::{Engine, Judge};
use crate::parallel::{GRAIN, gathered, join_if};
use crate::simd::LANES;
use crate::{InstructionSet, Overlaps, Scalar, Vector};

/// The share of boxes, as one of so many, up to which those that moved are asked one by one.
const FEW: usize = 7;
/// The share up to which the trees are asked for the pairs that those had.
const ASKED: usize = 50;
/// The share of pairs, as one of so many, from which on changes are found by comparing lists.
const CALM: usize = 5;
/// The share of boxes whose order is renewed in a step in which most moved, as one of so many.
const PARTS: usize = 3;

/// Every overlap is a pair.
struct Any;

impl Judge for Any {
    fn all(&self) -> bool {
        true
    }

    fn judges(&self, _: u32, _: u32) -> bool {
        true
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Few,
    Changes,
    All,
}

impl<V: Vector> Engine<V> {
    /// Brings the pairs up to date.
    pub(in super::super) fn step(&mut self, judge: &impl Judge) {
        self.begun.clear();
        self.ended.clear();
        if !self.pending.is_empty() {
            gathered(self.pending.len() > GRAIN, || self.step_pending(judge));
        }
    }

    fn step_pending(&mut self, judge: &impl Judge) {
        let set = self.instructions();
        let way = self.way(judge);
        let search = Search {
            judge,
            instructions: set,
            changes: way == Way::Changes,
        };
        let mut patches = true;
        match way {
            Way::Few => self.step_few(search),
            Way::Changes => self.step_changes(search),
            Way::All => patches = self.step_all(search),
        }
        patches &= !self.begun.is_empty() || !self.ended.is_empty();
        for &id in &self.pending {
            self.items.flags[id as usize] &= flag::ALIVE | flag::RESTS;
        }
        // What has no slot any more is much work to renew in time, what moved is little.
        let part = self.moving.len / PARTS;
        let budget = match way {
            Way::Few => part.min(2 * self.pending.len() + 16 * self.memory.lost.len()),
            _ => part,
        };
        self.pending.clear();
        self.is_mixed = false;
        self.was_all = judge.all();
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
                if patches {
                    patch(pairs, begun, ended, &mut memory.old, set);
                    core::mem::swap(pairs, &mut memory.old);
                }
            },
            || {
                for tree in [moving, resting] {
                    tree.tidy(items, set);
                    if tree.disorder > tree.len as f64 || tree.strays > tree.len / 16 + NODE / 2 {
                        tree.start_renewal(items);
                    }
                    if tree.renew(items, budget + 4 * LANES, set) {
                        *base = None;
                    }
                    tree.refit_levels(set);
                }
            },
        );
    }

    fn way(&self, judge: &impl Judge) -> Way {
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
        if moved <= boxes / FEW {
            Way::Few
        } else if judge.is_steady()
            && lost <= boxes / 16
            && CALM * self.last_events < pairs_of(&self.pairs).len()
        {
            Way::Changes
        } else {
            Way::All
        }
    }

    /// Asks those in doubt.
    fn step_few(&mut self, search: Search<'_>) {
        let set = search.instructions;
        let mut lost = self.lost();
        let gone = flag::LOST | flag::ENDED;
        let asks = self.pending.len() * ASKED < self.moving.len
            && !self.mixed().iter().any(|&id| self.items.has(id, gone));
        let mut old = core::mem::take(&mut self.memory.old);
        if asks {
            // So few that the list need not be read: the trees know what they had.
            let mut found = self.ask(
                flag::DOUBT,
                Search {
                    judge: &Any,
                    ..search
                },
            );
            // Though all overlaps may be pairs now, they need not have been.
            if !self.was_all {
                let pairs = pairs_of(&self.pairs);
                let had = pairs_of(&found.begun).iter().copied();
                let had = had.filter(|pair| pairs.binary_search(pair).is_ok());
                found.begun = had.flatten().collect();
            }
            sort(&mut found.begun, &mut self.memory.keys[0]);
            core::mem::swap(&mut old, &mut found.begun);
            self.memory.found = found;
        } else {
            flagged(&self.pairs, &self.items.flags, flag::DOUBT, &mut old);
        }
        self.memory.old = old;
        for at in 0..self.pending.len() {
            self.move_in(self.pending[at], &mut lost);
        }
        self.settle(lost, set);
        let mut found = self.ask(flag::DOUBT, search);
        sort(&mut found.begun, &mut self.memory.keys[0]);
        self.compare(&found.begun);
        self.memory.found = found;
    }

    /// Finds all pairs in which a box does not rest or is in doubt. Returns whether the list is yet to
    /// be patched.
    fn step_all(&mut self, search: Search<'_>) -> bool {
        let set = search.instructions;
        let mut lost = self.lost();
        gather(
            &mut self.moving,
            &mut self.items,
            &mut self.memory.before,
            &mut lost,
            set,
        );
        for at in 0..self.mixed().len() {
            if self.items.has(self.pending[at], flag::RESTS) {
                self.move_in(self.pending[at], &mut lost);
            }
        }
        self.settle(lost, set);
        self.moving.refit_levels(set);
        self.resting.refit_levels(set);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        search.within(side(&self.moving), &mut found);
        let work = found.work.cost();
        let rest = self.resting.len > 0;
        if rest {
            let (resting, pending, items) = (&mut self.resting, &self.pending, &self.items);
            search.between(side(&self.moving), side(resting), &mut found);
            if mark(resting, pending, items, true, flag::DOUBT) {
                let many = pending.len();
                search.marked(resting, resting, Leave::Lower, many, &mut found);
                unmark(resting, pending, items, true);
            }
        }
        self.count(true, work);
        sort(&mut found.begun, &mut self.memory.keys[0]);
        if rest {
            let doubts = &mut self.memory.doubts;
            doubts.clear();
            doubts.extend(
                self.items
                    .flags
                    .iter()
                    .map(|flags| u8::from(flags & flag::DOUBT != 0 || flags & flag::RESTS == 0)),
            );
            flagged(&self.pairs, doubts, 1, &mut self.memory.old);
            self.compare(&found.begun);
        } else {
            core::mem::swap(&mut self.memory.old, &mut self.pairs);
            self.compare(&found.begun);
            core::mem::swap(&mut self.pairs, &mut found.begun);
        }
        self.memory.found = found;
        self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
        rest
    }

    /// Finds the pairs that began or ended.
    fn step_changes(&mut self, search: Search<'_>) {
        let set = search.instructions;
        // What is in doubt for other reasons than a move is asked apart.
        for at in 0..self.mixed().len() {
            let id = self.pending[at];
            let apart = self.items.has(id, flag::TOUCHED | flag::RESTS);
            if apart && self.items.has(id, flag::ALIVE) {
                self.take(id);
            }
        }
        let mut lost = self.lost();
        self.moving.refit_levels(set);
        self.resting.refit_levels(set);
        let above = self.moving.above();
        self.memory.both.resize(above.len(), Vec::new());
        for (both, above) in self.memory.both.iter_mut().zip(above) {
            both.clone_from(above);
        }
        gather(
            &mut self.moving,
            &mut self.items,
            &mut self.memory.before,
            &mut lost,
            set,
        );
        unite(&self.moving, &mut self.memory.both, set);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let moving = Side {
            before: &self.memory.before,
            above: &self.memory.both,
            ..side(&self.moving)
        };
        search.within(moving, &mut found);
        let work = found.work.cost();
        search.between(moving, side(&self.resting), &mut found);
        self.count(false, work);
        self.begun.append(&mut found.begun);
        self.ended.append(&mut found.ended);
        self.memory.found = found;
        let apart = flag::LOST | flag::ENDED;
        let any = |id: &u32| self.items.has(*id, apart);
        if !lost.is_empty() || self.mixed().iter().any(any) {
            self.settle(lost, set);
            let mut found = self.ask(flag::LOST, search);
            sort(&mut found.begun, &mut self.memory.keys[0]);
            flagged(&self.pairs, &self.items.flags, apart, &mut self.memory.old);
            self.compare(&found.begun);
            self.memory.found = found;
        } else {
            self.memory.lost = lost;
        }
        let [keys, other_keys] = &mut self.memory.keys;
        let (begun, ended) = (&mut self.begun, &mut self.ended);
        join_if(
            begun.len().min(ended.len()) > GRAIN / 4,
            || sort(begun, keys),
            || sort(ended, other_keys),
        );
        self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
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

    /// Writes a box that moved into its slot, or takes it out if it has left its block's
    /// surroundings.
    fn move_in(&mut self, id: u32, lost: &mut Vec<u32>) {
        let place = self.items.place[id as usize];
        if place == NOWHERE || !self.items.has(id, flag::MOVED) {
            return;
        }
        let (block, lane) = (place as usize / LANES, place as usize % LANES);
        let bounds = self.items.boxes[id as usize];
        let tree = self.tree_of(id);
        let around = &tree.levels[1][block / LANES];
        let near = row::surroundings(around, block % LANES);
        if !near.overlaps(&bounds) {
            self.take(id);
            lost.push(id);
            return;
        }
        let old = row::at(&tree.levels[0][block], lane);
        let (mut way, mut side) = (0.0, 0.0);
        for axis in 0..V::DIM {
            let moved: f64 = Scalar::abs(bounds.min().axis(axis) - old.min().axis(axis)).into();
            let extent: f64 = (near.max().axis(axis) - near.min().axis(axis)).into();
            way = if moved > way { moved } else { way };
            side = if extent > side { extent } else { side };
        }
        // Three sides of the block make its surroundings: an order is old when boxes have moved by
        // a quarter of a side.
        if way < side {
            tree.disorder += 12.0 * way / side;
        }
        row::put(&mut tree.levels[0][block], lane, &bounds);
        tree.stale[block] = true;
    }

    fn settle(&mut self, lost: Vec<u32>, set: InstructionSet) {
        let rests = |id: &u32| self.items.flags[*id as usize] & flag::RESTS != 0;
        let (resting, moving): (Vec<u32>, Vec<u32>) = lost.iter().partition(|id| rests(id));
        self.moving.settle(&mut self.items, &moving, set);
        self.resting.settle(&mut self.items, &resting, set);
        self.memory.lost = lost;
    }

    /// The pairs of those that have a flag.
    fn ask(&mut self, any: u8, search: Search<'_>) -> Found {
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let (pending, items) = (&self.pending, &self.items);
        let many = pending.len();
        let (moving, resting) = (&mut self.moving, &mut self.resting);
        moving.refit_levels(search.instructions);
        resting.refit_levels(search.instructions);
        let moved = mark(moving, pending, items, false, any);
        let rested = mark(resting, pending, items, true, any);
        if moved {
            search.marked(moving, moving, Leave::Lower, many, &mut found);
            search.marked(moving, resting, Leave::None, many, &mut found);
        }
        if rested {
            search.marked(resting, moving, Leave::Marked, many, &mut found);
            search.marked(resting, resting, Leave::Lower, many, &mut found);
        }
        unmark(moving, pending, items, false);
        unmark(resting, pending, items, true);
        found
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
        self.moving.disorder += (work - base) as f64 / 2.0;
    }
}
