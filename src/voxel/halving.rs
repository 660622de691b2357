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
//! What is asked knows the region's type; the walk does not, and is compiled once.

use smallvec::{SmallVec, smallvec};

use super::lattice::{Block, END, FIRST, RowsOf, cut};
use super::rule::ByRule;
use super::{Span, VoxelGrid, Voxelize};
use crate::error::Error;
use crate::overlap::{Region, Relation};
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// What is asked about cells; the indices of axes that there are not are 0, and 1 where they end.
pub(crate) trait AskCells {
    /// Whether none of the cells of a block is met, or all.
    fn relate(&self, block: &Block<[i32; 4]>) -> Relation;

    /// Whether a cell is met.
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
}

impl Halving {
    pub(crate) fn new(block: Block<[i32; 4]>) -> Self {
        let pending = if block.is_empty() {
            SmallVec::new()
        } else {
            smallvec![block]
        };
        Self { pending }
    }

    /// The next part; always asked with the same region.
    pub(crate) fn next(&mut self, region: &dyn AskCells) -> Option<(Block<[i32; 4]>, Relation)> {
        while let Some(block) = self.pending.pop() {
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
    /// Of a block that is met.
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
        let block = around(grid, &region)?;
        refuse_unknown(grid, &region)?;
        Ok(Self {
            region: ByRule {
                region,
                criterion: grid.criterion(),
            },
            spans: HalvedSpans {
                halving: Halving::new(Block::padded(&block)),
                rows: RowsOf::none(),
                last: None,
            },
        })
    }

    pub(super) fn next(&mut self) -> Option<Span<[i32; 4]>> {
        self.spans.next(&self.region)
    }
}

/// That a region knows what the rule asks.
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
/// beyond them, and those that it does not reach cost next to nothing.
pub(crate) fn around<R: Voxelize>(
    grid: &VoxelGrid<VectorOf<R>>,
    region: &R,
) -> Result<Block<VoxelOf<R>>, Error> {
    let bounds = region.bounds();
    bounds.check()?;
    around_bounds(grid, &bounds)
}

fn around_bounds<V: Vector>(
    grid: &VoxelGrid<V>,
    bounds: &Aabb<V>,
) -> Result<Block<V::Voxel>, Error> {
    let bounds = bounds.grown(grid.rule.reach().unwrap_or_default());
    let lattice = grid.lattice();
    let half: V::Scalar = Scalar::from_f64(0.5);
    let mut extent = Scalar::ZERO;
    for a in 0..V::DIM {
        let (min, max) = (bounds.min().axis(a), bounds.max().axis(a));
        if grid.window.is_none() {
            lattice.index_of(a, min)?;
            lattice.index_of(a, max)?;
        }
        extent = (max * half - min * half).larger(extent);
    }
    // Of the order of a thousand rounding errors in `f32`.
    let slack = grid.criterion().slack(&bounds) + extent * Scalar::from_f64(1e-4);
    let wide = bounds.grown(slack.smaller(Scalar::MAX));
    // Beyond the range below and above.
    let index = |a, value, nearest| match lattice.index_of(a, value) {
        Ok(index) => index,
        Err(_) if lattice.face(a, FIRST) > value => FIRST - i64::from(nearest),
        Err(_) => END - 1,
    };
    let window = |a: usize| {
        grid.window
            .map_or(i32::MIN..i32::MAX, |window| window.range(a))
    };
    Ok(Block {
        start: Voxel::from_fn(|a| {
            (index(a, wide.min().axis(a), false) as i32).max(window(a).start)
        }),
        end: Voxel::from_fn(|a| {
            ((index(a, wide.max().axis(a), true) + 1) as i32).min(window(a).end)
        }),
    })
}
