//! Halving a block of cells against a region: the tree that need not be stored.

use smallvec::{SmallVec, smallvec};

use super::lattice::{Block, Lattice};
use crate::{Region, Relation, Vector, Voxel};

/// The parts of a block that a region does not pass by: blocks [`Inside`](Relation::Inside) it, and
/// single cells that it [`Straddles`](Relation::Straddles).
///
/// The last axis is halved down to slabs, then the one before it, so that parts come in the order
/// of their cells, axis 0 fastest, and a part spans all axes below the one it was last halved on.
#[derive(Clone, Debug)]
pub(crate) struct Halving<V: Vector> {
    lattice: Lattice<V>,
    // One pending half per halving on the way down: 24 are the usual depth, 128 the greatest.
    pending: SmallVec<[Block<V::Voxel>; 24]>,
}

impl<V: Vector> Halving<V> {
    pub(crate) fn new(lattice: Lattice<V>, block: Block<V::Voxel>) -> Self {
        let pending = if block.is_empty() {
            SmallVec::new()
        } else {
            smallvec![block]
        };
        Self { lattice, pending }
    }

    /// The next part; always asked with the same region.
    pub(crate) fn next(
        &mut self,
        region: &impl Region<Vector = V>,
    ) -> Option<(Block<V::Voxel>, Relation)> {
        while let Some(block) = self.pending.pop() {
            let relation = region.relate(&self.lattice.bounds(&block));
            match (relation, halves(&block)) {
                (Relation::Outside, _) => {}
                (Relation::Straddles, Some([low, high])) => self.pending.extend([high, low]),
                _ => return Some((block, relation)),
            }
        }
        None
    }
}

/// The block cut across its last axis of more than one cell.
pub(crate) fn halves<X: Voxel>(block: &Block<X>) -> Option<[Block<X>; 2]> {
    let axis = (0..X::DIM).rev().find(|&a| block.range(a).len() > 1)?;
    let range = block.range(axis);
    let middle = range.start + (range.end.abs_diff(range.start) / 2) as i32;
    let (start, end) = (block.start, block.end);
    Some([
        Block {
            start,
            end: end.with(axis, middle),
        },
        Block {
            start: start.with(axis, middle),
            end,
        },
    ])
}
