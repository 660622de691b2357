//! New places for all boxes at once.

use alloc::vec::Vec;

use super::Engine;
use super::items::flag;
use crate::parallel::{GRAIN, join};
use crate::simd::Pile;
use crate::{Aabb, Vector};

/// What is said about a box.
pub(in super::super) enum Told<V: Vector> {
    /// It is not asked about.
    Nothing,
    Place(Aabb<V>),
    /// Something else, by which it cannot be placed here.
    Other,
}

impl<V: Vector> Engine<V> {
    /// Asks where each box is now, with what is known of it; those that are told do not rest. Returns
    /// whether any changed, and the ids of which something else was said.
    pub(in super::super) fn set_each<K: Sync>(
        &mut self,
        known: &[K],
        ask: impl Fn(u32, &K) -> Told<V> + Sync,
    ) -> (bool, Vec<u32>) {
        let many = known.len().min(self.items.boxes.len());
        let mut left = Vec::new();
        let relocate = Relocate {
            first: 0,
            known: &known[..many],
            boxes: &mut self.items.boxes[..many],
            flags: &mut self.items.flags[..many],
            ask: &ask,
        };
        let any = relocate.in_parts(&mut left);
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

struct Relocate<'a, V: Vector, K, A> {
    first: u32,
    known: &'a [K],
    boxes: &'a mut [Aabb<V>],
    flags: &'a mut [u8],
    ask: &'a A,
}

impl<V: Vector, K: Sync, A: Fn(u32, &K) -> Told<V> + Sync> Relocate<'_, V, K, A> {
    /// Halves the work as long as it is large.
    fn in_parts(self, left: &mut Vec<u32>) -> bool {
        let middle = self.boxes.len() / 2;
        if middle < GRAIN {
            return self.run(left);
        }
        let (known, other_known) = self.known.split_at(middle);
        let (boxes, other_boxes) = self.boxes.split_at_mut(middle);
        let (flags, other_flags) = self.flags.split_at_mut(middle);
        let first = Relocate {
            known,
            boxes,
            flags,
            ..self
        };
        let second = Relocate {
            first: self.first + middle as u32,
            known: other_known,
            boxes: other_boxes,
            flags: other_flags,
            ask: self.ask,
        };
        let mut behind = Vec::new();
        let (one, other) = join(|| first.in_parts(left), || second.in_parts(&mut behind));
        left.append(&mut behind);
        one || other
    }

    fn run(self, left: &mut Vec<u32>) -> bool {
        let mut any = false;
        let all = self.boxes.iter_mut().zip(self.flags).zip(self.known);
        for (id, ((bounds, flags), known)) in (self.first..).zip(all) {
            match (self.ask)(id, known) {
                Told::Nothing => {}
                Told::Place(now) => {
                    if *bounds != now {
                        *flags |= flag::MOVED | flag::DOUBT;
                        any = true;
                    }
                    // Even if it is equal: zeros may be of another sign.
                    *bounds = now;
                }
                Told::Other => left.push(id),
            }
        }
        any
    }
}
