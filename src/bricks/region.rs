//! Sets and regions: insertion, removal, queries, and blocks.

use alloc::vec::Vec;

use super::mask::NONE;
use super::set::Set;
use super::{BrickSet, array, mask, voxel};
use crate::error::{Error, or_panic, or_panics, reserve};
use crate::overlap::Region;
use crate::vector::{Space, Vector, Voxel};
use crate::voxel::{Brick, Bricks, VoxelGrid, Voxelize, around};

impl<X: Voxel + Space> BrickSet<X> {
    /// The voxels that a region meets, by the grid's rule.
    ///
    /// ```
    /// use orthant::{BrickSet, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let set = BrickSet::from_region(&grid, Sphere::new([0.0; 3], 8.0));
    /// assert_eq!(set.len(), 2752);
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`VoxelGrid::bricks`].
    ///
    /// # Panics
    ///
    /// If the region reaches beyond the range of indices, or the rule needs distances that it does not know;
    /// [`try_insert_region`](Self::try_insert_region) returns an error instead.
    #[must_use]
    #[track_caller]
    pub fn from_region<V, R>(grid: &VoxelGrid<V>, region: R) -> Self
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V>,
    {
        let mut set = Self::new();
        set.insert_region(grid, region);
        set
    }

    /// Adds the voxels that a region meets, by the grid's rule.
    ///
    /// # Complexity
    ///
    /// The cost of [`VoxelGrid::bricks`], and O(log tiles) for each brick.
    ///
    /// # Panics
    ///
    /// Where [`try_insert_region`](Self::try_insert_region) returns an error.
    #[track_caller]
    pub fn insert_region<V, R>(&mut self, grid: &VoxelGrid<V>, region: R)
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V>,
    {
        let inserted = self.try_insert_region(grid, region);
        or_panic("BrickSet", inserted);
    }

    /// Adds the voxels that a region meets, by the grid's rule.
    ///
    /// # Errors
    ///
    /// Where [`VoxelGrid::check`] returns one, and [`Error::OutOfMemory`]; nothing has been added then.
    pub fn try_insert_region<V, R>(&mut self, grid: &VoxelGrid<V>, region: R) -> Result<(), Error>
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V>,
    {
        let mut bricks = Bricks::try_new(grid, region)?;
        let was_empty = self.is_empty();
        // The new voxels of each brick, unless all are new.
        let mut added = Vec::new();
        let mut add = || {
            while let Some(brick) = bricks.try_next()? {
                let at = array(brick.coordinates);
                if !was_empty {
                    let before = self.set.mask(at).unwrap_or(&NONE);
                    reserve(&mut added, 1)?;
                    added.push((at, mask::less(&brick.mask, before)));
                }
                self.set.unite(at, &brick.mask)?;
            }
            Ok(())
        };
        add().inspect_err(|_| {
            if was_empty {
                self.clear();
            }
            for (at, new) in &added {
                if self.set.mask(*at).is_some() {
                    let taken = self.set.edit(*at, |mask| *mask = mask::less(mask, new));
                    debug_assert!(taken.is_ok(), "taking out takes no memory");
                }
            }
        })
    }

    /// Removes the voxels that a region meets, by the grid's rule. The region may reach beyond the range of indices.
    ///
    /// ```
    /// use orthant::{BrickSet, Hollow, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let ball = Sphere::new([0.0; 3], 8.0);
    /// let mut set = BrickSet::from_region(&grid, ball);
    /// set.remove_region(&grid, Hollow(ball));
    /// assert_eq!(set.len(), 2752 - 1184);
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`query`](Self::query).
    ///
    /// # Panics
    ///
    /// If the rule needs distances that the region does not know.
    #[track_caller]
    pub fn remove_region<V, R>(&mut self, grid: &VoxelGrid<V>, region: R)
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V>,
    {
        for (at, met) in self.query(grid, region).set.keyed() {
            let removed = self.set.edit(at, |mask| *mask = mask::less(mask, met));
            or_panic("BrickSet", removed);
        }
    }

    /// The voxels of the set that a region meets, by the grid's rule: those whose boxes touch it if
    /// that is [`Closed`](crate::Rule::Closed), those whose centers lie in it if it is
    /// [`CenterInside`](crate::Rule::CenterInside).
    ///
    /// ```
    /// use orthant::{BrickSet, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let set = BrickSet::from_iter([[0, 0, 0], [5, 0, 0], [9, 0, 0]]);
    /// let near = set.query(&grid, Sphere::new([0.5; 3], 4.5));
    /// assert_eq!(near.iter().collect::<Vec<_>>(), [[0, 0, 0], [5, 0, 0]]); // touching counts
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`insert_region`](Self::insert_region), for the region or, if it may meet more tiles than the set
    /// has, for its part within the bounds of these.
    ///
    /// # Panics
    ///
    /// If the rule needs distances that the region does not know. The region may reach beyond the range of indices.
    #[must_use]
    #[track_caller]
    pub fn query<V, R>(&self, grid: &VoxelGrid<V>, region: R) -> Self
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V>,
    {
        let (mut found, mut grid) = (Self::new(), *grid);
        if self.set.tiles.len() < tiles_around(&grid, &region) {
            let bounds = self.set.tile_bounds();
            let window = bounds.and_then(|(start, end)| grid.clipped(voxel(start), voxel(end)));
            match window {
                Some(window) => grid = window,
                None => return found,
            }
        }
        for brick in or_panic("VoxelGrid", Bricks::try_new(&grid, region)) {
            let at = array(brick.coordinates);
            if let Some(mask) = self.set.mask(at) {
                let united = found.set.unite(at, &mask::and(mask, &brick.mask));
                or_panic("BrickSet", united);
            }
        }
        found
    }

    or_panics! {
        /// Adds the voxels of a brick.
        ///
        /// ```
        /// use orthant::{Brick, BrickSet};
        /// let mut set = BrickSet::new();
        /// set.insert_brick(&Brick { coordinates: [1, 0, 0], mask: [3, 0, 0, 0, 0, 0, 0, 0] });
        /// assert_eq!(set.iter().collect::<Vec<_>>(), [[8, 0, 0], [9, 0, 0]]);
        /// ```
        ///
        /// # Complexity
        ///
        /// The cost of [`insert`](Self::insert).
        BrickSet: insert_brick = try_insert_brick(&mut self, brick: &Brick<X>) -> ()
    }

    /// Adds the voxels of a brick, as [`insert_brick`](Self::insert_brick) does.
    ///
    /// # Errors
    ///
    /// If voxels of the brick would have indices beyond those of `i32`: the error names the axis and the first of them. Nothing
    /// has been added then.
    ///
    /// ```
    /// use orthant::{Brick, BrickSet};
    /// let far = Brick { coordinates: [0, 1 << 28, 0], mask: [1; 8] };
    /// assert!(BrickSet::new().try_insert_brick(&far).is_err());
    /// ```
    pub fn try_insert_brick(&mut self, brick: &Brick<X>) -> Result<(), Error> {
        let at = array(brick.coordinates);
        if let Some(axis) = (0..3).find(|&axis| at[axis] << 3 >> 3 != at[axis]) {
            let value = f64::from(at[axis]) * 8.0;
            return Err(Error::OutOfRange { axis, value });
        }
        self.set.unite(at, &brick.mask)
    }

    or_panics! {
        /// All voxels from `start` to one before `end` on each axis; empty if there are none on some axis.
        ///
        /// ```
        /// use orthant::BrickSet;
        /// assert_eq!(BrickSet::block([-1, 0, 0], [9, 9, 9]).len(), 810);
        /// ```
        ///
        /// # Complexity
        ///
        /// O(bricks · log tiles).
        BrickSet: block = try_block(start: X, end: X)
    }

    /// All voxels of a block, as [`block`](Self::block) gives them and at its cost, where memory may not suffice.
    ///
    /// ```
    /// use orthant::BrickSet;
    /// assert_eq!(BrickSet::try_block([-1, 0, 0], [9, 9, 9]).map(|set| set.len()), Ok(810));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_block(start: X, end: X) -> Result<Self, Error> {
        Set::block(array(start), array(end)).map(Self::from)
    }
}

/// The number of tiles that a region may meet.
fn tiles_around<V, R>(grid: &VoxelGrid<V>, region: &R) -> usize
where
    V: Vector,
    R: Voxelize + Region<Vector = V>,
{
    let Ok(block) = around(grid, region) else {
        return usize::MAX;
    };
    let tiles = |a: usize| (block.range(a).len() >> 6) + 2;
    (0..3).map(tiles).fold(1, usize::saturating_mul)
}
