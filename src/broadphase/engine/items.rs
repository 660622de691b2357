//! What is known of each id.

use alloc::vec::Vec;

use crate::{Aabb, Vector};

/// The place of a box that has no slot.
pub(super) const NOWHERE: u32 = u32::MAX;

/// What is known of an id, as bits.
pub(super) mod flag {
    /// It is in use.
    pub(in super::super) const ALIVE: u8 = 1;
    /// It rests, which says in which tree its box is, or will be.
    pub(in super::super) const RESTS: u8 = 2;
    /// Its pairs are in doubt, and it is in the list of those.
    pub(in super::super) const DOUBT: u8 = 4;
    /// Its box is no longer that in its slot.
    pub(in super::super) const MOVED: u8 = 8;
    /// `touch` was called.
    pub(in super::super) const TOUCHED: u8 = 16;
    /// It has no slot, or had none when the step began.
    pub(in super::super) const LOST: u8 = 32;
    /// It was removed since the last step, and may be in use again.
    pub(in super::super) const ENDED: u8 = 64;
}

#[derive(Clone)]
pub(super) struct Items<V: Vector> {
    pub(super) boxes: Vec<Aabb<V>>,
    /// The slot in its tree.
    pub(super) place: Vec<u32>,
    pub(super) flags: Vec<u8>,
}

impl<V: Vector> Items<V> {
    pub(super) const fn new() -> Self {
        Self {
            boxes: Vec::new(),
            place: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Makes room for an id.
    pub(super) fn reach(&mut self, id: u32) {
        let many = id as usize + 1;
        if self.flags.len() < many {
            let none = Aabb::point(V::splat(crate::Scalar::ZERO));
            self.boxes.resize(many, none);
            self.place.resize(many, NOWHERE);
            self.flags.resize(many, 0);
        }
    }

    /// Leaves nothing to be done for those that were in doubt.
    pub(super) fn calm(&mut self, pending: &[u32]) {
        let stays = flag::ALIVE | flag::RESTS;
        if pending.len() > self.flags.len() / 16 {
            // In doubt or not: one after the other is quicker.
            for flags in &mut self.flags {
                *flags &= stays;
            }
        } else {
            for &id in pending {
                self.flags[id as usize] &= stays;
            }
        }
    }

    #[inline(always)]
    pub(super) fn has(&self, id: u32, any: u8) -> bool {
        self.flags[id as usize] & any != 0
    }

    /// Whether its slot holds the box that it has now.
    #[inline(always)]
    pub(super) fn is_settled(&self, id: u32) -> bool {
        self.place[id as usize] != NOWHERE && !self.has(id, flag::MOVED)
    }

    /// Memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb<V>>()
            + self.place.capacity() * size_of::<u32>()
            + self.flags.capacity()
    }
}
