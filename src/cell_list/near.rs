//! What may be near the points of a cell, in a small buffer, and sixteen of it at a time against a point.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::overlap::lanes::W;
use crate::simd::{LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// Up to which distance two points are near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// One radius for all.
    Radius,
    /// The larger of two sizes.
    Larger,
    /// The sum of two sizes.
    Sum,
}

impl Limit {
    /// Points have sizes.
    #[inline(always)]
    pub(super) fn is_sized(self) -> bool {
        self != Self::Radius
    }

    /// How many columns there are.
    #[inline(always)]
    pub(super) fn columns<V: Vector>(self) -> usize {
        V::DIM + usize::from(self.is_sized())
    }

    /// The square of the distance for sixteen points; `size` is that of the point which asks, or the
    /// radius for all.
    #[inline(always)]
    pub(super) fn squares<V: Vector, S: Simd>(
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

/// What surrounds a cell: coordinates, column by column, and behind them sizes, if points have any.
pub(crate) struct Surroundings<V: Vector> {
    pub(super) columns: Vec<V::Scalar>,
    /// Where the columns begin, for the sake of aligned loads.
    pub(super) begin: usize,
    /// From column to column.
    pub(super) stride: usize,
    pub(super) indices: Vec<u32>,
    pub(crate) len: usize,
    /// Where each run ends, unless all lie where they are.
    pub(super) ends: Vec<usize>,
    /// Some are seen in another image of the box.
    pub(crate) shifted: bool,
    /// The offsets of all images, axis by axis.
    pub(super) offsets: Vec<V::Scalar>,
    /// The image in which each is seen.
    pub(super) images: Vec<[i16; 4]>,
}

/// What is to be asked, by sixteen; of one length, so that no place needs a check.
#[derive(Clone, Copy)]
pub(crate) struct Blocks<'a, V: Vector> {
    columns: [&'a [[V::Scalar; LANES]]; 5],
    pub(crate) indices: &'a [[u32; LANES]],
    offsets: [&'a [[V::Scalar; LANES]]; 4],
}

#[inline(always)]
fn by_sixteen<T>(list: &[T], from: usize) -> &[[T; LANES]] {
    list[from..].as_chunks().0
}

#[inline(always)]
pub(super) fn sixteen<T>(list: &[T], at: usize) -> &[T; LANES] {
    list[at..].first_chunk().expect("room for sixteen")
}

#[inline(always)]
pub(super) fn sixteen_mut<T>(list: &mut [T], at: usize) -> &mut [T; LANES] {
    list[at..].first_chunk_mut().expect("room for sixteen")
}

impl<V: Vector> Surroundings<V> {
    pub(crate) fn new() -> Self {
        Self {
            columns: Vec::new(),
            begin: 0,
            stride: 0,
            indices: Vec::new(),
            len: 0,
            ends: Vec::new(),
            shifted: false,
            offsets: Vec::new(),
            images: Vec::new(),
        }
    }

    /// All of it by sixteen.
    #[inline(always)]
    pub(crate) fn blocks<const SHIFTED: bool>(&self, limit: Limit) -> Blocks<'_, V> {
        let many = self.len.div_ceil(LANES);
        let mut blocks = Blocks {
            columns: [&[]; 5],
            indices: &by_sixteen(&self.indices, 0)[..many],
            offsets: [&[]; 4],
        };
        for column in 0..limit.columns::<V>() {
            let place = self.begin + column * self.stride;
            blocks.columns[column] = &by_sixteen(&self.columns, place)[..many];
        }
        if SHIFTED {
            for axis in 0..V::DIM {
                let place = axis * self.stride;
                blocks.offsets[axis] = &by_sixteen(&self.offsets, place)[..many];
            }
        }
        blocks
    }

    /// The image in which one is seen, as it was gathered: a radius reaches no more than some hundred.
    #[inline(always)]
    pub(crate) fn image(&self, at: usize) -> [i16; 4] {
        if self.shifted {
            self.images[at]
        } else {
            [0; 4]
        }
    }

    /// The displacement from a point to one that is near, with the bits that sixteen at a time have. In a periodic box the
    /// offset is added where it is zero too, so that no zero is negative.
    #[inline(always)]
    pub(crate) fn displacement(&self, own: V, at: usize, is_periodic: bool) -> V {
        V::from_fn(|axis| {
            let apart = self.columns[self.begin + axis * self.stride + at] - own.axis(axis);
            match (self.shifted, is_periodic) {
                (true, _) => apart + self.offsets[axis * self.stride + at],
                (false, true) => apart + V::Scalar::ZERO,
                (false, false) => apart,
            }
        })
    }
}

/// A point that asks, in registers.
#[derive(Clone, Copy)]
pub(crate) struct Probe<V: Vector, S: Simd> {
    simd: S,
    center: [W<V, S>; 4],
    /// Its own, or the radius for all.
    size: W<V, S>,
}

impl<V: Vector, S: Simd> Probe<V, S> {
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

    /// The squared distances of sixteen.
    #[inline(always)]
    pub(crate) fn squares<const SHIFTED: bool>(
        &self,
        near: &Blocks<'_, V>,
        block: usize,
    ) -> W<V, S> {
        let mut sum = <W<V, S>>::splat(self.simd, V::Scalar::ZERO);
        for axis in 0..V::DIM {
            let mut apart = self.load(&near.columns[axis][block]) - self.center[axis];
            if SHIFTED {
                apart = apart + self.load(&near.offsets[axis][block]);
            }
            let square = apart * apart;
            sum = if axis == 0 { square } else { sum + square };
        }
        sum
    }

    /// Those of sixteen that are near.
    #[inline(always)]
    pub(crate) fn meets<const SHIFTED: bool>(
        &self,
        limit: Limit,
        near: &Blocks<'_, V>,
        block: usize,
    ) -> Mask {
        let squares = self.squares::<SHIFTED>(near, block);
        squares.at_most(limit.squares::<V, S>(
            self.size,
            #[inline(always)]
            || self.load(&near.columns[V::DIM][block]),
        ))
    }
}
