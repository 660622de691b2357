//! Rapier's rule for fattening the boxes of bodies, so that small moves change nothing.

use std::collections::BTreeMap;

use crate::bodies::{Bounds, Key};

/// The fat boxes. A body keeps its fat box while that encloses the tight one; otherwise the fat box becomes the tight one grown by a skin on all
/// sides. The first box of a body is not grown.
#[derive(Debug)]
pub struct Skin {
    thickness: f32,
    boxes: BTreeMap<Key, Bounds>,
}

impl Skin {
    /// Starts without bodies. The thickness is in the units of the boxes.
    #[must_use]
    pub const fn new(thickness: f32) -> Self {
        Self {
            thickness,
            boxes: BTreeMap::new(),
        }
    }

    /// Returns the fat box of a body whose tight box is `tight`.
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

    /// Forgets a body: its next box counts as its first.
    pub fn forget(&mut self, key: Key) {
        self.boxes.remove(&key);
    }

    /// Forgets all bodies for which the test fails.
    pub fn retain(&mut self, keep: impl Fn(Key) -> bool) {
        self.boxes.retain(|&key, _| keep(key));
    }

    /// Iterates over all fat boxes.
    pub fn iter(&self) -> impl Iterator<Item = (Key, Bounds)> {
        self.boxes.iter().map(|(&key, &fat)| (key, fat))
    }
}
