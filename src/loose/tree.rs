//! What a tree holds, over arrays: all but the user's items themselves.

use alloc::vec::Vec;
use core::iter::Copied;
use core::mem::size_of;
use core::ops::Range;
use core::slice::Iter;

use super::grid::Grid;
use super::leaf::Leaf;
use super::node::{BLOCKS, FANOUT, INNER, NONE, Node};
use crate::handle::Handle;
use crate::overlap::Extent;
use crate::overlap::columns::Columns;
use crate::overlap::lanes::RadiusRange;
use crate::query::Hierarchy;
use crate::shape::Layout;
use crate::simd::{Column, InstructionSet};
use crate::vector::Vector;

/// A tree over arrays. It knows of an item its box, grown by a radius, and names it by a slot.
#[derive(Clone, Debug)]
pub struct Tree<A: Vector> {
    pub(super) layout: Layout,
    /// Whether items have radii.
    pub(super) has_radii: bool,
    /// The first tells sizes apart.
    pub(super) grids: Vec<Grid<A>>,
    /// Each lane of the first holds what is of one class of sizes.
    pub(super) nodes: Vec<Node<A>>,
    /// The least and largest radius of what each lane of each node holds, if items have any.
    pub(super) radii_below: Vec<[RadiusRange<A::Scalar>; BLOCKS]>,
    /// The class of sizes of each lane of the first node.
    pub(super) classes: Vec<u32>,
    pub(super) leaves: Vec<Leaf<A>>,
    /// Leaves that are not in the tree, for the next that it needs.
    pub(super) vacant: Vec<u32>,
    /// The largest corners of boxes, of each leaf; none where items are points or balls.
    pub(super) highs: Vec<Columns<A>>,
    /// Of each leaf, if items have any.
    pub(super) radii: Vec<Column<A::Scalar>>,
    pub(super) slots: Vec<Slot>,
    /// The slot that was freed last; each free one names the next in place of its lane. `NONE` where
    /// there is none.
    pub(super) free: u32,
    pub(super) len: usize,
    /// Items that are in no leaf, to be placed again. Empty between changes.
    pub(super) displaced: Vec<(u32, Extent<A>)>,
    /// The number of insertions so far: its lower 32 bits are the generation of the next.
    pub(super) inserted: u64,
    /// How many items were removed since memory of slots was last given back.
    pub(super) removals: usize,
    pub(super) instructions: InstructionSet,
}

/// Where an item lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) generation: u32,
    /// `NONE` of a free slot.
    pub(super) leaf: u32,
    /// The lane of the leaf.
    pub(super) at: u32,
}

impl<A: Vector> Tree<A> {
    pub(super) const fn empty(layout: Layout, has_radii: bool) -> Self {
        Self {
            layout,
            has_radii,
            grids: Vec::new(),
            nodes: Vec::new(),
            radii_below: Vec::new(),
            classes: Vec::new(),
            leaves: Vec::new(),
            vacant: Vec::new(),
            highs: Vec::new(),
            radii: Vec::new(),
            slots: Vec::new(),
            free: NONE,
            len: 0,
            displaced: Vec::new(),
            inserted: 0,
            removals: 0,
            instructions: InstructionSet::BASELINE,
        }
    }

    /// Removes everything, and gives back all memory.
    pub(super) fn clear(&mut self) {
        *self = Self {
            inserted: self.inserted,
            ..Self::empty(self.layout, self.has_radii)
        };
    }

    /// Whether items have two corners.
    #[inline(always)]
    pub(super) fn has_highs(&self) -> bool {
        matches!(self.layout, Layout::Box | Layout::Whole)
    }

    /// Where the item of a handle lies; `None` when it has been removed.
    #[inline(always)]
    pub(super) fn find(&self, handle: Handle) -> Option<&Slot> {
        let slot = self.slots.get(handle.slot())?;
        (slot.generation == handle.generation && slot.leaf != NONE).then_some(slot)
    }

    /// Names the item in a slot.
    #[inline(always)]
    pub(super) fn handle(&self, slot: u32) -> Handle {
        Handle {
            slot,
            generation: self.slots[slot as usize].generation,
        }
    }

    /// Frees a slot.
    #[inline(always)]
    pub(super) fn free_slot(&mut self, slot: u32) {
        self.len -= 1;
        let old = &mut self.slots[slot as usize];
        (old.leaf, old.at) = (NONE, self.free);
        self.free = slot;
    }

    /// Gives back the memory of slots behind the last that is in use.
    #[cold]
    #[inline(never)]
    pub(super) fn shrink_slots(&mut self) {
        let last = self.slots.iter().rposition(|slot| slot.leaf != NONE);
        self.slots.truncate(last.map_or(0, |last| last + 1));
        self.slots.shrink_to_fit();
        self.free = NONE;
        for slot in (0..self.slots.len()).rev() {
            if self.slots[slot].leaf == NONE {
                self.slots[slot].at = self.free;
                self.free = slot as u32;
            }
        }
    }

    /// The memory of its lists, in bytes.
    pub(super) fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        of(&self.grids)
            + of(&self.nodes)
            + of(&self.radii_below)
            + of(&self.classes)
            + of(&self.leaves)
            + of(&self.vacant)
            + of(&self.highs)
            + of(&self.radii)
            + of(&self.slots)
            + of(&self.displaced)
    }

    /// What a lane holds; the first node of `NONE`.
    #[inline(always)]
    fn child_of(&self, lane: u32) -> u32 {
        match lane {
            NONE => INNER,
            lane => self.child(lane),
        }
    }

    /// The lanes of the node that a lane holds; none of a leaf.
    #[inline(always)]
    fn lanes_below(&self, lane: u32) -> Range<u32> {
        let child = self.child_of(lane);
        if child & INNER == 0 {
            return 0..0;
        }
        let node = (child & !INNER) as usize;
        let first = (node * FANOUT) as u32;
        first..first + self.nodes[node].lanes
    }
}

/// Nodes and leaves are named by their lanes, all of them together by `NONE`.
impl<A: Vector> Hierarchy for Tree<A> {
    type Space = A;
    type Run<'a> = Copied<Iter<'a, u32>>;

    #[inline]
    fn root(&self) -> Option<u32> {
        (!self.leaves.is_empty()).then_some(NONE)
    }

    #[inline]
    fn extent(&self, lane: u32) -> Extent<A> {
        if lane == NONE {
            let all = self.node_bounds(0);
            return all.expect("a root has a lane");
        }
        self.lane_bounds(lane)
    }

    #[inline]
    fn children(&self, lane: u32, _inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        self.lanes_below(lane)
    }

    #[inline]
    fn run(&self, lane: u32, _inside: bool) -> Copied<Iter<'_, u32>> {
        let slots = match self.child_of(lane) {
            child if child & INNER == 0 => self.leaves[child as usize].slots(),
            _ => &[],
        };
        slots.iter().copied()
    }
}
