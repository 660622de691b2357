//! Queries by any region: blocks of cells are halved, and blocks that are empty or outside the region are dropped.
//! The points of a block inside the region are one run if its cells follow each other in memory.

use alloc::collections::BinaryHeap;
use alloc::vec;
use core::cmp::Reverse;
use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::Kernels;
use super::build::{Cells, Level};
use crate::kernels::Array;
use crate::lattice::{Block, RowsOf, cut, floor};
use crate::nearest::Ranked;
use crate::overlap::{Region, Relation};
use crate::query::SlotRun;
use crate::shape::Aabb;
use crate::vector::{Vector, Voxel};

/// Blocks of up to this many cells near the region are not halved: testing their points one by one instead saves a
/// sixth of the cycles on a lidar tile. Limits of 27 and 125 are as good.
const FEW: usize = 64;

/// The state of a search of the points of one or several levels.
#[derive(Clone, Debug)]
pub struct CellWalk<A: Vector> {
    level: usize,
    /// The parts of the level's grid that are left, once its search has begun.
    parts: Option<Parts<A>>,
}

/// The parts of a grid that are left, and the rows of the current one.
#[derive(Clone, Debug)]
pub struct Parts<A: Vector> {
    /// The cells around the region, if it gives a hint. Blocks are cut at their faces first.
    hint: Option<Block<A::Voxel>>,
    /// The parts to come. Each cut adds one.
    pending: SmallVec<[Block<A::Voxel>; 24]>,
    /// The rows of the current part that are left.
    rows: RowsOf<A::Voxel>,
}

impl<A: Vector> Default for CellWalk<A> {
    fn default() -> Self {
        Self {
            level: 0,
            parts: None,
        }
    }
}

impl<A: Array> CellWalk<A> {
    #[inline]
    pub(super) fn next_run<V: Vector<Array = A, Scalar = A::Scalar>>(
        &mut self,
        levels: &[Level<A>],
        region: &impl Region<Vector = V>,
    ) -> Option<SlotRun> {
        let relate = |cell: &Aabb<A>| region.relate(&cell.cast());
        while let Some(level) = levels.get(self.level) {
            let hint = || region.hint().map(|hint| hint.cast());
            let parts = self.parts.get_or_insert_with(|| Parts::new(level, hint()));
            if let Some((slots, inside)) = <A as Kernels>::next_run(level, parts, &relate) {
                return Some(SlotRun {
                    part: self.level as u32,
                    slots,
                    inside,
                });
            }
            (self.level, self.parts) = (self.level + 1, None);
        }
        None
    }
}

impl<A: Vector> Parts<A> {
    fn new(level: &Level<A>, hint: Option<Aabb<A>>) -> Self {
        let index = |axis: usize, place: A, up: i64| {
            let index = floor(level.grid.place(place, axis)) + up;
            index.clamp(-1, i64::from(level.grid.dims[axis]) + 1) as i32
        };
        // In a skewed grid, the box of the hint is not a block of cells.
        let hint = hint.filter(|_| !level.grid.skewed);
        Self {
            hint: hint.map(|hint| Block {
                start: Voxel::from_fn(|a| index(a, hint.min(), 0)),
                end: Voxel::from_fn(|a| index(a, hint.max(), 1)),
            }),
            pending: smallvec![level.grid.block()],
            rows: RowsOf::none(),
        }
    }
}

/// The next run, and whether it lies inside the region.
pub(super) fn next_run<A: Vector>(
    level: &Level<A>,
    parts: &mut Parts<A>,
    relate: &dyn Fn(&Aabb<A>) -> Relation,
) -> Option<(Range<u32>, bool)> {
    let Level { grid, buckets, .. } = level;
    loop {
        for row in &mut parts.rows {
            let run = buckets.run(grid, &row);
            if !run.is_empty() {
                return Some((run, false));
            }
        }
        // The run from the block's first cell to its last has all points of the block, and usually others, too.
        let block = parts.pending.pop()?;
        let run = buckets.run(grid, &block);
        if run.is_empty() {
            continue;
        }
        let hint = parts.hint.as_ref();
        if block.cells() <= FEW && hint.is_none_or(|hint| hint.holds(&block)) {
            parts.rows = RowsOf::new(block);
            continue;
        }
        match relate(&grid.bounds_of(&block)) {
            Relation::Outside => continue,
            Relation::Inside if grid.is_run(&block) => return Some((run, true)),
            // Cut a block that lies inside into runs.
            Relation::Inside | Relation::Straddles => {}
        }
        match cut(&block, hint) {
            Some([low, high]) => parts.pending.extend([high, low]),
            None => return Some((run, false)),
        }
    }
}

/// Offers the points of each level, cell by cell, in the order of lower bounds. `offer` returns the limit beyond
/// which no point matters any more.
pub(super) fn best_first<V: Vector>(
    cells: &Cells<V>,
    bound: &dyn Fn(&Aabb<V>) -> Option<V::Scalar>,
    offer: &mut dyn FnMut(SlotRun) -> V::Scalar,
) {
    for (part, Level { grid, buckets, .. }) in (0..).zip(&cells.levels) {
        if buckets.len() == 0 {
            continue;
        }
        let mut offer = |slots| {
            offer(SlotRun {
                part,
                slots,
                inside: false,
            })
        };
        // Offer nothing, to learn the limit.
        let mut limit = offer(0..0);
        // Best-first search: take the block with the least bound; halve it, or offer its points if it is one cell.
        let bound = |block: &Block<V::Voxel>| bound(&grid.bounds_of(block));
        let mut blocks = vec![grid.block()];
        let mut queue = BinaryHeap::new();
        queue.extend(bound(&blocks[0]).map(|rank| Reverse(Ranked(rank, 0))));
        while let Some(Reverse(Ranked(rank, number))) = queue.pop() {
            if rank > limit {
                break;
            }
            let Some(parts) = cut(&blocks[number], None) else {
                limit = offer(buckets.run(grid, &blocks[number]));
                continue;
            };
            for part in parts {
                if buckets.run(grid, &part).is_empty() {
                    continue;
                }
                if let Some(rank) = bound(&part).filter(|&rank| rank <= limit) {
                    queue.push(Reverse(Ranked(rank, blocks.len())));
                    blocks.push(part);
                }
            }
        }
    }
}
