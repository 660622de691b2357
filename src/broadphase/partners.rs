//! The pairs of one body.

use super::Broadphase;
use super::engine::{Around, Judge};
use super::rules::Court;
use super::walk::FOUND;
use crate::simd::Room;
use crate::{Handle, Overlaps, Vector};

impl<V: Vector> Broadphase<V> {
    /// The bodies that make a pair with one, in no order of use; none if it has been removed.
    ///
    /// Asks where bodies are now: right after an update that are its [`pairs`](Self::pairs), later
    /// what the next update would find.
    ///
    /// # Complexity
    ///
    /// O(log n + bodies about it).
    ///
    /// ```
    /// use orthant::{Aabb, Broadphase, Motion};
    /// let mut world = Broadphase::new();
    /// let [a, _, c] = [4.0, 9.0, 5.0].map(|x| {
    ///     world.insert(Aabb::new([x], [x + 1.0]), Motion::Dynamic)
    /// });
    /// assert!(world.partners(a).eq([c]));
    /// ```
    pub fn partners(&self, handle: Handle) -> impl Iterator<Item = Handle> {
        let bounds = self.fat_bounds(handle);
        Partners {
            world: self,
            slot: handle.slot,
            around: bounds.and_then(|bounds| Around::new(&self.engine, &bounds)),
            found: Room::new(),
            at: 0,
        }
    }
}

struct Partners<'a, V: Vector> {
    world: &'a Broadphase<V>,
    slot: u32,
    /// `None` for a body that has been removed.
    around: Option<Around<V>>,
    found: Room<FOUND>,
    at: usize,
}

impl<V: Vector> Iterator for Partners<'_, V> {
    type Item = Handle;

    fn next(&mut self) -> Option<Handle> {
        let Self { world, slot, .. } = *self;
        let around = self.around.as_mut()?;
        let boxes = world.engine.boxes();
        let court = Court {
            rules: &world.rules,
            slots: &world.slots,
        };
        loop {
            while let Some(&other) = self.found.as_slice().get(self.at) {
                self.at += 1;
                let (a, b) = (slot.min(other), slot.max(other));
                let meet = boxes[a as usize].overlaps(&boxes[b as usize]);
                if a != b && meet && court.judges(boxes, a, b) {
                    return Some(world.slots.handle(other));
                }
            }
            self.found.clear();
            self.at = 0;
            around.fill(&world.engine, &mut self.found);
            if self.found.len() == 0 {
                return None;
            }
        }
    }
}
