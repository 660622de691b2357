//! What a [`Broadphase`](super::Broadphase) holds, over arrays, and all of it that is compiled in this
//! crate.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::mem::size_of;

use super::Event;
use super::body::Body;
use super::engine::{Engine, PairTest};
use super::rules::{self, ExtraChecks, PairRules, Rules};
use super::slots::{Kind, Slots};
use crate::error::{Error, shown_as};
use crate::handle::Handle;
use crate::overlap::Overlaps;
use crate::sweep::Impact;
use crate::vector::{Scalar, Vector};

/// Bodies, their pairs, and what changed last.
#[derive(Clone)]
pub struct World<V: Vector> {
    pub(super) slots: Slots<V>,
    pub(super) engine: Engine<V>,
    pub(super) rules: Rules<V>,
    /// Whether nothing has changed since the last update.
    pub(super) is_current: bool,
    /// The pairs of the last update, if the engine does not know them.
    pub(super) restored: Option<Vec<[u32; 2]>>,
    pub(super) events: Vec<Event>,
}

impl<V: Vector> World<V> {
    pub(super) const fn new() -> Self {
        Self {
            slots: Slots::new(),
            engine: Engine::new(),
            rules: Rules {
                margin: V::Scalar::ZERO,
                prediction: V::Scalar::ZERO,
                fat: false,
                paired: true,
            },
            is_current: true,
            restored: None,
            events: Vec::new(),
        }
    }

    /// Fails if there is no room for all pairs that the next step may find.
    pub(super) fn check_room(&self, copies_events: bool) -> Result<(), Error> {
        self.engine.check_room(copies_events)
    }

    pub(super) fn optimize(&mut self, budget: usize) {
        self.engine.optimize(budget);
    }

    pub(super) fn impact(&self, a: Handle, b: Handle) -> Option<Impact<V>> {
        let path = |body| self.slots.record(body).map(|record| record.path);
        let by = [path(a)?, path(b)?];
        let [one, other] = [a, b].map(|body| self.body(body.slot).volume);
        rules::impact((&one, by[0]), (&other, by[1]))
    }

    pub(super) fn bytes(&self) -> usize {
        let restored = self.restored.as_ref().map_or(0, Vec::capacity);
        self.slots.bytes()
            + self.engine.bytes()
            + self.events.capacity() * size_of::<Event>()
            + restored * size_of::<[u32; 2]>()
    }

    /// The pairs of the last update, by slot.
    pub(super) fn reported(&self) -> &[[u32; 2]] {
        self.restored.as_deref().unwrap_or(self.engine.pairs())
    }

    /// The body in a slot that is in use.
    #[inline(always)]
    pub(super) fn body(&self, slot: u32) -> Body<V> {
        Body {
            volume: self.slots.volume(slot, self.engine.boxes()),
            filter: self.slots.records[slot as usize].info.filter,
        }
    }

    /// Whether every body is its box in the engine, and nothing else.
    pub(super) fn is_bare(&self) -> bool {
        self.rules.is_bare() && self.slots.extra_checks.shape == 0
    }
}

shown_as!(impl[V: Vector] World<V> as "World");

// What every update and query relies on.

impl<V: Vector> World<V> {
    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.engine.validate()?;
        self.validate_slots()?;
        if self.is_current && !self.slots.gone.is_empty() {
            return Err("a body was removed after an update since which nothing changed");
        }
        let pairs = self.sorted();
        if !pairs.is_sorted_by(|a, b| a < b) {
            return Err("the pairs are not sorted");
        }
        for &[a, b] in &*pairs {
            if a >= b {
                return Err("a pair has its greater handle first");
            }
            if !self.was_known(a) || !self.was_known(b) {
                return Err("a pair of a body that the last update did not know");
            }
            if self.is_current && !self.is_pair(a, b) {
                return Err("a pair that is none");
            }
        }
        Ok(())
    }

    fn validate_slots(&self) -> Result<(), &'static str> {
        let slots = &self.slots;
        let known = slots.kinds.len();
        if slots.generations.len() != known || slots.records.len() != known {
            return Err("the bodies are miscounted");
        }
        let empty = slots.kinds.iter().filter(|&&kind| kind == Kind::NONE);
        let empty = empty.count();
        let idle = slots.free.iter().chain(&slots.gone);
        let empty_too = idle
            .clone()
            .all(|&slot| slots.kinds.get(slot as usize) == Some(&Kind::NONE));
        if !empty_too || idle.count() != empty {
            return Err("a slot is neither in use nor free");
        }
        if slots.len + empty != known {
            return Err("the bodies are miscounted");
        }
        let mut extra_checks = ExtraChecks::NONE;
        for handle in slots.handles() {
            let (kind, record) = (slots.kinds[handle.slot()], &slots.records[handle.slot()]);
            let (volume, path) = (self.body(handle.slot).volume, record.path);
            let held = self.engine.bounds(handle.slot);
            let reach = self.rules.reach(&volume, path);
            if !held.contains(&reach) {
                return Err("a body lies outside its fat box");
            }
            // Whose shapes are not asked whether their boxes meet.
            if self.rules.is_tight() && held != reach {
                return Err("a body has a fat box without a margin");
            }
            if kind != self.rules.kind(kind.of(&record.info), &volume, path, &held) {
                return Err("a body is judged by too little");
            }
            extra_checks.add(kind);
        }
        if extra_checks != slots.extra_checks {
            return Err("the bodies that need more are miscounted");
        }
        Ok(())
    }

    /// The pairs of the last update by slot, sorted.
    pub(super) fn sorted(&self) -> Cow<'_, [[u32; 2]]> {
        let mut pairs = Cow::Borrowed(self.reported());
        if !pairs.is_sorted() && !self.engine.is_sorted() {
            pairs.to_mut().sort_unstable();
        }
        pairs
    }

    /// Whether the last update knew the body of a slot.
    fn was_known(&self, slot: u32) -> bool {
        let Some(&kind) = self.slots.kinds.get(slot as usize) else {
            return false;
        };
        if kind == Kind::NONE {
            // Of those that are gone, there may be as many as pairs.
            return !self.slots.free.contains(&slot);
        }
        self.slots.records[slot as usize].born < self.slots.updates
    }

    fn is_pair(&self, a: u32, b: u32) -> bool {
        let boxes = self.engine.bounds(a).overlaps(&self.engine.bounds(b));
        let test = PairRules {
            rules: &self.rules,
            slots: &self.slots,
        };
        boxes && test.is_pair(self.engine.boxes(), a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, World};
    use crate::broadphase::{Broadphase, Motion};
    use crate::shape::Aabb;

    fn unit(x: f64) -> Aabb<[f64; 2]> {
        Aabb::new([x, 0.0], [x + 1.0, 1.0])
    }

    /// What `validate` says of a world that was tampered with.
    fn broken(tamper: impl FnOnce(&mut World<[f64; 2]>)) -> &'static str {
        let mut world = Broadphase::new();
        for x in [0.0, 0.5, 1.0, 5.0] {
            world.insert(unit(x), Motion::Dynamic);
        }
        assert_eq!(world.update().len(), 3);
        world.validate().unwrap();
        tamper(&mut world.world);
        world.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        let pairs = |pairs: &[[u32; 2]]| Some(pairs.to_vec());
        assert_eq!(
            broken(|w| w.restored = pairs(&[[0, 2], [0, 1]])),
            "the pairs are not sorted"
        );
        assert_eq!(
            broken(|w| w.restored = pairs(&[[1, 0]])),
            "a pair has its greater handle first"
        );
        assert_eq!(
            broken(|w| {
                w.insert(unit(0.0).into(), Motion::Dynamic.into()).unwrap();
                w.restored = pairs(&[[0, 4]]);
            }),
            "a pair of a body that the last update did not know"
        );
        assert_eq!(
            broken(|w| w.restored = pairs(&[[0, 4]])),
            "a pair of a body that the last update did not know"
        );
        assert_eq!(
            broken(|w| w.restored = pairs(&[[0, 3]])),
            "a pair that is none"
        );
        assert_eq!(
            broken(|w| {
                let kind = &mut w.slots.kinds[1];
                *kind = kind.with(Kind::BARE, false);
                w.slots.records[1].volume = unit(50.0).into();
            }),
            "a body lies outside its fat box"
        );
        assert_eq!(
            broken(|w| w.slots.records[1].info.motion = Motion::Static),
            "a body is judged by too little"
        );
        assert_eq!(
            broken(|w| w.slots.extra_checks.shape = 7),
            "the bodies that need more are miscounted"
        );
        assert_eq!(broken(|w| w.slots.len -= 1), "the bodies are miscounted");
        assert_eq!(
            broken(|w| _ = w.slots.free.insert(0)),
            "a slot is neither in use nor free"
        );
        assert_eq!(
            broken(|w| w.slots.kinds[0] = Kind::NONE),
            "a slot is neither in use nor free"
        );
    }

    /// The bodies that are gone are known until the next update.
    #[test]
    fn a_removed_body_is_no_fault() {
        let mut world = Broadphase::new();
        let a = world.insert(unit(0.0), Motion::Dynamic);
        world.insert(unit(0.5), Motion::Dynamic);
        world.update();
        world.remove(a);
        world.validate().unwrap();
        assert_eq!(world.pairs().len(), 1);
        assert_eq!(world.update().len(), 1);
        world.validate().unwrap();
    }
}
