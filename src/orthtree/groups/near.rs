//! Which points may be near those of a leaf: the descent to the leaves around it, and sixteen points at a time.

use core::ops::Range;

use fearless_simd::Simd;

use super::{Shift, Work};
use crate::bits::set_bits;
use crate::orthtree::levels::Level;
use crate::orthtree::neighbors::descent::{Found, Way};
use crate::orthtree::tree::{Nodes, Tree};
use crate::overlap::columns::Columns;
use crate::overlap::lanes::{Nearby, W};
use crate::query::Hierarchy;
use crate::shape::Aabb;
use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector};

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

/// What is near a leaf, seen in an image of the box if there is one.
pub(super) struct Near<'a, A: Vector> {
    pub(super) shift: Option<&'a Shift<A>>,
    /// Leaves that may hold points near some, and nodes all of whose points are near all.
    pub(super) found: Found,
    // Of one of those leaves, the points that may be near.
    columns: [[A::Scalar; LANES]; 4],
    pub(super) slots: [u32; LANES],
    pub(super) len: usize,
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

    #[inline(always)]
    pub(super) fn meets(&self, low: &Columns<A>, high: &Columns<A>) -> Mask {
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

/// What may be near a box, but what `skips` says of a node and its first slot.
struct Unskipped<'a, A: Vector, S: Simd, F> {
    simd: S,
    reach: &'a Reach<A, S>,
    skips: F,
}

impl<A: Vector, S: Simd, F: FnMut(u32, u32) -> bool> Way<A> for Unskipped<'_, A, S, F> {
    #[inline(always)]
    fn ask(&mut self, nodes: &Nodes<A>, level: &Level, block: usize, there: Mask) -> (Mask, Mask) {
        let cells = &nodes.cells[block];
        let near = self.reach.meets(&cells.low, &cells.high) & there;
        if near.is_empty() {
            return (near, near);
        }
        let mut left = near.bits(self.simd);
        for lane in set_bits(left) {
            let number = (block - level.first()) * LANES + lane;
            let first = level.slots(number, usize::MAX).start;
            if (self.skips)((block * LANES + lane) as u32, first as u32) {
                left &= !(1 << lane);
            }
        }
        let near = Mask::new(self.simd, left);
        (near, near & self.reach.holds(&cells.low, &cells.high))
    }
}

impl<'a, A: Vector> Near<'a, A> {
    pub(super) fn new() -> Self {
        Self {
            shift: None,
            found: Found::default(),
            columns: [[A::Scalar::ZERO; LANES]; 4],
            slots: [0; LANES],
            len: 0,
        }
    }

    /// Finds what may be near a box, but what `skips` says of a node.
    #[inline(always)]
    pub(super) fn descend<S: Simd>(
        &mut self,
        tree: &Tree<A>,
        simd: S,
        reach: &Reach<A, S>,
        skips: impl FnMut(u32, u32) -> bool,
    ) {
        let mut way = Unskipped { simd, reach, skips };
        self.found.descend(simd, tree, &mut way, usize::MAX);
    }

    /// Packs those points of a leaf that may be near, or of them the core points.
    #[inline(always)]
    pub(super) fn pack<S: Simd>(
        &mut self,
        work: &Work<'_, A>,
        simd: S,
        reach: &Reach<A, S>,
        leaf: u32,
        cores: bool,
    ) {
        let tree = work.tree;
        let block = leaf as usize;
        let mut lanes = tree.lanes_of(block);
        if cores {
            lanes &= work.cores[block];
        }
        let points = &tree.items.points[block];
        let mask = reach.meets(points, points) & Mask::new(simd, lanes);
        for axis in 0..A::DIM {
            let lanes = &points.as_ref()[axis].0;
            Lane::compress(simd, lanes, mask, &mut self.columns[axis], 0);
        }
        let slots = crate::simd::from_fn(|lane| (block * LANES + lane) as u32);
        Lane::compress(simd, &slots, mask, &mut self.slots, 0);
        self.len = mask.count();
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

    /// Those of sixteen packed points that are within the radius of a point.
    #[inline(always)]
    pub(super) fn meets<S: Simd>(&self, simd: S, from: A, limit: A::Scalar) -> Mask {
        let mut sum = <W<A, S>>::splat(simd, A::Scalar::ZERO);
        for axis in 0..A::DIM {
            let there = <W<A, S>>::load(simd, &self.columns[axis]);
            let here = <W<A, S>>::splat(simd, from.axis(axis));
            let mut apart = there - here;
            if let Some(shift) = self.shift {
                apart = apart + <W<A, S>>::splat(simd, shift.offset.axis(axis));
            }
            sum = sum + apart * apart;
        }
        let near = sum.at_most(<W<A, S>>::splat(simd, limit));
        near & Mask::new(simd, 0xffff >> (LANES - self.len))
    }
}
