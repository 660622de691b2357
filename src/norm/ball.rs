//! Balls by a norm: the region within a radius, and the distances of items.

use super::Norm;
use super::measure_to_ball::measure_to_ball;
use crate::error::{ShapeError, or_panics};
use crate::overlap::bisect::cube_within;
use crate::overlap::lanes::{Ball, Measure, Plain};
use crate::overlap::{Extent, Overlaps, Region, Relation, overlaps};
use crate::shape::{Aabb, Bounded, Hollow, Sphere, check_finite, check_radius, shape};
use crate::vector::{Scalar, Vector};

shape! {
    /// The points within a radius of a center by a [`Norm`]: a region for every structure.
    ///
    /// By [`Manhattan`](super::Manhattan) it is a square that stands on a corner, in space an octahedron; by
    /// [`Chebyshev`](super::Chebyshev) a square or cube; by [`Weighted`](super::Weighted) an ellipse or ellipsoid. An item is in it if the
    /// measure of its distance ([`DistanceBy`]) is at most that of the radius: touching counts.
    ///
    /// ```
    /// use orthant::{Chebyshev, Manhattan, NormBall, Octree, Weighted, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::ONE, Vec3::X * 2.0]);
    /// let at = Vec3::ZERO;
    /// assert_eq!(tree.count(NormBall::new(at, 2.0, Manhattan)), 2);
    /// assert_eq!(tree.count(NormBall::new(at, 1.0, Chebyshev)), 2);
    /// let flat = Weighted::new(Vec3::new(0.25, 1.0, 1.0));
    /// assert!(tree.query(NormBall::new(at, 1.0, flat)).eq([0, 2]));
    /// ```
    pub struct NormBall<V: Vector, N> {
        /// The center.
        center: V,
        /// The radius.
        radius: V::Scalar,
        /// The norm.
        norm: N,
    }
    read through try_new
}

impl<V: Vector, N: Norm<V>> NormBall<V, N> {
    or_panics! {
        /// The points within a radius of a center.
        NormBall: new = try_new(center: V, radius: V::Scalar, norm: N)
    }

    /// The points within a radius of a center.
    ///
    /// # Errors
    ///
    /// If the radius is negative, or any number infinite or NaN.
    pub fn try_new(center: V, radius: V::Scalar, norm: N) -> Result<Self, ShapeError> {
        check_finite("center", center)?;
        check_radius(radius)?;
        Ok(Self {
            center,
            radius,
            norm,
        })
    }

    #[inline(always)]
    fn reaches<T: DistanceBy<N, Vector = V>>(&self, item: &T) -> bool {
        item.measure(&self.norm, self.center) <= self.norm.measure_of(self.radius)
    }

    /// The region in the form that predicates and lanes share.
    #[inline(always)]
    fn ball(&self) -> Ball<V> {
        Ball::of(self.norm.as_measure(), self.center, self.radius)
    }

    /// How far it may reach on an axis, but for rounding.
    fn reach(&self, axis: usize) -> V::Scalar {
        let Measure::Weighted(weights) = self.norm.as_measure() else {
            return self.radius;
        };
        let weight = weights.axis(axis);
        // A point a bit farther may still be within, since its products underflow.
        let least = V::Scalar::MIN_POSITIVE;
        let root = weight.sqrt();
        self.radius / root + (least.sqrt() + least.sqrt()) / root + least / weight
    }
}

/// The bounds are a box around the ball, but for rounding.
impl<V: Vector, N: Norm<V>> Bounded for NormBall<V, N> {
    type Vector = V;

    fn core(&self) -> Aabb<V> {
        Aabb::point(self.center).grown_on(|a| self.reach(a))
    }
}

impl<V: Vector, N: Norm<V>> Region for NormBall<V, N> {
    type Vector = V;

    #[inline]
    fn hint(&self) -> Option<Aabb<V>> {
        Some(self.bounds())
    }

    #[inline]
    fn plain(&self) -> Option<Plain<V>> {
        Some(Plain::Ball(self.ball()))
    }

    fn cube(&self) -> Option<Aabb<V>> {
        if self.norm.as_measure() != Measure::Chebyshev {
            return None;
        }
        cube_within([self.center; 2], [V::splat(self.radius); 2])
    }

    #[inline]
    fn relate(&self, cell: &Aabb<V>) -> Relation {
        self.ball().relate(cell)
    }
}

/// The distance of an item from a point by a norm: [`by_norm`](crate::SpatialIndex::by_norm) orders items by it, and
/// a [`NormBall`] selects them by it.
///
/// For points, boxes and hollow boxes it is the norm's measure of the differences to their nearest point, each
/// operation rounded once. For a sphere it is computed in `f64`, and is at most that of its center and at least that
/// of its box.
///
/// # The law
///
/// The measure is at least that of any box that holds the item's [`bounds`](Bounded::bounds), and at most that of the farthest
/// point of the [`core`](Bounded::core), in the arithmetic used.
#[diagnostic::on_unimplemented(
    message = "the distance to a `{Self}` by the norm `{N}` is not known: it does not implement `DistanceBy`",
    label = "is not measured by norms",
    note = "points, boxes, hollow boxes, spheres and what `orthant::item!` makes of them are; solids of planes are measured by Euclid only"
)]
pub trait DistanceBy<N>: Bounded {
    /// The measure of the difference from a point to the nearest point of the item, 0 inside it.
    ///
    /// ```
    /// use orthant::{Aabb, DistanceBy, Manhattan};
    /// let square = Aabb::new([1.0, 2.0], [4.0, 5.0]);
    /// assert_eq!(square.measure(&Manhattan, [0.0, 0.0]), 3.0);
    /// assert_eq!([1.0, 2.0].measure(&Manhattan, [2.0, 0.0]), 3.0);
    /// ```
    fn measure(&self, norm: &N, from: Self::Vector) -> <Self::Vector as Vector>::Scalar;
}

/// The measure from a point to the nearest point of a box.
#[inline(always)]
fn near<V: Vector, N: Norm<V>>(norm: &N, from: V, cell: &Aabb<V>) -> V::Scalar {
    Ball::of(norm.as_measure(), from, Scalar::ZERO).near(cell)
}

/// A lower bound for the measure of every item of type `T` in an extent.
#[inline]
pub(crate) fn least_measure<T, N>(
    norm: &N,
    from: T::Vector,
    extent: &Extent<T::Vector>,
) -> <T::Vector as Vector>::Scalar
where
    T: Bounded,
    N: Norm<T::Vector>,
{
    near(norm, from, &extent.core.grown(extent.most))
}

#[diagnostic::do_not_recommend]
impl<V: Vector, N: Norm<V>> DistanceBy<N> for V {
    #[inline(always)]
    fn measure(&self, norm: &N, from: V) -> V::Scalar {
        norm.measure(V::from_fn(|a| self.axis(a) - from.axis(a)))
    }
}

impl<V: Vector, N: Norm<V>> DistanceBy<N> for Aabb<V> {
    #[inline(always)]
    fn measure(&self, norm: &N, from: V) -> V::Scalar {
        near(norm, from, self)
    }
}

/// From inside, the nearest point of the surface lies along one axis.
impl<V: Vector, N: Norm<V>> DistanceBy<N> for Hollow<Aabb<V>> {
    fn measure(&self, norm: &N, from: V) -> V::Scalar {
        Ball::of(norm.as_measure(), from, Scalar::ZERO).near_surface(&self.0)
    }
}

/// The measure is clamped between those of its box and its center, so that cells can be pruned.
impl<V: Vector, N: Norm<V>> DistanceBy<N> for Sphere<V> {
    fn measure(&self, norm: &N, from: V) -> V::Scalar {
        let mut apart = [0.0; 8];
        for (a, apart) in apart.iter_mut().enumerate().take(V::DIM) {
            let (from, to): (f64, f64) = (from.axis(a).into(), self.center().axis(a).into());
            *apart = (to - from).abs();
        }
        let measure = V::Scalar::from_f64(measure_to_ball(
            norm.as_measure(),
            &mut apart[..V::DIM],
            self.radius().into(),
        ));
        // With arguments in this order a NaN, which stems from infinite distances, is dropped.
        let least = measure.larger(near(norm, from, &self.bounds()));
        least.smaller(self.center().measure(norm, from))
    }
}

overlaps! {
    @[N: Norm<V>] NormBall<V, N>: V, |this, item| this.reaches(item);
    @[N: Norm<V>] NormBall<V, N>: Aabb<V>, |this, item| this.reaches(item);
    @[N: Norm<V>] NormBall<V, N>: Hollow<Aabb<V>>, |this, item| this.reaches(item);
    @[N: Norm<V>] NormBall<V, N>: Sphere<V>, |this, item| this.reaches(item);
}
