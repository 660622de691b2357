//! Insert, move, remove.

use alloc::vec;

use slab::Slab;

use super::node::{NONE, width};
use super::{Entry, LooseOrthtree};
use crate::overlap::{Extent, check_count, check_item};
use crate::{Bounded, Error, Handle, Scalar, Vector};

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
        let generation = self.generation;
        self.generation = generation.wrapping_add(1);
        let slot = self.entries.insert(Entry {
            item,
            generation,
            node: NONE,
            place: 0,
        }) as u32;
        self.place(slot);
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
    /// As [`try_insert`](Self::try_insert); less where the item stays in its cell.
    pub fn try_update(&mut self, handle: Handle, item: T) -> Result<T, Error> {
        if !self.contains(handle) {
            return Err(Error::Stale { handle });
        }
        check_item(&item)?;
        let at = self.entries[handle.slot()].node;
        let stays = self.belongs(at, &item);
        let extent = Extent::of(&item);
        if stays {
            let old = core::mem::replace(&mut self.entries[handle.slot()].item, item);
            self.climb(at, |node| {
                node.extent = node.extent.union(&extent);
                node.departures += 1;
            });
            return Ok(old);
        }
        self.lift(handle.slot);
        let old = core::mem::replace(&mut self.entries[handle.slot()].item, item);
        self.place(handle.slot);
        self.give_back();
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
    /// O(depth), amortised.
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
        let capacity = self.entries.capacity() + self.nodes.capacity();
        let idle = self.entries.len() < self.entries.capacity() / 4
            || self.nodes.len() < self.nodes.capacity() / 4;
        // It costs as much as there are slots: constant time each, in the mean.
        if idle && self.departures > 64 + capacity / 8 {
            self.departures = 0;
            self.entries.shrink_to_fit();
            self.renumber_nodes();
        }
    }

    /// Moves the nodes together.
    fn renumber_nodes(&mut self) {
        let old = core::mem::take(&mut self.nodes);
        let mut numbers = vec![NONE; old.capacity()];
        let mut nodes = Slab::with_capacity(old.len());
        for (number, node) in old {
            numbers[number] = nodes.insert(node) as u32;
        }
        let renumber = |number: &mut u32| {
            if *number != NONE {
                *number = numbers[*number as usize];
            }
        };
        for (number, node) in &mut nodes {
            renumber(&mut node.parent);
            node.octants.iter_mut().for_each(renumber);
            for &slot in &node.slots {
                self.entries[slot as usize].node = number as u32;
            }
        }
        renumber(&mut self.root);
        self.nodes = nodes;
    }

    /// Whether the item would be put into this node again.
    fn belongs(&self, at: u32, item: &T) -> bool {
        let node = &self.nodes[at as usize];
        let (bounds, cell) = (item.bounds(), &node.cell);
        let center = bounds.center();
        let half = T::Vector::from_fn(|a| cell.center().axis(a) - cell.min().axis(a));
        let goes_down = !node.is_leaf() && width(&bounds) <= largest(half);
        let in_cell = (0..T::Vector::DIM).all(|a| {
            let c = center.axis(a);
            cell.min().axis(a) <= c && c <= cell.max().axis(a)
        });
        in_cell && !goes_down && width(&bounds) <= width(cell)
    }
}

fn largest<V: Vector>(v: V) -> V::Scalar {
    (0..V::DIM).fold(V::Scalar::ZERO, |most, a| most.larger(v.axis(a)))
}
