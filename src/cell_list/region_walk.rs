//! Queries by any region: blocks of cells are halved, and blocks that are empty or outside the region are dropped.
//! The points of a block inside the region are one run if its cells follow each other in memory.

use alloc::collections::BinaryHeap;
use alloc::vec;
use core::cmp::Reverse;

use smallvec::SmallVec;

use super::build::{Cells, Level};
use crate::lattice::{Block, RowsOf, cut};
use crate::nearest::Ranked;
use crate::overlap::Relation;
use crate::query::SlotRun;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// Blocks of up to this many cells near the region are not halved: testing their points one by one instead saves a
/// sixth of the cycles on a lidar tile. Limits of 27 and 125 are as good.
const FEW: usize = 64;

/// The state of a search, level by level.
#[derive(Clone, Debug)]
pub struct CellWalk<A: Vector> {
    /// The number of levels whose search has begun.
    begun: usize,
    /// The cells around the region, if it gives a hint. Blocks are cut at their faces first.
    hint: Option<Block<A::Voxel>>,
    /// The blocks of the level that are left. Each cut adds one.
    pending: SmallVec<[Block<A::Voxel>; 24]>,
    /// The rows of the current block that are left.
    rows: RowsOf<A::Voxel>,
}

impl<A: Vector> Default for CellWalk<A> {
    fn default() -> Self {
        Self {
            begun: 0,
            hint: None,
            pending: SmallVec::new(),
            rows: RowsOf::none(),
        }
    }
}

/// The next run of points that may overlap a region.
pub(super) fn next_run<A: Vector>(
    cells: &Cells<A>,
    walk: &mut CellWalk<A>,
    hint: &dyn Fn() -> Option<Aabb<A>>,
    relate: &dyn Fn(&Aabb<A>) -> Relation,
) -> Option<SlotRun> {
    let (slots, inside) = loop {
        let Level { grid, buckets, .. } = &cells.levels[walk.begun.saturating_sub(1)];
        let mut rows = walk.rows.by_ref().map(|row| buckets.run(grid, &row));
        if let Some(slots) = rows.find(|slots| !slots.is_empty()) {
            break (slots, false);
        }
        let Some(block) = walk.pending.pop() else {
            // Begin the next level.
            let Level { grid, .. } = cells.levels.get(walk.begun)?;
            walk.begun += 1;
            walk.pending.push(grid.block());
            walk.hint =
                hint().and_then(|hint| grid.around(hint.min(), hint.max(), A::Scalar::ZERO));
            continue;
        };
        // The run from the block's first cell to its last has all points of the block, and usually others, too.
        let slots = buckets.run(grid, &block);
        if slots.is_empty() {
            continue;
        }
        let hint = walk.hint.as_ref();
        if block.cells() <= FEW && hint.is_none_or(|hint| hint.holds(&block)) {
            walk.rows = RowsOf::new(block);
            continue;
        }
        match relate(&grid.bounds_of(&block)) {
            Relation::Outside => continue,
            Relation::Inside if grid.is_run(&block) => break (slots, true),
            // Cut a block that lies inside into runs.
            Relation::Inside | Relation::Straddles => {}
        }
        match cut(&block, hint) {
            Some([low, high]) => walk.pending.extend([high, low]),
            None => break (slots, false),
        }
    };
    Some(SlotRun {
        part: walk.begun as u32 - 1,
        slots,
        inside,
    })
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
