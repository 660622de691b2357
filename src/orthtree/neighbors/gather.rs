//! Gathers the candidates of a block of sixteen points: one descent finds the leaves around it, and their points are packed once.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::descent::{Found, near_or_whole};
use crate::candidates::Candidates;
use crate::error::{Error, reserve};
use crate::overlap::lanes::Nearby;
use crate::shape::Aabb;
use crate::simd::{LANES, Mask};
use crate::vector::Vector;
use crate::wide_nodes::Tree;

/// Which points a block of points looks for.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// Blocks of the tree before this one are left out.
    pub(super) first: usize,
    /// The most leaves whose points are gathered.
    pub(super) leaves: usize,
    /// True if points that are near all points of the block are listed apart from the candidates.
    pub(super) whole: bool,
}

/// The points near a block of points.
pub(super) struct Gathered<A: Vector> {
    found: Found,
    /// The indices of points that are near all points of the block.
    pub(super) whole: Vec<u32>,
    /// Points that may be near some points of the block.
    pub(super) candidates: Candidates<A>,
}

impl<A: Vector> Gathered<A> {
    pub(super) fn new() -> Self {
        Self {
            found: Found::default(),
            whole: Vec::new(),
            candidates: Candidates::new(),
        }
    }

    /// Finds the points that may be within a squared distance of a box. Returns false if they lie in too many leaves; the candidates are
    /// then meaningless.
    ///
    /// It is not inlined, so that the loops of its callers over candidates have all registers.
    #[inline(never)]
    pub(super) fn gather<S: Simd>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        bounds: &Aabb<A>,
        limit: A::Scalar,
        wanted: Wanted,
    ) -> Result<bool, Error> {
        simd.vectorize(
            #[inline(always)]
            || {
                // Find the leaves, and the nodes that lie within the limit as a whole.
                let near = Nearby::<A, S>::new(simd, bounds, limit, None);
                let is_found = self.found.descend(
                    simd,
                    tree,
                    wanted.leaves,
                    #[inline(always)]
                    |nodes, _, block, there| {
                        near_or_whole(&near, &nodes.boxes[block], there, wanted.whole)
                    },
                );
                if !is_found {
                    return Ok(false);
                }
                // List the points below the nodes that lie within the limit.
                self.whole.clear();
                let first = wanted.first * LANES;
                for &node in &self.found.whole {
                    let run = tree.slots_below(node);
                    let run = first.max(run.start as usize)..first.max(run.end as usize);
                    reserve(&mut self.whole, run.len())?;
                    self.whole.extend_from_slice(&tree.indices[run]);
                }
                // Pack the points of the leaves that may be near.
                let leaves = &self.found.leaves;
                let mut to = self.candidates.pack(leaves.len() * LANES, A::DIM, false)?;
                for &leaf in leaves {
                    let block = leaf as usize;
                    if block < wanted.first {
                        continue;
                    }
                    let points = &tree.items.points[block];
                    let own = Mask::new(simd, tree.lanes_of(block));
                    let mask = near.meets(points, points) & own;
                    to.push(
                        simd,
                        A::DIM,
                        #[inline(always)]
                        |axis| &points.as_ref()[axis].0,
                        &tree.indices.as_chunks().0[block],
                        mask,
                    );
                }
                to.end();
                Ok(true)
            },
        )
    }
}
