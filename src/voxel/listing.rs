//! What a grid lists of a region.

use super::{Bricks, Cells, Spans, VoxelGrid, Voxelize, Voxels};
use crate::error::Error;
use crate::overlap::Region;
use crate::vector::Vector;

impl<V: Vector> VoxelGrid<V> {
    /// The voxels that a region meets, each once, the last axis slowest and axis 0 fastest.
    ///
    /// A voxel is listed exactly if the region [`overlaps`](crate::Overlaps::overlaps) its
    /// [box](Self::voxel_bounds) (closed rule); under the half-open rule, if the same expressions
    /// say that the region has a point in the half-open box. For spheres,
    /// ellipsoids and boxes a few numbers are kept for each of some rows, up to half a megabyte. A region of yours is asked only about voxels near its bounds.
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
    /// O(voxels) for spheres, shells, ellipsoids and boxes, hollow or solid. For other regions each
    /// span costs up to the logarithm of the edge of its bounds, in voxels.
    ///
    /// # Panics
    ///
    /// If the region reaches beyond the range of indices;
    /// `grid.try_spans(region)?.voxels()` returns an error instead.
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
    /// O(spans) for spheres, shells, ellipsoids and boxes; for other regions as
    /// [`voxels`](Self::voxels).
    ///
    /// # Panics
    ///
    /// Where [`try_spans`](Self::try_spans) returns an error.
    #[inline]
    #[track_caller]
    pub fn spans<R: Voxelize + Region<Vector = V>>(&self, region: R) -> Spans<R> {
        match self.try_spans(region) {
            Ok(spans) => spans,
            Err(error) => panic!("VoxelGrid: {error}"),
        }
    }

    /// The same as [`spans`](Self::spans) for a region that may lie anywhere.
    ///
    /// ```
    /// use orthant::{Error, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0, 0.0], 1.0);
    /// let error = grid.try_spans(Sphere::new([0.0, 0.0], 3e9)).unwrap_err();
    /// assert!(matches!(error, Error::OutOfRange { axis: 0, .. }));
    /// ```
    ///
    /// # Errors
    ///
    /// If the region reaches beyond the range of indices, or the rule needs distances that it does not
    /// know; nothing has been listed then.
    pub fn try_spans<R: Voxelize + Region<Vector = V>>(
        &self,
        region: R,
    ) -> Result<Spans<R>, Error> {
        Spans::new(self, region)
    }

    /// The voxels that a region meets, by the hundred: as bricks of eight on each axis, the last axis
    /// slowest and axis 0 fastest.
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
    /// Where [`try_bricks`](Self::try_bricks) returns an error.
    #[track_caller]
    pub fn bricks<R: Voxelize + Region<Vector = V>>(&self, region: R) -> Bricks<R> {
        match self.try_bricks(region) {
            Ok(bricks) => bricks,
            Err(error) => panic!("VoxelGrid: {error}"),
        }
    }

    /// The same as [`bricks`](Self::bricks) for a region that may lie anywhere.
    ///
    /// # Errors
    ///
    /// Where [`try_spans`](Self::try_spans) returns one.
    pub fn try_bricks<R: Voxelize + Region<Vector = V>>(
        &self,
        region: R,
    ) -> Result<Bricks<R>, Error> {
        Ok(Bricks::new(self.try_spans(region)?))
    }

    /// The voxels that a region meets as the cells of an octree: aligned cubes, inside the region as large
    /// as they come, on its surface single voxels; in the order of the Morton curve.
    ///
    /// A narrow band, or an outermost layer, is of single voxels alone, unless it is that of a capsule.
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
    /// O(voxels on the surface), and the logarithm of the edge of the region's bounds in voxels.
    ///
    /// # Panics
    ///
    /// Where [`try_cells`](Self::try_cells) returns an error.
    #[track_caller]
    pub fn cells<R: Voxelize + Region<Vector = V>>(&self, region: R) -> Cells<R> {
        match self.try_cells(region) {
            Ok(cells) => cells,
            Err(error) => panic!("VoxelGrid: {error}"),
        }
    }

    /// The same as [`cells`](Self::cells) for a region that may lie anywhere.
    ///
    /// # Errors
    ///
    /// Where [`try_spans`](Self::try_spans) returns one.
    pub fn try_cells<R: Voxelize + Region<Vector = V>>(
        &self,
        region: R,
    ) -> Result<Cells<R>, Error> {
        Cells::new(self, region)
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
    /// Where [`try_spans`](Self::try_spans) returns an error.
    #[must_use]
    #[track_caller]
    pub fn count<R: Voxelize + Region<Vector = V>>(&self, region: R) -> u64 {
        self.spans(region).voxel_count()
    }
}
