//! The four strategies by which a step finds pairs, of which `step` chooses one: boxes are written into their slots, and
//! trees are searched for what is in doubt.

use alloc::vec::Vec;

use super::items::{NO_SLOT, flag};
use super::pair_list::{differ, drop_flagged, flagged, pairs_of, sort};
use super::search::{PairSearch, PairsFound, Skip, TreeBoxes, mark, tree_boxes, unmark};
use super::tree::refill::gather;
use super::tree::refit::{refit_with_old, unite};
use super::{Engine, Memory};
use crate::simd::InstructionSet;
use crate::vector::Vector;

// The step in which few boxes moved: only they are asked, for what began and what ended.

impl<V: Vector> Engine<V> {
    /// Finds the pairs that began or ended.
    ///
    /// ```text
    /// take those out of their slots that are in doubt for another reason than a move
    /// mark the others, write them into their slots, and keep their blocks as they were
    /// ask each of them where it is and where it was, in both trees
    /// give slots to those that have none, ask these for all their pairs, and compare with those they had
    /// ```
    pub(super) fn find_changes_of_moved(&mut self, search: PairSearch<'_, V>) {
        self.take_out_touched();
        let mut unplaced = self.unplaced();
        self.memory.queries.clear();
        for &id in &self.pending {
            let slot = self.items.slots[id as usize];
            if slot != NO_SLOT {
                self.moving.mark(slot);
            }
        }
        let Memory {
            old_boxes, queries, ..
        } = &mut self.memory;
        let settled = unplaced.len();
        self.moving
            .shift_marked(&self.items.boxes, old_boxes, queries, &mut unplaced);
        for &id in &unplaced[settled..] {
            self.take(id);
        }
        refit_with_old(
            &mut self.moving,
            &self.memory.old_boxes,
            search.instructions,
        );
        self.resting.refit_levels(search.instructions);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let (boxes, queries, old_boxes) = (
            &self.items.boxes,
            &self.memory.queries,
            &self.memory.old_boxes,
        );
        for (to, skip) in [(&self.moving, Skip::Lower), (&self.resting, Skip::None)] {
            search.queries(boxes, queries, to, Some(old_boxes), skip, &mut found);
        }
        unmark(&mut self.moving, queries);
        self.keep_changes(found);
        self.compare_unplaced(unplaced, search);
    }
}

// The step in which few boxes are in doubt: only they are asked, for all pairs that they have.

impl<V: Vector> Engine<V> {
    /// Asks those in doubt.
    pub(super) fn find_pairs_of_changed(&mut self, search: PairSearch<'_, V>, wants_events: bool) {
        let set = search.instructions;
        let old = &mut self.memory.old;
        if wants_events {
            flagged(&self.pairs, &self.items.flags, flag::DOUBT, old);
        } else {
            drop_flagged(&mut self.pairs, &self.items.flags, flag::DOUBT, old);
        }
        self.write_pending(set);
        let mut found = self.find_pairs_of(flag::DOUBT, search);
        if wants_events {
            sort(&mut found.begun, &mut self.memory.keys[0]);
            self.compare(&found.begun);
        } else {
            self.pairs.append(&mut found.begun);
        }
        self.memory.found = found;
    }

    /// Writes all that moved into their slots, and gives slots to those that have none.
    pub(super) fn write_pending(&mut self, set: InstructionSet) {
        let mut unplaced = self.unplaced();
        for at in 0..self.pending.len() {
            self.write_moved(self.pending[at], &mut unplaced);
        }
        self.give_slots(unplaced, set);
    }

    /// Writes a box that moved into its slot, or takes it out if it has left its block's
    /// surroundings.
    pub(super) fn write_moved(&mut self, id: u32, unplaced: &mut Vec<u32>) {
        let slot = self.items.slots[id as usize];
        if slot == NO_SLOT || !self.items.has(id, flag::MOVED) {
            return;
        }
        let bounds = self.items.boxes[id as usize];
        if !self.tree_of(id).shift(slot, &bounds) {
            self.take(id);
            unplaced.push(id);
        }
    }

    /// The pairs of those that have a flag.
    pub(super) fn find_pairs_of(&mut self, any: u8, search: PairSearch<'_, V>) -> PairsFound {
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let (pending, items) = (&self.pending, &self.items);
        let (boxes, moving, resting) = (&items.boxes, &mut self.moving, &mut self.resting);
        moving.refit_levels(search.instructions);
        resting.refit_levels(search.instructions);
        let moved = mark(moving, pending, items, false, any);
        let rested = mark(resting, pending, items, true, any);
        for (queries, to, skip) in [
            (&moved, &*moving, Skip::Lower),
            (&moved, &*resting, Skip::None),
            (&rested, &*moving, Skip::All),
            (&rested, &*resting, Skip::Lower),
        ] {
            search.queries(boxes, queries, to, None, skip, &mut found);
        }
        unmark(moving, &moved);
        unmark(resting, &rested);
        found
    }
}

// The step in which most boxes moved and few pairs changed: only these are found.

impl<V: Vector> Engine<V> {
    /// Finds the pairs that began or ended.
    pub(super) fn find_changes_of_all(&mut self, search: PairSearch<'_, V>) {
        let set = search.instructions;
        self.take_out_touched();
        let mut unplaced = self.unplaced();
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
            Some(&mut self.memory.before),
            &mut unplaced,
            set,
        );
        unite(&self.moving, &mut self.memory.both, set);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let moving = TreeBoxes {
            before: &self.memory.before,
            above: &self.memory.both,
            ..tree_boxes(&self.moving)
        };
        search.within(&self.items.boxes, moving, &mut found);
        let work = found.work.cost();
        search.between(
            &self.items.boxes,
            moving,
            tree_boxes(&self.resting),
            &mut found,
        );
        self.note_cost(false, work);
        self.keep_changes(found);
        self.compare_unplaced(unplaced, search);
        self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
    }

    /// Takes those out of their slots that are in doubt for other reasons than a move.
    pub(super) fn take_out_touched(&mut self) {
        for at in 0..self.other_doubts().len() {
            let id = self.pending[at];
            let apart = self.items.has(id, flag::TOUCHED | flag::RESTS);
            if apart && self.items.has(id, flag::ALIVE) {
                self.take(id);
            }
        }
    }

    /// Takes in what began and ended among those that have slots.
    pub(super) fn keep_changes(&mut self, mut found: PairsFound) {
        self.begun.append(&mut found.begun);
        self.ended.append(&mut found.ended);
        self.memory.found = found;
    }

    /// Finds what began and ended among those that have no slot or had none.
    pub(super) fn compare_unplaced(&mut self, unplaced: Vec<u32>, search: PairSearch<'_, V>) {
        let apart = flag::UNPLACED | flag::ENDED;
        let any = |id: &u32| self.items.has(*id, apart);
        if !unplaced.is_empty() || self.other_doubts().iter().any(any) {
            self.give_slots(unplaced, search.instructions);
            let mut found = self.find_pairs_of(flag::UNPLACED, search);
            sort(&mut found.begun, &mut self.memory.keys[0]);
            flagged(&self.pairs, &self.items.flags, apart, &mut self.memory.old);
            self.compare(&found.begun);
            self.memory.found = found;
        } else {
            self.memory.unplaced = unplaced;
        }
    }
}

// The step in which most boxes moved and all pairs are found.

impl<V: Vector> Engine<V> {
    /// Finds all pairs in which a box does not rest or is in doubt. Returns whether the list is yet to
    /// be patched.
    pub(super) fn find_all_pairs(&mut self, search: PairSearch<'_, V>, wants_events: bool) -> bool {
        let set = search.instructions;
        let mut unplaced = self.unplaced();
        gather(&mut self.moving, &mut self.items, None, &mut unplaced, set);
        for at in 0..self.other_doubts().len() {
            if self.items.has(self.pending[at], flag::RESTS) {
                self.write_moved(self.pending[at], &mut unplaced);
            }
        }
        self.give_slots(unplaced, set);
        self.moving.refit_levels(set);
        self.resting.refit_levels(set);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let rest = self.resting.len > 0;
        if !rest && !wants_events {
            // Into the memory of the list, which is not asked any more.
            core::mem::swap(&mut self.pairs, &mut found.begun);
            found.begun.clear();
        }
        search.within(&self.items.boxes, tree_boxes(&self.moving), &mut found);
        let work = found.work.cost();
        if rest {
            self.find_pairs_of_resting(search, &mut found);
        }
        self.note_cost(true, work);
        let (old, keys) = (&mut self.memory.old, &mut self.memory.keys[0]);
        if wants_events {
            sort(&mut found.begun, keys);
        }
        if rest {
            // The pairs of those that rest and are not in doubt stay.
            let flags = self.items.flags.iter();
            let doubts = &mut self.memory.doubts;
            doubts.clear();
            doubts.extend(
                flags.map(|flags| u8::from(flags & flag::DOUBT != 0 || flags & flag::RESTS == 0)),
            );
            if wants_events {
                flagged(&self.pairs, doubts, 1, old);
                self.compare(&found.begun);
            } else {
                drop_flagged(&mut self.pairs, doubts, 1, old);
                self.pairs.append(&mut found.begun);
            }
        } else if wants_events {
            core::mem::swap(old, &mut self.pairs);
            self.compare(&found.begun);
            core::mem::swap(&mut self.pairs, &mut found.begun);
        } else {
            core::mem::swap(&mut self.pairs, &mut found.begun);
        }
        self.memory.found = found;
        if wants_events {
            self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
        }
        rest
    }

    /// Finds the pairs of those that rest with those that do not, and with those that rest too and are
    /// in doubt.
    fn find_pairs_of_resting(&mut self, search: PairSearch<'_, V>, found: &mut PairsFound) {
        let (resting, pending, items) = (&mut self.resting, &self.pending, &self.items);
        search.between(
            &items.boxes,
            tree_boxes(&self.moving),
            tree_boxes(resting),
            found,
        );
        let queries = mark(resting, pending, items, true, flag::DOUBT);
        search.queries(&items.boxes, &queries, resting, None, Skip::Lower, found);
        unmark(resting, &queries);
    }
}

// What they have in common.

impl<V: Vector> Engine<V> {
    /// The ids in doubt, or none where all of them have slots among those that may move, and moved.
    pub(super) fn other_doubts(&self) -> &[u32] {
        if self.has_other_doubts {
            &self.pending
        } else {
            &[]
        }
    }

    /// The ids that are in use and have no slot.
    fn unplaced(&mut self) -> Vec<u32> {
        let mut unplaced = core::mem::take(&mut self.memory.unplaced);
        unplaced.clear();
        let items = &self.items;
        let ids = self.other_doubts().iter().copied();
        unplaced.extend(
            ids.filter(|&id| items.has(id, flag::ALIVE) && items.slots[id as usize] == NO_SLOT),
        );
        unplaced
    }

    fn give_slots(&mut self, unplaced: Vec<u32>, set: InstructionSet) {
        let rests = |id: &u32| self.items.flags[*id as usize] & flag::RESTS != 0;
        let (resting, moving): (Vec<u32>, Vec<u32>) = unplaced.iter().partition(|id| rests(id));
        self.moving.give_slots(&mut self.items, &moving, set);
        self.resting.give_slots(&mut self.items, &resting, set);
        self.memory.unplaced = unplaced;
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
    fn note_cost(&mut self, all: bool, work: usize) {
        let base = match self.base {
            Some((way, base)) if way == all => base.min(work),
            _ => work,
        };
        self.base = Some((all, base));
        self.moving.disorder += (work - base) as f64 / 3.0;
    }
}
