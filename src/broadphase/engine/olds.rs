//! Where boxes were before a step in which few moved.

use alloc::vec::Vec;

use super::row;
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

    /// Room for the blocks of a tree in which boxes are marked, in order.
    pub(super) fn number(&mut self, marks: &[u16]) -> &mut [Boxes<V>] {
        let mut many = 0;
        self.at.clear();
        self.at.extend(marks.iter().map(|&marks| {
            if marks == 0 {
                return 0;
            }
            many += 1;
            many - 1
        }));
        self.rows.resize(many as usize, row::empty());
        &mut self.rows
    }

    #[inline(always)]
    pub(super) fn of(&self, block: usize) -> &Boxes<V> {
        &self.rows[self.at[block] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.at.capacity() * size_of::<u32>() + self.rows.capacity() * size_of::<Boxes<V>>()
    }
}
