//! What every update and query relies on.

use alloc::borrow::Cow;

use super::engine::PairTest;
use super::rules::{ExtraChecks, PairRules};
use super::slots::Kind;
use super::world::World;
use crate::overlap::{Contains, Overlaps};
use crate::vector::Vector;

impl<V: Vector> World<V> {
    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.engine.validate()?;
        self.validate_slots()?;
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
            if !held.contains(&self.rules.reach(&volume, path)) {
                return Err("a body lies outside its fat box");
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
