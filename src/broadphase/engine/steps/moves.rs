//! The step in which few boxes moved: only they are asked, for what began and what ended.

use super::super::asked::Leave;
use super::super::items::NOWHERE;
use super::super::refit::refit_both;
use super::super::search::{Search, unmark};
use super::super::{Engine, Memory};
use crate::Vector;

impl<V: Vector> Engine<V> {
    /// Finds the pairs that began or ended.
    pub(super) fn step_moves(&mut self, search: Search<'_, V>) {
        self.take_apart();
        let mut lost = self.lost();
        self.memory.asked.clear();
        for &id in &self.pending {
            let place = self.items.place[id as usize];
            if place != NOWHERE {
                self.moving.mark(place);
            }
        }
        let Memory { olds, asked, .. } = &mut self.memory;
        let settled = lost.len();
        self.moving
            .shift_marked(&self.items.boxes, olds, asked, &mut lost);
        for &id in &lost[settled..] {
            self.take(id);
        }
        refit_both(&mut self.moving, &self.memory.olds, search.instructions);
        self.resting.refit_levels(search.instructions);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let (boxes, asked, olds) = (&self.items.boxes, &self.memory.asked, &self.memory.olds);
        for (to, leave) in [(&self.moving, Leave::Lower), (&self.resting, Leave::None)] {
            search.asked(boxes, asked, to, Some(olds), leave, &mut found);
        }
        unmark(&mut self.moving, asked);
        self.take_changes(found);
        self.settle_apart(lost, search);
    }
}
