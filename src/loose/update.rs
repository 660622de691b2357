//! Insert, move, remove.

use super::lanes::SLACK;
use super::node::NONE;
use super::rule::FAN;
use super::spot::{Spot, class_of};
use super::{Entry, LooseOrthtree};
use crate::overlap::lanes::Layout;
use crate::overlap::{Extent, check_count, check_item};
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
        self.place(slot, &spot);
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
        let extent = Extent::of(&item);
        let entry = &mut self.entries[handle.slot()];
        let (number, place) = (entry.leaf, entry.place as usize);
        // Of points and balls, the bounds tell the class of sizes.
        let is_alike = match T::LAYOUT {
            Layout::Point | Layout::Ball => true,
            Layout::Box | Layout::Whole => class_of(&entry.item) == class_of(&item),
        };
        let leaf = &mut self.leaves[number as usize];
        if !is_alike || !leaf.holds(&extent) {
            return Ok(self.relocate(handle.slot, item));
        }
        let old = core::mem::replace(&mut entry.item, item);
        leaf.departures += 1;
        let is_loose = leaf.departures > SLACK * leaf.len;
        self.write(number, place, &extent);
        if is_loose {
            self.tighten(number);
        }
        Ok(old)
    }

    /// Replaces an item by one that is not in the bounds of its leaf.
    #[inline(never)]
    fn relocate(&mut self, slot: u32, item: T) -> T {
        let spot = Spot::of(&item);
        let entry = &mut self.entries[slot as usize];
        let (number, place) = (entry.leaf, entry.place as usize);
        let is_alike = T::LAYOUT == Layout::Point || class_of(&entry.item) == spot.class;
        let old = core::mem::replace(&mut entry.item, item);
        if is_alike && self.belongs(number, slot, spot.center) {
            self.write(number, place, &spot.extent);
            self.grow_leaf(number, &spot.extent);
        } else {
            self.lift(slot);
            self.place(slot, &spot);
        }
        old
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

    /// Whether the item would be put into this leaf again, as far as its grid can tell.
    #[inline(always)]
    fn belongs(&self, number: u32, slot: u32, center: T::Vector) -> bool {
        let at = self.leaves[number as usize].grid as usize;
        let (cell, is_stray) = self.grids[at].cell(center, slot);
        at == 0 || !is_stray && self.grids[at].cells[cell % FAN] == number
    }
}
