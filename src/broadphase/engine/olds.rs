//! Where boxes were before a step in which few moved.

use alloc::vec::Vec;

use crate::Vector;
use crate::overlap::lanes::Boxes;

/// The blocks in which boxes moved, as they were.
#[derive(Clone)]
pub(super) struct Olds<V: Vector> {
    /// Where those of a block of the tree are, if any of its boxes is marked.
    at: Vec<u32>,
    rows: Vec<Boxes<V>>,
}

impl<V: Vector> Olds<V> {
    pub(super) const fn new() -> Self {
        Self {
            at: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// None, of so many blocks.
    pub(super) fn reset(&mut self, blocks: usize) {
        self.rows.clear();
        // No more than there are rows once there is any.
        self.at.clear();
        self.at.resize(blocks, 0);
    }

    /// Notes a block before a box in it moves.
    #[inline(always)]
    pub(super) fn note(&mut self, block: usize, boxes: &Boxes<V>) {
        self.at[block] = self.rows.len() as u32;
        self.rows.push(*boxes);
    }

    #[inline(always)]
    pub(super) fn of(&self, block: usize) -> &Boxes<V> {
        &self.rows[self.at[block] as usize]
    }

    #[inline(always)]
    pub(super) fn of_mut(&mut self, block: usize) -> &mut Boxes<V> {
        &mut self.rows[self.at[block] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.at.capacity() * size_of::<u32>() + self.rows.capacity() * size_of::<Boxes<V>>()
    }
}
