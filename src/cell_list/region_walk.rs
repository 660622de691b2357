//! Queries by any region: the grid is halved down to the region, and empty parts are left out. Whole rows inside are one run.

use alloc::collections::BinaryHeap;
use alloc::vec;
use core::cmp::Reverse;
use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::Kernels;
use super::build::Cells;
use crate::kernels::Array;
use crate::nearest::Ranked;
use crate::overlap::{Region, Relation};
use crate::query::SlotRun;
use crate::shape::Aabb;
use crate::vector::{Vector, Voxel};
use crate::voxel::{Block, RowsOf, cut, floor};

/// The points of so few cells near the region are tested one by one, since relating the cells costs more: a sixth of
/// the cycles on a lidar tile. 27 and 125 are as good.
const FEW: usize = 64;

/// The state of a search of the points of one or several grids.
#[derive(Clone, Debug)]
pub struct CellWalk<A: Vector> {
    grid: usize,
    /// The parts of the grid that are left, once it was begun.
    parts: Option<Parts<A>>,
}

/// Parts of the grid, row by row, whatever the region is.
#[derive(Clone, Debug)]
pub struct Parts<A: Vector> {
    /// Where to cut first.
    hint: Option<Block<A::Voxel>>,
    /// Parts to come. Each cut leaves one.
    pending: SmallVec<[Block<A::Voxel>; 24]>,
    /// The rows of the part at hand that are left.
    rows: RowsOf<A::Voxel>,
    /// True if that part lies inside the region.
    inside: bool,
}

impl<A: Vector> Default for CellWalk<A> {
    fn default() -> Self {
        Self {
            grid: 0,
            parts: None,
        }
    }
}

impl<A: Array> CellWalk<A> {
    #[inline]
    pub(crate) fn next_run<V: Vector<Array = A, Scalar = A::Scalar>>(
        &mut self,
        grids: &[Cells<A>],
        region: &impl Region<Vector = V>,
    ) -> Option<SlotRun> {
        let relate = |cell: &Aabb<A>| region.relate(&cell.cast());
        while let Some(cells) = grids.get(self.grid) {
            let hint = || region.hint().map(|hint| hint.cast());
            let parts = self.parts.get_or_insert_with(|| Parts::new(cells, hint()));
            if let Some((slots, inside)) = <A as Kernels>::next_run(cells, parts, &relate) {
                return Some(SlotRun {
                    part: self.grid as u32,
                    slots,
                    inside,
                });
            }
            (self.grid, self.parts) = (self.grid + 1, None);
        }
        None
    }
}

impl<A: Vector> Parts<A> {
    fn new(cells: &Cells<A>, hint: Option<Aabb<A>>) -> Self {
        let index = |axis: usize, place: A, up: i64| {
            let index = floor(cells.grid.place(place, axis)) + up;
            index.clamp(-1, i64::from(cells.grid.dims[axis]) + 1) as i32
        };
        let hint = hint.filter(|_| !cells.grid.skewed);
        Self {
            hint: hint.map(|hint| Block {
                start: Voxel::from_fn(|a| index(a, hint.min(), 0)),
                end: Voxel::from_fn(|a| index(a, hint.max(), 1)),
            }),
            pending: smallvec![cells.grid.block()],
            rows: RowsOf::none(),
            inside: false,
        }
    }

    /// The run of a part that lies together, or else its rows to come.
    fn next_part(
        &mut self,
        cells: &Cells<A>,
        relate: &dyn Fn(&Aabb<A>) -> Relation,
    ) -> Option<Range<u32>> {
        let (grid, buckets) = (&cells.grid, &cells.buckets);
        while let Some(block) = self.pending.pop() {
            // From its first cell to its last: what it holds, and mostly more.
            let run = buckets.run(grid, &block);
            if run.is_empty() {
                continue;
            }
            self.inside = false;
            let hint = self.hint.as_ref();
            if block.cells() <= FEW && hint.is_none_or(|hint| hint.holds(&block)) {
                self.rows = RowsOf::new(block);
                return Some(0..0);
            }
            match relate(&grid.bounds_of(&block)) {
                Relation::Outside => continue,
                Relation::Inside if grid.is_run(&block) => {
                    self.inside = true;
                    return Some(run);
                }
                // A block inside becomes runs by further cuts.
                Relation::Inside | Relation::Straddles => {}
            }
            match cut(&block, hint) {
                Some([low, high]) => self.pending.extend([high, low]),
                None => return Some(run),
            }
        }
        None
    }
}

/// The next run, and whether it lies inside the region.
pub(super) fn next_run<A: Vector>(
    cells: &Cells<A>,
    parts: &mut Parts<A>,
    relate: &dyn Fn(&Aabb<A>) -> Relation,
) -> Option<(Range<u32>, bool)> {
    loop {
        for row in &mut parts.rows {
            let run = cells.buckets.run(&cells.grid, &row);
            if !run.is_empty() {
                return Some((run, parts.inside));
            }
        }
        let run = parts.next_part(cells, relate)?;
        if !run.is_empty() {
            return Some((run, parts.inside));
        }
    }
}

/// Hands on the points of halved blocks, in the order of what bounds these; `offer` returns the limit beyond which none matters any
/// more.
pub(super) fn best_first<V: Vector>(
    cells: &Cells<V>,
    bound: &dyn Fn(&Aabb<V>) -> Option<V::Scalar>,
    offer: &mut dyn FnMut(Range<u32>) -> V::Scalar,
) {
    if cells.buckets.len() == 0 {
        return;
    }
    let mut limit = offer(0..0);
    let bound = |block: &Block<V::Voxel>| bound(&cells.grid.bounds_of(block));
    let mut blocks = vec![cells.grid.block()];
    let mut queue = BinaryHeap::new();
    queue.extend(bound(&blocks[0]).map(|rank| Reverse(Ranked(rank, 0))));
    while let Some(Reverse(Ranked(rank, number))) = queue.pop() {
        if rank > limit {
            break;
        }
        let Some(parts) = cut(&blocks[number], None) else {
            limit = offer(cells.buckets.run(&cells.grid, &blocks[number]));
            continue;
        };
        for part in parts {
            if cells.buckets.run(&cells.grid, &part).is_empty() {
                continue;
            }
            if let Some(rank) = bound(&part).filter(|&rank| rank <= limit) {
                queue.push(Reverse(Ranked(rank, blocks.len())));
                blocks.push(part);
            }
        }
    }
}
