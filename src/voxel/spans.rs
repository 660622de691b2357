//! The iterators over spans and voxels.

use core::iter::FusedIterator;
use core::ops::Range;

use super::asked::{Widened, is_met};
use super::boxes::BoxSlices;
use super::halving::{Halving, RowsOf};
use super::lattice::{Block, END, FIRST};
use super::round::RoundSlices;
use super::rows::Rows;
use super::voxelize::Shape;
use super::{Rule, Span, VoxelGrid, Voxelize};
use crate::overlap::round::Round;
use crate::{Aabb, Ellipsoid, Error, Region, Relation, Scalar, Sphere, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// The spans of a region, from [`VoxelGrid::spans`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Spans<R: Voxelize> {
    source: Source<R>,
}

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per listing, on the stack; a box would allocate"
)]
enum Source<R: Voxelize> {
    Sphere(Rows<RoundSlices<Sphere<VectorOf<R>>>>),
    Ellipsoid(Rows<RoundSlices<Ellipsoid<VectorOf<R>>>>),
    Aabb(Rows<BoxSlices<VectorOf<R>>>),
    Any(Merged<R>),
}

impl<R: Voxelize> Spans<R> {
    pub(super) fn new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let (lattice, rule) = (grid.lattice(), grid.rule());
        let half_open = rule == Rule::HalfOpen;
        let rows = matches!(rule, Rule::Closed | Rule::HalfOpen);
        let source = match region.shape().filter(|_| rows) {
            Some(Shape::Sphere(sphere, hollow)) => {
                let hole = hollow.then(|| sphere.limit());
                Source::Sphere(Rows::new(RoundSlices::new(
                    sphere, lattice, half_open, hole,
                )?))
            }
            Some(Shape::Shell(shell)) => {
                let hole = Some(shell.inner() * shell.inner());
                let filled = shell.filled();
                Source::Sphere(Rows::new(RoundSlices::new(
                    filled, lattice, half_open, hole,
                )?))
            }
            Some(Shape::Ellipsoid(egg, hollow)) => {
                let hole = hollow.then(|| egg.limit());
                Source::Ellipsoid(Rows::new(RoundSlices::new(egg, lattice, half_open, hole)?))
            }
            Some(Shape::Aabb(solid, hollow)) => Source::Aabb(Rows::new(BoxSlices::new(
                &solid, lattice, half_open, hollow,
            )?)),
            None => Source::Any(Merged::new(grid, region)?),
        };
        Ok(Self { source })
    }

    /// The voxels of the spans, in their order.
    ///
    /// ```
    /// use orthant::{Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let spans = grid.try_spans(Sphere::new([0.0; 3], 2.0)).unwrap();
    /// assert_eq!(spans.voxels().count(), 88);
    /// ```
    #[inline]
    pub fn voxels(self) -> Voxels<R> {
        Voxels {
            spans: self,
            row: None,
        }
    }
}

impl<R: Voxelize> Iterator for Spans<R> {
    type Item = Span<VoxelOf<R>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Sphere(rows) => rows.next(),
            Source::Ellipsoid(rows) => rows.next(),
            Source::Aabb(rows) => rows.next(),
            Source::Any(merged) => merged.next(),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, f: F) -> B {
        match self.source {
            Source::Sphere(rows) => rows.fold(init, f),
            Source::Ellipsoid(rows) => rows.fold(init, f),
            Source::Aabb(rows) => rows.fold(init, f),
            Source::Any(merged) => merged.fold(init, f),
        }
    }
}

impl<R: Voxelize> FusedIterator for Spans<R> {}

/// The voxels of a region, from [`VoxelGrid::voxels`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Voxels<R: Voxelize> {
    spans: Spans<R>,
    /// What is left of the last span.
    row: Option<Span<VoxelOf<R>>>,
}

impl<R: Voxelize> Iterator for Voxels<R> {
    type Item = VoxelOf<R>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let row = self.row.take().or_else(|| self.spans.next())?;
        let Range { start, end } = row.range();
        let voxel = row.first();
        if start + 1 < end {
            self.row = Some(Span::new(voxel.with(0, start + 1), end));
        }
        Some(voxel)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.row.map_or(0, |row| row.len() as usize), None)
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let start = self
            .row
            .into_iter()
            .flat_map(Span::voxels)
            .fold(init, &mut f);
        self.spans
            .fold(start, |all, span| span.voxels().fold(all, &mut f))
    }

    #[inline]
    fn count(self) -> usize {
        let left = self.row.map_or(0, |row| row.len() as usize);
        self.spans
            .fold(left, |sum, span| sum.saturating_add(span.len() as usize))
    }
}

impl<R: Voxelize> FusedIterator for Voxels<R> {}

/// Spans by halving, each as long as it can be.
#[derive(Clone, Debug)]
struct Merged<R: Voxelize> {
    grid: VoxelGrid<VectorOf<R>>,
    region: R,
    halving: Halving<VectorOf<R>>,
    /// Of a block that is met.
    rows: RowsOf<VoxelOf<R>>,
    /// A span that the next one may continue.
    last: Option<Span<VoxelOf<R>>>,
}

impl<R: Voxelize> Merged<R> {
    fn new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let block = around(grid, &region)?;
        let bounds = region.bounds();
        let knows = |reach| {
            region
                .compare_distance(&Aabb::point(bounds.min()), reach)
                .is_some()
        };
        if !grid.rule().reach().is_none_or(knows) {
            return Err(Error::NoDistances {
                rule: grid.rule().name(),
            });
        }
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
            let widened = Widened {
                region: &self.region,
                rule: self.grid.rule(),
                voxel_size: self.grid.voxel_size(),
            };
            let (block, relation) = self.halving.next(&widened, 0)?;
            if relation == Relation::Inside
                || is_met(
                    &self.region,
                    &self.grid.lattice(),
                    self.grid.rule(),
                    block.start,
                )
            {
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

/// The voxels that meet a region's bounds, and more: rounding may let a predicate reach a little
/// beyond them, and those that it does not reach cost next to nothing.
pub(crate) fn around<R: Voxelize>(
    grid: &VoxelGrid<VectorOf<R>>,
    region: &R,
) -> Result<Block<VoxelOf<R>>, Error> {
    region.bounds().check()?;
    let bounds = region
        .bounds()
        .grown(grid.rule().reach().unwrap_or_default());
    let lattice = grid.lattice();
    let mut extent = grid.voxel_size();
    for a in 0..VectorOf::<R>::DIM {
        lattice.index_of(a, bounds.min().axis(a))?;
        lattice.index_of(a, bounds.max().axis(a))?;
        let half = Scalar::from_f64(0.5);
        let (min, max) = (bounds.min().axis(a) * half, bounds.max().axis(a) * half);
        extent = extent.larger(max - min);
    }
    // Of the order of a thousand rounding errors in `f32`.
    let slack = grid.voxel_size() + extent * Scalar::from_f64(1e-4);
    let wide = bounds.grown(slack.smaller(Scalar::MAX));
    let index = |a, value| lattice.index_of(a, value).ok();
    Ok(Block {
        start: Voxel::from_fn(|a| index(a, wide.min().axis(a)).map_or(FIRST as i32, |i| i as i32)),
        end: Voxel::from_fn(|a| index(a, wide.max().axis(a)).map_or(END as i32, |i| i as i32 + 1)),
    })
}
