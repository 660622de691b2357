//! Trees of wide nodes: boxes in blocks of sixteen, levels of them, above items in blocks of sixteen.
//!
//! Region queries ([`region_query`]) and the search for the nearest ([`nearest`]) are written here once, for
//! [`Orthtree`](crate::Orthtree), whose blocks follow from the number of items, and [`LooseOrthtree`](crate::LooseOrthtree), whose
//! nodes have room to grow. [`WideNodes`] tells them where blocks lie.
//!
//! To add a search: write a generic function over [`WideNodes`] in a file here, list it among the kernels of both trees
//! (`orthtree.rs`, `loose.rs`), and call it from their implementations of `SpatialIndex`.

pub(crate) mod nearest;
pub(crate) mod region_query;

use core::ops::Range;

use fearless_simd::Simd;

use crate::overlap::columns::{Boxes, Columns};
use crate::overlap::lanes::{POINTS, RadiusRange, WideRegion};
use crate::query::{Key, KeyWriter};
use crate::shape::Layout;
use crate::simd::{Column, InstructionSet, LANES, Mask};
use crate::vector::Vector;

/// The most blocks of the children of a node, and of the items of a leaf.
pub(crate) const MOST_BLOCKS: usize = 4;

/// The boxes of nodes and leaves, sixteen to a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBlocks<'a, A: Vector> {
    pub(crate) boxes: &'a [Boxes<A>],
    /// The least and largest radius of what each box holds; empty if items have none.
    pub(crate) radii: &'a [RadiusRange<A::Scalar>],
}

/// Columns of items, sixteen to a block. Columns that the layout does not need are empty: points have no `highs`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemBlocks<'a, A: Vector> {
    pub(crate) layout: Layout,
    /// Points, the least corners of boxes, or the centers of balls.
    pub(crate) points: &'a [Columns<A>],
    /// The largest corners of boxes.
    pub(crate) highs: &'a [Columns<A>],
    pub(crate) radii: &'a [Column<A::Scalar>],
    /// The index or slot of each item, by which ties are decided.
    pub(crate) slots: &'a [[u32; LANES]],
}

impl<A: Vector> ItemBlocks<'_, A> {
    /// The lanes of a block whose items overlap a region.
    #[inline(always)]
    pub(crate) fn that_meet<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        probe: &P,
        block: usize,
    ) -> Mask {
        let layout = if ITEMS == POINTS {
            Layout::Point
        } else {
            self.layout
        };
        let points = &self.points[block];
        match layout {
            Layout::Point => probe.meets_points(points),
            Layout::Ball => probe.meets_balls(points, &self.radii[block]),
            Layout::Box => probe.meets_boxes(points, &self.highs[block]),
            Layout::Whole => unreachable!("asked one by one"),
        }
    }
}

/// Consecutive boxes or items that start at the beginning of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The first block.
    pub(crate) first: usize,
    pub(crate) len: usize,
}

impl Run {
    /// The number of blocks that hold its boxes or items.
    #[inline(always)]
    pub(crate) fn blocks(self) -> usize {
        self.len.div_ceil(LANES).min(MOST_BLOCKS)
    }

    /// A bit for each of its boxes or items.
    #[inline(always)]
    pub(crate) fn lanes(self) -> u64 {
        u64::MAX.unbounded_shr(u64::BITS.saturating_sub(self.len as u32))
    }
}

/// A bit for each of the first `len` lanes of a block.
#[inline(always)]
pub(crate) fn first_lanes(len: usize) -> u32 {
    (1 << len.min(LANES)) - 1
}

/// A tree whose nodes and leaves are blocks of sixteen.
///
/// For regions, an *entry* stands for the blocks of a node's children, or of a leaf's items; it is less than 2³¹. The height of a
/// block of boxes is the number of levels below it: above leaves it is 0.
pub(crate) trait WideNodes<A: Vector> {
    /// The key that names an item to the user.
    type Key: Key;

    /// The most blocks of an entry.
    const BLOCKS: usize;

    /// True if the number of items below a box is known without a look at them.
    const COUNTS: bool;

    fn instructions(&self) -> InstructionSet;

    fn items(&self) -> ItemBlocks<'_, A>;

    /// Appends the keys of items of a block.
    fn write<S: Simd>(&self, simd: S, block: usize, mask: Mask, to: &mut KeyWriter<'_>);

    /// The key of the item at a place, which is counted over all blocks.
    fn key_at(&self, place: usize) -> Self::Key;

    /// The key of the item with this index (`Orthtree`) or slot (`LooseOrthtree`).
    fn key_of(&self, slot: u32) -> Self::Key;

    /// The lanes of a block that have an item.
    fn item_lanes(&self, block: usize) -> u32;

    /// The items outside of all nodes, which every search asks.
    fn pending(&self) -> Option<Run>;

    // For regions.

    fn boxes(&self) -> NodeBlocks<'_, A>;

    /// How many levels of boxes lie below the root.
    fn height(&self) -> usize;

    /// The entries of the root's children.
    fn top(&self) -> Range<u32>;

    fn blocks_of(entry: u32) -> Range<usize>;

    /// The entries of the boxes in a block.
    fn children(&self, height: usize, block: usize) -> [u32; LANES];

    /// The lanes of a block that have a box.
    fn box_lanes(&self, height: usize, block: usize) -> u32;

    /// The number of items below a box.
    fn count_below(&self, height: usize, block: usize, lane: usize) -> usize;

    // For the nearest.

    fn wide_boxes(&self) -> NodeBlocks<'_, A>;

    /// How many levels of wide boxes lie below the root, and the root's number.
    fn wide_root(&self) -> (usize, usize);

    /// The children of a node, which are boxes of a height.
    fn wide_children(&self, height: usize, number: usize) -> Run;

    /// The number of the `child`-th child of a node, whose children have a height.
    fn wide_child(&self, height: usize, number: usize, child: usize) -> usize;

    /// The items of a leaf.
    fn wide_leaf(&self, number: usize) -> Run;
}
