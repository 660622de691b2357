use super::Broadphase;
use super::rules::Needy;
use crate::{Contains, Overlaps, Vector};

impl<V: Vector> Broadphase<V> {
    /// Checks what every update and query relies on, for tests and for memory that is in doubt: slots
    /// are in use or free, bodies lie in their fat boxes, the tree is sound, and pairs are sorted,
    /// each once, of known bodies that are pairs unless something has changed since the last update.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n + pairs).
    pub fn validate(&self) -> Result<(), &'static str> {
        self.engine.validate()?;
        self.validate_slots()?;
        let pairs = self.reported();
        if !pairs.is_sorted_by(|a, b| a < b) {
            return Err("the pairs are not sorted");
        }
        for &[a, b] in pairs {
            if a >= b {
                return Err("a pair has its greater handle first");
            }
            if !self.was_known(a) || !self.was_known(b) {
                return Err("a pair of a body that the last update did not know");
            }
            if self.settled && !self.is_pair(a, b) {
                return Err("a pair that is none");
            }
        }
        Ok(())
    }

    fn validate_slots(&self) -> Result<(), &'static str> {
        let slots = &self.slots;
        let empty = slots.bodies.iter().filter(|body| body.is_none()).count();
        let idle = slots.free.iter().chain(&slots.gone);
        let empty_too = idle.clone().all(|&slot| {
            let body = slots.bodies.get(slot as usize);
            body.is_some_and(Option::is_none)
        });
        if !empty_too || idle.count() != empty {
            return Err("a slot is neither in use nor free");
        }
        if slots.len + empty != slots.bodies.len() || slots.generations.len() != slots.bodies.len()
        {
            return Err("the bodies are miscounted");
        }
        let mut needy = Needy::NONE;
        for (handle, body) in slots.iter() {
            let held = self.engine.bounds(handle.slot);
            if !held.contains(&self.rules.reach(&body.volume, body.path)) {
                return Err("a body lies outside its fat box");
            }
            if body.needs != self.rules.needs(body, &held) {
                return Err("a body is judged by too little");
            }
            needy.add(body.needs);
        }
        if needy != self.needy {
            return Err("the bodies that need more are miscounted");
        }
        Ok(())
    }

    /// Whether the last update knew the body of a slot.
    fn was_known(&self, slot: u32) -> bool {
        match self.slots.bodies.get(slot as usize) {
            Some(Some(body)) => body.born < self.slots.updates,
            // Not free, then: of those that are gone, there may be as many as pairs.
            Some(None) => !self.slots.free.contains(&slot),
            None => false,
        }
    }

    fn is_pair(&self, a: u32, b: u32) -> bool {
        let boxes = self.engine.bounds(a).overlaps(&self.engine.bounds(b));
        boxes && self.rules.pair(self.slots.at(a), self.slots.at(b))
    }
}

#[cfg(test)]
mod tests {
    use super::Broadphase;
    use crate::{Aabb, Motion};

    fn unit(x: f64) -> Aabb<[f64; 2]> {
        Aabb::new([x, 0.0], [x + 1.0, 1.0])
    }

    /// What `validate` says of a world that was tampered with.
    fn broken(tamper: impl FnOnce(&mut Broadphase<[f64; 2]>)) -> &'static str {
        let mut world = Broadphase::new();
        for x in [0.0, 0.5, 1.0, 5.0] {
            world.insert(unit(x), Motion::Dynamic);
        }
        assert_eq!(world.update().len(), 3);
        world.validate().unwrap();
        tamper(&mut world);
        world.validate().unwrap_err()
    }

    fn body(world: &mut Broadphase<[f64; 2]>, slot: usize) -> &mut super::super::Body<[f64; 2]> {
        world.slots.bodies[slot].as_mut().unwrap()
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
                w.insert(unit(0.0), Motion::Dynamic);
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
            broken(|w| body(w, 1).volume = unit(50.0).into()),
            "a body lies outside its fat box"
        );
        assert_eq!(
            broken(|w| body(w, 1).proxy.motion = Motion::Static),
            "a body is judged by too little"
        );
        assert_eq!(
            broken(|w| w.needy.shape = 7),
            "the bodies that need more are miscounted"
        );
        assert_eq!(broken(|w| w.slots.len -= 1), "the bodies are miscounted");
        assert_eq!(
            broken(|w| _ = w.slots.free.insert(0)),
            "a slot is neither in use nor free"
        );
        assert_eq!(
            broken(|w| w.slots.bodies[0] = None),
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
