//! Putting an entry where it belongs.

use alloc::vec;

use super::LooseOrthtree;
use super::node::{NONE, Node, child_cell, cube, octant, parent_cell, width};
use crate::overlap::Extent;
use crate::{Aabb, Bounded, Vector};

/// A leaf is split when it holds this many items, and at each doubling of that if they stayed.
const SPLIT: usize = 32;

impl<T: Bounded> LooseOrthtree<T> {
    /// Puts an entry where it belongs.
    pub(super) fn place(&mut self, slot: u32) {
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
    pub(super) fn put(&mut self, at: u32, slot: u32) {
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
}
