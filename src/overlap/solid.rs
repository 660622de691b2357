//! Convex solids of planes and their surfaces, against points, solid and hollow boxes and balls.

mod items;

use alloc::boxed::Box;

use super::lanes::inexact::Inexact;
use super::lanes::planes::Planes;
use super::{Contains, Overlaps, Region, Relation};
use crate::shape::polytope::{Point, Polytope, narrow, wide};
use crate::shape::{Aabb, ConvexSolid, Hollow, Side, Sphere};
use crate::vector::{Scalar, Vector};

pub(crate) fn widen<V: Vector>(cell: &Aabb<V>) -> Aabb<Point> {
    Aabb::from_corners(wide(cell.min()), wide(cell.max()))
}

/// The box whose surface is that of a cell. In the plane it is a column without end, which has no faces above and
/// below.
fn widen_surface<V: Vector>(cell: &Aabb<V>) -> Aabb<Point> {
    let (mut min, mut max) = (wide(cell.min()), wide(cell.max()));
    if V::DIM == 2 {
        (min[2], max[2]) = (-1e150, 1e150);
    }
    Aabb::from_corners(min, max)
}

impl<V: Vector> ConvexSolid<V> {
    /// The distance from a point to the surface: positive outside, negative inside.
    ///
    /// ```
    /// use orthant::{Hexahedron, Side, Sphere};
    /// let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let solid = Hexahedron::oriented([0.0; 3], [3.0, 2.0, 2.0], axes);
    /// assert_eq!(solid.signed_distance([0.0, 0.0, 1.5]), -0.5);
    /// assert_eq!(solid.closest_point([6.0, 0.0, 1.0]), [3.0, 0.0, 1.0]);
    /// assert_eq!(solid.closest_surface_point([0.0, 0.0, 1.5]), [0.0, 0.0, 2.0]);
    /// assert_eq!(solid.farthest_distance([3.0, -2.0, -1.0]), 61_f64.sqrt());
    /// let ball = Sphere::new([3.9, 2.9, 0.0], 1.0); // off an edge
    /// assert!(solid.may_overlap(&ball));
    /// assert_eq!(solid.classify(&ball), Side::Outside);
    /// ```
    #[must_use]
    pub fn signed_distance(&self, p: V) -> V::Scalar {
        let (solid, p) = (&self.solid, wide(p));
        let distance = match solid.foot(p) {
            Some(foot) => Scalar::sqrt(foot.distance_sq()),
            None => {
                let foot = solid.inner_foot(p);
                0.0 - foot.map_or(0.0, |(foot, _)| Scalar::sqrt(foot.distance_sq()))
            }
        };
        Scalar::from_f64(distance)
    }

    /// The nearest point of the solid: the point itself if it is inside.
    #[must_use]
    pub fn closest_point(&self, p: V) -> V {
        self.solid
            .foot(wide(p))
            .map_or(p, |foot| narrow(foot.point))
    }

    /// The nearest point of the surface.
    #[must_use]
    pub fn closest_surface_point(&self, p: V) -> V {
        let foot = self.solid.foot(wide(p));
        let foot = foot.or_else(|| Some(self.solid.inner_foot(wide(p))?.0));
        foot.map_or(p, |foot| narrow(foot.point))
    }

    /// The distance from a point to the farthest corner; infinite where the solid never ends.
    #[must_use]
    pub fn farthest_distance(&self, from: V) -> V::Scalar {
        Scalar::from_f64(Scalar::sqrt(self.solid.farthest_sq(from)))
    }

    /// Whether a ball lies strictly inside, outside, or neither: then it touches or crosses the surface, or encloses
    /// the solid.
    #[must_use]
    pub fn classify(&self, ball: &Sphere<V>) -> Side {
        if self.contains_strictly(ball) {
            Side::Inside
        } else if self.overlaps(ball) {
            Side::Intersecting
        } else {
            Side::Outside
        }
    }

    /// The plane test alone: `false` if the ball lies in front of a plane, else `true`.
    ///
    /// Cheaper than `overlaps`, and never `false` where that is `true`; but `true` for many
    /// balls off an edge or a corner. For boxes, [`Region::relate`] is such a test.
    #[must_use]
    pub fn may_overlap(&self, ball: &Sphere<V>) -> bool {
        let center = Aabb::point(wide(ball.center()));
        !self.solid.misses(&center, ball.radius().into())
    }
}

contains! {
    ConvexSolid<V>: V, |this, p|
        this.overlaps(p),
        strictly this.contains_strictly(&Aabb::point(*p));
    ConvexSolid<V>: Aabb<V>, |this, cell|
        this.solid.relate(&widen(cell)) == Relation::Inside,
        strictly this.solid.encloses(&widen(cell));
    ConvexSolid<V>: Sphere<V>, |this, ball|
        this.solid.holds_ball(wide(ball.center()), ball.radius().into()),
        strictly {
            let center = Aabb::point(wide(ball.center()));
            this.solid.encloses_balls(&center, ball.radius().into())
        };
}

overlaps! {
    ConvexSolid<V>: V, |this, p| this.solid.holds(wide(*p));
    Hollow<ConvexSolid<V>>: V, |this, p| this.0.contains(p) && !this.0.contains_strictly(p);
    ConvexSolid<V>: Aabb<V>, |this, cell| this.solid.overlaps_box(&widen(cell));
    Hollow<ConvexSolid<V>>: Aabb<V>, |this, cell| !this.0.contains_strictly(cell) && this.0.overlaps(cell);
    ConvexSolid<V>: Hollow<Aabb<V>>, |this, shell| this.solid.overlaps_shell(&widen_surface(&shell.0));
    Hollow<ConvexSolid<V>>: Hollow<Aabb<V>>, |this, shell|
        !this.0.contains_strictly(&shell.0) && this.0.overlaps(shell);
    ConvexSolid<V>: Sphere<V>, |this, ball| this.solid.overlaps_ball(wide(ball.center()), ball.radius().into());
    Hollow<ConvexSolid<V>>: Sphere<V>, |this, ball| !this.0.contains_strictly(ball) && this.0.overlaps(ball);
    ConvexSolid<V>: Hollow<Sphere<V>>, |this, skin| this.overlaps(&skin.0) && reaches(&this.solid, &skin.0);
    Hollow<ConvexSolid<V>>: Hollow<Sphere<V>>, |this, skin|
        this.overlaps(&skin.0) && reaches(&this.0.solid, &skin.0);
}

impl<V: Vector> Region for ConvexSolid<V> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        (!self.solid.is_unbounded()).then(|| self.solid.bounds_in())
    }

    fn inexact(&self) -> Option<Inexact<V::Array>> {
        Some(Inexact::Planes(Box::new(Planes::new(&self.solid))))
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        self.solid.relate(&widen(cell))
    }

    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, _least: V::Scalar, most: V::Scalar) -> Relation {
        self.solid.relate_balls(&widen(centers), most.into())
    }
}

impl<V: Vector> Region for Hollow<ConvexSolid<V>> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        self.0.hint()
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        let (solid, cell) = (&self.0.solid, widen(cell));
        let outside = solid.relate(&cell) == Relation::Outside;
        Relation::of(outside || solid.encloses(&cell), false)
    }

    fn relate_balls(&self, centers: &Aabb<V>, _least: V::Scalar, most: V::Scalar) -> Relation {
        let (solid, centers, most) = (&self.0.solid, widen(centers), most.into());
        let outside = solid.relate_balls(&centers, most) == Relation::Outside;
        Relation::of(outside || solid.encloses_balls(&centers, most), false)
    }
}

/// Whether some point of a solid lies on or outside a sphere.
fn reaches<V: Vector>(solid: &Polytope, sphere: &Sphere<V>) -> bool {
    solid.farthest_sq(sphere.center()) >= limit(sphere)
}

/// The squared radius.
fn limit<V: Vector>(ball: &Sphere<V>) -> f64 {
    let radius: f64 = ball.radius().into();
    radius * radius
}
