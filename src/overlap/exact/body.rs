//! Round bodies for exact comparisons with boxes and points: a sphere, a sphere grown or shrunk by another's radius,
//! or an ellipsoid; and the filter, which tells when the rounded values already decide. The filter's proof stands
//! before it.

use core::cmp::Ordering;

use crate::overlap::Relation;
use crate::overlap::exact::integers::{self, Comparison, compare_exactly};
use crate::overlap::lanes::Measure;
use crate::overlap::round::Ball;
use crate::shape::{Aabb, Ellipsoid, Hollow, Sphere};
use crate::vector::{Scalar, Vector};

/// A solid ball or the surface of one, with a length added to its radius. Its methods compare points and boxes with its
/// surface: `Less` is inside.
#[derive(Clone, Copy)]
pub(super) struct Body<V: Vector> {
    pub(super) ball: Ball<V>,
    /// Added to the radius, negative to shrink it. A sum below 0 counts as 0; the sum need not be a float.
    pub(super) by: V::Scalar,
}

impl<V: Vector> From<Sphere<V>> for Body<V> {
    #[inline(always)]
    fn from(sphere: Sphere<V>) -> Self {
        Self::grown(&sphere, Scalar::ZERO)
    }
}

impl<V: Vector> From<Ellipsoid<V>> for Body<V> {
    #[inline(always)]
    fn from(egg: Ellipsoid<V>) -> Self {
        let (ball, by) = (egg.ball(), Scalar::ZERO);
        Self { ball, by }
    }
}

impl<V: Vector, S: Into<Self>> From<Hollow<S>> for Body<V> {
    #[inline(always)]
    fn from(surface: Hollow<S>) -> Self {
        let Self { ball, by } = surface.0.into();
        let ball = ball.surface();
        Self { ball, by }
    }
}

impl<V: Vector> Body<V> {
    #[inline(always)]
    pub(super) fn grown(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        let ball = sphere.ball();
        Self { ball, by }
    }

    /// A sphere with its radius reduced by a length, to 0 if that is more than the radius.
    #[inline(always)]
    pub(super) fn shrunk(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        Self::grown(sphere, V::Scalar::ZERO - by)
    }

    /// Compares a point; one with a NaN coordinate is outside.
    #[inline(always)]
    pub(super) fn point(&self, p: &V) -> Ordering {
        self.decided(self.ball.apart(*p))
            .unwrap_or_else(|| integers::point(*self, p))
    }

    /// Compares the nearest point of a solid box.
    #[inline(always)]
    pub(super) fn near(&self, cell: &Aabb<V>) -> Ordering {
        self.decided(self.ball.near(cell))
            .unwrap_or_else(|| compare_exactly(*self, cell, Comparison::near))
    }

    /// Compares the farthest corner of a box.
    #[inline(always)]
    pub(super) fn far(&self, cell: &Aabb<V>) -> Ordering {
        self.decided(self.ball.far(cell))
            .unwrap_or_else(|| compare_exactly(*self, cell, Comparison::far))
    }

    /// Compares the nearest point of the surface of a box.
    #[inline(always)]
    pub(super) fn surface(&self, cell: &Aabb<V>) -> Ordering {
        self.decided(self.ball.near_surface(cell))
            .unwrap_or_else(|| compare_exactly(*self, cell, Comparison::surface))
    }

    /// Whether it meets a point.
    #[inline(always)]
    pub(super) fn meets_point(&self, p: &V) -> bool {
        let order = self.point(p);
        order.is_eq() || !self.ball.hollow && order.is_lt()
    }

    /// Whether it meets a solid box.
    #[inline(always)]
    pub(super) fn meets_box(&self, cell: &Aabb<V>) -> bool {
        self.near(cell).is_le() && !(self.ball.hollow && self.far(cell).is_lt())
    }

    /// Whether it meets the surface of a box.
    #[inline(always)]
    pub(super) fn meets_surface(&self, cell: &Aabb<V>) -> bool {
        if V::DIM == 1 && self.ball.hollow {
            // Both are two points, so that not every distance between the least and the largest occurs.
            return self.point(&cell.min()).is_eq() || self.point(&cell.max()).is_eq();
        }
        self.surface(cell).is_le() && !(self.ball.hollow && self.far(cell).is_lt())
    }

    /// How it relates to points and boxes in a cell. A surface encloses no cell.
    #[inline(always)]
    pub(super) fn relate(&self, cell: &Aabb<V>) -> Relation {
        let inside = !self.ball.hollow && self.far(cell).is_le();
        Relation::of(!self.meets_box(cell), inside)
    }

    /// How it relates to balls with centers in a cell; for an ellipsoid, to the box around them.
    #[inline]
    pub(super) fn relate_balls(&self, centers: &Aabb<V>, radii: [V::Scalar; 2]) -> Relation {
        let [least, most] = radii;
        if self.ball.measure != Measure::Euclid {
            let outside = !self.meets_box(&centers.grown(most));
            return Relation::of(outside, self.relate(centers) == Relation::Inside);
        }
        let by = |by| Self { by, ..*self };
        let hole = || by(V::Scalar::ZERO - most).far(centers).is_lt();
        Relation::of(
            by(most).near(centers).is_gt() || self.ball.hollow && most <= self.ball.outer && hole(),
            !self.ball.hollow && by(least).far(centers).is_le(),
        )
    }

    /// How an exact squared distance compares with the reach, if the rounded one tells. NaN is outside.
    #[inline(always)]
    fn decided(&self, square: V::Scalar) -> Option<Ordering> {
        let reach = (self.ball.outer + self.by).larger(V::Scalar::ZERO);
        order::<V>(square, reach * reach)
    }
}

// # What rounded values already prove
//
// Let `u` be the unit roundoff (half of `EPSILON`), `N` the smallest normal number, `n` the
// dimension, `k = n + 4` and `g = ku`. Two non-negative quantities `A` and `B` are compared, each the
// square of a distance or of a radius; `a` and `b` are their rounded values.
//
// **Rounding.** A difference or sum of two inputs errs by one factor `1 + δ`, `|δ| <= u`, and has no
// underflow error: subnormal sums are exact. Maximum and minimum add nothing, since rounding is
// monotone: the largest rounded value is the rounded largest value. In the metric of an ellipsoid
// the division adds one factor. The square doubles these and adds one, and the sum over the axes
// adds at most `n - 1`. A distance to the nearest point, the farthest corner or the nearest face, the
// last of which is one square, thus has at most `k` factors, and so has the square of a radius, or of
// a sum or difference of two.
//
// **Underflow.** A quotient or square below `N` errs by at most half the spacing of subnormal
// numbers, `uN`; a quotient that small has a square of 0. Over all axes and later roundings that is
// less than `2.02 k u N`:
//
// `a <= A (1 + u)^k + 2.02 gN` and `b >= B (1 - u)^k - 2.02 gN`.
//
// **Ranks.** The bits of a non-negative float, read as an integer, are its rank among them. The
// spacing above `x` is at least `2uN`, and at least `ux`. So if the ranks of `x < y` differ by more
// than `8k`, then `y - x > 8g max(2N, x)`.
//
// **Claim.** Let `g <= 1/32`. If the ranks of `a` and `b` differ by more than `8k`, the order of `A`
// and `B` is that of `a` and `b`. Let `x < y` be the two rounded values, `X` and `Y` the exact ones,
// and suppose `Y <= X`. With `q = ((1 + u) / (1 - u))^k < 1 + 2.2 g` the two bounds give
// `y <= q (x + 2.02 gN) + 2.02 gN < x + 2.2 gx + 4.2 gN`, and that is less than `x + 8g max(2N, x)`: a
// contradiction.
//
// **Overflow.** The claim holds for floats whose exponents have no upper end. A real float that overflows is
// infinity, whose rank is one more than that of the largest float, and no more than that of the unbounded one: what
// real ranks prove, unbounded ones prove too.
// Only a difference in the metric of an ellipsoid may overflow although its quotient would not.
// That quotient is more than 1, since no semi-axis overflows, and 1 is what it is compared with.
//
// Where neither order is proved, the caller computes exactly. That happens at ties, within a
// relative distance of about `16 k u` of them, and where both overflow or vanish.

// `order` ends in one branch, nearly always taken; a branch on the answer would be hard to predict.

/// The order of two exact values, if their rounded values prove it. The first may be NaN, which is greater than any number.
#[inline(always)]
fn order<V: Vector>(a: V::Scalar, b: V::Scalar) -> Option<Ordering> {
    // Read as unsigned integers, NaNs of both signs are greater than any number.
    let margin = 8 * (V::DIM as u64 + 4);
    let (a, lowest) = (a.to_bits(), b.to_bits().saturating_sub(margin));
    let order = if a < lowest {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    // `g <= 1/32` for `f32`, and more so for `f64`.
    let is_proved = V::DIM <= 1 << 18;
    (a.wrapping_sub(lowest) > 2 * margin && is_proved).then_some(order)
}
