//! Makes a tree a [`Hierarchy`] of single nodes, for regions that vector instructions do not test.

use core::ops::Range;

use super::{Run, Tree, is_leaf};
use crate::overlap::Extent;
use crate::query::{Hierarchy, SlotRun};
use crate::shape::Aabb;
use crate::simd::LANES;
use crate::vector::Vector;

/// The node above the root and the pending leaf.
const BOTH: u32 = u32::MAX;

/// The leaf of pending items, whose box is not kept, in a tree that is not in order.
const PENDING: u32 = 1;

impl Run {
    /// The places of its children or items.
    #[inline]
    fn places(self) -> Range<u32> {
        let first = (self.first * LANES) as u32;
        first..first + self.lanes.count_ones()
    }
}

impl<A: Vector> Tree<A> {
    /// The children of a node, or the items of a leaf, and true for a leaf.
    #[inline]
    fn below(&self, node: u32) -> (Run, bool) {
        let nodes = &self.nodes;
        if !self.is_in_order() {
            let entry = nodes.entry(node as usize);
            return if is_leaf(entry) {
                (Run::kept(&self.items.lanes, entry), true)
            } else {
                (Run::kept(&nodes.lanes, entry), false)
            };
        }
        let (height, number) = nodes.levels.find(node as usize);
        match height.checked_sub(1) {
            None => {
                let slots = nodes.levels.level(0).slots(number, self.len);
                (Run::new(slots.start / LANES, slots.len()), true)
            }
            Some(below) => (nodes.children(below, number as u32, true), false),
        }
    }

    /// The box of a node or leaf of a tree in order. It is for loops that [`Hierarchy::extent`], which is not inlined, would slow down.
    #[inline(always)]
    pub(crate) fn box_of(&self, node: u32) -> Aabb<A> {
        self.nodes.boxes[node as usize / LANES].get(node as usize % LANES)
    }

    /// The places of all items below a node of a tree in order.
    pub(crate) fn slots_below(&self, node: u32) -> Range<u32> {
        let (height, number) = self.nodes.levels.find(node as usize);
        let slots = self.nodes.levels.level(height).slots(number, self.len);
        slots.start as u32..slots.end as u32
    }

    /// Returns true if there are no items below a node of a tree that is not in order.
    fn is_empty(&self, node: u32) -> bool {
        if node == PENDING {
            return self.pending().is_none();
        }
        let place = node as usize;
        self.nodes.boxes[place / LANES].is_empty(place % LANES)
    }

    /// The extent of the pending items, or of all items of a tree that is not in order.
    #[cold]
    fn extent_of_all(&self, node: u32) -> Extent<A> {
        let all = if node == BOTH {
            let children = self.children(BOTH, false).map(|child| self.extent(child));
            children.reduce(|all, child| all.union(&child))
        } else {
            let items = self.below(node).0.places();
            let items = items.map(|item| self.items.get(item as usize));
            items.reduce(|all, item| all.union(&item))
        };
        all.expect("a node that is visited has items")
    }
}

/// A node or leaf is named by the place of its box: its lane, counted over all blocks. Slots are places of items.
impl<A: Vector> Hierarchy for Tree<A> {
    type Space = A;

    #[inline]
    fn root(&self) -> Option<u32> {
        let top = self.nodes.levels.as_slice().last();
        let root = top.map_or(BOTH, |top| (top.first() * LANES) as u32);
        (self.len > 0).then_some(root)
    }

    #[inline]
    fn extent(&self, node: u32) -> Extent<A> {
        if [PENDING, BOTH].contains(&node) && !self.is_in_order() {
            return self.extent_of_all(node);
        }
        self.nodes
            .extent(node as usize / LANES, node as usize % LANES)
    }

    #[inline]
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let places = if node == BOTH {
            0..2
        } else {
            let (run, is_leaf) = self.below(node);
            let has_run = is_leaf || inside && self.is_in_order();
            if has_run { 0..0 } else { run.places() }
        };
        let are_full = self.is_in_order();
        // The pending leaf comes before the root, as in the searches by lanes.
        let swapped = u32::from(node == BOTH);
        let places = places.map(move |place| place ^ swapped);
        places.filter(move |&place| are_full || !self.is_empty(place))
    }

    #[inline]
    fn run(&self, node: u32, inside: bool) -> SlotRun {
        if node == BOTH {
            return SlotRun::NONE;
        }
        let (run, is_leaf) = self.below(node);
        if is_leaf {
            SlotRun::of(run.places())
        } else if inside && self.is_in_order() {
            SlotRun::of(self.slots_below(node))
        } else {
            SlotRun::NONE
        }
    }
}
