//! The union of many regions: those of each tile are drawn on a canvas of their own, in parallel.

use alloc::vec::Vec;

use super::canvas::{self, Canvas};
use super::set::Set;
use super::tile::{Key, Tile};
use super::{BrickSet, array};
use crate::overlap::check_count;
use crate::parallel::{self, GRAIN};
use crate::voxel::{Block, around};
use crate::{Error, Region, Vector, Voxel, VoxelGrid, Voxelize};

impl<X: Voxel> BrickSet<X> {
    /// The voxels that any of many regions meets, by the grid's rule; with the feature `rayon` on
    /// several threads.
    ///
    /// ```
    /// use orthant::{BrickSet, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let balls = [0.0, 3.0, 90.0].map(|x| Sphere::new([x, 0.5, 0.5], 2.0));
    /// let set = BrickSet::from_regions(&grid, &balls);
    /// assert_eq!(set.components(orthant::Adjacency::Faces).len(), 2);
    /// ```
    ///
    /// # Complexity
    ///
    /// Spheres, ellipsoids and their surfaces and shells, by the rules
    /// [`Closed`](crate::Rule::Closed) and, if solid, [`CenterInside`](crate::Rule::CenterInside):
    /// O(n log n) and about a quarter of a nanosecond for each voxel of the boxes around them. Others as
    /// [`insert_region`](Self::insert_region).
    ///
    /// # Panics
    ///
    /// Where [`try_from_regions`](Self::try_from_regions) returns an error.
    #[must_use]
    #[track_caller]
    pub fn from_regions<V, R>(grid: &VoxelGrid<V>, regions: &[R]) -> Self
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V> + Clone + Sync,
    {
        let made = Self::try_from_regions(grid, regions);
        made.unwrap_or_else(|error| panic!("BrickSet: {error}"))
    }

    /// The voxels that any of many regions meets, by the grid's rule.
    ///
    /// # Errors
    ///
    /// If a region reaches beyond the range of indices, the rule cannot be asked of it, or there are more
    /// than `u32` indices can name.
    pub fn try_from_regions<V, R>(grid: &VoxelGrid<V>, regions: &[R]) -> Result<Self, Error>
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V> + Clone + Sync,
    {
        check_count(regions.len())?;
        let mut blocks = Vec::new();
        parallel::fill(&mut blocks, regions.len(), 1 << 5, |i| {
            block_of(grid, &regions[i])
        });
        let mut whole = Vec::with_capacity(blocks.len());
        for (region, block) in blocks.into_iter().enumerate() {
            whole.push(block.map_err(|error| match error {
                Error::OutOfRange { axis, value } => Error::RegionOutOfRange {
                    region,
                    axis,
                    value,
                },
                error => error,
            })?);
        }
        if !regions.iter().all(|region| canvas::can_draw(grid, region)) {
            return Ok(Self::united(grid, regions));
        }
        Ok(drawn(grid, regions, &whole))
    }

    /// One region after the other, and halves of them at once: what of it is done on which thread does
    /// not matter to a union.
    fn united<V, R>(grid: &VoxelGrid<V>, regions: &[R]) -> Self
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V> + Clone + Sync,
    {
        const FEW: usize = 16;
        if regions.len() <= FEW {
            let mut set = Self::new();
            for region in regions {
                set.insert_region(grid, region.clone());
            }
            return set;
        }
        let (low, high) = regions.split_at(regions.len() / 2);
        let (mut set, other) =
            parallel::join(|| Self::united(grid, low), || Self::united(grid, high));
        set |= &other;
        set
    }
}

/// The voxels that a region may meet.
fn block_of<V, R>(grid: &VoxelGrid<V>, region: &R) -> Result<Block<V::Voxel>, Error>
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Clone,
{
    let block = around(grid, region)?;
    let is_last =
        (0..V::DIM).any(|a| block.start.axis(a) == i32::MIN || block.end.axis(a) == i32::MAX);
    // Near the last indices, and of other rules, the listing knows best what it refuses.
    if is_last || !canvas::can_draw(grid, region) {
        grid.try_spans(region.clone()).map(drop)?;
    }
    Ok(block)
}

fn drawn<V, R>(grid: &VoxelGrid<V>, regions: &[R], blocks: &[Block<V::Voxel>]) -> BrickSet<V::Voxel>
where
    V: Vector,
    R: Voxelize + Region<Vector = V> + Clone + Sync,
{
    let mut meetings: Vec<(Key, u32)> = Vec::with_capacity(2 * blocks.len());
    let met = |(_, block): &(u32, &Block<V::Voxel>)| !block.is_empty();
    for (region, block) in (0..).zip(blocks).filter(met) {
        let tiles = |a: usize| block.start.axis(a) >> 6..=(block.end.axis(a) - 1) >> 6;
        for z in tiles(2) {
            for y in tiles(1) {
                meetings.extend(tiles(0).map(|x| (Key::at([x, y, z]), region)));
            }
        }
    }
    parallel::sort(&mut meetings);
    let runs: Vec<&[(Key, u32)]> = meetings.chunk_by(|a, b| a.0 == b.0).collect();
    let mut tiles: Vec<(Key, Tile)> = Vec::new();
    parallel::fill(&mut tiles, runs.len(), GRAIN, |i| {
        let key = runs[i][0].0;
        let mut canvas = Canvas::new(key);
        for &(_, region) in runs[i] {
            let region = region as usize;
            canvas.draw(
                grid,
                &regions[region],
                array(blocks[region].start),
                array(blocks[region].end),
            );
        }
        (key, canvas.into_tile())
    });
    let mut set = Set::new();
    set.tiles = tiles
        .into_iter()
        .filter(|(_, tile)| !tile.is_empty())
        .collect();
    set.into()
}
