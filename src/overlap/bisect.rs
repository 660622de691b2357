//! Bisection that starts from a guess.

use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};

/// The largest `k` from 0 to `most` for which `holds`. It must be true at 0 and, once false, stay false.
///
/// Calls `holds` twice if the guess is right, otherwise about twice the logarithm of the guess's error.
#[inline(always)]
pub(crate) fn farthest(most: i64, guess: i64, holds: impl Fn(i64) -> bool) -> i64 {
    let guess = guess.clamp(0, most);
    let mut step = 1;
    // Step away from the guess, twice as far each time, until `holds` changes.
    let (mut yes, mut no) = (guess, guess);
    if holds(guess) {
        loop {
            if yes == most {
                return most;
            }
            no = (yes + step).min(most);
            if !holds(no) {
                break;
            }
            yes = no;
            step *= 2;
        }
    } else {
        loop {
            yes = (no - step).max(0);
            if yes == 0 || holds(yes) {
                break;
            }
            no = yes;
            step *= 2;
        }
    }
    // Bisect between the two.
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    yes
}

/// The largest box of all `x` with `low - x <= below` and `x - high <= above` on each axis, differences rounded, or
/// `None` if no finite box is left. Rounded differences are monotone, so each axis has a least and a largest such
/// `x`; the least is the negative of the largest for the negated number.
pub(crate) fn cube_within<V: Vector>(
    [low, high]: [V; 2],
    [below, above]: [V; 2],
) -> Option<Aabb<V>> {
    let zero = V::Scalar::ZERO;
    let (mut min, mut max) = (V::axes(zero), V::axes(zero));
    for axis in 0..V::DIM {
        min.as_mut()[axis] = zero - last_within(zero - low.axis(axis), below.axis(axis))?;
        max.as_mut()[axis] = last_within(high.axis(axis), above.axis(axis))?;
    }
    let corner = |corner: &V::Axes<V::Scalar>| V::from_fn(|a| corner.as_ref()[a]);
    Aabb::try_new(corner(&min), corner(&max)).ok()
}

/// The largest finite `x` whose rounded difference `x - center` is at most `limit`, if there is one. The bits of
/// numbers of one sign are in the order of the numbers; they are bisected, from the rounded sum `center + limit` on.
fn last_within<S: Scalar>(center: S, limit: S) -> Option<S> {
    let is_within = |x: S| x - center <= limit;
    let most = S::MAX.to_bits() as i64;
    let guess = (center + limit).abs().smaller(S::MAX).to_bits() as i64;
    let positive = |bits: i64| S::from_bits(bits as u64);
    let negative = |bits: i64| S::ZERO - positive(bits);
    if is_within(S::ZERO) {
        return Some(positive(farthest(most, guess, |bits| {
            is_within(positive(bits))
        })));
    }
    let beyond = farthest(most, guess, |bits| !is_within(negative(bits)));
    (beyond < most).then(|| negative(beyond + 1))
}
