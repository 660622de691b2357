//! What is compared with boxes and points: spheres, spheres that are grown or shrunk by another's
//! radius, and ellipsoids.

use core::cmp::Ordering;

use dashu_int::IBig;

use super::filter::{in_order, order, order_or_nan};
use super::integers::{self, Lattice};
use crate::overlap::distance::{Metric, ScalarOf, far_sq, near_sq, point_sq, surface_sq};
use crate::overlap::round::Round;
use crate::shape::{Aabb, Ellipsoid, Sphere};
use crate::vector::{Scalar, Vector};

/// A round body of known center and reach.
pub(super) trait Body: Metric + Copy {
    /// The square of its reach, rounded.
    fn rounded_limit(&self) -> ScalarOf<Self>;

    /// What the reach is made of.
    fn lengths(&self) -> [ScalarOf<Self>; 2];

    /// The reach, in units of the lattice, or of the metric where that has its own.
    fn exact_reach(&self, lattice: Lattice) -> IBig;

    /// What differences on an axis are divided by.
    fn semi_axis(&self, axis: usize) -> Option<ScalarOf<Self>>;

    /// How a rounded squared distance lies to the surface, if it tells: `Less` is inside.
    #[inline(always)]
    fn order(&self, square: ScalarOf<Self>) -> Option<Ordering> {
        order::<Self::Vector>(square, self.rounded_limit())
    }

    /// How the nearest point of a solid box lies to the body's surface: `Less` is inside.
    #[inline(always)]
    fn near(&self, cell: &Aabb<Self::Vector>) -> Ordering {
        self.order(near_sq(self, cell))
            .unwrap_or_else(|| integers::near(*self, cell))
    }

    /// How the farthest corner of a box does.
    #[inline(always)]
    fn far(&self, cell: &Aabb<Self::Vector>) -> Ordering {
        self.order(far_sq(self, cell))
            .unwrap_or_else(|| integers::far(*self, cell))
    }

    /// How the nearest point of the box's surface does.
    #[inline(always)]
    fn surface(&self, cell: &Aabb<Self::Vector>) -> Ordering {
        self.order(surface_sq(self, cell))
            .unwrap_or_else(|| integers::surface(*self, cell))
    }

    /// How a point does.
    #[inline(always)]
    fn point(&self, p: &Self::Vector) -> Ordering {
        order_or_nan::<Self::Vector>(point_sq(self, *p), self.rounded_limit())
            .unwrap_or_else(|| integers::point(*self, p))
    }

    /// How the center of a ball does.
    #[inline(always)]
    fn center(&self, ball: &Sphere<Self::Vector>) -> Ordering {
        self.order(point_sq(self, ball.center()))
            .unwrap_or_else(|| integers::center(*self, ball))
    }

    /// The body's surface meets a solid box.
    #[inline(always)]
    fn pierces(&self, cell: &Aabb<Self::Vector>) -> bool {
        let (near, far) = (near_sq(self, cell), far_sq(self, cell));
        in_order::<Self::Vector>(near, self.rounded_limit(), far)
            .unwrap_or_else(|| integers::pierces(*self, cell))
    }

    /// The surfaces of the body and of a box share a point.
    #[inline(always)]
    fn surfaces_meet(&self, cell: &Aabb<Self::Vector>) -> bool {
        if Self::Vector::DIM == 1 {
            // Both are two points, so that not every distance between the least and the largest occurs.
            return self.point(&cell.min()).is_eq() || self.point(&cell.max()).is_eq();
        }
        let (surface, far) = (surface_sq(self, cell), far_sq(self, cell));
        in_order::<Self::Vector>(surface, self.rounded_limit(), far)
            .unwrap_or_else(|| integers::surfaces_meet(*self, cell))
    }
}

impl<V: Vector> Body for Sphere<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        self.limit()
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [self.radius(), Scalar::ZERO]
    }

    fn exact_reach(&self, lattice: Lattice) -> IBig {
        lattice.integer(self.radius())
    }

    #[inline(always)]
    fn semi_axis(&self, _axis: usize) -> Option<V::Scalar> {
        None
    }
}

impl<V: Vector> Body for Ellipsoid<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        self.limit()
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [Scalar::ZERO; 2]
    }

    fn exact_reach(&self, _lattice: Lattice) -> IBig {
        IBig::ONE
    }

    #[inline(always)]
    fn semi_axis(&self, axis: usize) -> Option<V::Scalar> {
        Some(self.semi_axes().axis(axis))
    }
}

/// A sphere whose radius is the sum or difference of two, which need be no float.
#[derive(Clone, Copy)]
pub(super) struct Offset<V: Vector> {
    center: V,
    radius: V::Scalar,
    by: V::Scalar,
    outwards: bool,
}

impl<V: Vector> Offset<V> {
    #[inline(always)]
    pub(super) fn grown(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        Self {
            center: sphere.center(),
            radius: sphere.radius(),
            by,
            outwards: true,
        }
    }

    /// To nothing but the center, if the radius is smaller.
    #[inline(always)]
    pub(super) fn shrunk(sphere: &Sphere<V>, by: V::Scalar) -> Self {
        Self {
            center: sphere.center(),
            radius: sphere.radius(),
            by,
            outwards: false,
        }
    }
}

impl<V: Vector> Metric for Offset<V> {
    type Vector = V;

    #[inline(always)]
    fn middle(&self) -> V {
        self.center
    }

    #[inline(always)]
    fn scaled(&self, _axis: usize, difference: V::Scalar) -> V::Scalar {
        difference
    }
}

impl<V: Vector> Body for Offset<V> {
    #[inline(always)]
    fn rounded_limit(&self) -> V::Scalar {
        let reach = if self.outwards {
            self.radius + self.by
        } else {
            (self.radius - self.by).larger(V::Scalar::ZERO)
        };
        reach * reach
    }

    fn lengths(&self) -> [V::Scalar; 2] {
        [self.radius, self.by]
    }

    fn exact_reach(&self, lattice: Lattice) -> IBig {
        let [radius, by] = self.lengths().map(|length| lattice.integer(length));
        if self.outwards {
            radius + by
        } else {
            (radius - by).max(IBig::ZERO)
        }
    }

    #[inline(always)]
    fn semi_axis(&self, _axis: usize) -> Option<V::Scalar> {
        None
    }
}

/// How the room for a ball in a box, on the axis with the least, lies to its radius.
#[inline(always)]
pub(super) fn room_for_ball<V: Vector>(cell: &Aabb<V>, ball: &Sphere<V>) -> Ordering {
    room(cell, ball.center(), |_| ball.radius())
        .unwrap_or_else(|| integers::room_for_ball(*cell, ball))
}

/// How that for an ellipsoid lies to its semi-axis there.
#[inline(always)]
pub(super) fn room_for_ellipsoid<V: Vector>(cell: &Aabb<V>, egg: &Ellipsoid<V>) -> Ordering {
    room(cell, egg.center(), |axis| egg.semi_axes().axis(axis))
        .unwrap_or_else(|| integers::room_for_ellipsoid(*cell, egg))
}

#[inline(always)]
fn room<V: Vector>(
    cell: &Aabb<V>,
    center: V,
    reach: impl Fn(usize) -> V::Scalar,
) -> Option<Ordering> {
    for i in 0..V::DIM {
        let (c, length) = (center.axis(i), reach(i));
        let least = (c - cell.min().axis(i)).smaller(cell.max().axis(i) - c);
        // A float stands for itself, and rounding is monotone: only equality is open.
        if least <= length {
            return (least < length).then_some(Ordering::Less);
        }
    }
    Some(Ordering::Greater)
}
