//! Blocks of children and of items, asked one after the other.

use core::ops::Range;

use fearless_simd::Simd;

use super::{Items, Nodes};
use crate::overlap::lanes::{Boxes, Columns, Lanewise, Layout, Probe, Roundings, W};
use crate::simd::{Column, LANES, Mask};
use crate::{Bounded, Vector};

/// The slots of a leaf within its blocks, of which the first and the last may hold items of others:
/// the lanes of the first that are not before the leaf, and behind them the lanes of the last that
/// are not behind it.
pub(super) fn edges_of(from: u32, to: u32) -> u32 {
    let (first, last) = (from % LANES as u32, (to - 1) % LANES as u32);
    let (before, behind) = (
        0xffff << first & 0xffff,
        0xffff >> (LANES as u32 - 1 - last),
    );
    before | behind << LANES
}

/// Blocks of children that lie together.
pub(super) struct Cells<'a, V: Vector> {
    boxes: &'a [Boxes<V>],
    roundings: &'a [Roundings<V::Scalar>],
}

impl<V: Vector> Cells<'_, V> {
    /// The children of a block whose items may overlap.
    #[inline(always)]
    pub(super) fn meets<S: Simd>(&self, probe: &impl Lanewise<V, S>, block: usize) -> Mask {
        let Boxes { low, high } = &self.boxes[block];
        match self.roundings.get(block) {
            Some(radii) => probe.meets_rounded(low, high, radii),
            None => probe.meets_boxes(low, high),
        }
    }

    /// Lower bounds of the squared distances of what the children of a block hold.
    #[inline(always)]
    pub(super) fn near_sq<S: Simd>(&self, probe: &Probe<V, S, false>, block: usize) -> W<V, S> {
        let Boxes { low, high } = &self.boxes[block];
        let near = probe.near_sq(low, high);
        match self.roundings.get(block) {
            Some(radii) => probe.beyond_sq(near, &radii[1]),
            None => near,
        }
    }

    /// The children of a block whose items all overlap.
    #[inline(always)]
    pub(super) fn holds<S: Simd>(&self, probe: &impl Lanewise<V, S>, block: usize) -> Mask {
        let Boxes { low, high } = &self.boxes[block];
        match self.roundings.get(block) {
            Some(radii) => probe.holds_rounded(low, high, radii),
            None => probe.holds(low, high),
        }
    }
}

impl<V: Vector> Nodes<V> {
    /// The cells of some blocks of children.
    #[inline(always)]
    pub(super) fn cells<T: Bounded<Vector = V>>(&self, blocks: Range<usize>) -> Cells<'_, V> {
        Cells {
            boxes: &self.cells[blocks.clone()],
            roundings: if T::HAS_RADIUS {
                &self.roundings[blocks]
            } else {
                &[]
            },
        }
    }
}

/// Blocks of items that lie together.
pub(super) struct Blocks<'a, V: Vector> {
    points: &'a [Columns<V>],
    highs: &'a [Columns<V>],
    radii: &'a [Column<V::Scalar>],
}

impl<T: Bounded> Items<T> {
    #[inline(always)]
    pub(super) fn blocks(&self, blocks: Range<usize>) -> Blocks<'_, T::Vector> {
        let boxes = T::LAYOUT == Layout::Box;
        let balls = T::LAYOUT == Layout::Ball;
        Blocks {
            points: &self.points[blocks.clone()],
            highs: if boxes {
                &self.highs[blocks.clone()]
            } else {
                &[]
            },
            radii: if balls { &self.radii[blocks] } else { &[] },
        }
    }
}

impl<V: Vector> Blocks<'_, V> {
    /// The items of a block that overlap.
    #[inline(always)]
    pub(super) fn meets<T: Bounded<Vector = V>, S: Simd>(
        &self,
        simd: S,
        probe: &impl Lanewise<V, S>,
        block: usize,
    ) -> Mask {
        match T::LAYOUT {
            Layout::Whole => Mask::new(simd, 0),
            Layout::Point => probe.meets_points(&self.points[block]),
            Layout::Box => probe.meets_boxes(&self.points[block], &self.highs[block]),
            Layout::Ball => probe.meets_balls(&self.points[block], &self.radii[block]),
        }
    }

    /// The squared distances of the items of a block.
    #[inline(always)]
    pub(super) fn distance_sq<T: Bounded<Vector = V>, S: Simd>(
        &self,
        probe: &Probe<V, S, false>,
        block: usize,
    ) -> W<V, S> {
        match T::LAYOUT {
            Layout::Box => probe.near_sq(&self.points[block], &self.highs[block]),
            Layout::Whole | Layout::Point => probe.point_sq(&self.points[block]),
            Layout::Ball => {
                let apart = probe.point_sq(&self.points[block]);
                probe.beyond_sq(apart, &self.radii[block])
            }
        }
    }
}
