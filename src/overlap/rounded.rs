//! The distance between two boxes that are grown by a radius: points, boxes and balls are such.
//!
//! ```text
//! apart = max(lo1 - hi2, lo2 - hi1, 0)        on each axis, of the cores
//! gap   = apart₀² + apart₁² + …               left to right
//! gap   = max(√gap - (r1 + r2), 0)²           if one of the two has a radius
//! ```
//!
//! Each step is monotone after rounding, so the gap to a node's box, with the largest radius in it, is at most that to
//! its items. After E. Larsen et al., "Fast proximity queries with swept sphere volumes", 2000.

use super::Extent;
use super::distance::{beyond_sq, gap_sq};
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::Vector;

/// A box grown by a radius on all sides: the shape that [`nearest_to`](crate::SpatialIndex::nearest_to) measures from.
///
/// It is made by `From` of a point, an [`Aabb`], a [`Sphere`] or a [`Volume`](crate::Volume).
///
/// ```
/// use orthant::{DistanceTo, RoundedBox, Sphere};
/// let ball = RoundedBox::from(Sphere::new([0.0, 0.0], 1.0));
/// assert_eq!(Sphere::new([5.0, 0.0], 1.0).distance_sq_to(&ball), 9.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox<V: Vector> {
    core: Aabb<V>,
    /// `None` for points and boxes, whose distance needs no root.
    radius: Option<V::Scalar>,
}

impl<V: Vector> RoundedBox<V> {
    fn new<T: Bounded<Vector = V>>(core: Aabb<V>, radius: V::Scalar) -> Self {
        Self {
            core,
            radius: T::HAS_RADIUS.then_some(radius),
        }
    }

    fn of<T: Bounded<Vector = V>>(shape: &T) -> Self {
        Self::new::<T>(shape.core(), shape.radius())
    }

    /// False only for a point that is not finite.
    pub(crate) fn is_valid(&self) -> bool {
        self.core.is_valid()
    }

    /// The box around it.
    pub(crate) fn bounds(&self) -> Self {
        Self {
            core: self
                .radius
                .map_or(self.core, |radius| self.core.grown(radius)),
            radius: None,
        }
    }

    /// The squared distance between two, 0 where they overlap; the same whichever is asked.
    #[inline]
    pub(crate) fn distance_sq(&self, other: &Self) -> V::Scalar {
        let gap = gap_sq(&self.core, &other.core);
        match (self.radius, other.radius) {
            (None, None) => gap,
            (Some(radius), None) | (None, Some(radius)) => beyond_sq(gap, radius),
            (Some(one), Some(other)) => beyond_sq(gap, one + other),
        }
    }
}

impl<V: Vector> Extent<V> {
    /// A lower bound for the squared distance of a shape from every item.
    #[inline]
    pub(crate) fn distance_sq_to<T: Bounded<Vector = V>>(
        &self,
        shape: &RoundedBox<V>,
    ) -> V::Scalar {
        RoundedBox::new::<T>(self.core, self.most).distance_sq(shape)
    }
}

impl<V: Vector> From<V> for RoundedBox<V> {
    fn from(point: V) -> Self {
        Self::of(&point)
    }
}

impl<V: Vector> From<Aabb<V>> for RoundedBox<V> {
    fn from(cuboid: Aabb<V>) -> Self {
        Self::of(&cuboid)
    }
}

impl<V: Vector> From<Sphere<V>> for RoundedBox<V> {
    fn from(ball: Sphere<V>) -> Self {
        Self::of(&ball)
    }
}

/// How far an item is from a box or ball: the order of [`nearest_to`](crate::SpatialIndex::nearest_to).
///
/// Implemented for points, [`Aabb`], [`Sphere`] and [`Volume`](crate::Volume), and by [`item!`](crate::item) for what has
/// one of these as its shape.
///
/// # The law
///
/// The distance is at least that of any box that holds the item's core (less its radius), in the arithmetic used.
#[diagnostic::on_unimplemented(
    message = "the distance between a `{Self}` and a shape is not known: it does not implement `DistanceTo`",
    label = "has no distance from a box or ball",
    note = "points, boxes, balls and what `orthant::item!` makes of them have one; from a point, `nearest` knows the distance of more"
)]
pub trait DistanceTo: Bounded {
    /// The squared distance between the nearest points of the item and a shape, 0 where they overlap.
    ///
    /// ```
    /// use orthant::{Aabb, DistanceTo};
    /// let (left, right) = (Aabb::new([0.0, 0.0], [1.0, 9.0]), Aabb::new([4.0, 2.0], [5.0, 3.0]));
    /// assert_eq!(left.distance_sq_to(&right.into()), 9.0);
    /// assert_eq!([4.0, 13.0].distance_sq_to(&left.into()), 25.0);
    /// ```
    fn distance_sq_to(&self, shape: &RoundedBox<Self::Vector>) -> <Self::Vector as Vector>::Scalar;
}

#[diagnostic::do_not_recommend]
impl<V: Vector> DistanceTo for V {
    fn distance_sq_to(&self, shape: &RoundedBox<V>) -> V::Scalar {
        RoundedBox::of(self).distance_sq(shape)
    }
}

impl<V: Vector> DistanceTo for Aabb<V> {
    fn distance_sq_to(&self, shape: &RoundedBox<V>) -> V::Scalar {
        RoundedBox::of(self).distance_sq(shape)
    }
}

impl<V: Vector> DistanceTo for Sphere<V> {
    fn distance_sq_to(&self, shape: &RoundedBox<V>) -> V::Scalar {
        RoundedBox::of(self).distance_sq(shape)
    }
}
