//! How much wider than exact the questions to nodes must be.
//!
//! With `u` half of the scalar's precision `e`, a moved coordinate is off by at most
//! `1.1 (d + 1) u B`, where `B` is the sum of the largest magnitudes of the body's coordinates and of
//! the translation; two moved points of up to four axes thus by less than `11 e B` from each other.
//! A rotation that passed the door stretches lengths by at most `1 + 64 e`. A leaf's own test
//! `|a - b|² <= (r + s)²` stands for the exact one with a relative error below `8 e` in the lengths,
//! and so does a node's. Hence no leaf below two nodes overlaps if
//! `|A - B| > (R + S) (1 + 128 e) + 32 e B + f`, where `f` covers squares that vanish.

use crate::overlap::distance::point_sq;
use crate::rigid::Rigid;
use crate::shape::Sphere;
use crate::vector::{Scalar, Vector};

/// Its square is a normal number, and no length is lost by vanishing squares that reaches it.
fn floor<S: Scalar>() -> S {
    let single = Into::<f64>::into(S::MAX) < 1e39;
    S::from_f64(if single { 1e-18 } else { 1e-150 })
}

fn times<S: Scalar>(factor: f64, x: S) -> S {
    S::from_f64(factor) * x
}

/// The absolute part of the margin, for a body of a breadth; infinite where sums may overflow.
pub(super) fn slack<V: Vector>(breadth: V::Scalar, motion: &Rigid<V>) -> V::Scalar {
    let moved = motion.translation();
    let farthest = (0..V::DIM).fold(V::Scalar::ZERO, |f, a| f.larger(moved.axis(a).abs()));
    let bound = breadth + farthest;
    if bound > times(0.0625, V::Scalar::MAX) {
        return V::Scalar::INFINITY;
    }
    times(32.0, V::Scalar::EPSILON) * bound + floor()
}

/// A length that was moved, widened.
pub(super) fn widened<S: Scalar>(length: S, slack: S) -> S {
    length * (S::ONE + times(128.0, S::EPSILON)) + slack
}

/// The radius of a ball around a center that holds another ball, whatever was rounded.
pub(super) fn reach<V: Vector>(center: V, ball: &Sphere<V>) -> V::Scalar {
    let near = point_sq(&center, ball.center()).sqrt() + ball.radius();
    near * (V::Scalar::ONE + times(16.0, V::Scalar::EPSILON)) + floor()
}
