//! The voxels of a region as an octree that is not stored would show them.

use core::cmp::Reverse;
use core::iter::FusedIterator;

use smallvec::SmallVec;

use super::halving::{around, refuse_unknown};
use super::{VoxelGrid, Voxelize};
use crate::error::Error;
use crate::overlap::{Region, Relation};
use crate::shape::Aabb;
use crate::vector::{Vector, Voxel};

type VectorOf<R> = <R as Region>::Vector;
type VoxelOf<R> = <VectorOf<R> as Vector>::Voxel;

/// An aligned cube of voxels, all of which a region meets, from [`VoxelGrid::cells`].
///
/// Its edge is `2^level` voxels, of which its indices are multiples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell<X> {
    /// The voxel with the least indices.
    pub first: X,
    /// 0 of a single voxel; twice the edge with each more.
    pub level: u32,
    /// Whether it lies within the region, which the surface does not cut.
    pub is_inside: bool,
}

impl<X: Voxel> Cell<X> {
    /// The place of the first voxel along the Morton curve: the bits of its indices, their signs turned
    /// round, by turns from the highest of the last axis to the lowest of axis 0.
    ///
    /// ```
    /// use orthant::{Aabb, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f64, 0.0], 1.0);
    /// let solid = Aabb::new([0.5, 0.5], [3.5, 3.5]);
    /// let codes = grid.cells(solid).map(|cell| cell.morton() & 0xff);
    /// assert!(codes.eq(0..16));
    /// ```
    #[must_use]
    pub fn morton(&self) -> u128 {
        let mut code = 0;
        for bit in (0..32).rev() {
            for a in (0..X::DIM).rev() {
                let biased = self.first.axis(a) as u32 ^ 1 << 31;
                code = code << 1 | u128::from(biased >> bit & 1);
            }
        }
        code
    }
}

/// The cells of a region, from [`VoxelGrid::cells`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Cells<R: Voxelize> {
    grid: VoxelGrid<VectorOf<R>>,
    region: R,
    /// Indices divided by the edge, and the level; the next one last.
    pending: SmallVec<[(VoxelOf<R>, u32); 64]>,
}

impl<R: Voxelize> Cells<R> {
    pub(super) fn new(grid: &VoxelGrid<VectorOf<R>>, region: R) -> Result<Self, Error> {
        let block = around(grid, &region)?;
        refuse_unknown(grid, &region)?;
        let mut pending = SmallVec::<[(VoxelOf<R>, u32); 64]>::new();
        if !block.is_empty() {
            let (start, last) = (block.start, |a| block.end.axis(a) - 1);
            let dim = VectorOf::<R>::DIM;
            let apart = |a, level: &u32| (last(a) >> level).abs_diff(start.axis(a) >> level);
            let reaches = |level: &u32| (0..dim).all(|a| apart(a, level) <= 1);
            let level = (0..31).find(reaches).unwrap_or(31);
            // At most two on each axis.
            for corner in 0..1 << dim {
                let upper = |a: usize| corner >> a & 1 == 1;
                let twice = |a: usize| last(a) >> level != start.axis(a) >> level;
                if (0..dim).all(|a| twice(a) || !upper(a)) {
                    let at = |a| (start.axis(a) >> level) + i32::from(upper(a));
                    pending.push((Voxel::from_fn(at), level));
                }
            }
            // Not always halves of one cell.
            pending.sort_by_key(|&(at, level)| Reverse(corner_of(at, level).morton()));
        }
        Ok(Self {
            grid: *grid,
            region,
            pending,
        })
    }

    /// How the region lies to a cell; outside the window it lies to none.
    fn relate(&self, at: VoxelOf<R>, level: u32) -> Relation {
        let lattice = self.grid.lattice();
        // One past the last is beyond `i32` at the end of the range.
        let index = |a: usize, step: i64| (i64::from(at.axis(a)) + step) << level;
        let axes = 0..VectorOf::<R>::DIM;
        let mut is_whole = true;
        if let Some(window) = self.grid.window {
            for a in axes {
                let (start, end) = (window.start.axis(a).into(), window.end.axis(a).into());
                if index(a, 1) <= start || end <= index(a, 0) {
                    return Relation::Outside;
                }
                is_whole &= start <= index(a, 0) && index(a, 1) <= end;
            }
        }
        let face = |step| VectorOf::<R>::from_fn(|a| lattice.face(a, index(a, step)));
        let bounds = Aabb::from_corners(face(0), face(1));
        match self.region.relate_voxels(&self.grid.criterion(), &bounds) {
            Relation::Inside if !is_whole => Relation::Straddles,
            relation => relation,
        }
    }
}

/// The cell with given indices, divided by its edge.
fn corner_of<X: Voxel>(at: X, level: u32) -> Cell<X> {
    Cell {
        first: X::from_fn(|a| at.axis(a) << level),
        level,
        is_inside: false,
    }
}

impl<R: Voxelize> Iterator for Cells<R> {
    type Item = Cell<VoxelOf<R>>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((at, level)) = self.pending.pop() {
            let relation = self.relate(at, level);
            let (is_inside, is_voxel) = (relation == Relation::Inside, level == 0);
            let is_met = || self.region.meets(&self.grid.criterion(), at);
            if relation == Relation::Outside {
                continue;
            }
            if is_inside || is_voxel {
                if is_inside || is_met() {
                    return Some(Cell {
                        is_inside,
                        ..corner_of(at, level)
                    });
                }
                continue;
            }
            for corner in (0..1 << VectorOf::<R>::DIM).rev() {
                let half = |a: usize| at.axis(a) << 1 | (corner >> a & 1);
                self.pending.push((Voxel::from_fn(half), level - 1));
            }
        }
        None
    }
}

impl<R: Voxelize> FusedIterator for Cells<R> {}
