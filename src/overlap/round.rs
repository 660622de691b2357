//! Round regions: the points whose distance from a center, by some measure, lies between two radii.
//!
//! A sphere, a shell, an ellipsoid and their surfaces are all a [`Ball`], which is compared with points, boxes and
//! the surfaces of boxes here, and by sixteen lanes in [`lanes`](super::lanes). A connected thing meets a ball
//! exactly if its nearest point is not beyond the outer radius and its farthest not within the inner one, since every
//! distance between the two occurs in it:
//!
//! ```text
//! overlaps(thing)  = near(thing) <= outer and inner <= far(thing)
//! contains(thing)  = far(thing) <= outer and inner <= near(thing)
//! ```

use super::ball_ball::{hole_sq, reach_sq};
use super::distance::{Center, far_apart, near_apart};
use super::lanes::{Measure, Plain};
use super::{Contains, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Shell, Sphere};
use crate::vector::{Scalar, Vector};

/// The points about a center whose distance is between two radii.
#[derive(Clone, Copy, Debug)]
pub struct Ball<V: Vector> {
    pub(crate) center: V,
    /// Added to each difference to the center of points and boxes: the offset of a periodic image, else zero.
    pub(crate) offset: V,
    pub(crate) outer: V::Scalar,
    /// 0, and unused, in a solid ball.
    pub(crate) inner: V::Scalar,
    pub(crate) hollow: bool,
    /// Measures other than Euclid's compare points and boxes only.
    pub(crate) measure: Measure<V>,
}

impl<V: Vector> Ball<V> {
    /// The points within a radius by a measure.
    #[inline(always)]
    pub(crate) fn of(measure: Measure<V>, center: V, radius: V::Scalar) -> Self {
        Self {
            center,
            offset: V::splat(Scalar::ZERO),
            outer: radius,
            inner: Scalar::ZERO,
            hollow: false,
            measure,
        }
    }

    /// A single point.
    #[inline(always)]
    pub(crate) fn point(center: V) -> Self {
        Self::of(Measure::Euclid, center, Scalar::ZERO)
    }

    /// A single point that sees items in a periodic image.
    #[inline(always)]
    pub(crate) fn at(center: &Center<V>) -> Self {
        Self {
            offset: center.offset,
            ..Self::point(center.at)
        }
    }

    /// The surface of a solid ball.
    #[inline(always)]
    pub(crate) fn surface(self) -> Self {
        Self {
            inner: self.outer,
            hollow: true,
            ..self
        }
    }

    /// Converts the ball to another type of vector.
    #[inline(always)]
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(&self) -> Ball<U> {
        Ball {
            center: U::of_array(self.center.array()),
            offset: U::of_array(self.offset.array()),
            outer: self.outer,
            inner: self.inner,
            hollow: self.hollow,
            measure: self.measure.cast(),
        }
    }

    /// True for a ball by Euclid's norm without an offset.
    #[inline(always)]
    pub(crate) fn is_euclidean(&self) -> bool {
        matches!(self.measure, Measure::Euclid) && !self.seen().is_shifted()
    }

    /// True for the most frequent kind, which has loops of its own: solid, by Euclid's norm, without an offset.
    #[inline(always)]
    pub(crate) fn is_usual(&self) -> bool {
        !self.hollow && self.is_euclidean()
    }

    /// The center with its offset.
    #[inline(always)]
    pub(crate) fn seen(&self) -> Center<V> {
        Center {
            at: self.center,
            offset: self.offset,
        }
    }

    /// The measure to a point.
    #[inline(always)]
    pub(crate) fn apart(&self, p: V) -> V::Scalar {
        self.measure.sum(|a| p.axis(a) - self.center.axis(a))
    }

    /// The measure to the nearest point of a box.
    #[inline(always)]
    pub(crate) fn near(&self, cell: &Aabb<V>) -> V::Scalar {
        let (seen, lo, hi) = (self.seen(), cell.min(), cell.max());
        if seen.is_shifted() {
            return self.measure.sum(|a| seen.near_on(a, cell));
        }
        self.measure
            .sum(|a| near_apart(self.center.axis(a), lo.axis(a), hi.axis(a)))
    }

    /// The measure to the farthest corner of a box.
    #[inline(always)]
    pub(crate) fn far(&self, cell: &Aabb<V>) -> V::Scalar {
        let (seen, lo, hi) = (self.seen(), cell.min(), cell.max());
        if seen.is_shifted() {
            return self.measure.sum(|a| seen.far_on(a, cell));
        }
        self.measure
            .sum(|a| far_apart(self.center.axis(a), lo.axis(a), hi.axis(a)))
    }

    /// The measure to the nearest point of the surface of a box.
    #[inline(always)]
    pub(crate) fn near_surface(&self, cell: &Aabb<V>) -> V::Scalar {
        let (zero, c, lo, hi) = (V::Scalar::ZERO, self.center, cell.min(), cell.max());
        // Negative outside, where it is the exact negative of the difference that `near` takes.
        let inward = |a| (c.axis(a) - lo.axis(a)).smaller(hi.axis(a) - c.axis(a));
        let near = self.measure.sum(|a| (zero - inward(a)).larger(zero));
        let depth = |a| self.measure.on(a, inward(a).larger(zero));
        let face = (1..V::DIM).fold(depth(0), |least, a| least.smaller(depth(a)));
        // One of the two is 0. Adding both avoids a branch, which would be hard to predict.
        near + face
    }

    /// The measures of both radii.
    #[inline(always)]
    pub(crate) fn limits(&self) -> (V::Scalar, V::Scalar) {
        let (inner, outer) = (self.inner, self.outer);
        (self.measure.of_length(inner), self.measure.of_length(outer))
    }

    #[inline(always)]
    fn is_between(&self, near: V::Scalar, far: impl FnOnce() -> V::Scalar) -> bool {
        let (inner, outer) = self.limits();
        near <= outer && (!self.hollow || inner <= far())
    }

    #[inline(always)]
    fn meets_point(&self, p: V) -> bool {
        let apart = self.apart(p);
        self.is_between(apart, || apart)
    }

    #[inline(always)]
    fn meets_box(&self, cell: &Aabb<V>) -> bool {
        self.is_between(self.near(cell), || self.far(cell))
    }

    #[inline(always)]
    fn meets_surface(&self, cell: &Aabb<V>) -> bool {
        if V::DIM == 1 && self.hollow {
            // The surface of an interval is two points, between which nothing lies.
            return self.meets_point(cell.min()) || self.meets_point(cell.max());
        }
        self.is_between(self.near_surface(cell), || self.far(cell))
    }

    /// Whether its surface meets that of a box.
    #[inline]
    fn surfaces_meet(&self, cell: &Aabb<V>) -> bool {
        if V::DIM == 1 {
            // Both are two points, compared without squares, which could underflow to a tie.
            let apart = |end: V| self.measure.scaled(0, self.center.axis(0) - end.axis(0));
            let mut ends = [cell.min(), cell.max()].into_iter();
            return ends.any(|end| apart(end).abs() == self.outer);
        }
        self.meets_surface(cell)
    }

    /// Returns true if it contains a box. `is_within` compares measures: `le` lets the surfaces touch, `lt` does not.
    #[inline(always)]
    fn holds(&self, cell: &Aabb<V>, is_within: fn(&V::Scalar, &V::Scalar) -> bool) -> bool {
        let (inner, outer) = self.limits();
        is_within(&self.far(cell), &outer) && (!self.hollow || is_within(&inner, &self.near(cell)))
    }

    #[inline(always)]
    fn is_surface(&self) -> bool {
        self.hollow && self.inner == self.outer
    }

    /// How it relates to points and boxes in a cell. A surface encloses no cell.
    #[inline(always)]
    pub(crate) fn relate(&self, cell: &Aabb<V>) -> Relation {
        Relation::of(
            !self.meets_box(cell),
            !self.is_surface() && self.holds(cell, PartialOrd::le),
        )
    }

    /// How it relates to balls with centers in a cell, all of which may meet a surface.
    #[inline(always)]
    pub(crate) fn relate_balls(
        &self,
        centers: &Aabb<V>,
        least: V::Scalar,
        most: V::Scalar,
    ) -> Relation {
        if !matches!(self.measure, Measure::Euclid) {
            let outside = !self.meets_box(&centers.grown(most));
            return Relation::of(
                outside,
                !outside && !self.is_surface() && self.holds(centers, PartialOrd::le),
            );
        }
        let (near, far) = (self.near(centers), self.far(centers));
        Relation::of(
            near > reach_sq(self.outer, most) || self.hollow && far < hole_sq(self.inner, most),
            far <= reach_sq(self.outer, least)
                && (!self.hollow || near >= hole_sq(self.inner, least)),
        )
    }
}

// Shapes as balls.

/// Implements [`Region`], and [`Overlaps`] with points and boxes, for shapes that are balls.
macro_rules! round {
    ($($region:ty, |$this:ident| $ball:expr;)*) => {$(
        impl<V: Vector> $region {
            #[inline(always)]
            pub(crate) fn ball(&self) -> Ball<V> {
                let $this = self;
                $ball
            }
        }

        overlaps! {
            @always $region: V, |this, p| this.ball().meets_point(*p);
            @always $region: Aabb<V>, |this, cell| this.ball().meets_box(cell);
        }

        impl<V: Vector> Region for $region {
            type Vector = V;

            #[inline]
            fn hint(&self) -> Option<Aabb<V>> {
                Some(self.bounds())
            }

            #[inline(always)]
            fn plain(&self) -> Option<Plain<V>> {
                Some(Plain::Ball(self.ball()))
            }

            #[inline(always)]
            fn relate(&self, cell: &Aabb<V>) -> Relation {
                self.ball().relate(cell)
            }

            #[inline(always)]
            fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
                self.ball().relate_balls(centers, least, most)
            }
        }
    )*};
}

round! {
    Sphere<V>, |this| Ball::of(Measure::Euclid, this.center(), this.radius());
    Shell<V>, |this| Ball {
        inner: this.inner(),
        hollow: this.inner() > V::Scalar::ZERO,
        ..this.filled().ball()
    };
    // The ball of radius 1 in units of the semi-axes.
    Ellipsoid<V>, |this| Ball::of(Measure::Scaled(this.semi_axes()), this.center(), Scalar::ONE);
    Hollow<Sphere<V>>, |this| this.0.ball().surface();
    Hollow<Ellipsoid<V>>, |this| this.0.ball().surface();
}

overlaps! {
    Sphere<V>: Hollow<Aabb<V>>, |this, skin| this.ball().meets_surface(&skin.0);
    Shell<V>: Hollow<Aabb<V>>, |this, skin| this.ball().meets_surface(&skin.0);
    Ellipsoid<V>: Hollow<Aabb<V>>, |this, skin| this.ball().meets_surface(&skin.0);
    Hollow<Sphere<V>>: Hollow<Aabb<V>>, |this, skin| this.ball().surfaces_meet(&skin.0);
    Hollow<Ellipsoid<V>>: Hollow<Aabb<V>>, |this, skin| this.ball().surfaces_meet(&skin.0);
}

contains! {
    @always Sphere<V>: V, |this, p| this.ball().meets_point(*p), strictly this.contains_strictly(&Aabb::point(*p));
    @always Shell<V>: V, |this, p| this.ball().meets_point(*p), strictly this.contains_strictly(&Aabb::point(*p));
    @always Ellipsoid<V>: V, |this, p| this.ball().meets_point(*p), strictly this.contains_strictly(&Aabb::point(*p));
    @always Sphere<V>: Aabb<V>, |this, cell|
        this.ball().holds(cell, PartialOrd::le), strictly this.ball().holds(cell, PartialOrd::lt);
    @always Shell<V>: Aabb<V>, |this, cell|
        this.ball().holds(cell, PartialOrd::le), strictly this.ball().holds(cell, PartialOrd::lt);
    @always Ellipsoid<V>: Aabb<V>, |this, cell|
        this.ball().holds(cell, PartialOrd::le), strictly this.ball().holds(cell, PartialOrd::lt);
}
