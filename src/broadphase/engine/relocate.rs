//! New places for all boxes at once.

use alloc::vec::Vec;

use super::Engine;
use super::items::flag;
use crate::parallel::{GRAIN, join};
use crate::simd::Pile;
use crate::{Aabb, Vector};

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
    pub(in super::super) fn relocate<W>(&mut self, many: usize, work: W) -> (bool, Vec<u32>)
    where
        W: Fn(Places<'_, V>, &mut Vec<u32>) -> bool + Sync,
    {
        let many = many.min(self.items.boxes.len());
        let mut left = Vec::new();
        let places = Places {
            first: 0,
            boxes: &mut self.items.boxes[..many],
            flags: &mut self.items.flags[..many],
            any: false,
        };
        let any = places.in_parts(&work, &mut left);
        if any {
            self.list_doubts();
        }
        (any, left)
    }

    /// Makes the list of those in doubt anew from what is noted of each.
    fn list_doubts(&mut self) {
        let (flags, pending) = (&self.items.flags, &mut self.pending);
        pending.clear();
        pending.reserve(flags.len());
        Pile::extend(pending, |to| {
            for (id, flags) in (0..).zip(flags) {
                to.put([id], usize::from(flags & flag::DOUBT != 0));
            }
        });
    }
}
