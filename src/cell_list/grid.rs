//! The grid: how space is cut into cells, and which cells may hold neighbors.
//!
//! Cells are a little longer than the radius, so that neighbors lie in cells that touch, even though a point's
//! cell is computed with rounding. A periodic box is cut into whole cells, which may have to be longer;
//! where the box is shorter than the radius, more cells are searched.
//! The points of a block of cells lie in its bounds, which are wider than the cells by a margin.

use super::rounding::{outside, reach};
use crate::lattice::{Block, ceil, floor};
use crate::periodic::{Periodic, least_and_most};
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector, Voxel};

/// The fraction of the radius by which cells are longer. Each of two places may be wrong by half of it.
const MARGIN: f64 = 1.0 / 250.0;

/// The number of cells on an axis up to which places computed in the scalar are wrong by at most 2^-9 of a cell: in
/// `f32` and in `f64`.
const FEW: [f64; 2] = [8192.0, 4e6];

/// The largest number of cells on an axis. On longer axes, cells are longer than the radius requires.
const MOST: f64 = (1 << 30) as f64;

/// The cells of a grid.
#[derive(Clone, Debug)]
pub(super) struct Grid<V: Vector> {
    /// The bounds of the points.
    pub(super) bounds: Aabb<V>,
    /// The corner of cell 0.
    pub(super) origin: [f64; 4],
    /// The coordinates of a place in cells: a row for each axis.
    pub(super) matrix: [[f64; 4]; 4],
    /// The edges of a cell: a row for each.
    edges: [[f64; 4]; 4],
    /// True if cells are not aligned with the axes.
    pub(super) skewed: bool,
    /// How far the points of skewed cells may lie outside of them on each axis, since places are rounded.
    outside: [f64; 4],
    /// The most by which the corners of two skewed cells may be apart on each axis if these hold neighbors.
    apart: [f64; 4],
    /// True if places may be computed in the scalar of the points.
    pub(super) in_scalar: bool,
    /// The number of cells on each axis, 1 beyond the last axis.
    pub(super) dims: [i32; 4],
    pub(super) periodic: [bool; 4],
    /// How many cells away neighbors may be on each axis.
    pub(super) reach: [i32; 4],
    /// True if cells are numbered, with a ring of empty ones around; otherwise only those that hold points are kept.
    pub(super) dense: bool,
    /// The difference between the numbers of adjacent cells on each axis.
    pub(super) strides: [usize; 4],
}

impl<V: Vector> Grid<V> {
    /// The grid for a number of points within bounds.
    pub(super) fn new(
        bounds: Aabb<V>,
        many: usize,
        radius: V::Scalar,
        periodic: Option<&Periodic<V>>,
    ) -> Self {
        let reach = reach(&bounds, radius, periodic);
        let lattice = periodic.map(|periodic| &periodic.lattice);
        let mut grid = Self {
            bounds,
            origin: [0.0; 4],
            matrix: [[0.0; 4]; 4],
            edges: [[0.0; 4]; 4],
            skewed: periodic.is_some_and(Periodic::is_skewed),
            outside: [0.0; 4],
            apart: [0.0; 4],
            in_scalar: true,
            dims: [1; 4],
            periodic: [false; 4],
            reach: [0; 4],
            dense: true,
            strides: [0; 4],
        };
        // The origin, and the length of the grid on each axis.
        let mut lengths = [0.0; 4];
        for (a, length) in lengths.iter_mut().enumerate().take(V::DIM) {
            let (min, max): (f64, f64) = (bounds.min().axis(a).into(), bounds.max().axis(a).into());
            grid.origin[a] = min;
            *length = (max - min).min(f64::MAX);
            if let Some(lattice) = lattice
                && lattice.is_periodic(a)
            {
                grid.periodic[a] = true;
                grid.origin[a] = lattice.origin[a];
                *length = lattice.heights[a];
            }
        }
        if let Some(periodic) = periodic.filter(|_| grid.skewed) {
            lengths = grid.open_lengths(periodic, lengths);
            grid.outside = outside(&bounds, periodic);
        }
        // The edge: the radius with a margin, or a little more if that makes the cells few enough.
        let most = (4.0 * many as f64 + 4096.0).min(2e9);
        let wanted = reach.map(|reach| reach * (1.0 + MARGIN));
        let longest = wanted[..V::DIM].iter().copied().fold(0.0, f64::max);
        let fits = |edge: &f64| {
            let dims = grid.dims_of(&lengths, *edge);
            dims.iter().map(|dim| dim + 2.0).product::<f64>() <= most
        };
        let mut edges = core::iter::successors(Some(longest), |edge| Some(edge * 1.1)).take(8);
        let edge = edges.find(fits);
        grid.dense = edge.is_some();
        let edge = edge.unwrap_or(longest);
        let dims = grid.dims_of(&lengths, edge);
        // Whether places may be computed in the scalar of the points.
        let largest = V::Scalar::MAX.into() / 4.0;
        let few = FEW[usize::from(V::Scalar::EPSILON.into() < 1e-12)];
        grid.in_scalar = dims.iter().all(|&dim| dim <= few)
            && lengths.iter().all(|&length| length < largest)
            && !grid.skewed;
        // The cells of each axis.
        for a in 0..V::DIM {
            grid.dims[a] = dims[a] as i32;
            let step = if grid.periodic[a] {
                lengths[a] / dims[a]
            } else {
                // Longer on an axis that has reached `MOST`: otherwise the cells would not reach its end.
                edge.max(lengths[a] / dims[a])
            };
            grid.reach[a] = ceil(wanted[a].min(f64::MAX) / step).max(1) as i32;
            let Some(lattice) = lattice.filter(|_| grid.skewed) else {
                grid.matrix[a][a] = 1.0 / step;
                grid.edges[a][a] = step;
                continue;
            };
            let (row, edge) = (lattice.inverse[a], lattice.edge(a));
            (grid.matrix[a], grid.edges[a]) = if grid.periodic[a] {
                (row.map(|x| x * dims[a]), edge.map(|x| x / dims[a]))
            } else {
                (row.map(|x| x / step), edge.map(|x| x * step))
            };
        }
        if grid.skewed {
            for b in 0..V::DIM {
                let lengths: f64 = grid.edges.iter().map(|edge| edge[b].abs()).sum();
                grid.apart[b] = wanted[b] + lengths * (1.0 + MARGIN) + 2.0 * grid.outside[b];
            }
        }
        // The strides of the numbers of cells.
        let mut stride = 1;
        for a in 0..4 {
            grid.strides[a] = stride;
            if a < V::DIM && grid.dense {
                stride *= grid.dims[a] as usize + 2;
            }
        }
        grid
    }

    /// The first and last step along axis 0 to cells that may hold neighbors, given the steps on the other axes;
    /// `None` if there are none. Skewed cells may be much longer than thick, so that these steps lie to one side.
    pub(super) fn steps_to_neighbors(&self, steps: [i32; 4]) -> Option<(i32, i32)> {
        let (mut first, mut last) = (-i64::from(self.reach[0]), i64::from(self.reach[0]));
        for b in (0..V::DIM).filter(|_| self.skewed) {
            let part = |a: usize| f64::from(steps[a]) * self.edges[a][b];
            let (aside, edge) = ((1..V::DIM).map(part).sum::<f64>(), self.edges[0][b]);
            if edge == 0.0 {
                if aside.abs() > self.apart[b] {
                    return None;
                }
                continue;
            }
            let (middle, half) = (-aside / edge, self.apart[b] / edge.abs());
            first = first.max(ceil(middle - half));
            last = last.min(floor(middle + half));
        }
        (first <= last).then_some((first as i32, last as i32))
    }

    /// The lengths of the grid of a skewed box: its heights and, on open axes, the extent of the points. Moves the
    /// corner of cell 0 to where the points begin.
    fn open_lengths(&mut self, periodic: &Periodic<V>, heights: [f64; 4]) -> [f64; 4] {
        let lattice = &periodic.lattice;
        for a in 0..V::DIM {
            self.origin[a] = lattice.origin[a];
        }
        let mut lengths = heights;
        for a in (0..V::DIM).filter(|&a| !self.periodic[a]) {
            let (row, origin) = (&lattice.inverse[a], &lattice.origin);
            let (least, most) = least_and_most(row, origin, &self.bounds);
            lengths[a] = most - least;
            for (origin, x) in self.origin.iter_mut().zip(lattice.edge(a)) {
                *origin += least * x;
            }
        }
        lengths
    }

    /// The number of cells of at least an edge length on each axis.
    fn dims_of(&self, lengths: &[f64; 4], edge: f64) -> [f64; 4] {
        let mut dims = [1.0; 4];
        for a in 0..V::DIM {
            let cells = floor((lengths[a] / edge).min(MOST)) as f64;
            // The last point may lie in a cell of its own, unless the axis is periodic.
            dims[a] = if self.periodic[a] {
                cells.max(1.0)
            } else {
                cells + 1.0
            };
        }
        dims
    }

    /// The number of cells of a dense grid and of the ring around it.
    pub(super) fn cells(&self) -> usize {
        (0..V::DIM).map(|a| self.dims[a] as usize + 2).product()
    }

    /// The cell of a point, or the one nearest to it; `ring` cells outside of the grid count too, on
    /// axes that are not periodic.
    pub(super) fn cell(&self, point: V, ring: i32) -> [i32; 4] {
        let mut cell = [0; 4];
        for (a, cell) in cell.iter_mut().enumerate().take(V::DIM) {
            let ring = if self.periodic[a] { 0 } else { ring };
            let place = floor(self.place(point, a));
            *cell = place.clamp(-i64::from(ring), i64::from(self.dims[a] - 1 + ring)) as i32;
        }
        cell
    }

    /// The place of a point on an axis, in cells.
    pub(super) fn place(&self, point: V, axis: usize) -> f64 {
        let from = |b: usize| point.axis(b).into() - self.origin[b];
        if !self.skewed {
            return from(axis) * self.matrix[axis][axis];
        }
        (0..V::DIM).map(|b| from(b) * self.matrix[axis][b]).sum()
    }

    /// The number of a cell of a dense grid.
    pub(super) fn number(&self, cell: [i32; 4]) -> u32 {
        let number = |a: usize| (cell[a] + 1) as usize * self.strides[a];
        (0..V::DIM).map(number).sum::<usize>() as u32
    }

    /// The cell at a place of `starts`. In a dense grid the place is its number; otherwise `keys` has its key there.
    pub(super) fn cell_at(&self, place: usize, keys: &[u128]) -> [i32; 4] {
        let mut cell = [0; 4];
        let mut rest = place;
        for (a, cell) in cell.iter_mut().enumerate().take(V::DIM) {
            if !self.dense {
                *cell = (keys[place] >> (32 * a)) as u32 as i32 - 2;
                continue;
            }
            let dim = self.dims[a] as usize + 2;
            *cell = (rest % dim) as i32 - 1;
            rest /= dim;
        }
        cell
    }

    /// A key that orders cells as their numbers in a dense grid would. Cells up to two outside of the grid have
    /// one, too.
    pub(super) fn key(&self, cell: [i32; 4]) -> u128 {
        let part = |a: usize| ((cell[a] + 2) as u128) << (32 * a);
        (0..V::DIM).map(part).sum()
    }

    /// True if the cells of a block follow each other in memory, with no others in between.
    pub(super) fn is_run(&self, block: &Block<V::Voxel>) -> bool {
        let last = (0..V::DIM).rev().find(|&a| block.range(a).len() > 1);
        (0..last.unwrap_or(0)).all(|a| block.range(a) == (0..self.dims[a]))
    }

    /// The cells that hold all points within a distance of a box; `None` if they are not aligned with
    /// the axes.
    #[inline(always)]
    pub(super) fn around(&self, low: V, high: V, radius: V::Scalar) -> Option<Block<V::Voxel>> {
        let [reach, ..] = reach(&self.bounds, radius, None);
        // Add the distance before the conversion to cells: infinite numbers of cells of opposite sign have no sum.
        let cell = |corner: V, axis: usize, way: f64| {
            let from = corner.axis(axis).into() - self.origin[axis];
            let at = (from + way * reach) * self.matrix[axis][axis] + way * MARGIN;
            floor(at).clamp(0, i64::from(self.dims[axis]) - 1) as i32
        };
        (!self.skewed).then(|| {
            if reach == f64::INFINITY {
                return self.block();
            }
            Block {
                start: V::Voxel::from_fn(|a| cell(low, a, -1.0)),
                end: V::Voxel::from_fn(|a| cell(high, a, 1.0) + 1),
            }
        })
    }

    /// All cells.
    pub(super) fn block(&self) -> Block<V::Voxel> {
        Block {
            start: V::Voxel::from_fn(|_| 0),
            end: V::Voxel::from_fn(|a| self.dims[a]),
        }
    }

    /// A box around the points that a block of cells may hold.
    pub(super) fn bounds_of(&self, block: &Block<V::Voxel>) -> Aabb<V> {
        // The coordinate up to which points may lie on an axis, in one direction.
        let face = |b: usize, up: bool| {
            let (least, most) = (self.bounds.min().axis(b), self.bounds.max().axis(b));
            // The outermost cells reach to the bounds of all points.
            let ends = block.range(b);
            if !self.skewed && !up && ends.start == 0 {
                return least;
            }
            if !self.skewed && up && ends.end == self.dims[b] {
                return most;
            }
            // The face of the block, or of the box around a skewed one, with a margin.
            let outside = self.outside[b];
            let from = self.origin[b] + if up { outside } else { -outside };
            let face = (0..V::DIM).fold(from, |face, a| {
                let (ends, edge) = (block.range(a), self.edges[a][b]);
                let far = if (edge > 0.0) == up {
                    f64::from(ends.end) + MARGIN
                } else {
                    f64::from(ends.start) - MARGIN
                };
                face + far * edge
            });
            let face = V::Scalar::from_f64(face);
            let face = if up {
                face.next_up().next_up()
            } else {
                face.next_down().next_down()
            };
            face.larger(least).smaller(most)
        };
        Aabb::from_corners(
            V::from_fn(|axis| face(axis, false)),
            V::from_fn(|axis| face(axis, true)),
        )
    }
}
