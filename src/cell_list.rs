//! Points bucketed on a uniform grid.
//!
//! The grid's cells are those of a voxel lattice over the points' bounds, sorted by counting. A
//! query cuts the lattice down to the region, as voxel listing does; whole rows inside are one run.
//! A point is put into a cell by comparing it with the cell's faces, never by division alone, so that
//! the faces bound what the cell holds.

mod build;
mod validate;

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use crate::nearest::{Best, Ranked, nearest};
use crate::overlap::Extent;
use crate::overlap::distance::near_sq;
use crate::query::{Walk, queries};
use crate::sweep::{First, sweeps};
use crate::voxel::{Block, Halving, Lattice, RowsOf, cut};
use crate::{Aabb, Distance, Error, Overlaps, Region, Relation, Sweep, Vector, Voxel};

/// Points sorted into the cells of a uniform grid, in 1 to 4 dimensions; named by their index in the
/// input. It cannot be changed.
///
/// Built in half the time of an [`Orthtree`](crate::Orthtree), which mostly answers faster: for points
/// that are bucketed anew each step and asked about once each, with radii near the cell size. Answers
/// come cell by cell, in an order that depends on the points and the region only.
///
/// Memory stays in proportion to the points: where the grid would have more than four times as many
/// cells as points (and 4096), cells are made longer.
///
/// ```
/// use orthant::{CellList, Sphere, glam::Vec2};
/// let points = [Vec2::new(0.5, 0.5), Vec2::new(9.5, 0.5), Vec2::new(1.0, 1.0)];
/// let cells = CellList::new(&points, 1.0);
/// let near: Vec<_> = cells.query(Sphere::new(Vec2::ZERO, 2.0)).collect();
/// assert_eq!(near, [0, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct CellList<V: Vector> {
    lattice: Lattice<V>,
    /// All cells.
    block: Block<V::Voxel>,
    /// Where each cell's points start, axis 0 fastest, and at last the number of points.
    starts: Vec<u32>,
    /// In the order of the cells.
    points: Vec<V>,
    /// The index in the input of each point.
    indices: Vec<u32>,
}

impl<V: Vector> CellList<V> {
    /// Sorts the points into cells of an edge length, mostly the radius of the queries to come.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(points: &[V], cell_size: V::Scalar) -> Self {
        Self::try_new(points, cell_size).unwrap_or_else(|error| panic!("CellList: {error}"))
    }

    /// Sorts the points into cells of an edge length, mostly the radius of the queries to come.
    ///
    /// # Errors
    ///
    /// If the cell size is not a positive finite number, a coordinate is infinite or NaN (the error
    /// names the item), or there are more points than `u32` can number.
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn try_new(points: &[V], cell_size: V::Scalar) -> Result<Self, Error> {
        build::build(points, cell_size)
    }

    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// A box around all points; `None` where there are none.
    pub(crate) fn extent(&self) -> Option<Extent<V>> {
        (!self.is_empty()).then(|| Extent::of(&self.lattice.bounds(&self.block)))
    }

    /// The points of the cells of a block, which lie in one row.
    fn row(&self, block: &Block<V::Voxel>) -> Range<u32> {
        let first = cell_number(&self.block, block.start);
        let cells = block.range(0).len();
        self.starts[first]..self.starts[first + cells]
    }
}

/// The place of a cell among all, axis 0 fastest.
fn cell_number<X: Voxel>(all: &Block<X>, cell: X) -> usize {
    (0..X::DIM).rev().fold(0, |number, a| {
        number * all.range(a).len() + cell.axis(a) as usize
    })
}

/// So few cells near the region are asked point by point, since relating them costs more: a sixth of
/// the cycles on a lidar tile. 27 and 125 are as good.
const FEW: usize = 64;

/// A query: parts of the lattice, row by row.
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub struct CellWalk<'a, V: Vector, R> {
    cells: &'a CellList<V>,
    region: R,
    parts: Halving<V>,
    /// Of the part at hand.
    rows: RowsOf<V::Voxel>,
    /// It lies inside the region.
    inside: bool,
}

impl<'a, V: Vector, R: Region<Vector = V>> CellWalk<'a, V, R> {
    fn new(cells: &'a CellList<V>, region: R) -> Self {
        Self {
            cells,
            parts: Halving::new(cells.lattice, cells.block).towards(&region),
            region,
            rows: RowsOf::none(),
            inside: false,
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

    fn next_run(&mut self) -> Option<(Range<u32>, bool)> {
        loop {
            for row in &mut self.rows {
                let run = self.cells.row(&row);
                if !run.is_empty() {
                    return Some((run, self.inside));
                }
            }
            let (part, relation) = self.parts.next(&self.region, FEW)?;
            self.rows = RowsOf::new(part);
            self.inside = relation == Relation::Inside;
        }
    }

    #[inline(always)]
    fn hits(&self, slot: u32) -> bool {
        self.region.overlaps(&self.cells.points[slot as usize])
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> usize {
        self.cells.indices[slot as usize] as usize
    }
}

queries!(
    impl[V: Vector] CellList<V>, vector = V, item = V, key = usize,
    list = u32: |index| index as u32,
    walk = CellWalk<R>: CellWalk<'_, V, R>, |this, region| CellWalk::new(this, region)
);

nearest!(
    impl[V: Vector] CellList<V>, vector = V, key = usize,
    |this, from, best| nearest_in_cells(this, from, best)
);

/// Best first over halved blocks.
fn nearest_in_cells<V: Vector, B: Best<V::Scalar, usize>>(
    cells: &CellList<V>,
    from: V,
    mut best: B,
) -> B {
    let bound = |block: &Block<V::Voxel>| near_sq(&from, &cells.lattice.bounds(block));
    let mut blocks = Vec::new();
    let mut queue = BinaryHeap::new();
    if !cells.is_empty() {
        blocks.push(cells.block);
        queue.push(Reverse(Ranked(bound(&cells.block), 0)));
    }
    while let Some(Reverse(Ranked(near, number))) = queue.pop() {
        if near > best.limit_sq() {
            break;
        }
        let Some(parts) = cut(&blocks[number], None) else {
            for slot in cells.row(&blocks[number]) {
                let distance_sq = cells.points[slot as usize].distance_sq(from);
                best.offer(distance_sq, cells.indices[slot as usize] as usize);
            }
            continue;
        };
        for part in parts {
            let near = bound(&part);
            if near <= best.limit_sq() {
                queue.push(Reverse(Ranked(near, blocks.len())));
                blocks.push(part);
            }
        }
    }
    best
}

sweeps!(
    impl[V: Vector] CellList<V>, vector = V, item = V, key = usize,
    |this, moving| walk = CellWalk::new(this, moving),
    item = |slot| &this.points[slot as usize],
    first = |first| first_in_cells(
        this,
        |cell| moving.bound_of(cell),
        |point| moving.times(point).map(|times| times.0),
        first,
    )
);

/// Best first over halved blocks.
fn first_in_cells<V: Vector>(
    cells: &CellList<V>,
    bound: impl Fn(&Aabb<V>) -> Option<V::Scalar>,
    time: impl Fn(&V) -> Option<V::Scalar>,
    first: &mut First<V::Scalar, usize>,
) {
    if cells.is_empty() {
        return;
    }
    let bound = |block: &Block<V::Voxel>| bound(&cells.lattice.bounds(block));
    let mut blocks = alloc::vec![cells.block];
    let mut queue = BinaryHeap::new();
    queue.extend(bound(&cells.block).map(|time| Reverse(Ranked(time, 0))));
    while let Some(Reverse(Ranked(enter, number))) = queue.pop() {
        if first.excludes(enter) {
            break;
        }
        let Some(parts) = cut(&blocks[number], None) else {
            for slot in cells.row(&blocks[number]) {
                if let Some(time) = time(&cells.points[slot as usize]) {
                    first.offer(time, cells.indices[slot as usize] as usize, slot);
                }
            }
            continue;
        };
        for part in parts {
            if let Some(enter) = bound(&part).filter(|&enter| !first.excludes(enter)) {
                queue.push(Reverse(Ranked(enter, blocks.len())));
                blocks.push(part);
            }
        }
    }
}
