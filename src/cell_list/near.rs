//! What may be near a cell, gathered into a small buffer, and sixteen of it at a time against a point.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::buckets::Buckets;
use super::limit::Limit;
use super::walk::Walk;
use crate::overlap::lanes::W;
use crate::simd::{Column, LANES, Mask, Wide};
use crate::{Periodic, Scalar, Vector, Voxel};

/// What surrounds a cell: coordinates, column by column, and behind them sizes, if points have any.
pub(crate) struct Near<V: Vector> {
    columns: Vec<V::Scalar>,
    /// Where the columns begin, for the sake of aligned loads.
    begin: usize,
    /// From column to column.
    stride: usize,
    indices: Vec<u32>,
    pub(crate) len: usize,
    /// Some are seen in another image of the box.
    pub(crate) shifted: bool,
    /// The offsets of all images, axis by axis.
    offsets: Vec<V::Scalar>,
    /// 1 for those in images towards the lower end of the box, else 0.
    lower: Vec<u32>,
}

/// What is to be asked, by sixteen; of one length, so that no place needs a check.
#[derive(Clone, Copy)]
pub(crate) struct Blocks<'a, V: Vector> {
    columns: [&'a [[V::Scalar; LANES]]; 5],
    pub(crate) indices: &'a [[u32; LANES]],
    offsets: [&'a [[V::Scalar; LANES]]; 4],
    lower: &'a [[u32; LANES]],
}

#[inline(always)]
fn by_sixteen<T>(list: &[T], from: usize) -> &[[T; LANES]] {
    list[from..].as_chunks().0
}

#[inline(always)]
fn sixteen<T>(list: &[T], at: usize) -> &[T; LANES] {
    list[at..].first_chunk().expect("room for sixteen")
}

#[inline(always)]
fn sixteen_mut<T>(list: &mut [T], at: usize) -> &mut [T; LANES] {
    list[at..].first_chunk_mut().expect("room for sixteen")
}

impl<V: Vector> Near<V> {
    pub(crate) fn new() -> Self {
        Self {
            columns: Vec::new(),
            begin: 0,
            stride: 0,
            indices: Vec::new(),
            len: 0,
            shifted: false,
            offsets: Vec::new(),
            lower: Vec::new(),
        }
    }

    /// Gathers the runs of a walk.
    #[inline(always)]
    pub(crate) fn gather<L: Limit<V>>(
        &mut self,
        walk: &Walk<'_, V>,
        held: &Buckets<V>,
        periodic: Option<&Periodic<V>>,
        between: bool,
    ) {
        let many: usize = walk
            .runs
            .iter()
            .map(|run| (run.to - run.from) as usize)
            .sum();
        self.make_room(many, V::DIM + usize::from(L::SIZED));
        self.len = 0;
        for run in &walk.runs {
            self.add::<L>(held, run.from as usize, run.to as usize);
        }
        // What is read behind the last is near nothing.
        let nowhere = V::Scalar::from_f64(f64::NAN);
        *sixteen_mut(&mut self.columns, self.begin + self.len) = [nowhere; LANES];
        self.shifted = !walk.images.is_empty();
        if self.shifted {
            self.shift(walk, periodic, between);
        }
    }

    /// Sixteen are written at a time, and sixteen read.
    #[inline(always)]
    fn make_room(&mut self, many: usize, columns: usize) {
        if self.stride < many + 2 * LANES {
            self.grow(many, columns);
        }
    }

    #[cold]
    fn grow(&mut self, many: usize, columns: usize) {
        // Not a multiple of a page, so that no store looks like another's.
        self.stride = (2 * many).next_multiple_of(1024).max(2048) + 272;
        let zero = V::Scalar::ZERO;
        self.columns.resize(columns * self.stride + LANES, zero);
        self.indices.resize(self.stride, 0);
        let aligned = self.columns.as_ptr();
        let aligned = aligned.align_offset(align_of::<Column<V::Scalar>>());
        self.begin = aligned.min(LANES);
    }

    /// Whole vectors are copied; what is too much is overwritten by the next run.
    #[inline(always)]
    fn add<L: Limit<V>>(&mut self, held: &Buckets<V>, from: usize, to: usize) {
        let mut source = from;
        let mut target = self.len;
        while source < to {
            for column in 0..V::DIM + usize::from(L::SIZED) {
                let place = self.begin + column * self.stride + target;
                *sixteen_mut(&mut self.columns, place) = *sixteen(held.column(column), source);
            }
            let indices = sixteen(held.indices_and_more(), source);
            *sixteen_mut(&mut self.indices, target) = *indices;
            source += LANES;
            target += LANES;
        }
        self.len += to - from;
    }

    /// Finds the offset of each.
    #[cold]
    fn shift(&mut self, walk: &Walk<'_, V>, periodic: Option<&Periodic<V>>, between: bool) {
        self.offsets.resize(V::DIM * self.stride, V::Scalar::ZERO);
        self.lower.resize(self.stride, 0);
        let mut at = 0;
        for run in &walk.runs {
            let end = at + (run.to - run.from) as usize;
            let mut offset = V::splat(V::Scalar::ZERO);
            let mut is_lower = false;
            if let Some(periodic) = periodic.filter(|_| run.image > 0) {
                let image = walk.images[run.image as usize - 1];
                offset = periodic.offset(V::Voxel::from_fn(|a| image[a]));
                is_lower = !between && image.iter().rfind(|&&k| k != 0).is_some_and(|&k| k < 0);
            }
            for axis in 0..V::DIM {
                self.offsets[axis * self.stride..][at..end].fill(offset.axis(axis));
            }
            self.lower[at..end].fill(u32::from(is_lower));
            at = end;
        }
    }

    /// What lies from a place on, by sixteen.
    #[inline(always)]
    pub(crate) fn blocks<L: Limit<V>, const SHIFTED: bool>(&self, from: usize) -> Blocks<'_, V> {
        let many = self.len.saturating_sub(from).div_ceil(LANES);
        let mut blocks = Blocks {
            columns: [&[]; 5],
            indices: &by_sixteen(&self.indices, from)[..many],
            offsets: [&[]; 4],
            lower: &[],
        };
        for column in 0..V::DIM + usize::from(L::SIZED) {
            let place = self.begin + column * self.stride + from;
            blocks.columns[column] = &by_sixteen(&self.columns, place)[..many];
        }
        if SHIFTED {
            for axis in 0..V::DIM {
                let place = axis * self.stride + from;
                blocks.offsets[axis] = &by_sixteen(&self.offsets, place)[..many];
            }
            blocks.lower = &by_sixteen(&self.lower, from)[..many];
        }
        blocks
    }

    /// The index, the displacement from the point of the lower index to that of the higher one, and
    /// its square: scalar, the same bits as sixteen at a time.
    #[inline(always)]
    pub(crate) fn pair(&self, own: V, index: u32, at: usize) -> (u32, V) {
        let other = self.indices[at];
        let is_lower = self.shifted && other < index + self.lower[at] || other < index;
        let displacement = V::from_fn(|axis| {
            let there = self.columns[self.begin + axis * self.stride + at];
            let here = own.axis(axis);
            let offset = if self.shifted {
                self.offsets[axis * self.stride + at]
            } else {
                V::Scalar::ZERO
            };
            if is_lower {
                here - (there + offset)
            } else {
                there - (here - offset)
            }
        });
        (other, displacement)
    }
}

/// A point that asks, in registers.
#[derive(Clone, Copy)]
pub(crate) struct Probe<V: Vector, S: Simd> {
    simd: S,
    center: [W<V, S>; 4],
    index: u32,
    /// Its own, or the radius for all.
    size: W<V, S>,
}

impl<V: Vector, S: Simd> Probe<V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, center: V, index: u32, size: V::Scalar) -> Self {
        let zero = <W<V, S>>::splat(simd, V::Scalar::ZERO);
        let mut lanes = [zero; 4];
        for (axis, lanes) in lanes.iter_mut().enumerate().take(V::DIM) {
            *lanes = <W<V, S>>::splat(simd, center.axis(axis));
        }
        Self {
            simd,
            center: lanes,
            index,
            size: <W<V, S>>::splat(simd, size),
        }
    }

    #[inline(always)]
    fn load(&self, lanes: &[V::Scalar; LANES]) -> W<V, S> {
        <W<V, S>>::load(self.simd, lanes)
    }

    /// The squared distances of sixteen.
    #[inline(always)]
    pub(crate) fn squares<const SHIFTED: bool>(
        &self,
        near: &Blocks<'_, V>,
        block: usize,
    ) -> W<V, S> {
        let mut sum = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
        if SHIFTED {
            let (indices, lower) = (&near.indices[block], &near.lower[block]);
            let first = Mask::of_less(self.simd, indices, lower, self.index);
            for axis in 0..V::DIM {
                let there = self.load(&near.columns[axis][block]);
                let offset = self.load(&near.offsets[axis][block]);
                let if_first = (there + offset) - self.center[axis];
                let apart = if_first.only(first, (self.center[axis] - offset) - there);
                sum = sum + apart * apart;
            }
        } else {
            for axis in 0..V::DIM {
                let apart = self.load(&near.columns[axis][block]) - self.center[axis];
                sum = sum + apart * apart;
            }
        }
        sum
    }

    /// Those of sixteen that are near.
    #[inline(always)]
    pub(crate) fn meets<L: Limit<V>, const SHIFTED: bool>(
        &self,
        near: &Blocks<'_, V>,
        block: usize,
    ) -> Mask {
        let squares = self.squares::<SHIFTED>(near, block);
        let sizes = if L::SIZED {
            self.load(&near.columns[V::DIM][block])
        } else {
            self.size
        };
        squares.at_most(L::squares(self.size, sizes))
    }
}
