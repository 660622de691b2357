//! Putting an entry where it belongs.

use alloc::vec;

use super::LooseOrthtree;
use super::node::{NONE, Node, child_cell, cube, octant, parent_cell, width};
use crate::overlap::Extent;
use crate::{Aabb, Bounded, Vector};

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
            // An octant as wide as its cell is what is left of halving between adjacent floats.
            if below == node.cell || size > width(&below) {
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
        let is_full = |node: &Node<_>| node.is_leaf() && node.slots.len() >= node.split_at as usize;
        if !is_full(&self.nodes[leaf as usize]) {
            return;
        }
        let mut leaves = vec![leaf];
        while let Some(at) = leaves.pop() {
            let node = &self.nodes[at as usize];
            if !is_full(node) {
                continue;
            }
            let cell = if at == self.root {
                cube(&node.cell)
            } else {
                node.cell
            };
            if !self.is_divisible(at, &cell) {
                // Tried again when there are twice as many: constant time an item, in the mean.
                let node = &mut self.nodes[at as usize];
                node.split_at = 2 * node.slots.len() as u32;
                continue;
            }
            self.nodes[at as usize].cell = cell;
            let slots = core::mem::take(&mut self.nodes[at as usize].slots);
            for slot in slots {
                self.sink(at, &cell, slot);
            }
            leaves.extend(self.nodes[at as usize].children());
        }
    }

    /// Whether a split gets anywhere: some item fits into an octant, the octant is smaller than the
    /// cell, and not all items have the same centre.
    fn is_divisible(&self, at: u32, cell: &Aabb<T::Vector>) -> bool {
        let slots = &self.nodes[at as usize].slots;
        let bounds = |slot: u32| self.entries[slot as usize].item.bounds();
        let one = bounds(slots[0]).center();
        let sinks = |slot: u32| {
            let bounds = bounds(slot);
            let below = child_cell(cell, octant(cell, bounds.center()));
            below != *cell && width(&bounds) <= width(&below)
        };
        slots.iter().any(|&slot| bounds(slot).center() != one)
            && slots.iter().any(|&slot| sinks(slot))
    }

    /// Puts an entry of a node that is being split one level down, or back if it is too wide.
    fn sink(&mut self, at: u32, cell: &Aabb<T::Vector>, slot: u32) {
        let item = &self.entries[slot as usize].item;
        let (extent, bounds) = (Extent::of(item), item.bounds());
        let octant = octant(cell, bounds.center());
        let below = child_cell(cell, octant);
        if below == *cell || width(&bounds) > width(&below) {
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
