//! Which points may be near those of a leaf: the descent to the leaves around it, and sixteen points at a time.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::{Shift, Work};
use crate::bits::set_bits;
use crate::orthtree::split::LEAF;
use crate::orthtree::tree::{INNER, Tree, blocks_of};
use crate::overlap::columns::Columns;
use crate::overlap::lanes::{Nearby, W};
use crate::query::Hierarchy;
use crate::shape::Aabb;
use crate::simd::{LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// The most blocks that a leaf lies in.
pub(super) const SPAN: usize = LEAF / LANES + 1;

/// Room for the points of a leaf, written sixteen at a time.
const ROOM: usize = LEAF + LANES;

/// The points of a leaf that ask.
pub(super) struct Own<A: Vector> {
    pub(super) leaf: u32,
    pub(super) cell: Aabb<A>,
    pub(super) slots: Range<u32>,
    /// The first of the blocks that they lie in.
    pub(super) first: usize,
    /// The lanes that ask, in each of the blocks from the first on.
    pub(super) lanes: [u32; SPAN],
}

impl<A: Vector> Own<A> {
    pub(super) fn new(work: &Work<'_, A>, leaf: u32, asks: impl Fn(u32) -> u32) -> Self {
        let (block, lane) = (leaf as usize / LANES, leaf as usize % LANES);
        let blocks = blocks_of(work.tree.nodes.children[block][lane]);
        let edges = work.tree.nodes.edges[block][lane];
        let mut lanes = [0; SPAN];
        for (number, block) in blocks.clone().enumerate() {
            lanes[number] = asks(work.cores[block]) & within(edges, number, blocks.len());
        }
        Self {
            leaf,
            cell: work.tree.extent(leaf).core,
            slots: work.run_of(leaf),
            first: blocks.start,
            lanes,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.lanes == [0; SPAN]
    }
}

/// The lanes of a leaf in one of its blocks.
#[inline(always)]
fn within(edges: u32, number: usize, many: usize) -> u32 {
    let mut lanes = 0xffff;
    if number == 0 {
        lanes &= edges;
    }
    if number + 1 == many {
        lanes &= edges >> LANES;
    }
    lanes
}

/// What is near a leaf, seen in an image of the box if there is one.
pub(super) struct Near<'a, A: Vector> {
    pub(super) shift: Option<&'a Shift<A>>,
    nodes: Vec<u32>,
    /// Leaves that may hold points near some, by their lanes.
    pub(super) leaves: Vec<u32>,
    /// Nodes all of whose points are near all.
    pub(super) whole: Vec<u32>,
    // Of one of those leaves, the points that may be near.
    columns: [[A::Scalar; ROOM]; 4],
    pub(super) slots: [u32; ROOM],
    indices: [u32; ROOM],
    pub(super) len: usize,
}

/// Sixteen points moved by an offset.
#[inline(always)]
fn moved<A: Vector>(columns: &Columns<A>, by: A) -> Columns<A> {
    let mut to = *columns;
    for axis in 0..A::DIM {
        for x in &mut to.as_mut()[axis].0 {
            *x = *x + by.axis(axis);
        }
    }
    to
}

/// A box whose surroundings are asked about. Where a shift is added is told by indices, so that both ways count.
pub(super) struct Reach<A: Vector, S: Simd> {
    own: Nearby<A, S>,
    shifted: Option<(Nearby<A, S>, A)>,
}

impl<A: Vector, S: Simd> Reach<A, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, cell: &Aabb<A>, limit: A::Scalar, shift: Option<&Shift<A>>) -> Self {
        Self {
            own: Nearby::new(simd, cell, limit),
            shifted: shift.map(
                #[inline(always)]
                |shift| {
                    let by = shift.offset;
                    let back = |p: A| A::from_fn(|a| p.axis(a) - by.axis(a));
                    let cell = Aabb::from_corners(back(cell.min()), back(cell.max()));
                    (Nearby::new(simd, &cell, limit), by)
                },
            ),
        }
    }

    #[inline(always)]
    pub(super) fn meets(&self, low: &Columns<A>, high: &Columns<A>) -> Mask {
        match &self.shifted {
            None => self.own.meets(low, high),
            Some((own, by)) => {
                let there = self
                    .own
                    .meets(&moved::<A>(low, *by), &moved::<A>(high, *by));
                // Either.
                !(!own.meets(low, high) & !there)
            }
        }
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<A>, high: &Columns<A>) -> Mask {
        match &self.shifted {
            None => self.own.holds(low, high),
            Some((own, by)) => {
                let there = self
                    .own
                    .holds(&moved::<A>(low, *by), &moved::<A>(high, *by));
                own.holds(low, high) & there
            }
        }
    }
}

impl<'a, A: Vector> Near<'a, A> {
    pub(super) fn new() -> Self {
        Self {
            shift: None,
            nodes: Vec::new(),
            leaves: Vec::new(),
            whole: Vec::new(),
            columns: [[A::Scalar::ZERO; ROOM]; 4],
            slots: [0; ROOM],
            indices: [0; ROOM],
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
        mut skips: impl FnMut(u32, u32) -> bool,
    ) {
        self.nodes.clear();
        self.leaves.clear();
        self.whole.clear();
        let many = tree.nodes.children.len();
        // The last block holds the root.
        let mut blocks = many.saturating_sub(1)..many;
        loop {
            for block in blocks {
                let cells = &tree.nodes.cells[block];
                let near = reach.meets(&cells.low, &cells.high);
                if near.is_empty() {
                    continue;
                }
                let whole = near & reach.holds(&cells.low, &cells.high);
                let whole = whole.bits(simd);
                for lane in set_bits(near.bits(simd)) {
                    let (node, child) = (
                        (block * LANES + lane) as u32,
                        tree.nodes.children[block][lane],
                    );
                    let (from, to) = tree.nodes.runs[block][lane];
                    if from == to || skips(node, from) {
                        continue;
                    }
                    if whole >> lane & 1 != 0 {
                        self.whole.push(node);
                    } else if child & INNER != 0 {
                        self.nodes.push(child);
                    } else {
                        self.leaves.push(node);
                    }
                }
            }
            match self.nodes.pop() {
                Some(node) => blocks = blocks_of(node),
                None => break,
            }
        }
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
        let (block, lane) = (leaf as usize / LANES, leaf as usize % LANES);
        let blocks = blocks_of(tree.nodes.children[block][lane]);
        let edges = tree.nodes.edges[block][lane];
        let indices = tree.indices.as_chunks().0;
        let mut len = 0;
        for (number, block) in blocks.clone().enumerate() {
            let mut lanes = within(edges, number, blocks.len());
            if cores {
                lanes &= work.cores[block];
            }
            let points = &tree.items.points[block];
            let mask = reach.meets(points, points) & Mask::new(simd, lanes);
            for axis in 0..A::DIM {
                let lanes = &points.as_ref()[axis].0;
                Lane::squeeze(simd, lanes, mask, &mut self.columns[axis], len);
            }
            let slots = core::array::from_fn(|lane| (block * LANES + lane) as u32);
            Lane::squeeze(simd, &slots, mask, &mut self.slots, len);
            if self.shift.is_some() {
                Lane::squeeze(simd, &indices[block], mask, &mut self.indices, len);
            }
            len += mask.count();
        }
        self.len = len;
    }

    /// The lanes of a leaf's block that may be near another leaf.
    #[inline(always)]
    pub(super) fn facing<S: Simd>(
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
    pub(super) fn meets<S: Simd>(
        &self,
        simd: S,
        from: A,
        index: u32,
        limit: A::Scalar,
        block: usize,
    ) -> Mask {
        let at = block * LANES;
        let mut sum = <W<A, S>>::splat(simd, A::Scalar::ZERO);
        let first = match self.shift {
            Some(shift) => {
                let indices = self.indices[at..].first_chunk().expect("room for sixteen");
                let more = [u32::from(shift.is_lower); LANES];
                Mask::of_less(simd, indices, &more, index)
            }
            None => Mask::new(simd, 0),
        };
        for axis in 0..A::DIM {
            let there = self.columns[axis][at..].first_chunk();
            let there = <W<A, S>>::load(simd, there.expect("room for sixteen"));
            let here = <W<A, S>>::splat(simd, from.axis(axis));
            let apart = match self.shift {
                None => here - there,
                Some(shift) => {
                    let by = <W<A, S>>::splat(simd, shift.offset.axis(axis));
                    ((there + by) - here).only(first, (here - by) - there)
                }
            };
            sum = sum + apart * apart;
        }
        let behind = self.len - at;
        let near = sum.at_most(<W<A, S>>::splat(simd, limit));
        near & Mask::new(simd, 0xffff >> LANES.saturating_sub(behind))
    }
}
