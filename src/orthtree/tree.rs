//! What a tree holds: nodes, and items in columns, sixteen slots to a block.

use core::ops::Range;

use super::lent::Flat;
use crate::overlap::Extent;
use crate::overlap::columns::{Boxes, Columns, point};
use crate::overlap::lanes::RadiusRange;
use crate::query::Hierarchy;
use crate::shape::{Aabb, Layout};
use crate::simd::{Column, InstructionSet, LANES};
use crate::vector::{Scalar, Vector};

/// A tree over arrays: all of an [`Orthtree`](crate::Orthtree) but items of a type of the user's.
#[derive(Clone, Debug)]
pub struct Tree<A: Vector> {
    pub(super) nodes: Nodes<A>,
    pub(super) items: Items<A>,
    /// The index in the input of each slot, and some more to be read over.
    pub(super) indices: Flat<u32>,
    pub(super) len: usize,
    pub(super) instructions: InstructionSet,
}

/// The items in the tree's order, sixteen slots to a block. A list is empty where the layout has no
/// use for it.
#[derive(Clone, Debug)]
pub(super) struct Items<A: Vector> {
    pub(super) layout: Layout,
    /// Points, the least corners of boxes, or the centers of balls.
    pub(super) points: Flat<Columns<A>>,
    /// The largest corners of boxes.
    pub(super) highs: Flat<Columns<A>>,
    pub(super) radii: Flat<Column<A::Scalar>>,
}

/// Blocks of sixteen children. A node has one to four blocks, which lie together; the last block of
/// all has one child, the root.
#[derive(Clone, Debug)]
pub(super) struct Nodes<A: Vector> {
    /// The bounds of what each child holds. A lane without a child is infinitely far.
    pub(super) cells: Flat<Boxes<A>>,
    /// The least and largest radius of what each child holds, if items have any.
    pub(super) radii: Flat<RadiusRange<A::Scalar>>,
    pub(super) children: Flat<[Child; LANES]>,
    /// Of children that are leaves, what `edges_of` says.
    pub(super) edges: Flat<[u32; LANES]>,
    /// The slots of what each child holds: from, to. None for lanes without a child.
    pub(super) runs: Flat<[[u32; 2]; LANES]>,
}

/// The first block and the number of blocks, packed: of items (a leaf), or of children (a node, with [`INNER`] set).
pub(super) type Child = u32;

/// The highest bit.
pub(super) const INNER: Child = 1 << 31;
pub(super) const BLOCKS_BITS: u32 = 3;

/// The blocks of a leaf or node.
#[inline(always)]
pub(super) fn blocks_of(child: Child) -> Range<usize> {
    let first = (child & !INNER) >> BLOCKS_BITS;
    let count = child & ((1 << BLOCKS_BITS) - 1);
    first as usize..(first + count) as usize
}

/// The slots of a leaf within its blocks, of which the first and the last may hold items of others:
/// the lanes of the first that are not before the leaf, and behind them the lanes of the last that
/// are not behind it.
pub(super) fn edges_of(from: u32, to: u32) -> u32 {
    let (first, last) = (from % LANES as u32, (to - 1) % LANES as u32);
    let (before, behind) = (
        0xffff << first & 0xffff,
        0xffff >> (LANES as u32 - 1 - last),
    );
    before | behind << LANES
}

/// The lanes of a leaf in one of the blocks that it touches, from what `edges_of` says.
#[inline(always)]
pub(super) fn lanes_within(edges: u32, number: usize, many: usize) -> u32 {
    let mut lanes = 0xffff;
    if number == 0 {
        lanes &= edges;
    }
    if number + 1 == many {
        lanes &= edges >> LANES;
    }
    lanes
}

impl<A: Vector> Tree<A> {
    pub(super) fn empty(layout: Layout) -> Self {
        Self {
            nodes: Nodes {
                cells: Flat::new(),
                radii: Flat::new(),
                children: Flat::new(),
                edges: Flat::new(),
                runs: Flat::new(),
            },
            items: Items {
                layout,
                points: Flat::new(),
                highs: Flat::new(),
                radii: Flat::new(),
            },
            indices: Flat::new(),
            len: 0,
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

    /// The blocks that a leaf touches, and what `edges_of` says of it.
    #[inline(always)]
    pub(super) fn leaf(&self, leaf: u32) -> (Range<usize>, u32) {
        let (block, lane) = (leaf as usize / LANES, leaf as usize % LANES);
        let blocks = blocks_of(self.nodes.children[block][lane]);
        (blocks, self.nodes.edges[block][lane])
    }

    /// The memory of those of its lists that are its own, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.cells.bytes()
            + self.nodes.radii.bytes()
            + self.nodes.children.bytes()
            + self.nodes.runs.bytes()
            + self.nodes.edges.bytes()
            + self.items.points.bytes()
            + self.items.highs.bytes()
            + self.items.radii.bytes()
            + self.indices.bytes()
    }
}

/// A node is named by the lane at which its parent holds it.
impl<A: Vector> Hierarchy for Tree<A> {
    type Space = A;
    type Run<'a> = Range<u32>;

    #[inline]
    fn root(&self) -> Option<u32> {
        let last = self.nodes.children.len().checked_sub(1)?;
        Some((last * LANES) as u32)
    }

    /// The bounds of a child, which lies at a lane of all blocks.
    #[inline]
    fn extent(&self, lane: u32) -> Extent<A> {
        let (block, lane) = (lane as usize / LANES, lane as usize % LANES);
        let cells = &self.nodes.cells[block];
        let radius = |end: usize| {
            let radii = self.nodes.radii.get(block);
            radii.map_or(Scalar::ZERO, |radii| radii[end].0[lane])
        };
        Extent {
            core: cells.get(lane),
            least: radius(0),
            most: radius(1),
        }
    }

    #[inline]
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let child = self.nodes.children[node as usize / LANES][node as usize % LANES];
        let blocks = if child & INNER == 0 || inside {
            0..0
        } else {
            blocks_of(child)
        };
        let lanes = (blocks.start * LANES) as u32..(blocks.end * LANES) as u32;
        lanes.filter(|&lane| {
            let [from, to] = self.nodes.runs[lane as usize / LANES][lane as usize % LANES];
            from < to
        })
    }

    #[inline]
    fn run(&self, node: u32, inside: bool) -> Range<u32> {
        let (block, lane) = (node as usize / LANES, node as usize % LANES);
        if inside || self.nodes.children[block][lane] & INNER == 0 {
            let [from, to] = self.nodes.runs[block][lane];
            from..to
        } else {
            0..0
        }
    }
}
