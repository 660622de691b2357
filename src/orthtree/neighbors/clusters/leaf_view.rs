//! The search around a leaf: finds the leaves that may be near, and compares their points with those of the leaf.

use fearless_simd::Simd;

use super::Clusters;
use crate::bits::set_bits;
use crate::orthtree::neighbors::descent::{Found, lanes_near, within};
use crate::overlap::columns::{Columns, point};
use crate::overlap::lanes::Nearby;
use crate::simd::{LANES, Mask};
use crate::vector::Vector;
use crate::wide_nodes::Tree;

/// The points of a leaf, and the periodic image in which they are compared with all points.
pub(super) struct LeafView<'a, A: Vector, S: Simd> {
    pub(super) simd: S,
    tree: &'a Tree<A>,
    limit: A::Scalar,
    points: &'a Columns<A>,
    near: Nearby<A, S>,
    /// `None` for the home image.
    offset: Option<A>,
}

impl<'a, A: Vector, S: Simd> LeafView<'a, A, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, work: &Clusters<'a, A>, leaf: u32, offset: Option<A>) -> Self {
        let (tree, limit) = (work.tree, work.limit);
        Self {
            simd,
            tree,
            limit,
            points: &tree.items.points[leaf as usize],
            near: Nearby::new(simd, &tree.box_of(leaf), limit, offset),
            offset,
        }
    }

    /// Finds the leaves that may be near, and the nodes that are near as a whole, except nodes for which `skips` returns true; it is given
    /// a node and its first slot. Stops as soon as the nodes that are near as a whole hold `enough` points. Returns how many points they
    /// hold, or 0 if `enough` is `usize::MAX`.
    #[inline(always)]
    pub(super) fn descend(
        &self,
        found: &mut Found,
        enough: usize,
        mut skips: impl FnMut(u32, u32) -> bool,
    ) -> usize {
        let mut count = 0;
        found.descend(
            self.simd,
            self.tree,
            usize::MAX,
            #[inline(always)]
            |nodes, height, block, there| {
                let level = nodes.levels.level(height);
                let none = Mask::new(self.simd, 0);
                if count >= enough {
                    return (none, none);
                }
                let cells = &nodes.boxes[block];
                let near = self.near.meets(&cells.low, &cells.high) & there;
                if near.is_empty() {
                    return (none, none);
                }
                let mut left = near.bits(self.simd);
                let first = (block - level.first()) * LANES;
                for lane in set_bits(left) {
                    let slots = level.slots(first + lane, self.tree.len);
                    if skips((block * LANES + lane) as u32, slots.start as u32) {
                        left &= !(1 << lane);
                    }
                }
                let near = Mask::new(self.simd, left);
                let whole = near & self.near.holds(&cells.low, &cells.high);
                if enough < usize::MAX {
                    for lane in set_bits(whole.bits(self.simd)) {
                        count += level.slots(first + lane, self.tree.len).len();
                    }
                }
                (near, whole)
            },
        );
        count
    }

    /// Compares some `lanes` of the leaf with the lanes `others` of another `leaf`: calls `f` with each lane that may have neighbors there,
    /// and the lanes there that are within the radius of it, until `f` returns false.
    ///
    /// The other points are not packed, since counting and joining mostly end within the first leaves.
    #[inline(always)]
    pub(super) fn compare(
        &self,
        lanes: u32,
        leaf: u32,
        others: u32,
        mut f: impl FnMut(usize, Mask) -> bool,
    ) {
        let points = &self.tree.items.points[leaf as usize];
        let others = Mask::new(self.simd, others) & self.near.meets(points, points);
        if others.is_empty() {
            return;
        }
        let mut lanes = lanes;
        if self.offset.is_none() {
            lanes &= lanes_near(self.simd, self.tree, leaf, self.points, self.limit);
        }
        for lane in set_bits(lanes) {
            let from = (point(self.points, lane), self.offset);
            let near = within(self.simd, self.tree, leaf, from, self.limit);
            if !f(lane, near & others) {
                return;
            }
        }
    }
}
