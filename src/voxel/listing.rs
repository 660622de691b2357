//! The lists that a grid makes of a region: voxels, spans, bricks, cells and counts.

use crate::error::{Error, or_panic};
use crate::overlap::Region;
use crate::vector::{Bricked, Vector};
use crate::voxel::halving::{around, refuse_unknown};
use crate::voxel::slab::rows_of;
use crate::voxel::{Bricks, Cells, Spans, VoxelGrid, Voxelize, Voxels};

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
