//! The ways of a step.

use alloc::vec::Vec;

use super::blocks::{Blocks, Found, Side};
use super::items::{Items, NOWHERE, flag};
use super::lists::{differ, flagged, pairs_of, patch, sort};
use super::marked::{Leave, MarkedBoxes};
use super::refit::{gather, unite};
use super::row;
use super::tree::Tree;
use super::{Engine, Judge};
use crate::simd::LANES;
use crate::{InstructionSet, Scalar, Vector};

/// The share of boxes, as one of so many, up to which those that moved are asked one by one.
const FEW: usize = 7;
/// The share of pairs, as one of so many, from which on changes are found by comparing lists.
const CALM: usize = 5;
/// The share of boxes whose order is renewed in a step in which most moved, as one of so many.
const PARTS: usize = 8;

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
        if self.pending.is_empty() {
            return;
        }
        let set = self.instructions();
        let way = self.way(judge);
        let budget = match way {
            Way::Few => {
                self.step_few(judge, set);
                2 * self.pending.len()
            }
            Way::Changes => {
                self.step_changes(judge, set);
                self.moving.len / PARTS
            }
            Way::All => {
                self.step_all(judge, set);
                self.moving.len / PARTS
            }
        };
        for &id in &self.pending {
            self.items.flags[id as usize] &= flag::ALIVE | flag::RESTS;
        }
        self.pending.clear();
        for tree in [&mut self.moving, &mut self.resting] {
            tree.tidy(&mut self.items, set);
            if tree.disorder > tree.len as f64 || tree.strays > tree.len / 16 + 2 * LANES * LANES {
                tree.start_renewal(&self.items);
            }
            if tree.renew(&mut self.items, budget + 4 * LANES, set) {
                self.base = None;
            }
            tree.refit_levels(set);
        }
    }

    fn way(&self, judge: &impl Judge) -> Way {
        let (mut lost, mut moved) = (0, 0);
        for &id in &self.pending {
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
            && CALM * (self.last_events) < self.pairs.len() / 2
        {
            Way::Changes
        } else {
            Way::All
        }
    }

    /// Asks those in doubt.
    fn step_few(&mut self, judge: &impl Judge, set: InstructionSet) {
        let mut lost = self.lost();
        for at in 0..self.pending.len() {
            self.move_in(self.pending[at], &mut lost);
        }
        self.settle(lost, set);
        let mut found = self.ask(flag::DOUBT, judge, set);
        sort(&mut found.begun, &mut self.memory.keys);
        flagged(
            &self.pairs,
            &self.items.flags,
            flag::DOUBT,
            &mut self.memory.old,
        );
        self.compare(&found.begun);
        self.patch();
    }

    /// Finds all pairs in which a box does not rest or is in doubt.
    fn step_all(&mut self, judge: &impl Judge, set: InstructionSet) {
        let mut lost = self.lost();
        gather(
            &mut self.moving,
            &mut self.items,
            &mut self.memory.before,
            &mut lost,
            set,
        );
        for at in 0..self.pending.len() {
            if self.items.has(self.pending[at], flag::RESTS) {
                self.move_in(self.pending[at], &mut lost);
            }
        }
        self.settle(lost, set);
        self.moving.refit_levels(set);
        self.resting.refit_levels(set);
        let mut found = Found::default();
        let moving = side(&self.moving);
        search(moving, moving, true, false, judge, &mut found, set);
        let work = found.work.cost();
        if self.resting.len > 0 {
            search(
                moving,
                side(&self.resting),
                false,
                false,
                judge,
                &mut found,
                set,
            );
            if mark(
                &self.pending,
                &self.items,
                &mut self.resting,
                true,
                flag::DOUBT,
            ) {
                set.run(MarkedBoxes {
                    from: &self.resting,
                    to: &self.resting,
                    leave: Leave::Lower,
                    judge,
                    found: &mut found,
                });
            }
            unmark(&self.pending, &self.items, &mut self.resting, true);
        }
        self.count(true, work);
        sort(&mut found.begun, &mut self.memory.keys);
        if self.resting.len > 0 {
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
            self.patch();
        } else {
            core::mem::swap(&mut self.memory.old, &mut self.pairs);
            self.compare(&found.begun);
            self.pairs = found.begun;
        }
        self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
    }

    /// Finds the pairs that began or ended.
    fn step_changes(&mut self, judge: &impl Judge, set: InstructionSet) {
        // What is in doubt for other reasons than a move is asked apart.
        for at in 0..self.pending.len() {
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
        let mut found = Found::default();
        let moving = Side {
            before: &self.memory.before,
            above: &self.memory.both,
            ..side(&self.moving)
        };
        search(moving, moving, true, true, judge, &mut found, set);
        let work = found.work.cost();
        if self.resting.len > 0 {
            search(
                moving,
                side(&self.resting),
                false,
                true,
                judge,
                &mut found,
                set,
            );
        }
        self.count(false, work);
        self.begun.append(&mut found.begun);
        self.ended.append(&mut found.ended);
        let apart = flag::LOST | flag::ENDED;
        if self.pending.iter().any(|&id| self.items.has(id, apart)) {
            self.settle(lost, set);
            let mut found = self.ask(flag::LOST, judge, set);
            sort(&mut found.begun, &mut self.memory.keys);
            flagged(&self.pairs, &self.items.flags, apart, &mut self.memory.old);
            self.compare(&found.begun);
        } else {
            self.memory.lost = lost;
        }
        sort(&mut self.begun, &mut self.memory.keys);
        sort(&mut self.ended, &mut self.memory.keys);
        self.patch();
        self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
    }

    /// The ids that are in use and have no slot.
    fn lost(&mut self) -> Vec<u32> {
        let mut lost = core::mem::take(&mut self.memory.lost);
        lost.clear();
        let items = &self.items;
        let ids = self.pending.iter().copied();
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
        if !crate::Overlaps::overlaps(&near, &bounds) {
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
    fn ask(&mut self, any: u8, judge: &dyn Judge, set: InstructionSet) -> Found {
        let (pending, items) = (&self.pending, &self.items);
        self.moving.refit_levels(set);
        self.resting.refit_levels(set);
        let moving = mark(pending, items, &mut self.moving, false, any);
        let resting = mark(pending, items, &mut self.resting, true, any);
        let mut found = Found::default();
        let trees = [&self.moving, &self.resting];
        for (is_asked, from, to, leave) in [
            (moving, 0, 0, Leave::Lower),
            (moving, 0, 1, Leave::None),
            (resting, 1, 0, Leave::Marked),
            (resting, 1, 1, Leave::Lower),
        ] {
            if is_asked {
                set.run(MarkedBoxes {
                    from: trees[from],
                    to: trees[to],
                    leave,
                    judge,
                    found: &mut found,
                });
            }
        }
        unmark(pending, items, &mut self.moving, false);
        unmark(pending, items, &mut self.resting, true);
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

    /// Brings the list up to what began and ended.
    fn patch(&mut self) {
        if !self.begun.is_empty() || !self.ended.is_empty() {
            patch(&self.pairs, &self.begun, &self.ended, &mut self.memory.old);
            core::mem::swap(&mut self.pairs, &mut self.memory.old);
        }
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

fn side<V: Vector>(tree: &Tree<V>) -> Side<'_, V> {
    let rows = tree.levels.first().map(Vec::as_slice).unwrap_or_default();
    Side {
        ids: &tree.ids,
        now: rows,
        before: rows,
        above: tree.above(),
    }
}

/// Searches all nodes of a side.
fn search<V: Vector>(
    from: Side<'_, V>,
    to: Side<'_, V>,
    same: bool,
    changes: bool,
    judge: &dyn Judge,
    found: &mut Found,
    set: InstructionSet,
) {
    let (Some(tops), false) = (from.above.first(), to.above.is_empty()) else {
        return;
    };
    set.run(Blocks {
        from,
        to,
        same,
        changes,
        nodes: 0..tops.len(),
        judge,
        found,
    });
}

/// Marks the slots of those that have a flag; returns whether there are any.
fn mark<V: Vector>(
    pending: &[u32],
    items: &Items<V>,
    tree: &mut Tree<V>,
    rests: bool,
    any: u8,
) -> bool {
    let mut marked = false;
    for &id in pending {
        let place = items.place[id as usize];
        if place != NOWHERE && items.has(id, flag::RESTS) == rests && items.has(id, any) {
            tree.mark(place);
            marked = true;
        }
    }
    marked
}

fn unmark<V: Vector>(pending: &[u32], items: &Items<V>, tree: &mut Tree<V>, rests: bool) {
    for &id in pending {
        let place = items.place[id as usize];
        if place != NOWHERE && items.has(id, flag::RESTS) == rests {
            tree.marks[place as usize / LANES] = 0;
        }
    }
}
