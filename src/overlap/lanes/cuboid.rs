//! A box against sixteen cells or items at a time.

use fearless_simd::Simd;

use super::{Radii, W, WideRegion, splat};
use crate::overlap::columns::Columns;
use crate::shape::Aabb;
use crate::simd::{Column, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// A box in registers.
#[derive(Clone, Copy)]
pub(crate) struct Cuboid<V: Vector, S: Simd> {
    simd: S,
    low: [W<V, S>; 4],
    high: [W<V, S>; 4],
}

impl<V: Vector, S: Simd> Cuboid<V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, cuboid: &Aabb<V>) -> Self {
        let zero = splat::<V, S>(simd, Scalar::ZERO);
        let (mut low, mut high) = ([zero; 4], [zero; 4]);
        for axis in 0..V::DIM {
            low[axis] = splat::<V, S>(simd, cuboid.min().axis(axis));
            high[axis] = splat::<V, S>(simd, cuboid.max().axis(axis));
        }
        Self { simd, low, high }
    }

    #[inline(always)]
    fn load(&self, columns: &Columns<V>, axis: usize) -> W<V, S> {
        <W<V, S>>::load(self.simd, &columns.as_ref()[axis].0)
    }

    /// The squared distances from its nearest point to the nearest points of boxes or, with `is_far`, between the farthest
    /// points. `by` is the offset of the boxes.
    #[inline(always)]
    fn apart_sq(&self, [low, high]: [&Columns<V>; 2], by: Option<V>, is_far: bool) -> W<V, S> {
        let zero = splat::<V, S>(self.simd, Scalar::ZERO);
        let mut sum = zero;
        for axis in 0..V::DIM {
            let (low, high) = (self.load(low, axis), self.load(high, axis));
            let (mut up, mut down) = (low - self.high[axis], self.low[axis] - high);
            if is_far {
                (up, down) = (high - self.low[axis], self.high[axis] - low);
            }
            if let Some(by) = by {
                let by = splat::<V, S>(self.simd, by.axis(axis));
                (up, down) = (up + by, down - by);
            }
            let mut apart = up.larger(down);
            if !is_far {
                apart = zero.larger(apart);
            }
            sum = sum + apart * apart;
        }
        sum
    }
}

impl<V: Vector, S: Simd> WideRegion<V, S> for Cuboid<V, S> {
    #[inline(always)]
    fn meets_points(&self, points: &Columns<V>) -> Mask {
        self.meets_boxes(points, points)
    }

    #[inline(always)]
    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        let (mut lows, mut highs) = (self.low, self.high);
        for axis in 0..V::DIM {
            lows[axis] = self.load(low, axis);
            highs[axis] = self.load(high, axis);
        }
        <W<V, S>>::meet(V::DIM, [&lows, &highs], [&self.low, &self.high])
    }

    #[inline(always)]
    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask {
        let radii = <W<V, S>>::load(self.simd, &radii.0);
        self.apart_sq([centers, centers], None, false)
            .at_most(radii * radii)
    }

    #[inline(always)]
    fn may_meet_balls(&self, low: &Columns<V>, high: &Columns<V>, radii: &Radii<V>) -> Mask {
        let most = <W<V, S>>::load(self.simd, &radii[1].0);
        self.apart_sq([low, high], None, false).at_most(most * most)
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        let mut mask = Mask::new(self.simd, !0);
        for axis in 0..V::DIM {
            let above = self.low[axis].at_most(self.load(low, axis));
            mask = mask & above & self.load(high, axis).at_most(self.high[axis]);
        }
        mask
    }
}

/// A box in registers, and a limit for the squared distance from its points. In a periodic image, the boxes and points
/// that it is compared with are moved by an offset.
#[derive(Clone, Copy)]
pub(crate) struct Nearby<V: Vector, S: Simd> {
    cell: Cuboid<V, S>,
    limit: W<V, S>,
    offset: Option<V>,
}

impl<V: Vector, S: Simd> Nearby<V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, cell: &Aabb<V>, limit: V::Scalar, offset: Option<V>) -> Self {
        Self {
            cell: Cuboid::new(simd, cell),
            limit: splat::<V, S>(simd, limit),
            offset,
        }
    }

    /// The squared distances from its points to boxes or points.
    #[inline(always)]
    pub(crate) fn gap_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.cell.apart_sq([low, high], self.offset, false)
    }

    /// The largest squared distances between its points and those of boxes.
    #[inline(always)]
    pub(crate) fn far_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.cell.apart_sq([low, high], self.offset, true)
    }

    /// The boxes that may hold a point within the limit of one of its points.
    #[inline(always)]
    pub(crate) fn meets(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.gap_sq(low, high).at_most(self.limit)
    }

    /// The boxes whose points are all within the limit of all of its points.
    #[inline(always)]
    pub(crate) fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.far_sq(low, high).at_most(self.limit)
    }
}
