//! A ball, shell or norm ball against sixteen cells or items at a time.

use fearless_simd::Simd;

use super::{Ball, Measure, Radii, W, WideRegion, splat};
use crate::overlap::columns::Columns;
use crate::simd::{Column, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// A ball in registers, for tests of sixteen cells or items at a time. With `HOLLOW` it may have an inner radius,
/// with `MEASURE` another norm than Euclid's, or an offset.
#[derive(Clone, Copy)]
pub(crate) struct Probe<V: Vector, S: Simd, const HOLLOW: bool, const MEASURE: bool = false> {
    simd: S,
    center: [W<V, S>; 4],
    /// Zeros without `MEASURE`.
    offset: [W<V, S>; 4],
    outer: W<V, S>,
    inner: W<V, S>,
    outer_sq: W<V, S>,
    inner_sq: W<V, S>,
    /// Read only with `HOLLOW`: reading it takes a fifteenth of a query for ten points.
    hollow: bool,
    measure: Measure<V>,
}

impl<V: Vector, S: Simd, const HOLLOW: bool, const MEASURE: bool> Probe<V, S, HOLLOW, MEASURE> {
    #[inline(always)]
    pub(crate) fn new(simd: S, ball: &Ball<V>) -> Self {
        let zero = splat::<V, S>(simd, Scalar::ZERO);
        let measure = if MEASURE {
            ball.measure
        } else {
            Measure::Euclid
        };
        let (mut center, mut offset) = ([zero; 4], [zero; 4]);
        for (axis, lanes) in center.iter_mut().enumerate().take(V::DIM) {
            *lanes = splat::<V, S>(simd, ball.center.axis(axis));
            if MEASURE {
                offset[axis] = splat::<V, S>(simd, ball.offset.axis(axis));
            }
        }
        Self {
            simd,
            center,
            offset,
            outer: splat::<V, S>(simd, ball.outer),
            inner: splat::<V, S>(simd, ball.inner),
            outer_sq: splat::<V, S>(simd, measure.of_length(ball.outer)),
            inner_sq: splat::<V, S>(simd, measure.of_length(ball.inner)),
            hollow: ball.hollow,
            measure,
        }
    }

    #[inline(always)]
    fn load(&self, column: &Column<V::Scalar>) -> W<V, S> {
        <W<V, S>>::load(self.simd, &column.0)
    }

    /// The sum of squares of differences on all axes. Closures passed here must be `#[inline(always)]`; otherwise they lose the caller's
    /// instructions.
    #[inline(always)]
    fn sum(on: impl Fn(usize) -> W<V, S>) -> W<V, S> {
        let first = on(0);
        let mut sum = first * first;
        for axis in 1..V::DIM {
            let next = on(axis);
            sum = sum + next * next;
        }
        sum
    }

    /// The measure of differences on all axes.
    #[inline(always)]
    fn measured(&self, on: impl Fn(usize) -> W<V, S>) -> W<V, S> {
        if !MEASURE {
            return Self::sum(on);
        }
        let mut apart = self.center;
        for (axis, apart) in apart.iter_mut().enumerate().take(V::DIM) {
            *apart = on(axis);
        }
        if matches!(self.measure, Measure::Euclid) {
            return Self::sum(
                #[inline(always)]
                |axis| apart[axis],
            );
        }
        self.measure.of_lanes(self.simd, apart)
    }

    /// The measure of the differences to points.
    #[inline(always)]
    pub(crate) fn point_measure(&self, points: &Columns<V>) -> W<V, S> {
        self.measured(
            #[inline(always)]
            |axis| self.from(&points.as_ref()[axis], axis),
        )
    }

    /// The measure of the differences to the nearest points of boxes.
    #[inline(always)]
    pub(crate) fn near_measure(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.measured(
            #[inline(always)]
            |axis| self.near_on(low, high, axis),
        )
    }

    /// The measure of the differences to the farthest corners of boxes.
    #[inline(always)]
    fn far_measure(&self, low: &Columns<V>, high: &Columns<V>) -> W<V, S> {
        self.measured(
            #[inline(always)]
            |axis| self.far_on(low, high, axis),
        )
    }

    /// Differences from the center to coordinates.
    #[inline(always)]
    fn to(&self, coordinates: &Column<V::Scalar>, axis: usize) -> W<V, S> {
        let apart = self.load(coordinates) - self.center[axis];
        if MEASURE {
            return apart + self.offset[axis];
        }
        apart
    }

    /// Differences from coordinates to the center.
    #[inline(always)]
    fn from(&self, coordinates: &Column<V::Scalar>, axis: usize) -> W<V, S> {
        let apart = self.center[axis] - self.load(coordinates);
        if MEASURE {
            return apart - self.offset[axis];
        }
        apart
    }

    #[inline(always)]
    fn near_on(&self, low: &Columns<V>, high: &Columns<V>, axis: usize) -> W<V, S> {
        if !MEASURE {
            // One instruction less: clamp the center to the box. The sign of the difference does not matter.
            let low = self.load(&low.as_ref()[axis]);
            let high = self.load(&high.as_ref()[axis]);
            return self.center[axis] - low.larger(self.center[axis]).smaller(high);
        }
        let below = self.to(&low.as_ref()[axis], axis);
        let above = self.from(&high.as_ref()[axis], axis);
        splat::<V, S>(self.simd, Scalar::ZERO).larger(below.larger(above))
    }

    #[inline(always)]
    fn far_on(&self, low: &Columns<V>, high: &Columns<V>, axis: usize) -> W<V, S> {
        let above = self.from(&low.as_ref()[axis], axis);
        above.larger(self.to(&high.as_ref()[axis], axis))
    }

    /// The squared distances to sixteen balls, from those to their centers: `distance::beyond_sq` in lanes.
    #[inline(always)]
    pub(crate) fn beyond_sq(&self, distances_sq: W<V, S>, radii: &Column<V::Scalar>) -> W<V, S> {
        let number = |lane: V::Scalar| splat::<V, S>(self.simd, lane);
        let (zero, radii) = (number(Scalar::ZERO), self.load(radii));
        // Adds a little more than half of the distance to the next number, so that the sum rounds to it for every
        // normal `x`. Roots are normal, and so is a difference that was rounded.
        let epsilon = V::Scalar::EPSILON;
        let step = number(epsilon * Scalar::from_f64(0.5) * (V::Scalar::ONE + epsilon));
        let next_up = |x: W<V, S>| x + x * step;

        let root = distances_sq.sqrt();
        let root = root.only(distances_sq.at_most(root * root), next_up(root));
        let beyond = (root - radii).larger(zero);
        let beyond = beyond.only(root.at_most(beyond + radii), next_up(beyond));
        let square = beyond * beyond;
        let least = number(V::Scalar::ZERO.next_up());
        let is_normal = number(Scalar::MIN_POSITIVE).at_most(square);
        let square = square.only(is_normal, square + least);
        zero.only(beyond.at_most(zero), square)
    }

    /// The outer and the inner limit of measures. For balls, their radii are added to the outer one and subtracted from the
    /// inner one.
    #[inline(always)]
    fn limits(&self, radii: Option<&Column<V::Scalar>>) -> (W<V, S>, W<V, S>) {
        let Some(radii) = radii else {
            return (self.outer_sq, self.inner_sq);
        };
        let (zero, radii) = (splat::<V, S>(self.simd, Scalar::ZERO), self.load(radii));
        let (sum, left) = (self.outer + radii, zero.larger(self.inner - radii));
        (sum * sum, left * left)
    }

    /// The points or balls that overlap, by the measures to their centers.
    #[inline(always)]
    fn meets_at(&self, apart: W<V, S>, radii: Option<&Column<V::Scalar>>) -> Mask {
        let (outer, inner) = self.limits(radii);
        let mut mask = apart.at_most(outer);
        if HOLLOW && self.hollow {
            mask = mask & inner.at_most(apart);
        }
        mask
    }

    /// The cells between the inner and the outer limit: with `HELD` those that lie there as a whole, otherwise those that
    /// may have a part there.
    #[inline(always)]
    fn compare<const HELD: bool>(
        &self,
        low: &Columns<V>,
        high: &Columns<V>,
        radii: Option<&Column<V::Scalar>>,
    ) -> Mask {
        let (outer, inner) = self.limits(radii);
        let apart = if HELD {
            self.far_measure(low, high)
        } else {
            self.near_measure(low, high)
        };
        let mut mask = apart.at_most(outer);
        if HOLLOW && self.hollow {
            let apart = if HELD {
                self.near_measure(low, high)
            } else {
                self.far_measure(low, high)
            };
            mask = mask & inner.at_most(apart);
        }
        mask
    }
}

impl<V: Vector, S: Simd, const HOLLOW: bool, const MEASURE: bool> WideRegion<V, S>
    for Probe<V, S, HOLLOW, MEASURE>
{
    #[inline(always)]
    fn meets_points(&self, points: &Columns<V>) -> Mask {
        self.meets_at(self.point_measure(points), None)
    }

    #[inline(always)]
    fn meets_boxes(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.compare::<false>(low, high, None)
    }

    #[inline(always)]
    fn meets_balls(&self, centers: &Columns<V>, radii: &Column<V::Scalar>) -> Mask {
        self.meets_at(self.point_measure(centers), Some(radii))
    }

    #[inline(always)]
    fn may_meet_balls(&self, low: &Columns<V>, high: &Columns<V>, radii: &Radii<V>) -> Mask {
        self.compare::<false>(low, high, Some(&radii[1]))
    }

    #[inline(always)]
    fn holds(&self, low: &Columns<V>, high: &Columns<V>) -> Mask {
        self.compare::<true>(low, high, None)
    }

    #[inline(always)]
    fn holds_balls(&self, low: &Columns<V>, high: &Columns<V>, radii: &Radii<V>) -> Mask {
        self.compare::<true>(low, high, Some(&radii[0]))
    }
}
