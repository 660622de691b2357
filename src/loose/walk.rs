//! The tree as a descent takes it: what is asked of the children of a node, and of the items of a leaf.

use fearless_simd::Simd;

use super::node::{BLOCKS, FANOUT, INNER};
use super::tree::Tree;
use crate::handle::Handle;
use crate::overlap::lanes::WideRegion;
use crate::query::{
    ANY, BALLS, BOXES, BlockTree, CHILDREN, EITHER, HandleWriter, POINTS, Resume, Specialized,
    Waiting,
};
use crate::shape::Layout;
use crate::simd::{InstructionSet, LANES, Mask, compress};
use crate::vector::Vector;

const _: () = assert!(CHILDREN >= FANOUT);

impl<A: Vector> BlockTree<A> for Tree<A> {
    type Key = Handle;

    const EDGES: bool = false;

    #[inline(always)]
    fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// Whether items are counted is asked at run time: half of the code, and less than a twentieth of the time.
    #[inline(always)]
    fn run_specialized(job: Resume<'_, '_, A, Self>) -> Option<usize> {
        let set = job.tree.instructions;
        match job.tree.layout {
            Layout::Point => set.run_wide(Specialized::<_, EITHER, POINTS>(job)),
            Layout::Box => set.run_wide(Specialized::<_, EITHER, BOXES>(job)),
            Layout::Ball => set.run_wide(Specialized::<_, EITHER, BALLS>(job)),
            Layout::Whole => Some(0),
        }
    }

    #[inline(always)]
    fn start(&self, waiting: &mut Waiting<'_>) {
        if let Some(first) = self.nodes.first() {
            // Of items of one class, all are below one node.
            let only = first.children[0][0];
            let skips = first.lanes == 1 && only & INNER != 0;
            waiting.nodes.append(&[if skips { only } else { INNER }]);
        }
    }

    #[inline(always)]
    fn ask_children<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        number: u32,
        waiting: &mut Waiting<'_>,
        _counts: bool,
    ) -> usize {
        let number = (number & !INNER) as usize;
        let node = &self.nodes[number];
        let mut left = node.lanes;
        for block in 0..BLOCKS {
            if left == 0 {
                break;
            }
            let bounds = &node.bounds[block];
            let near = if ITEMS == BALLS || ITEMS == ANY && self.has_radii {
                let radii = &self.radii_below[number][block];
                probe.may_meet_balls(&bounds.low, &bounds.high, radii)
            } else {
                probe.may_meet_boxes(&bounds.low, &bounds.high)
            };
            let near = near & Mask::new(simd, first(left));
            let children = &node.children[block];
            let inner = Mask::of_top_bits(simd, children);
            compress(simd, children, near & !inner, &mut waiting.leaves);
            compress(simd, children, near & inner, &mut waiting.nodes);
            left = left.saturating_sub(LANES as u32);
        }
        0
    }

    #[inline(always)]
    fn lanes(&self, _leaf: u32) -> usize {
        LANES
    }

    #[inline(always)]
    fn ask_items<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        number: u32,
        _edges: u32,
        to: &mut HandleWriter<'_>,
        counts: bool,
    ) -> usize {
        let number = number as usize;
        let leaf = &self.leaves[number];
        let layout = match ITEMS {
            POINTS => Layout::Point,
            BOXES => Layout::Box,
            BALLS => Layout::Ball,
            _ => self.layout,
        };
        let mask = match layout {
            Layout::Box => probe.meets_boxes(&leaf.points, &self.highs[number]),
            Layout::Ball => probe.meets_balls(&leaf.points, &self.radii[number]),
            Layout::Point | Layout::Whole => probe.meets_points(&leaf.points),
        };
        let mask = mask & Mask::new(simd, first(leaf.len));
        if counts {
            return mask.count();
        }
        compress(simd, &leaf.slots, mask, &mut to.slots);
        compress(simd, &leaf.generations, mask, &mut to.generations);
        0
    }
}

/// A bit for each of the first lanes.
#[inline(always)]
pub(super) fn first(lanes: u32) -> u32 {
    (1 << lanes.min(LANES as u32)) - 1
}
