//! Spans, which are runs of voxels along axis 0, and the iterator over them: from the rows of slabs, or by halving.

use alloc::boxed::Box;
use core::iter::FusedIterator;
use core::ops::Range;

use super::halving::Halved;
use super::slab::{Kernels, Slab, SlabWalk, rows_of};
use super::voxelize::{ScalarOf, VectorOf, VoxelOf};
use super::{VoxelGrid, Voxelize, Voxels};
use crate::error::{Error, shown_as};
use crate::simd::InstructionSet;
use crate::vector::Voxel;

/// A run of neighboring voxels in a row along axis 0; never empty.
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
}

/// The spans of a region, from [`VoxelGrid::spans`].
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Spans<R: Voxelize> {
    pub(super) source: Source<R>,
    /// Some rows. Spans before `next` are handed out; row `r` has the spans `2 * r` and `2 * r + 1`.
    pub(super) slab: Slab,
    pub(super) next: usize,
    /// The strip of the row of `next`, or a strip before it.
    strip: usize,
    pub(super) instructions: InstructionSet,
}

shown_as!(impl[R: Voxelize] Spans<R> as "Spans");

/// The source of rows.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "one per listing, on the stack; a box would allocate"
)]
pub(super) enum Source<R: Voxelize> {
    /// The rows of a shape, found directly.
    Slabs(Box<SlabWalk<ScalarOf<R>>>),
    /// The spans of any other region, by halving.
    Any(Halved<R>),
}

impl<R: Voxelize> Spans<R> {
    pub(crate) fn try_new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let source = match rows_of(grid, &region)? {
            Some(walk) => Source::Slabs(walk),
            None => Source::Any(Halved::new(grid, region)?),
        };
        Ok(Self {
            source,
            slab: Slab::default(),
            next: 0,
            strip: 0,
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

    /// The number of blocks, slabs and rows visited so far: the cost of listing, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        let halving = match &self.source {
            Source::Slabs(walk) => &walk.halving,
            Source::Any(halved) => &halved.halving,
        };
        halving.steps
    }

    /// Fills the slab with the next rows; false if there are none.
    #[inline]
    pub(super) fn refill(&mut self) -> bool {
        (self.next, self.strip) = (0, 0);
        match &mut self.source {
            Source::Slabs(walk) => Kernels::fill_next(&mut **walk, &mut self.slab),
            Source::Any(halved) => halved.fill_next(&mut self.slab),
        }
    }

    /// The next span, with voxels of any type; 0 on axes that the grid lacks.
    #[inline]
    pub(super) fn next_as<X: Voxel>(&mut self) -> Option<Span<X>> {
        loop {
            let span = self.next_filled();
            if span.is_some() || !self.refill() {
                return span;
            }
        }
    }

    /// The next span of the slab.
    #[inline]
    fn next_filled<X: Voxel>(&mut self) -> Option<Span<X>> {
        let [start, hole, rest, end] = self.slab.columns.get();
        while let Some(strip) = self.slab.strips.get(self.strip) {
            while self.next < 2 * strip.end() {
                let row = self.next / 2;
                let (start, end) = if self.next % 2 == 1 {
                    (rest[row], end[row])
                } else {
                    (start[row], hole[row])
                };
                self.next += 1;
                if start < end {
                    return Some(strip.span(row, start, end));
                }
            }
            self.strip += 1;
        }
        None
    }

    /// The number of voxels in the spans that are left.
    pub(super) fn voxel_count(mut self) -> u64 {
        let mut sum = 0u64;
        while let Some(span) = self.next_filled::<[i32; 4]>() {
            sum += u64::from(span.len());
        }
        while self.refill() {
            sum = sum.saturating_add(self.slab.count(self.instructions));
        }
        sum
    }
}

impl<R: Voxelize> Iterator for Spans<R> {
    type Item = Span<VoxelOf<R>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_as()
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut all = init;
        while let Some(span) = self.next_filled() {
            all = f(all, span);
        }
        // Visits whole slabs, since a loop over `next_filled` takes a sixth more time.
        while self.refill() {
            for strip in &self.slab.strips {
                let rows = strip.first..strip.end();
                let columns = self.slab.columns.get().map(|column| &column[rows.clone()]);
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
        }
        all
    }
}

impl<R: Voxelize> FusedIterator for Spans<R> {}
