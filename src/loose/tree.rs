//! The data of a loose tree, except the items themselves.
//!
//! Nodes and leaves are *groups* of four blocks of sixteen lanes. A *place* is the number of a lane: group `n` has the places from
//! `64 n` to `64 n + 63`.

use alloc::vec::Vec;
use core::mem::size_of;

use super::columns::{Children, Items};
use crate::handle::Handle;
use crate::overlap::Extent;
use crate::overlap::columns::Boxes;
use crate::shape::{Aabb, Layout};
use crate::simd::{InstructionSet, LANES};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{MOST_BLOCKS, Run, first_lanes};

/// The most children of a node, and the most items of a leaf.
pub(super) const ROOM: usize = MOST_BLOCKS * LANES;

/// No place, no slot.
pub(super) const NONE: u32 = u32::MAX;

/// The number of the leaf in which new items wait. It has no parent, and every search asks it.
pub(super) const PENDING: usize = 0;

/// A tree over arrays. It knows an item by its slot, its box and its radius.
#[derive(Clone, Debug)]
pub struct Tree<A: Vector> {
    pub(super) items: Items<A>,
    pub(super) children: Children<A>,
    /// The first is the pending leaf; there are none if there never was an item.
    pub(super) leaves: Vec<Group<A>>,
    pub(super) nodes: Vec<Group<A>>,
    /// The number of the root, if the height is not 0.
    pub(super) root: usize,
    /// The number of levels of nodes.
    pub(super) height: usize,
    pub(super) slots: Vec<Slot>,
    pub(super) len: usize,
    /// The number of insertions so far: its lower 32 bits are the generation of the next.
    pub(super) inserted: u64,
    pub(super) instructions: InstructionSet,
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
    /// Its place among the children of its parent; `NONE` for the root and the pending leaf.
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
    /// Whether the cell holds a center.
    #[inline(always)]
    pub(super) fn is_for(&self, center: A) -> bool {
        let mut held = true;
        for axis in 0..A::DIM {
            let at = center.axis(axis);
            held &= self.cell.min().axis(axis) <= at && at < self.cell.max().axis(axis);
        }
        held
    }

    /// The number of its last used block. Its first block is that number rounded down to a multiple of four.
    #[inline(always)]
    pub(super) fn entry(&self, number: usize) -> u32 {
        (number * MOST_BLOCKS) as u32 + self.len.saturating_sub(1) / LANES as u32
    }

    /// How many lanes of one of its blocks are in use.
    #[inline(always)]
    pub(super) fn lanes(&self, block: usize) -> u32 {
        first_lanes((self.len as usize).saturating_sub(block % MOST_BLOCKS * LANES))
    }

    #[inline(always)]
    pub(super) fn run(&self, number: usize) -> Run {
        Run {
            first: number * MOST_BLOCKS,
            len: self.len as usize,
        }
    }
}

impl<A: Vector> Tree<A> {
    pub(super) const fn empty(layout: Layout, has_radii: bool) -> Self {
        Self {
            items: Items::new(layout, has_radii),
            children: Children::new(),
            leaves: Vec::new(),
            nodes: Vec::new(),
            root: 0,
            height: 0,
            slots: Vec::new(),
            len: 0,
            inserted: 0,
            instructions: InstructionSet::BASELINE,
        }
    }

    /// Removes everything, and gives back all memory.
    pub(super) fn clear(&mut self) {
        self.clear_nodes();
        (self.slots, self.len) = (Vec::new(), 0);
    }

    /// Removes all nodes and leaves, but no slots.
    pub(super) fn clear_nodes(&mut self) {
        self.items = Items::new(self.items.layout, self.items.has_radii);
        self.children = Children::new();
        (self.leaves, self.nodes) = (Vec::new(), Vec::new());
        (self.root, self.height) = (0, 0);
    }

    /// Reserves the memory of an empty tree.
    pub(super) fn reserve(&mut self, leaves: usize, nodes: usize) {
        self.items.reserve(leaves);
        self.children.reserve(nodes, self.items.has_radii);
        self.leaves.reserve_exact(leaves);
        self.nodes.reserve_exact(nodes);
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

    /// Adds an empty leaf, or an empty node, and returns its number.
    pub(super) fn add_group(&mut self, height: usize, cell: Aabb<A>) -> usize {
        if height == 0 {
            self.items.grow();
        } else {
            self.children.grow(self.items.has_radii);
        }
        let groups = self.groups(height);
        groups.push(Group {
            home: NONE,
            len: 0,
            changes: 0,
            height: height as u32,
            bounds: nothing(),
            cell,
        });
        groups.len() - 1
    }

    /// Drops the slots from `to` on. Only free slots at the end can go, because handles name slots.
    pub(super) fn shrink_slots(&mut self, to: usize) {
        self.slots.truncate(to);
        self.slots.shrink_to_fit();
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
        let lists = of(&self.leaves) + of(&self.nodes) + of(&self.slots);
        lists + self.items.bytes() + self.children.bytes()
    }
}
