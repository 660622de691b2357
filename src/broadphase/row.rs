//! The arithmetic of boxes: sixteen boxes in registers, or one box sixteen times.

use alloc::vec::Vec;

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use crate::overlap::columns::Boxes;
use crate::overlap::lanes::W;
use crate::shape::Aabb;
use crate::simd::{LANES, ListWriter, Mask, Wide, compress};
use crate::vector::Vector;

/// Sixteen consecutive numbers; the first is a multiple of sixteen.
#[inline(always)]
pub(super) fn numbered<S: Simd>(simd: S, first: u32) -> [u32; LANES] {
    const LANE: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    (u32x16::simd_from(simd, LANE) | u32x16::splat(simd, first)).into()
}

/// Empties a list, and makes room for the children of some entries.
#[inline(always)]
pub(super) fn make_room(list: &mut Vec<u32>, entries: usize) {
    list.clear();
    list.reserve((entries + 1) * LANES);
}

/// Appends some children of each entry to a list that has room. `children` returns the lanes of the children, and the
/// number of the first child.
#[inline(always)]
pub(super) fn list_children<S: Simd>(
    simd: S,
    entries: &[u32],
    found: &mut Vec<u32>,
    children: impl Fn(u32) -> (Mask, u32),
) {
    ListWriter::extend(
        found,
        #[inline(always)]
        |to| {
            for &entry in entries {
                let (lanes, first) = children(entry);
                compress(simd, &numbered(simd, first), lanes, to);
            }
        },
    );
}

/// Sixteen boxes in registers.
#[derive(Clone, Copy)]
pub(super) struct Row<V: Vector, S: Simd> {
    low: [W<V, S>; 4],
    high: [W<V, S>; 4],
}

impl<V: Vector, S: Simd> Row<V, S> {
    #[inline(always)]
    pub(super) fn load(simd: S, boxes: &Boxes<V>) -> Self {
        let (lows, highs) = (boxes.low.as_ref(), boxes.high.as_ref());
        let mut low = [<W<V, S>>::load(simd, &lows[0].0); 4];
        let mut high = [<W<V, S>>::load(simd, &highs[0].0); 4];
        for axis in 1..V::DIM {
            low[axis] = <W<V, S>>::load(simd, &lows[axis].0);
            high[axis] = <W<V, S>>::load(simd, &highs[axis].0);
        }
        Self { low, high }
    }

    /// One box of a block, sixteen times.
    #[inline(always)]
    pub(super) fn splat(simd: S, boxes: &Boxes<V>, lane: usize) -> Self {
        Self::of(simd, &boxes.get(lane % LANES))
    }

    /// One box sixteen times.
    #[inline(always)]
    pub(super) fn of(simd: S, bounds: &Aabb<V>) -> Self {
        let mut low = [<W<V, S>>::splat(simd, bounds.min().axis(0)); 4];
        let mut high = [<W<V, S>>::splat(simd, bounds.max().axis(0)); 4];
        for axis in 1..V::DIM {
            low[axis] = <W<V, S>>::splat(simd, bounds.min().axis(axis));
            high[axis] = <W<V, S>>::splat(simd, bounds.max().axis(axis));
        }
        Self { low, high }
    }

    /// The lanes in which the two boxes meet: `low <= other.high && other.low <= high` on every axis.
    #[inline(always)]
    pub(super) fn meets(&self, other: &Self) -> Mask {
        <W<V, S>>::meet(V::DIM, [&self.low, &self.high], [&other.low, &other.high])
    }

    /// The lanes that hold a box.
    #[inline(always)]
    pub(super) fn filled(&self) -> Mask {
        self.low[0].at_most(self.high[0])
    }

    /// The bounds of the two boxes in each lane.
    #[inline(always)]
    pub(super) fn with(mut self, other: &Self) -> Self {
        for axis in 0..V::DIM {
            self.low[axis] = self.low[axis].smaller(other.low[axis]);
            self.high[axis] = self.high[axis].larger(other.high[axis]);
        }
        self
    }

    #[inline(always)]
    pub(super) fn store(&self, boxes: &mut Boxes<V>) {
        for axis in 0..V::DIM {
            boxes.low.as_mut()[axis].0 = self.low[axis].store();
            boxes.high.as_mut()[axis].0 = self.high[axis].store();
        }
    }

    /// Writes the bounds of all sixteen boxes into one lane of a block.
    #[inline(always)]
    pub(super) fn bound(&self, to: &mut Boxes<V>, lane: usize) {
        for axis in 0..V::DIM {
            to.low.as_mut()[axis].0[lane] = self.low[axis].smallest();
            to.high.as_mut()[axis].0[lane] = self.high[axis].largest();
        }
    }
}
