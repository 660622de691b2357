//! Halving a block of cells against a region: the tree that need not be stored.

use smallvec::{SmallVec, smallvec};

use super::lattice::{Block, Lattice};
use crate::{Region, Relation, Vector, Voxel};

/// The parts of a block that a region does not pass by: blocks [`Inside`](Relation::Inside) it, and
/// single cells that it [`Straddles`](Relation::Straddles).
///
/// The last axis is halved down to slabs, then the one before it, so that parts come in the order of
/// their cells, axis 0 fastest.
#[derive(Clone, Debug)]
pub(crate) struct Halving<V: Vector> {
    lattice: Lattice<V>,
    // One pending part per cut on the way down: 24 are the usual depth, 128 the greatest.
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
            if relation == Relation::Outside {
                continue;
            }
            match cut(&block, None) {
                Some([low, high]) if relation == Relation::Straddles => {
                    self.pending.extend([high, low]);
                }
                _ => return Some((block, relation)),
            }
        }
        None
    }
}

/// The block cut in two: at a face of the hint where one passes through it, else in the middle of its
/// last axis of more than one cell.
pub(crate) fn cut<X: Voxel>(block: &Block<X>, hint: Option<&Block<X>>) -> Option<[Block<X>; 2]> {
    let (axis, at) = hint.and_then(|hint| face_within(block, hint)).or_else(|| {
        let axis = (0..X::DIM).rev().find(|&a| block.range(a).len() > 1)?;
        let (start, end) = (block.start.axis(axis), block.end.axis(axis));
        Some((axis, ((i64::from(start) + i64::from(end)) / 2) as i32))
    })?;
    let (start, end) = (block.start, block.end);
    Some([
        Block {
            start,
            end: end.with(axis, at),
        },
        Block {
            start: start.with(axis, at),
            end,
        },
    ])
}

/// A face of the hint that passes through the block: its axis and index.
fn face_within<X: Voxel>(block: &Block<X>, hint: &Block<X>) -> Option<(usize, i32)> {
    let axes = (0..X::DIM).rev();
    let mut faces = axes.flat_map(|a| [(a, hint.start.axis(a)), (a, hint.end.axis(a))]);
    faces.find(|&(a, face)| block.start.axis(a) < face && face < block.end.axis(a))
}

/// The rows of a block along axis 0, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsOf<X> {
    block: Block<X>,
    /// The start of the next row.
    next: Option<X>,
}

impl<X: Voxel> RowsOf<X> {
    pub(crate) fn new(block: Block<X>) -> Self {
        let next = (!block.is_empty()).then_some(block.start);
        Self { block, next }
    }

    pub(crate) fn none() -> Self {
        let origin = X::from_fn(|_| 0);
        Self::new(Block {
            start: origin,
            end: origin,
        })
    }
}

impl<X: Voxel> Iterator for RowsOf<X> {
    type Item = Block<X>;

    #[inline]
    fn next(&mut self) -> Option<Block<X>> {
        let start = self.next?;
        let later = (1..X::DIM).find(|&a| start.axis(a) + 1 < self.block.end.axis(a));
        self.next = later.map(|axis| {
            X::from_fn(|a| {
                if a < axis {
                    self.block.start.axis(a)
                } else {
                    start.axis(a) + i32::from(a == axis)
                }
            })
        });
        let end = X::from_fn(|a| {
            if a == 0 {
                self.block.end.axis(0)
            } else {
                start.axis(a) + 1
            }
        });
        Some(Block { start, end })
    }
}
