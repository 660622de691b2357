//! What rounded values already prove.
//!
//! Let `u` be the unit roundoff (half of `EPSILON`), `N` the smallest normal number, `n` the
//! dimension, `k = n + 4` and `g = ku`. Two non-negative quantities `A` and `B` are compared, each the
//! square of a distance or of a radius; `a` and `b` are their rounded values.
//!
//! **Rounding.** A difference or sum of two inputs errs by one factor `1 + δ`, `|δ| <= u`, and has no
//! underflow error: subnormal sums are exact. Maximum and minimum add nothing, since rounding is
//! monotone: the largest rounded value is the rounded largest value. In the metric of an ellipsoid
//! the division adds one factor. The square doubles these and adds one, and the sum over the axes
//! adds at most `n - 1`. A distance to the nearest point, the farthest corner or the nearest face, the
//! last of which is one square, thus has at most `k` factors, and so has the square of a radius, or of
//! a sum or difference of two.
//!
//! **Underflow.** A quotient or square below `N` errs by at most half the spacing of subnormal
//! numbers, `uN`; a quotient that small has a square of 0. Over all axes and later roundings that is
//! less than `2.02 k u N`:
//!
//! `a <= A (1 + u)^k + 2.02 gN` and `b >= B (1 - u)^k - 2.02 gN`.
//!
//! **Ranks.** The bits of a non-negative float, read as an integer, are its rank among them. The
//! spacing above `x` is at least `2uN`, and at least `ux`. So if the ranks of `x < y` differ by more
//! than `8k`, then `y - x > 8g max(2N, x)`.
//!
//! **Claim.** Let `g <= 1/32`. If the ranks of `a` and `b` differ by more than `8k`, the order of `A`
//! and `B` is that of `a` and `b`. Let `x < y` be the two rounded values, `X` and `Y` the exact ones,
//! and suppose `Y <= X`. With `q = ((1 + u) / (1 - u))^k < 1 + 2.2 g` the two bounds give
//! `y <= q (x + 2.02 gN) + 2.02 gN < x + 2.2 gx + 4.2 gN`, and that is less than `x + 8g max(2N, x)`: a
//! contradiction.
//!
//! **Overflow.** Let the exponents of `a` and `b` have no upper end; the claim holds of these just the
//! same. Where a real one overflows it is infinity, whose rank is one more than that of the largest
//! float, and no more than that of the number it stands for: what the real ranks prove, those prove.
//! Only a difference in the metric of an ellipsoid may overflow although its quotient would not.
//! That quotient is more than 1, since no semi-axis overflows, and 1 is what it is compared with.
//!
//! Where neither order is proved, the caller computes exactly. That happens at ties, within a
//! relative distance of about `16 k u` of them, and where both overflow or vanish.

use core::cmp::Ordering;

use crate::vector::{Scalar, Vector};

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
