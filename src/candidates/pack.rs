//! Packs candidates into columns: the points that may be near a group.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::compare::Packed;
use super::{COLUMNS, Limit};
use crate::error::{Error, resize};
use crate::simd::{Column, LANES, Lane, Mask};
use crate::vector::{Scalar, Vector};

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
        // The stride is no multiple of a page, which avoids 4K aliasing between stores and loads of different columns.
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
