//! The distance between two rounded boxes, which are boxes grown by a radius; points, boxes and balls are all such.
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
use crate::shape::{Aabb, Bounded, Layout, Sphere};
use crate::vector::{Scalar, Vector};

/// A box grown by a radius on all sides: the shape that [`nearest_to`](crate::SpatialIndex::nearest_to) measures from.
///
/// It is made by `From` of a point, an [`Aabb`], a [`Sphere`] or a [`Volume`](crate::Volume).
///
/// ```
/// use orthant::{Aabb, RoundedBox};
/// assert_eq!(RoundedBox::from([2.0, 0.0]), RoundedBox::from(Aabb::new([2.0, 0.0], [2.0, 0.0])));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox<V: Vector> {
    core: Aabb<V>,
    /// `None` for points and boxes, whose distance needs no root.
    radius: Option<V::Scalar>,
}

impl<V: Vector> RoundedBox<V> {
    pub(crate) fn of<T: Bounded<Vector = V>>(item: &T) -> Self {
        let (core, radius) = item.rounded();
        Self { core, radius }
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

    /// The squared distance to an item, 0 where they overlap; symmetric for two shapes of one type.
    #[inline]
    pub(crate) fn item_sq<T: Bounded<Vector = V>>(&self, item: &T) -> V::Scalar {
        const {
            assert!(
                T::IS_ROUNDED,
                "only points, boxes, balls, bodies and what `item!` makes of them have a distance from a box or ball"
            );
        }
        let own = Self::of(item);
        let distance_sq = own.distance_sq(self);
        if T::HAS_RADIUS || T::LAYOUT != Layout::Whole {
            return distance_sq;
        }
        // Trees keep some balls, such as those of bodies, by their boxes: such an item must be no nearer than its
        // box.
        let least_sq = own.bounds().distance_sq(self).larger(distance_sq);
        least_sq.larger(own.distance_sq(&self.bounds()))
    }

    #[inline]
    fn distance_sq(&self, other: &Self) -> V::Scalar {
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
        let radius = T::HAS_RADIUS.then_some(self.most);
        let core = self.core;
        RoundedBox { core, radius }.distance_sq(shape)
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
