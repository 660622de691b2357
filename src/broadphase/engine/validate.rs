//! What every step relies on.

use alloc::borrow::Cow;

use super::items::{NOWHERE, flag};
use super::lists::pairs_of;
use super::row;
use super::tree::{NOBODY, Tree};
use super::{Engine, Items};
use crate::simd::LANES;
use crate::{Overlaps, Vector};

impl<V: Vector> Engine<V> {
    /// Checks the trees and the lists.
    pub(in super::super) fn validate(&self) -> Result<(), &'static str> {
        let placed =
            self.check_tree(&self.moving, 0)? + self.check_tree(&self.resting, flag::RESTS)?;
        let places = self.items.place.iter().filter(|&&place| place != NOWHERE);
        if places.count() != placed {
            return Err("a box is not in its slot");
        }
        let mut pairs = Cow::Borrowed(pairs_of(&self.pairs));
        if !self.is_sorted {
            pairs.to_mut().sort_unstable();
        }
        for list in [&*pairs, self.begun(), self.ended()] {
            if !list.is_sorted_by(|a, b| a < b) {
                return Err("the pairs are not sorted");
            }
        }
        for &[a, b] in pairs_of(&self.pairs) {
            if a >= b {
                return Err("a pair has its greater id first");
            }
            if self.items.has(a, flag::DOUBT) || self.items.has(b, flag::DOUBT) {
                continue;
            }
            if !self.items.has(a, flag::ALIVE) || !self.items.has(b, flag::ALIVE) {
                return Err("a pair of a box that was removed");
            }
            if !self.bounds(a).overlaps(&self.bounds(b)) {
                return Err("a pair that does not overlap");
            }
        }
        Ok(())
    }

    /// Checks a tree, and says how many boxes it has.
    fn check_tree(&self, tree: &Tree<V>, rests: u8) -> Result<usize, &'static str> {
        let items: &Items<V> = &self.items;
        let mut len = 0;
        for (slot, &id) in tree.ids.iter().flat_map(|ids| &ids.0).enumerate() {
            let (block, lane) = (slot / LANES, slot % LANES);
            if id == NOBODY {
                if !row::is_empty(&tree.levels[0][block], lane) {
                    return Err("a box without an id");
                }
                continue;
            }
            len += 1;
            if items.place.get(id as usize) != Some(&(slot as u32))
                || items.flags[id as usize] & flag::RESTS != rests
            {
                return Err("a box is not in its slot");
            }
            let bounds = row::at(&tree.levels[0][block], lane);
            if items.is_settled(id) && bounds != items.boxes[id as usize] {
                return Err("a slot holds another box");
            }
        }
        for (below, level) in tree.levels.iter().zip(tree.above()) {
            for (at, boxes) in below.iter().enumerate() {
                let bounds = row::at(&level[at / LANES], at % LANES);
                for lane in (0..LANES).filter(|&lane| !row::is_empty(boxes, lane)) {
                    if bounds.union(&row::at(boxes, lane)) != bounds {
                        return Err("bounds do not hold what is below");
                    }
                }
            }
        }
        if len != tree.len || tree.marks.iter().any(|&marks| marks != 0) {
            return Err("a tree has lost count");
        }
        Ok(len)
    }
}
