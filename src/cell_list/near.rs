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
    /// 1 for those in images towards the lower end of the box, else 0.
    pub(super) lower: Vec<u32>,
    /// The image in which each is seen.
    pub(super) images: Vec<[i16; 4]>,
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
            lower: Vec::new(),
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
            lower: &[],
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
            blocks.lower = &by_sixteen(&self.lower, 0)[..many];
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

    /// The index, and the displacement from the point of the lower index to that of the higher one: scalar, the
    /// same bits as sixteen at a time.
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
                // That of the lower index, as it would ask: nor does a negative zero change.
                here - (there - (V::Scalar::ZERO - offset))
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
        let first = if SHIFTED {
            let (indices, lower) = (&near.indices[block], &near.lower[block]);
            Mask::of_less(self.simd, indices, lower, self.index)
        } else {
            Mask::new(self.simd, 0)
        };
        for axis in 0..V::DIM {
            let there = self.load(&near.columns[axis][block]);
            let here = self.center[axis];
            let mut apart = there - here;
            if SHIFTED {
                let offset = self.load(&near.offsets[axis][block]);
                apart = ((there + offset) - here).only(first, (here - offset) - there);
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
