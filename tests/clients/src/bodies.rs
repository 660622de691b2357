//! A broad phase whose bodies have an engine's numbers.

use std::collections::{BTreeMap, BTreeSet};

use orthant::{Aabb, BodyInfo, Broadphase, Event, Handle, Volume};

/// The number of a body, and how many bodies had that number before.
pub type Key = (u32, u32);

/// Two bodies, the lesser key first.
pub type Pair = (Key, Key);

/// A box in space.
pub type Bounds = Aabb<[f32; 3]>;

/// Returns the two keys in order.
#[must_use]
pub fn pair(a: Key, b: Key) -> Pair {
    (a.min(b), a.max(b))
}

/// An event as an engine gets it. All that began come before all that ended, each sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Two bodies that meet since this update.
    Begin(Pair),
    /// Two bodies that no longer meet, and are both still there.
    End(Pair),
}

/// A broad phase whose bodies have an engine's numbers.
#[derive(Debug, Default)]
pub struct Bodies {
    world: Broadphase<[f32; 3]>,
    handles: BTreeMap<Key, Handle>,
}

impl Bodies {
    /// Starts with a world without bodies.
    #[must_use]
    pub const fn new(world: Broadphase<[f32; 3]>) -> Self {
        Self {
            world,
            handles: BTreeMap::new(),
        }
    }

    /// Adds or updates a body, which is expected to move on by the displacement.
    pub fn put(
        &mut self,
        key: Key,
        volume: impl Into<Volume<[f32; 3]>>,
        proxy: impl Into<BodyInfo>,
        displacement: [f32; 3],
    ) {
        let proxy = proxy.into();
        if let Some(&handle) = self.handles.get(&key) {
            self.world
                .set_bounds_expecting(handle, volume, displacement);
            self.world.set_motion(handle, proxy.motion);
            self.world.set_filter(handle, proxy.filter);
        } else {
            let user = u64::from(key.0) << 32 | u64::from(key.1);
            let handle = self.world.insert(volume, proxy.with_user(user));
            self.handles.insert(key, handle);
        }
    }

    /// Removes a body, if it is there.
    pub fn remove(&mut self, key: Key) {
        if let Some(handle) = self.handles.remove(&key) {
            self.world.remove(handle);
        }
    }

    /// Removes all bodies for which the test fails.
    pub fn retain(&mut self, keep: impl Fn(Key) -> bool) {
        let world = &mut self.world;
        self.handles.retain(|&key, &mut handle| {
            let stays = keep(key);
            if !stays {
                world.remove(handle);
            }
            stays
        });
    }

    /// Brings the pairs up to date and returns the changes, sorted. The pairs of removed bodies are left out: the engine knows that these bodies
    /// are gone.
    pub fn update(&mut self) -> Vec<Change> {
        let events = self.world.update().to_vec();
        let changes = events.into_iter().filter_map(|event| {
            let both = self.both(event.pair())?;
            Some(match event {
                Event::Begin(..) => Change::Begin(both),
                Event::End(..) => Change::End(both),
            })
        });
        let mut changes: Vec<Change> = changes.collect();
        changes.sort_unstable();
        changes
    }

    /// Returns all pairs as of the last update.
    #[must_use]
    pub fn pairs(&self) -> BTreeSet<Pair> {
        let pairs = self.world.pairs().filter_map(|pair| self.both(pair));
        pairs.collect()
    }

    /// Returns the box that the broad phase stores for a body, if the body is there.
    #[must_use]
    pub fn fat_box(&self, key: Key) -> Option<Bounds> {
        self.world.fat_bounds(*self.handles.get(&key)?)
    }

    /// Checks the invariants on which every update relies.
    ///
    /// # Errors
    ///
    /// Returns the invariant that does not hold.
    pub fn validate(&self) -> Result<(), &'static str> {
        self.world.validate()
    }

    /// Returns the keys of a pair, if both bodies are still there.
    fn both(&self, (a, b): (Handle, Handle)) -> Option<Pair> {
        let key = |handle| {
            // The number of a removed body is still known while its pairs end.
            let user = self
                .world
                .user(handle)
                .filter(|_| self.world.contains(handle))?;
            Some(((user >> 32) as u32, user as u32))
        };
        Some(pair(key(a)?, key(b)?))
    }
}
