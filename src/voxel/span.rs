use core::ops::Range;

use crate::Voxel;

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
}
