//! The questions of a grid about a region, and the answer on which the others stand: spans, which are runs of voxels
//! along axis 0, from the rows of slabs or by halving.

use alloc::boxed::Box;
use core::iter::FusedIterator;
use core::ops::Range;

use super::halving::{Halved, around, refuse_unknown};
use super::shape::{Kernels, rows_of};
use super::slab::{Slab, SlabWalk};
use super::{Bricks, Cells, VoxelGrid, Voxelize, Voxels};
use crate::error::{Error, or_panic, shown_as};
use crate::overlap::Region;
use crate::simd::InstructionSet;
use crate::vector::{Bricked, Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type ScalarOf<R> = <VectorOf<R> as Vector>::Scalar;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

impl<V: Vector> VoxelGrid<V> {
    /// The voxels that a region meets, each once, the last axis slowest and axis 0 fastest.
    ///
    /// By default, a voxel is listed exactly if the region [`overlaps`](crate::Overlaps::overlaps) its
    /// [box](Self::voxel_bounds); [`Rule`](crate::Rule) has the other conditions. The listing of a sphere, an
    /// ellipsoid or a box takes up to half a megabyte of memory. A region of yours is tested only with voxels near
    /// its bounds.
    ///
    /// ```
    /// use orthant::{Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0, 0.0], 1.0);
    /// let disc = Sphere::new([1.5, 1.5], 0.625);
    /// let cross = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2]];
    /// assert_eq!(grid.voxels(disc).collect::<Vec<_>>(), cross);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(voxels), and what [`spans`](Self::spans) costs.
    ///
    /// # Panics
    ///
    /// Where [`check`](Self::check) returns an error: if the region reaches beyond the range of indices, or cannot
    /// measure the distances that the rule needs.
    #[inline]
    #[track_caller]
    pub fn voxels<R: Voxelize + Region<Vector = V>>(&self, region: R) -> Voxels<R> {
        self.spans(region).voxels()
    }

    /// The voxels that a region meets, as the longest runs along axis 0, in the order of
    /// [`voxels`](Self::voxels).
    ///
    /// A row of a sphere, shell, ellipsoid or box has at most two spans.
    ///
    /// ```
    /// use orthant::{Hollow, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f64; 3], 1.0);
    /// let skin = Hollow(Sphere::new([0.0; 3], 8.0));
    /// assert_eq!(grid.spans(skin).count(), 396);
    /// ```
    ///
    /// # Complexity
    ///
    /// O((`R` + `A`) log `N`), where `R` is the number of rows of the window that meet the region's bounds, grown by
    /// the rule's reach, `A` is the number of spans, and `N` is the longest edge of the window in voxels. Only voxels whose
    /// answer depends on rounding are tested one by one.
    ///
    /// Rows of spheres, shells, ellipsoids and boxes are found directly, and rows far from the surface are skipped
    /// together. Other regions are halved, and so are ellipsoids and boxes under the rules of distances, and regions
    /// that reach beyond the range of indices in a window. An answer depends on rounding where a face lies in a plane
    /// of the lattice or of voxel centers, or at the rule's distance from it, and for coordinates so large that a
    /// voxel is no longer than a rounding error. The bound of a region of yours depends on how sharp its `relate` and
    /// `compare_distance` are for blocks.
    ///
    /// # Panics
    ///
    /// Where [`check`](Self::check) returns an error.
    #[inline]
    #[track_caller]
    pub fn spans<R: Voxelize + Region<Vector = V>>(&self, region: R) -> Spans<R> {
        or_panic("VoxelGrid", Spans::try_new(self, region))
    }

    /// The voxels that a region meets, as bricks of eight on each axis, the last axis slowest and axis 0 fastest.
    ///
    /// ```
    /// use orthant::{Hollow, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f64; 3], 1.0);
    /// let skin = Hollow(Sphere::new([0.0; 3], 8.0));
    /// let bricks = grid.bricks(skin);
    /// assert_eq!(bricks.map(|brick| brick.count()).sum::<u32>(), 1184);
    /// ```
    ///
    /// # Complexity
    ///
    /// As [`spans`](Self::spans).
    ///
    /// # Panics
    ///
    /// Where [`check`](Self::check) returns an error.
    #[track_caller]
    pub fn bricks<R: Voxelize + Region<Vector = V>>(&self, region: R) -> Bricks<R>
    where
        V::Voxel: Bricked,
    {
        or_panic("VoxelGrid", Bricks::try_new(self, region))
    }

    /// The voxels that a region meets as the cells of an octree: aligned cubes in the order of the Morton curve, as
    /// large as possible inside the region, and single voxels on its surface.
    ///
    /// Under the rules of distances a cell is inside if all its points are within reach. An outermost layer consists
    /// of single voxels.
    ///
    /// ```
    /// use orthant::{Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f64; 3], 1.0);
    /// let ball = Sphere::new([0.0; 3], 8.0);
    /// let voxels = grid.cells(ball).map(|cell| 1 << (3 * cell.level));
    /// assert_eq!(voxels.sum::<u64>(), grid.count(ball));
    /// assert_eq!(grid.cells(ball).map(|cell| cell.level).max(), Some(2));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(`A` + log `N`), where `A` is the number of voxels on the surface, and `N` is the edge of the region's bounds
    /// in voxels.
    ///
    /// # Panics
    ///
    /// Where [`check`](Self::check) returns an error.
    #[track_caller]
    pub fn cells<R: Voxelize + Region<Vector = V>>(&self, region: R) -> Cells<R> {
        or_panic("VoxelGrid", Cells::try_new(self, region))
    }

    /// The number of voxels that a region meets; at most [`u64::MAX`].
    ///
    /// ```
    /// use orthant::{Aabb, Hollow, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0; 3], 1.0);
    /// let shell = Hollow(Aabb::new([0.5; 3], [4.5; 3]));
    /// assert_eq!(grid.count(shell), 5 * 5 * 5 - 3 * 3 * 3);
    /// ```
    ///
    /// # Complexity
    ///
    /// As [`spans`](Self::spans).
    ///
    /// # Panics
    ///
    /// Where [`check`](Self::check) returns an error.
    #[must_use]
    #[track_caller]
    pub fn count<R: Voxelize + Region<Vector = V>>(&self, region: R) -> u64 {
        self.spans(region).voxel_count()
    }

    /// Checks that the voxels of a region can be listed, for programs whose regions may lie anywhere.
    ///
    /// ```
    /// use orthant::{Error, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0, 0.0], 1.0);
    /// let error = grid.check(&Sphere::new([0.0, 0.0], 3e9)).unwrap_err();
    /// assert!(matches!(error, Error::OutOfRange { axis: 0, .. }));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(1).
    ///
    /// # Errors
    ///
    /// If the region reaches beyond the range of indices, and is not clipped by a [window](Self::within); or if it
    /// cannot measure the distances that the rule needs.
    pub fn check<R: Voxelize + Region<Vector = V>>(&self, region: &R) -> Result<(), Error> {
        if rows_of(self, region)?.is_none() {
            around(self, region)?;
            refuse_unknown(self, region)?;
        }
        Ok(())
    }
}

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

    /// Joins this span and the next one, if the next one continues it in the same row.
    #[inline]
    pub(crate) fn joined(&self, next: &Self) -> Option<Self> {
        let continues = next.first == self.first.with(0, self.end);
        continues.then_some(Self::new(self.first, next.end))
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
        match &self.source {
            Source::Slabs(walk) => walk.steps,
            Source::Any(halved) => halved.steps(),
        }
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
