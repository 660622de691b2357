//! The published forms of the box–sphere test, side by side.
//!
//! All answer the question of `Sphere::overlaps(&Aabb)`, the plain test; some round differently. The plain test
//! is the branch-free form with one maximum of three, `max(min - c, c - max, 0)`: the structures
//! need its monotone rounding, and without branches its time does not depend on the answers.
//! [`Linear`](crate::Linear) evaluates it for sixteen items at once.
//!
//! On one busy core of a Zen 5 machine, 1024 boxes in space against a sphere that touches half of them,
//! `f32`, in an array of structures: the plain test, [`branch_free`] and [`center_extents`] take about
//! 1.5 ns a test, [`arvo`] about 15 and the quick rejections about 20, since mispredicted branches cost
//! more than the arithmetic they save. Sixteen at once take about 0.5 ns each with
//! SSE2, 0.25 with AVX2 and 0.12 with AVX-512. The bench `predicates` compares all, in two dimensions and at other shares of
//! hits too.
//!
//! ```
//! use orthant::{Aabb, Overlaps, Sphere, variants};
//! let ball = Sphere::new([4.0, 5.0], 5.0);
//! let square = Aabb::new([0.0, 0.0], [1.0, 1.0]); // touches it
//! assert!(ball.overlaps(&square));
//! assert!(variants::arvo(&ball, &square));
//! assert!(variants::quick_interleaved(&ball, &square));
//! assert!(variants::quick_first(&ball, &square));
//! assert!(variants::branch_free(&ball, &square));
//! assert!(variants::center_extents(&ball, [0.5, 0.5], [0.5, 0.5]));
//! ```

use crate::shape::{Aabb, Sphere};
use crate::vector::{Scalar, Vector};

/// Arvo's loop: only the axes on which the center is outside are summed.
///
/// Equals the plain test bit for bit: the terms that it leaves out are zero, and a difference has the square of its
/// negative.
///
/// J. Arvo, "A simple method for box-sphere intersection testing", Graphics Gems, 1990.
///
/// ```
/// use orthant::{Aabb, Sphere, variants};
/// let cube = Aabb::new([0.0; 3], [1.0; 3]);
/// assert!(variants::arvo(&Sphere::new([3.0, 3.0, 2.0], 3.0), &cube)); // touches a corner
/// ```
#[inline]
#[must_use]
pub fn arvo<V: Vector>(ball: &Sphere<V>, cell: &Aabb<V>) -> bool {
    let mut sum = V::Scalar::ZERO;
    for axis in 0..V::DIM {
        let c = ball.center().axis(axis);
        let (lo, hi) = (cell.min().axis(axis), cell.max().axis(axis));
        if c < lo || c > hi {
            let apart = if c < lo { c - lo } else { c - hi };
            sum = sum + apart * apart;
        }
    }
    sum <= ball.radius() * ball.radius()
}

/// Arvo's loop that gives up at the first axis on which the box is farther than the radius, "QRI".
///
/// Equals the plain test bit for bit while the rounded `r * r` is normal and finite. The squares of smaller radii (0
/// among them) and of larger ones round to those of other distances: there the plain test finds overlaps that this
/// one rejects. It never finds one that the plain test does not.
///
/// T. Larsson, T. Akenine-Möller, E. Lengyel, "On faster sphere-box overlap testing", Journal of
/// Graphics Tools 12(1), 2007.
///
/// ```
/// use orthant::{Aabb, Overlaps, Sphere, variants};
/// let ball = Sphere::new([0.0_f32], 1e-30); // its square is 0
/// let cell = Aabb::new([2e-30], [1.0]);
/// assert!(ball.overlaps(&cell));
/// assert!(!variants::quick_interleaved(&ball, &cell));
/// ```
#[inline]
#[must_use]
pub fn quick_interleaved<V: Vector>(ball: &Sphere<V>, cell: &Aabb<V>) -> bool {
    let radius = ball.radius();
    let mut sum = V::Scalar::ZERO;
    for axis in 0..V::DIM {
        let c = ball.center().axis(axis);
        let (below, above) = (cell.min().axis(axis) - c, c - cell.max().axis(axis));
        let apart = below.larger(above);
        if apart > radius {
            return false;
        }
        if apart > V::Scalar::ZERO {
            sum = sum + apart * apart;
        }
    }
    sum <= radius * radius
}

/// The quick rejections on all axes first, then Arvo's loop, "QRF".
///
/// Answers what [`quick_interleaved`] answers, bit for bit. The rejections compare differences with the radius; adding
/// the radius to the box's faces would round once more.
///
/// From the same paper as [`quick_interleaved`].
///
/// ```
/// use orthant::{Aabb, Sphere, variants};
/// let square = Aabb::new([0.0; 2], [1.0; 2]);
/// assert!(variants::quick_first(&Sphere::new([3.0, 0.5], 2.0), &square));
/// assert!(!variants::quick_first(&Sphere::new([3.0, 3.0], 2.0), &square));
/// ```
#[inline]
#[must_use]
pub fn quick_first<V: Vector>(ball: &Sphere<V>, cell: &Aabb<V>) -> bool {
    for axis in 0..V::DIM {
        let c = ball.center().axis(axis);
        let (below, above) = (cell.min().axis(axis) - c, c - cell.max().axis(axis));
        if below > ball.radius() || above > ball.radius() {
            return false;
        }
    }
    arvo(ball, cell)
}

/// The form without branches, `max(min - c, 0) + max(c - max, 0)` on each axis.
///
/// Equals the plain test bit for bit: one of the two is zero.
///
/// From the same paper as [`quick_interleaved`], for vector instructions.
///
/// ```
/// use orthant::{Aabb, Sphere, variants};
/// let square = Aabb::new([0.0; 2], [1.0; 2]);
/// assert!(variants::branch_free(&Sphere::new([4.0, 5.0], 5.0), &square)); // touches a corner
/// ```
#[inline]
#[must_use]
pub fn branch_free<V: Vector>(ball: &Sphere<V>, cell: &Aabb<V>) -> bool {
    let zero = V::Scalar::ZERO;
    let mut sum = zero;
    for axis in 0..V::DIM {
        let c = ball.center().axis(axis);
        let (below, above) = (cell.min().axis(axis) - c, c - cell.max().axis(axis));
        let apart = below.larger(zero) + above.larger(zero);
        sum = sum + apart * apart;
    }
    sum <= ball.radius() * ball.radius()
}

/// The form for boxes kept as center and half edge lengths, `max(|c - center| - half, 0)` on each
/// axis.
///
/// Equals the plain test of the box from `center - half` to `center + half` where no difference
/// rounds, on integers below 2²² of an `f32` say. Elsewhere each may find an overlap that the other
/// misses. This form is not monotone: it may reject a cell and accept an item in it, so no structure of
/// this crate can prune by it.
///
/// Folklore of shader code. The answer has no meaning if a number is not finite or a half edge is negative.
///
/// ```
/// use orthant::{Aabb, Overlaps, Sphere, variants};
/// let ball = Sphere::new([-0.6_f32], 0.8);
/// let cell = Aabb::new([0.2], [0.9]);
/// assert!(ball.overlaps(&cell)); // touches it
/// let half = [0.5 * cell.size()[0]];
/// assert!(!variants::center_extents(&ball, cell.center(), half)); // but for rounding
/// ```
#[inline]
#[must_use]
pub fn center_extents<V: Vector>(ball: &Sphere<V>, center: V, half: V) -> bool {
    let mut sum = V::Scalar::ZERO;
    for axis in 0..V::DIM {
        let off = (ball.center().axis(axis) - center.axis(axis)).abs() - half.axis(axis);
        let apart = off.larger(V::Scalar::ZERO);
        sum = sum + apart * apart;
    }
    sum <= ball.radius() * ball.radius()
}
