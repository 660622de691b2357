//! Solid and hollow spheres and ellipsoids, against points and solid and hollow boxes; spheres
//! against spheres.

use super::distance::{Metric, far_sq, near_sq, point_sq, surface_sq};
use super::lanes::{Ball, Plain};
use super::{Overlaps, Region, Relation};
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
