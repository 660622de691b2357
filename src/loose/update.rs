//! Insert, move, remove.

use alloc::vec;

use super::node::{List, NONE, Node, child_cell, cube, octant, parent_cell, width};
use super::{Entry, LooseOrthtree};
use crate::overlap::{Extent, check_count, check_item};
use crate::{Aabb, Bounded, Error, Handle, Scalar, Vector};

/// A leaf is split when it holds this many items, and at each doubling of that if they stayed.
const SPLIT: usize = 32;
/// A subtree of no more than this is made a leaf.
const MERGE: u32 = 8;

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

    /// Lets go of memory that is mostly unused. What lies behind the last value of a slab can be
    /// given back; slots between values are used again.
    fn give_back(&mut self) {
        if self.entries.is_empty() {
            return self.clear();
        }
        self.removals += 1;
        // It costs as much as there are slots: constant time a removal, in the mean.
        if self.removals > self.entries.capacity() {
            self.removals = 0;
            self.entries.shrink_to_fit();
            self.nodes.shrink_to_fit();
        }
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
            cell.min().axis(a) <= c && c < cell.max().axis(a)
        });
        in_cell && !goes_down && width(&bounds) <= width(cell)
    }

    /// Puts an entry where it belongs.
    fn place(&mut self, slot: u32) {
        let extent = Extent::of(&self.entries[slot as usize].item);
        let bounds = self.entries[slot as usize].item.bounds();
        let (center, size) = (bounds.center(), width(&bounds));
        if self.root == NONE {
            let node = Node::new(Aabb::point(center), NONE, extent);
            self.root = self.nodes.insert(node) as u32;
        }
        self.grow(center);
        let mut at = self.root;
        loop {
            let node = &mut self.nodes[at as usize];
            node.extent = node.extent.union(&extent);
            node.count += 1;
            if node.is_leaf() {
                break;
            }
            let octant = octant(&node.cell, center);
            let below = child_cell(&node.cell, octant);
            if size > width(&below) {
                break;
            }
            let child = node.octants[octant];
            at = if child == NONE {
                self.add_child(at, octant, below, extent)
            } else {
                child
            };
        }
        self.put(at, slot);
        self.split(at);
    }

    /// Adds a node, which is empty as yet.
    fn add_child(
        &mut self,
        parent: u32,
        octant: usize,
        cell: Aabb<T::Vector>,
        extent: Extent<T::Vector>,
    ) -> u32 {
        let child = self.nodes.insert(Node::new(cell, parent, extent)) as u32;
        let octants = &mut self.nodes[parent as usize].octants;
        octants.resize(1 << T::Vector::DIM, NONE);
        octants[octant] = child;
        child
    }

    /// Writes an entry into a node's list.
    fn put(&mut self, at: u32, slot: u32) {
        let slots = &mut self.nodes[at as usize].slots;
        let entry = &mut self.entries[slot as usize];
        (entry.node, entry.place) = (at, slots.len() as u32);
        slots.push(slot);
    }

    /// Doubles the root until its cell holds the point.
    fn grow(&mut self, p: T::Vector) {
        loop {
            let root = &mut self.nodes[self.root as usize];
            let around = root.cell.union(&Aabb::point(p));
            if around == root.cell {
                return;
            }
            if root.is_leaf() {
                // Nothing depends on the cell yet.
                root.cell = around;
                return;
            }
            let (cell, octant) = parent_cell(&root.cell, p);
            let mut above = Node::new(cell, NONE, root.extent);
            above.count = root.count;
            above.octants.resize(1 << T::Vector::DIM, NONE);
            above.octants[octant] = self.root;
            let above = self.nodes.insert(above) as u32;
            self.nodes[self.root as usize].parent = above;
            self.root = above;
        }
    }

    /// Divides a full leaf, and what is still full below it.
    fn split(&mut self, leaf: u32) {
        let len = self.nodes[leaf as usize].slots.len();
        if len < SPLIT || !len.is_power_of_two() {
            return;
        }
        let mut full = vec![leaf];
        while let Some(at) = full.pop() {
            let node = &self.nodes[at as usize];
            if !node.is_leaf() || node.slots.len() < SPLIT {
                continue;
            }
            let center = |slot: u32| self.entries[slot as usize].item.bounds().center();
            let one = center(node.slots[0]);
            if node.slots.iter().all(|&slot| center(slot) == one) {
                // No cell tells them apart.
                continue;
            }
            if at == self.root {
                self.nodes[at as usize].cell = cube(&self.nodes[at as usize].cell);
            }
            let cell = self.nodes[at as usize].cell;
            let slots = core::mem::take(&mut self.nodes[at as usize].slots);
            for slot in slots {
                self.sink(at, &cell, slot);
            }
            full.extend(self.nodes[at as usize].children().filter(|&child| {
                // A cell that halving no longer makes smaller stays as it is.
                self.nodes[child as usize].cell != cell
            }));
        }
    }

    /// Puts an entry of a node that is being split one level down, or back if it is too wide.
    fn sink(&mut self, at: u32, cell: &Aabb<T::Vector>, slot: u32) {
        let item = &self.entries[slot as usize].item;
        let (extent, bounds) = (Extent::of(item), item.bounds());
        let octant = octant(cell, bounds.center());
        let below = child_cell(cell, octant);
        if width(&bounds) > width(&below) {
            return self.put(at, slot);
        }
        let child = match self.nodes[at as usize].octants.get(octant) {
            Some(&child) if child != NONE => child,
            _ => self.add_child(at, octant, below, extent),
        };
        let node = &mut self.nodes[child as usize];
        node.extent = node.extent.union(&extent);
        node.count += 1;
        self.put(child, slot);
    }

    /// Takes an entry out of its node; it stays in the slab.
    fn lift(&mut self, slot: u32) {
        let (at, place) = {
            let entry = &self.entries[slot as usize];
            (entry.node, entry.place)
        };
        let slots = &mut self.nodes[at as usize].slots;
        slots.swap_remove(place as usize);
        if slots.spilled() && slots.len() < slots.capacity() / 4 {
            slots.shrink_to_fit();
        }
        if let Some(&moved) = slots.get(place as usize) {
            self.entries[moved as usize].place = place;
        }
        self.climb(at, |node| {
            node.count -= 1;
            node.departures += 1;
        });
        self.prune(at);
    }

    /// Changes a node and all above it, and makes bounds tight that too much has left.
    fn climb(&mut self, mut at: u32, mut change: impl FnMut(&mut Node<T::Vector>)) {
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            change(node);
            let parent = node.parent;
            // As many departures as there are parts to look at: constant time each, in the mean.
            if node.departures as usize > node.slots.len() + node.octants.len() {
                self.tighten(at);
            }
            at = parent;
        }
    }

    fn tighten(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let items = node.slots.iter();
        let items = items.map(|&slot| Extent::of(&self.entries[slot as usize].item));
        let children = node.children().map(|child| &self.nodes[child as usize]);
        // A child that is about to be pruned holds nothing.
        let children = children
            .filter(|child| child.count > 0)
            .map(|child| child.extent);
        let tight = items.chain(children).reduce(|a, b| a.union(&b));
        let node = &mut self.nodes[at as usize];
        node.departures = 0;
        if let Some(tight) = tight {
            node.extent = tight;
        }
    }

    /// Frees what is empty from a node upwards, and makes a leaf of what has become small.
    fn prune(&mut self, mut at: u32) {
        let mut small = NONE;
        while at != NONE {
            let node = &self.nodes[at as usize];
            let (count, parent) = (node.count, node.parent);
            if count == 0 {
                self.nodes.remove(at as usize);
                match self.nodes.get_mut(parent as usize) {
                    None => self.root = NONE,
                    Some(parent) => {
                        for child in &mut parent.octants {
                            if *child == at {
                                *child = NONE;
                            }
                        }
                    }
                }
            } else if count > MERGE {
                break;
            } else if !node.is_leaf() {
                small = at;
            }
            at = parent;
        }
        if small != NONE {
            self.merge(small);
        }
    }

    /// Takes everything below a node into its own list.
    fn merge(&mut self, at: u32) {
        let mut below: List = self.nodes[at as usize].children().collect();
        self.nodes[at as usize].octants = List::new();
        while let Some(child) = below.pop() {
            let node = self.nodes.remove(child as usize);
            below.extend(node.children());
            for slot in node.slots {
                self.put(at, slot);
            }
        }
    }
}

fn largest<V: Vector>(v: V) -> V::Scalar {
    (0..V::DIM).fold(V::Scalar::ZERO, |most, a| most.larger(v.axis(a)))
}
