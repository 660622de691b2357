//! What rounded values already prove.
//!
//! Let `u` be the unit roundoff (half of `EPSILON`), `N` the smallest normal number, `n` the
//! dimension and `k = n + 4`. Two non-negative quantities `A` and `B` are compared, each the square of
//! a distance or of a radius; `a` and `b` are their rounded values.
//!
//! **Rounding.** A difference or sum of two inputs errs by one factor `1 + δ`, `|δ| <= u`, and has no
//! underflow error: subnormal sums are exact. Maximum and minimum add nothing, since rounding is
//! monotone: the largest rounded value is the rounded largest value. In the metric of an ellipsoid
//! the division adds one factor. The square doubles these and adds one, and the sum over the axes
//! adds at most `n - 1`. A distance to the nearest point, the farthest corner or the nearest face, the
//! last of which is one square, thus has at most `k` factors, and so has the square of a radius or of
//! a sum of two.
//!
//! **Underflow.** A quotient or square below `N` errs by at most half the spacing of subnormal
//! numbers, `uN`; a quotient that small has a square of 0. Over all axes and later roundings that is
//! less than `2.02 k u N`. With `g = ku`:
//!
//! `a <= A (1 + u)^k + 2.02 gN` and `b >= B (1 - u)^k - 2.02 gN`.
//!
//! **Claim.** If `g <= 1/32`, `a >= N`, `a` is finite and `a > fl(b f)` with `f = 1 + 16 g`, then
//! `A > B`. Suppose `A <= B`. With `q = ((1 + u) / (1 - u))^k < 1 + 2.2 g` the two bounds give
//! `a <= q (b + 2.02 gN) + 2.02 gN`, and since `N <= a`,
//! `a <= b q / (1 - 2.02 g (1 + q)) < b (1 + 8 g)`. The product `fl(b f)` errs by one factor, or by
//! `uN <= ua` where it underflows, so that `a > b f (1 - 2u) >= b (1 + 16 g - 3u) > b (1 + 8 g)`: a
//! contradiction. `f` is a float, since 16 g is a multiple of `EPSILON`.
//!
//! **Overflow.** An overflowed difference or square is infinite and stays so through sums, and what
//! is infinite is larger than all that is finite, so minimum and maximum remain right. An infinite
//! `b f` fails the comparison; an infinite `a` is refused. NaN fails every comparison.
//!
//! Where neither order is proved, the caller computes exactly. That happens at ties, within a
//! relative distance of about `16 k u` of them, and where squares over- or underflow.

use core::cmp::Ordering;

use crate::{Scalar, Vector};

/// The order of two exact values, if their rounded values prove it.
#[inline(always)]
pub(super) fn order<V: Vector>(a: V::Scalar, b: V::Scalar) -> Option<Ordering> {
    // `g <= 1/32` for `f32`, and more so for `f64`.
    if V::DIM > 1 << 18 {
        return None;
    }
    let terms: V::Scalar = Scalar::from_f64((8 * (V::DIM + 4)) as f64);
    let factor = V::Scalar::ONE + terms * V::Scalar::EPSILON;
    let clear = |large: V::Scalar, small: V::Scalar| {
        large > small * factor && large >= Scalar::MIN_POSITIVE && large <= Scalar::MAX
    };
    if clear(b, a) {
        Some(Ordering::Less)
    } else if clear(a, b) {
        Some(Ordering::Greater)
    } else {
        None
    }
}
