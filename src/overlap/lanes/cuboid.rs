//! A box in registers, asked about sixteen cells or items at once.

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

    /// The lanes in which a row of boxes or points meets this on one axis.
    #[inline(always)]
    fn meets_on(&self, low: W<V, S>, high: W<V, S>, axis: usize) -> Mask {
        low.at_most(self.high[axis]) & self.low[axis].at_most(high)
    }

    /// The squared distances from this to boxes or points.
    #[inline(always)]
    fn gap_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.gap_sq_in::<false>(low, high, V::splat(Scalar::ZERO))
    }

    /// Squared distances to boxes or points that are seen in an image, if it is one.
    #[inline(always)]
    fn gap_sq_in<const IMAGE: bool>(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        offset: V,
    ) -> W<V, S> {
        let zero = splat::<V, S>(self.simd, Scalar::ZERO);
        let mut sum = zero;
        for axis in 0..V::DIM {
            let mut above = self.load(low, axis) - self.high[axis];
            let mut below = self.low[axis] - self.load(high, axis);
            if IMAGE {
                let offset = splat::<V, S>(self.simd, offset.axis(axis));
                (above, below) = (above + offset, below - offset);
            }
            let apart = zero.larger(above.larger(below));
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
    fn meets_row(&self, coordinates: &[V::Scalar], stride: usize) -> Mask {
        let mut mask = Mask::new(self.simd, !0);
        for axis in 0..V::DIM {
            let lanes = coordinates[axis * stride..].first_chunk();
            let lanes = lanes.expect("sixteen lanes to the end of the last axis");
            let lanes = <W<V, S>>::load(self.simd, lanes);
            mask = mask & self.meets_on(lanes, lanes, axis);
        }
        mask
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
        self.gap_sq(low, high).at_most(most * most)
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

    /// Those whose centers lie inside.
    #[inline(always)]
    fn holds_balls(&self, low: &Columns<V>, high: &Columns<V>, _: &RadiusRange<V::Scalar>) -> Mask {
        self.holds(low, high)
    }
}

/// A box in registers, and a limit for the squared distance from its points.
#[derive(Clone, Copy)]
pub(crate) struct Nearby<V: Vector, S: Simd> {
    cell: Cuboid<V, S>,
    limit: W<V, S>,
}

impl<V: Vector, S: Simd> Nearby<V, S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, cell: &Aabb<V>, limit: V::Scalar) -> Self {
        Self {
            cell: Cuboid::new(simd, cell),
            limit: splat::<V, S>(simd, limit),
        }
    }

    /// The squared distances from this to sixteen boxes or points.
    #[inline(always)]
    pub(crate) fn gap_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.cell.gap_sq(low, high)
    }

    /// The largest squared distances between points of this and of sixteen boxes.
    #[inline(always)]
    pub(crate) fn far_sq(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.far_sq_in::<false>(low, high, V::splat(Scalar::ZERO))
    }

    /// Largest squared distances to boxes that are seen in an image, if it is one.
    #[inline(always)]
    fn far_sq_in<const IMAGE: bool>(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        offset: V,
    ) -> W<V, S> {
        let cell = &self.cell;
        let mut sum = splat::<V, S>(cell.simd, Scalar::ZERO);
        for axis in 0..V::DIM {
            let mut above = cell.load(high, axis) - cell.low[axis];
            let mut below = cell.high[axis] - cell.load(low, axis);
            if IMAGE {
                let offset = splat::<V, S>(cell.simd, offset.axis(axis));
                (above, below) = (above + offset, below - offset);
            }
            let apart = above.larger(below);
            sum = sum + apart * apart;
        }
        sum
    }

    /// The lanes of those of sixteen boxes that may hold a point within the limit of one of this.
    #[inline(always)]
    pub(crate) fn meets(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.gap_sq(low, high).at_most(self.limit)
    }

    /// The lanes of those of sixteen boxes all whose points are within the limit of all of this.
    #[inline(always)]
    pub(crate) fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.far_sq(low, high).at_most(self.limit)
    }

    /// As [`meets`](Self::meets), of boxes that are seen an offset away.
    #[inline(always)]
    pub(crate) fn meets_image(&self, low: &Columns<V>, high: &Columns<V>, offset: V) -> Mask {
        let gap_sq = self.cell.gap_sq_in::<true>(low, high, offset);
        gap_sq.at_most(self.limit)
    }

    /// As [`holds`](Self::holds), of boxes that are seen an offset away.
    #[inline(always)]
    pub(crate) fn holds_image(&self, low: &Columns<V>, high: &Columns<V>, offset: V) -> Mask {
        self.far_sq_in::<true>(low, high, offset)
            .at_most(self.limit)
    }
}
