//! The data of a tree: the boxes of nodes, and items in columns, sixteen slots to a block.

use core::ops::Range;

use fearless_simd::Simd;

use super::bounds::extent;
use super::lent::Flat;
use super::levels::Levels;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, Columns, point};
use crate::overlap::lanes::RadiusRange;
use crate::query::{Hierarchy, KeyWriter, SlotRun};
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, InstructionSet, LANES, Mask, compress};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{ItemBlocks, NodeBlocks, Run, WideNodes, first_lanes};

/// A tree over arrays: all of an [`Orthtree`](crate::Orthtree) but items of a type of the user's.
///
/// It has two sets of nodes above the same items: small ones for what meets a region, and large ones in fewer levels
/// for the nearest.
#[derive(Clone, Debug)]
pub struct Tree<A: Vector> {
    pub(super) nodes: Nodes<A>,
    pub(super) wide_nodes: Nodes<A>,
    pub(super) items: Items<A>,
    /// The input index of each slot, padded so that sixteen can be loaded from any slot.
    pub(super) indices: Flat<u32>,
    pub(super) len: usize,
    pub(super) instructions: InstructionSet,
}

/// The items in the tree's order, sixteen slots to a block. A list is empty where the layout has no
/// use for it; what is behind the last item is the last item again.
#[derive(Clone, Debug)]
pub(super) struct Items<A: Vector> {
    pub(super) layout: Layout,
    /// Points, the least corners of boxes, or the centers of balls.
    pub(super) points: Flat<Columns<A>>,
    /// The largest corners of boxes.
    pub(super) highs: Flat<Columns<A>>,
    pub(super) radii: Flat<Column<A::Scalar>>,
}

/// The boxes around what nodes and leaves hold. Lanes without a box repeat the one before.
#[derive(Clone, Debug)]
pub(super) struct Nodes<A: Vector> {
    pub(super) levels: Levels,
    pub(super) cells: Flat<Boxes<A>>,
    /// The least and largest radius of what each box holds, if items have any.
    pub(super) radii: Flat<RadiusRange<A::Scalar>>,
}

/// The items of a leaf that the search for the nearest takes: columns of 256 bytes.
pub(super) const fn wide_leaf<S>() -> usize {
    256 / size_of::<S>()
}

impl<A: Vector> Nodes<A> {
    /// The extent of the items below the box in a lane of a block.
    #[inline(always)]
    pub(super) fn extent(&self, block: usize, lane: usize) -> Extent<A> {
        extent(&self.cells, &self.radii, (block, lane))
    }

    #[inline(always)]
    fn blocks(&self) -> NodeBlocks<'_, A> {
        NodeBlocks {
            boxes: &self.cells,
            radii: &self.radii,
        }
    }

    fn bytes(&self) -> usize {
        self.cells.bytes() + self.radii.bytes()
    }
}

impl<A: Vector> Tree<A> {
    pub(super) fn empty(layout: Layout) -> Self {
        Self::of_len(layout, 0)
    }

    /// A tree of so many items, none of which is there yet.
    pub(super) fn of_len(layout: Layout, len: usize) -> Self {
        let nodes = |levels| Nodes {
            levels,
            cells: Flat::new(),
            radii: Flat::new(),
        };
        Self {
            nodes: nodes(Levels::for_regions(len)),
            wide_nodes: nodes(Levels::for_nearest(len, wide_leaf::<A::Scalar>())),
            items: Items {
                layout,
                points: Flat::new(),
                highs: Flat::new(),
                radii: Flat::new(),
            },
            indices: Flat::new(),
            len,
            instructions: InstructionSet::best(),
        }
    }

    /// The core and the radius of the item at a slot, unless it is of a type of the user's.
    pub(super) fn parts(&self, slot: u32) -> Option<(Aabb<A>, A::Scalar)> {
        let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
        let first = || point(&self.items.points[block], lane);
        match self.items.layout {
            Layout::Whole => None,
            Layout::Point => Some((Aabb::point(first()), Scalar::ZERO)),
            Layout::Box => {
                let high = point(&self.items.highs[block], lane);
                Some((Aabb::from_corners(first(), high), Scalar::ZERO))
            }
            Layout::Ball => Some((Aabb::point(first()), self.items.radii[block].0[lane])),
        }
    }

    /// The lanes of a block of items that hold one.
    #[inline(always)]
    pub(super) fn lanes_of(&self, block: usize) -> u32 {
        first_lanes(self.len - block * LANES)
    }

    /// The slots of the items below a node.
    #[inline]
    pub(super) fn slots_below(&self, node: u32) -> Range<u32> {
        let (height, number) = self.nodes.levels.find(node);
        let slots = self.nodes.levels.level(height).slots(number, self.len);
        slots.start as u32..slots.end as u32
    }

    /// The memory of those of its lists that are its own, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.bytes()
            + self.wide_nodes.bytes()
            + self.items.points.bytes()
            + self.items.highs.bytes()
            + self.items.radii.bytes()
            + self.indices.bytes()
    }
}

/// An entry is a block: that of the children of a node, or that of the items of a leaf.
impl<A: Vector> WideNodes<A> for Tree<A> {
    type Key = usize;

    const BLOCKS: usize = 1;

    const COUNTS: bool = true;

    #[inline(always)]
    fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    #[inline(always)]
    fn items(&self) -> ItemBlocks<'_, A> {
        let items = &self.items;
        ItemBlocks {
            layout: items.layout,
            points: &items.points,
            highs: &items.highs,
            radii: &items.radii,
            slots: self.indices.as_chunks().0,
        }
    }

    #[inline(always)]
    fn write<S: Simd>(&self, simd: S, block: usize, mask: Mask, to: &mut KeyWriter<'_>) {
        compress(
            simd,
            &self.indices.as_chunks().0[block],
            mask,
            &mut to.slots,
        );
    }

    #[inline(always)]
    fn key_at(&self, place: usize) -> usize {
        self.indices[place] as usize
    }

    #[inline(always)]
    fn key_of(&self, index: u32) -> usize {
        index as usize
    }

    #[inline(always)]
    fn item_lanes(&self, block: usize) -> u32 {
        self.lanes_of(block)
    }

    #[inline(always)]
    fn pending(&self) -> Option<Run> {
        None
    }

    #[inline(always)]
    fn boxes(&self) -> NodeBlocks<'_, A> {
        self.nodes.blocks()
    }

    #[inline(always)]
    fn height(&self) -> usize {
        self.nodes.levels.height()
    }

    #[inline(always)]
    fn top(&self) -> Range<u32> {
        let top = self.nodes.levels.top();
        top.start as u32..top.end as u32
    }

    #[inline(always)]
    fn blocks_of(entry: u32) -> Range<usize> {
        entry as usize..entry as usize + 1
    }

    #[inline(always)]
    fn children(&self, height: usize, block: usize) -> [u32; LANES] {
        self.nodes.levels.children(height, block)
    }

    #[inline(always)]
    fn box_lanes(&self, height: usize, block: usize) -> u32 {
        first_lanes(self.nodes.levels.level(height).lanes(block))
    }

    #[inline(always)]
    fn count_below(&self, height: usize, block: usize, lane: usize) -> usize {
        let level = self.nodes.levels.level(height);
        let number = (block - level.first()) * LANES + lane;
        level.slots(number, self.len).len()
    }

    #[inline(always)]
    fn wide_boxes(&self) -> NodeBlocks<'_, A> {
        self.wide_nodes.blocks()
    }

    #[inline(always)]
    fn wide_root(&self) -> (usize, usize) {
        (self.wide_nodes.levels.height(), 0)
    }

    #[inline(always)]
    fn wide_children(&self, height: usize, number: usize) -> Run {
        let below = self.wide_nodes.levels.level(height);
        Run {
            first: below.block_below(number),
            len: below.below(number).len(),
        }
    }

    #[inline(always)]
    fn wide_child(&self, height: usize, number: usize, child: usize) -> usize {
        self.wide_nodes.levels.level(height).below(number).start + child
    }

    #[inline(always)]
    fn wide_leaf(&self, number: usize) -> Run {
        let slots = self.wide_nodes.levels.level(0).slots(number, self.len);
        Run {
            first: slots.start / LANES,
            len: slots.len(),
        }
    }
}

/// A node or leaf is identified by its lane, counted over all blocks. A leaf's number is therefore that of its block of items.
impl<A: Vector> Hierarchy for Tree<A> {
    type Space = A;

    #[inline]
    fn root(&self) -> Option<u32> {
        let last = self.nodes.levels.blocks().checked_sub(1)?;
        Some((last * LANES) as u32)
    }

    #[inline]
    fn extent(&self, lane: u32) -> Extent<A> {
        self.nodes
            .extent(lane as usize / LANES, lane as usize % LANES)
    }

    #[inline]
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let (height, number) = self.nodes.levels.find(node);
        if height == 0 || inside {
            return 0..0;
        }
        let below = self.nodes.levels.level(height - 1);
        let first = (below.block_below(number) * LANES) as u32;
        first..first + below.below(number).len() as u32
    }

    #[inline]
    fn run(&self, node: u32, inside: bool) -> SlotRun {
        let (height, number) = self.nodes.levels.find(node);
        if height > 0 && !inside {
            return SlotRun::NONE;
        }
        let slots = self.nodes.levels.level(height).slots(number, self.len);
        SlotRun::of(slots.start as u32..slots.end as u32)
    }
}
