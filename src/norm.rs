//! Norms other than Euclid's: what measures distances when one asks for them.
//!
//! A norm measures the differences of two places on all axes, `|p - c|`, by a number that grows with each of them:
//!
//! ```text
//! Manhattan:  |d₀| + |d₁| + …                left to right
//! Chebyshev:  max(|d₀|, |d₁|, …)
//! Weighted:   w₀ d₀ d₀ + w₁ d₁ d₁ + …        left to right; the square of the distance
//! ```
//!
//! Absolute values, maxima, products with numbers that are not negative and sums are all monotone after rounding. So for
//! floats `lo <= p <= hi`, with the differences of `overlap/distance.rs` on each axis, `near(box) <= measure(p) <= far(box)`
//! holds of the rounded values too, as for Euclid: no cell is left out that holds an answer, and what is known of a whole
//! cell holds for each item in it.

mod ball;
mod round;

use core::fmt::Debug;

pub(crate) use ball::least_measure;
pub use ball::{DistanceBy, NormBall};

use crate::error::{ShapeError, or_panics};
use crate::overlap::lanes::Measure;
use crate::shape::{Aabb, check_finite};
use crate::vector::{Scalar, Vector};

mod sealed {
    pub trait Sealed {}
}

/// How the distance of two places is measured, if not by Euclid: [`Manhattan`], [`Chebyshev`] or [`Weighted`].
///
/// A [`NormBall`] is the region within a radius, for `query`, `count` and all that takes a region;
/// [`by_norm`](crate::SpatialIndex::by_norm) asks for the nearest items.
///
/// What is compared is the norm's measure: the distance itself of [`Manhattan`] and [`Chebyshev`], its square of
/// [`Weighted`], each operation rounded once.
///
/// ```
/// use orthant::{Chebyshev, Manhattan, Norm, Weighted};
/// assert_eq!(Manhattan.measure([3.0, -4.0]), 7.0);
/// assert_eq!(Chebyshev.measure([3.0, -4.0]), 4.0);
/// let steep = Weighted::new([1.0, 0.25]);
/// assert_eq!(steep.measure([3.0, -8.0]), 25.0);
/// assert_eq!(steep.distance(25.0), 5.0);
/// ```
///
/// The norms of this crate implement it; others cannot, since no answer would be known to be right.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a norm of `{V}`",
    label = "not a norm",
    note = "norms are `Manhattan`, `Chebyshev` and `Weighted<V>`, whose weights are a vector of the same type; for Euclid ask for a `Sphere`, or `nearest`"
)]
pub trait Norm<V: Vector>: Copy + PartialEq + Debug + Send + Sync + sealed::Sealed {
    /// The measure of a difference of two places: 0 of none, and the same of its opposite.
    fn measure(&self, difference: V) -> V::Scalar;

    /// The measure of what is a length apart; the length is not negative.
    fn measure_of(&self, length: V::Scalar) -> V::Scalar;

    /// The distance that has a measure, rounded.
    fn distance(&self, measure: V::Scalar) -> V::Scalar;

    /// The least radius of a [`NormBall`] that reaches a measure.
    fn radius(&self, measure: V::Scalar) -> V::Scalar;

    /// How far what is within a radius may reach on an axis, but for rounding.
    #[doc(hidden)]
    fn reach(&self, axis: usize, radius: V::Scalar) -> V::Scalar;

    /// What is within a radius as a box, if it is one that is soon found.
    #[doc(hidden)]
    fn cube(&self, _center: V, _radius: V::Scalar) -> Option<Aabb<V>> {
        None
    }

    /// How lanes measure it.
    #[doc(hidden)]
    fn by_lanes(&self) -> Measure<V>;

    /// The measure from a place to a ball whose center is away by what is given on each axis, none of which is negative;
    /// but for rounding.
    #[doc(hidden)]
    fn to_ball(&self, apart: &[f64], radius: f64) -> f64;
}

/// The distance along the axes, one after the other: the sum of the differences, L1.
///
/// ```
/// use orthant::{Manhattan, NormBall, Octree, SpatialIndex, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ONE, Vec3::X * 2.5]);
/// assert_eq!(tree.by_norm(Manhattan).nearest(Vec3::ZERO).unwrap().item, 1);
/// assert_eq!(tree.nearest(Vec3::ZERO).unwrap().item, 0); // Euclid
/// assert_eq!(tree.count(NormBall::new(Vec3::ZERO, 3.0, Manhattan)), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manhattan;

/// The largest of the differences on all axes, L∞: within a radius is a cube.
///
/// ```
/// use orthant::{Chebyshev, Octree, SpatialIndex, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ONE, Vec3::X * 1.5]);
/// let near = tree.by_norm(Chebyshev).nearest(Vec3::ZERO).unwrap();
/// assert_eq!((near.item, near.distance), (0, 1.0));
/// assert_eq!(tree.nearest(Vec3::ZERO).unwrap().item, 1); // Euclid
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Chebyshev;

/// Euclid with a weight for the square of each difference: the root of `w₀ d₀² + w₁ d₁² + …`.
///
/// For axes of different units, or distances that count more along some of them. Where an axis counts `k` times as far, its weight
/// is `k²`.
///
/// ```
/// use orthant::{Quadtree, SpatialIndex, Weighted, glam::Vec2};
/// let tree = Quadtree::new(&[Vec2::X * 3.0, Vec2::Y * 2.0]);
/// let uphill = Weighted::new(Vec2::new(1.0, 4.0)); // twice as far
/// let near = tree.by_norm(uphill).nearest(Vec2::ZERO).unwrap();
/// assert_eq!((near.item, near.distance), (0, 3.0));
/// assert!(Weighted::try_new([1.0, 0.0]).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "RawWeighted<V>",
        bound(deserialize = "V: Vector + serde::Deserialize<'de>")
    )
)]
pub struct Weighted<V> {
    weights: V,
}

/// As it is read, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct RawWeighted<V> {
    weights: V,
}

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<RawWeighted<V>> for Weighted<V> {
    type Error = ShapeError;

    fn try_from(raw: RawWeighted<V>) -> Result<Self, ShapeError> {
        Self::try_new(raw.weights)
    }
}

impl<V: Vector> Weighted<V> {
    or_panics! {
        /// With a weight for each axis.
        Weighted: new = try_new(weights: V)
    }

    /// With a weight for each axis.
    ///
    /// # Errors
    ///
    /// If a weight is zero or negative, infinite or NaN; the error names the axis. Every positive weight is taken, subnormal
    /// ones too: products that vanish or overflow do so in the same way wherever they are asked for.
    pub fn try_new(weights: V) -> Result<Self, ShapeError> {
        check_finite("weight", weights)?;
        match (0..V::DIM).find(|&a| weights.axis(a) <= V::Scalar::ZERO) {
            None => Ok(Self { weights }),
            Some(axis) => Err(ShapeError::WeightNotPositive {
                axis,
                value: weights.axis(axis).into(),
            }),
        }
    }

    /// The weight of each axis.
    #[inline(always)]
    #[must_use]
    pub fn weights(&self) -> V {
        self.weights
    }
}

impl sealed::Sealed for Manhattan {}
impl sealed::Sealed for Chebyshev {}
impl<V: Vector> sealed::Sealed for Weighted<V> {}

impl<V: Vector> Norm<V> for Manhattan {
    #[inline(always)]
    fn measure(&self, difference: V) -> V::Scalar {
        let mut sum = difference.axis(0).abs();
        for axis in 1..V::DIM {
            sum = sum + difference.axis(axis).abs();
        }
        sum
    }

    #[inline(always)]
    fn measure_of(&self, length: V::Scalar) -> V::Scalar {
        length
    }

    #[inline(always)]
    fn distance(&self, measure: V::Scalar) -> V::Scalar {
        measure
    }

    #[inline(always)]
    fn radius(&self, measure: V::Scalar) -> V::Scalar {
        measure
    }

    #[inline]
    fn reach(&self, _axis: usize, radius: V::Scalar) -> V::Scalar {
        radius
    }

    #[inline]
    fn by_lanes(&self) -> Measure<V> {
        Measure::Manhattan
    }

    fn to_ball(&self, apart: &[f64], radius: f64) -> f64 {
        round::manhattan(apart, radius)
    }
}

impl<V: Vector> Norm<V> for Chebyshev {
    #[inline(always)]
    fn measure(&self, difference: V) -> V::Scalar {
        let mut most = difference.axis(0).abs();
        for axis in 1..V::DIM {
            let other = difference.axis(axis).abs();
            // A NaN stays, so that a point that has one is nowhere.
            let stays = most > other || most.partial_cmp(&most).is_none();
            most = if stays { most } else { other };
        }
        most
    }

    #[inline(always)]
    fn measure_of(&self, length: V::Scalar) -> V::Scalar {
        length
    }

    #[inline(always)]
    fn distance(&self, measure: V::Scalar) -> V::Scalar {
        measure
    }

    #[inline(always)]
    fn radius(&self, measure: V::Scalar) -> V::Scalar {
        measure
    }

    #[inline]
    fn reach(&self, _axis: usize, radius: V::Scalar) -> V::Scalar {
        radius
    }

    fn cube(&self, center: V, radius: V::Scalar) -> Option<Aabb<V>> {
        let (mut min, mut max) = (V::axes(V::Scalar::ZERO), V::axes(V::Scalar::ZERO));
        for axis in 0..V::DIM {
            let c = center.axis(axis);
            // The least is the opposite of the largest about the opposite center.
            min.as_mut()[axis] = V::Scalar::ZERO - last_within(V::Scalar::ZERO - c, radius)?;
            max.as_mut()[axis] = last_within(c, radius)?;
        }
        Some(Aabb::from_corners(
            V::from_fn(|a| min.as_ref()[a]),
            V::from_fn(|a| max.as_ref()[a]),
        ))
    }

    #[inline]
    fn by_lanes(&self) -> Measure<V> {
        Measure::Chebyshev
    }

    fn to_ball(&self, apart: &[f64], radius: f64) -> f64 {
        round::chebyshev(apart, radius)
    }
}

/// The largest number that is a difference of at most `radius` above a center, as the difference is rounded: since
/// subtraction is monotone, what is within is just what lies between two such numbers. `None` where it is more than a few numbers
/// away from the sum, which happens where the sum is much smaller than both.
fn last_within<S: Scalar>(center: S, radius: S) -> Option<S> {
    const STEPS: usize = 4;
    let mut x = center + radius;
    for _ in 0..STEPS {
        if x - center <= radius {
            break;
        }
        x = x.next_down();
    }
    for _ in 0..STEPS {
        let next = x.next_up();
        if next - center > radius {
            return (x - center <= radius).then_some(x);
        }
        x = next;
    }
    None
}

impl<V: Vector> Norm<V> for Weighted<V> {
    #[inline(always)]
    fn measure(&self, difference: V) -> V::Scalar {
        let square = |axis| {
            let d = difference.axis(axis);
            self.weights.axis(axis) * d * d
        };
        let mut sum = square(0);
        for axis in 1..V::DIM {
            sum = sum + square(axis);
        }
        sum
    }

    #[inline(always)]
    fn measure_of(&self, length: V::Scalar) -> V::Scalar {
        length * length
    }

    #[inline(always)]
    fn distance(&self, measure: V::Scalar) -> V::Scalar {
        measure.sqrt()
    }

    #[inline]
    fn radius(&self, measure: V::Scalar) -> V::Scalar {
        measure.to_radius()
    }

    #[inline]
    fn reach(&self, axis: usize, radius: V::Scalar) -> V::Scalar {
        let weight = self.weights.axis(axis);
        // What is a bit farther may still measure nothing, since its products vanish.
        let least = V::Scalar::MIN_POSITIVE;
        let root = weight.sqrt();
        radius / root + (least.sqrt() + least.sqrt()) / root + least / weight
    }

    #[inline]
    fn by_lanes(&self) -> Measure<V> {
        Measure::Weighted(self.weights)
    }

    fn to_ball(&self, apart: &[f64], radius: f64) -> f64 {
        round::weighted(apart, radius, |axis| self.weights.axis(axis).into())
    }
}
