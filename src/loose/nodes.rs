//! Searches see a loose tree through these two traits.

use core::ops::Range;

use fearless_simd::Simd;

use super::tree::{NONE, PENDING, ROOM, Tree};
use crate::handle::Handle;
use crate::overlap::Extent;
use crate::query::{Hierarchy, KeyWriter, SlotRun};
use crate::simd::{InstructionSet, LANES, Mask, compress};
use crate::vector::Vector;
use crate::wide_nodes::{ItemBlocks, MOST_BLOCKS, NodeBlocks, Run, WideNodes};

/// An entry is the last block in use of a group.
impl<A: Vector> WideNodes<A> for Tree<A> {
    type Key = Handle;

    const BLOCKS: usize = MOST_BLOCKS;

    const COUNTS: bool = false;

    #[inline(always)]
    fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    #[inline(always)]
    fn items(&self) -> ItemBlocks<'_, A> {
        ItemBlocks {
            layout: self.items.layout,
            points: &self.items.points,
            highs: &self.items.highs,
            radii: &self.items.radii,
            slots: &self.items.slots,
        }
    }

    #[inline(always)]
    fn write<S: Simd>(&self, simd: S, block: usize, mask: Mask, to: &mut KeyWriter<'_>) {
        compress(simd, &self.items.slots[block], mask, &mut to.slots);
        let generations = &self.items.generations[block];
        compress(simd, generations, mask, &mut to.generations);
    }

    #[inline(always)]
    fn key_at(&self, place: usize) -> Handle {
        Handle {
            slot: self.items.slot(place),
            generation: self.items.generations.as_flattened()[place],
        }
    }

    #[inline(always)]
    fn key_of(&self, slot: u32) -> Handle {
        self.handle(slot)
    }

    #[inline(always)]
    fn item_lanes(&self, block: usize) -> u32 {
        self.leaves[block / MOST_BLOCKS].lanes(block)
    }

    #[inline(always)]
    fn pending(&self) -> Option<Run> {
        let pending = self.leaves.first()?;
        (pending.len > 0).then(|| pending.run(PENDING))
    }

    #[inline(always)]
    fn boxes(&self) -> NodeBlocks<'_, A> {
        NodeBlocks {
            boxes: &self.children.boxes,
            radii: &self.children.radii,
        }
    }

    #[inline(always)]
    fn height(&self) -> usize {
        self.height
    }

    #[inline(always)]
    fn top(&self) -> Range<u32> {
        match self.nodes.get(self.root) {
            Some(root) => root.entry(self.root)..root.entry(self.root) + 1,
            None => 0..0,
        }
    }

    #[inline(always)]
    fn blocks_of(entry: u32) -> Range<usize> {
        let last = entry as usize;
        last / MOST_BLOCKS * MOST_BLOCKS..last + 1
    }

    #[inline(always)]
    fn children(&self, _: usize, block: usize) -> [u32; LANES] {
        self.children.entries[block]
    }

    #[inline(always)]
    fn box_lanes(&self, _: usize, block: usize) -> u32 {
        self.nodes[block / MOST_BLOCKS].lanes(block)
    }

    #[inline(always)]
    fn count_below(&self, _: usize, _: usize, _: usize) -> usize {
        unreachable!("items are counted where they lie")
    }

    #[inline(always)]
    fn wide_boxes(&self) -> NodeBlocks<'_, A> {
        self.boxes()
    }

    #[inline(always)]
    fn wide_root(&self) -> (usize, usize) {
        (self.height, self.root)
    }

    #[inline(always)]
    fn wide_children(&self, _: usize, number: usize) -> Run {
        self.nodes[number].run(number)
    }

    #[inline(always)]
    fn wide_child(&self, _: usize, number: usize, child: usize) -> usize {
        self.children.child(number * ROOM + child)
    }

    #[inline(always)]
    fn wide_leaf(&self, number: usize) -> Run {
        self.leaves[number].run(number)
    }
}

/// A node or leaf is named by its place among the children of its parent. `NONE` names the root together with the pending leaf.
/// Slots are places of items here.
impl<A: Vector> Hierarchy for Tree<A> {
    type Space = A;

    #[inline]
    fn root(&self) -> Option<u32> {
        (self.len > 0).then_some(NONE)
    }

    #[inline]
    fn extent(&self, place: u32) -> Extent<A> {
        if place != NONE {
            return self.children.get(place as usize);
        }
        let pending = self.around(0, PENDING);
        let root = self.nodes.get(self.root);
        root.map_or(pending, |root| pending.union(&root.bounds))
    }

    #[inline]
    fn children(&self, place: u32, _inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let node = match place {
            NONE if self.height > 0 => Some(self.root),
            NONE => None,
            place => {
                let of = &self.nodes[place as usize / ROOM];
                (of.height > 1).then(|| self.children.child(place as usize))
            }
        };
        let places = node.map_or(0..0, |node| {
            let first = (node * ROOM) as u32;
            first..first + self.nodes[node].len
        });
        // A leaf that has been emptied has an empty box.
        places.filter(|&place| {
            let (block, lane) = (place as usize / LANES, place as usize % LANES);
            !self.children.boxes[block].is_empty(lane)
        })
    }

    #[inline]
    fn run(&self, place: u32, _inside: bool) -> SlotRun {
        let leaf = match place {
            NONE => Some(PENDING),
            place => {
                let of = &self.nodes[place as usize / ROOM];
                (of.height == 1).then(|| self.children.child(place as usize))
            }
        };
        SlotRun::of(leaf.map_or(0..0, |leaf| {
            let first = (leaf * ROOM) as u32;
            first..first + self.leaves[leaf].len
        }))
    }
}
