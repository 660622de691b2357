//! Bisection from a guess.

use crate::vector::Scalar;

/// The largest `k` from 0 to `most` at which `holds`, which is true at 0 and, once false, stays so.
///
/// Calls `holds` twice if the guess is right, otherwise about twice the logarithm of the guess's error.
#[inline(always)]
pub(crate) fn farthest(most: i64, guess: i64, holds: impl Fn(i64) -> bool) -> i64 {
    let guess = guess.clamp(0, most);
    let mut step = 1;
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

/// The largest `x` with `x - center <= limit`, as the difference is rounded; `None` if no finite number has it. The numbers on one
/// side of zero are bisected by their representations, from the rounded sum on.
pub(crate) fn last_within<S: Scalar>(center: S, limit: S) -> Option<S> {
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
