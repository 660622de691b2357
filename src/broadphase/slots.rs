//! The bodies by slot, and the handles that name them.
//!
//! The lowest free slot is taken first: slots stay dense, and which is next depends on those in use
//! alone. The slot of a body that the last update knew is free only after the next one, so that no
//! pair names two bodies.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::mem::size_of;

use super::Body;
use crate::{Handle, Vector};

#[derive(Clone)]
pub(super) struct Slots<V: Vector> {
    pub(super) bodies: Vec<Option<Body<V>>>,
    /// Of the last body in each slot.
    pub(super) generations: Vec<u32>,
    pub(super) free: BTreeSet<u32>,
    /// Of bodies that were removed since the last update, which knew them.
    pub(super) gone: Vec<u32>,
    pub(super) len: usize,
    /// Of the next body.
    pub(super) generation: u32,
    /// The number of updates so far.
    pub(super) updates: u64,
}

impl<V: Vector> Slots<V> {
    pub(super) const fn new() -> Self {
        Self {
            bodies: Vec::new(),
            generations: Vec::new(),
            free: BTreeSet::new(),
            gone: Vec::new(),
            len: 0,
            generation: 0,
            updates: 0,
        }
    }

    #[inline]
    pub(super) fn get(&self, handle: Handle) -> Option<&Body<V>> {
        let body = self.bodies.get(handle.slot())?.as_ref()?;
        (self.generations[handle.slot()] == handle.generation).then_some(body)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, handle: Handle) -> Option<&mut Body<V>> {
        let body = self.bodies.get_mut(handle.slot())?.as_mut()?;
        (self.generations[handle.slot()] == handle.generation).then_some(body)
    }

    /// The body in a slot that is in use.
    #[inline(always)]
    pub(super) fn at(&self, slot: u32) -> &Body<V> {
        match &self.bodies[slot as usize] {
            Some(body) => body,
            None => unreachable!("slot {slot} is not in use"),
        }
    }

    /// Names the body in a slot, or the one that was there at the last update.
    #[inline(always)]
    pub(super) fn handle(&self, slot: u32) -> Handle {
        Handle {
            slot,
            generation: self.generations[slot as usize],
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Handle, &Body<V>)> {
        let all = (0..).zip(&self.bodies);
        all.filter_map(|(slot, body)| Some((self.handle(slot), body.as_ref()?)))
    }

    pub(super) fn insert(&mut self, body: Body<V>) -> Handle {
        let generation = self.generation;
        self.generation = generation.wrapping_add(1);
        self.len += 1;
        if let Some(slot) = self.free.pop_first() {
            self.bodies[slot as usize] = Some(body);
            self.generations[slot as usize] = generation;
            return Handle { slot, generation };
        }
        let slot = self.bodies.len() as u32;
        self.bodies.push(Some(body));
        self.generations.push(generation);
        Handle { slot, generation }
    }

    pub(super) fn remove(&mut self, handle: Handle) -> Option<Body<V>> {
        self.get(handle)?;
        let body = self.bodies[handle.slot()].take()?;
        self.len -= 1;
        if body.born < self.updates {
            self.gone.push(handle.slot);
        } else {
            self.free.insert(handle.slot);
        }
        Some(body)
    }

    /// After an update, which ended the pairs of those that are gone.
    pub(super) fn release(&mut self) {
        self.updates += 1;
        self.free.extend(self.gone.drain(..));
        while let Some(last) = self.bodies.len().checked_sub(1)
            && self.free.remove(&(last as u32))
        {
            self.bodies.pop();
            self.generations.pop();
        }
        if self.bodies.len() < self.bodies.capacity() / 4 {
            self.bodies.shrink_to(2 * self.bodies.len());
            self.generations.shrink_to(2 * self.bodies.len());
            self.gone.shrink_to(self.bodies.len());
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bodies.capacity() * size_of::<Option<Body<V>>>()
            + (self.generations.capacity() + self.gone.capacity() + self.free.len())
                * size_of::<u32>()
    }
}
