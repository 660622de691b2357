//! Moving shapes: when do they first touch, and where?
//!
//! Motion is relative: one shape moves in a straight line, the other rests. Whether a moving ball touches is decided by
//! its closest approach, `|p + t v|²` with `t = -p·v / v·v`, clamped to the path. Of the known forms, this one is least
//! often wrong in floats (a discriminant cancels at grazes, and dividing it by `v·v` changes nothing). The first touch
//! is `t = (|p|² - R²) / (-p·v + √D)`, which does not cancel, with `D = v·v (R² - closest²)` from the approach that was
//! already found. Against a box, the squared distance of the center is convex and piecewise quadratic in time, the
//! pieces parted where the center crosses the plane of a face: on each piece the test is that of a ball against a
//! point, so that faces, edges and corners need no cases of their own, in any dimension.
//!
//! None of this is monotone in floats, so it cannot prune. The moving bounds can: slabs with times rounded outwards. An
//! item is touched at the start if the plain predicate says so, or later if the bounds meet and the approach is close
//! enough, but never before the bounds meet. So the bounds of a node never prune an item that is touched.

mod ball;
mod bounds;
mod capsule;
mod hollow;
mod mover;
mod ray;
mod solid;

pub(crate) use ball::dot;
pub(crate) use mover::Cast;
pub use mover::Mover;
pub use ray::Ray;

use crate::error::{ShapeError, or_panics};
use crate::overlap::{Overlaps, check_item};
use crate::shape::{Aabb, Bounded, ScalarOf, Sphere, check_finite};
use crate::vector::{Scalar, Vector};

/// A [`Sphere`](crate::Sphere) or [`Aabb`](crate::Aabb) that moves in a straight line, by
/// `displacement` in each unit of time, from time 0 to a horizon: 1 unless set by
/// [`until`](Self::until).
///
/// As a [`Region`](crate::Region) it is all that is touched on the way, so that
/// `structure.query(moving)` gives every item hit; `structure.sweep(moving)` gives the first.
///
/// ```
/// use orthant::{Moving, Sphere, Sweep};
/// let ball = Moving::new(Sphere::new([0.0, 0.0], 1.0), [8.0, 0.0]);
/// let impact = ball.sweep(&[5.0, 0.0]).unwrap();
/// assert_eq!((impact.first, impact.last), (0.5, 0.75));
/// assert_eq!((impact.point, impact.normal), ([5.0, 0.0], [-1.0, 0.0]));
/// assert!(ball.until(0.25).sweep(&[5.0, 0.0]).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "Raw<S>",
        bound(
            serialize = "S: serde::Serialize, S::Vector: serde::Serialize, ScalarOf<S>: serde::Serialize",
            deserialize = "S: serde::Deserialize<'de>, S::Vector: serde::Deserialize<'de>, ScalarOf<S>: serde::Deserialize<'de>"
        )
    )
)]
pub struct Moving<S: Bounded> {
    shape: S,
    displacement: S::Vector,
    #[cfg_attr(feature = "serde", serde(serialize_with = "endless::serialize"))]
    horizon: ScalarOf<S>,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(bound(
    deserialize = "S: serde::Deserialize<'de>, S::Vector: serde::Deserialize<'de>, ScalarOf<S>: serde::Deserialize<'de>"
))]
struct Raw<S: Bounded> {
    shape: S,
    displacement: S::Vector,
    #[serde(with = "endless", default = "endless::infinity")]
    horizon: ScalarOf<S>,
}

#[cfg(feature = "serde")]
impl<S: Bounded> TryFrom<Raw<S>> for Moving<S> {
    type Error = ShapeError;

    fn try_from(raw: Raw<S>) -> Result<Self, ShapeError> {
        Self::try_new(raw.shape, raw.displacement)?.try_until(raw.horizon)
    }
}

/// Serializes an infinite horizon as `None`, since not every format has infinity.
#[cfg(feature = "serde")]
mod endless {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::vector::Scalar;

    pub(super) fn infinity<S: Scalar>() -> S {
        S::INFINITY
    }

    pub(super) fn serialize<S: Scalar + Serialize, W: Serializer>(
        horizon: &S,
        to: W,
    ) -> Result<W::Ok, W::Error> {
        horizon.is_finite().then_some(horizon).serialize(to)
    }

    pub(super) fn deserialize<'de, S: Scalar + Deserialize<'de>, R: Deserializer<'de>>(
        from: R,
    ) -> Result<S, R::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(S::INFINITY))
    }
}

impl<S: Bounded> Moving<S> {
    or_panics! {
        /// A shape and how far it moves in each unit of time, from time 0 to 1.
        Moving: new = try_new(shape: S, displacement: S::Vector)
    }

    /// A shape and how far it moves in each unit of time, from time 0 to 1.
    ///
    /// # Errors
    ///
    /// If a component of the displacement, or of the box around the shape, is infinite or NaN.
    #[inline]
    pub fn try_new(shape: S, displacement: S::Vector) -> Result<Self, ShapeError> {
        check_item(&shape)?;
        check_finite("displacement", displacement)?;
        Ok(Self::made(shape, displacement, Scalar::ONE))
    }

    or_panics! {
        /// The motion with another horizon; infinity lets it move on for ever.
        Moving: until = try_until(self, horizon: ScalarOf<S>)
    }

    /// The motion with another horizon; infinity lets it move on for ever.
    ///
    /// # Errors
    ///
    /// If the horizon is negative or NaN.
    #[inline]
    pub fn try_until(self, horizon: ScalarOf<S>) -> Result<Self, ShapeError> {
        check_horizon(horizon)?;
        Ok(Self { horizon, ..self })
    }

    /// A motion of parts that are known to be valid; unchecked.
    #[inline(always)]
    pub(crate) fn made(shape: S, displacement: S::Vector, horizon: ScalarOf<S>) -> Self {
        Self {
            shape,
            displacement,
            horizon,
        }
    }

    /// The shape at time 0.
    #[inline]
    #[must_use]
    pub fn shape(&self) -> &S {
        &self.shape
    }

    /// How far it moves in each unit of time.
    #[inline]
    #[must_use]
    pub fn displacement(&self) -> S::Vector {
        self.displacement
    }

    /// The time at which it stops.
    #[inline]
    #[must_use]
    pub fn horizon(&self) -> ScalarOf<S> {
        self.horizon
    }
}

/// Refuses a horizon that is negative or NaN.
fn check_horizon<S: Scalar>(horizon: S) -> Result<(), ShapeError> {
    let error = ShapeError::Horizon {
        horizon: horizon.into(),
    };
    (horizon >= S::ZERO).then_some(()).ok_or(error)
}

/// A touch of two moving shapes. Times lie between 0 and the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact<V: Vector> {
    /// When they first touch: 0 if they overlap at the start.
    pub first: V::Scalar,
    /// When they last touch: the horizon if they still touch then.
    pub last: V::Scalar,
    /// Where they first touch: a point on the surface of the box or, between balls, of the target. If they overlap at
    /// the start, it is the point of that surface that is nearest to the other shape's center. Between boxes it is
    /// always the middle of the part that they share.
    pub point: V,
    /// The normal of the target's surface there, of length 1, towards the mover. It is opposite to the motion if there
    /// is no such normal (two points, coinciding centers), and zero if there is no motion either.
    pub normal: V,
}

impl<V: Vector> Impact<V> {
    /// A touch by its times, and where the shapes first touch.
    #[inline(always)]
    fn new((first, last): Times<V>, point: V, normal: V) -> Self {
        Self {
            first,
            last,
            point,
            normal,
        }
    }

    /// The touch of a target that moves on its own.
    fn carried_by<T: Bounded<Vector = V>>(self, target: &Moving<T>) -> Self {
        let point = moved(self.point, target.displacement, self.first);
        Self { point, ..self }
    }

    /// The touch in other vectors.
    pub(crate) fn cast<U: Vector<Array = V::Array, Scalar = V::Scalar>>(self) -> Impact<U> {
        Impact {
            first: self.first,
            last: self.last,
            point: U::of_array(self.point.array()),
            normal: U::of_array(self.normal.array()),
        }
    }
}

/// When and where a moving shape touches a target; touching counts.
///
/// Implemented for moving spheres against points, spheres and boxes, for moving boxes against points, boxes and
/// spheres, and for both against such targets in motion ([`Moving`]), until the lesser horizon; for a [`Ray`] against
/// points, spheres, boxes and solids of planes ([`Hexahedron`](crate::Hexahedron), [`Frustum`](crate::Frustum),
/// [`Quadrilateral`](crate::Quadrilateral)), whose planes it meets in `f64`. A ball meets the edges and corners of a
/// box exactly, not those of an inflated box. A moving sphere meets the surface of a box ([`Hollow`](crate::Hollow))
/// too, from outside or from inside; other hollow shapes, and ellipsoids, are neither movers nor targets.
///
/// # The law
///
/// No target is touched before the mover's [`bounds`](Bounded::bounds) meet the target's, at times
/// rounded down, unless the shapes overlap at time 0 by the predicate of [`Overlaps`].
///
/// ```
/// use orthant::{Aabb, Moving, Sphere, Sweep};
/// let ball = Moving::new(Sphere::new([-6.0, 4.0], 5.0), [10.0, 0.0]);
/// let corner = ball.sweep(&Aabb::new([0.0, -9.0], [9.0, 0.0])).unwrap();
/// assert_eq!(corner.first, 0.3); // the inflated box is met at 0.1
/// assert_eq!((corner.point, corner.normal), ([0.0, 0.0], [-0.6, 0.8]));
/// let times: Option<orthant::Times<[f64; 2]>> = ball.times(&[-6.0, 4.0]);
/// assert_eq!(times, Some((0.0, 0.5))); // it leaves the point behind
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be swept against `{T}`",
    label = "meets no `{T}`",
    note = "what moves is a `Ray`, a `Moving<Sphere>` or a `Moving<Aabb>`, of the same type of vector; what it meets are points, spheres and boxes, of a `Ray` solids of planes too, and what `With` or `orthant::item!` makes of them"
)]
pub trait Sweep<T: ?Sized> {
    /// The vectors of the space.
    type Vector: Vector;

    /// The first and last time at which they touch; `None` if they never do.
    fn times(&self, target: &T) -> Option<Times<Self::Vector>>;

    /// The first of [`times`](Self::times), which is cheaper to find alone. It may be `None` if it is above `limit`.
    #[doc(hidden)]
    fn first(
        &self,
        target: &T,
        limit: <Self::Vector as Vector>::Scalar,
    ) -> Option<<Self::Vector as Vector>::Scalar> {
        let _ = limit;
        self.times(target).map(|times| times.0)
    }

    /// When and where they touch; `None` if they never do. Its times are those of
    /// [`times`](Self::times).
    fn sweep(&self, target: &T) -> Option<Impact<Self::Vector>>;
}

/// The first and the last time of a touch.
pub type Times<V> = (<V as Vector>::Scalar, <V as Vector>::Scalar);

/// Whether they touch on the way.
impl<S: Bounded, T: ?Sized> Overlaps<T> for Moving<S>
where
    Self: Sweep<T>,
{
    #[inline]
    fn overlaps(&self, target: &T) -> bool {
        self.times(target).is_some()
    }
}

/// Implements [`Sweep`] by the sweep of other shapes: `Mover => Target, |mover, target| [other mover, other target],
/// |impact| impact of the two`. Moving targets are written out, since with one impl for all of them the compiler would
/// look for targets that are movers of movers, without end.
macro_rules! sweep_as {
    ($(
        $mover:ty => $target:ty, |$this:ident, $to:ident| [$by:expr, $at:expr], |$impact:ident| $made:expr;
    )*) => {$(
        impl<V: Vector> Sweep<$target> for $mover {
            type Vector = V;

            #[inline]
            fn times(&self, $to: &$target) -> Option<Times<V>> {
                let $this = self;
                $by.times($at)
            }

            #[inline]
            fn first(&self, $to: &$target, limit: V::Scalar) -> Option<V::Scalar> {
                let $this = self;
                $by.first($at, limit)
            }

            fn sweep(&self, $to: &$target) -> Option<Impact<V>> {
                let $this = self;
                let $impact = $by.sweep($at)?;
                Some($made)
            }
        }
    )*};
}

sweep_as! {
    // A point is a ball or box without extent.
    Moving<Sphere<V>> => V, |this, p| [this, &Sphere::valid(*p, Scalar::ZERO)], |impact| impact;
    Moving<Aabb<V>> => V, |this, p| [this, &Aabb::point(*p)], |impact| Impact { point: *p, ..impact };
    // In the frame of the box, the ball moves.
    Moving<Aabb<V>> => Sphere<V>, |this, ball|
        [Moving::made(*ball, negated(this.displacement), this.horizon), &this.shape], |impact| Impact {
            point: moved(impact.point, this.displacement, impact.first),
            normal: negated(impact.normal),
            ..impact
        };
    Ray<V> => V, |this, p| [this.as_ball(), p], |impact| impact;
    Ray<V> => Sphere<V>, |this, ball| [this.as_ball(), ball], |impact| impact;
    Ray<V> => Aabb<V>, |this, cell| [this.as_box(), cell], |impact| impact;
    // Both shapes move.
    Moving<Sphere<V>> => Moving<V>, |this, to| [this.seen_from(to), &to.shape], |impact| impact.carried_by(to);
    Moving<Sphere<V>> => Moving<Sphere<V>>, |this, to| [this.seen_from(to), &to.shape], |impact| impact.carried_by(to);
    Moving<Sphere<V>> => Moving<Aabb<V>>, |this, to| [this.seen_from(to), &to.shape], |impact| impact.carried_by(to);
    Moving<Aabb<V>> => Moving<V>, |this, to| [this.seen_from(to), &to.shape], |impact| impact.carried_by(to);
    Moving<Aabb<V>> => Moving<Sphere<V>>, |this, to| [this.seen_from(to), &to.shape], |impact| impact.carried_by(to);
    Moving<Aabb<V>> => Moving<Aabb<V>>, |this, to| [this.seen_from(to), &to.shape], |impact| impact.carried_by(to);
}

impl<S: Bounded + Clone> Moving<S> {
    /// The motion in the frame in which a target rests.
    pub(crate) fn seen_from<T: Bounded<Vector = S::Vector>>(&self, target: &Moving<T>) -> Self {
        let (ours, theirs) = (self.displacement, target.displacement);
        let relative = Vector::from_fn(|a| finite(ours.axis(a) - theirs.axis(a)));
        let horizon = self.horizon.smaller(target.horizon);
        Self::made(self.shape.clone(), relative, horizon)
    }
}

/// The place of a moving point at a time.
#[inline(always)]
fn moved<V: Vector>(p: V, displacement: V, time: V::Scalar) -> V {
    V::from_fn(|a| p.axis(a) + time * displacement.axis(a))
}

/// A number, or the largest finite one of its sign.
#[inline(always)]
pub(crate) fn finite<S: Scalar>(x: S) -> S {
    x.smaller(S::MAX).larger(S::ZERO - S::MAX)
}

/// A vector with another coordinate on one axis.
fn with_axis<V: Vector>(v: V, axis: usize, coordinate: V::Scalar) -> V {
    V::from_fn(|a| if a == axis { coordinate } else { v.axis(a) })
}

#[inline(always)]
fn negated<V: Vector>(v: V) -> V {
    V::from_fn(|a| V::Scalar::ZERO - v.axis(a))
}

/// The vector at length 1; zero stays zero.
fn unit<V: Vector>(v: V) -> V {
    // The difference of two large numbers may be infinite.
    let v = V::from_fn(|a| finite(v.axis(a)));
    let most = (0..V::DIM).fold(V::Scalar::ZERO, |most, a| most.larger(v.axis(a).abs()));
    if most == V::Scalar::ZERO {
        return v;
    }
    // Divide first, so that no square vanishes or overflows.
    let v = V::from_fn(|a| v.axis(a) / most);
    let length = dot(v, v).sqrt();
    V::from_fn(|a| v.axis(a) / length)
}
