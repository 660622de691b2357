//! How rapier fattens the boxes of bodies, so that small moves change nothing.

use std::collections::BTreeMap;

use crate::bodies::{Bounds, Key};

/// The fat boxes: a body keeps its box while that encloses the tight one, else it gets the tight one
/// grown by a skin on all sides. The first box of a body is not grown.
#[derive(Debug)]
pub struct Skin {
    thickness: f32,
    boxes: BTreeMap<Key, Bounds>,
}

impl Skin {
    /// No bodies yet. The thickness is in the units of the boxes.
    #[must_use]
    pub const fn new(thickness: f32) -> Self {
        Self {
            thickness,
            boxes: BTreeMap::new(),
        }
    }

    /// The fat box of a body that has this tight one now.
    pub fn fatten(&mut self, key: Key, tight: Bounds) -> Bounds {
        let fat = self.boxes.entry(key).or_insert(tight);
        let (lo, hi) = (tight.min(), tight.max());
        let within = (0..3).all(|i| fat.min()[i] <= lo[i] && hi[i] <= fat.max()[i]);
        if !within {
            *fat = Bounds::new(
                lo.map(|x| x - self.thickness),
                hi.map(|x| x + self.thickness),
            );
        }
        *fat
    }

    /// The next box of this body will be its first.
    pub fn forget(&mut self, key: Key) {
        self.boxes.remove(&key);
    }

    /// Forgets all bodies for which the test fails.
    pub fn retain(&mut self, keep: impl Fn(Key) -> bool) {
        self.boxes.retain(|&key, _| keep(key));
    }

    /// All fat boxes.
    pub fn iter(&self) -> impl Iterator<Item = (Key, Bounds)> {
        self.boxes.iter().map(|(&key, &fat)| (key, fat))
    }
}
