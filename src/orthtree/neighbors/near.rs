//! Gathering what is near a block of sixteen points: the leaves by one descent, their points packed once.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::descent::{Found, Most, append, near_or_whole};
use crate::candidates::{Candidates, Group, Limit, Packed, QueryPoint};
use crate::error::{Error, reserve};
use crate::orthtree::tree::Tree;
use crate::overlap::columns::Columns;
use crate::overlap::lanes::{Nearby, W};
use crate::shape::Aabb;
use crate::simd::{Column, LANES, ListWriter, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// The box around the first points of a block.
#[inline(always)]
pub(super) fn around<A: Vector>(points: &Columns<A>, used: usize) -> Aabb<A> {
    let mut corners = [A::Scalar::ZERO; 8];
    for (axis, Column(lanes)) in points.as_ref().iter().enumerate() {
        let (mut least, mut most) = (lanes[0], lanes[0]);
        for &x in &lanes[..used] {
            least = least.smaller(x);
            most = most.larger(x);
        }
        corners[axis] = least;
        corners[4 + axis] = most;
    }
    Aabb::from_corners(
        A::from_fn(|axis| corners[axis]),
        A::from_fn(|axis| corners[4 + axis]),
    )
}

/// What is near a block of points.
pub(super) struct Near<A: Vector> {
    found: Found,
    /// Blocks of points before this one are left out.
    pub(super) first: usize,
    /// Slots of what is near all points of the block.
    whole: Vec<[u32; 2]>,
    /// What may be near some points of the block.
    pub(super) candidates: Candidates<A>,
}

impl<A: Vector> Near<A> {
    pub(super) fn new() -> Self {
        Self {
            found: Found::default(),
            first: 0,
            whole: Vec::new(),
            candidates: Candidates::new(),
        }
    }

    /// Finds what may be within a squared distance of a box. With `WHOLE`, nodes that lie within it as a whole are not
    /// looked into. Returns false, with candidates of no use, where there is more than `most`.
    ///
    /// A function of its own, called for each block, so that the loops over candidates have all registers.
    #[inline(never)]
    pub(super) fn gather<S: Simd, const WHOLE: bool>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        bounds: &Aabb<A>,
        limit: A::Scalar,
        most: Most,
    ) -> Result<bool, Error> {
        simd.vectorize(
            #[inline(always)]
            || self.gather_here::<S, WHOLE>(simd, tree, bounds, limit, most),
        )
    }

    #[inline(always)]
    fn gather_here<S: Simd, const WHOLE: bool>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        bounds: &Aabb<A>,
        limit: A::Scalar,
        most: Most,
    ) -> Result<bool, Error> {
        // The leaves, and the nodes that lie within as a whole.
        let near = Nearby::<A, S>::new(simd, bounds, limit);
        self.found.descend(
            simd,
            tree,
            most,
            #[inline(always)]
            |nodes, _, block, there| {
                if WHOLE {
                    return near_or_whole(&near, nodes, block, there);
                }
                let cells = &nodes.boxes[block];
                let meets = near.meets(&cells.low, &cells.high) & there;
                (meets, Mask::new(simd, 0))
            },
        );
        let leaves = &self.found.leaves;
        if leaves.len() > most.leaves || self.found.whole.len() > most.whole {
            return Ok(false);
        }
        let first = (self.first * LANES) as u32;
        self.whole.clear();
        self.whole.extend(self.found.whole.iter().map(
            #[inline(always)]
            |&node| {
                let run = tree.slots_below(node);
                [run.start.max(first), run.end.max(first)]
            },
        ));
        // The points of the leaves that may be near.
        let group = Group::<A, S>::new(simd, bounds);
        let limit = <W<A, S>>::splat(simd, limit);
        let nowhere = A::splat(Scalar::ZERO);
        let mut to = self.candidates.pack(leaves.len() * LANES, A::DIM, false)?;
        for &leaf in leaves {
            let block = leaf as usize;
            if block < self.first {
                continue;
            }
            let points = &tree.items.points[block];
            let squares = group.squares::<false>(
                #[inline(always)]
                |axis| &points.as_ref()[axis].0,
                nowhere,
            );
            let mask = squares.at_most(limit) & Mask::new(simd, tree.lanes_of(block));
            let indices = &tree.indices.as_chunks().0[block];
            to.push(
                simd,
                A::DIM,
                #[inline(always)]
                |axis| &points.as_ref()[axis].0,
                indices,
                mask,
            );
        }
        to.end();
        Ok(true)
    }

    /// Appends those points of the block itself that are near one of them and come after it.
    #[inline(always)]
    pub(super) fn list_later<S: Simd>(
        &self,
        simd: S,
        tree: &Tree<A>,
        (center, radius): (A, A::Scalar),
        slot: usize,
        to: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let (block, lane) = (slot / LANES, slot % LANES);
        let used = (tree.len - block * LANES).min(LANES);
        let later = (0xfffe << lane) & (0xffff >> (LANES - used));
        let point = QueryPoint::<A, S>::new(simd, center, radius);
        let mask = point.within_columns(&tree.items.points[block], None) & Mask::new(simd, later);
        reserve(to, LANES)?;
        append(simd, to, &tree.indices.as_chunks().0[block], mask);
        Ok(())
    }

    /// Appends what is near a point of the block: what is near all of them, and of the candidates those that are near this one.
    #[inline(always)]
    pub(super) fn list<S: Simd>(
        &self,
        simd: S,
        tree: &Tree<A>,
        packed: &Packed<'_, A>,
        (center, radius): (A, A::Scalar),
        to: &mut Vec<u32>,
    ) -> Result<(), Error> {
        for &[from, end] in &self.whole {
            let run = &tree.indices[from as usize..end as usize];
            reserve(to, run.len())?;
            to.extend_from_slice(run);
        }
        reserve(to, packed.indices.len() * LANES)?;
        list_packed(simd, packed, center, radius, to);
        Ok(())
    }
}

/// Appends the candidates within a radius of a point.
///
/// A function of its own: within its callers, there are no registers left for the ends of the columns (0.9 of the time).
#[inline(never)]
fn list_packed<A: Vector, S: Simd>(
    simd: S,
    packed: &Packed<'_, A>,
    center: A,
    radius: A::Scalar,
    to: &mut Vec<u32>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let point = QueryPoint::<A, S>::new(simd, center, radius);
            ListWriter::extend(
                to,
                #[inline(always)]
                |to| point.list::<false>(Limit::Radius, packed, &mut to.writer()),
            );
        },
    );
}
