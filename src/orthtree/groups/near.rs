//! Which points are near those of a leaf: the descent to the leaves around it, and their points, sixteen at a time.

use core::ops::Range;

use fearless_simd::Simd;

use super::{Shift, Work};
use crate::bits::set_bits;
use crate::candidates::QueryPoint;
use crate::orthtree::neighbors::descent::{Found, Most};
use crate::orthtree::tree::Tree;
use crate::overlap::columns::Columns;
use crate::overlap::lanes::Nearby;
use crate::query::Hierarchy;
use crate::shape::Aabb;
use crate::simd::{LANES, Mask};
use crate::vector::Vector;

/// The points of a leaf that ask.
pub(super) struct Own<A: Vector> {
    pub(super) leaf: u32,
    pub(super) cell: Aabb<A>,
    pub(super) slots: Range<u32>,
    /// The lanes that ask.
    pub(super) lanes: u32,
}

impl<A: Vector> Own<A> {
    pub(super) fn new(work: &Work<'_, A>, leaf: u32, asks: impl Fn(u32) -> u32) -> Self {
        let block = leaf as usize;
        Self {
            leaf,
            cell: work.tree.extent(leaf).core,
            slots: work.run_of(leaf),
            lanes: asks(work.cores[block]) & work.tree.lanes_of(block),
        }
    }
}

/// The surroundings of a leaf, seen in an image of the box if there is one.
pub(super) struct Near<'a, A: Vector> {
    pub(super) shift: Option<&'a Shift<A>>,
    /// Leaves that may hold points near some of its points, and nodes all of whose points are near all of them.
    pub(super) found: Found,
}

/// A box whose surroundings are asked about, in an image of the periodic box if there is one.
pub(super) struct Reach<A: Vector, S: Simd> {
    own: Nearby<A, S>,
    shift: Option<A>,
}

impl<A: Vector, S: Simd> Reach<A, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, cell: &Aabb<A>, limit: A::Scalar, shift: Option<&Shift<A>>) -> Self {
        Self {
            own: Nearby::new(simd, cell, limit),
            shift: shift.map(
                #[inline(always)]
                |shift| shift.offset,
            ),
        }
    }

    /// Finds the points of a leaf that may be near, among the given `lanes`.
    #[inline(always)]
    pub(super) fn candidates(&self, simd: S, tree: &Tree<A>, leaf: u32, lanes: u32) -> Mask {
        let points = &tree.items.points[leaf as usize];
        let lanes = Mask::new(simd, lanes & tree.lanes_of(leaf as usize));
        self.meets(points, points) & lanes
    }

    #[inline(always)]
    fn meets(&self, low: &Columns<A>, high: &Columns<A>) -> Mask {
        match self.shift {
            None => self.own.meets(low, high),
            Some(by) => self.own.meets_image(low, high, by),
        }
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<A>, high: &Columns<A>) -> Mask {
        match self.shift {
            None => self.own.holds(low, high),
            Some(by) => self.own.holds_image(low, high, by),
        }
    }
}

impl<'a, A: Vector> Near<'a, A> {
    pub(super) fn new() -> Self {
        Self {
            shift: None,
            found: Found::default(),
        }
    }

    /// Finds what may be near a box, without the nodes that `skips` names, of which it is given the first slot too.
    #[inline(always)]
    pub(super) fn descend<S: Simd>(
        &mut self,
        tree: &Tree<A>,
        simd: S,
        reach: &Reach<A, S>,
        mut skips: impl FnMut(u32, u32) -> bool,
    ) {
        self.found.descend(
            simd,
            tree,
            Most::ALL,
            #[inline(always)]
            |nodes, level, block, there| {
                let cells = &nodes.boxes[block];
                let near = reach.meets(&cells.low, &cells.high) & there;
                if near.is_empty() {
                    return (near, near);
                }
                let mut left = near.bits(simd);
                for lane in set_bits(left) {
                    let number = (block - level.first()) * LANES + lane;
                    let first = level.slots(number, usize::MAX).start;
                    if skips((block * LANES + lane) as u32, first as u32) {
                        left &= !(1 << lane);
                    }
                }
                let near = Mask::new(simd, left);
                (near, near & reach.holds(&cells.low, &cells.high))
            },
        );
    }

    /// The lanes of a leaf's block that may be near another leaf.
    #[inline(always)]
    pub(super) fn lanes_near<S: Simd>(
        &self,
        simd: S,
        points: &Columns<A>,
        other: &Nearby<A, S>,
    ) -> u32 {
        if self.shift.is_some() {
            return 0xffff;
        }
        other.meets(points, points).bits(simd)
    }

    /// Finds the `candidates` of a leaf that are within the radius of a point. They are not packed, as candidates
    /// are elsewhere, since counting and joining mostly end within the first leaves.
    #[inline(always)]
    pub(super) fn within<S: Simd>(
        &self,
        simd: S,
        work: &Work<'_, A>,
        from: A,
        leaf: u32,
        candidates: Mask,
    ) -> Mask {
        let point = QueryPoint::<A, S>::new(simd, from, work.question.radius);
        let offset = self.shift.map(
            #[inline(always)]
            |shift| shift.offset,
        );
        point.within_columns(&work.tree.items.points[leaf as usize], offset) & candidates
    }
}
