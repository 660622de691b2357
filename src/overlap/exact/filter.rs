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
//! last of which is one square, thus has at most `k` factors, and so has the square of a radius, or of
//! a sum or difference of two.
//!
//! **Underflow.** A quotient or square below `N` errs by at most half the spacing of subnormal
//! numbers, `uN`; a quotient that small has a square of 0. Over all axes and later roundings that is
//! less than `2.02 k u N`. With `g = ku`:
//!
//! `a <= A (1 + u)^k + 2.02 gN` and `b >= B (1 - u)^k - 2.02 gN`.
//!
//! **Claim.** Let `g <= 1/32`. If `fl(a - b)` is larger in magnitude than `fl(b · 16 g)` and than `N`,
//! the order of `A` and `B` is that of `a` and `b`. The larger of the two is above `N`, since rounding
//! is monotone. The factor is a float, a multiple of `EPSILON`. The difference errs by one factor
//! `1 + δ`, and so does the product, or by `uN` where it underflows; for `b >= N` thus
//! `|a - b| > b (16 g (1 - 2u) - u) > 15 g b`, since `g >= 5u`, and for a smaller `b` all the more.
//!
//! Suppose `a > b` but `A <= B`. With `q = ((1 + u) / (1 - u))^k < 1 + 2.2 g` the two
//! bounds give `a <= q (b + 2.02 gN) + 2.02 gN`, and by `N < a`
//! `a <= b q / (1 - 2.02 g (1 + q)) < b (1 + 8 g)`: a contradiction. Suppose `a < b` but `A >= B`. The same
//! steps with the letters exchanged, and `N < b`, give `b < a (1 + 8 g)`, hence `a > b (1 - 8 g)`: a
//! contradiction.
//!
//! **Overflow.** Let the exponent of `a` have no upper end; the claim holds of that `a` just the same.
//! Where the real `a` overflows, that one lies above all floats, and if `b` is finite, so is the
//! product: `a` counts as larger, rightly, since a distance that is not finite differs from `b` by
//! more than `16 g b`. Where `b` overflows, the difference is infinite or NaN, the product is
//! infinite, and the comparison fails, as it does for NaN.
//!
//! Where neither order is proved, the caller computes exactly. That happens at ties, within a
//! relative distance of about `16 k u` of them, and where `B` overflows or both underflow.

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
    let margin = (b * (terms * V::Scalar::EPSILON)).larger(Scalar::MIN_POSITIVE);
    // One branch, nearly always taken: which of the two holds would be hard to predict.
    if (a - b).abs() > margin {
        Some(if a < b {
            Ordering::Less
        } else {
            Ordering::Greater
        })
    } else {
        None
    }
}
