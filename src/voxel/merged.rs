//! Spans by halving, each as long as it can be.

use super::asked::ByRule;
use super::halving::{Halving, RowsOf};
use super::lattice::{Block, END, FIRST};
use super::{Span, VoxelGrid, Voxelize};
use crate::{Error, Region, Relation, Scalar, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

#[derive(Clone, Debug)]
pub(super) struct Merged<R: Voxelize> {
    grid: VoxelGrid<VectorOf<R>>,
    region: R,
    halving: Halving<VectorOf<R>>,
    /// Of a block that is met.
    rows: RowsOf<VoxelOf<R>>,
    /// A span that the next one may continue.
    last: Option<Span<VoxelOf<R>>>,
}

impl<R: Voxelize> Merged<R> {
    pub(super) fn new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let block = around(grid, &region)?;
        refuse_unknown(grid, &region)?;
        Ok(Self {
            grid: *grid,
            region,
            halving: Halving::new(grid.lattice(), block),
            rows: RowsOf::none(),
            last: None,
        })
    }

    fn next_run(&mut self) -> Option<Span<VoxelOf<R>>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Span::new(row.start, row.end.axis(0)));
            }
            let by = self.grid.criterion();
            let region = &self.region;
            let (block, relation) = self.halving.next(&ByRule { region, by })?;
            if relation == Relation::Inside || region.meets(&by, block.start) {
                self.rows = RowsOf::new(block);
            }
        }
    }
}

impl<R: Voxelize> Iterator for Merged<R> {
    type Item = Span<VoxelOf<R>>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(run) = self.next_run() {
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
    region.bounds().check()?;
    let bounds = region.bounds().grown(grid.rule.reach().unwrap_or_default());
    let lattice = grid.lattice();
    let half: <VectorOf<R> as Vector>::Scalar = Scalar::from_f64(0.5);
    let mut extent = Scalar::ZERO;
    for a in 0..VectorOf::<R>::DIM {
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
