//! Balls against balls, and ellipsoids against balls.

use crate::overlap::round::Ball;
use crate::overlap::{Contains, Overlaps, Region, Relation};
use crate::shape::polytope::power_of_two;
use crate::shape::{Bounded, Ellipsoid, Hollow, Shell, Sphere};
use crate::vector::{Scalar, Vector};

overlaps! {
    Sphere<V>: Sphere<V>, |this, other| this.ball().meets_ball(other);
    /// The ball `other` meets the surface.
    Hollow<Sphere<V>>: Sphere<V>, |this, other| this.ball().meets_ball(other);
    Shell<V>: Sphere<V>, |this, other| this.ball().meets_ball(other);
}

contains! {
    Sphere<V>: Sphere<V>, |this, other|
        this.ball().holds_ball(other, PartialOrd::le), strictly this.ball().holds_ball(other, PartialOrd::lt);
    Shell<V>: Sphere<V>, |this, other|
        this.ball().holds_ball(other, PartialOrd::le), strictly this.ball().holds_ball(other, PartialOrd::lt);
}

/// Balls by Euclid's norm, against spheres.
impl<V: Vector> Ball<V> {
    #[inline(always)]
    fn meets_ball(&self, other: &Sphere<V>) -> bool {
        let (apart, radius) = (self.apart(other.center()), other.radius());
        apart <= reach_sq(self.outer, radius)
            && (!self.hollow || hole_sq(self.inner, radius) <= apart)
    }

    /// Whether it contains a ball. `is_within` compares lengths: `le` lets the surfaces touch, `lt` does not.
    #[inline(always)]
    fn holds_ball(&self, other: &Sphere<V>, is_within: fn(&V::Scalar, &V::Scalar) -> bool) -> bool {
        let (apart, radius) = (self.apart(other.center()), other.radius());
        let left = self.outer - radius;
        is_within(&Scalar::ZERO, &left)
            && is_within(&apart, &(left * left))
            && (!self.hollow || is_within(&reach_sq(self.inner, radius), &apart))
    }
}

/// The largest squared distance of two centers at which a ball of `radius` meets one of radius `outer`.
#[inline(always)]
pub(crate) fn reach_sq<S: Scalar>(outer: S, radius: S) -> S {
    let sum = outer + radius;
    sum * sum
}

/// The least squared distance of two centers at which a ball of `radius` is not strictly inside one of radius
/// `inner`.
#[inline(always)]
pub(crate) fn hole_sq<S: Scalar>(inner: S, radius: S) -> S {
    let left = (inner - radius).larger(S::ZERO);
    left * left
}

// Ellipsoids against balls.
//
// The nearest point of an ellipsoid to `p` has no closed form. With `q = |p - c|` on each axis and
// semi-axes `α`, it is `x = α² q / (t + α²)` where `t` solves `g(t) = Σ (α q / (t + α²))² = 1`, and
// its squared distance from `p` is `d(t) = Σ (t q / (t + α²))²`. `g` falls with `t`, so the root is
// found by bisection (after D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a
// hyperellipsoid"), in `f64` for both scalars. `relate_balls`, by which trees prune, decides first, so that trees
// and scans agree bit for bit.

overlaps! {
    Ellipsoid<V>: Sphere<V>, |this, ball|
        this.relate_balls(&ball.core(), ball.radius(), ball.radius()).or_ask(|| surface_within(this, ball));
    Hollow<Ellipsoid<V>>: Sphere<V>, |this, ball|
        this.relate_balls(&ball.core(), ball.radius(), ball.radius()) != Relation::Outside
            && surface_within(&this.0, ball);
}

/// Whether a point of the ellipsoid's surface lies in the ball.
fn surface_within<V: Vector>(egg: &Ellipsoid<V>, ball: &Sphere<V>) -> bool {
    let radius: f64 = ball.radius().into();
    let lengths = |i: usize| -> (f64, f64) {
        let p: f64 = ball.center().axis(i).into();
        let c: f64 = egg.center().axis(i).into();
        ((p - c).abs(), egg.semi_axes().axis(i).into())
    };
    let all = || (0..V::DIM).map(lengths);
    // Lengths are in units of about the largest one, so that no square overflows or vanishes. The unit is a power of
    // two, so that nothing is rounded.
    let largest = all().fold(radius, |most, (q, a)| most.max(q).max(a));
    let unit = power_of_two(largest);
    let smallest = all().fold(f64::INFINITY, |least, (_, a)| least.min(a)) / unit;
    let reach = (radius / unit) * (radius / unit);
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        let terms = all().map(|(q, a)| f(q / unit, a / unit));
        terms.map(|x| x * x).sum()
    };
    let ratio = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a / b };
    let g = |t: f64| sum(&|q, a| ratio(a * q, t + a * a));
    let d = |t: f64| sum(&|q, a| ratio(t * q, t + a * a));
    // The root lies above `-smallest²`, and below 0 exactly for a center inside.
    let inside = g(0.0) < 1.0;
    let (mut low, mut high) = if inside {
        (-smallest * smallest, 0.0)
    } else {
        (0.0, Scalar::sqrt(sum(&|q, a| a * q)))
    };
    if inside && g(low) < 1.0 {
        // The center lies on the plane across the shortest axis, so near the middle that the nearest point leaves
        // that plane: `x` is fixed on the other axes, and lies on the surface.
        let other = |x: f64, a: f64| {
            if a == smallest {
                0.0
            } else {
                ratio(x, low + a * a)
            }
        };
        let taken = sum(&|q, a| other(a * q, a));
        let along = sum(&|q, a| other(low * q, a));
        return along + smallest * smallest * (1.0 - taken) <= reach;
    }
    // 2000 halvings empty any interval of floats; some sixty do in practice.
    for _ in 0..2000 {
        let middle = low + (high - low) * 0.5;
        if middle <= low || middle >= high {
            break;
        }
        // Among the numbers for which `g` rounds to 1, prefer the one with the least distance, since touching counts.
        if g(middle) > 1.0 || (inside && g(middle) == 1.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    d(if inside { low } else { high }) <= reach
}
