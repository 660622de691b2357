//! Insert, move, remove.

use super::lanes::{SLACK, parts};
use super::node::NONE;
use super::spot::{Spot, class_of};
use super::{Entry, LooseOrthtree};
use crate::overlap::lanes::Layout;
use crate::overlap::{check_count, check_item};
use crate::{Bounded, Error, Handle};

impl<T: Bounded> LooseOrthtree<T> {
    /// Adds an item and returns its handle.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) returns an error.
    #[track_caller]
    pub fn insert(&mut self, item: T) -> Handle {
        match self.try_insert(item) {
            Ok(handle) => handle,
            Err(error) => panic!("LooseOrthtree: {error}"),
        }
    }

    /// Adds an item and returns its handle.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN, or there are more items than `u32` can number.
    ///
    /// # Complexity
    ///
    /// O(depth), which is O(log n) for items that are not much nearer to each other than to the
    /// rest.
    pub fn try_insert(&mut self, item: T) -> Result<Handle, Error> {
        check_item(&item)?;
        check_count(self.entries.len() + 1)?;
        let spot = Spot::of(&item);
        let generation = self.generation;
        self.generation = generation.wrapping_add(1);
        let slot = self.entries.insert(Entry {
            item,
            generation,
            leaf: NONE,
            place: 0,
        }) as u32;
        self.place_at(slot, spot);
        Ok(Handle { slot, generation })
    }

    /// Replaces an item, mostly by itself in another place; returns the old one. The handle stays.
    ///
    /// # Panics
    ///
    /// Where [`try_update`](Self::try_update) returns an error.
    #[track_caller]
    pub fn update(&mut self, handle: Handle, item: T) -> T {
        match self.try_update(handle, item) {
            Ok(old) => old,
            Err(error) => panic!("LooseOrthtree: {error}"),
        }
    }

    /// Replaces an item, mostly by itself in another place; returns the old one. The handle stays.
    ///
    /// # Errors
    ///
    /// On a stale handle, or if a coordinate is infinite or NaN; the old item stays then.
    ///
    /// ```
    /// use orthant::{LooseQuadtree, Sphere, glam::Vec2};
    /// let mut tree = LooseQuadtree::new();
    /// let ball = tree.insert(Sphere::new(Vec2::ZERO, 1.0));
    /// let old = tree.try_update(ball, Sphere::new(Vec2::X, 1.0))?;
    /// assert_eq!((old.center(), tree[ball].center()), (Vec2::ZERO, Vec2::X));
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert); less where the item stays in its cell.
    pub fn try_update(&mut self, handle: Handle, item: T) -> Result<T, Error> {
        if !self.contains(handle) {
            return Err(Error::Stale { handle });
        }
        check_item(&item)?;
        let spot = Spot::of(&item);
        let entry = &mut self.entries[handle.slot()];
        let (leaf, place) = (entry.leaf, entry.place as usize);
        let is_alike = T::LAYOUT == Layout::Point || class_of(&entry.item) == spot.class;
        let old = core::mem::replace(&mut entry.item, item);
        if is_alike && self.belongs(leaf, handle.slot, spot.center) {
            self.write(leaf, place, &spot.extent);
            let held = &mut self.leaves[leaf as usize];
            held.departures += 1;
            let (lane, is_loose) = (held.parent, held.departures > SLACK * held.len);
            self.grow(lane, &spot.extent);
            if is_loose {
                self.tighten(leaf);
            }
            return Ok(old);
        }
        self.lift(handle.slot);
        self.place(handle.slot);
        Ok(old)
    }

    /// Takes an item out.
    ///
    /// # Panics
    ///
    /// On a stale handle.
    #[track_caller]
    pub fn remove(&mut self, handle: Handle) -> T {
        match self.try_remove(handle) {
            Ok(item) => item,
            Err(error) => panic!("LooseOrthtree: {error}"),
        }
    }

    /// Takes an item out.
    ///
    /// # Errors
    ///
    /// On a stale handle.
    ///
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert), amortised.
    pub fn try_remove(&mut self, handle: Handle) -> Result<T, Error> {
        if !self.contains(handle) {
            return Err(Error::Stale { handle });
        }
        self.lift(handle.slot);
        let entry = self.entries.remove(handle.slot());
        self.give_back();
        Ok(entry.item)
    }

    /// Lets go of memory that is mostly unused. Handles name slots, so that of the entries only what
    /// lies behind the last one can be given back.
    fn give_back(&mut self) {
        if self.entries.is_empty() {
            return self.clear();
        }
        self.departures += 1;
        let capacity = self.entries.capacity();
        // It costs as much as there are slots: constant time each, in the mean.
        if self.entries.len() < capacity / 4 && self.departures > 64 + capacity / 2 {
            self.departures = 0;
            self.entries.shrink_to_fit();
        }
    }

    /// Whether the item would be put into this leaf again, as far as its node can tell.
    #[inline(always)]
    fn belongs(&self, leaf: u32, slot: u32, center: T::Vector) -> bool {
        let lane = self.leaves[leaf as usize].parent;
        let (at, lane) = parts(lane);
        let node = &self.nodes[at];
        let (cell, is_stray) = node.cell(center, slot);
        at == 0 || !is_stray && usize::from(node.lane_of[cell]) == lane
    }
}
