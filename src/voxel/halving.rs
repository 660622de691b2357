//! Voxels of any region, by halving the block around it: the tree that need not be stored.
//!
//! ```text
//! pending = [the block]
//! while a block is pending:
//!     ask the region how it lies to the block
//!     outside:          drop it
//!     inside, or one cell: hand it out
//!     else:             cut it across its last axis of several cells; the lower half is next
//! ```
//!
//! Only the questions depend on the region's type; the search is compiled once.

use core::cmp::Reverse;
use core::iter::FusedIterator;

use smallvec::{SmallVec, smallvec};

use crate::error::{Error, shown_as};
use crate::overlap::{Region, Relation};
use crate::shape::{Aabb, Bounded};
use crate::vector::{Scalar, Vector, Voxel};
use crate::voxel::lattice::{Block, END, FIRST, RowsOf, cut};
use crate::voxel::rule::{ByRule, Part};
use crate::voxel::{Span, VoxelGrid, Voxelize};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// The questions of a search; a block goes from 0 to 1 on axes that the grid lacks.
pub(crate) trait AskCells {
    /// Tells whether none of the cells of a block is met, or all.
    fn relate(&self, block: &Block<[i32; 4]>) -> Relation;

    /// Tells whether a cell is met.
    fn is_met(&self, cell: [i32; 4]) -> bool;
}

/// The parts of a block that a region does not pass by: blocks [`Inside`](Relation::Inside) it, and
/// single cells that it [`Straddles`](Relation::Straddles).
///
/// The last axis is halved down to slabs, then the one before it, so that parts come in the order of
/// their cells, axis 0 fastest.
#[derive(Clone, Debug)]
pub(crate) struct Halving {
    // One pending part per cut on the way down: 24 are the usual depth, 128 the greatest.
    pending: SmallVec<[Block<[i32; 4]>; 24]>,
    /// How many blocks were asked about.
    steps: u64,
}

impl Halving {
    pub(crate) fn new(block: Block<[i32; 4]>) -> Self {
        let pending = if block.is_empty() {
            SmallVec::new()
        } else {
            smallvec![block]
        };
        Self { pending, steps: 0 }
    }

    /// The next part; always asked with the same region.
    pub(crate) fn next(&mut self, region: &dyn AskCells) -> Option<(Block<[i32; 4]>, Relation)> {
        while let Some(block) = self.pending.pop() {
            self.steps += 1;
            let relation = region.relate(&block);
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

/// Spans by halving, each as long as it can be.
#[derive(Clone, Debug)]
pub(super) struct HalvedSpans {
    halving: Halving,
    /// The rows of a block that is met.
    rows: RowsOf<[i32; 4]>,
    /// A span that the next one may continue.
    last: Option<Span<[i32; 4]>>,
}

impl HalvedSpans {
    fn next(&mut self, region: &dyn AskCells) -> Option<Span<[i32; 4]>> {
        while let Some(run) = self.next_run(region) {
            let Some(last) = self.last.replace(run) else {
                continue;
            };
            match last.joined(&run) {
                Some(longer) => self.last = Some(longer),
                None => return Some(last),
            }
        }
        self.last.take()
    }

    fn next_run(&mut self, region: &dyn AskCells) -> Option<Span<[i32; 4]>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Span::new(row.start, row.end[0]));
            }
            let (block, relation) = self.halving.next(region)?;
            if relation == Relation::Inside || region.is_met(block.start) {
                self.rows = RowsOf::new(block);
            }
        }
    }
}

/// The spans of a region by halving.
#[derive(Clone, Debug)]
pub(super) struct Halved<R: Voxelize> {
    region: ByRule<R>,
    spans: HalvedSpans,
}

impl<R: Voxelize> Halved<R> {
    pub(super) fn new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let block = Block::padded(&around(grid, &region)?);
        refuse_unknown(grid, &region)?;
        Ok(Self {
            region: ByRule::new(region, grid.criterion(), &block),
            spans: HalvedSpans {
                halving: Halving::new(block),
                rows: RowsOf::none(),
                last: None,
            },
        })
    }

    pub(super) fn next(&mut self) -> Option<Span<[i32; 4]>> {
        self.spans.next(&self.region)
    }

    pub(super) fn steps(&self) -> u64 {
        self.spans.halving.steps
    }
}

/// Refuses a region that does not know the distances that the rule needs.
pub(super) fn refuse_unknown<R: Voxelize>(
    grid: &VoxelGrid<VectorOf<R>>,
    region: &R,
) -> Result<(), Error> {
    if region.is_known(&grid.criterion()) {
        return Ok(());
    }
    Err(Error::NoDistances {
        rule: grid.rule.name(),
    })
}

/// The voxels that meet a region's bounds, and more: rounding may let a predicate reach a little
/// beyond them, and those that it does not reach cost next to nothing. Refuses a region beyond the range of
/// indices, unless there is a window.
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
    /// The bounds of a region, and how far from it the rule reaches.
    fn reached(&self, bounds: &Aabb<V>) -> Aabb<V> {
        bounds.grown(self.rule.reach().unwrap_or_default())
    }

    /// The voxels of [`around`], as far as there are indices.
    fn around_bounds(&self, bounds: &Aabb<V>) -> Block<V::Voxel> {
        let (bounds, lattice) = (self.reached(bounds), self.lattice());
        let half: V::Scalar = Scalar::from_f64(0.5);
        let mut extent = Scalar::ZERO;
        let mut rounding = Scalar::ZERO;
        for a in 0..V::DIM {
            let (min, max) = (bounds.min().axis(a), bounds.max().axis(a));
            extent = (max * half - min * half).larger(extent);
            rounding = self.criterion().rounding_on(a, &bounds).larger(rounding);
        }
        // About a thousand rounding errors in `f32`.
        let slack = self.voxel_size + rounding + extent * Scalar::from_f64(1e-4);
        let wide = bounds.grown(slack.smaller(Scalar::MAX));
        // Beyond the range below and above.
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

// The voxels of a region as an octree that is not stored would show them.

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
    /// 0 of a single voxel; twice the edge with each more.
    pub level: u32,
    /// Whether it lies within the region, or within reach of it: no surface cuts it.
    pub is_inside: bool,
}

impl<X: Voxel> Cell<X> {
    /// The place of the first voxel along the Morton curve: the bits of its indices, their signs turned
    /// round, by turns from the highest of the last axis to the lowest of axis 0.
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
    grid: VoxelGrid<VectorOf<R>>,
    region: R,
    /// Indices divided by the edge, and the level; the next one last.
    pending: SmallVec<[(VoxelOf<R>, u32); 64]>,
}

shown_as!(impl[R: Voxelize] Cells<R> as "Cells");

impl<R: Voxelize> Cells<R> {
    pub(super) fn try_new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        grid.check(&region)?;
        let block = grid.around_bounds(&region.bounds());
        let mut pending = SmallVec::<[(VoxelOf<R>, u32); 64]>::new();
        if !block.is_empty() {
            let (start, last) = (block.start, |a| block.end.axis(a) - 1);
            let dim = VectorOf::<R>::DIM;
            let apart = |a, level: &u32| (last(a) >> level).abs_diff(start.axis(a) >> level);
            let reaches = |level: &u32| (0..dim).all(|a| apart(a, level) <= 1);
            let level = (0..31).find(reaches).unwrap_or(31);
            // At most two on each axis.
            for corner in 0..1 << dim {
                let upper = |a: usize| corner >> a & 1 == 1;
                let twice = |a: usize| last(a) >> level != start.axis(a) >> level;
                if (0..dim).all(|a| twice(a) || !upper(a)) {
                    let at = |a| (start.axis(a) >> level) + i32::from(upper(a));
                    pending.push((Voxel::from_fn(at), level));
                }
            }
            // Not always halves of one cell.
            pending.sort_by_key(|&(at, level)| Reverse(corner_of(at, level).morton()));
        }
        Ok(Self {
            grid: *grid,
            region,
            pending,
        })
    }

    /// How the region lies to a cell; outside the window it lies to none.
    fn relate(&self, at: VoxelOf<R>, level: u32) -> Relation {
        // One past the last is beyond `i32` at the end of the range.
        let index = |a: usize, step: i64| (i64::from(at.axis(a)) + step) << level;
        let axes = 0..VectorOf::<R>::DIM;
        let mut is_whole = true;
        if let Some(window) = self.grid.window {
            for a in axes {
                let (start, end) = (window.start.axis(a).into(), window.end.axis(a).into());
                if index(a, 1) <= start || end <= index(a, 0) {
                    return Relation::Outside;
                }
                is_whole &= start <= index(a, 0) && index(a, 1) <= end;
            }
        }
        let ends = |step, none| {
            [0, 1, 2, 3].map(|a| {
                if a < VectorOf::<R>::DIM {
                    index(a, step)
                } else {
                    none
                }
            })
        };
        let part = Part {
            start: ends(0, 0),
            end: ends(1, 1),
            is_cell: true,
        };
        match self.region.relate_voxels(&self.grid.criterion(), &part) {
            Relation::Inside if !is_whole => Relation::Straddles,
            relation => relation,
        }
    }
}

/// The cell with given indices, divided by its edge.
fn corner_of<X: Voxel>(at: X, level: u32) -> Cell<X> {
    Cell {
        first: X::from_fn(|a| at.axis(a) << level),
        level,
        is_inside: false,
    }
}

impl<R: Voxelize> Iterator for Cells<R> {
    type Item = Cell<VoxelOf<R>>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((at, level)) = self.pending.pop() {
            let relation = self.relate(at, level);
            let (is_inside, is_voxel) = (relation == Relation::Inside, level == 0);
            let is_met = || self.region.meets(&self.grid.criterion(), at);
            if relation == Relation::Outside {
                continue;
            }
            if is_inside || is_voxel {
                if is_inside || is_met() {
                    return Some(Cell {
                        is_inside,
                        ..corner_of(at, level)
                    });
                }
                continue;
            }
            for corner in (0..1 << VectorOf::<R>::DIM).rev() {
                let half = |a: usize| at.axis(a) << 1 | (corner >> a & 1);
                self.pending.push((Voxel::from_fn(half), level - 1));
            }
        }
        None
    }
}

impl<R: Voxelize> FusedIterator for Cells<R> {}
