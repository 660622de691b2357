//! Trees of wide nodes: levels of boxes in blocks of sixteen, above items in blocks of sixteen.
//!
//! A node has up to 64 children in one to four consecutive blocks of boxes, a leaf up to 64 items in one to four consecutive blocks of
//! items, and all leaves are equally deep. An *entry* is the 32-bit name of the blocks of a node's children or of a leaf's items; it
//! stands beside the box of the node or leaf.
//!
//! A tree is *in order* if each node holds consecutive items, and each block of items but the last is full. Entries and the lanes in use
//! are then computed from the number of items ([`Levels`]) instead of stored.
//!
//! [`Orthtree`](crate::Orthtree) has two sets of nodes above the same items. Region queries descend nodes of one block (the root may have
//! two), because the blocks of a level are tested independently. The search for the nearest descends nodes of up to four blocks, because
//! each level waits for the one above. In a [`LooseOrthtree`](crate::LooseOrthtree) one set of nodes, with room to grow, serves both.
//!
//! To add a search: write a function over [`Tree`] in a file here, list it in [`Kernels`], and call it from the implementations of
//! `SpatialIndex` for both trees.

mod flat;
mod hierarchy;
mod items;
mod levels;
pub(crate) mod nearest;
pub(crate) mod region_query;

use core::ops::Range;

use fearless_simd::Simd;

pub(crate) use flat::Flat;
pub(crate) use items::{ItemBlocks, Items};
pub(crate) use levels::{Level, Levels};

use crate::error::Error;
use crate::kernels::kernels;
use crate::nearest::Closest;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, ends, ends_of};
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Asked, Measure, RadiusRange};
use crate::query::{self, Bound, Descent, KeyList, KeyWriter, Offer, Relate, SlotRun};
use crate::shape::{Aabb, Layout};
use crate::simd::{InstructionSet, LANES, Mask};
use crate::vector::{Scalar, Vector};
use nearest::NearestFew;
use region_query::Cursor;

/// The most blocks of the children of a node, and of the items of a leaf.
pub(crate) const MOST_BLOCKS: usize = 4;

/// A tree over arrays of scalars. An item is a box and a radius, named by its index or slot.
#[derive(Clone, Debug)]
pub struct Tree<A: Vector> {
    pub(crate) items: Items<A>,
    pub(crate) nodes: Nodes<A>,
    /// The nodes that the search for the nearest descends; empty if it descends `nodes`.
    pub(crate) wide_nodes: Nodes<A>,
    /// The index or slot of each item, by which ties are decided. Padded so that sixteen can be loaded from any item.
    pub(crate) indices: Flat<u32>,
    /// The generation of each slot; empty where keys are indices.
    pub(crate) generations: Flat<u32>,
    pub(crate) len: usize,
    pub(crate) instructions: InstructionSet,
}

/// The boxes of nodes and leaves, in blocks of sixteen.
#[derive(Clone, Debug)]
pub(crate) struct Nodes<A: Vector> {
    /// The layout of boxes, if it follows from the number of items; no levels otherwise.
    pub(crate) levels: Levels,
    /// The number of levels of boxes below the root.
    pub(crate) height: usize,
    pub(crate) boxes: Flat<Boxes<A>>,
    /// The least and largest radius of the items in each box; empty if items have no radii.
    pub(crate) radii: Flat<RadiusRange<A::Scalar>>,
    /// The entry of each box; empty if it follows from the levels. In the first block, lane 0 is the root and lane 1 the leaf of pending
    /// items; every search visits both.
    pub(crate) entries: Flat<[u32; LANES]>,
    /// A bit for each lane of a block that has a box; empty if that follows from the levels.
    pub(crate) lanes: Flat<u16>,
}

// The bits of an entry: first the number of the first block, then the number of blocks less one, then one bit for blocks of items.
const FIRST_BITS: u32 = 28;
const LEAF: u32 = 1 << 30;

/// Makes the entry of one to four consecutive blocks of items or of boxes.
#[inline(always)]
pub(crate) const fn entry(first: usize, blocks: usize, is_leaf: bool) -> u32 {
    let mark = if is_leaf { LEAF } else { 0 };
    mark | (blocks as u32 - 1) << FIRST_BITS | first as u32
}

#[inline(always)]
pub(crate) const fn first_block(entry: u32) -> usize {
    (entry & ((1 << FIRST_BITS) - 1)) as usize
}

/// The blocks of an entry: a single block in a tree in order.
#[inline(always)]
pub(crate) const fn blocks_of(entry: u32, in_order: bool) -> Range<usize> {
    let (first, more) = (first_block(entry), entry >> FIRST_BITS & 3);
    first..first + if in_order { 1 } else { more as usize + 1 }
}

/// Returns true if an entry names blocks of items.
#[inline(always)]
const fn is_leaf(entry: u32) -> bool {
    entry & LEAF != 0
}

/// Up to four consecutive blocks: of a node's children, or of a leaf's items.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: usize,
    blocks: usize,
    /// A bit for each child or item.
    lanes: u64,
}

impl Run {
    /// The run of the first `len` lanes from a block on.
    #[inline(always)]
    fn new(first: usize, len: usize) -> Self {
        Self {
            first,
            blocks: len.div_ceil(LANES).min(MOST_BLOCKS),
            lanes: u64::MAX.unbounded_shr(u64::BITS.saturating_sub(len as u32)),
        }
    }

    /// The run of an entry, in a tree that stores lanes. Blocks are allocated in groups of four, so four lane masks can be read.
    #[inline(always)]
    fn kept(lanes: &[u16], entry: u32) -> Self {
        let (first, blocks) = (first_block(entry), blocks_of(entry, false).len());
        let group: Option<&[u16; MOST_BLOCKS]> = lanes[first..].first_chunk();
        let &[a, b, c, d] = group.expect("a group has four blocks");
        let all = u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48;
        Self {
            first,
            blocks,
            lanes: all & u64::MAX >> (64 - blocks * LANES),
        }
    }
}

/// A bit for each of the first `len` lanes of a block.
#[inline(always)]
pub(crate) fn first_lanes(len: usize) -> u32 {
    (1 << len.min(LANES)) - 1
}

impl<A: Vector> Tree<A> {
    pub(crate) const fn empty(layout: Layout) -> Self {
        Self {
            items: Items {
                layout,
                points: Flat::new(),
                highs: Flat::new(),
                radii: Flat::new(),
                lanes: Flat::new(),
            },
            nodes: Nodes::EMPTY,
            wide_nodes: Nodes::EMPTY,
            indices: Flat::new(),
            generations: Flat::new(),
            len: 0,
            instructions: InstructionSet::BASELINE,
        }
    }

    /// The nodes that the search for the nearest descends.
    #[inline(always)]
    fn nodes_for_nearest(&self) -> &Nodes<A> {
        if self.wide_nodes.boxes.is_empty() {
            &self.nodes
        } else {
            &self.wide_nodes
        }
    }

    /// The entries of the root: one for each block of its children in a tree in order.
    #[inline(always)]
    pub(crate) fn roots(&self) -> Range<u32> {
        if let Some(top) = self.nodes.height.checked_sub(1) {
            if self.is_in_order() {
                let blocks = self.nodes.levels.level(top).blocks();
                return blocks.start as u32..blocks.end as u32;
            }
            let root = self.nodes.entries[0][0];
            return root..root + 1;
        }
        0..0
    }

    /// The entry of the leaf of pending items, if it has any.
    #[inline(always)]
    fn pending(&self) -> Option<u32> {
        let &[_, pending, ..] = self.nodes.entries.first()?;
        (self.items.lanes[first_block(pending)] != 0).then_some(pending)
    }

    /// Returns true if lanes and entries are computed from the number of items. Returns false for an empty tree.
    #[inline(always)]
    fn is_in_order(&self) -> bool {
        self.nodes.levels.height() > 0
    }

    /// The memory that the lists of the tree own, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let items = &self.items;
        let items =
            items.points.bytes() + items.highs.bytes() + items.radii.bytes() + items.lanes.bytes();
        let nodes = [&self.nodes, &self.wide_nodes].map(|nodes| {
            nodes.boxes.bytes() + nodes.radii.bytes() + nodes.entries.bytes() + nodes.lanes.bytes()
        });
        items + nodes[0] + nodes[1] + self.indices.bytes() + self.generations.bytes()
    }
}

impl<A: Vector> Nodes<A> {
    pub(crate) const EMPTY: Self = Self {
        levels: Levels::NONE,
        height: 0,
        boxes: Flat::new(),
        radii: Flat::new(),
        entries: Flat::new(),
        lanes: Flat::new(),
    };

    /// The extent of the items in the box in a lane of a block.
    #[inline(always)]
    pub(crate) fn extent(&self, block: usize, lane: usize) -> Extent<A> {
        let [least, most] = match self.radii.get(block) {
            Some([least, most]) => [least.0[lane], most.0[lane]],
            None => [Scalar::ZERO; 2],
        };
        Extent {
            core: self.boxes[block].get(lane),
            least,
            most,
        }
    }

    /// The smallest extent around the first `len` boxes of some blocks. `len` is not 0.
    #[inline(always)]
    pub(crate) fn around(&self, blocks: Range<usize>, len: usize) -> Extent<A> {
        let boxes = &self.boxes[blocks.clone()];
        let (low, _) = ends::<A, _>(boxes, |boxes| &boxes.low, len);
        let (_, high) = ends::<A, _>(boxes, |boxes| &boxes.high, len);
        let [least, most] = self
            .radii
            .get(blocks)
            .map_or([A::Scalar::ZERO; 2], |radii| {
                let (least, _) = ends_of(radii.iter().map(|[least, _]| &least.0), len);
                [least, ends_of(radii.iter().map(|[_, most]| &most.0), len).1]
            });
        Extent {
            core: Aabb::from_corners(low, high),
            least,
            most,
        }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, to: &Extent<A>) {
        let (block, lane) = (place / LANES, place % LANES);
        self.boxes.to_mut()[block].set(lane, &to.core);
        if !self.radii.is_empty() {
            let [least, most] = &mut self.radii.to_mut()[block];
            (least.0[lane], most.0[lane]) = (to.least, to.most);
        }
    }

    /// The entry of the box at a place, where entries are kept.
    #[inline(always)]
    pub(crate) fn entry(&self, place: usize) -> u32 {
        self.entries.as_flattened()[place]
    }

    /// Borrows the boxes of a height. Nodes must have sixteen children, or store their entries.
    #[inline(always)]
    pub(crate) fn level(&self, height: usize, in_order: bool) -> LevelBlocks<'_, A> {
        let (places, entry) = self.levels.places(height);
        LevelBlocks {
            boxes: &self.boxes,
            radii: &self.radii,
            entries: if in_order { NUMBERS } else { &self.entries },
            in_use: InUse::new(&self.lanes, places.end, in_order),
            entry: entry.wrapping_sub(places.start as u32),
        }
    }

    /// The children of a node, which are boxes of a height. A node is given by its number on its level in a tree in order, and by its
    /// entry otherwise.
    #[inline(always)]
    fn children(&self, height: usize, node: u32, in_order: bool) -> Run {
        if !in_order {
            return Run::kept(&self.lanes, node);
        }
        let level = self.levels.level(height);
        Run::new(
            level.block_below(node as usize),
            level.below(node as usize).len(),
        )
    }

    /// The number of a child in a tree in order, otherwise its entry. The pair is the parent's name and the first block of its children;
    /// `lane` counts from the beginning of that block.
    #[inline(always)]
    fn child(
        &self,
        height: usize,
        (node, first): (u32, usize),
        lane: usize,
        in_order: bool,
    ) -> u32 {
        if in_order {
            self.levels.level(height).below(node as usize).start as u32 + lane as u32
        } else {
            self.entries.as_flattened()[first * LANES + lane]
        }
    }
}

/// The columns of the boxes of a level, borrowed for a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelBlocks<'a, A: Vector> {
    boxes: &'a [Boxes<A>],
    radii: &'a [RadiusRange<A::Scalar>],
    /// The stored entries, or [`NUMBERS`].
    entries: &'a [[u32; LANES]],
    /// The difference between the entry of a box and its place; 0 if entries are stored.
    entry: u32,
    in_use: InUse<'a>,
}

/// The numbers of lanes, in place of stored entries.
const NUMBERS: &[[u32; LANES]] = &[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]];

/// The lanes in use of blocks: those that are stored, or all before an end. Both are computed without a branch, for searches that learn at
/// run time whether a tree is in order.
#[derive(Clone, Copy, Debug)]
struct InUse<'a> {
    /// A bit for each lane in use, by block. If the tree is in order, a single number with all bits stands for all blocks.
    stored: &'a [u16],
    /// The bits of a block's number that count as its place in `stored`: all, or none if the tree is in order.
    mask: usize,
    /// [`LANES`] if the tree is in order, otherwise 0.
    step: usize,
    /// The place after the last box or item; [`LANES`] if lanes are stored, so that it hides none.
    end: usize,
}

impl<'a> InUse<'a> {
    #[inline(always)]
    fn new(stored: &'a [u16], end: usize, in_order: bool) -> Self {
        Self {
            stored: if in_order { &[!0] } else { stored },
            mask: if in_order { 0 } else { !0 },
            step: if in_order { LANES } else { 0 },
            end: if in_order { end } else { LANES },
        }
    }

    #[inline(always)]
    fn of<S: Simd>(&self, simd: S, block: usize) -> Mask {
        let before_end = first_lanes(self.end - block * self.step);
        let stored = self.stored[block & self.mask];
        Mask::new(simd, before_end & u32::from(stored))
    }
}

impl<A: Vector> LevelBlocks<'_, A> {
    /// The entries of the boxes in a block; arbitrary in lanes behind the last box.
    #[inline(always)]
    pub(crate) fn entries(&self, block: usize) -> [u32; LANES] {
        let InUse { mask, step, .. } = self.in_use;
        let entries = &self.entries[block & mask];
        let first = self.entry.wrapping_add((block * step) as u32);
        crate::simd::from_fn(
            #[inline(always)]
            |lane| first.wrapping_add(entries[lane]),
        )
    }

    /// The lanes of a block that have a box.
    #[inline(always)]
    pub(crate) fn in_use<S: Simd>(&self, simd: S, block: usize) -> Mask {
        self.in_use.of(simd, block)
    }
}

kernels! {
    /// The searches of both trees.
    pub trait Kernels {
        /// Continues a descent: appends the keys of items that overlap the region until the buffer may be full, or counts all remaining
        /// items.
        fn search(
            tree: &Tree<Self>,
            region: &Asked<Self>,
            cursor: &mut Cursor,
            to: Option<&mut KeyWriter<'_>>,
        ) -> usize = region_query::search;

        /// Appends the keys of all items that overlap the region to a list, or counts the items.
        fn search_all(
            tree: &Tree<Self>,
            region: &Asked<Self>,
            list: Option<KeyList<'_>>,
        ) -> Result<usize, Error> = region_query::search_all;

        /// Offers all items that may be nearer than the farthest in `best`, by `measure`, or without one by Euclid's distance.
        fn nearest(
            tree: &Tree<Self>,
            from: &Center<Self>,
            measure: Option<Measure<Self>>,
            best: &mut Closest<Self::Scalar, u32>,
        ) = nearest::search;

        /// Finds the squared distance and the slot of the nearest item within a limit.
        fn nearest_one(
            tree: &Tree<Self>,
            from: Self,
            limit_sq: Self::Scalar,
        ) -> (Self::Scalar, u32) = nearest::nearest_one;

        /// Finds the nearest items, up to a number and within a limit, and returns how many there are.
        fn nearest_few(
            tree: &Tree<Self>,
            from: Self,
            limits: (usize, Self::Scalar),
            found: &mut NearestFew<Self::Scalar>,
        ) -> usize = nearest::nearest_few;

        /// The next run of items for a region of any kind.
        fn next_run(
            tree: &Tree<Self>,
            region: &Relate<'_, Self>,
            descent: &mut Descent,
        ) -> Option<SlotRun> = query::next_run;

        /// Offers the items of nodes, in the order of the nodes' lower bounds.
        fn best_first(
            tree: &Tree<Self>,
            bound: &Bound<'_, Self>,
            offer: &mut Offer<'_, Self>,
        ) = query::best_first;
    }
}
