//! The step in which few boxes moved: only they are asked, for what began and what ended.

use alloc::vec::Vec;

use super::super::Engine;
use super::super::asked::{Asked, Leave};
use super::super::items::NOWHERE;
use super::super::refit::refit_both;
use super::super::row;
use super::super::search::{Search, unmark};
use crate::Vector;
use crate::simd::LANES;

impl<V: Vector> Engine<V> {
    /// Finds the pairs that began or ended.
    pub(super) fn step_moves(&mut self, search: Search<'_, V>) {
        self.take_apart();
        let mut lost = self.lost();
        self.memory.olds.reset(self.moving.ids.len());
        self.memory.asked.clear();
        for &id in &self.pending {
            let place = self.items.place[id as usize];
            if place != NOWHERE {
                self.moving.mark(place);
            }
        }
        // In the order of slots: as many blocks are gone through as boxes moved.
        for block in 0..self.moving.marks.len() {
            if self.moving.marks[block] != 0 {
                self.shift_marked(block, &mut lost);
            }
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

    /// Writes the marked boxes of a block into their slots and notes where they were, or takes them
    /// out and their marks back.
    #[inline(always)]
    fn shift_marked(&mut self, block: usize, lost: &mut Vec<u32>) {
        let (tree, olds) = (&mut self.moving, &mut self.memory.olds);
        olds.note(block, &tree.levels[0][block]);
        let mut left = tree.marks[block];
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            let (tree, olds) = (&mut self.moving, &mut self.memory.olds);
            let id = tree.ids[block].0[lane];
            let slot = (block * LANES + lane) as u32;
            let now = self.items.boxes[id as usize];
            let was = row::at(&tree.levels[0][block], lane);
            if tree.shift(slot, &now) {
                self.memory.asked.push(Asked { id, slot, now, was });
            } else {
                tree.marks[block] &= !(1 << lane);
                row::clear(olds.of_mut(block), lane);
                self.take(id);
                lost.push(id);
            }
        }
    }
}
