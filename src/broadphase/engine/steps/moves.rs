//! The step in which few boxes moved: only they are asked, for what began and what ended.

use alloc::vec::Vec;

use super::super::Engine;
use super::super::items::{NOWHERE, flag};
use super::super::marked::Leave;
use super::super::refit::refit_both;
use super::super::row;
use super::super::search::Search;
use crate::Vector;
use crate::simd::LANES;

impl<V: Vector> Engine<V> {
    /// Finds the pairs that began or ended.
    pub(super) fn step_moves(&mut self, search: Search<'_, V>) {
        self.take_apart();
        let mut lost = self.lost();
        self.memory.olds.reset(self.moving.ids.len());
        for at in 0..self.pending.len() {
            self.shift_noted(self.pending[at], &mut lost);
        }
        refit_both(&mut self.moving, &self.memory.olds, search.instructions);
        self.resting.refit_levels(search.instructions);
        let mut found = core::mem::take(&mut self.memory.found).cleared();
        let (moving, resting) = (&self.moving, &self.resting);
        let (olds, boxes, many) = (&self.memory.olds, &self.items.boxes, self.pending.len());
        search.moved(boxes, moving, moving, olds, Leave::Lower, many, &mut found);
        search.moved(boxes, moving, resting, olds, Leave::None, many, &mut found);
        for &id in &self.pending {
            let place = self.items.place[id as usize];
            if place != NOWHERE && !self.items.has(id, flag::RESTS) {
                self.moving.marks[place as usize / LANES] = 0;
            }
        }
        self.take_changes(found);
        self.settle_apart(lost, search);
    }

    /// Writes a box that moved into its slot and notes where it was, or takes it out.
    fn shift_noted(&mut self, id: u32, lost: &mut Vec<u32>) {
        let place = self.items.place[id as usize];
        if place == NOWHERE {
            return;
        }
        let (block, lane) = (place as usize / LANES, place as usize % LANES);
        let (tree, olds) = (&mut self.moving, &mut self.memory.olds);
        if tree.marks[block] == 0 {
            olds.note(block, &tree.levels[0][block]);
        }
        if tree.shift(place, &self.items.boxes[id as usize]) {
            tree.mark(place);
        } else {
            row::clear(olds.of_mut(block), lane);
            self.take(id);
            lost.push(id);
        }
    }
}
