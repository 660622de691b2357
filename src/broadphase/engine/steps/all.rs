//! The step in which most boxes moved and all pairs are found.

use super::super::Engine;
use super::super::asked::Leave;
use super::super::found::Found;
use super::super::gather::gather;
use super::super::items::flag;
use super::super::lists::{drop_flagged, flagged, pairs_of, sort};
use super::super::search::{Search, mark, side, unmark};
use crate::Vector;

impl<V: Vector> Engine<V> {
    /// Finds all pairs in which a box does not rest or is in doubt. Returns whether the list is yet to
    /// be patched.
    pub(super) fn step_all(&mut self, search: Search<'_, V>, told: bool) -> bool {
        let set = search.instructions;
        let mut lost = self.lost();
        gather(&mut self.moving, &mut self.items, &mut lost, set);
        for at in 0..self.mixed().len() {
            if self.items.has(self.pending[at], flag::RESTS) {
                self.move_in(self.pending[at], &mut lost);
            }
        }
        self.settle(lost, set);
        self.moving.refit_levels(set);
        self.resting.refit_levels(set);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let rest = self.resting.len > 0;
        if !rest && !told {
            // Into the memory of the list, which is not asked any more.
            core::mem::swap(&mut self.pairs, &mut found.begun);
            found.begun.clear();
        }
        search.within(&self.items.boxes, side(&self.moving), &mut found);
        let work = found.work.cost();
        if rest {
            self.ask_resting(search, &mut found);
        }
        self.count(true, work);
        let (old, keys) = (&mut self.memory.old, &mut self.memory.keys[0]);
        if told {
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
            if told {
                flagged(&self.pairs, doubts, 1, old);
                self.compare(&found.begun);
            } else {
                drop_flagged(&mut self.pairs, doubts, 1, old);
                self.pairs.append(&mut found.begun);
            }
        } else if told {
            core::mem::swap(old, &mut self.pairs);
            self.compare(&found.begun);
            core::mem::swap(&mut self.pairs, &mut found.begun);
        } else {
            core::mem::swap(&mut self.pairs, &mut found.begun);
        }
        self.memory.found = found;
        if told {
            self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
        }
        rest
    }

    /// Finds the pairs of those that rest with those that do not, and with those that rest too and are
    /// in doubt.
    fn ask_resting(&mut self, search: Search<'_, V>, found: &mut Found) {
        let (resting, pending, items) = (&mut self.resting, &self.pending, &self.items);
        search.between(&items.boxes, side(&self.moving), side(resting), found);
        let asked = mark(resting, pending, items, true, flag::DOUBT);
        search.asked(&items.boxes, &asked, resting, None, Leave::Lower, found);
        unmark(resting, &asked);
    }
}
