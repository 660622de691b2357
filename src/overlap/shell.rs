//! Shells against points, solid and hollow boxes, and spheres.
//!
//! What is in one piece meets a shell exactly if its nearest point is not beyond the outer radius and
//! its farthest not within the inner one, since every distance between the two occurs in it.

use super::distance::{Metric, far_sq, near_sq, point_sq, surface_sq};
use super::lanes::{Ball, Plain};
use super::round::{hole_sq, reach_sq};
use super::{Contains, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Hollow, Shell, Sphere};
use crate::vector::{Scalar, Vector};

impl<V: Vector> Metric for Shell<V> {
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

/// The squares of both radii.
#[inline(always)]
fn limits<V: Vector>(shell: &Shell<V>) -> (V::Scalar, V::Scalar) {
    let (inner, outer) = (shell.inner(), shell.outer());
    (inner * inner, outer * outer)
}

impl<V: Vector> Overlaps<V> for Shell<V> {
    #[inline(always)]
    fn overlaps(&self, p: &V) -> bool {
        self.contains(p)
    }
}

impl<V: Vector> Overlaps<Aabb<V>> for Shell<V> {
    #[inline(always)]
    fn overlaps(&self, cell: &Aabb<V>) -> bool {
        let (inner_sq, outer_sq) = limits(self);
        near_sq(self, cell) <= outer_sq && inner_sq <= far_sq(self, cell)
    }
}

impl<V: Vector> Overlaps<Hollow<Aabb<V>>> for Shell<V> {
    #[inline]
    fn overlaps(&self, skin: &Hollow<Aabb<V>>) -> bool {
        let cell = &skin.0;
        if V::DIM == 1 {
            // The surface is not in one piece: two points.
            return self.contains(&cell.min()) || self.contains(&cell.max());
        }
        let (inner_sq, outer_sq) = limits(self);
        surface_sq(self, cell) <= outer_sq && inner_sq <= far_sq(self, cell)
    }
}

impl<V: Vector> Overlaps<Sphere<V>> for Shell<V> {
    #[inline]
    fn overlaps(&self, other: &Sphere<V>) -> bool {
        let (apart, radius) = (point_sq(self, other.center()), other.radius());
        apart <= reach_sq(self.outer(), radius) && apart >= hole_sq(self.inner(), radius)
    }
}

impl<V: Vector> Contains<V> for Shell<V> {
    #[inline(always)]
    fn contains(&self, p: &V) -> bool {
        let (apart, (inner_sq, outer_sq)) = (point_sq(self, *p), limits(self));
        apart <= outer_sq && inner_sq <= apart
    }

    #[inline(always)]
    fn contains_strictly(&self, p: &V) -> bool {
        self.contains_strictly(&Aabb::point(*p))
    }
}

impl<V: Vector> Contains<Aabb<V>> for Shell<V> {
    #[inline(always)]
    fn contains(&self, cell: &Aabb<V>) -> bool {
        let (inner_sq, outer_sq) = limits(self);
        far_sq(self, cell) <= outer_sq && inner_sq <= near_sq(self, cell)
    }

    #[inline(always)]
    fn contains_strictly(&self, cell: &Aabb<V>) -> bool {
        let (inner_sq, outer_sq) = limits(self);
        let solid = self.inner() == V::Scalar::ZERO;
        far_sq(self, cell) < outer_sq && (solid || inner_sq < near_sq(self, cell))
    }
}

impl<V: Vector> Contains<Sphere<V>> for Shell<V> {
    #[inline]
    fn contains(&self, ball: &Sphere<V>) -> bool {
        let solid = self.inner() == V::Scalar::ZERO;
        let apart = point_sq(self, ball.center());
        self.filled().contains(ball) && (solid || reach_sq(self.inner(), ball.radius()) <= apart)
    }

    #[inline]
    fn contains_strictly(&self, ball: &Sphere<V>) -> bool {
        let solid = self.inner() == V::Scalar::ZERO;
        let apart = point_sq(self, ball.center());
        let clear = solid || reach_sq(self.inner(), ball.radius()) < apart;
        self.filled().contains_strictly(ball) && clear
    }
}

impl<V: Vector> Region for Shell<V> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline(always)]
    fn plain(&self) -> Option<Plain<V>> {
        Some(Plain::Ball(Ball {
            center: self.center(),
            outer: self.outer(),
            inner: self.inner(),
            hollow: self.inner() > V::Scalar::ZERO,
        }))
    }

    #[inline(always)]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        Relation::of(!self.overlaps(cell), self.contains(cell))
    }

    #[inline(always)]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        let (near, far) = (near_sq(self, centers), far_sq(self, centers));
        Relation::of(
            near > reach_sq(self.outer(), most) || far < hole_sq(self.inner(), most),
            far <= reach_sq(self.outer(), least) && near >= hole_sq(self.inner(), least),
        )
    }
}
