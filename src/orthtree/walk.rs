//! The tree as a descent takes it: what is asked of the children of a node, and of the items of a leaf; and as a walk
//! takes it that asks about one item after the other.

use core::ops::{Deref, Range};

use fearless_simd::Simd;

use super::split::{BLOCKS, LEAF};
use super::tree::{Items, Nodes, Tree, blocks_of};
use super::{Kernels, Orthtree};
use crate::bits::set_bits;
use crate::overlap::columns::{Boxes, Columns};
use crate::overlap::lanes::{Probe, RadiusRange, W, WideRegion};
use crate::query::{
    BALLS, BOXES, BlockTree, CHILDREN, COUNT, FILL, ItemTree, LEAF_LANES, POINTS, Resume,
    Specialized, Waiting, tree_of_nodes,
};
use crate::shape::{Bounded, Layout};
use crate::simd::{Column, InstructionSet, LANES, ListWriter, Mask, compress};
use crate::vector::Vector;

/// A leaf goes in whole, with the blocks that it shares at both ends.
const _: () = assert!(LEAF_LANES >= LEAF + 2 * LANES && CHILDREN >= LANES * BLOCKS);

impl<A: Vector> BlockTree<A> for Tree<A> {
    type Key = usize;

    const EDGES: bool = true;

    #[inline(always)]
    fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    #[inline(always)]
    fn run_specialized(job: Resume<'_, '_, A, Self>) -> Option<usize> {
        let set = job.tree.instructions;
        match (job.tree.items.layout, job.counts) {
            (Layout::Point, false) => set.run_wide(Specialized::<_, FILL, POINTS>(job)),
            (Layout::Point, true) => set.run_wide(Specialized::<_, COUNT, POINTS>(job)),
            (Layout::Box, false) => set.run_wide(Specialized::<_, FILL, BOXES>(job)),
            (Layout::Box, true) => set.run_wide(Specialized::<_, COUNT, BOXES>(job)),
            (Layout::Ball | Layout::Whole, _) => Some(set.run(job)),
        }
    }

    #[inline(always)]
    fn start(&self, waiting: &mut Waiting<'_>) {
        // The root is a node, even above a single leaf.
        if let Some(root) = self.nodes.children.last() {
            waiting.nodes.append(&root[..1]);
        }
    }

    #[inline(always)]
    fn ask_children<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        node: u32,
        waiting: &mut Waiting<'_>,
        counts: bool,
    ) -> usize {
        let blocks = blocks_of(node);
        let first = blocks.start;
        let cells = self.nodes.cells::<ITEMS>(blocks.clone());
        let children = &self.nodes.children[blocks.clone()];
        let ends = &self.nodes.edges[blocks];
        let mut count = 0;
        for block in 0..children.len() {
            let children = &children[block];
            let near = cells.meets(probe, block);
            let inner = Mask::of_top_bits(simd, children);
            compress(simd, children, near & !inner, &mut waiting.leaves);
            compress(simd, &ends[block], near & !inner, &mut waiting.edges);
            // Only whole nodes are worth a test for being inside.
            let inner = near & inner;
            if !inner.is_empty() {
                let inside = inner & cells.holds(probe, block);
                compress(simd, children, inner & !inside, &mut waiting.nodes);
                if counts {
                    for lane in set_bits(inside.bits(simd)) {
                        let [from, to] = self.nodes.runs[first + block][lane % LANES];
                        count += (to - from) as usize;
                    }
                } else {
                    let lanes =
                        crate::simd::from_fn(|lane| ((first + block) * LANES + lane) as u32);
                    compress(simd, &lanes, inside, &mut waiting.inside);
                }
            }
        }
        count
    }

    #[inline(always)]
    fn lanes(&self, leaf: u32) -> usize {
        let blocks = blocks_of(leaf);
        LANES * (blocks.end - blocks.start)
    }

    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "several lists are walked at once, one of which is empty where items are only counted"
    )]
    fn ask_items<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        leaf: u32,
        edges: u32,
        to: &mut ListWriter<'_>,
        counts: bool,
    ) -> usize {
        let blocks: Range<usize> = blocks_of(leaf);
        let items = self.items.blocks::<ITEMS>(blocks.clone());
        let Some(last) = blocks.len().checked_sub(1) else {
            return 0;
        };
        let indices = if counts {
            &[]
        } else {
            &self.indices.as_chunks().0[blocks]
        };
        let mut keep = Mask::new(simd, edges);
        let mut count = 0;
        for block in 0..last {
            let mask = items.meets(simd, probe, block) & keep;
            keep = Mask::new(simd, !0);
            if counts {
                count += mask.count();
            } else {
                compress(simd, &indices[block], mask, to);
            }
        }
        let mask = items.meets(simd, probe, last) & keep & Mask::new(simd, edges >> LANES);
        if counts {
            count += mask.count();
        } else {
            compress(simd, &indices[last], mask, to);
        }
        count
    }

    /// A node that lies inside is named by its lane of all blocks.
    #[inline(always)]
    fn run(&self, lane: u32) -> (u32, u32) {
        self.nodes.runs[lane as usize / LANES][lane as usize % LANES].into()
    }

    /// What is read beyond the run is overwritten by what comes next.
    #[inline(always)]
    fn copy(&self, (from, end): (u32, u32), to: &mut ListWriter<'_>) {
        let lanes = self.indices[from as usize..].first_chunk::<LANES>();
        to.put(
            *lanes.expect("slots behind the last"),
            (end - from) as usize,
        );
    }
}

/// Blocks of children that lie together.
pub(super) struct Cells<'a, A: Vector> {
    boxes: &'a [Boxes<A>],
    radii: &'a [RadiusRange<A::Scalar>],
}

impl<A: Vector> Cells<'_, A> {
    /// The children of a block whose items may overlap.
    #[inline(always)]
    pub(super) fn meets<S: Simd>(&self, probe: &impl WideRegion<A, S>, block: usize) -> Mask {
        let Boxes { low, high } = &self.boxes[block];
        match self.radii.get(block) {
            Some(radii) => probe.may_meet_balls(low, high, radii),
            None => probe.may_meet_boxes(low, high),
        }
    }

    /// The children of a block whose items all overlap.
    #[inline(always)]
    pub(super) fn holds<S: Simd>(&self, probe: &impl WideRegion<A, S>, block: usize) -> Mask {
        let Boxes { low, high } = &self.boxes[block];
        match self.radii.get(block) {
            Some(radii) => probe.holds_balls(low, high, radii),
            None => probe.holds(low, high),
        }
    }
}

impl<A: Vector> Nodes<A> {
    /// The cells of some blocks of children.
    #[inline(always)]
    pub(super) fn cells<const ITEMS: u8>(&self, blocks: Range<usize>) -> Cells<'_, A> {
        Cells {
            boxes: &self.cells[blocks.clone()],
            radii: if ITEMS == POINTS || ITEMS == BOXES || self.radii.is_empty() {
                &[]
            } else {
                &self.radii[blocks]
            },
        }
    }
}

/// Blocks of items that lie together.
pub(super) struct Blocks<'a, A: Vector> {
    layout: Layout,
    points: &'a [Columns<A>],
    highs: &'a [Columns<A>],
    radii: &'a [Column<A::Scalar>],
}

impl<A: Vector> Items<A> {
    #[inline(always)]
    pub(super) fn blocks<const ITEMS: u8>(&self, blocks: Range<usize>) -> Blocks<'_, A> {
        let layout = match ITEMS {
            POINTS => Layout::Point,
            BOXES => Layout::Box,
            BALLS => Layout::Ball,
            _ => self.layout,
        };
        Blocks {
            layout,
            points: &self.points[blocks.clone()],
            highs: if layout == Layout::Box {
                &self.highs[blocks.clone()]
            } else {
                &[]
            },
            radii: if layout == Layout::Ball {
                &self.radii[blocks]
            } else {
                &[]
            },
        }
    }
}

impl<A: Vector> Blocks<'_, A> {
    /// The items of a block that overlap.
    #[inline(always)]
    pub(super) fn meets<S: Simd>(
        &self,
        simd: S,
        probe: &impl WideRegion<A, S>,
        block: usize,
    ) -> Mask {
        match self.layout {
            Layout::Whole => Mask::new(simd, 0),
            Layout::Point => probe.meets_points(&self.points[block]),
            Layout::Box => probe.meets_boxes(&self.points[block], &self.highs[block]),
            Layout::Ball => probe.meets_balls(&self.points[block], &self.radii[block]),
        }
    }

    /// The squared distances of the items of a block.
    #[inline(always)]
    pub(super) fn distance_sq<S: Simd, const MEASURE: bool>(
        &self,
        probe: &Probe<A, S, false, MEASURE>,
        block: usize,
    ) -> W<A, S> {
        if MEASURE {
            // Points as boxes: a third of the code.
            let highs = if self.layout == Layout::Box {
                self.highs
            } else {
                self.points
            };
            let apart = probe.near_measure(&self.points[block], &highs[block]);
            return match self.layout {
                Layout::Ball => probe.beyond_sq(apart, &self.radii[block]),
                _ => apart,
            };
        }
        match self.layout {
            Layout::Box => probe.near_measure(&self.points[block], &self.highs[block]),
            Layout::Whole | Layout::Point => probe.point_measure(&self.points[block]),
            Layout::Ball => {
                let apart = probe.point_sq(&self.points[block]);
                probe.beyond_sq(apart, &self.radii[block])
            }
        }
    }
}

/// An item that is kept as it is, or made from its columns.
enum Held<'a, T> {
    Kept(&'a T),
    Made(T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        match self {
            Self::Kept(item) => item,
            Self::Made(item) => item,
        }
    }
}

impl<T: Bounded> ItemTree for Orthtree<T> {
    type Key = usize;

    tree_of_nodes!();

    #[inline]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        let parts = self.core.parts(slot);
        let made = parts.and_then(|(core, radius)| T::from_parts(core.cast(), radius));
        match made {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.whole[slot as usize]),
        }
    }

    #[inline]
    fn key(&self, slot: u32) -> usize {
        self.core.indices[slot as usize] as usize
    }
}
