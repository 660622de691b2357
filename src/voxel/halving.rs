//! Lists the voxels of any region by halving the block around it: a tree that is not stored.
//!
//! ```text
//! pending = [the block]
//! while a block is pending:
//!     relate the region to the block
//!     outside:          drop it
//!     inside, or one cell: hand it out
//!     else:             cut it across its last axis of several cells; the lower half is next
//! ```
//!
//! Only the tests depend on the region's type; the search is compiled once.

use core::iter::FusedIterator;
use core::ops::Range;

use smallvec::SmallVec;

use super::voxelize::{VectorOf, VoxelOf};
use crate::error::{Error, shown_as};
use crate::overlap::Relation;
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector, Voxel};
use crate::voxel::lattice::{Block, END, FIRST, RowsOf, cut};
use crate::voxel::rule::{Criterion, Part};
use crate::voxel::slab::{STRIPS, Slab};
use crate::voxel::{Span, VoxelGrid, Voxelize};

/// The parts of a block that a region meets: blocks [`Inside`](Relation::Inside) it, and single cells that are not
/// [`Outside`](Relation::Outside).
///
/// The last axis is halved down to slabs, then the one before it, so that parts come in the order of
/// their cells, axis 0 fastest.
#[derive(Clone, Debug)]
pub(crate) struct Halving {
    // One pending part per cut on the way down: 24 are the usual depth, 128 the greatest.
    pending: SmallVec<[Block<[i32; 4]>; 24]>,
    /// Number of blocks that were tested.
    pub(super) steps: u64,
}

impl Halving {
    pub(crate) fn new(block: Block<[i32; 4]>) -> Self {
        let pending = (!block.is_empty()).then_some(block).into_iter().collect();
        Self { pending, steps: 0 }
    }

    /// The next part. `relate` tells whether none of the cells of a block is met, or all; a block goes from 0 to 1 on axes
    /// that the grid lacks. All calls have to pass the same region.
    pub(crate) fn next(
        &mut self,
        relate: &dyn Fn(&Block<[i32; 4]>) -> Relation,
    ) -> Option<Block<[i32; 4]>> {
        while let Some(block) = self.pending.pop() {
            self.steps += 1;
            let relation = relate(&block);
            if relation == Relation::Outside {
                continue;
            }
            match cut(&block, None) {
                Some([low, high]) if relation == Relation::Straddles => {
                    self.pending.extend([high, low]);
                }
                _ => return Some(block),
            }
        }
        None
    }
}

/// After this many blocks a slab takes no more spans.
const MOST_STEPS: u64 = 256;

/// The spans of a region by halving, each as long as possible.
#[derive(Clone, Debug)]
pub(super) struct Halved<R: Voxelize> {
    region: R,
    criterion: Criterion<VectorOf<R>>,
    /// True if voxels may be smaller than the distance between neighboring floats, so that their faces may coincide.
    may_be_flat: bool,
    pub(super) halving: Halving,
    /// The rows that are left of a block that is met.
    rows: RowsOf<[i32; 4]>,
    /// A span that the next one may continue.
    last: Option<Span<[i32; 4]>>,
}

impl<R: Voxelize> Halved<R> {
    pub(super) fn new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let block = Block::padded(&around(grid, &region)?);
        refuse_unknown(grid, &region)?;
        let criterion = grid.criterion();
        Ok(Self {
            region,
            may_be_flat: criterion.may_be_flat(&criterion.faces(&Part::new(&block))),
            criterion,
            halving: Halving::new(block),
            rows: RowsOf::none(),
            last: None,
        })
    }

    /// Fills a slab with the next spans, each in a strip of its own; false if there are none.
    pub(super) fn fill_next(&mut self, slab: &mut Slab) -> bool {
        let mut ends = [[0; 2]; STRIPS];
        slab.strips.clear();
        // Spans that are far apart come in smaller slabs, so that the first does not wait for the others.
        let until = self.halving.steps + MOST_STEPS;
        while slab.strips.is_empty() || slab.strips.len() < STRIPS && self.halving.steps < until {
            let run = self.next_run();
            let Some(last) = core::mem::replace(&mut self.last, run) else {
                if run.is_none() {
                    break;
                }
                continue;
            };
            let (first, Range { start, end }) = (last.first(), last.range());
            if let Some(run) = run.filter(|run| run.first() == first.with(0, end)) {
                // The run continues the last one.
                self.last = Some(Span::new(first, run.range().end));
                continue;
            }
            ends[slab.strips.len()] = [start, end];
            slab.add(first, 1);
        }
        slab.columns.set_rows(slab.rows());
        let [start, hole, rest, end] = slab.columns.get_mut();
        for row in 0..start.len() {
            [start[row], end[row]] = ends[row];
            (hole[row], rest[row]) = (end[row], end[row]);
        }
        !slab.strips.is_empty()
    }

    fn next_run(&mut self) -> Option<Span<[i32; 4]>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Span::new(row.start, row.end[0]));
            }
            let block = self.halving.next(&|block| {
                let mut part = Part::new(block);
                if self.may_be_flat {
                    part = self.criterion.distinct(part);
                }
                self.region.relate_voxels(&self.criterion, &part)
            })?;
            self.rows = RowsOf::new(block);
        }
    }
}

/// Refuses a region that cannot measure the distances that the rule needs.
pub(super) fn refuse_unknown<R: Voxelize>(
    grid: &VoxelGrid<VectorOf<R>>,
    region: &R,
) -> Result<(), Error> {
    let rule = grid.rule.name();
    let is_known = region.is_known(&grid.criterion());
    is_known.then_some(()).ok_or(Error::NoDistances { rule })
}

/// The voxels that meet a region's bounds, and some around them: rounding may let a predicate reach a little beyond
/// the bounds, and voxels that it does not reach cost next to nothing. Refuses a region beyond the range of indices,
/// unless there is a window.
pub(crate) fn around<V: Vector>(
    grid: &VoxelGrid<V>,
    region: &impl Bounded<Vector = V>,
) -> Result<Block<V::Voxel>, Error> {
    let bounds = region.bounds();
    bounds.check()?;
    if grid.window.is_none() {
        let (bounds, lattice) = (grid.reached(&bounds), grid.lattice());
        for a in 0..V::DIM {
            lattice.index_of(a, bounds.min().axis(a))?;
            lattice.index_of(a, bounds.max().axis(a))?;
        }
    }
    Ok(grid.around_bounds(&bounds))
}

impl<V: Vector> VoxelGrid<V> {
    /// The bounds of a region, grown by the reach of the rule.
    fn reached(&self, bounds: &Aabb<V>) -> Aabb<V> {
        bounds.grown(self.rule.reach().unwrap_or_default())
    }

    /// The voxels of [`around`], clipped to the range of indices.
    fn around_bounds(&self, bounds: &Aabb<V>) -> Block<V::Voxel> {
        let (bounds, lattice) = (self.reached(bounds), self.lattice());
        let half: V::Scalar = Scalar::from_f64(0.5);
        let mut extent = Scalar::ZERO;
        let mut rounding = Scalar::ZERO;
        for a in 0..V::DIM {
            let (min, max) = (bounds.min().axis(a), bounds.max().axis(a));
            extent = (max * half - min * half).larger(extent);
            rounding = self.criterion().rounding_on(a, &[bounds]).larger(rounding);
        }
        // The extent's part is about a thousand rounding errors of `f32`.
        let slack = self.voxel_size + rounding + extent * Scalar::from_f64(1e-4);
        let wide = bounds.grown(slack.smaller(Scalar::MAX));
        // Values beyond the range of indices are moved to its ends.
        let index = |a, value, nearest| match lattice.index_of(a, value) {
            Ok(index) => index,
            Err(_) if lattice.face(a, FIRST) > value => FIRST - i64::from(nearest),
            Err(_) => END - 1,
        };
        self.listed(Block {
            start: Voxel::from_fn(|a| index(a, wide.min().axis(a), false) as i32),
            end: Voxel::from_fn(|a| (index(a, wide.max().axis(a), true) + 1) as i32),
        })
    }
}

// The voxels of a region as the cells of an octree, which is not stored.

/// An aligned cube of voxels, all of which a region meets, from [`VoxelGrid::cells`].
///
/// Its edge is `2^level` voxels, of which its indices are multiples.
///
/// ```
/// use orthant::{Aabb, VoxelGrid};
/// let grid = VoxelGrid::new([0.0, 0.0], 1.0);
/// let cells = grid.cells(Aabb::new([-0.5, -0.5], [4.5, 4.5]));
/// let largest = cells.max_by_key(|cell| cell.level).unwrap();
/// assert_eq!((largest.first, largest.level, largest.is_inside), ([0, 0], 2, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell<X> {
    /// The voxel with the least indices.
    pub first: X,
    /// 0 for a single voxel; each level more doubles the edge.
    pub level: u32,
    /// Whether the cell lies within the region, or within the rule's reach of it: no surface cuts the cell.
    pub is_inside: bool,
}

impl<X: Voxel> Cell<X> {
    /// The place of the first voxel along the Morton curve: the bits of its indices, with the sign bits flipped,
    /// interleaved from the highest of the last axis to the lowest of axis 0.
    ///
    /// ```
    /// use orthant::{Aabb, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f64, 0.0], 1.0);
    /// let solid = Aabb::new([0.5, 0.5], [3.5, 3.5]);
    /// let codes = grid.cells(solid).map(|cell| cell.morton() & 0xff);
    /// assert!(codes.eq(0..16));
    /// ```
    #[must_use]
    pub fn morton(&self) -> u128 {
        let mut code = 0;
        for bit in (0..32).rev() {
            for a in (0..X::DIM).rev() {
                let biased = self.first.axis(a) as u32 ^ 1 << 31;
                code = code << 1 | u128::from(biased >> bit & 1);
            }
        }
        code
    }
}

/// The cells of a region, from [`VoxelGrid::cells`].
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Cells<R: Voxelize> {
    criterion: Criterion<VectorOf<R>>,
    region: R,
    /// The block outside of which no voxel is met.
    block: Part,
    /// The level of the largest cells that are tested.
    top: u32,
    /// The cells that are left, the next one last: their indices divided by the edge, and their levels.
    pending: SmallVec<[(VoxelOf<R>, u32); 64]>,
}

shown_as!(impl[R: Voxelize] Cells<R> as "Cells");

impl<R: Voxelize> Cells<R> {
    pub(super) fn try_new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        grid.check(&region)?;
        let block = grid.around_bounds(&region.bounds());
        // There are at most two of the largest cells on each axis.
        let last = |a| block.end.axis(a).wrapping_sub(1);
        let apart = |a, level: u32| (last(a) >> level).abs_diff(block.start.axis(a) >> level);
        let reaches = |level: &u32| (0..VectorOf::<R>::DIM).all(|a| apart(a, *level) <= 1);
        let mut cells = Self {
            criterion: grid.criterion(),
            region,
            block: Part::new(&Block::padded(&block)),
            top: (0..31).find(reaches).unwrap_or(31),
            pending: SmallVec::new(),
        };
        if !block.is_empty() {
            cells.push_parts(Voxel::from_fn(|_| -1), 31);
        }
        Ok(cells)
    }

    /// Adds cells, two on each axis from `first` on, in reverse order and without those beyond the block.
    fn push_parts(&mut self, first: VoxelOf<R>, level: u32) {
        for corner in (0..1 << VectorOf::<R>::DIM).rev() {
            let at: VoxelOf<R> = Voxel::from_fn(|a| first.axis(a) + (corner >> a & 1));
            if Part::cell(at, level).meets(&self.block) {
                self.pending.push((at, level));
            }
        }
    }
}

impl<R: Voxelize> Iterator for Cells<R> {
    type Item = Cell<VoxelOf<R>>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((at, level)) = self.pending.pop() {
            let (cell, voxel) = (Part::cell(at, level), Part::of(at));
            let relate = |part: &Part| self.region.relate_voxels(&self.criterion, part);
            // Large cells are divided without a test, and those that reach out of the block even if all of them are met.
            let is_tested = level <= self.top;
            let relation = is_tested.then(|| relate(&cell));
            let is_inside = relation == Some(Relation::Inside) && self.block.holds(&cell);
            if relation == Some(Relation::Outside) {
                continue;
            }
            if is_inside || level == 0 && relate(&voxel) == Relation::Inside {
                return Some(Cell {
                    first: Voxel::from_fn(|a| at.axis(a) << level),
                    level,
                    is_inside,
                });
            }
            if level > 0 {
                self.push_parts(Voxel::from_fn(|a| at.axis(a) << 1), level - 1);
            }
        }
        None
    }
}

impl<R: Voxelize> FusedIterator for Cells<R> {}
