//! The table of bodies. The key of a body is the slot of its handle; a generation tells apart the bodies that had the slot
//! one after the other.
//!
//! A step reads [`Body`], which takes 28 bytes in three dimensions; the rest lies under the same key in other columns
//! ([`Bodies`]). The bodies that have changed since the last step are listed.
//!
//! A removed body that an update has known keeps its key until the next update has reported the end of its pairs. So a
//! key in a pair never stands for two bodies, and no second list of old bodies is needed.

use alloc::vec::Vec;
use core::mem::size_of;

use slab::Slab;

use super::rules::Judged;
use super::{BodyInfo, Motion, Volume};
use crate::handle::Handle;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// The part of a body that each step reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body<V: Vector> {
    /// The box that stands for the body in the tree. It holds the volume, its path and the margin.
    pub(super) bounds: Aabb<V>,
    pub(super) asleep: bool,
    pub(super) change: Change,
    pub(super) life: Life,
}

impl<V: Vector> Body<V> {
    /// A body that no update has known.
    pub(super) fn new(bounds: Aabb<V>) -> Self {
        Self {
            bounds,
            asleep: false,
            change: Change::Moved,
            life: Life::New,
        }
    }
}

/// How a body has changed since the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// Its pairs may have changed, but its box in the tree is up to date.
    InPlace,
    /// Its box in the tree is out of date, or it is not in the tree.
    Moved,
}

/// Whether an update has known a body, and whether it was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// No update has known it yet.
    New,
    Known,
    /// It was removed, and its pairs have not ended yet.
    Gone,
}

/// The part of a body that is seldom read.
#[derive(Clone, Debug)]
pub(super) struct Details<V: Vector> {
    /// The volume as it was given; out of date while `Body::bounds` is that box.
    pub(super) volume: Volume<V>,
    /// The path of a swept body; zero for all others.
    pub(super) path: V,
    pub(super) info: BodyInfo,
    /// The index of a new body in the list of changed ones.
    pub(super) listed: u32,
}

#[derive(Clone)]
pub(super) struct Bodies<V: Vector> {
    pub(super) table: Slab<Body<V>>,
    pub(super) details: Vec<Details<V>>,
    /// The tests that the pairs of each body need, by key: a table of bytes stays in the cache while pairs are judged.
    pub(super) judged: Vec<Judged>,
    /// The generations, by key. They lie apart from the bodies, since a query that lists handles reads nothing else of a body.
    pub(super) generations: Vec<u32>,
    /// The keys of bodies that have changed since the last step, each once.
    pub(super) changed: Vec<u32>,
    /// True if a body changed by more than its box, so that its old pairs do not follow from its old box.
    pub(super) any_rejudged: bool,
    /// The known bodies that were removed since the last step.
    pub(super) gone: Vec<u32>,
    /// The bodies in `gone` whose user numbers are not known, since they were removed before the world was saved; sorted.
    pub(super) forgotten: Vec<u32>,
    /// The handles and user numbers of the removed bodies whose pairs the last step ended, sorted.
    ended: Vec<(Handle, u64)>,
    /// The number of bodies of each [`Judged`].
    pub(super) judged_counts: [usize; 4],
    /// The number of insertions so far. Its lower 32 bits are the generation of the next body.
    pub(super) inserted: u64,
    /// True if nothing has changed since the last step.
    pub(super) is_current: bool,
}

impl<V: Vector> Bodies<V> {
    pub(super) const fn new() -> Self {
        Self {
            table: Slab::new(),
            details: Vec::new(),
            judged: Vec::new(),
            generations: Vec::new(),
            changed: Vec::new(),
            any_rejudged: false,
            gone: Vec::new(),
            forgotten: Vec::new(),
            ended: Vec::new(),
            judged_counts: [0; 4],
            inserted: 0,
            is_current: true,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len() - self.gone.len()
    }

    /// The body of a handle, unless the handle is stale.
    #[inline(always)]
    pub(super) fn get(&self, handle: Handle) -> Option<&Body<V>> {
        let body = self.table.get(handle.slot())?;
        (self.handle(handle.slot) == handle && body.life != Life::Gone).then_some(body)
    }

    /// The details of a body, unless the handle is stale.
    #[inline]
    pub(super) fn details(&self, handle: Handle) -> Option<&Details<V>> {
        self.get(handle)?;
        self.details.get(handle.slot())
    }

    #[inline(always)]
    pub(super) fn bounds(&self, id: u32) -> Aabb<V> {
        self.table[id as usize].bounds
    }

    /// True if the body is not expected to move. One that changed in this step does not rest, since its pairs may still have to be
    /// found.
    pub(super) fn rests(&self, id: u32) -> bool {
        let body = &self.table[id as usize];
        let is_static = || self.details[id as usize].info.motion == Motion::Static;
        body.change == Change::None
            && (body.asleep || self.judged[id as usize] != Judged::Never && is_static())
    }

    /// The user number of a body, or of a removed one that the last update or the one before knew.
    pub(super) fn user(&self, handle: Handle) -> Option<u64> {
        if self.table.contains(handle.slot()) && self.handle(handle.slot) == handle {
            let is_known = self.forgotten.binary_search(&handle.slot).is_err();
            return is_known.then(|| self.details[handle.slot()].info.user);
        }
        let at = self.ended.binary_search_by_key(&handle, |ended| ended.0);
        at.ok().map(|at| self.ended[at].1)
    }

    /// The handle of the body with a key. The generation of a free key is arbitrary.
    #[inline(always)]
    pub(super) fn handle(&self, id: u32) -> Handle {
        let generation = self.generations.get(id as usize);
        Handle {
            slot: id,
            generation: generation.copied().unwrap_or(0),
        }
    }

    /// The handles of all bodies, ascending.
    pub(super) fn handles(&self) -> impl Iterator<Item = Handle> {
        (0..self.end()).filter_map(|id| self.alive(id))
    }

    /// The handle of the body with a key, if there is one.
    pub(super) fn alive(&self, id: u32) -> Option<Handle> {
        let body = self.table.get(id as usize)?;
        (body.life != Life::Gone).then(|| self.handle(id))
    }

    /// One more than the largest key since the table was last empty.
    pub(super) fn end(&self) -> u32 {
        self.details.len() as u32
    }

    pub(super) fn insert(
        &mut self,
        volume: Volume<V>,
        info: BodyInfo,
        bounds: Aabb<V>,
        judged: Judged,
    ) -> Handle {
        let generation = self.inserted as u32;
        self.inserted += 1;
        let key = self.table.insert(Body::new(bounds));
        let details = Details {
            volume,
            path: V::splat(V::Scalar::ZERO),
            info,
            listed: self.changed.len() as u32,
        };
        if key == self.details.len() {
            self.details.push(details);
            self.judged.push(judged);
            self.generations.push(generation);
        } else {
            (self.details[key], self.judged[key]) = (details, judged);
            self.generations[key] = generation;
        }
        self.judged_counts[judged as usize] += 1;
        self.changed.push(key as u32);
        self.is_current = false;
        self.handle(key as u32)
    }

    /// Removes a body that is in the table.
    pub(super) fn remove(&mut self, id: u32) {
        let body = &mut self.table[id as usize];
        self.judged_counts[self.judged[id as usize] as usize] -= 1;
        self.is_current = false;
        if body.life == Life::Known {
            body.life = Life::Gone;
            self.gone.push(id);
            self.note(id, Change::Moved);
            return;
        }
        // No update has known the body, so it leaves no trace.
        self.table.remove(id as usize);
        let at = self.details[id as usize].listed;
        self.changed.swap_remove(at as usize);
        if let Some(&other) = self.changed.get(at as usize) {
            self.details[other as usize].listed = at;
        }
    }

    /// True if boxes in the tree do not decide which bodies touch.
    pub(super) fn any_by_shape(&self) -> bool {
        self.judged_counts[Judged::ByShape as usize] > 0
    }

    /// Notes that a body has changed.
    #[inline(always)]
    pub(super) fn note(&mut self, id: u32, change: Change) {
        let was = &mut self.table[id as usize].change;
        if *was == Change::None {
            self.changed.push(id);
        }
        if *was != Change::Moved {
            *was = change;
        }
        self.is_current = false;
    }

    /// Sets the tests that a body's pairs need, and notes that its old pairs do not follow from its old box.
    pub(super) fn rejudge(&mut self, id: u32, judged: Judged) {
        let old = core::mem::replace(&mut self.judged[id as usize], judged);
        self.judged_counts[old as usize] -= 1;
        self.judged_counts[judged as usize] += 1;
        self.any_rejudged = true;
        self.note(id, Change::InPlace);
    }

    /// Ends a step: nothing has changed any more, and the keys of removed bodies are free.
    pub(super) fn settle(&mut self) {
        for id in self.changed.drain(..) {
            let body = &mut self.table[id as usize];
            body.change = Change::None;
            if body.life == Life::New {
                body.life = Life::Known;
            }
        }
        self.any_rejudged = false;
        self.is_current = true;
        self.ended.clear();
        // The least key is freed last, so that it is taken first.
        self.gone.sort_unstable();
        for &id in &self.gone {
            let handle = self.handle(id);
            self.ended
                .extend(self.user(handle).map(|user| (handle, user)));
        }
        for id in self.gone.drain(..).rev() {
            self.table.remove(id as usize);
        }
        self.forgotten.clear();
        // Free the memory of an empty table.
        if self.table.is_empty() {
            (self.table, self.details) = (Slab::new(), Vec::new());
            (self.judged, self.generations) = (Vec::new(), Vec::new());
        }
    }

    pub(super) fn bytes(&self) -> usize {
        // An entry of the slab is as large as a body: the bytes of a body leave room for the mark of a free entry.
        self.table.capacity() * size_of::<Option<Body<V>>>()
            + self.details.capacity() * size_of::<Details<V>>()
            + self.judged.capacity()
            + (self.generations.capacity() + self.changed.capacity()) * size_of::<u32>()
            + (self.gone.capacity() + self.forgotten.capacity()) * size_of::<u32>()
            + self.ended.capacity() * size_of::<(Handle, u64)>()
    }
}
