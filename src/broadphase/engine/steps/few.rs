//! The step in which few boxes are in doubt: only they are asked, for all pairs that they have.

use alloc::vec::Vec;

use super::super::Engine;
use super::super::asked::Leave;
use super::super::found::Found;
use super::super::items::{NOWHERE, flag};
use super::super::lists::{drop_flagged, flagged, sort};
use super::super::search::{Search, mark, unmark};
use crate::Vector;

impl<V: Vector> Engine<V> {
    /// Asks those in doubt.
    pub(super) fn step_few(&mut self, search: Search<'_, V>, told: bool) {
        let set = search.instructions;
        let mut lost = self.lost();
        let old = &mut self.memory.old;
        if told {
            flagged(&self.pairs, &self.items.flags, flag::DOUBT, old);
        } else {
            drop_flagged(&mut self.pairs, &self.items.flags, flag::DOUBT, old);
        }
        for at in 0..self.pending.len() {
            self.move_in(self.pending[at], &mut lost);
        }
        self.settle(lost, set);
        let mut found = self.ask(flag::DOUBT, search);
        if told {
            sort(&mut found.begun, &mut self.memory.keys[0]);
            self.compare(&found.begun);
        } else {
            self.pairs.append(&mut found.begun);
        }
        self.memory.found = found;
    }

    /// Writes a box that moved into its slot, or takes it out if it has left its block's
    /// surroundings.
    pub(super) fn move_in(&mut self, id: u32, lost: &mut Vec<u32>) {
        let place = self.items.place[id as usize];
        if place == NOWHERE || !self.items.has(id, flag::MOVED) {
            return;
        }
        let bounds = self.items.boxes[id as usize];
        if !self.tree_of(id).shift(place, &bounds) {
            self.take(id);
            lost.push(id);
        }
    }

    /// The pairs of those that have a flag.
    pub(super) fn ask(&mut self, any: u8, search: Search<'_, V>) -> Found {
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let (pending, items) = (&self.pending, &self.items);
        let (boxes, moving, resting) = (&items.boxes, &mut self.moving, &mut self.resting);
        moving.refit_levels(search.instructions);
        resting.refit_levels(search.instructions);
        let moved = mark(moving, pending, items, false, any);
        let rested = mark(resting, pending, items, true, any);
        for (asked, to, leave) in [
            (&moved, &*moving, Leave::Lower),
            (&moved, &*resting, Leave::None),
            (&rested, &*moving, Leave::All),
            (&rested, &*resting, Leave::Lower),
        ] {
            search.asked(boxes, asked, to, None, leave, &mut found);
        }
        unmark(moving, &moved);
        unmark(resting, &rested);
        found
    }
}
