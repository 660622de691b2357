//! The body of each entity.

use bevy_ecs::entity::Entity;
use orthant::Handle;

/// The body of each entity. It takes four bytes for each entity index up to the greatest that was ever in it, as bevy's sparse sets do, and
/// sixteen for each body.
#[derive(Default)]
pub(crate) struct Handles {
    /// One more than the slot of the entity's body, by the index of the entity; 0 for no body.
    slots: Vec<u32>,
    /// The entity and the handle of each body, by slot.
    bodies: Vec<Option<(Entity, Handle)>>,
}

impl Handles {
    fn of_index(&self, at: usize) -> Option<(Entity, Handle)> {
        let slot = self.slots.get(at)?.checked_sub(1)?;
        self.bodies[slot as usize]
    }

    pub(crate) fn get(&self, entity: Entity) -> Option<Handle> {
        let known = self.of_index(index(entity));
        known.filter(|known| known.0 == entity).map(|known| known.1)
    }

    pub(crate) fn remove(&mut self, entity: Entity) -> Option<Handle> {
        let handle = self.get(entity)?;
        self.slots[index(entity)] = 0;
        self.bodies[handle.slot()] = None;
        Some(handle)
    }

    /// Inserts the body of an entity that has none. Returns the body of an older entity with the same index, if that never left.
    pub(crate) fn insert(&mut self, entity: Entity, handle: Handle) -> Option<Handle> {
        let (at, slot) = (index(entity), handle.slot());
        let older = self.of_index(at).map(|known| known.1);
        if let Some(older) = older {
            self.bodies[older.slot()] = None;
        }
        if at >= self.slots.len() {
            self.slots.resize(at + 1, 0);
        }
        if slot >= self.bodies.len() {
            self.bodies.resize(slot + 1, None);
        }
        self.slots[at] = slot as u32 + 1;
        self.bodies[slot] = Some((entity, handle));
        older
    }

    pub(crate) fn entities(&self) -> impl Iterator<Item = Entity> {
        self.bodies.iter().flatten().map(|known| known.0)
    }
}

fn index(entity: Entity) -> usize {
    entity.index_u32() as usize
}
