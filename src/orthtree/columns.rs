//! Single lanes: what is asked of items and cells one by one.

use core::ops::Deref;

use super::Orthtree;
use crate::overlap::Extent;
use crate::overlap::lanes::{Columns, Layout};
use crate::simd::LANES;
use crate::{Aabb, Bounded, Scalar, Vector};

/// An item that is kept as it is, or made from its columns.
pub(super) enum Held<'a, T> {
    Kept(&'a T),
    Made(T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        match self {
            Self::Kept(item) => item,
            Self::Made(item) => item,
        }
    }
}

/// One of sixteen points.
#[inline(always)]
fn point<V: Vector>(columns: &Columns<V>, lane: usize) -> V {
    V::from_fn(|axis| columns.as_ref()[axis].0[lane])
}

/// Makes a point one of sixteen.
#[inline(always)]
pub(super) fn set<V: Vector>(columns: &mut Columns<V>, lane: usize, to: V) {
    for axis in 0..V::DIM {
        put::<V>(columns, axis, lane, to.axis(axis));
    }
}

/// Makes a number a coordinate of one of sixteen points.
#[inline(always)]
pub(super) fn put<V: Vector>(columns: &mut Columns<V>, axis: usize, lane: usize, to: V::Scalar) {
    columns.as_mut()[axis].0[lane] = to;
}

impl<T: Bounded> Orthtree<T> {
    /// The item at a slot.
    #[inline(always)]
    pub(super) fn held(&self, slot: u32) -> Held<'_, T> {
        match self.made(slot as usize) {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.items.whole[slot as usize]),
        }
    }

    #[inline(always)]
    fn made(&self, slot: usize) -> Option<T> {
        let (block, lane) = (slot / LANES, slot % LANES);
        let first = || point::<T::Vector>(&self.items.points[block], lane);
        let (core, rounding) = match T::LAYOUT {
            Layout::Whole => return None,
            Layout::Point => (Aabb::point(first()), Scalar::ZERO),
            Layout::Box => {
                let high = point(&self.items.highs[block], lane);
                (Aabb::from_corners(first(), high), Scalar::ZERO)
            }
            Layout::Ball => (Aabb::point(first()), self.items.radii[block].0[lane]),
        };
        T::from_parts(core, rounding)
    }

    /// The bounds of a child, which lies at a lane of all blocks.
    #[inline(always)]
    pub(super) fn cell(&self, lane: u32) -> Extent<T::Vector> {
        let (block, lane) = (lane as usize / LANES, lane as usize % LANES);
        let cells = &self.nodes.cells[block];
        let rounding = |end: usize| {
            let radii = self.nodes.roundings.get(block);
            radii.map_or(Scalar::ZERO, |radii| radii[end].0[lane])
        };
        Extent {
            core: Aabb::from_corners(point(&cells.low, lane), point(&cells.high, lane)),
            least: rounding(0),
            most: rounding(1),
        }
    }

    /// The lane of the root.
    #[inline(always)]
    pub(super) fn root_lane(&self) -> Option<u32> {
        let last = self.nodes.children.len().checked_sub(1)?;
        Some((last * LANES) as u32)
    }
}
