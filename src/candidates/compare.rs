//! Compares a point with packed candidates, sixteen at a time.

use fearless_simd::Simd;

use super::{COLUMNS, Limit};
use crate::overlap::columns::Columns;
use crate::overlap::lanes::W;
use crate::simd::{LANES, ListWriter, Mask, Wide, compress};
use crate::vector::{Scalar, Vector};

/// Candidates in blocks of sixteen. All columns have the same length, so that the bounds of blocks need not be checked.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'a, V: Vector> {
    pub(super) columns: [&'a [[V::Scalar; LANES]]; COLUMNS],
    pub(crate) indices: &'a [[u32; LANES]],
    pub(super) offsets: [&'a [[V::Scalar; LANES]]; 4],
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
