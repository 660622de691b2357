//! Solid and hollow boxes against points, boxes, hollow boxes and spheres; the shapes that a box contains.

use super::distance::{gap_sq, reach_sq};
use super::lanes::Plain;
use super::{Contains, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Sphere};
use crate::vector::{Scalar, Vector};

overlaps! {
    @always Aabb<V>: V, |this, p| this.contains(p);
    Hollow<Aabb<V>>: V, |this, p| this.0.contains(p) && !this.0.contains_strictly(p);
    @always Aabb<V>: Aabb<V>, |this, other| {
        // The fold has no branch between the axes, which is several times faster on random boxes.
        (0..V::DIM).fold(true, |all, i| {
            all & (this.min().axis(i) <= other.max().axis(i))
                & (other.min().axis(i) <= this.max().axis(i))
        })
    };
    /// The solid `other` misses the surface only from outside or strictly inside.
    Hollow<Aabb<V>>: Aabb<V>, |this, other| this.0.overlaps(other) && !this.0.contains_strictly(other);
    Aabb<V>: Hollow<Aabb<V>>, |this, other| other.overlaps(this);
    /// Two surfaces miss each other when the boxes do, or when one is strictly inside the other.
    Hollow<Aabb<V>>: Hollow<Aabb<V>>, |this, other| {
        let (a, b) = (&this.0, &other.0);
        if V::DIM == 1 {
            // Each surface is two points.
            let ends = [b.min().axis(0), b.max().axis(0)];
            return ends.contains(&a.min().axis(0)) || ends.contains(&a.max().axis(0));
        }
        a.overlaps(b) && !a.contains_strictly(b) && !b.contains_strictly(a)
    };
    @always Aabb<V>: Sphere<V>, |this, ball| ball.overlaps(this);
    Hollow<Aabb<V>>: Sphere<V>, |this, ball| ball.overlaps(this);
}

impl<V: Vector> Region for Aabb<V> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline(always)]
    fn plain(&self) -> Option<Plain<V>> {
        Some(Plain::Box(*self))
    }

    #[inline(always)]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        Relation::of(!self.overlaps(cell), self.contains(cell))
    }

    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        Relation::of(
            gap_sq(self, centers) > most * most,
            reach_sq(centers, self) <= least * least,
        )
    }
}

impl<V: Vector> Region for Hollow<Aabb<V>> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        Relation::of(!self.overlaps(cell), false)
    }

    fn relate_balls(&self, centers: &Aabb<V>, _least: V::Scalar, most: V::Scalar) -> Relation {
        let reach = most * most;
        let outside = gap_sq(&self.0, centers) > reach;
        Relation::of(outside || clearance_sq(&self.0, centers) > reach, false)
    }
}

/// The squared distance from a box strictly inside another to the other's surface, else 0.
pub(crate) fn clearance_sq<V: Vector>(outer: &Aabb<V>, inner: &Aabb<V>) -> V::Scalar {
    if !outer.contains_strictly(inner) {
        return V::Scalar::ZERO;
    }
    (0..V::DIM).fold(V::Scalar::INFINITY, |least, i| {
        let below = inner.min().axis(i) - outer.min().axis(i);
        let above = outer.max().axis(i) - inner.max().axis(i);
        let inward = below.smaller(above);
        least.smaller(inward * inward)
    })
}

impl<V: Vector> Aabb<V> {
    /// The common part of two boxes; `None` where they do not touch.
    ///
    /// ```
    /// use orthant::Aabb;
    /// let a = Aabb::new([0.0, 0.0], [2.0, 2.0]);
    /// assert_eq!(a.intersection(&Aabb::new([1.0, 2.0], [5.0, 5.0])), Some(Aabb::new([1.0, 2.0], [2.0, 2.0])));
    /// assert_eq!(a.intersection(&Aabb::new([3.0, 0.0], [5.0, 5.0])), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let both = || {
            Self::from_corners(
                V::from_fn(|a| self.min().axis(a).larger(other.min().axis(a))),
                V::from_fn(|a| self.max().axis(a).smaller(other.max().axis(a))),
            )
        };
        self.overlaps(other).then(both)
    }

    /// Whether the box contains another shape or a point: [`Contains::contains`], without importing the trait.
    ///
    /// ```
    /// let square = orthant::Aabb::new([0.0, 0.0], [2.0, 2.0]);
    /// assert!(square.contains(&[1.0, 2.0]));
    /// assert!(!square.contains(&orthant::Sphere::new([1.0, 1.0], 1.5)));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn contains<T: ?Sized>(&self, other: &T) -> bool
    where
        Self: Contains<T>,
    {
        Contains::contains(self, other)
    }
}

contains! {
    @always Aabb<V>: V, |this, p|
        this.contains(&Aabb::point(*p)),
        strictly this.contains_strictly(&Aabb::point(*p));
    @always Aabb<V>: Aabb<V>, |this, other|
        (0..V::DIM).fold(true, |all, i| {
            all & (this.min().axis(i) <= other.min().axis(i))
                & (other.max().axis(i) <= this.max().axis(i))
        }),
        strictly (0..V::DIM).fold(true, |all, i| {
            all & (this.min().axis(i) < other.min().axis(i))
                & (other.max().axis(i) < this.max().axis(i))
        });
}

/// The least distance on an axis from a center to the faces of a box, negative outside.
#[inline(always)]
fn room<V: Vector>(cell: &Aabb<V>, center: V, axis: usize) -> V::Scalar {
    let c = center.axis(axis);
    (c - cell.min().axis(axis)).smaller(cell.max().axis(axis) - c)
}

contains! {
    Aabb<V>: Sphere<V>, |this, ball|
        (0..V::DIM).all(|i| room(this, ball.center(), i) >= ball.radius()),
        strictly (0..V::DIM).all(|i| room(this, ball.center(), i) > ball.radius());
    Aabb<V>: Ellipsoid<V>, |this, egg|
        (0..V::DIM).all(|i| room(this, egg.center(), i) >= egg.semi_axes().axis(i)),
        strictly (0..V::DIM).all(|i| room(this, egg.center(), i) > egg.semi_axes().axis(i));
}
