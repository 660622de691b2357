//! Predicates that are right for every finite input.
//!
//! [`Exact`] around a shape answers [`Overlaps`] and [`Contains`] as if nothing were rounded, at any scale;
//! [`classify`] tells shapes that touch from shapes that overlap. Floats decide where their error is known to be
//! small enough; integers of any length decide the rest: ties and near ties, and squares beyond the range of the
//! scalar. The error bound and its proof stand in `overlap/exact/body.rs`.
//!
//! On random input a test takes at most 1.7 times as long as the plain one, pair by pair; at most 2.0
//! times where one shape is tested against many items, since compilers turn the plain loop into vectors.
//! That is less than a nanosecond more (bench `exact`, x86-64).
//!
//! Structures use the plain predicates by themselves, since these agree with each other
//! and are as fast as can be. A structure queried with an exact region answers exactly what the exact
//! predicate says of each item. The module needs the feature `exact`, since it brings a library of
//! integers (`dashu-int`) with it.
//!
//! ```
//! use orthant::exact::Exact;
//! use orthant::{Aabb, Overlaps, Sphere};
//! let cell = Aabb::new([3e-30_f32, 4e-30], [1.0, 1.0]);
//! let near = Sphere::new([0.0, 0.0], 4e-30);
//! assert!(near.overlaps(&cell)); // both squares vanish
//! assert!(!Exact(near).overlaps(&cell));
//! ```

mod body;
mod ellipsoid_ball;
mod integers;

use crate::overlap::{Contains, Overlaps, Region, Relation};
use crate::shape::{Aabb, Bounded, Ellipsoid, Hollow, Sphere};
use crate::vector::{Scalar, Vector};
use body::Body;

/// A shape whose predicates are exact.
///
/// Solid and hollow spheres and ellipsoids answer for points, boxes, hollow boxes and balls, and are
/// regions; boxes answer for the balls and ellipsoids in them. A point with an infinite or NaN
/// coordinate lies in no shape.
///
/// # Complexity
///
/// The cost of the plain predicate. Tests that floats leave open take time and memory in proportion to the spread of
/// the exponents: some microseconds at most in three dimensions; several times that for an ellipsoid and a ball,
/// which integers decide wherever their bounds do not.
///
/// ```
/// use orthant::{Hollow, Octree, Sphere, exact::Exact, glam::Vec3};
/// // Their squares vanish in single precision.
/// let points = [Vec3::new(3e-30, 4e-30, 0.0), Vec3::new(0.0, 1e-30, 0.0)];
/// let tree = Octree::new(&points);
/// let small = Sphere::new(Vec3::ZERO, 2e-30);
/// assert_eq!(tree.count(small), 2);
/// assert_eq!(tree.count(Exact(small)), 1);
/// assert_eq!(tree.count(Exact(Hollow(small))), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exact<S>(pub S);

impl<S: Copy> Exact<S> {
    #[inline(always)]
    fn body<V: Vector>(&self) -> Body<V>
    where
        S: Into<Body<V>>,
    {
        self.0.into()
    }
}

// Round shapes and their surfaces against points, boxes and cells.

overlaps! {
    @always Exact<Sphere<V>>: V, |this, p| this.body().meets_point(p);
    @always Exact<Ellipsoid<V>>: V, |this, p| this.body().meets_point(p);
    @always Exact<Hollow<Sphere<V>>>: V, |this, p| this.body().meets_point(p);
    @always Exact<Hollow<Ellipsoid<V>>>: V, |this, p| this.body().meets_point(p);
    @always Exact<Sphere<V>>: Aabb<V>, |this, cell| this.body().meets_box(cell);
    @always Exact<Ellipsoid<V>>: Aabb<V>, |this, cell| this.body().meets_box(cell);
    @always Exact<Hollow<Sphere<V>>>: Aabb<V>, |this, cell| this.body().meets_box(cell);
    @always Exact<Hollow<Ellipsoid<V>>>: Aabb<V>, |this, cell| this.body().meets_box(cell);
    Exact<Sphere<V>>: Hollow<Aabb<V>>, |this, skin| this.body().meets_surface(&skin.0);
    Exact<Ellipsoid<V>>: Hollow<Aabb<V>>, |this, skin| this.body().meets_surface(&skin.0);
    Exact<Hollow<Sphere<V>>>: Hollow<Aabb<V>>, |this, skin| this.body().meets_surface(&skin.0);
    Exact<Hollow<Ellipsoid<V>>>: Hollow<Aabb<V>>, |this, skin| this.body().meets_surface(&skin.0);
}

#[diagnostic::do_not_recommend]
impl<V: Vector, S: Copy + Bounded<Vector = V> + Into<Body<V>>> Region for Exact<S> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.0.bounds())
    }

    #[inline(always)]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        self.body().relate(cell)
    }

    #[inline]
    fn relate_balls(&self, centers: &Aabb<V>, least: V::Scalar, most: V::Scalar) -> Relation {
        self.body().relate_balls(centers, [least, most])
    }
}

#[diagnostic::do_not_recommend]
impl<V: Vector, S: Copy + Into<Body<V>>> Classify<Aabb<V>> for S {
    fn meeting(&self, cell: &Aabb<V>) -> Meeting {
        let it: Body<V> = (*self).into();
        // A sphere of radius 0 inside the box is as near as its radius, but is no tangent.
        Meeting::of(!it.meets_box(cell), || {
            it.ball.hollow && it.far(cell).is_eq()
                || it.near(cell).is_eq() && it.surface(cell).is_eq()
        })
    }
}

#[diagnostic::do_not_recommend]
impl<V: Vector, S: Copy + Into<Body<V>>> Classify<Hollow<Aabb<V>>> for S {
    fn meeting(&self, skin: &Hollow<Aabb<V>>) -> Meeting {
        let (it, cell): (Body<V>, _) = ((*self).into(), &skin.0);
        // In one dimension surfaces are points, which may coincide but never cross.
        Meeting::of(!it.meets_surface(cell), || {
            it.ball.hollow && (V::DIM == 1 || it.far(cell).is_eq()) || it.surface(cell).is_eq()
        })
    }
}

contains! {
    @always Exact<Sphere<V>>: V, |this, p| this.body().point(p).is_le(), strictly this.body().point(p).is_lt();
    @always Exact<Ellipsoid<V>>: V, |this, p| this.body().point(p).is_le(), strictly this.body().point(p).is_lt();
    @always Exact<Sphere<V>>: Aabb<V>, |this, cell| this.body().far(cell).is_le(), strictly this.body().far(cell).is_lt();
    @always Exact<Ellipsoid<V>>: Aabb<V>, |this, cell| this.body().far(cell).is_le(), strictly this.body().far(cell).is_lt();
}

// A box holds a round body if it holds the center, and no face is nearer than the body's surface.
contains! {
    Exact<Aabb<V>>: Sphere<V>, |this, ball|
        this.0.contains(&ball.center()) && Body::from(*ball).surface(&this.0).is_ge(),
        strictly this.0.contains(&ball.center()) && Body::from(*ball).surface(&this.0).is_gt();
    Exact<Aabb<V>>: Ellipsoid<V>, |this, egg|
        this.0.contains(&egg.center()) && Body::from(*egg).surface(&this.0).is_ge(),
        strictly this.0.contains(&egg.center()) && Body::from(*egg).surface(&this.0).is_gt();
}

overlaps! {
    Exact<Sphere<V>>: Sphere<V>, |this, other| Body::grown(&this.0, other.radius()).point(&other.center()).is_le();
    /// The ball `other` meets the surface.
    Exact<Hollow<Sphere<V>>>: Sphere<V>, |this, other| {
        let (sphere, by) = (&this.0.0, other.radius());
        // If `other` is larger, the sphere shrinks to its center, and every ball passes the second test.
        Body::grown(sphere, by).point(&other.center()).is_le() && Body::shrunk(sphere, by).point(&other.center()).is_ge()
    };
    Exact<Ellipsoid<V>>: Sphere<V>, |this, ball| {
        let egg = Body::from(this.0);
        let center = egg.point(&ball.center());
        if ball.radius() == V::Scalar::ZERO || center.is_le() {
            return center.is_le();
        }
        egg.near(&ball.bounds()).is_le() && !ellipsoid_ball::are_apart(&this.0, ball)
    };
    /// The ball meets the surface.
    Exact<Hollow<Ellipsoid<V>>>: Sphere<V>, |this, ball| {
        let egg = Body::from(this.0.0);
        let center = egg.point(&ball.center());
        if ball.radius() == V::Scalar::ZERO || center.is_eq() {
            return center.is_eq();
        }
        let around = ball.bounds();
        if center.is_gt() {
            egg.near(&around).is_le() && !ellipsoid_ball::are_apart(&this.0.0, ball)
        } else {
            egg.far(&around).is_ge() && !ellipsoid_ball::is_inside(&this.0.0, ball)
        }
    };
}

contains! {
    Exact<Sphere<V>>: Sphere<V>, |this, other|
        other.radius() <= this.0.radius() && Body::shrunk(&this.0, other.radius()).point(&other.center()).is_le(),
        strictly other.radius() <= this.0.radius() && Body::shrunk(&this.0, other.radius()).point(&other.center()).is_lt();
}

/// How two shapes meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// They share no point.
    Separate,
    /// They touch without crossing: what they share lies on the surfaces of both, and where one is
    /// hollow, it stays on one side of the other's surface.
    Tangent,
    /// They share more than touching points.
    Overlapping,
}

/// How two shapes meet, exactly.
///
/// # Complexity
///
/// The cost of [`Exact`].
///
/// ```
/// use orthant::exact::{Meeting, classify};
/// use orthant::{Aabb, Hollow, Sphere};
/// let cell = Aabb::new([3.0, 4.0], [6.0, 6.0]);
/// let ball = |radius| Sphere::new([0.0, 0.0], radius);
/// assert_eq!(classify(&ball(4.9), &cell), Meeting::Separate);
/// assert_eq!(classify(&ball(5.0), &cell), Meeting::Tangent);
/// assert_eq!(classify(&ball(5.1), &cell), Meeting::Overlapping);
/// // From inside: the ball fills a hollow box up to its lower face.
/// assert_eq!(classify(&Sphere::new([4.5, 4.5], 0.5), &Hollow(cell)), Meeting::Tangent);
/// ```
#[must_use]
pub fn classify<S: Classify<T>, T>(shape: &S, other: &T) -> Meeting {
    shape.meeting(other)
}

/// Shapes that [`classify`] compares: solid and hollow spheres and ellipsoids with solid and hollow
/// boxes, and spheres with spheres.
///
/// ```
/// use orthant::{Sphere, exact::{Classify, Meeting, classify}};
/// fn touch<S: Classify<T>, T>(shape: &S, other: &T) -> bool {
///     shape.meeting(other) == Meeting::Tangent && classify(shape, other) == Meeting::Tangent
/// }
/// assert!(touch(&Sphere::new([0.0, 0.0], 2.0), &Sphere::new([3.0, 4.0], 3.0)));
/// ```
#[diagnostic::on_unimplemented(
    message = "how a `{Self}` and a `{T}` meet is not known exactly",
    label = "cannot be classified against `{T}`",
    note = "the shape comes first: a solid or hollow `Sphere` or `Ellipsoid` and an `Aabb` or `Hollow<Aabb>`, or two spheres, of the same type of vector"
)]
pub trait Classify<T> {
    /// How the two meet.
    fn meeting(&self, other: &T) -> Meeting;
}

impl Meeting {
    /// Chooses between the three cases.
    #[inline(always)]
    fn of(separate: bool, tangent: impl FnOnce() -> bool) -> Self {
        if separate {
            Self::Separate
        } else if tangent() {
            Self::Tangent
        } else {
            Self::Overlapping
        }
    }
}

impl<V: Vector> Classify<Sphere<V>> for Sphere<V> {
    fn meeting(&self, other: &Sphere<V>) -> Meeting {
        let both = Body::grown(self, other.radius()).point(&other.center());
        Meeting::of(both.is_gt(), || both.is_eq())
    }
}
