//! What is compared with boxes and points: spheres, spheres that are grown or shrunk by another's
//! radius, and ellipsoids; and the filter, which tells when the rounded values already decide. The
//! filter's proof stands before it.

use core::cmp::Ordering;

use dashu_int::IBig;

use crate::overlap::distance::{Metric, ScalarOf, far_sq, near_sq, point_sq, surface_sq};
use crate::overlap::exact::integers::{Lattice, Question, ask};
use crate::overlap::exact::{Exact, integers};
use crate::overlap::round::{Round, Surface};
use crate::shape::{Aabb, Ellipsoid, Sphere};
use crate::vector::{Scalar, Vector};

/// A round body of known center and reach.
pub(super) trait Body: Metric + Copy {
    /// The square of its reach, rounded.
    fn rounded_limit(&self) -> ScalarOf<Self>;

    /// What the reach is made of.
    fn lengths(&self) -> [ScalarOf<Self>; 2];

    /// The reach, in units of the lattice, or of the metric where that has its own.
    fn exact_reach(&self, lattice: Lattice) -> IBig;

    /// What differences on an axis are divided by.
    fn semi_axis(&self, axis: usize) -> Option<ScalarOf<Self>>;
}

/// How a rounded squared distance lies to the surface, if it tells: `Less` is inside.
#[inline(always)]
fn decided<B: Body>(body: &B, square: ScalarOf<B>) -> Option<Ordering> {
    order::<B::Vector>(square, body.rounded_limit())
}

/// How the center of a ball lies to the surface.
#[inline(always)]
pub(super) fn center<B: Body>(body: B, ball: &Sphere<B::Vector>) -> Ordering {
    decided(&body, point_sq(&body, ball.center())).unwrap_or_else(|| integers::center(body, ball))
}

impl<B: Body> Surface for Exact<B> {
    type Vector = B::Vector;

    #[inline(always)]
    fn point(&self, p: &B::Vector) -> Ordering {
        order_or_nan::<B::Vector>(point_sq(&self.0, *p), self.0.rounded_limit())
            .unwrap_or_else(|| integers::point(self.0, p))
    }

    #[inline(always)]
    fn near(&self, cell: &Aabb<B::Vector>) -> Ordering {
        decided(&self.0, near_sq(&self.0, cell))
            .unwrap_or_else(|| ask(self.0, cell, Question::near))
    }

    #[inline(always)]
    fn far(&self, cell: &Aabb<B::Vector>) -> Ordering {
        decided(&self.0, far_sq(&self.0, cell)).unwrap_or_else(|| ask(self.0, cell, Question::far))
    }

    #[inline(always)]
    fn surface(&self, cell: &Aabb<B::Vector>) -> Ordering {
        decided(&self.0, surface_sq(&self.0, cell))
            .unwrap_or_else(|| ask(self.0, cell, Question::surface))
    }

    #[inline(always)]
    fn pierces(&self, cell: &Aabb<B::Vector>) -> bool {
        let (near, far) = (near_sq(&self.0, cell), far_sq(&self.0, cell));
        in_order::<B::Vector>(near, self.0.rounded_limit(), far)
            .unwrap_or_else(|| ask(self.0, cell, Question::pierces))
    }

    #[inline(always)]
    fn surfaces_meet(&self, cell: &Aabb<B::Vector>) -> bool {
        if B::Vector::DIM == 1 {
            // Both are two points, so that not every distance between the least and the largest occurs.
            return self.point(&cell.min()).is_eq() || self.point(&cell.max()).is_eq();
        }
        let (surface, far) = (surface_sq(&self.0, cell), far_sq(&self.0, cell));
        in_order::<B::Vector>(surface, self.0.rounded_limit(), far)
            .unwrap_or_else(|| ask(self.0, cell, Question::surfaces_meet))
    }
}

impl<V: Vector> Body for Sphere<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        self.limit()
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [self.radius(), Scalar::ZERO]
    }

    fn exact_reach(&self, lattice: Lattice) -> IBig {
        lattice.integer(self.radius())
    }

    #[inline(always)]
    fn semi_axis(&self, _axis: usize) -> Option<V::Scalar> {
        None
    }
}

impl<V: Vector> Body for Ellipsoid<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        self.limit()
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [Scalar::ZERO; 2]
    }

    fn exact_reach(&self, _lattice: Lattice) -> IBig {
        IBig::ONE
    }

    #[inline(always)]
    fn semi_axis(&self, axis: usize) -> Option<V::Scalar> {
        Some(self.semi_axes().axis(axis))
    }
}

/// A sphere whose radius is the sum or difference of two, which need be no float.
#[derive(Clone, Copy)]
pub(super) struct Offset<V: Vector> {
    center: V,
    radius: V::Scalar,
    by: V::Scalar,
    outwards: bool,
}

impl<V: Vector> Offset<V> {
    #[inline(always)]
    pub(super) fn grown(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        Self {
            center: sphere.center(),
            radius: sphere.radius(),
            by,
            outwards: true,
        }
    }

    /// To nothing but the center, if the radius is smaller.
    #[inline(always)]
    pub(super) fn shrunk(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        Self {
            center: sphere.center(),
            radius: sphere.radius(),
            by,
            outwards: false,
        }
    }
}

impl<V: Vector> Metric for Offset<V> {
    type Vector = V;

    #[inline(always)]
    fn middle(&self) -> V {
        self.center
    }

    #[inline(always)]
    fn scaled(&self, _axis: usize, difference: V::Scalar) -> V::Scalar {
        difference
    }
}

impl<V: Vector> Body for Offset<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        let reach = if self.outwards {
            self.radius + self.by
        } else {
            (self.radius - self.by).larger(V::Scalar::ZERO)
        };
        reach * reach
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [self.radius, self.by]
    }

    fn exact_reach(&self, lattice: Lattice) -> IBig {
        let [radius, by] = self.lengths().map(|length| lattice.integer(length));
        if self.outwards {
            radius + by
        } else {
            (radius - by).max(IBig::ZERO)
        }
    }

    #[inline(always)]
    fn semi_axis(&self, _axis: usize) -> Option<V::Scalar> {
        None
    }
}

/// How the room for a ball in a box, on the axis with the least, lies to its radius.
#[inline(always)]
pub(super) fn room_for_ball<V: Vector>(cell: &Aabb<V>, ball: &Sphere<V>) -> Ordering {
    room(cell, ball.center(), |_| ball.radius())
        .unwrap_or_else(|| integers::room_for_ball(*cell, ball))
}

/// How that for an ellipsoid lies to its semi-axis there.
#[inline(always)]
pub(super) fn room_for_ellipsoid<V: Vector>(cell: &Aabb<V>, egg: &Ellipsoid<V>) -> Ordering {
    room(cell, egg.center(), |axis| egg.semi_axes().axis(axis))
        .unwrap_or_else(|| integers::room_for_ellipsoid(*cell, egg))
}

#[inline(always)]
fn room<V: Vector>(
    cell: &Aabb<V>,
    center: V,
    reach: impl Fn(usize) -> V::Scalar,
) -> Option<Ordering> {
    for i in 0..V::DIM {
        let (c, length) = (center.axis(i), reach(i));
        let least = (c - cell.min().axis(i)).smaller(cell.max().axis(i) - c);
        // A float stands for itself, and rounding is monotone: only equality is open.
        if least <= length {
            return (least < length).then_some(Ordering::Less);
        }
    }
    Some(Ordering::Greater)
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
// **Overflow.** Let the exponents of `a` and `b` have no upper end; the claim holds of these just the
// same. Where a real one overflows it is infinity, whose rank is one more than that of the largest
// float, and no more than that of the number it stands for: what the real ranks prove, those prove.
// Only a difference in the metric of an ellipsoid may overflow although its quotient would not.
// That quotient is more than 1, since no semi-axis overflows, and 1 is what it is compared with.
//
// Where neither order is proved, the caller computes exactly. That happens at ties, within a
// relative distance of about `16 k u` of them, and where both overflow or vanish.

// Each ends in one branch, nearly always taken: which of the answers holds would be hard to predict.

/// The order of two exact values, if their rounded values prove it.
#[inline(always)]
pub(super) fn order<V: Vector>(a: V::Scalar, b: V::Scalar) -> Option<Ordering> {
    let apart = rank(a) - rank(b);
    let order = if apart < 0 {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    is_clear::<V>(apart).then_some(order)
}

/// The same where the first may be NaN, which is greater than any number.
#[inline(always)]
pub(super) fn order_or_nan<V: Vector>(a: V::Scalar, b: V::Scalar) -> Option<Ordering> {
    // As unsigned integers NaNs of both signs are greater.
    let margin = margin::<V>();
    let (a, lowest) = (a.to_bits(), b.to_bits().saturating_sub(margin));
    let order = if a < lowest {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    (a.wrapping_sub(lowest) > 2 * margin && is_proved::<V>()).then_some(order)
}

/// Whether `a <= b <= c` holds of three exact values, if their rounded values prove it or its
/// contrary.
#[inline(always)]
pub(super) fn in_order<V: Vector>(a: V::Scalar, b: V::Scalar, c: V::Scalar) -> Option<bool> {
    let [a, b, c] = [a, b, c].map(rank);
    let most = (a - b).max(b - c);
    is_clear::<V>(most).then_some(most < 0)
}

#[inline(always)]
fn rank<S: Scalar>(x: S) -> i64 {
    x.to_bits() as i64
}

#[inline(always)]
fn margin<V: Vector>() -> u64 {
    8 * (V::DIM as u64 + 4)
}

#[inline(always)]
fn is_clear<V: Vector>(apart: i64) -> bool {
    let margin = margin::<V>() as i64;
    !(-margin..=margin).contains(&apart) && is_proved::<V>()
}

/// `g <= 1/32` for `f32`, and more so for `f64`.
#[inline(always)]
fn is_proved<V: Vector>() -> bool {
    V::DIM <= 1 << 18
}
