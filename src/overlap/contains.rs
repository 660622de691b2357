//! Containment, both ways.

use super::distance::{far_sq, point_sq};
use super::round::Round;
use crate::shape::{Aabb, Ellipsoid, Sphere};
use crate::vector::{Scalar, Vector};

/// Whether one solid shape lies within another.
///
/// ```
/// use orthant::{Aabb, Contains, Sphere};
/// let ball = Sphere::new([0.0, 0.0], 5.0);
/// let square = Aabb::new([-3.0, -3.0], [3.0, 4.0]);
/// assert!(ball.contains(&square)); // a corner touches from inside
/// assert!(!ball.contains_strictly(&square));
/// assert!(Aabb::new([-5.0; 2], [5.0; 2]).contains(&ball));
/// ```
pub trait Contains<T: ?Sized> {
    /// Every point of `other` is a point of `self`.
    fn contains(&self, other: &T) -> bool;

    /// Every point of `other` is an interior point of `self`.
    fn contains_strictly(&self, other: &T) -> bool;
}

macro_rules! round {
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

round!(Sphere);
round!(Ellipsoid);

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

impl<V: Vector> Contains<V> for Aabb<V> {
    #[inline(always)]
    fn contains(&self, p: &V) -> bool {
        self.contains(&Aabb::point(*p))
    }

    #[inline(always)]
    fn contains_strictly(&self, p: &V) -> bool {
        self.contains_strictly(&Aabb::point(*p))
    }
}

impl<V: Vector> Contains<Aabb<V>> for Aabb<V> {
    #[inline(always)]
    fn contains(&self, other: &Aabb<V>) -> bool {
        (0..V::DIM).fold(true, |all, i| {
            all & (self.min().axis(i) <= other.min().axis(i))
                & (other.max().axis(i) <= self.max().axis(i))
        })
    }

    #[inline(always)]
    fn contains_strictly(&self, other: &Aabb<V>) -> bool {
        (0..V::DIM).fold(true, |all, i| {
            all & (self.min().axis(i) < other.min().axis(i))
                & (other.max().axis(i) < self.max().axis(i))
        })
    }
}

/// The least distance on an axis from a center to the faces of a box, negative outside.
#[inline(always)]
fn room<V: Vector>(cell: &Aabb<V>, center: V, axis: usize) -> V::Scalar {
    let c = center.axis(axis);
    (c - cell.min().axis(axis)).smaller(cell.max().axis(axis) - c)
}

impl<V: Vector> Contains<Sphere<V>> for Aabb<V> {
    #[inline]
    fn contains(&self, ball: &Sphere<V>) -> bool {
        (0..V::DIM).all(|i| room(self, ball.center(), i) >= ball.radius())
    }

    #[inline]
    fn contains_strictly(&self, ball: &Sphere<V>) -> bool {
        (0..V::DIM).all(|i| room(self, ball.center(), i) > ball.radius())
    }
}

impl<V: Vector> Contains<Ellipsoid<V>> for Aabb<V> {
    #[inline]
    fn contains(&self, egg: &Ellipsoid<V>) -> bool {
        (0..V::DIM).all(|i| room(self, egg.center(), i) >= egg.semi_axes().axis(i))
    }

    #[inline]
    fn contains_strictly(&self, egg: &Ellipsoid<V>) -> bool {
        (0..V::DIM).all(|i| room(self, egg.center(), i) > egg.semi_axes().axis(i))
    }
}
