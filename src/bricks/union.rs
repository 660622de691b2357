//! The union of many regions: those of each tile are drawn on a canvas of their own, in parallel.
//!
//! A canvas is the voxels of one tile as rows of 64 bits. A round shape is drawn by tables: on each axis
//! the squares that a cell adds to the shared distance expressions are computed once, and their sums are
//! compared for sixteen cells of a row at a time. The ends of rows are not searched for, so that there are no
//! branches, and every bit is the predicate's own answer.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::mask::{self, NONE};
use super::set::Set;
use super::tile::{Key, Tile};
use super::{BrickSet, array};
use crate::error::{Error, headroom, or_panic, reserve};
use crate::kernels::kernels;
use crate::lattice::{Block, Lattice};
use crate::overlap::lanes::Plain;
use crate::overlap::{Region, Relation, check_count};
use crate::parallel;
use crate::simd::{InstructionSet, LANES, Wide, run};
use crate::vector::{Scalar, Space, Vector, Voxel};
use crate::voxel::{Round, Rule, VoxelGrid, Voxelize, around};

impl<X: Voxel + Space> BrickSet<X> {
    /// The voxels that any of many regions meets, by the grid's rule. It uses several threads with the feature
    /// `rayon`.
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
    /// Spheres, ellipsoids and their surfaces and shells, by the rules [`Closed`](crate::Rule::Closed) and, if solid,
    /// [`CenterInside`](crate::Rule::CenterInside): O(n log n) and about a quarter of a nanosecond for each voxel of
    /// the boxes around them. Other regions cost as much as by [`insert_region`](Self::insert_region).
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
        or_panic("BrickSet", made)
    }

    /// The voxels that any of many regions meets, by the grid's rule.
    ///
    /// # Errors
    ///
    /// If a region reaches beyond the range of indices, the rule needs distances that it does not know, or there are
    /// more regions than `u32` can number. And [`Error::OutOfMemory`].
    pub fn try_from_regions<V, R>(grid: &VoxelGrid<V>, regions: &[R]) -> Result<Self, Error>
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V> + Clone + Sync,
    {
        check_count(regions.len())?;
        // Check each region, and find the voxels that it may meet.
        let mut blocks = Vec::new();
        parallel::fill(&mut blocks, regions.len(), 1 << 5, |i| {
            let block = around(grid, &regions[i])?;
            let is_last = |a| block.start.axis(a) == i32::MIN || block.end.axis(a) == i32::MAX;
            // Near the last indices, and for regions that cannot be drawn, the listing itself checks.
            if (0..3).any(is_last) || !can_draw(grid, &regions[i]) {
                grid.check(&regions[i])?;
            }
            Ok(block)
        });
        let named = |(region, block): (usize, Result<_, Error>)| {
            block.map_err(|error| match error {
                Error::OutOfRange { axis, value } => Error::RegionOutOfRange {
                    region,
                    axis,
                    value,
                },
                error => error,
            })
        };
        let blocks: Vec<_> = (0..).zip(blocks).map(named).collect::<Result<_, _>>()?;
        if regions.iter().all(|region| can_draw(grid, region)) {
            return drawn(grid, regions, &blocks);
        }
        Self::united(grid, regions)
    }

    /// Inserts the regions into one set if they are few. Otherwise unites the sets of both halves, which are made at once if possible, so
    /// that few sets exist at a time.
    fn united<V, R>(grid: &VoxelGrid<V>, regions: &[R]) -> Result<Self, Error>
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V> + Clone + Sync,
    {
        const FEW: usize = 16;
        let mut set = Self::new();
        if regions.len() <= FEW {
            for region in regions {
                set.try_insert_region(grid, region.clone())?;
            }
            return Ok(set);
        }
        let (low, high) = regions.split_at(regions.len() / 2);
        let halves = parallel::join(|| Self::united(grid, low), || Self::united(grid, high));
        set = halves.0?;
        set.try_unite(&halves.1?)?;
        Ok(set)
    }
}

/// Draws the regions on a canvas for each tile, several at once.
fn drawn<V, R>(
    grid: &VoxelGrid<V>,
    regions: &[R],
    blocks: &[Block<V::Voxel>],
) -> Result<BrickSet<V::Voxel>, Error>
where
    V: Vector<Voxel: Space>,
    R: Voxelize + Region<Vector = V> + Clone + Sync,
{
    // List the tiles that each region may meet.
    let mut meetings: Vec<(Key, u32)> = Vec::new();
    let met = |(_, block): &(u32, &Block<V::Voxel>)| !block.is_empty();
    for (region, block) in (0..).zip(blocks).filter(met) {
        let tiles = |a: usize| block.start.axis(a) >> 6..((block.end.axis(a) - 1) >> 6) + 1;
        let [xs, ys, zs] = [0, 1, 2].map(tiles);
        // Too many are refused before any is listed.
        let many = xs.len().saturating_mul(ys.len()).saturating_mul(zs.len());
        reserve(&mut meetings, many)?;
        for z in zs {
            for y in ys.clone() {
                meetings.extend(xs.clone().map(|x| (Key::at([x, y, z]), region)));
            }
        }
    }
    // Draw the regions of each tile.
    parallel::sort(&mut meetings);
    let mut runs = Vec::new();
    for run in meetings.chunk_by(|a, b| a.0 == b.0) {
        reserve(&mut runs, 1)?;
        runs.push(run);
    }
    let draw_tile = |at: Range<usize>| {
        let run = runs[at.start];
        let mut canvas = Canvas::new(run[0].0)?;
        for &(_, region) in run {
            let region = region as usize;
            let Block { start, end } = blocks[region];
            canvas.draw(grid, &regions[region], array(start), array(end));
        }
        Ok((run[0].0, canvas.into_tile()?))
    };
    let mut set = Set::new();
    parallel::try_parts(runs.len(), 1, &draw_tile, &mut |(key, tile)| {
        set.insert_tile(key, tile)
    })?;
    Ok(set.into())
}

/// The voxels of a tile on each axis.
const SIDE: usize = 64;

/// Whether a region is a round shape that can be drawn on a canvas by the grid's rule.
#[inline]
fn can_draw<V, R>(grid: &VoxelGrid<V>, region: &R) -> bool
where
    V: Vector,
    R: Voxelize + Region<Vector = V>,
{
    let Some(Plain::Ball(ball)) = region.plain() else {
        return false;
    };
    match grid.rule() {
        Rule::Closed => true,
        Rule::CenterInside => !ball.hollow,
        _ => false,
    }
}

/// The voxels of a tile, as rows.
#[derive(Debug)]
pub struct Canvas {
    /// The first voxel.
    start: [i64; 3],
    /// A word for each row along axis 0, by z and y.
    rows: Box<[u64]>,
}

impl Canvas {
    fn new(tile: Key) -> Result<Self, Error> {
        headroom()?;
        Ok(Self {
            start: tile.indices().map(|index| i64::from(index) << 6),
            rows: vec![0; SIDE * SIDE].into(),
        })
    }

    /// Draws the part in this tile of a region that can be drawn; `start` and `end` are those of a block around
    /// the region.
    fn draw<V, R>(&mut self, grid: &VoxelGrid<V>, region: &R, start: [i32; 3], end: [i32; 3])
    where
        V: Vector,
        R: Voxelize + Region<Vector = V>,
    {
        let side = SIDE as i64;
        let within = |a: usize, index: i32| (i64::from(index) - self.start[a]).clamp(0, side);
        let block = [0, 1, 2].map(|a| within(a, start[a]) as usize..within(a, end[a]) as usize);
        // A tile that lies inside or outside as a whole needs no drawing.
        let lattice = grid.lattice();
        if block == [0..SIDE, 0..SIDE, 0..SIDE] {
            let face = |up: i64| V::from_fn(|a| lattice.face(a, self.start[a] + up));
            let relation = region.relate(&crate::shape::Aabb::from_corners(face(0), face(side)));
            match relation {
                Relation::Outside => return,
                Relation::Inside => return self.rows.fill(!0),
                Relation::Straddles => {}
            }
        }
        let by_center = grid.rule() == Rule::CenterInside;
        match Round::new(region, grid.rule()) {
            Some(round) => V::Scalar::draw(self, block, by_center, &lattice, &round),
            None => debug_assert!(false, "a region that cannot be drawn"),
        }
    }

    /// Draws the voxels in a block of the tile that lie within the limit of a round shape, and not within its hole.
    fn draw_round<S: Scalar>(
        &mut self,
        block: [Range<usize>; 3],
        by_center: bool,
        lattice: &Lattice<S>,
        round: &Round<S>,
    ) {
        let (hole, far) = (round.hole, S::INFINITY);
        let mut table = Table {
            // Beyond the last cell nothing is met.
            near: [[far; SIDE + LANES]; 3],
            far: [[far; SIDE + LANES]; 3],
            limit: round.limit,
            hole: hole.unwrap_or_default(),
            block,
        };
        for axis in 0..3 {
            for i in table.block[axis].clone() {
                let index = self.start[axis] + i as i64;
                let (lo, hi) = if by_center {
                    let middle = lattice.middle(axis, index);
                    (middle, middle)
                } else {
                    (lattice.face(axis, index), lattice.face(axis, index + 1))
                };
                let near = round.near_on(axis, lo, hi);
                table.near[axis][i] = near * near;
                if hole.is_some() {
                    let far = round.far_on(axis, lo, hi);
                    table.far[axis][i] = far * far;
                }
            }
        }
        let (set, rows) = (InstructionSet::best(), &mut self.rows);
        if hole.is_some() {
            run!(up_to_avx2(set), |simd| draw::<_, true, _>(
                simd, &table, rows
            ));
        } else {
            run!(up_to_avx2(set), |simd| draw::<_, false, _>(
                simd, &table, rows
            ));
        }
    }

    /// Converts the rows to bricks.
    fn into_tile(self) -> Result<Tile, Error> {
        let mut masks = [NONE; 8];
        // A word of the canvas is a row of eight bricks.
        let layers = (0..64).flat_map(|line| {
            let first = (line >> 3) * 8 * SIDE + (line & 7) * 8;
            for z in 0..8 {
                let rows = &self.rows[first + z * SIDE..];
                let rows = rows.first_chunk().expect("eight rows of a brick");
                for (mask, word) in masks.iter_mut().zip(mask::transposed(*rows)) {
                    mask[z] = word;
                }
            }
            let place = move |(x, mask)| (line << 3 | x, mask);
            masks.into_iter().enumerate().map(place)
        });
        Tile::from_bricks(layers)
    }
}

kernels! {
    /// The kernel that draws round shapes.
    pub trait Kernels for scalars {
        fn draw(
            canvas: &mut Canvas, block: [Range<usize>; 3], by_center: bool, lattice: &Lattice<Self>, round: &Round<Self>,
        ) = Canvas::draw_round;
    }
}

/// The squared distances of cells on each axis.
struct Table<S> {
    block: [Range<usize>; 3],
    near: [[S; SIDE + LANES]; 3],
    far: [[S; SIDE + LANES]; 3],
    limit: S,
    hole: S,
}

/// Draws the voxels within the limit:
///
/// ```text
/// for each sixteen x, each y, each z:
///     near = near_x + near_y + near_z
///     bits of row (y, z) |= near <= limit [and hole <= far], from x on
/// ```
#[inline(always)]
fn draw<T: Scalar, const HOLLOW: bool, S: Simd>(simd: S, table: &Table<T>, rows: &mut [u64]) {
    let [xs, ys, zs] = &table.block;
    let limit = <T::Wide<S>>::splat(simd, table.limit);
    let hole = <T::Wide<S>>::splat(simd, table.hole);
    let rows: &mut [u64; SIDE * SIDE] = rows.first_chunk_mut().expect("a whole tile");
    for x in xs.clone().step_by(LANES) {
        let near_x = <T::Wide<S>>::load(simd, chunk(&table.near[0], x));
        let far_x = <T::Wide<S>>::load(simd, chunk(&table.far[0], x));
        for y in ys.clone() {
            let near_xy = near_x + <T::Wide<S>>::splat(simd, table.near[1][y]);
            let far_xy = far_x + <T::Wide<S>>::splat(simd, table.far[1][y]);
            for z in zs.clone() {
                let near = near_xy + <T::Wide<S>>::splat(simd, table.near[2][z]);
                let mut met = near.at_most(limit);
                if HOLLOW {
                    let far = far_xy + <T::Wide<S>>::splat(simd, table.far[2][z]);
                    met = met & hole.at_most(far);
                }
                rows[z << 6 | y] |= u64::from(met.bits(simd)) << x;
            }
        }
    }
}

#[inline(always)]
fn chunk<S>(table: &[S; SIDE + LANES], from: usize) -> &[S; LANES] {
    table[from..]
        .first_chunk()
        .expect("sixteen more than cells")
}
