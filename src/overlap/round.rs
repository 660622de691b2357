//! Solid and hollow spheres and ellipsoids, against points and solid and hollow boxes; spheres
//! against spheres; what is contained in a sphere or ellipsoid.

use crate::overlap::distance::{Metric, far_sq, near_sq, point_sq, surface_sq};
use crate::overlap::lanes::{Ball, Plain};
use crate::overlap::{Contains, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Sphere};
use crate::vector::{Scalar, Vector};

/// A shape whose surface lies where the squared distance in its metric equals a limit.
pub(crate) trait Round: Metric + Copy {
    /// The radius, 1 for an ellipsoid.
    fn reach(&self) -> <Self::Vector as Vector>::Scalar;

    /// Its square.
    #[inline(always)]
    fn limit(&self) -> <Self::Vector as Vector>::Scalar {
        self.reach() * self.reach()
    }
}

impl<V: Vector> Metric for Sphere<V> {
    type Vector = V;

    #[inline(always)]
    fn middle(&self) -> V {
        self.center()
    }

    #[inline(always)]
    fn scaled(&self, _axis: usize, difference: V::Scalar) -> V::Scalar {
        difference
    }
}

impl<V: Vector> Round for Sphere<V> {
    #[inline(always)]
    fn reach(&self) -> V::Scalar {
        self.radius()
    }
}

impl<V: Vector> Metric for Ellipsoid<V> {
    type Vector = V;

    #[inline(always)]
    fn middle(&self) -> V {
        self.center()
    }

    #[inline(always)]
    fn scaled(&self, axis: usize, difference: V::Scalar) -> V::Scalar {
        difference / self.semi_axes().axis(axis)
    }
}

impl<V: Vector> Round for Ellipsoid<V> {
    #[inline(always)]
    fn reach(&self) -> V::Scalar {
        V::Scalar::ONE
    }
}

/// The surface of a box and the surface of a round shape.
fn surfaces_meet<R: Round>(round: &R, cell: &Aabb<R::Vector>) -> bool {
    if R::Vector::DIM == 1 {
        // Both are two points, so that not every distance between the least and the largest occurs.
        // Without squares, which would underflow to a tie.
        let touches = |end: R::Vector| {
            round.scaled(0, round.middle().axis(0) - end.axis(0)).abs() == round.reach()
        };
        return touches(cell.min()) || touches(cell.max());
    }
    let limit = round.limit();
    surface_sq(round, cell) <= limit && limit <= far_sq(round, cell)
}

macro_rules! round {
    ($shape:ident) => {
        impl<V: Vector> Overlaps<V> for $shape<V> {
            #[inline(always)]
            fn overlaps(&self, p: &V) -> bool {
                point_sq(self, *p) <= self.limit()
            }
        }

        impl<V: Vector> Overlaps<V> for Hollow<$shape<V>> {
            #[inline(always)]
            fn overlaps(&self, p: &V) -> bool {
                point_sq(&self.0, *p) == self.0.limit()
            }
        }

        impl<V: Vector> Overlaps<Aabb<V>> for $shape<V> {
            #[inline(always)]
            fn overlaps(&self, cell: &Aabb<V>) -> bool {
                near_sq(self, cell) <= self.limit()
            }
        }

        impl<V: Vector> Overlaps<Aabb<V>> for Hollow<$shape<V>> {
            #[inline(always)]
            fn overlaps(&self, cell: &Aabb<V>) -> bool {
                let limit = self.0.limit();
                near_sq(&self.0, cell) <= limit && limit <= far_sq(&self.0, cell)
            }
        }

        impl<V: Vector> Overlaps<Hollow<Aabb<V>>> for $shape<V> {
            #[inline]
            fn overlaps(&self, shell: &Hollow<Aabb<V>>) -> bool {
                surface_sq(self, &shell.0) <= self.limit()
            }
        }

        impl<V: Vector> Overlaps<Hollow<Aabb<V>>> for Hollow<$shape<V>> {
            #[inline]
            fn overlaps(&self, shell: &Hollow<Aabb<V>>) -> bool {
                surfaces_meet(&self.0, &shell.0)
            }
        }
    };
}

round!(Sphere);
round!(Ellipsoid);

impl<V: Vector> Overlaps<Sphere<V>> for Sphere<V> {
    #[inline]
    fn overlaps(&self, other: &Sphere<V>) -> bool {
        point_sq(self, other.center()) <= reach_sq(self.radius(), other.radius())
    }
}

/// The ball `other` meets the surface.
impl<V: Vector> Overlaps<Sphere<V>> for Hollow<Sphere<V>> {
    #[inline]
    fn overlaps(&self, other: &Sphere<V>) -> bool {
        let (apart, radius) = (point_sq(&self.0, other.center()), self.0.radius());
        apart <= reach_sq(radius, other.radius()) && apart >= hole_sq(radius, other.radius())
    }
}

/// The squared distance of a center up to which a ball of a radius reaches into one of `outer`.
#[inline(always)]
pub(super) fn reach_sq<S: Scalar>(outer: S, radius: S) -> S {
    let sum = outer + radius;
    sum * sum
}

/// The squared distance of a center from which on a ball of a radius reaches out of one of `inner`.
#[inline(always)]
pub(super) fn hole_sq<S: Scalar>(inner: S, radius: S) -> S {
    let left = (inner - radius).larger(S::ZERO);
    left * left
}

macro_rules! round_contains {
    ($shape:ident) => {
        impl<V: Vector> Contains<V> for $shape<V> {
            #[inline(always)]
            fn contains(&self, p: &V) -> bool {
                point_sq(self, *p) <= self.limit()
            }

            #[inline(always)]
            fn contains_strictly(&self, p: &V) -> bool {
                point_sq(self, *p) < self.limit()
            }
        }

        impl<V: Vector> Contains<Aabb<V>> for $shape<V> {
            #[inline(always)]
            fn contains(&self, cell: &Aabb<V>) -> bool {
                far_sq(self, cell) <= self.limit()
            }

            #[inline(always)]
            fn contains_strictly(&self, cell: &Aabb<V>) -> bool {
                far_sq(self, cell) < self.limit()
            }
        }
    };
}

round_contains!(Sphere);
round_contains!(Ellipsoid);

impl<V: Vector> Contains<Sphere<V>> for Sphere<V> {
    #[inline]
    fn contains(&self, other: &Sphere<V>) -> bool {
        let left = self.radius() - other.radius();
        left >= V::Scalar::ZERO && point_sq(self, other.center()) <= left * left
    }

    #[inline]
    fn contains_strictly(&self, other: &Sphere<V>) -> bool {
        let left = self.radius() - other.radius();
        left > V::Scalar::ZERO && point_sq(self, other.center()) < left * left
    }
}

impl<V: Vector> Region for Sphere<V> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline(always)]
    fn plain(&self) -> Option<Plain<V>> {
        Some(Plain::Ball(Ball {
            center: self.center(),
            outer: self.radius(),
            inner: V::Scalar::ZERO,
            hollow: false,
        }))
    }

    #[inline(always)]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        let limit = self.limit();
        Relation::of(near_sq(self, cell) > limit, far_sq(self, cell) <= limit)
    }

    #[inline(always)]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        Relation::of(
            near_sq(self, centers) > reach_sq(self.radius(), most),
            far_sq(self, centers) <= reach_sq(self.radius(), least),
        )
    }
}

/// A surface encloses no cell, but whole groups of balls can meet it.
impl<V: Vector> Region for Hollow<Sphere<V>> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline(always)]
    fn plain(&self) -> Option<Plain<V>> {
        Some(Plain::Ball(Ball {
            center: self.0.center(),
            outer: self.0.radius(),
            inner: self.0.radius(),
            hollow: true,
        }))
    }

    #[inline(always)]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        Relation::of(!self.overlaps(cell), false)
    }

    #[inline(always)]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        let (near, far) = (near_sq(&self.0, centers), far_sq(&self.0, centers));
        let radius = self.0.radius();
        Relation::of(
            near > reach_sq(radius, most) || far < hole_sq(radius, most),
            far <= reach_sq(radius, least) && near >= hole_sq(radius, least),
        )
    }
}

impl<V: Vector> Region for Ellipsoid<V> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        let limit = self.limit();
        Relation::of(near_sq(self, cell) > limit, far_sq(self, cell) <= limit)
    }
}

impl<V: Vector> Region for Hollow<Ellipsoid<V>> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        Relation::of(!self.overlaps(cell), false)
    }
}

// Ellipsoids against balls.
//
// The nearest point of an ellipsoid to `p` has no closed form. With `q = |p - c|` on each axis and
// semi-axes `α`, it is `x = α² q / (t + α²)` where `t` solves `g(t) = Σ (α q / (t + α²))² = 1`, and
// its squared distance from `p` is `d(t) = Σ (t q / (t + α²))²`. `g` falls with `t`, so the root is
// found by bisection (after D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a
// hyperellipsoid"), in `f64` for both scalars. A ball is first asked as a cell is, so that trees
// and scans agree bit for bit.

impl<V: Vector> Overlaps<Sphere<V>> for Ellipsoid<V> {
    fn overlaps(&self, ball: &Sphere<V>) -> bool {
        match self.relate_balls(&ball.core(), ball.radius(), ball.radius()) {
            Relation::Outside => false,
            Relation::Inside => true,
            Relation::Straddles => surface_within(self, ball),
        }
    }
}

impl<V: Vector> Overlaps<Sphere<V>> for Hollow<Ellipsoid<V>> {
    fn overlaps(&self, ball: &Sphere<V>) -> bool {
        self.relate_balls(&ball.core(), ball.radius(), ball.radius()) != Relation::Outside
            && surface_within(&self.0, ball)
    }
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
    // In units of about the largest length, so that no square overflows or vanishes; a power of two,
    // so that nothing is rounded.
    let largest = all().fold(radius, |most, (q, a)| most.max(q).max(a));
    let unit = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits()).max(f64::MIN_POSITIVE);
    let smallest = all().fold(f64::INFINITY, |least, (_, a)| least.min(a)) / unit;
    let reach = (radius / unit) * (radius / unit);
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        let terms = all().map(|(q, a)| f(q / unit, a / unit));
        terms.map(|x| x * x).sum()
    };

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
        // The center lies on the plane of the shortest axis, and near enough to the middle that the
        // nearest point leaves that plane: x is fixed on the other axes, and the surface does the rest.
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
        // Of the numbers for which `g` rounds to 1, the one with the least distance: touching counts.
        if g(middle) > 1.0 || (inside && g(middle) == 1.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    d(if inside { low } else { high }) <= reach
}

/// A quotient that is 0 where nothing is divided.
fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}
