//! The bodies by slot, and the handles that name them.
//!
//! The lowest free slot is taken first: slots stay dense, and which is next depends on those in use
//! alone. The slot of a body that the last update knew is free only after the next one, so that no
//! pair names two bodies.
//!
//! What is asked in each step lies in tables of its own: records are for what is seldom asked.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::mem::size_of;

use super::body::Record;
use super::rules::ExtraChecks;
use super::{BodyInfo, Filter, Motion, Volume};

use crate::handle::Handle;
use crate::shape::Aabb;
use crate::vector::Vector;

#[derive(Clone)]
pub(super) struct Slots<V: Vector> {
    /// Of the last body in each slot.
    pub(super) generations: Vec<u32>,
    pub(super) kinds: Vec<Kind>,
    /// Of the last body in each slot.
    pub(super) records: Vec<Record<V>>,
    pub(super) free: BTreeSet<u32>,
    /// Of bodies that were removed since the last update, which knew them.
    pub(super) gone: Vec<u32>,
    /// The numbers of those whose pairs the last update ended, by handle.
    pub(super) ended: Vec<(Handle, u64)>,
    pub(super) len: usize,
    pub(super) extra_checks: ExtraChecks,
    /// The number of bodies so far: its lower 32 bits are the generation of the next.
    pub(super) inserted: u64,
    /// The number of updates so far.
    pub(super) updates: u64,
}

impl<V: Vector> Slots<V> {
    pub(super) const fn new() -> Self {
        Self {
            generations: Vec::new(),
            kinds: Vec::new(),
            records: Vec::new(),
            free: BTreeSet::new(),
            gone: Vec::new(),
            ended: Vec::new(),
            len: 0,
            extra_checks: ExtraChecks::NONE,
            inserted: 0,
            updates: 0,
        }
    }

    /// Of a body, unless the handle is stale.
    #[inline(always)]
    pub(super) fn kind(&self, handle: Handle) -> Option<Kind> {
        let slot = handle.slot();
        let kind = *self.kinds.get(slot)?;
        let fits = *self.generations.get(slot)? == handle.generation;
        (fits && kind.has(Kind::ALIVE)).then_some(kind)
    }

    /// Of a body, unless the handle is stale.
    #[inline]
    pub(super) fn record(&self, handle: Handle) -> Option<&Record<V>> {
        self.kind(handle)?;
        Some(&self.records[handle.slot()])
    }

    /// The number of a body, or of one that was known to the last update but one: events name it.
    pub(super) fn user(&self, handle: Handle) -> Option<u64> {
        let slot = handle.slot();
        if self.generations.get(slot) == Some(&handle.generation) {
            let record = &self.records[slot];
            let is_gone = record.born < self.updates && !self.free.contains(&handle.slot);
            if self.kinds[slot].has(Kind::ALIVE) || is_gone {
                return Some(record.info.user);
            }
        }
        let at = self.ended.binary_search_by_key(&handle, |ended| ended.0);
        at.ok().map(|at| self.ended[at].1)
    }

    /// What the body in a slot takes up, by the boxes in the engine.
    #[inline(always)]
    pub(super) fn volume(&self, slot: u32, boxes: &[Aabb<V>]) -> Volume<V> {
        if self.kinds[slot as usize].has(Kind::BARE) {
            Volume::Box(boxes[slot as usize])
        } else {
            self.records[slot as usize].volume
        }
    }

    /// Changes what the body in a slot is.
    pub(super) fn set_kind(&mut self, slot: u32, kind: Kind) {
        let old = core::mem::replace(&mut self.kinds[slot as usize], kind);
        self.extra_checks.drop(old);
        self.extra_checks.add(kind);
    }

    /// Names the body in a slot, or the one that was there at the last update. Does not check that
    /// there is one, so that those who look at slots alone do not wait for generations.
    #[inline(always)]
    pub(super) fn handle(&self, slot: u32) -> Handle {
        let generation = self.generations.get(slot as usize);
        Handle {
            slot,
            generation: generation.copied().unwrap_or_default(),
        }
    }

    /// The handles of all bodies, ascending.
    pub(super) fn handles(&self) -> impl Iterator<Item = Handle> {
        (0..self.end()).filter_map(|slot| self.alive(slot))
    }

    /// The handle of the body in a slot, if there is one.
    pub(super) fn alive(&self, slot: u32) -> Option<Handle> {
        let is_alive = self.kinds[slot as usize].has(Kind::ALIVE);
        is_alive.then(|| self.handle(slot))
    }

    /// How many slots there are, with those that are free.
    pub(super) fn end(&self) -> u32 {
        self.kinds.len() as u32
    }

    pub(super) fn insert(&mut self, record: Record<V>, kind: Kind) -> Handle {
        let generation = self.inserted as u32;
        self.inserted += 1;
        self.len += 1;
        let slot = match self.free.pop_first() {
            Some(slot) => {
                self.records[slot as usize] = record;
                self.generations[slot as usize] = generation;
                slot
            }
            None => {
                self.records.push(record);
                self.generations.push(generation);
                self.kinds.push(Kind::NONE);
                (self.kinds.len() - 1) as u32
            }
        };
        self.set_kind(slot, kind);
        Handle { slot, generation }
    }

    /// Takes out a body that is there.
    pub(super) fn remove(&mut self, slot: u32) {
        self.set_kind(slot, Kind::NONE);
        self.len -= 1;
        if self.records[slot as usize].born < self.updates {
            self.gone.push(slot);
        } else {
            self.free.insert(slot);
        }
    }

    /// After an update, which ended the pairs of those that are gone.
    pub(super) fn release(&mut self) {
        let mut ended = core::mem::take(&mut self.ended);
        ended.clear();
        let known = self
            .gone
            .iter()
            .filter(|&&slot| self.records[slot as usize].born < self.updates);
        ended.extend(known.map(|&slot| (self.handle(slot), self.records[slot as usize].info.user)));
        ended.sort_unstable();
        self.ended = ended;
        self.updates += 1;
        self.free.extend(self.gone.drain(..));
        let mut len = self.kinds.len();
        while let Some(last) = len.checked_sub(1)
            && self.free.remove(&(last as u32))
        {
            len = last;
        }
        self.kinds.truncate(len);
        self.generations.truncate(len);
        self.records.truncate(len);
        if len < self.records.capacity() / 4 {
            self.kinds.shrink_to(2 * len);
            self.generations.shrink_to(2 * len);
            self.records.shrink_to(2 * len);
            self.gone.shrink_to(len);
            self.ended.shrink_to(len);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<Record<V>>()
            + self.kinds.capacity() * size_of::<Kind>()
            + (self.generations.capacity() + self.gone.capacity() + self.free.len())
                * size_of::<u32>()
            + self.ended.capacity() * size_of::<(Handle, u64)>()
    }
}

// What is asked about every body, in a byte: a table of them stays in the cache.

/// What a body is, as bits; none where there is no body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind(u8);

impl Kind {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALIVE: Self = Self(1);
    pub(super) const ASLEEP: Self = Self(2);
    pub(super) const STATIC: Self = Self(4);
    pub(super) const KINEMATIC: Self = Self(8);
    /// Its filter is not [`Filter::ALL`].
    pub(super) const FILTERED: Self = Self(16);
    /// Its box in the engine does not say what it touches.
    pub(super) const SHAPED: Self = Self(32);
    /// It is its box in the engine, and stays where it is: what is noted of its volume is old.
    pub(super) const BARE: Self = Self(64);

    #[inline(always)]
    pub(super) fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    #[inline(always)]
    pub(super) fn with(self, bits: Self, on: bool) -> Self {
        let rest = self.0 & !bits.0;
        Self(if on { rest | bits.0 } else { rest })
    }

    #[inline(always)]
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The same with other motion and filter.
    pub(super) fn of(self, info: &BodyInfo) -> Self {
        self.with(Self::STATIC, info.motion == Motion::Static)
            .with(Self::KINEMATIC, info.motion == Motion::Kinematic)
            .with(Self::FILTERED, info.filter != Filter::ALL)
    }

    /// Whether the body is not expected to move.
    #[inline(always)]
    pub(super) fn rests(self) -> bool {
        self.has(Self::ASLEEP.or(Self::STATIC))
    }

    /// Whether a new box is all that has to be noted of a move.
    #[inline(always)]
    pub(super) fn is_usual(self) -> bool {
        let asked = Self::ALIVE.or(Self::ASLEEP).or(Self::BARE);
        self.0 & asked.0 == Self::ALIVE.or(Self::BARE).0
    }

    /// The same of one that has a shape beside its box, and keeps it with any other ball.
    #[inline(always)]
    pub(super) fn is_usual_ball(self) -> bool {
        let asked = Self::ALIVE.or(Self::ASLEEP).or(Self::SHAPED);
        self.0 & asked.0 == Self::ALIVE.or(Self::SHAPED).0
    }

    /// Whether two bodies that live may be a pair by their motions: static ones only with dynamic
    /// ones.
    #[inline(always)]
    pub(super) fn pairs_with(self, other: Self) -> bool {
        let guided = Self::STATIC.or(Self::KINEMATIC);
        let parted = self.has(guided) & other.has(guided) & self.or(other).has(Self::STATIC);
        self.has(Self::ALIVE) & other.has(Self::ALIVE) & !parted
    }
}
