//! Regions asked of the points: the grid is cut down to the region, and what is empty is left out.
//! Whole rows inside are one run.

use alloc::collections::BinaryHeap;
use alloc::vec;
use core::cmp::Reverse;
use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::Kernels;
use super::build::Cells;
use crate::nearest::{Closest, Ranked};
use crate::overlap::distance::Center;
use crate::overlap::{Overlaps, Region, Relation};
use crate::query::{First, Walk};
use crate::shape::Aabb;
use crate::vector::{Vector, Voxel};
use crate::voxel::{Block, RowsOf, cut, floor};

/// So few cells near the region are asked point by point, since relating them costs more: a sixth of
/// the cycles on a lidar tile. 27 and 125 are as good.
const FEW: usize = 64;

/// A query.
#[derive(Clone, Debug)]
pub struct CellWalk<'a, V: Vector, R> {
    cells: &'a Cells<V::Array>,
    /// Other points in cells of their own, to be asked afterwards.
    more: &'a [Cells<V::Array>],
    region: R,
    parts: Parts<V::Array>,
}

/// Parts of the grid, row by row, whatever the region is.
#[derive(Clone, Debug)]
pub struct Parts<A: Vector> {
    /// Where to cut first.
    hint: Option<Block<A::Voxel>>,
    /// Parts to come. Each cut leaves one.
    pending: SmallVec<[Block<A::Voxel>; 24]>,
    /// Of the part at hand.
    rows: RowsOf<A::Voxel>,
    /// It lies inside the region.
    inside: bool,
}

impl<'a, V: Vector, R: Region<Vector = V>> CellWalk<'a, V, R> {
    /// Over grids, of which there is one at least.
    pub(crate) fn new(levels: &'a [Cells<V::Array>], region: R) -> Self {
        let (cells, more) = levels.split_first().expect("a grid");
        let parts = Parts::new(cells, region.hint().map(|hint| hint.cast()));
        Self {
            cells,
            more,
            region,
            parts,
        }
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
                // What lies inside is a run if the hint holds the region; if not, its parts are.
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

/// What follows, and whether it lies inside the region.
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

impl<V, R> Walk for CellWalk<'_, V, R>
where
    V: Vector,
    R: Region<Vector = V> + Overlaps<V>,
{
    type Key = usize;
    type Run = Range<u32>;

    #[inline]
    fn next_run(&mut self) -> Option<(Range<u32>, bool)> {
        loop {
            let relate = |cell: &Aabb<V::Array>| self.region.relate(&cell.cast());
            let run = <V::Array as Kernels>::next_run(self.cells, &mut self.parts, &relate);
            if run.is_some() {
                return run;
            }
            (self.cells, self.more) = self.more.split_first()?;
            let hint = self.region.hint();
            self.parts = Parts::new(self.cells, hint.map(|hint| hint.cast()));
        }
    }

    #[inline(always)]
    fn hits(&self, slot: u32) -> bool {
        self.region
            .overlaps(&V::of_array(self.cells.buckets.point(slot as usize)))
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> usize {
        self.cells.buckets.indices()[slot as usize] as usize
    }
}

/// Best first over halved blocks: those that `bound` gives a number, the least first, until `is_beyond`;
/// `offer` is given the slots of each.
fn best_first<V: Vector, X>(
    cells: &Cells<V>,
    best: &mut X,
    bound: impl Fn(&Aabb<V>) -> Option<V::Scalar>,
    is_beyond: impl Fn(&X, V::Scalar) -> bool,
    offer: impl Fn(&mut X, Range<u32>),
) {
    if cells.buckets.len() == 0 {
        return;
    }
    let bound = |block: &Block<V::Voxel>| bound(&cells.grid.bounds_of(block));
    let mut blocks = vec![cells.grid.block()];
    let mut queue = BinaryHeap::new();
    queue.extend(bound(&blocks[0]).map(|rank| Reverse(Ranked(rank, 0))));
    while let Some(Reverse(Ranked(rank, number))) = queue.pop() {
        if is_beyond(best, rank) {
            break;
        }
        let Some(parts) = cut(&blocks[number], None) else {
            offer(best, cells.buckets.run(&cells.grid, &blocks[number]));
            continue;
        };
        for part in parts {
            if cells.buckets.run(&cells.grid, &part).is_empty() {
                continue;
            }
            if let Some(rank) = bound(&part).filter(|&rank| !is_beyond(best, rank)) {
                queue.push(Reverse(Ranked(rank, blocks.len())));
                blocks.push(part);
            }
        }
    }
}

/// Offers points to what keeps those nearest to a place.
pub(super) fn nearest<V: Vector>(
    cells: &Cells<V>,
    from: &Center<V>,
    best: &mut Closest<V::Scalar, usize>,
) {
    let bound = |cell: &Aabb<V>| from.near_sq(cell);
    offer_nearest(cells, bound, |point| from.item_sq(point), best);
}

/// The same by a norm, which the user's vectors measure.
pub(super) fn nearest_by<V: Vector>(
    cells: &Cells<V>,
    bound: &dyn Fn(&Aabb<V>) -> V::Scalar,
    measure: &dyn Fn(&V) -> V::Scalar,
    best: &mut Closest<V::Scalar, usize>,
) {
    offer_nearest(cells, bound, measure, best);
}

#[inline(always)]
fn offer_nearest<V: Vector>(
    cells: &Cells<V>,
    bound: impl Fn(&Aabb<V>) -> V::Scalar,
    distance: impl Fn(&V) -> V::Scalar,
    best: &mut Closest<V::Scalar, usize>,
) {
    let bound = |cell: &Aabb<V>| Some(bound(cell));
    let is_beyond = |best: &Closest<_, _>, near| near > best.limit_sq();
    best_first(cells, best, bound, is_beyond, |best, slots| {
        for slot in slots {
            let distance = distance(&cells.buckets.point(slot as usize));
            best.offer(distance, cells.buckets.indices()[slot as usize] as usize);
        }
    });
}

/// Offers points to what keeps the one that is touched first.
pub(super) fn first_touched<V: Vector>(
    cells: &Cells<V>,
    bound: &dyn Fn(&Aabb<V>) -> Option<V::Scalar>,
    time: &dyn Fn(&V) -> Option<V::Scalar>,
    first: &mut First<V::Scalar, usize>,
) {
    let is_beyond = |first: &First<_, _>, enter| first.excludes(enter);
    best_first(cells, first, bound, is_beyond, |first, slots| {
        for slot in slots {
            if let Some(time) = time(&cells.buckets.point(slot as usize)) {
                first.offer(time, cells.buckets.indices()[slot as usize] as usize, slot);
            }
        }
    });
}
