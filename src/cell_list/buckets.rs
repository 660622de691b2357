//! Points in the order of their cells, sorted by counting; where the grid would have too many cells,
//! by comparison, and only the cells that hold points are kept.

use alloc::vec::Vec;
use core::ops::Range;

use super::grid::Grid;
use crate::parallel::{self, GRAIN};
use crate::simd::LANES;
use crate::voxel::Block;
use crate::{Scalar, Vector};

#[derive(Clone, Debug)]
pub(crate) struct Buckets<V: Vector> {
    /// Where each cell's points start, and at last the number of points.
    pub(crate) starts: Vec<u32>,
    /// The cells that hold points, of a grid that is not dense.
    pub(crate) keys: Vec<u128>,
    /// The coordinates of all points on an axis, then on the next.
    pub(crate) coordinates: Vec<V::Scalar>,
    /// Sizes of the points, where they have any.
    sizes: Vec<V::Scalar>,
    /// The index of each point, and some more to be read over.
    pub(crate) indices: Vec<u32>,
    len: usize,
    memory: Memory<V>,
}

/// Kept for the next time.
#[derive(Clone, Debug)]
struct Memory<V> {
    numbers: Vec<u32>,
    records: Vec<(V, u32)>,
    keys: Vec<(u128, u32)>,
}

impl<V: Vector> Buckets<V> {
    pub(crate) fn new() -> Self {
        Self {
            starts: Vec::new(),
            keys: Vec::new(),
            coordinates: Vec::new(),
            sizes: Vec::new(),
            indices: Vec::new(),
            len: 0,
            memory: Memory {
                numbers: Vec::new(),
                records: Vec::new(),
                keys: Vec::new(),
            },
        }
    }

    /// Sorts points into the cells of a grid; where they may lie outside of it, into the ring too.
    pub(crate) fn fill(&mut self, grid: &Grid<V>, points: &[V], ring: bool) {
        self.len = points.len();
        if grid.dense {
            self.count(grid, points, ring);
        } else {
            self.sort(grid, points, ring);
        }
        self.set_columns();
    }

    /// Gives each point the size of its index.
    pub(crate) fn set_sizes(&mut self, sizes: &[V::Scalar]) {
        self.sizes.clear();
        let (some, nothing) = (&self.indices[..self.len], V::Scalar::ZERO);
        self.sizes.extend(some.iter().map(|&i| sizes[i as usize]));
        self.sizes.resize(self.len + LANES, nothing);
    }

    fn count(&mut self, grid: &Grid<V>, points: &[V], ring: bool) {
        let Memory {
            numbers, records, ..
        } = &mut self.memory;
        if ring {
            numbers.clear();
            numbers.extend(points.iter().map(|&p| grid.number(grid.cell(p, 1))));
        } else {
            grid.numbers(points, numbers);
        }
        let starts = &mut self.starts;
        self.keys.clear();
        starts.clear();
        starts.resize(grid.cells() + 1, 0);
        // Each thread looks at all numbers and takes those of its share of cells.
        let threads = if points.len() > GRAIN {
            parallel::threads()
        } else {
            1
        };
        let share = starts.len().div_ceil(threads);
        let shares = starts.chunks_mut(share).zip((0..).step_by(share));
        parallel::for_each(true, shares.collect(), |(ends, first)| {
            for &number in &*numbers {
                if let Some(end) = ends.get_mut((number as usize).wrapping_sub(first)) {
                    *end += 1;
                }
            }
        });
        let mut end = 0;
        for start in &mut *starts {
            end += *start;
            *start = end;
        }
        if let Some(&first) = points.first() {
            records.resize(points.len(), (first, 0));
        }
        let (mut shares, mut rest, mut begin) = (Vec::new(), &mut records[..points.len()], 0);
        for (ends, first) in starts.chunks_mut(share).zip((0..).step_by(share)) {
            let end = ends.last().map_or(begin, |&end| end);
            let (records, others) = rest.split_at_mut((end - begin) as usize);
            shares.push((ends, first, records, begin));
            (rest, begin) = (others, end);
        }
        parallel::for_each(true, shares, |(ends, first, records, begin)| {
            // From the last to the first, which leaves behind where each cell starts.
            let numbered = points.iter().zip(&*numbers).zip(0..points.len() as u32);
            for ((&point, &number), index) in numbered.rev() {
                if let Some(start) = ends.get_mut((number as usize).wrapping_sub(first)) {
                    *start -= 1;
                    records[(*start - begin) as usize] = (point, index);
                }
            }
        });
    }

    fn sort(&mut self, grid: &Grid<V>, points: &[V], ring: bool) {
        let Memory { records, keys, .. } = &mut self.memory;
        let ring = i32::from(ring);
        keys.clear();
        keys.extend(
            points
                .iter()
                .zip(0..)
                .map(|(&p, index)| (grid.key(grid.cell(p, ring)), index)),
        );
        keys.sort_unstable();
        self.keys.clear();
        self.starts.clear();
        records.clear();
        for (&(key, index), slot) in keys.iter().zip(0..) {
            if self.keys.last() != Some(&key) {
                self.keys.push(key);
                self.starts.push(slot);
            }
            records.push((points[index as usize], index));
        }
        self.starts.push(points.len() as u32);
    }

    fn set_columns(&mut self) {
        let (len, stride) = (self.len, self.stride());
        self.indices.resize(stride, 0);
        self.coordinates.resize(V::DIM * stride, V::Scalar::ZERO);
        let records = &self.memory.records[..len];
        let indices = &mut self.indices;
        let much = len > GRAIN;
        let columns = || {
            let columns = self.coordinates.chunks_exact_mut(stride).enumerate();
            parallel::for_each(much, columns.collect(), |(axis, column)| {
                for (to, &(point, _)) in column.iter_mut().zip(records) {
                    *to = point.axis(axis);
                }
            });
        };
        parallel::join_if(much, columns, || {
            for (to, &(_, index)) in indices.iter_mut().zip(records) {
                *to = index;
            }
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// From a coordinate to that of the same point on the next axis.
    #[inline(always)]
    pub(crate) fn stride(&self) -> usize {
        self.len + LANES
    }

    /// A column: of an axis, or behind them of sizes. Sixteen more than there are points.
    #[inline(always)]
    pub(crate) fn column(&self, column: usize) -> &[V::Scalar] {
        if column == V::DIM {
            &self.sizes
        } else {
            let stride = self.stride();
            &self.coordinates[column * stride..][..stride]
        }
    }

    /// The indices of all points.
    #[inline(always)]
    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices[..self.len]
    }

    /// The same, sixteen more.
    #[inline(always)]
    pub(crate) fn indices_and_more(&self) -> &[u32] {
        &self.indices
    }

    /// Gives each point another name.
    pub(crate) fn rename(&mut self, names: &[u32]) {
        for index in &mut self.indices[..self.len] {
            *index = names[*index as usize];
        }
    }

    /// Numbers the points by their slots.
    pub(crate) fn renumber(&mut self) {
        for (index, slot) in self.indices[..self.len].iter_mut().zip(0..) {
            *index = slot;
        }
    }

    #[inline(always)]
    pub(crate) fn point(&self, slot: usize) -> V {
        V::from_fn(|axis| self.coordinates[axis * self.stride() + slot])
    }

    #[inline(always)]
    pub(crate) fn size(&self, slot: usize) -> V::Scalar {
        self.sizes[slot]
    }

    /// The points of some cells, which follow each other.
    pub(crate) fn run(&self, grid: &Grid<V>, block: &Block<V::Voxel>) -> Range<u32> {
        let (mut first, mut last) = ([0; 4], [0; 4]);
        for a in 0..V::DIM {
            let range = block.range(a);
            (first[a], last[a]) = (range.start, range.end - 1);
        }
        if grid.dense {
            let (first, last) = (grid.number(first), grid.number(last));
            return self.starts[first as usize]..self.starts[last as usize + 1];
        }
        let (first, last) = (grid.key(first), grid.key(last));
        let from = self.keys.partition_point(|&key| key < first);
        let to = from + self.keys[from..].partition_point(|&key| key <= last);
        self.starts[from]..self.starts[to]
    }

    /// The memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        fn of<X>(list: &Vec<X>) -> usize {
            list.capacity() * size_of::<X>()
        }
        of(&self.starts)
            + of(&self.keys)
            + of(&self.coordinates)
            + of(&self.sizes)
            + of(&self.indices)
            + of(&self.memory.numbers)
            + of(&self.memory.records)
            + of(&self.memory.keys)
    }
}
