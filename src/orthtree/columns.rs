//! Reading single lanes: what is asked of items and cells one by one.

use core::ops::Deref;

use super::Orthtree;
use crate::overlap::Extent;
use crate::overlap::lanes::{Layout, cell_columns};
use crate::simd::{Column, LANES};
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

/// The box whose lows and highs lie in two groups of columns.
#[inline(always)]
fn corners<V: Vector>(
    lows: &[Column<V::Scalar>],
    highs: &[Column<V::Scalar>],
    lane: usize,
) -> Aabb<V> {
    Aabb::from_corners(
        V::from_fn(|axis| lows[axis].0[lane]),
        V::from_fn(|axis| highs[axis].0[lane]),
    )
}

impl<T: Bounded> Orthtree<T> {
    /// The item at a slot.
    #[inline(always)]
    pub(super) fn held(&self, slot: u32) -> Held<'_, T> {
        match self.made(slot as usize) {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.kept[slot as usize]),
        }
    }

    #[inline(always)]
    fn made(&self, slot: usize) -> Option<T> {
        let axes = T::Vector::DIM;
        let lane = slot % LANES;
        let many = T::LAYOUT.columns(axes);
        let columns = &self.items[slot / LANES * many..][..many];
        let (core, rounding) = match T::LAYOUT {
            Layout::Whole => return None,
            Layout::Point => (corners(columns, columns, lane), Scalar::ZERO),
            Layout::Box => (corners(columns, &columns[axes..], lane), Scalar::ZERO),
            Layout::Ball => (corners(columns, columns, lane), columns[axes].0[lane]),
        };
        T::from_parts(core, rounding)
    }

    /// The bounds of a child, which lies at a lane of all blocks.
    #[inline(always)]
    pub(super) fn cell(&self, lane: u32) -> Extent<T::Vector> {
        let axes = T::Vector::DIM;
        let (block, lane) = (lane as usize / LANES, lane as usize % LANES);
        let many = cell_columns::<T>();
        let columns = &self.nodes.columns[block * many..][..many];
        let rounding = |column: usize| {
            if T::ROUNDED {
                columns[2 * axes + column].0[lane]
            } else {
                Scalar::ZERO
            }
        };
        Extent {
            core: corners(columns, &columns[axes..], lane),
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
