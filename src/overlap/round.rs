//! Solid and hollow spheres and ellipsoids, against points and solid and hollow boxes, and what of these is
//! contained in them.

use core::cmp::Ordering;

use crate::overlap::balls::reach_sq;
use crate::overlap::distance::{Metric, ScalarOf, far_sq, near_sq, point_sq, surface_sq};
use crate::overlap::lanes::{Ball, Measure, Plain};
use crate::overlap::{Contains, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Sphere};
use crate::vector::{Scalar, Vector};

/// How points and boxes lie to the surface of a round shape: `Less` is inside. The predicates below ask nothing
/// else, so that they are written once for plain shapes and for [`Exact`](super::exact::Exact) ones.
pub(crate) trait Surface {
    type Vector: Vector;

    /// A point; one that is none, with a NaN, is outside.
    fn point(&self, p: &Self::Vector) -> Ordering;

    /// The nearest point of a solid box.
    fn near(&self, cell: &Aabb<Self::Vector>) -> Ordering;

    /// The farthest corner of a box.
    fn far(&self, cell: &Aabb<Self::Vector>) -> Ordering;

    /// The nearest point of the surface of a box.
    fn surface(&self, cell: &Aabb<Self::Vector>) -> Ordering;

    /// Whether the shape's surface meets a solid box.
    fn pierces(&self, cell: &Aabb<Self::Vector>) -> bool;

    /// Whether the surfaces of the shape and of a box share a point.
    fn surfaces_meet(&self, cell: &Aabb<Self::Vector>) -> bool;
}

/// A shape whose surface lies where the squared distance in its metric equals a limit.
pub(crate) trait Round: Metric + Copy {
    /// The radius, 1 for an ellipsoid.
    fn reach(&self) -> ScalarOf<Self>;

    /// Its square.
    #[inline(always)]
    fn limit(&self) -> ScalarOf<Self> {
        self.reach() * self.reach()
    }
}

/// By rounded squares.
impl<R: Round> Surface for R {
    type Vector = R::Vector;

    #[inline(always)]
    fn point(&self, p: &R::Vector) -> Ordering {
        order(point_sq(self, *p), self.limit())
    }

    #[inline(always)]
    fn near(&self, cell: &Aabb<R::Vector>) -> Ordering {
        order(near_sq(self, cell), self.limit())
    }

    #[inline(always)]
    fn far(&self, cell: &Aabb<R::Vector>) -> Ordering {
        order(far_sq(self, cell), self.limit())
    }

    #[inline(always)]
    fn surface(&self, cell: &Aabb<R::Vector>) -> Ordering {
        order(surface_sq(self, cell), self.limit())
    }

    #[inline(always)]
    fn pierces(&self, cell: &Aabb<R::Vector>) -> bool {
        let limit = self.limit();
        near_sq(self, cell) <= limit && limit <= far_sq(self, cell)
    }

    #[inline]
    fn surfaces_meet(&self, cell: &Aabb<R::Vector>) -> bool {
        if R::Vector::DIM == 1 {
            // Both are two points, so that not every distance between the least and the largest occurs.
            // Without squares, which would underflow to a tie.
            let touches = |end: R::Vector| {
                self.scaled(0, self.middle().axis(0) - end.axis(0)).abs() == self.reach()
            };
            return touches(cell.min()) || touches(cell.max());
        }
        let limit = self.limit();
        surface_sq(self, cell) <= limit && limit <= far_sq(self, cell)
    }
}

#[inline(always)]
fn order<S: Scalar>(square: S, limit: S) -> Ordering {
    if square < limit {
        Ordering::Less
    } else if square == limit {
        Ordering::Equal
    } else {
        Ordering::Greater
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

/// A round shape and its surface, against points, boxes and the surfaces of boxes; `$inside` is the shape whose
/// surface is meant. What only these regions have follows.
macro_rules! round {
    (
        $solid:ty { $($solid_only:tt)* }
        $hollow:ty: |$it:ident| $inside:expr, { $($hollow_only:tt)* }
    ) => {
        impl<V: Vector> Overlaps<V> for $solid {
            #[inline(always)]
            fn overlaps(&self, p: &V) -> bool {
                self.point(p).is_le()
            }
        }

        impl<V: Vector> Overlaps<V> for $hollow {
            #[inline(always)]
            fn overlaps(&self, p: &V) -> bool {
                let $it = self;
                $inside.point(p).is_eq()
            }
        }

        impl<V: Vector> Overlaps<Aabb<V>> for $solid {
            #[inline(always)]
            fn overlaps(&self, cell: &Aabb<V>) -> bool {
                self.near(cell).is_le()
            }
        }

        impl<V: Vector> Overlaps<Aabb<V>> for $hollow {
            #[inline(always)]
            fn overlaps(&self, cell: &Aabb<V>) -> bool {
                let $it = self;
                $inside.pierces(cell)
            }
        }

        impl<V: Vector> Overlaps<Hollow<Aabb<V>>> for $solid {
            #[inline]
            fn overlaps(&self, skin: &Hollow<Aabb<V>>) -> bool {
                self.surface(&skin.0).is_le()
            }
        }

        impl<V: Vector> Overlaps<Hollow<Aabb<V>>> for $hollow {
            #[inline]
            fn overlaps(&self, skin: &Hollow<Aabb<V>>) -> bool {
                let $it = self;
                $inside.surfaces_meet(&skin.0)
            }
        }

        impl<V: Vector> Contains<V> for $solid {
            #[inline(always)]
            fn contains(&self, p: &V) -> bool {
                self.point(p).is_le()
            }

            #[inline(always)]
            fn contains_strictly(&self, p: &V) -> bool {
                self.point(p).is_lt()
            }
        }

        impl<V: Vector> Contains<Aabb<V>> for $solid {
            #[inline(always)]
            fn contains(&self, cell: &Aabb<V>) -> bool {
                self.far(cell).is_le()
            }

            #[inline(always)]
            fn contains_strictly(&self, cell: &Aabb<V>) -> bool {
                self.far(cell).is_lt()
            }
        }

        impl<V: Vector> Region for $solid {
            type Vector = V;

            #[inline(always)]
            fn relate(&self, cell: &Aabb<V>) -> Relation {
                Relation::of(self.near(cell).is_gt(), self.far(cell).is_le())
            }

            $($solid_only)*
        }

        /// A surface encloses no cell.
        impl<V: Vector> Region for $hollow {
            type Vector = V;

            #[inline(always)]
            fn relate(&self, cell: &Aabb<V>) -> Relation {
                Relation::of(!self.overlaps(cell), false)
            }

            #[inline]
            fn hint(&self) -> Option<Aabb<V>> {
                let $it = self;
                $inside.hint()
            }

            $($hollow_only)*
        }
    };
}
#[cfg(feature = "exact")]
pub(super) use round;

round! {
    Sphere<V> {
        #[inline]
        fn hint(&self) -> Option<Aabb<V>> {
            Some(self.bounds())
        }

        #[inline(always)]
        fn plain(&self) -> Option<Plain<V>> {
            Some(Plain::Ball(Ball::of(Measure::Euclid, self.center(), self.radius())))
        }

        #[inline(always)]
        fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
            Relation::of(
                near_sq(self, centers) > reach_sq(self.radius(), most),
                far_sq(self, centers) <= reach_sq(self.radius(), least),
            )
        }
    }
    // Whole groups of balls can meet a surface.
    Hollow<Sphere<V>>: |it| it.0, {
        #[inline(always)]
        fn plain(&self) -> Option<Plain<V>> {
            self.0.shell(self.0.radius()).plain()
        }

        #[inline(always)]
        fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
            self.0.shell(self.0.radius()).relate_balls(centers, least, most)
        }
    }
}

round! {
    Ellipsoid<V> {
        #[inline]
        fn hint(&self) -> Option<Aabb<V>> {
            Some(self.bounds())
        }

        #[inline]
        fn measured(&self) -> Option<Ball<V>> {
            Some(Ball::of(Measure::Scaled(self.semi_axes()), self.center(), self.reach()))
        }
    }
    Hollow<Ellipsoid<V>>: |it| it.0, {
        #[inline]
        fn measured(&self) -> Option<Ball<V>> {
            let ball = self.0.measured()?;
            Some(Ball { inner: ball.outer, hollow: true, ..ball })
        }
    }
}
