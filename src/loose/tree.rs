//! The data of a loose tree, except the items themselves.
//!
//! Nodes and leaves are *groups* of four blocks of sixteen lanes. A *place* is the number of a lane: group `n` has the places from `64 n`
//! to `64 n + 63`. The first group of nodes has two children: the root and the pending leaf. A parent keeps the box, the cell and the entry
//! of each child, in columns.

use alloc::vec::Vec;
use core::mem::{replace, size_of};

use crate::handle::Handle;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, all};
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, InstructionSet, LANES, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{MOST_BLOCKS, Tree, entry, first_block, first_lanes};

/// The most children of a node, and the most items of a leaf.
pub(super) const ROOM: usize = MOST_BLOCKS * LANES;

/// Marks a place or slot that does not exist.
pub(super) const NONE: u32 = u32::MAX;

/// The place of the root.
pub(super) const ROOT: usize = 0;

/// The number and the place of the pending leaf, which every search visits.
pub(super) const PENDING: usize = 0;
pub(super) const PENDING_PLACE: usize = 1;

/// A tree over arrays that changes.
#[derive(Clone, Debug)]
pub struct LooseTree<A: Vector> {
    pub(super) tree: Tree<A>,
    pub(super) has_radii: bool,
    /// The vector instructions, if they have been chosen.
    pub(super) instructions: Option<InstructionSet>,
    /// The cells of all children; empty in lanes without a child.
    pub(super) cells: Vec<Boxes<A>>,
    /// The first leaf is the pending leaf. An empty tree may have no leaves.
    pub(super) leaves: Vec<Group>,
    /// The first node is the parent of the root and of the pending leaf.
    pub(super) nodes: Vec<Group>,
    pub(super) slots: Vec<Slot>,
    /// The number of insertions so far: its lower 32 bits are the generation of the next.
    pub(super) inserted: u64,
}

/// Where an item lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) generation: u32,
    /// `NONE` if the slot is free.
    pub(super) place: u32,
}

/// The header of a leaf or node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The place at which its parent keeps its box.
    pub(super) home: u32,
    /// The number of children or items.
    pub(super) len: u32,
    /// The number of changes below it since its box was refitted.
    pub(super) changes: u32,
}

/// An empty extent: the identity of `union`.
pub(super) fn nothing<A: Vector>() -> Extent<A> {
    Extent {
        core: Boxes::empty().get(0),
        least: Scalar::INFINITY,
        most: Scalar::ZERO,
    }
}

pub(super) fn everywhere<A: Vector>() -> Aabb<A> {
    let infinity = A::Scalar::INFINITY;
    Aabb::from_corners(A::splat(A::Scalar::ZERO - infinity), A::splat(infinity))
}

impl<A: Vector> LooseTree<A> {
    pub(super) const fn empty(layout: Layout, has_radii: bool) -> Self {
        Self {
            tree: Tree::empty(layout),
            has_radii,
            instructions: None,
            cells: Vec::new(),
            leaves: Vec::new(),
            nodes: Vec::new(),
            slots: Vec::new(),
            inserted: 0,
        }
    }

    /// Removes everything, and gives back all memory.
    pub(super) fn clear(&mut self) {
        self.clear_nodes();
        (self.slots, self.tree.len) = (Vec::new(), 0);
    }

    /// Removes all nodes and leaves, but no slots.
    pub(super) fn clear_nodes(&mut self) {
        let empty = Self::empty(self.tree.items.layout, self.has_radii);
        let old = replace(self, empty);
        (self.slots, self.inserted) = (old.slots, old.inserted);
        (self.tree.len, self.instructions) = (old.tree.len, old.instructions);
    }

    /// Creates the group of the root and the pending leaf.
    pub(super) fn open(&mut self) {
        self.tree.instructions = self.instructions.unwrap_or_else(InstructionSet::best);
        self.add_groups(1, 1);
        self.add_groups(0, 1);
        self.tree.nodes.set(ROOT, &nothing());
        self.write_child(0, PENDING_PLACE, PENDING, &nothing(), &everywhere());
    }

    /// Adds some empty leaves or nodes, and returns the number of the first.
    pub(super) fn add_groups(&mut self, height: usize, many: usize) -> usize {
        let (zeros, zero) = (all::<A>(Scalar::ZERO), Column([Scalar::ZERO; LANES]));
        let first = self.groups(height).len();
        let blocks = (first + many) * MOST_BLOCKS;
        let radii = if self.has_radii { blocks } else { 0 };
        let highs = if self.tree.items.layout.has_corners() {
            blocks
        } else {
            0
        };
        let Tree { items, nodes, .. } = &mut self.tree;
        if height == 0 {
            items.points.resize(blocks, zeros);
            items.highs.resize(highs, zeros);
            items.radii.resize(radii, zero);
            items.lanes.resize(blocks, 0);
            self.tree.indices.resize(blocks * LANES, 0);
            self.tree.generations.resize(blocks * LANES, 0);
        } else {
            nodes.boxes.resize(blocks, Boxes::empty());
            nodes.radii.resize(radii, [zero; 2]);
            nodes.entries.resize(blocks, [0; LANES]);
            nodes.lanes.resize(blocks, 0);
            self.cells.resize(blocks, Boxes::empty());
        }
        let empty = Group {
            home: NONE,
            len: 0,
            changes: 0,
        };
        self.groups_mut(height).resize(first + many, empty);
        first
    }

    /// The leaves for height 0, otherwise the nodes.
    #[inline(always)]
    pub(super) fn groups(&self, height: usize) -> &Vec<Group> {
        if height == 0 {
            &self.leaves
        } else {
            &self.nodes
        }
    }

    #[inline(always)]
    pub(super) fn groups_mut(&mut self, height: usize) -> &mut Vec<Group> {
        if height == 0 {
            &mut self.leaves
        } else {
            &mut self.nodes
        }
    }

    /// Sets the number of children or items of a group.
    #[inline(always)]
    pub(super) fn set_len(&mut self, height: usize, number: usize, len: usize) {
        let group = &mut self.groups_mut(height)[number];
        let (home, old) = (group.home, group.len as usize);
        group.len = len as u32;
        let lanes = match height {
            0 => &mut self.tree.items.lanes,
            _ => &mut self.tree.nodes.lanes,
        };
        // Update the lanes in use of the blocks in which they change.
        let lanes = lanes.to_mut();
        for block in old.min(len) / LANES..old.max(len).div_ceil(LANES) {
            let in_use = first_lanes(len.saturating_sub(block * LANES));
            lanes[number * MOST_BLOCKS + block] = in_use as u16;
        }
        if home != NONE {
            self.set_entry(home as usize, Self::entry(height, number, len));
        }
    }

    /// The entry of the blocks of a group that are in use, at least one.
    #[inline(always)]
    pub(super) fn entry(height: usize, number: usize, len: usize) -> u32 {
        let blocks = len.div_ceil(LANES).max(1);
        entry(number * MOST_BLOCKS, blocks, height == 0)
    }

    #[inline(always)]
    pub(super) fn set_entry(&mut self, place: usize, to: u32) {
        self.tree.nodes.entries.to_mut().as_flattened_mut()[place] = to;
    }

    /// Makes a leaf or a node of some height the child at a place.
    pub(super) fn write_child(
        &mut self,
        height: usize,
        place: usize,
        number: usize,
        bounds: &Extent<A>,
        cell: &Aabb<A>,
    ) {
        let group = &mut self.groups_mut(height)[number];
        group.home = place as u32;
        let entry = Self::entry(height, number, group.len as usize);
        self.set_entry(place, entry);
        self.tree.nodes.set(place, bounds);
        self.cells[place / LANES].set(place % LANES, cell);
    }

    /// Gives a node that has room one more child, a leaf or a node of some height.
    pub(super) fn push_child(
        &mut self,
        height: usize,
        node: usize,
        child: usize,
        bounds: &Extent<A>,
        cell: &Aabb<A>,
    ) {
        let len = self.nodes[node].len as usize;
        self.set_len(height + 1, node, len + 1);
        self.write_child(height, node * ROOM + len, child, bounds, cell);
    }

    /// The number of the leaf or node that is the child at a place.
    #[inline(always)]
    pub(super) fn child(&self, place: usize) -> usize {
        first_block(self.tree.nodes.entry(place)) / MOST_BLOCKS
    }

    /// The box of the child at a place.
    #[inline(always)]
    pub(super) fn bounds(&self, place: usize) -> Extent<A> {
        self.tree.nodes.extent(place / LANES, place % LANES)
    }

    #[inline(always)]
    pub(super) fn cell(&self, place: usize) -> Aabb<A> {
        self.cells[place / LANES].get(place % LANES)
    }

    /// The smallest extent around the items of a leaf or the boxes of the children of a node.
    pub(super) fn around(&self, height: usize, number: usize) -> Extent<A> {
        let len = self.groups(height)[number].len as usize;
        if len == 0 {
            return nothing();
        }
        let Tree { items, nodes, .. } = &self.tree;
        let blocks = number * MOST_BLOCKS..number * MOST_BLOCKS + len.div_ceil(LANES);
        run!(self.tree.instructions, |_simd| match height {
            0 => items.around(blocks, len),
            _ => nodes.around(blocks, len),
        })
    }

    /// The place of the item of a handle; `None` if it has been removed.
    #[inline(always)]
    pub(super) fn find(&self, handle: Handle) -> Option<usize> {
        let slot = self.slots.get(handle.slot())?;
        (slot.generation == handle.generation && slot.place != NONE).then_some(slot.place as usize)
    }

    /// Returns the handle of the item in a slot that is in use.
    #[inline(always)]
    pub(super) fn handle(&self, slot: u32) -> Handle {
        Handle {
            slot,
            generation: self.slots[slot as usize].generation,
        }
    }

    /// The memory of all lists, in bytes.
    pub(super) fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        self.tree.bytes() + of(&self.cells) + of(&self.leaves) + of(&self.nodes) + of(&self.slots)
    }
}
