//! Points in the order of their cells.
//!
//! ```text
//! make a key of each point: the number of its cell, then its own index
//! sort the keys (a radix sort)
//! a cell starts where the number changes; bring coordinates and indices into the order of the keys
//! ```
//!
//! Where the grid would have too many cells to number, the keys are sorted axis by axis, and only the cells that hold points are kept.

use alloc::vec::Vec;
use core::ops::Range;

use super::grid::Grid;
use crate::lattice::Block;
use crate::parallel::{self, GRAIN};
use crate::simd::LANES;
use crate::sort::sort_with;
use crate::vector::{Scalar, Vector};

/// The number of coordinates that are brought into the order of the keys together.
const PIECE: usize = 1 << 10;

/// The points of a grid, cell by cell, in columns.
#[derive(Clone, Debug)]
pub struct Buckets<V: Vector> {
    /// The slot at which each cell's points start, and at the end the number of points.
    pub(super) starts: Vec<u32>,
    /// The keys of the cells that hold points, in a grid that is not dense.
    pub(super) keys: Vec<u128>,
    /// A column of coordinates for each axis, and then one of sizes if points have any. Each column is sixteen numbers
    /// longer than there are points, so that blocks may be read past the end.
    pub(super) columns: Vec<V::Scalar>,
    /// The index of each point, with the padding of a column.
    pub(super) indices: Vec<u32>,
    len: usize,
    /// Memory for the sort, which is kept for the next `fill`.
    memory: Vec<u64>,
}

impl<V: Vector> Buckets<V> {
    pub(super) fn new() -> Self {
        Self {
            starts: Vec::new(),
            keys: Vec::new(),
            columns: Vec::new(),
            indices: Vec::new(),
            len: 0,
            memory: Vec::new(),
        }
    }

    /// Sorts points into the cells of a grid and, with `ring`, into the cells around it. The points of a cell keep their order.
    pub(super) fn fill(&mut self, grid: &Grid<V>, points: &[V], ring: bool) {
        let len = points.len();
        self.len = len;
        let stride = self.stride();
        self.indices.resize(stride, 0);
        self.columns.resize(V::DIM * stride, V::Scalar::ZERO);
        self.keys.clear();
        self.starts.clear();
        self.memory.resize(2 * len, 0);
        let (order, scratch) = self.memory.split_at_mut(len);
        // Sort the points by their cells, and find where each cell starts. The lower half of a key is the index of a point.
        if grid.dense {
            let keys = order.chunks_mut(GRAIN).zip(points.chunks(GRAIN));
            let mut parts: Vec<_> = keys.collect();
            parallel::for_each(len > GRAIN, &mut parts, &|part, (keys, points)| {
                number(grid, points, part * GRAIN, ring, keys);
            });
            sort_with(order, scratch);
            for (&key, slot) in order.iter().zip(0..) {
                let cell = (key >> 32) as usize;
                if cell >= self.starts.len() {
                    self.starts.resize(cell + 1, slot);
                }
            }
            self.starts.resize(grid.cells() + 1, len as u32);
        } else {
            let cell = |&point: &V| grid.key(grid.cell(point, i32::from(ring)));
            let cells: Vec<u128> = points.iter().map(cell).collect();
            sort_by_cell(&cells, order, scratch);
            for (&index, slot) in order.iter().zip(0..) {
                let cell = cells[index as usize];
                if self.keys.last() != Some(&cell) {
                    self.keys.push(cell);
                    self.starts.push(slot);
                }
            }
            self.starts.push(len as u32);
        }
        // Bring the points into this order, piece by piece, the same piece of each column together.
        let order = &*order;
        for (index, &key) in self.indices.iter_mut().zip(order) {
            *index = key as u32;
        }
        let mut pieces = Vec::new();
        for (axis, column) in self.columns.chunks_exact_mut(stride).enumerate() {
            let parts = order.chunks(PIECE).zip(column.chunks_mut(PIECE));
            pieces.extend(parts.enumerate().map(|(piece, part)| (piece, axis, part)));
        }
        pieces.sort_unstable_by_key(|&(piece, axis, _)| (piece, axis));
        parallel::for_each(len > GRAIN, &mut pieces, &|_, (_, axis, (keys, to))| {
            for (to, &key) in to.iter_mut().zip(*keys) {
                *to = points[key as u32 as usize].axis(*axis);
            }
        });
    }

    /// Appends the column of sizes, and replaces the index `i` of each point by `names[i]`. It is called once after `fill`.
    pub(super) fn set_sizes(&mut self, sizes: &[V::Scalar], names: &[u32]) {
        let some = &mut self.indices[..self.len];
        self.columns.extend(some.iter().map(|&i| sizes[i as usize]));
        self.columns.extend([V::Scalar::ZERO; LANES]);
        for index in some {
            *index = names[*index as usize];
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The length of a column with its padding.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.len + LANES
    }

    /// The column of an axis, or the column of sizes after that of the last axis.
    #[inline(always)]
    pub(super) fn column(&self, column: usize) -> &[V::Scalar] {
        let stride = self.stride();
        &self.columns[column * stride..][..stride]
    }

    #[inline(always)]
    pub(super) fn indices(&self) -> &[u32] {
        &self.indices[..self.len]
    }

    /// A function from slots to points, for loops.
    #[inline(always)]
    pub(super) fn points(&self) -> impl Fn(usize) -> V {
        let (columns, stride) = (&self.columns[..], self.stride());
        move |slot| V::from_fn(|axis| columns[axis * stride + slot])
    }

    /// The slots from the first cell of a block to its last; other cells may lie in between.
    pub(super) fn run(&self, grid: &Grid<V>, block: &Block<V::Voxel>) -> Range<u32> {
        let Block { start, end } = Block::padded(block);
        let (first, last) = (start, end.map(|end| end - 1));
        if grid.dense {
            let (first, last) = (grid.number(first), grid.number(last));
            return self.starts[first as usize]..self.starts[last as usize + 1];
        }
        let (first, last) = (grid.key(first), grid.key(last));
        let from = self.keys.partition_point(|&key| key < first);
        let to = from + self.keys[from..].partition_point(|&key| key <= last);
        self.starts[from]..self.starts[to]
    }

    /// The slots of a row of cells.
    #[inline(always)]
    pub(super) fn row(&self, grid: &Grid<V>, row: &Block<V::Voxel>) -> Range<u32> {
        if !grid.dense {
            return self.run(grid, row);
        }
        let mut first = 0;
        for a in 0..V::DIM {
            first += (row.range(a).start + 1) as usize * grid.strides[a];
        }
        self.starts[first]..self.starts[first + row.range(0).len()]
    }

    pub(super) fn bytes(&self) -> usize {
        let words = self.starts.capacity() + self.indices.capacity();
        words * size_of::<u32>()
            + self.keys.capacity() * size_of::<u128>()
            + self.columns.capacity() * size_of::<V::Scalar>()
            + self.memory.capacity() * size_of::<u64>()
    }
}

/// Sorts the indices of points by the keys of their cells, and within a cell in ascending order.
fn sort_by_cell(cells: &[u128], order: &mut [u64], scratch: &mut [u64]) {
    let mut indices: Vec<u32> = (0..cells.len() as u32).collect();
    // Sort by the 32 bits of each axis, the lowest first. The place in the order so far, in the lower half of a key, keeps the sort stable.
    for shift in [0, 32, 64, 96] {
        for ((key, &index), place) in order.iter_mut().zip(&indices).zip(0..) {
            *key = u64::from((cells[index as usize] >> shift) as u32) << 32 | place;
        }
        sort_with(order, scratch);
        for key in &mut *order {
            *key = indices[*key as u32 as usize].into();
        }
        for (index, &key) in indices.iter_mut().zip(&*order) {
            *index = key as u32;
        }
    }
}

/// Makes the keys of points in a dense grid: the number of its cell above the index of each point. With `ring`, a point outside of the grid
/// gets a cell of the ring around it.
fn number<V: Vector>(grid: &Grid<V>, points: &[V], first: usize, ring: bool, keys: &mut [u64]) {
    for ((key, &point), index) in keys.iter_mut().zip(points).zip(first as u64..) {
        let number = if grid.in_scalar && !ring {
            grid.number_in_scalar(point)
        } else {
            grid.number(grid.cell(point, i32::from(ring)))
        };
        *key = u64::from(number) << 32 | index;
    }
}
