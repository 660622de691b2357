//! A broadphase by the numbers that an engine gives its bodies.

use std::collections::{BTreeMap, BTreeSet};

use orthant::{Aabb, Broadphase, Event, Handle, Motion};

/// The number of a body, and how often that number had been used before.
pub type Key = (u32, u32);

/// Two bodies, the lesser key first.
pub type Pair = (Key, Key);

/// A box in space.
pub type Bounds = Aabb<[f32; 3]>;

/// The two in order.
#[must_use]
pub fn pair(a: Key, b: Key) -> Pair {
    (a.min(b), a.max(b))
}

/// What an engine is told: first what began, then what ended, each sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The two meet now.
    Begin(Pair),
    /// The two met, are both still there, and no longer meet.
    End(Pair),
}

/// A broadphase by the numbers that an engine gives its bodies.
#[derive(Debug, Default)]
pub struct Bodies {
    world: Broadphase<[f32; 3]>,
    handles: BTreeMap<Key, Handle>,
    keys: BTreeMap<Handle, Key>,
}

impl Bodies {
    /// Gives a body its box, at first or anew. The motion counts when it is new.
    pub fn put(&mut self, key: Key, bounds: Bounds, motion: Motion) {
        if let Some(&handle) = self.handles.get(&key) {
            self.world.set_bounds(handle, bounds);
        } else {
            let handle = self.world.insert(bounds, motion);
            self.handles.insert(key, handle);
            self.keys.insert(handle, key);
        }
    }

    /// Takes a body out, if it is in.
    pub fn remove(&mut self, key: Key) {
        if let Some(handle) = self.handles.remove(&key) {
            self.keys.remove(&handle);
            self.world.remove(handle);
        }
    }

    /// Takes out all that are not in the set.
    pub fn retain(&mut self, keys: &BTreeSet<Key>) {
        let gone: Vec<Key> = self
            .handles
            .keys()
            .filter(|key| !keys.contains(key))
            .copied()
            .collect();
        for key in gone {
            self.remove(key);
        }
    }

    /// Brings the pairs up to date and says what changed, sorted. Of bodies that were removed an
    /// engine knows by itself.
    pub fn update(&mut self) -> Vec<Change> {
        let keys = &self.keys;
        let both = |(a, b): (Handle, Handle)| Some(pair(*keys.get(&a)?, *keys.get(&b)?));
        let mut changes: Vec<Change> = self
            .world
            .update()
            .iter()
            .filter_map(|&event| match event {
                Event::Begin(..) => both(event.pair()).map(Change::Begin),
                Event::End(..) => both(event.pair()).map(Change::End),
            })
            .collect();
        changes.sort_unstable();
        changes
    }

    /// All pairs as of the last update.
    #[must_use]
    pub fn pairs(&self) -> BTreeSet<Pair> {
        let key = |handle| self.keys[&handle];
        self.world
            .pairs()
            .map(|(a, b)| pair(key(a), key(b)))
            .collect()
    }

    /// Checks what every update relies on.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        self.world.validate()
    }
}
