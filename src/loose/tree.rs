//! The data of a loose tree, except the items themselves.
//!
//! Nodes and leaves are *groups* of four blocks of sixteen lanes. A *place* is the number of a lane: group `n` has the places from
//! `64 n` to `64 n + 63`. The first group of nodes has two children: the root, and a leaf in which new items wait.

use alloc::vec::Vec;
use core::mem::{replace, size_of};

use crate::handle::Handle;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, Columns, all, ends, ends_of, set_point};
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, InstructionSet, LANES};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{MOST_BLOCKS, Tree, entry, first_block, first_lanes};

/// The most children of a node, and the most items of a leaf.
pub(super) const ROOM: usize = MOST_BLOCKS * LANES;

/// No place, no slot.
pub(super) const NONE: u32 = u32::MAX;

/// The place of the root.
pub(super) const ROOT: usize = 0;

/// The number of the leaf in which new items wait, and its place. Every search visits it.
pub(super) const PENDING: usize = 0;
pub(super) const PENDING_PLACE: usize = 1;

/// A tree over arrays that changes.
#[derive(Clone, Debug)]
pub struct LooseTree<A: Vector> {
    pub(super) tree: Tree<A>,
    pub(super) has_radii: bool,
    /// The cells of all children.
    pub(super) cells: Vec<Boxes<A>>,
    /// The first is the pending leaf. An empty tree may have none.
    pub(super) leaves: Vec<Group<A>>,
    /// The first stands for the root and the pending leaf; its header is not used.
    pub(super) nodes: Vec<Group<A>>,
    pub(super) slots: Vec<Slot>,
    /// The number of insertions so far: its lower 32 bits are the generation of the next.
    pub(super) inserted: u64,
}

/// Where an item lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) generation: u32,
    /// `NONE` of a free slot.
    pub(super) place: u32,
}

/// The header of a leaf or node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group<A: Vector> {
    /// Its place among the children of its parent.
    pub(super) home: u32,
    /// How many children or items it has.
    pub(super) len: u32,
    /// The number of changes below it since its box was refitted.
    pub(super) changes: u32,
    /// The number of levels of nodes below it.
    pub(super) height: u32,
    /// Around its items; also stored in the parent. Unused for the pending leaf.
    pub(super) bounds: Extent<A>,
    /// The half-open cell for new items; also stored in the parent.
    pub(super) cell: Aabb<A>,
}

/// An empty extent: the identity of `union`.
pub(super) fn nothing<A: Vector>() -> Extent<A> {
    Extent {
        core: Boxes::empty().get(0),
        least: Scalar::INFINITY,
        most: Scalar::ZERO,
    }
}

/// The whole space.
pub(super) fn everywhere<A: Vector>() -> Aabb<A> {
    let infinity = A::Scalar::INFINITY;
    Aabb::from_corners(A::splat(A::Scalar::ZERO - infinity), A::splat(infinity))
}

impl<A: Vector> Group<A> {
    /// Returns true if the cell holds a center.
    #[inline(always)]
    pub(super) fn is_for(&self, center: A) -> bool {
        let mut held = true;
        for axis in 0..A::DIM {
            let at = center.axis(axis);
            held &= self.cell.min().axis(axis) <= at && at < self.cell.max().axis(axis);
        }
        held
    }

    /// The entry of its blocks in use, at least one.
    #[inline(always)]
    pub(super) fn entry(&self, number: usize) -> u32 {
        let blocks = (self.len as usize).div_ceil(LANES).max(1);
        entry(number * MOST_BLOCKS, blocks, self.height == 0)
    }
}

impl<A: Vector> LooseTree<A> {
    pub(super) const fn empty(layout: Layout, has_radii: bool) -> Self {
        Self {
            tree: Tree::empty(layout),
            has_radii,
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
        self.tree.len = old.tree.len;
    }

    /// Creates the group of the root and the pending leaf.
    pub(super) fn open(&mut self) {
        self.tree.instructions = InstructionSet::best();
        self.add_group(1, everywhere());
        self.add_group(0, everywhere());
        self.write_child(PENDING_PLACE, 0, PENDING);
    }

    /// Adds an empty leaf, or an empty node, and returns its number.
    pub(super) fn add_group(&mut self, height: usize, cell: Aabb<A>) -> usize {
        self.add_groups(height, 1, cell)
    }

    /// Adds some empty leaves or nodes, and returns the number of the first.
    pub(super) fn add_groups(&mut self, height: usize, many: usize, cell: Aabb<A>) -> usize {
        let (zeros, zero) = (all::<A>(Scalar::ZERO), Column([Scalar::ZERO; LANES]));
        let first = self.groups(height).len();
        let blocks = (first + many) * MOST_BLOCKS;
        let radii = if self.has_radii { blocks } else { 0 };
        let highs = if self.has_highs() { blocks } else { 0 };
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
            height: height as u32,
            bounds: nothing(),
            cell,
        };
        self.groups(height).resize(first + many, empty);
        first
    }

    /// The leaves, or the nodes that are higher.
    #[inline(always)]
    pub(super) fn groups(&mut self, height: usize) -> &mut Vec<Group<A>> {
        if height == 0 {
            &mut self.leaves
        } else {
            &mut self.nodes
        }
    }

    #[inline(always)]
    pub(super) fn group(&mut self, height: usize, number: usize) -> &mut Group<A> {
        &mut self.groups(height)[number]
    }

    /// Sets the number of children or items of a group.
    pub(super) fn set_len(&mut self, height: usize, number: usize, len: usize) {
        self.group(height, number).len = len as u32;
        let lanes = match height {
            0 => &mut self.tree.items.lanes,
            _ => &mut self.tree.nodes.lanes,
        };
        let blocks = &mut lanes.to_mut()[number * MOST_BLOCKS..][..MOST_BLOCKS];
        for (block, lanes) in blocks.iter_mut().enumerate() {
            *lanes = first_lanes(len.saturating_sub(block * LANES)) as u16;
        }
    }

    /// Writes the box, the cell and the entry of a child into its parent.
    pub(super) fn write_child(&mut self, place: usize, height: usize, number: usize) {
        let group = self.group(height, number);
        group.home = place as u32;
        let (bounds, cell, entry) = (group.bounds, group.cell, group.entry(number));
        self.tree.nodes.set(place, &bounds);
        self.cells[place / LANES].set(place % LANES, &cell);
        self.set_entry(place, entry);
        self.tree.nodes.lanes.to_mut()[place / LANES] |= 1 << (place % LANES);
    }

    /// Updates the entry of a leaf or node in its parent.
    #[inline(always)]
    pub(super) fn write_entry(&mut self, height: usize, number: usize) {
        let group = self.group(height, number);
        let (home, entry) = (group.home, group.entry(number));
        if home != NONE {
            self.set_entry(home as usize, entry);
        }
    }

    #[inline(always)]
    pub(super) fn set_entry(&mut self, place: usize, to: u32) {
        self.tree.nodes.entries.to_mut().as_flattened_mut()[place] = to;
    }

    /// The number of the leaf or node that is the child at a place.
    #[inline(always)]
    pub(super) fn child(&self, place: usize) -> usize {
        first_block(self.tree.nodes.entry(place)) / MOST_BLOCKS
    }

    pub(super) fn cell(&self, place: usize) -> Aabb<A> {
        self.cells[place / LANES].get(place % LANES)
    }

    /// The slot of the item at a place.
    #[inline(always)]
    pub(super) fn slot(&self, place: usize) -> u32 {
        self.tree.indices[place]
    }

    /// Returns true if items have two corners.
    #[inline(always)]
    pub(super) fn has_highs(&self) -> bool {
        matches!(self.tree.items.layout, Layout::Box | Layout::Whole)
    }

    /// The center of an item, which decides its leaf.
    #[inline(always)]
    pub(super) fn center_of(&self, extent: &Extent<A>) -> A {
        if self.has_highs() {
            extent.core.center()
        } else {
            extent.core.min()
        }
    }

    /// The centers of the items of a full leaf.
    pub(super) fn centers(&self, leaf: usize) -> [Columns<A>; MOST_BLOCKS] {
        crate::simd::from_fn(|block| {
            let block = leaf * MOST_BLOCKS + block;
            let mut centers = self.tree.items.points[block];
            if self.has_highs() {
                for lane in 0..LANES {
                    let extent = self.tree.items.get(block * LANES + lane);
                    set_point(&mut centers, lane, extent.core.center());
                }
            }
            centers
        })
    }

    /// The smallest extent around the items of a leaf or the children of a node.
    pub(super) fn around(&mut self, height: usize, number: usize) -> Extent<A> {
        let len = self.group(height, number).len as usize;
        if height > 0 {
            let places = number * ROOM..number * ROOM + len;
            let extents = places.map(|place| self.tree.nodes.extent(place / LANES, place % LANES));
            let all = extents.reduce(|all, extent| all.union(&extent));
            return all.unwrap_or_else(nothing);
        }
        if len == 0 {
            return nothing();
        }
        let items = &self.tree.items;
        let blocks = number * MOST_BLOCKS..number * MOST_BLOCKS + len.div_ceil(LANES);
        let (low, mut high) = ends::<A>(&items.points[blocks.clone()], len);
        if let Some(highs) = items.highs.get(blocks.clone()) {
            (_, high) = ends::<A>(highs, len);
        }
        let radii = items.radii.get(blocks);
        let (least, most) = radii.map_or([Scalar::ZERO; 2].into(), |radii| {
            ends_of(radii.iter().map(|radii| &radii.0), len)
        });
        Extent {
            core: Aabb::from_corners(low, high),
            least,
            most,
        }
    }

    /// Where the item of a handle lies; `None` when it has been removed.
    #[inline(always)]
    pub(super) fn find(&self, handle: Handle) -> Option<usize> {
        let slot = self.slots.get(handle.slot())?;
        (slot.generation == handle.generation && slot.place != NONE).then_some(slot.place as usize)
    }

    /// Names the item in a slot that is in use.
    #[inline(always)]
    pub(super) fn handle(&self, slot: u32) -> Handle {
        Handle {
            slot,
            generation: self.slots[slot as usize].generation,
        }
    }

    /// The memory of its lists, in bytes.
    pub(super) fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        self.tree.bytes() + of(&self.cells) + of(&self.leaves) + of(&self.nodes) + of(&self.slots)
    }
}
