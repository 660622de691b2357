//! Capsules, the shapes that moving balls sweep over: how far boxes are from the line along which the center moves, and
//! their surfaces.
//!
//! The squared distance to a box is convex along the line, and quadratic between the planes of its faces. So the ends of
//! each such piece and its lowest point are tried.
//! The result is the distance of a point of the line, so only its own rounding can make it too small.

use super::ball::{Axis, crossings};
use super::{Moving, dot, moved};
use crate::overlap::distance::{near_sq, point_sq};
use crate::overlap::{Overlaps, Region, Relation, hole_sq, overlaps};
use crate::shape::{Aabb, Hollow, Sphere};
use crate::vector::{Scalar, Vector};

impl<V: Vector> Moving<Sphere<V>> {
    /// The squared distance of a box from the line along which the center moves.
    pub(crate) fn near_sq(&self, cell: &Aabb<V>) -> V::Scalar {
        let is_point = |a| cell.min().axis(a) == cell.max().axis(a);
        if (0..V::DIM).all(is_point) {
            return self.point_sq(cell.min());
        }
        let mut least = V::Scalar::INFINITY;
        self.each_time(cell, |time| {
            least = least.smaller(near_sq(&self.at(time), cell));
        });
        least
    }

    /// The squared radius.
    fn limit(&self) -> V::Scalar {
        self.shape.radius() * self.shape.radius()
    }

    /// The squared distance of a point from the line along which the center moves.
    fn point_sq(&self, p: V) -> V::Scalar {
        let (center, by) = (self.shape.center(), self.displacement);
        let from = V::from_fn(|a| p.axis(a) - center.axis(a));
        // If the ball rests, the quotient is NaN, and the clamp makes it a time.
        let time = (dot(from, by) / dot(by, by))
            .larger(V::Scalar::ZERO)
            .smaller(self.horizon);
        point_sq(&self.at(time), p)
    }

    /// Whether a box is no nearer to the line than the radius, with its nearest points on upper faces alone.
    pub(crate) fn is_above(&self, cell: &Aabb<V>) -> bool {
        let least = self.near_sq(cell);
        if least < self.limit() {
            return false;
        }
        // The nearest points are connected. So if on each axis one of them is off the upper face, one of them is off
        // all upper faces.
        let mut is_below = [false; 4];
        self.each_time(cell, |time| {
            let center = self.at(time);
            for (a, below) in is_below.iter_mut().enumerate().take(V::DIM) {
                *below |= near_sq(&center, cell) == least && center.axis(a) < cell.max().axis(a);
            }
        });
        is_below[..V::DIM].contains(&false)
    }

    fn at(&self, time: V::Scalar) -> V {
        moved(self.shape.center(), self.displacement, time)
    }

    /// Calls `f` with all times at which the distance from a box may be least.
    fn each_time(&self, cell: &Aabb<V>, mut f: impl FnMut(V::Scalar)) {
        let (center, by, zero) = (self.shape.center(), self.displacement, V::Scalar::ZERO);
        let (axes, mut start) = (crossings(self, cell), zero);
        // Call `f` with the start, the ends of all pieces, and the lowest points in between.
        f(start);
        while start < self.horizon {
            let next = |end, axis: &Axis<V::Scalar>| axis.next(start, end);
            let end = axes.iter().fold(self.horizon, next);
            // In a piece the distance counts from fixed faces. It is least where its derivative is zero.
            let (mut way, mut speed_sq) = (zero, zero);
            for (a, axis) in axes.iter().enumerate().take(V::DIM) {
                if let Some(face) = axis.face(start, end) {
                    way = way + (face - center.axis(a)) * by.axis(a);
                    speed_sq = speed_sq + by.axis(a) * by.axis(a);
                }
            }
            let lowest = way / speed_sq;
            if start < lowest && lowest < end {
                f(lowest);
            }
            if end.is_finite() {
                f(end);
            }
            start = end;
        }
    }

    /// The squared distance of the point of a box that is farthest.
    pub(crate) fn far_sq(&self, cell: &Aabb<V>) -> V::Scalar {
        let corners = (0..1 << V::DIM).map(|i| self.corner_sq(cell, i));
        corners.fold(V::Scalar::ZERO, Scalar::larger)
    }

    fn corner_sq(&self, cell: &Aabb<V>, corner: usize) -> V::Scalar {
        let (lo, hi) = (cell.min(), cell.max());
        let side = |a: usize| if corner >> a & 1 == 1 { hi } else { lo };
        self.point_sq(V::from_fn(|a| side(a).axis(a)))
    }

    /// Whether a box without its upper faces lies in the interior.
    pub(crate) fn encloses_half_open(&self, cell: &Aabb<V>) -> bool {
        let (far, limit) = (self.far_sq(cell), self.limit());
        // The farthest points make up whole faces. Each has a point on an upper face, or is the lowest corner.
        far < limit || (far == limit && self.corner_sq(cell, 0) < limit)
    }

    /// Whether all points that are nearer than a distance to a box are outside, by more than rounding.
    pub(crate) fn misses(&self, cell: &Aabb<V>, distance: V::Scalar) -> bool {
        let (apart, reach, slack) = self.surroundings(cell);
        apart.is_finite() && apart > self.shape.radius() + reach + distance + slack
    }

    /// Whether all points that are nearer than a distance to a box are in the interior, by more than rounding.
    pub(crate) fn encloses(&self, cell: &Aabb<V>, distance: V::Scalar) -> bool {
        let (apart, reach, slack) = self.surroundings(cell);
        apart + reach + distance + slack < self.shape.radius()
    }

    /// Tests what [`misses`](Self::misses) does with the box itself, and not with the ball around it.
    pub(crate) fn misses_closely(&self, cell: &Aabb<V>, distance: V::Scalar) -> bool {
        let limit = self.shape.radius() + distance;
        if limit < V::Scalar::ZERO {
            return true;
        }
        let (rounding, lost) = rounding_of::<V>();
        let (cell, limit) = (self.widened(cell), limit + limit * rounding + lost);
        let near = self.near_sq(&cell);
        (near.is_finite() && near > limit * limit) || self.is_beside(&cell, limit)
    }

    /// Tests what [`encloses`](Self::encloses) does with the box itself, and not with the ball around it.
    pub(crate) fn encloses_closely(&self, cell: &Aabb<V>, distance: V::Scalar) -> bool {
        let (rounding, lost) = rounding_of::<V>();
        let limit = self.shape.radius() - distance;
        let limit = limit - limit * rounding - lost;
        limit > V::Scalar::ZERO && self.far_sq(&self.widened(cell)) < limit * limit
    }

    /// Whether a box is more than a distance away from the line on one axis.
    fn is_beside(&self, cell: &Aabb<V>, distance: V::Scalar) -> bool {
        (0..V::DIM).any(|a| {
            let (from, by) = (self.shape.center().axis(a), self.displacement.axis(a));
            let to = if by == V::Scalar::ZERO {
                from
            } else {
                from + self.horizon * by
            };
            let (low, high) = (from.smaller(to), from.larger(to));
            low - cell.max().axis(a) > distance || cell.min().axis(a) - high > distance
        })
    }

    /// A box grown on each axis by more than the rounding of places on the line.
    fn widened(&self, cell: &Aabb<V>) -> Aabb<V> {
        let (rounding, _) = rounding_of::<V>();
        cell.grown_on(|a| {
            let way = self.horizon * self.displacement.axis(a);
            let way = Some(way.abs()).filter(|way| way.is_finite());
            let ends = cell.min().axis(a).abs().larger(cell.max().axis(a).abs());
            let most = self.shape.center().axis(a).abs() + way.unwrap_or_default();
            ends.larger(most) * rounding
        })
    }

    /// How far the middle of a box is from the line, and its corners from its middle; and a bound on the rounding of
    /// such distances, in the predicates too.
    fn surroundings(&self, cell: &Aabb<V>) -> (V::Scalar, V::Scalar, V::Scalar) {
        let (lo, hi) = (cell.min(), cell.max());
        let mut largest = self.shape.radius();
        for a in 0..V::DIM {
            let ends = lo.axis(a).abs().larger(hi.axis(a).abs());
            largest = largest
                .larger(ends)
                .larger(self.shape.center().axis(a).abs());
        }
        let (rounding, lost) = rounding_of::<V>();
        let rounding = largest * rounding;
        let reach = point_sq(&lo, hi).sqrt() * V::Scalar::from_f64(0.5);
        let apart = self.point_sq(cell.center()).sqrt();
        (apart, reach, rounding + lost)
    }
}

/// Some tens of relative rounding errors, and a length whose square does not vanish.
fn rounding_of<V: Vector>() -> (V::Scalar, V::Scalar) {
    (
        V::Scalar::EPSILON * V::Scalar::from_f64(64.0),
        V::Scalar::MIN_POSITIVE.sqrt() * V::Scalar::from_f64(8.0),
    )
}

overlaps! {
    Hollow<Moving<Sphere<V>>>: V, |this, p| this.overlaps(&Aabb::point(*p));
    Hollow<Moving<Sphere<V>>>: Aabb<V>, |this, cell| {
        this.0.overlaps(cell) && this.0.far_sq(cell) >= this.0.limit()
    };
    Hollow<Moving<Sphere<V>>>: Hollow<Aabb<V>>, |this, skin| {
        let cell = &skin.0;
        if V::DIM == 1 {
            // The surface is not in one piece: two points.
            return this.overlaps(&cell.min()) || this.overlaps(&cell.max());
        }
        this.0.overlaps(skin) && this.0.far_sq(cell) >= this.0.limit()
    };
    /// The ball meets the surface.
    Hollow<Moving<Sphere<V>>>: Sphere<V>, |this, ball| {
        let hole_sq = hole_sq(this.0.shape.radius(), ball.radius());
        this.0.overlaps(ball) && this.0.point_sq(ball.center()) >= hole_sq
    };
}

impl<V: Vector> Region for Hollow<Moving<Sphere<V>>> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        self.0.hint()
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        let outside = self.0.relate(cell) == Relation::Outside;
        Relation::of(outside || self.0.encloses(cell, Scalar::ZERO), false)
    }

    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        let outside = self.0.relate_balls(centers, least, most) == Relation::Outside;
        // If the box around all balls is in the interior, so is each ball.
        let inside = || self.0.encloses(&centers.grown(most), Scalar::ZERO);
        Relation::of(outside || inside(), false)
    }
}
