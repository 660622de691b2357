//! A counting sort in two steps: first into shares of consecutive cells, whose points fit into the level 2 cache, and then from each
//! share into its cells. In a single step, writes would be scattered over all memory. Several threads sort shares at once.

use alloc::vec;
use alloc::vec::Vec;
use core::mem::take;
use core::ops::Range;

use fearless_simd::Simd;

use super::grid::Grid;
use crate::parallel;
use crate::parallel::GRAIN;
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::{Scalar, Vector};

/// The number of points in a share, if they are spread evenly.
const SHARE: usize = 1 << 12;

/// The memory of the sort, which is kept for the next time.
#[derive(Clone, Debug)]
pub(super) struct CountingSort<V> {
    numbers: Vec<u32>,
    records: Vec<Record<V>>,
}

/// A point on its way to its cell.
#[derive(Clone, Copy, Debug)]
struct Record<V> {
    point: V,
    index: u32,
    /// The number of its cell.
    number: u32,
}

/// Consecutive points that one thread divides into shares.
struct Part<'a, V> {
    points: &'a [V],
    numbers: &'a mut [u32],
    records: &'a mut [Record<V>],
    /// The index of the first point.
    first: u32,
    /// The place at which the records of each share begin, and then the number of records.
    begins: Vec<u32>,
}

/// The memory that sorted points are written to.
pub(super) struct Slots<'a, V: Vector> {
    /// The first slot of each cell, and the end: zeros before the sort.
    pub(super) starts: &'a mut [u32],
    /// The coordinates on each axis.
    pub(super) columns: [&'a mut [V::Scalar]; 4],
    pub(super) indices: &'a mut [u32],
}

/// Consecutive cells, and the slots of their points.
struct Share<'a, V: Vector> {
    /// Its place among the shares.
    place: usize,
    /// The number of its first cell.
    first: usize,
    /// The slot of its first point.
    slot: u32,
    starts: &'a mut [u32],
    columns: [&'a mut [V::Scalar]; 4],
    indices: &'a mut [u32],
}

impl<V: Vector> CountingSort<V> {
    pub(super) const fn new() -> Self {
        Self {
            numbers: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Sorts points into the cells of a dense grid: fills in where each cell's points start, their coordinates and
    /// indices. The points of a cell keep their order.
    pub(super) fn sort(
        &mut self,
        grid: &Grid<V>,
        points: &[V],
        ring: bool,
        mut slots: Slots<'_, V>,
    ) {
        let many = points.len();
        let Some(&nowhere) = points.first() else {
            return;
        };
        self.numbers.resize(many, 0);
        let nothing = Record {
            point: nowhere,
            index: 0,
            number: 0,
        };
        self.records.resize(many, nothing);
        // Cut the points into a part for each thread; each part numbers its points and divides them into shares.
        let cells = slots.starts.len() - 1;
        let shift = (cells as u64 * SHARE as u64 / many as u64).max(1).ilog2();
        let much = many > GRAIN;
        let size = if much {
            many.div_ceil(parallel::threads())
        } else {
            many
        };
        let parts = points
            .chunks(size)
            .zip(self.numbers.chunks_mut(size))
            .zip(self.records.chunks_mut(size))
            .zip((0..).step_by(size));
        let parts = parts.map(|(((points, numbers), records), first)| Part {
            points,
            numbers,
            records,
            first,
            begins: vec![0; (cells >> shift) + 2],
        });
        let mut parts: Vec<_> = parts.collect();
        parallel::for_each(much, &mut parts, &|_, part| {
            part.number(grid, ring);
            part.divide(shift);
        });

        // Sort each share, from all parts, into its cells.
        let end = slots.starts.split_off_mut(cells..);
        end.expect("one more than there are cells")
            .fill(many as u32);
        let mut shares = shares(&parts, shift, slots);
        let parts = &parts;
        parallel::for_each(much, &mut shares, &|_, share| share.sort(parts));
    }

    pub(super) fn bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<u32>()
            + self.records.capacity() * size_of::<Record<V>>()
    }
}

impl<V: Vector> Part<'_, V> {
    /// Finds the number of each point's cell; with `ring`, a point outside of the grid gets a cell of the ring
    /// around it.
    fn number(&mut self, grid: &Grid<V>, ring: bool) {
        let (points, numbers) = (self.points, &mut *self.numbers);
        if grid.in_scalar && !ring {
            let set = InstructionSet::best();
            return run!(up_to_avx2(set), |simd| number(simd, grid, points, numbers));
        }
        for (number, &point) in numbers.iter_mut().zip(points) {
            *number = grid.number(grid.cell(point, i32::from(ring)));
        }
    }

    /// Divides the points into shares.
    fn divide(&mut self, shift: u32) {
        // Count the points of each share, and find where it ends.
        let ends = &mut self.begins[..];
        for number in &*self.numbers {
            ends[(number >> shift) as usize] += 1;
        }
        let mut end = 0;
        for share in &mut *ends {
            end += *share;
            *share = end;
        }
        // Copy the points, from the last to the first, which turns the ends of shares into their beginnings.
        let (points, numbers) = (self.points, &self.numbers[..self.points.len()]);
        for place in (0..points.len()).rev() {
            let number = numbers[place];
            let slot = &mut ends[(number >> shift) as usize];
            *slot -= 1;
            self.records[*slot as usize] = Record {
                point: points[place],
                index: self.first + place as u32,
                number,
            };
        }
    }

    /// The records of a share.
    fn share(&self, place: usize) -> Range<usize> {
        self.begins[place] as usize..self.begins[place + 1] as usize
    }
}

/// Divides cells and slots among the shares.
fn shares<'a, V: Vector>(
    parts: &[Part<'_, V>],
    shift: u32,
    slots: Slots<'a, V>,
) -> Vec<Share<'a, V>> {
    let Slots {
        starts,
        mut columns,
        mut indices,
    } = slots;
    let mut slot = 0;
    let cells = starts.chunks_mut(1 << shift).enumerate();
    cells
        .map(|(place, starts)| {
            // Cut the slots of this share off the columns and indices that are left.
            let many: usize = parts.iter().map(|part| part.share(place).len()).sum();
            let mut own = <[&mut [V::Scalar]; 4]>::default();
            for (own, rest) in own.iter_mut().zip(&mut columns).take(V::DIM) {
                (*own, *rest) = take(rest).split_at_mut(many);
            }
            let (some, rest) = take(&mut indices).split_at_mut(many);
            indices = rest;
            let first = slot;
            slot += many as u32;
            Share {
                place,
                first: place << shift,
                slot: first,
                starts,
                columns: own,
                indices: some,
            }
        })
        .collect()
}

impl<V: Vector> Share<'_, V> {
    /// Sorts the records of this share, from all parts, into its cells.
    fn sort(&mut self, parts: &[Part<'_, V>]) {
        // Count the points of each cell, and find where they end.
        let (first, starts) = (self.first, &mut *self.starts);
        for part in parts {
            for record in &part.records[part.share(self.place)] {
                starts[record.number as usize - first] += 1;
            }
        }
        let mut end = self.slot;
        for start in &mut *starts {
            end += *start;
            *start = end;
        }
        // Move the points, from the last to the first, which turns the ends of cells into their starts.
        let (slot, indices) = (self.slot, &mut *self.indices);
        for part in parts.iter().rev() {
            for record in part.records[part.share(self.place)].iter().rev() {
                let start = &mut starts[record.number as usize - first];
                *start -= 1;
                let to = (*start - slot) as usize;
                indices[to] = record.index;
                for (axis, column) in self.columns.iter_mut().enumerate().take(V::DIM) {
                    column[to] = record.point.axis(axis);
                }
            }
        }
    }
}

/// Finds the numbers of the cells of points in a dense grid, if places may be computed in the points'
/// scalar. A whole rebuild takes three quarters of the time that it takes with plain code.
#[inline(always)]
fn number<V: Vector, S: Simd>(_: S, grid: &Grid<V>, points: &[V], numbers: &mut [u32]) {
    let (blocks, rest) = points.as_chunks();
    let (to, to_rest) = numbers.as_chunks_mut();
    for (points, numbers) in blocks.iter().zip(to) {
        *numbers = numbers_of(grid, points);
    }
    let mut last = [V::splat(V::Scalar::ZERO); LANES];
    last[..rest.len()].copy_from_slice(rest);
    to_rest.copy_from_slice(&numbers_of(grid, &last)[..to_rest.len()]);
}

#[inline(always)]
fn numbers_of<V: Vector>(grid: &Grid<V>, points: &[V; LANES]) -> [u32; LANES] {
    let columns = columns(points);
    let half = V::Scalar::from_f64(0.5);
    let mut numbers = [0; LANES];
    for (axis, column) in columns.iter().enumerate().take(V::DIM) {
        let origin = V::Scalar::from_f64(grid.origin[axis]);
        let scale = V::Scalar::from_f64(grid.matrix[axis][axis]);
        let (last, stride) = (grid.dims[axis] as u32 - 1, grid.strides[axis] as u32);
        for (number, &at) in numbers.iter_mut().zip(column) {
            // This rounds down, or up on a face, where either cell will do. One cell of the ring comes first.
            let place = (at - origin) * scale - half;
            *number += (place.to_whole().min(last) + 1) * stride;
        }
    }
    numbers
}

/// The coordinates of sixteen points, axis by axis.
#[inline(always)]
pub(super) fn columns<V: Vector>(points: &[V; LANES]) -> [[V::Scalar; LANES]; 4] {
    let mut columns = [[V::Scalar::ZERO; LANES]; 4];
    for (lane, point) in points.iter().enumerate() {
        for (axis, column) in columns.iter_mut().enumerate().take(V::DIM) {
            column[lane] = point.axis(axis);
        }
    }
    columns
}
