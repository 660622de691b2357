//! Points bucketed on a uniform grid.
//!
//! The grid's cells are those of a voxel lattice over the points' bounds, sorted by counting. A
//! query cuts the lattice down to the region, as voxel listing does; whole rows inside are one run.
//! A point is put into a cell by comparing it with the cell's faces, never by division alone, so that
//! the faces bound what the cell holds.

mod build;
mod pairs;
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
use crate::{
    Aabb, Distance, Error, InstructionSet, Overlaps, Periodic, Region, Relation, Sweep, Vector,
    Voxel,
};

/// Points sorted into the cells of a uniform grid, in 1 to 4 dimensions; named by their index in the
/// input: for all pairs within one radius, asked for anew each step.
///
/// A point is its own neighbour, as it is in a query about it; pairs are of two points. A pair is near
/// if its squared distance, as every structure computes it, is at most the square of the radius. In a
/// [`Periodic`] box points are [wrapped](Periodic::wrap) first, and their images count, each for itself: of a pair
/// `i < j`, the images of `j` that a query about `i` finds ([`Periodic::query`]). So the shift is added
/// to the point of the lower index, whichever of the two is asked; of a point and its own image, it is
/// the one that is positive on the last axis on which it is not 0.
///
/// Regions are asked of the points where they are, without images; ask the [`Periodic`] box for those.
/// Answers come cell by cell, in an order that depends on the points and the question only.
///
/// Memory stays in proportion to the points: where the grid would have more than four times as many
/// cells as points (and 4096), cells are made longer.
///
/// ```
/// use orthant::{CellList, Lists, glam::Vec2};
/// let points = [Vec2::new(0.5, 0.5), Vec2::new(9.5, 0.5), Vec2::new(1.0, 1.0)];
/// let cells = CellList::new(&points, 1.0);
/// let mut near = Lists::new();
/// cells.neighbors(&mut near);
/// assert_eq!(near[2].len(), 2); // itself and point 0
/// assert_eq!(cells.count_pairs(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct CellList<V: Vector> {
    radius: V::Scalar,
    periodic: Option<Periodic<V>>,
    instructions: InstructionSet,
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
    /// Sorts the points into cells, for pairs within a radius.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(points: &[V], radius: V::Scalar) -> Self {
        Self::try_new(points, radius).unwrap_or_else(|error| panic!("CellList: {error}"))
    }

    /// Sorts the points into cells, for pairs within a radius.
    ///
    /// # Errors
    ///
    /// If the radius is not a positive finite number, a coordinate is infinite or NaN (the error
    /// names the item), or there are more points than `u32` can number.
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn try_new(points: &[V], radius: V::Scalar) -> Result<Self, Error> {
        let mut cells = Self::empty(radius, None)?;
        cells.rebuild(points)?;
        Ok(cells)
    }

    /// The same in a periodic box.
    ///
    /// # Panics
    ///
    /// Where [`try_new_periodic`](Self::try_new_periodic) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new_periodic(points: &[V], radius: V::Scalar, periodic: Periodic<V>) -> Self {
        Self::try_new_periodic(points, radius, periodic)
            .unwrap_or_else(|error| panic!("CellList: {error}"))
    }

    /// The same in a periodic box. The radius may be as long as the box and longer: a pair comes as
    /// often as it has images that are near.
    ///
    /// ```
    /// use orthant::{Aabb, CellList, Periodic, glam::Vec3};
    /// let periodic = Periodic::new(Aabb::new(Vec3::ZERO, Vec3::splat(10.0)));
    /// let points = [Vec3::splat(0.5), Vec3::splat(9.5)];
    /// let mut cells = CellList::try_new_periodic(&points, 2.0, periodic)?;
    /// assert_eq!(cells.count_pairs(), 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`try_new`](Self::try_new), and if the radius is more than a thousand times as long as
    /// the box on an axis.
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn try_new_periodic(
        points: &[V],
        radius: V::Scalar,
        periodic: Periodic<V>,
    ) -> Result<Self, Error> {
        let mut cells = Self::empty(radius, Some(periodic))?;
        cells.rebuild(points)?;
        Ok(cells)
    }

    /// Sorts other points into cells in place of these, for the same radius and box, in the memory that
    /// it has where that is enough.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec3};
    /// let mut cells = CellList::new(&[Vec3::ZERO, Vec3::X], 0.5);
    /// assert_eq!(cells.count_pairs(), 0);
    /// cells.rebuild(&[Vec3::ZERO, Vec3::X * 0.5])?;
    /// assert_eq!(cells.count_pairs(), 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more points than
    /// `u32` can number; the list stays as it was.
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn rebuild(&mut self, points: &[V]) -> Result<(), Error> {
        build::build(self, points)
    }

    /// Numbers the points anew, in the order of the cells, and returns that order: the number that each
    /// had before. With all that belongs to them moved alike, points that are near each other come to
    /// lie together in memory, and stay so while they move: then lists take half as long to make as in
    /// random order.
    ///
    /// ```
    /// use orthant::{CellList, glam::Vec2};
    /// let mut points = vec![Vec2::new(5.0, 5.0), Vec2::ZERO, Vec2::new(5.5, 5.0)];
    /// let mut cells = CellList::new(&points, 1.0);
    /// let order = cells.reorder();
    /// assert_eq!(order, [1, 0, 2]);
    /// points = order.iter().map(|&i| points[i as usize]).collect();
    /// assert_eq!(points, [Vec2::ZERO, Vec2::new(5.0, 5.0), Vec2::new(5.5, 5.0)]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn reorder(&mut self) -> Vec<u32> {
        let order = self.indices.clone();
        for (index, number) in self.indices.iter_mut().zip(0..) {
            *index = number;
        }
        order
    }

    /// The same list, asked with other instructions: for measurements and tests, since answers do not
    /// depend on it.
    #[must_use]
    pub fn with_instructions(self, instructions: InstructionSet) -> Self {
        Self {
            instructions,
            ..self
        }
    }

    /// The radius that it is made for.
    #[must_use]
    pub fn radius(&self) -> V::Scalar {
        self.radius
    }

    /// The box whose images count, if there is one.
    #[must_use]
    pub fn periodic(&self) -> Option<&Periodic<V>> {
        self.periodic.as_ref()
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
