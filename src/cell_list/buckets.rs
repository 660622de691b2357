//! Points in the order of their cells. They are sorted by counting or, where the grid would have too many cells,
//! by the keys of cells; then only the cells that hold points are kept.

use alloc::vec::Vec;
use core::ops::Range;

use super::counting_sort::{CountingSort, Slots};
use super::grid::Grid;
use crate::lattice::Block;
use crate::simd::LANES;
use crate::sort::sort_with;
use crate::vector::{Scalar, Vector};

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
    /// Memory that is kept for the next `fill`: for the counting sort, for the key of each point's cell, for the sort by keys.
    memory: (CountingSort<V>, Vec<u128>, Vec<u64>),
}

impl<V: Vector> Buckets<V> {
    pub(super) fn new() -> Self {
        Self {
            starts: Vec::new(),
            keys: Vec::new(),
            columns: Vec::new(),
            indices: Vec::new(),
            len: 0,
            memory: (CountingSort::new(), Vec::new(), Vec::new()),
        }
    }

    /// Sorts points into the cells of a grid and, with `ring`, into the cells around it.
    pub(super) fn fill(&mut self, grid: &Grid<V>, points: &[V], ring: bool) {
        self.len = points.len();
        let stride = self.stride();
        self.indices.resize(stride, 0);
        self.columns.resize(V::DIM * stride, V::Scalar::ZERO);
        self.keys.clear();
        self.starts.clear();
        let indices = &mut self.indices[..points.len()];
        let (counting, cells, scratch) = &mut self.memory;
        if grid.dense {
            self.starts.resize(grid.cells() + 1, 0);
            let mut columns = <[&mut [V::Scalar]; 4]>::default();
            for (axis, column) in self.columns.chunks_exact_mut(stride).enumerate() {
                columns[axis] = &mut column[..points.len()];
            }
            let slots = Slots {
                starts: &mut self.starts,
                columns,
                indices,
            };
            counting.sort(grid, points, ring, slots);
            return;
        }
        // Sort the points by the keys of their cells.
        cells.clear();
        cells.extend(
            points
                .iter()
                .map(|&p| grid.key(grid.cell(p, i32::from(ring)))),
        );
        sort_by_cell(indices, cells, scratch);
        // Fill the columns, and begin a cell wherever the key changes.
        for (slot, &mut index) in indices.iter_mut().enumerate() {
            let key = cells[index as usize];
            if self.keys.last() != Some(&key) {
                self.keys.push(key);
                self.starts.push(slot as u32);
            }
            for axis in 0..V::DIM {
                self.columns[axis * stride + slot] = points[index as usize].axis(axis);
            }
        }
        self.starts.push(points.len() as u32);
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
        let (counting, cells, scratch) = &self.memory;
        let words = self.starts.capacity() + self.indices.capacity();
        let keys = self.keys.capacity() + cells.capacity();
        counting.bytes()
            + words * size_of::<u32>()
            + keys * size_of::<u128>()
            + self.columns.capacity() * size_of::<V::Scalar>()
            + scratch.capacity() * size_of::<u64>()
    }
}

/// Sorts the indices of points by their cells, and within a cell in ascending order. `keys` is scratch memory.
fn sort_by_cell(indices: &mut [u32], cells: &[u128], keys: &mut Vec<u64>) {
    for (index, to) in (0..).zip(&mut *indices) {
        *to = index;
    }
    let Some(first) = cells.first() else {
        return;
    };
    // The bits in which some cells differ, and by which the indices are not sorted yet.
    let mut left = cells.iter().fold(0, |bits, cell| bits | (cell ^ first));
    keys.resize(2 * cells.len(), 0);
    let (keys, scratch) = keys.split_at_mut(cells.len());
    // Sort by the lowest bits first, in each pass by as many as fit above the place of an index. Places in the keys make
    // each pass stable.
    let place_bits = cells.len().ilog2() + 1;
    while left != 0 {
        let shift = left.trailing_zeros();
        for ((key, &index), place) in keys.iter_mut().zip(&*indices).zip(0..) {
            let bits = (cells[index as usize] >> shift) as u64;
            *key = bits << place_bits | place;
        }
        sort_with(keys, scratch);
        for key in &mut *keys {
            let place = *key & ((1 << place_bits) - 1);
            *key = u64::from(indices[place as usize]);
        }
        for (to, &index) in indices.iter_mut().zip(&*keys) {
            *to = index as u32;
        }
        let sorted = shift + u64::BITS - place_bits;
        left &= u128::MAX.checked_shl(sorted).unwrap_or(0);
    }
}
