//! Runs of voxels along axis 0, and the iterator over them: of the rows of slabs, or by halving.

use alloc::boxed::Box;
use core::iter::FusedIterator;
use core::ops::Range;

use super::halving::Halved;
use super::shape::{Kernels, rows_of};
use super::slab::{SlabWalk, Slabs};
use super::{VoxelGrid, Voxelize, Voxels};
use crate::error::{Error, shown_as};
use crate::overlap::Region;
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type ScalarOf<R> = <VectorOf<R> as Vector>::Scalar;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// Neighboring voxels of one row along axis 0; never empty.
///
/// ```
/// use orthant::{Aabb, VoxelGrid};
/// let grid = VoxelGrid::new([0.0, 0.0], 1.0);
/// let bar = Aabb::new([0.5, 0.5], [2.5, 0.5]);
/// let span = grid.spans(bar).next().unwrap();
/// assert_eq!((span.first(), span.range(), span.len()), ([0, 0], 0..3, 3));
/// assert_eq!(span.voxels().last(), Some([2, 0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span<X> {
    first: X,
    end: i32,
}

impl<X: Voxel> Span<X> {
    #[inline(always)]
    pub(crate) fn new(first: X, end: i32) -> Self {
        Self { first, end }
    }

    /// The voxel with the least index on axis 0; its other indices are those of the row.
    #[inline(always)]
    #[must_use]
    pub fn first(&self) -> X {
        self.first
    }

    /// The indices on axis 0.
    #[inline(always)]
    #[must_use]
    pub fn range(&self) -> Range<i32> {
        self.first.axis(0)..self.end
    }

    /// The number of voxels, at least 1.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a span is never empty")]
    pub fn len(&self) -> u32 {
        self.end.abs_diff(self.first.axis(0))
    }

    /// The voxels, by increasing index on axis 0.
    #[inline]
    pub fn voxels(self) -> impl ExactSizeIterator<Item = X> + Clone {
        self.range().map(move |x| self.first.with(0, x))
    }

    /// This span and the next one as one, if that continues this in the same row.
    #[inline]
    pub(crate) fn joined(&self, next: &Self) -> Option<Self> {
        let continues = next.first == self.first.with(0, self.end);
        continues.then_some(Self::new(self.first, next.end))
    }

    /// Converts the span to another type of voxels.
    #[inline(always)]
    pub(super) fn of<Y: Voxel>(self) -> Span<Y> {
        Span::new(Y::from_fn(|a| self.first.axis(a)), self.end)
    }
}

/// The spans of a region, from [`VoxelGrid::spans`].
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Spans<R: Voxelize> {
    pub(super) source: Source<R>,
    pub(super) instructions: InstructionSet,
}

shown_as!(impl[R: Voxelize] Spans<R> as "Spans");

#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per listing, on the stack; a box would allocate"
)]
pub(super) enum Source<R: Voxelize> {
    /// The rows of a shape, found directly.
    Slabs(SlabSpans<ScalarOf<R>>),
    Any(Halved<R>),
}

impl<R: Voxelize> Spans<R> {
    pub(crate) fn try_new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let source = match rows_of(grid, &region)? {
            Some(rows) => Source::Slabs(rows),
            None => Source::Any(Halved::new(grid, region)?),
        };
        Ok(Self {
            source,
            instructions: grid.instructions,
        })
    }

    /// The voxels of the spans, in their order.
    ///
    /// ```
    /// use orthant::{Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let spans = grid.spans(Sphere::new([0.0; 3], 2.0));
    /// assert_eq!(spans.voxels().count(), 88);
    /// ```
    #[inline]
    pub fn voxels(self) -> Voxels<R> {
        Voxels::new(self)
    }

    /// How many blocks, slabs and rows were looked at so far: what listing costs, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        match &self.source {
            Source::Slabs(rows) => rows.walk.steps,
            Source::Any(halved) => halved.steps(),
        }
    }

    /// The next span, its indices 0 on axes that there are not.
    pub(super) fn next_padded(&mut self) -> Option<Span<[i32; 4]>> {
        match &mut self.source {
            Source::Slabs(rows) => rows.next(),
            Source::Any(halved) => halved.next(),
        }
    }

    /// The number of voxels in the spans that are left.
    pub(super) fn voxel_count(self) -> u64 {
        match self.source {
            Source::Slabs(rows) => Kernels::count_voxels(rows, self.instructions),
            Source::Any(mut halved) => {
                let mut sum = 0u64;
                while let Some(span) = halved.next() {
                    sum = sum.saturating_add(span.len().into());
                }
                sum
            }
        }
    }
}

impl<R: Voxelize> Iterator for Spans<R> {
    type Item = Span<VoxelOf<R>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Slabs(rows) => rows.next(),
            Source::Any(halved) => halved.next().map(Span::of),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        match self.source {
            Source::Slabs(rows) => rows.fold(init, f),
            Source::Any(mut halved) => {
                let mut all = init;
                while let Some(span) = halved.next() {
                    all = f(all, span.of());
                }
                all
            }
        }
    }
}

impl<R: Voxelize> FusedIterator for Spans<R> {}

/// The spans of a walk.
#[derive(Clone, Debug)]
pub struct SlabSpans<S> {
    /// In a box, since it is large and handed on often.
    pub(super) walk: Box<SlabWalk<S>>,
    /// Twice the next row, and one more for its second span.
    pub(super) next: usize,
    /// The strip of that row, or one before.
    strip: usize,
}

impl<S: Scalar> SlabSpans<S> {
    pub(super) fn new(shape: Slabs<S>) -> Self {
        Self {
            walk: Box::new(SlabWalk::new(shape)),
            next: 0,
            strip: 0,
        }
    }

    /// Goes to the first row of the slab.
    pub(super) fn rewind(&mut self) {
        (self.next, self.strip) = (0, 0);
    }

    /// The number of voxels that are left. Compiled by [`Kernels`].
    pub(super) fn count_all(mut self, instructions: InstructionSet) -> u64 {
        let columns = self.walk.slab.columns.get();
        let left = self.next..2 * self.walk.slab.rows();
        let mut sum = left
            .map(|place| ends(columns, place))
            .map(|(start, end)| u64::from(end.abs_diff(start)))
            .sum();
        while S::fill_next(&mut self.walk) {
            sum += self.walk.slab.count(instructions);
        }
        sum
    }

    /// The next span.
    #[inline]
    pub(super) fn next<X: Voxel>(&mut self) -> Option<Span<X>> {
        loop {
            let slab = &self.walk.slab;
            let columns = slab.columns.get();
            while let Some(strip) = slab.strips.get(self.strip) {
                while self.next < 2 * strip.end() {
                    let (start, end) = ends(columns, self.next);
                    let row = self.next / 2;
                    self.next += 1;
                    if start < end {
                        return Some(strip.span(row, start, end));
                    }
                }
                self.strip += 1;
            }
            if !S::fill_next(&mut self.walk) {
                return None;
            }
            self.rewind();
        }
    }

    #[inline]
    pub(super) fn fold<X: Voxel, B>(mut self, init: B, mut f: impl FnMut(B, Span<X>) -> B) -> B {
        let mut all = init;
        // To the end of a row that was begun: a loop that looks for it takes a sixth more.
        while self.next % 2 == 1 {
            let Some(span) = self.next() else { return all };
            all = f(all, span);
        }
        let mut first = self.next / 2;
        loop {
            let slab = &self.walk.slab;
            for strip in &slab.strips {
                let rows = strip.first.max(first).min(strip.end())..strip.end();
                let columns = slab.columns.get().map(|column| &column[rows.clone()]);
                let [start, hole, rest, end] = columns.map(|column| column.iter().copied());
                let spans = start.zip(hole).zip(rest.zip(end));
                for (row, ((start, hole), (rest, end))) in rows.zip(spans) {
                    if start < hole {
                        all = f(all, strip.span(row, start, hole));
                    }
                    if rest < end {
                        all = f(all, strip.span(row, rest, end));
                    }
                }
            }
            if !S::fill_next(&mut self.walk) {
                return all;
            }
            first = 0;
        }
    }
}

/// Where a span of a slab begins and ends, by twice its row, and one more if it is the second.
#[inline(always)]
fn ends([start, hole, rest, end]: [&[i32]; 4], place: usize) -> (i32, i32) {
    let row = place / 2;
    if place % 2 == 1 {
        (rest[row], end[row])
    } else {
        (start[row], hole[row])
    }
}
