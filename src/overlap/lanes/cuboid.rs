//! A box against sixteen cells or items at a time.

use fearless_simd::Simd;

use super::{RadiusRange, W, WideRegion, splat};
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

    /// The squared distances to boxes or points, moved by the offset if there is one.
    #[inline(always)]
    fn gap_sq(&self, low: &Columns<V>, high: &Columns<V>, offset: Option<V>) -> W<V, S> {
        let zero = splat::<V, S>(self.simd, Scalar::ZERO);
        let mut sum = zero;
        for axis in 0..V::DIM {
            let above = self.load(low, axis) - self.high[axis];
            let below = self.low[axis] - self.load(high, axis);
            let apart = zero.larger(self.farther(above, below, offset, axis));
            sum = sum + apart * apart;
        }
        sum
    }

    /// The larger of the upward and the downward difference on an axis, shifted by the offset if there is one.
    #[inline(always)]
    fn farther(&self, up: W<V, S>, down: W<V, S>, offset: Option<V>, axis: usize) -> W<V, S> {
        let Some(offset) = offset else {
            return up.larger(down);
        };
        let offset = splat::<V, S>(self.simd, offset.axis(axis));
        (up + offset).larger(down - offset)
    }

    /// The largest squared distances between its points and those of boxes, moved by the offset if there is one.
    #[inline(always)]
    fn far_sq(&self, low: &Columns<V>, high: &Columns<V>, offset: Option<V>) -> W<V, S> {
        let mut sum = splat::<V, S>(self.simd, Scalar::ZERO);
        for axis in 0..V::DIM {
            let above = self.load(high, axis) - self.low[axis];
            let below = self.high[axis] - self.load(low, axis);
            let apart = self.farther(above, below, offset, axis);
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
        <W<V, S>>::meet(V::DIM, &lows, &highs, &self.low, &self.high)
    }

    #[inline(always)]
    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask {
        let mut sum = splat::<V, S>(self.simd, Scalar::ZERO);
        for axis in 0..V::DIM {
            let center = self.load(centers, axis);
            let apart = center - center.larger(self.low[axis]).smaller(self.high[axis]);
            sum = sum + apart * apart;
        }
        let radii = <W<V, S>>::load(self.simd, &radii.0);
        sum.at_most(radii * radii)
    }

    #[inline(always)]
    fn may_meet_balls(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: &RadiusRange<V::Scalar>,
    ) -> Mask {
        let most = <W<V, S>>::load(self.simd, &radii[1].0);
        self.gap_sq(low, high, None).at_most(most * most)
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

/// A box in registers, a limit for the squared distance from its points, and the offset of what is tested in a periodic image.
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
        self.cell.gap_sq(low, high, self.offset)
    }

    /// The largest squared distances between its points and those of boxes.
    #[inline(always)]
    pub(crate) fn far_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.cell.far_sq(low, high, self.offset)
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
