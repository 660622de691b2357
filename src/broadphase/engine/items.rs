//! What is known of each id.

use alloc::vec::Vec;

use super::Engine;

use crate::overlap::columns::Boxes;
use crate::parallel::{GRAIN, join};
use crate::shape::Aabb;
use crate::simd::ListWriter;
use crate::vector::Vector;

/// What stands for the slot of a box that has none.
pub(super) const NO_SLOT: u32 = u32::MAX;

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
    pub(in super::super) const UNPLACED: u8 = 32;
    /// It was removed since the last step, and may be in use again.
    pub(in super::super) const ENDED: u8 = 64;
}

#[derive(Clone)]
pub(super) struct Items<V: Vector> {
    pub(super) boxes: Vec<Aabb<V>>,
    /// The slot in its tree.
    pub(super) slots: Vec<u32>,
    pub(super) flags: Vec<u8>,
}

impl<V: Vector> Items<V> {
    pub(super) const fn new() -> Self {
        Self {
            boxes: Vec::new(),
            slots: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Makes room for an id.
    pub(super) fn make_room(&mut self, id: u32) {
        let count = id as usize + 1;
        if self.flags.len() < count {
            let none = Aabb::point(V::splat(crate::vector::Scalar::ZERO));
            self.boxes.resize(count, none);
            self.slots.resize(count, NO_SLOT);
            self.flags.resize(count, 0);
        }
    }

    /// Leaves nothing to be done for those that were in doubt.
    pub(super) fn clear_flags(&mut self, pending: &[u32]) {
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
    pub(super) fn is_in_slot(&self, id: u32) -> bool {
        self.slots[id as usize] != NO_SLOT && !self.has(id, flag::MOVED)
    }

    /// Memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb<V>>()
            + self.slots.capacity() * size_of::<u32>()
            + self.flags.capacity()
    }
}

// Where boxes were before a step in which few moved.

/// The blocks in which boxes moved, as they were.
#[derive(Clone)]
pub(super) struct OldBoxes<V: Vector> {
    /// Where those of a block of the tree are, if any of its boxes is marked.
    at: Vec<u32>,
    rows: Vec<Boxes<V>>,
}

impl<V: Vector> OldBoxes<V> {
    pub(super) const fn new() -> Self {
        Self {
            at: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Room for the blocks of a tree in which boxes are marked, in order.
    pub(super) fn number(&mut self, marks: &[u16]) -> &mut [Boxes<V>] {
        let mut count = 0;
        self.at.clear();
        self.at.extend(marks.iter().map(|&marks| {
            if marks == 0 {
                return 0;
            }
            count += 1;
            count - 1
        }));
        self.rows.resize(count as usize, Boxes::empty());
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

// New places for all boxes at once.

/// Some boxes that may be given other places.
pub(in super::super) struct Places<'a, V: Vector> {
    first: u32,
    boxes: &'a mut [Aabb<V>],
    flags: &'a mut [u8],
    any: bool,
}

impl<'a, V: Vector> Places<'a, V> {
    /// The first id.
    pub(in super::super) fn first(&self) -> u32 {
        self.first
    }

    /// One behind the last id.
    pub(in super::super) fn end(&self) -> u32 {
        self.first + self.boxes.len() as u32
    }

    /// Whether any has another place than before.
    pub(in super::super) fn any(&self) -> bool {
        self.any
    }

    /// Gives one that does not rest another place.
    #[inline(always)]
    pub(in super::super) fn set(&mut self, id: u32, now: Aabb<V>) {
        let at = (id - self.first) as usize;
        let bounds = &mut self.boxes[at];
        if *bounds != now {
            self.flags[at] |= flag::MOVED | flag::DOUBT;
            self.any = true;
        }
        // Even if it is equal: zeros may be of another sign.
        *bounds = now;
    }

    /// Halves the work as long as it is large.
    fn in_parts<W>(self, work: &W, left: &mut Vec<u32>) -> bool
    where
        W: Fn(Places<'_, V>, &mut Vec<u32>) -> bool + Sync,
    {
        let middle = self.boxes.len() / 2;
        if middle < GRAIN {
            return work(self, left);
        }
        let (boxes, other_boxes) = self.boxes.split_at_mut(middle);
        let (flags, other_flags) = self.flags.split_at_mut(middle);
        let first = Places {
            boxes,
            flags,
            ..self
        };
        let second = Places {
            first: self.first + middle as u32,
            boxes: other_boxes,
            flags: other_flags,
            any: false,
        };
        let mut behind = Vec::new();
        let (one, other) = join(
            || first.in_parts(work, left),
            || second.in_parts(work, &mut behind),
        );
        left.append(&mut behind);
        one || other
    }
}

impl<V: Vector> Engine<V> {
    /// Lets `work`, on several threads, give other places to the boxes of the first ids; it says whether
    /// it did, and may list ids. Returns whether any was given another place, and the lists.
    pub(in super::super) fn relocate<W>(&mut self, count: usize, work: W) -> (bool, Vec<u32>)
    where
        W: Fn(Places<'_, V>, &mut Vec<u32>) -> bool + Sync,
    {
        let count = count.min(self.items.boxes.len());
        let mut left = Vec::new();
        let places = Places {
            first: 0,
            boxes: &mut self.items.boxes[..count],
            flags: &mut self.items.flags[..count],
            any: false,
        };
        let any = places.in_parts(&work, &mut left);
        if any {
            self.list_doubts();
        }
        (any, left)
    }

    /// Lists those in doubt again, from what is noted of each.
    fn list_doubts(&mut self) {
        let (flags, pending) = (&self.items.flags, &mut self.pending);
        pending.clear();
        pending.reserve(flags.len());
        ListWriter::extend(pending, |to| {
            for (id, flags) in (0..).zip(flags) {
                to.put([id], usize::from(flags & flag::DOUBT != 0));
            }
        });
    }
}
