//! The step in which most boxes moved and few pairs changed: only these are found.

use alloc::vec::Vec;

use super::super::Engine;
use super::super::blocks::Side;
use super::super::found::Found;
use super::super::gather::gather_after;
use super::super::items::flag;
use super::super::lists::{flagged, pairs_of, sort};
use super::super::refit::unite;
use super::super::search::{Search, side};
use crate::Vector;

impl<V: Vector> Engine<V> {
    /// Finds the pairs that began or ended.
    pub(super) fn step_changes(&mut self, search: Search<'_, V>) {
        let set = search.instructions;
        self.take_apart();
        let mut lost = self.lost();
        self.moving.refit_levels(set);
        self.resting.refit_levels(set);
        let above = self.moving.above();
        self.memory.both.resize(above.len(), Vec::new());
        for (both, above) in self.memory.both.iter_mut().zip(above) {
            both.clone_from(above);
        }
        gather_after(
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
        search.within(&self.items.boxes, moving, &mut found);
        let work = found.work.cost();
        search.between(&self.items.boxes, moving, side(&self.resting), &mut found);
        self.count(false, work);
        self.take_changes(found);
        self.settle_apart(lost, search);
        self.last_events = pairs_of(&self.begun).len() + pairs_of(&self.ended).len();
    }

    /// Takes those out of their slots that are in doubt for other reasons than a move.
    pub(super) fn take_apart(&mut self) {
        for at in 0..self.mixed().len() {
            let id = self.pending[at];
            let apart = self.items.has(id, flag::TOUCHED | flag::RESTS);
            if apart && self.items.has(id, flag::ALIVE) {
                self.take(id);
            }
        }
    }

    /// Takes in what began and ended among those that have slots.
    pub(super) fn take_changes(&mut self, mut found: Found) {
        self.begun.append(&mut found.begun);
        self.ended.append(&mut found.ended);
        self.memory.found = found;
    }

    /// Finds what began and ended among those that have no slot or had none.
    pub(super) fn settle_apart(&mut self, lost: Vec<u32>, search: Search<'_, V>) {
        let apart = flag::LOST | flag::ENDED;
        let any = |id: &u32| self.items.has(*id, apart);
        if !lost.is_empty() || self.mixed().iter().any(any) {
            self.settle(lost, search.instructions);
            let mut found = self.ask(flag::LOST, search);
            sort(&mut found.begun, &mut self.memory.keys[0]);
            flagged(&self.pairs, &self.items.flags, apart, &mut self.memory.old);
            self.compare(&found.begun);
            self.memory.found = found;
        } else {
            self.memory.lost = lost;
        }
    }
}
