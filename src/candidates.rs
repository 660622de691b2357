//! Candidates: points near a group of points, packed into columns once and then compared sixteen at a time.
//!
//! Every search for the neighbors of many points works in this way, in trees and in cell lists:
//!
//! ```text
//! for each group of points that lie together (a block of a tree, a cell of a grid):
//!     pack what may be near some point of the group, judged by the box around the group
//!     for each point of the group:
//!         for each sixteen candidates:
//!             list, count or hand on those within reach of the point
//! ```
//!
//! The structures differ in where candidates come from: a tree finds them by a descent, a cell list in the cells around a
//! cell. [`Packer`] takes them, [`Group`] says which of sixteen to take, and [`QueryPoint`] compares them.
//!
//! Complexity: one comparison of sixteen lanes for each sixteen points looked at and for each sixteen candidates of each
//! point, in memory in proportion to the candidates of one group.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use crate::error::{Error, resize};
use crate::overlap::columns::Columns;
use crate::overlap::lanes::W;
use crate::shape::Aabb;
use crate::simd::{Column, LANES, Lane, ListWriter, Mask, Wide, compress};
use crate::vector::{Scalar, Vector};

/// Columns of a candidate at most: four coordinates and a size.
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
    /// True if each point has a size of its own.
    #[inline(always)]
    pub(crate) fn is_sized(self) -> bool {
        self != Self::Radius
    }

    /// The number of columns of a candidate.
    #[inline(always)]
    pub(crate) fn columns<V: Vector>(self) -> usize {
        V::DIM + usize::from(self.is_sized())
    }

    /// The squared distance up to which sixteen points are neighbors of a point with a `size`, which is the radius where
    /// all have one.
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
    /// True if some candidates are seen in another image of a periodic box. Only then the next two lists are valid.
    is_shifted: bool,
    /// The offset of each candidate's image, axis by axis.
    offsets: Vec<V::Scalar>,
    /// The image in which each candidate is seen.
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

    /// Begins anew, with room for `many` candidates of so many columns, which may be seen in other images.
    #[inline(always)]
    pub(crate) fn pack(
        &mut self,
        many: usize,
        columns: usize,
        is_shifted: bool,
    ) -> Result<Packer<'_, V>, Error> {
        // Sixteen are written at a time, and sixteen are read.
        if self.stride < many + 2 * LANES {
            self.grow(many, columns)?;
        }
        self.is_shifted = is_shifted;
        if is_shifted {
            self.grow_offsets()?;
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
        // The stride is no multiple of a page, so that no store looks like a load from another column.
        let stride = (2 * many).next_multiple_of(1024).max(2048) + 272;
        resize(&mut self.columns, columns * stride + LANES, V::Scalar::ZERO)?;
        resize(&mut self.indices, stride + LANES, 0)?;
        self.stride = stride;
        self.begin = aligned(&self.columns);
        self.begin_indices = aligned(&self.indices);
        Ok(())
    }

    #[cold]
    fn grow_offsets(&mut self) -> Result<(), Error> {
        resize(&mut self.offsets, V::DIM * self.stride, V::Scalar::ZERO)?;
        resize(&mut self.images, self.stride, [0; 4])
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) fn is_shifted(&self) -> bool {
        self.is_shifted
    }

    /// The index of a candidate.
    #[inline(always)]
    pub(crate) fn index(&self, at: usize) -> u32 {
        self.indices[self.begin_indices + at]
    }

    /// The image in which a candidate is seen. A radius reaches no more than some hundred boxes.
    #[inline(always)]
    pub(crate) fn image(&self, at: usize) -> [i16; 4] {
        if self.is_shifted {
            self.images[at]
        } else {
            [0; 4]
        }
    }

    /// The displacement from a point to a candidate, with the bits that sixteen at a time have. In a periodic box the
    /// offset is added where it is zero too, so that no zero is negative.
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

    /// All candidates by sixteen, with offsets if they are `SHIFTED`.
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
    /// Where the length goes at the [`end`](Self::end): until then it lives in a register.
    home: &'a mut usize,
}

impl<V: Vector> Packer<'_, V> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Appends the lanes of a mask of sixteen points, of which `column` gives the columns.
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

    /// Appends a run of points as it is. Whole vectors are copied; the next run overwrites what is too much.
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

    /// Sees the candidates from `first` on in an image.
    #[cold]
    pub(crate) fn shift(&mut self, first: usize, image: [i32; 4], offset: V) {
        // The columns of offsets are as long as the others.
        let stride = self.images.len();
        for axis in 0..V::DIM {
            self.offsets[axis * stride..][first..self.len].fill(offset.axis(axis));
        }
        self.images[first..self.len].fill(image.map(|k| k as i16));
    }

    /// Ends with lanes of NaN, which are near nothing, so that the last sixteen need no mask.
    #[inline(always)]
    pub(crate) fn end(self) {
        *sixteen_mut(self.columns[0], self.len) = [V::Scalar::from_f64(f64::NAN); LANES];
        *self.home = self.len;
    }
}

/// The box around a group of points, in registers.
#[derive(Clone, Copy)]
pub(crate) struct Group<V: Vector, S: Simd> {
    simd: S,
    low: [W<V, S>; 4],
    high: [W<V, S>; 4],
}

impl<V: Vector, S: Simd> Group<V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, bounds: &Aabb<V>) -> Self {
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let (mut low, mut high) = ([zero; 4], [zero; 4]);
        for axis in 0..V::DIM {
            low[axis] = <W<V, S>>::splat(simd, bounds.min().axis(axis));
            high[axis] = <W<V, S>>::splat(simd, bounds.max().axis(axis));
        }
        Self { simd, low, high }
    }

    /// The squared distances from the box to sixteen points, which may be seen in an image at an `offset`. No point in the
    /// box is nearer: these are the operations of [`QueryPoint::squares`], all of which are monotone, however they
    /// are rounded.
    #[inline(always)]
    pub(crate) fn squares<'a, const SHIFTED: bool>(
        &self,
        column: impl Fn(usize) -> &'a [V::Scalar; LANES],
        offset: V,
    ) -> W<V, S> {
        let zero = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
        let mut sum = zero;
        for axis in 0..V::DIM {
            let there = <W<V, S>>::load(self.simd, column(axis));
            let (low, high) = (self.low[axis], self.high[axis]);
            let mut apart = there - there.larger(low).smaller(high);
            if SHIFTED {
                let offset = <W<V, S>>::splat(self.simd, offset.axis(axis));
                let (below, above) = ((low - there) - offset, (there - high) + offset);
                apart = zero.larger(below.larger(above));
            }
            let square = apart * apart;
            sum = if axis == 0 { square } else { sum + square };
        }
        sum
    }
}

/// Candidates by sixteen. All columns have one length, so that no block is checked.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'a, V: Vector> {
    columns: [&'a [[V::Scalar; LANES]]; COLUMNS],
    pub(crate) indices: &'a [[u32; LANES]],
    offsets: [&'a [[V::Scalar; LANES]]; 4],
}

impl<V: Vector> Packed<'_, V> {
    /// A copy for a loop, with columns whose length the compiler knows to be that of the indices.
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

/// A point whose neighbors are asked for, in registers.
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

    /// The squared distances of sixteen points, each at an offset if they are `SHIFTED`. A coordinate is subtracted from that
    /// of the center, so that the load of the column is part of the subtraction: 0.8 of the time the other way round.
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

    /// The lanes of those of sixteen points in columns that are within the radius, seen in an image if there is an offset.
    #[inline(always)]
    pub(crate) fn within_columns(&self, points: &Columns<V>, offset: Option<V>) -> Mask {
        let squares = match offset {
            None => self.squares_of::<false>(
                #[inline(always)]
                |axis| &points.as_ref()[axis].0,
                #[inline(always)]
                |axis| self.center[axis],
            ),
            Some(offset) => self.squares_of::<true>(
                #[inline(always)]
                |axis| &points.as_ref()[axis].0,
                #[inline(always)]
                |axis| <W<V, S>>::splat(self.simd, offset.axis(axis)),
            ),
        };
        squares.at_most(self.size * self.size)
    }

    /// The lanes of those of sixteen candidates that are neighbors.
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

    /// Appends the indices of all candidates that are neighbors. There is to be room for all candidates, by sixteen.
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
