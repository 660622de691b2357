//! A tree node by node, for regions that vector instructions do not test.

use core::ops::Range;

use super::{Tree, first_block, is_leaf, lanes_of};
use crate::overlap::Extent;
use crate::query::{Hierarchy, SlotRun};
use crate::simd::LANES;
use crate::vector::Vector;

/// The node above the root and the pending leaf.
const BOTH: u32 = u32::MAX;

impl<A: Vector> Tree<A> {
    /// The places of the children of a node, or of the items of a leaf.
    #[inline]
    fn places(&self, entry: u32) -> Range<u32> {
        let lanes = if is_leaf(entry) {
            self.item_blocks().lanes_of(entry)
        } else if self.is_in_order() {
            let place = first_block(entry) * LANES;
            self.nodes
                .blocks()
                .siblings(self.nodes.levels.height_of(place), entry)
        } else {
            lanes_of(&self.nodes.lanes, entry)
        };
        let first = (first_block(entry) * LANES) as u32;
        first..first + lanes.count_ones()
    }

    /// The places of all items below a node of a tree whose nodes hold consecutive items.
    pub(crate) fn slots_below(&self, node: u32) -> Range<u32> {
        let slots = self.nodes.levels.slots_below(node as usize);
        slots.start as u32..slots.end as u32
    }

    /// The place of the leaf of pending items, whose box is not kept.
    fn pending(&self) -> Option<u32> {
        (!self.is_in_order()).then_some(1)
    }

    /// Returns true if there are no items below a node.
    fn is_empty(&self, node: u32) -> bool {
        let place = node as usize;
        if Some(node) == self.pending() {
            return self.places(self.nodes.entry(place)).is_empty();
        }
        self.nodes.boxes[place / LANES].is_empty(place % LANES)
    }

    /// Returns true if nodes hold consecutive items. An empty tree has none.
    #[inline(always)]
    pub(super) fn is_in_order(&self) -> bool {
        self.nodes.levels.height() > 0
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
        let place = node as usize;
        let all = if node == BOTH {
            let children = self.children(BOTH, false).map(|child| self.extent(child));
            children.reduce(|all, child| all.union(&child))
        } else if Some(node) == self.pending() {
            let items = self.places(self.nodes.entry(place));
            let items = items.map(|item| self.items.get(item as usize));
            items.reduce(|all, item| all.union(&item))
        } else {
            Some(self.nodes.extent(place / LANES, place % LANES))
        };
        all.expect("a node that is visited has items")
    }

    #[inline]
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let places = if node == BOTH {
            0..2
        } else {
            let entry = self.nodes.entry(node as usize);
            let has_run = is_leaf(entry) || inside && self.is_in_order();
            if has_run { 0..0 } else { self.places(entry) }
        };
        places.filter(|&place| !self.is_empty(place))
    }

    #[inline]
    fn run(&self, node: u32, inside: bool) -> SlotRun {
        if node == BOTH {
            return SlotRun::NONE;
        }
        let entry = self.nodes.entry(node as usize);
        if is_leaf(entry) {
            SlotRun::of(self.places(entry))
        } else if inside && self.is_in_order() {
            SlotRun::of(self.slots_below(node))
        } else {
            SlotRun::NONE
        }
    }
}
