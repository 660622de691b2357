//! Candidates: points near a group of points, packed into columns once and then compared sixteen at a time.
//!
//! All searches for the neighbors of many points, in trees and in cell lists, work in this way:
//!
//! ```text
//! for each group of points that lie together (a block of a tree, a cell of a grid):
//!     pack the points that may be near a point of the group, judged by the box around the group
//!     for each point of the group:
//!         for each block of sixteen candidates:
//!             list, count or hand on the candidates that are neighbors of the point
//! ```
//!
//! A tree finds candidates by a descent, and tests them against the box around the group by `Nearby`. A cell list finds them in the cells
//! around a cell, and tests them by `Around`. [`Packer`] packs them, and [`QueryPoint`] compares a point with them.
//!
//! Complexity: one comparison of sixteen lanes for each block of points around the group, and for each point and block of candidates; the
//! memory for the candidates of one group.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use crate::error::{Error, resize};
use crate::overlap::columns::Columns;
use crate::overlap::lanes::W;
use crate::simd::{Column, LANES, Lane, ListWriter, Mask, Wide, compress};
use crate::vector::{Scalar, Vector};

/// The largest number of columns of a candidate: four coordinates and a size.
const COLUMNS: usize = 5;

/// The distance up to which two points are neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// One radius for all points.
    Radius,
    /// The larger of the sizes of both points.
    Larger,
    /// The sum of the sizes of both points.
    Sum,
}

impl Limit {
    /// Returns true if each point has a size of its own.
    #[inline(always)]
    pub(crate) fn is_sized(self) -> bool {
        self != Self::Radius
    }

    /// The number of columns of a candidate.
    #[inline(always)]
    pub(crate) fn columns<V: Vector>(self) -> usize {
        V::DIM + usize::from(self.is_sized())
    }

    /// The squared distances up to which sixteen points are neighbors of a point. `size` is the point's size, or the common radius.
    #[inline(always)]
    pub(crate) fn squares<V: Vector, S: Simd>(
        self,
        size: W<V, S>,
        sizes: impl FnOnce() -> W<V, S>,
    ) -> W<V, S> {
        let distance = match self {
            Self::Radius => size,
            Self::Larger => size.larger(sizes()),
            Self::Sum => size + sizes(),
        };
        distance * distance
    }
}

/// The candidates of a group, in memory that is kept for the next group.
pub(crate) struct Candidates<V: Vector> {
    /// Coordinates, axis by axis, and sizes behind them if points have any.
    columns: Vec<V::Scalar>,
    /// The distance from one column to the next.
    stride: usize,
    indices: Vec<u32>,
    /// Where the first column and the indices begin, so that loads are aligned.
    begin: usize,
    begin_indices: usize,
    len: usize,
    /// True if some candidates may be in another image of a periodic box. Only then are the next two lists valid.
    is_shifted: bool,
    /// The offset of each candidate's image, axis by axis.
    offsets: Vec<V::Scalar>,
    /// The periodic image of each candidate.
    images: Vec<[i16; 4]>,
}

impl<V: Vector> Candidates<V> {
    pub(crate) fn new() -> Self {
        Self {
            columns: Vec::new(),
            stride: 0,
            indices: Vec::new(),
            begin: 0,
            begin_indices: 0,
            len: 0,
            is_shifted: false,
            offsets: Vec::new(),
            images: Vec::new(),
        }
    }

    /// Begins a new group, with room for `many` candidates, which may be in other images if they are shifted.
    #[inline(always)]
    pub(crate) fn pack(
        &mut self,
        many: usize,
        columns: usize,
        is_shifted: bool,
    ) -> Result<Packer<'_, V>, Error> {
        // Candidates are written and read sixteen at a time, which needs room behind the last.
        if self.stride < many + 2 * LANES {
            self.grow(many, columns)?;
        }
        self.is_shifted = is_shifted;
        if is_shifted {
            resize(&mut self.offsets, V::DIM * self.stride, V::Scalar::ZERO)?;
            resize(&mut self.images, self.stride, [0; 4])?;
        }
        let mut packer = Packer {
            columns: Default::default(),
            indices: &mut self.indices[self.begin_indices..],
            len: 0,
            offsets: &mut self.offsets,
            images: &mut self.images,
            home: &mut self.len,
        };
        let all = self.columns[self.begin..].chunks_exact_mut(self.stride);
        for (to, column) in packer.columns.iter_mut().zip(all).take(columns) {
            *to = column;
        }
        Ok(packer)
    }

    #[cold]
    fn grow(&mut self, many: usize, columns: usize) -> Result<(), Error> {
        // The stride is no multiple of a page, which avoids 4K aliasing between stores and loads of different columns.
        let stride = (2 * many).next_multiple_of(1024).max(2048) + 272;
        resize(&mut self.columns, columns * stride + LANES, V::Scalar::ZERO)?;
        resize(&mut self.indices, stride + LANES, 0)?;
        self.stride = stride;
        self.begin = aligned(&self.columns);
        self.begin_indices = aligned(&self.indices);
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The periodic image of a candidate. Its numbers are small, since a radius reaches at most some hundred boxes.
    #[inline(always)]
    pub(crate) fn image(&self, at: usize) -> [i16; 4] {
        if self.is_shifted {
            self.images[at]
        } else {
            [0; 4]
        }
    }

    /// The displacement from a point to a candidate, rounded as in the comparison of sixteen. In a periodic box, an offset of zero is
    /// added, too, so that no zero is negative.
    #[inline(always)]
    pub(crate) fn displacement(&self, from: V, at: usize, is_periodic: bool) -> V {
        V::from_fn(
            #[inline(always)]
            |axis| {
                let apart = self.columns[self.begin + axis * self.stride + at] - from.axis(axis);
                match (self.is_shifted, is_periodic) {
                    (true, _) => apart + self.offsets[axis * self.stride + at],
                    (false, true) => apart + V::Scalar::ZERO,
                    (false, false) => apart,
                }
            },
        )
    }

    /// All candidates in blocks of sixteen, with offsets if they are `SHIFTED`.
    #[inline(always)]
    pub(crate) fn packed<const SHIFTED: bool>(&self, limit: Limit) -> Packed<'_, V> {
        let blocks = self.len.div_ceil(LANES);
        let mut packed = Packed {
            columns: [&[]; COLUMNS],
            indices: &self.indices[self.begin_indices..].as_chunks().0[..blocks],
            offsets: [&[]; 4],
        };
        for column in 0..limit.columns::<V>() {
            let place = self.begin + column * self.stride;
            packed.columns[column] = &self.columns[place..].as_chunks().0[..blocks];
        }
        if SHIFTED {
            for axis in 0..V::DIM {
                let place = axis * self.stride;
                packed.offsets[axis] = &self.offsets[place..].as_chunks().0[..blocks];
            }
        }
        packed
    }
}

/// The first place of a list, of more than sixteen numbers, that is aligned as a column is.
fn aligned<T>(list: &[T]) -> usize {
    let place = list.as_ptr().align_offset(align_of::<Column<T>>());
    place.min(LANES)
}

/// Sixteen numbers from a place on.
#[inline(always)]
pub(crate) fn sixteen<T>(list: &[T], at: usize) -> &[T; LANES] {
    list[at..].first_chunk().expect("room for sixteen")
}

#[inline(always)]
fn sixteen_mut<T>(list: &mut [T], at: usize) -> &mut [T; LANES] {
    list[at..].first_chunk_mut().expect("room for sixteen")
}

/// Candidates that are being packed.
pub(crate) struct Packer<'a, V: Vector> {
    columns: [&'a mut [V::Scalar]; COLUMNS],
    indices: &'a mut [u32],
    len: usize,
    offsets: &'a mut [V::Scalar],
    images: &'a mut [[i16; 4]],
    /// The variable that receives the length at the [`end`](Self::end); until then the length is in a register.
    home: &'a mut usize,
}

impl<V: Vector> Packer<'_, V> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Appends those of sixteen points that a mask selects; `column` gives their columns.
    #[inline(always)]
    pub(crate) fn push<'a, S: Simd>(
        &mut self,
        simd: S,
        columns: usize,
        column: impl Fn(usize) -> &'a [V::Scalar; LANES],
        indices: &[u32; LANES],
        mask: Mask,
    ) {
        for (number, to) in self.columns.iter_mut().enumerate().take(columns) {
            Lane::compress(simd, column(number), mask, to, self.len);
        }
        Lane::compress(simd, indices, mask, self.indices, self.len);
        self.len += mask.count();
    }

    /// Appends a run of points. Whole vectors are copied; the next run overwrites the surplus.
    #[inline(always)]
    pub(crate) fn copy(&mut self, columns: &[&[V::Scalar]], indices: &[u32], run: Range<usize>) {
        let mut target = self.len;
        for source in run.clone().step_by(LANES) {
            for (to, column) in self.columns.iter_mut().zip(columns) {
                *sixteen_mut(to, target) = *sixteen(column, source);
            }
            *sixteen_mut(self.indices, target) = *sixteen(indices, source);
            target += LANES;
        }
        self.len += run.len();
    }

    /// Gives the candidates from `first` on a periodic image and its offset.
    #[cold]
    pub(crate) fn shift(&mut self, first: usize, image: [i32; 4], offset: V) {
        // The columns of offsets have the stride of all columns.
        let stride = self.images.len();
        for axis in 0..V::DIM {
            self.offsets[axis * stride..][first..self.len].fill(offset.axis(axis));
        }
        self.images[first..self.len].fill(image.map(|k| k as i16));
    }

    /// Ends the group: fills the last block with NaN, which is near nothing, so that it needs no mask.
    #[inline(always)]
    pub(crate) fn end(self) {
        *sixteen_mut(self.columns[0], self.len) = [V::Scalar::from_f64(f64::NAN); LANES];
        *self.home = self.len;
    }
}

/// Candidates in blocks of sixteen. All columns have the same length, so that the bounds of blocks need not be checked.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'a, V: Vector> {
    columns: [&'a [[V::Scalar; LANES]]; COLUMNS],
    pub(crate) indices: &'a [[u32; LANES]],
    offsets: [&'a [[V::Scalar; LANES]]; 4],
}

impl<V: Vector> Packed<'_, V> {
    /// A copy for a loop, whose columns have as many blocks as the indices, as the compiler can see.
    #[inline(always)]
    pub(crate) fn for_loop<const SHIFTED: bool>(&self, limit: Limit) -> Self {
        let blocks = self.indices.len();
        let mut packed = *self;
        for column in 0..limit.columns::<V>() {
            packed.columns[column] = &self.columns[column][..blocks];
        }
        if SHIFTED {
            for axis in 0..V::DIM {
                packed.offsets[axis] = &self.offsets[axis][..blocks];
            }
        }
        packed
    }
}

/// A point whose neighbors are searched, in registers.
#[derive(Clone, Copy)]
pub(crate) struct QueryPoint<V: Vector, S: Simd> {
    simd: S,
    center: [W<V, S>; 4],
    /// Its own size, or the radius for all points.
    size: W<V, S>,
}

impl<V: Vector, S: Simd> QueryPoint<V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, center: V, size: V::Scalar) -> Self {
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let mut lanes = [zero; 4];
        for (axis, lanes) in lanes.iter_mut().enumerate().take(V::DIM) {
            *lanes = <W<V, S>>::splat(simd, center.axis(axis));
        }
        Self {
            simd,
            center: lanes,
            size: <W<V, S>>::splat(simd, size),
        }
    }

    #[inline(always)]
    fn load(&self, lanes: &[V::Scalar; LANES]) -> W<V, S> {
        <W<V, S>>::load(self.simd, lanes)
    }

    /// The squared distances of sixteen points, each at an offset if they are `SHIFTED`. Each coordinate is subtracted from that of the
    /// center, so that the load of the column is part of the subtraction; this takes 0.8 of the time of the opposite difference.
    #[inline(always)]
    fn squares_of<'a, const SHIFTED: bool>(
        &self,
        column: impl Fn(usize) -> &'a [V::Scalar; LANES],
        offset: impl Fn(usize) -> W<V, S>,
    ) -> W<V, S> {
        let mut sum = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
        for axis in 0..V::DIM {
            let mut apart = self.center[axis] - self.load(column(axis));
            if SHIFTED {
                apart = apart - offset(axis);
            }
            let square = apart * apart;
            sum = if axis == 0 { square } else { sum + square };
        }
        sum
    }

    /// The squared distances of sixteen candidates.
    #[inline(always)]
    pub(crate) fn squares<const SHIFTED: bool>(
        &self,
        packed: &Packed<'_, V>,
        block: usize,
    ) -> W<V, S> {
        self.squares_of::<SHIFTED>(
            #[inline(always)]
            |axis| &packed.columns[axis][block],
            #[inline(always)]
            |axis| self.load(&packed.offsets[axis][block]),
        )
    }

    /// The squared distances of sixteen points, in a periodic image if there is an offset.
    #[inline(always)]
    pub(crate) fn squares_to(&self, points: &Columns<V>, offset: Option<V>) -> W<V, S> {
        let columns = points.as_ref();
        if let Some(offset) = offset {
            return self.squares_of::<true>(
                #[inline(always)]
                |axis| &columns[axis].0,
                #[inline(always)]
                |axis| <W<V, S>>::splat(self.simd, offset.axis(axis)),
            );
        }
        self.squares_of::<false>(
            #[inline(always)]
            |axis| &columns[axis].0,
            #[inline(always)]
            |axis| self.center[axis],
        )
    }

    /// The lanes of a block of candidates that are neighbors.
    #[inline(always)]
    pub(crate) fn within<const SHIFTED: bool>(
        &self,
        limit: Limit,
        packed: &Packed<'_, V>,
        block: usize,
    ) -> Mask {
        let squares = self.squares::<SHIFTED>(packed, block);
        squares.at_most(limit.squares::<V, S>(
            self.size,
            #[inline(always)]
            || self.load(&packed.columns[V::DIM][block]),
        ))
    }

    /// Appends the indices of all candidates that are neighbors. The list must have room for all blocks of candidates.
    #[inline(always)]
    pub(crate) fn list<const SHIFTED: bool>(
        &self,
        limit: Limit,
        packed: &Packed<'_, V>,
        to: &mut ListWriter<'_>,
    ) {
        let packed = packed.for_loop::<SHIFTED>(limit);
        for (block, indices) in packed.indices.iter().enumerate() {
            let mask = self.within::<SHIFTED>(limit, &packed, block);
            compress(self.simd, indices, mask, to);
        }
    }
}
