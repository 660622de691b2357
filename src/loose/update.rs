//! Insert, move, remove.

use super::lanes::{SLACK, is_within};
use super::node::NONE;
use super::order::Spot;
use super::{Entry, LooseOrthtree};
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
    /// O(log n), amortised.
    pub fn try_insert(&mut self, item: T) -> Result<Handle, Error> {
        check_item(&item)?;
        check_count(self.entries.len() + 1)?;
        let spot = Spot::of::<T>(Extent::of(&item));
        let generation = self.generation;
        self.generation = generation.wrapping_add(1);
        let slot = self.entries.insert(Entry {
            item,
            generation,
            leaf: NONE,
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
    /// # Complexity
    ///
    /// As [`try_insert`](Self::try_insert); O(1) where the item stays among its neighbours.
    pub fn try_update(&mut self, handle: Handle, item: T) -> Result<T, Error> {
        if !self.contains(handle) {
            return Err(Error::Stale { handle });
        }
        check_item(&item)?;
        let extent = Extent::of(&item);
        let entry = &mut self.entries[handle.slot()];
        let number = entry.leaf;
        let old = core::mem::replace(&mut entry.item, item);
        let leaf = &self.leaves[number as usize];
        let place = leaf.place_of(handle.slot);
        if is_within(&extent, &leaf.bounds) {
            self.rewrite(number, place, &extent);
            return Ok(old);
        }
        let spot = Spot::of::<T>(extent);
        if self.find(&spot.key) == number {
            self.grow(number, &extent);
            self.rewrite(number, place, &extent);
        } else {
            self.place(handle.slot, &spot);
            self.lift(number, place);
        }
        Ok(old)
    }

    /// An item moved, but not out of the bounds of its leaf.
    #[inline(always)]
    fn rewrite(&mut self, number: u32, place: usize, extent: &Extent<T::Vector>) {
        self.write(number, place, extent);
        let leaf = &mut self.leaves[number as usize];
        leaf.departures += 1;
        if leaf.departures > SLACK * leaf.len {
            self.tighten(number);
        }
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
    /// O(log n), amortised.
    pub fn try_remove(&mut self, handle: Handle) -> Result<T, Error> {
        if !self.contains(handle) {
            return Err(Error::Stale { handle });
        }
        let number = self.entries[handle.slot()].leaf;
        let place = self.leaves[number as usize].place_of(handle.slot);
        self.lift(number, place);
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
        if self.entries.len() < capacity / 4 && self.departures > 64 + capacity / 8 {
            self.departures = 0;
            self.entries.shrink_to_fit();
        }
    }
}
