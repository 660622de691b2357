//! Norms other than Euclid's, by which structures measure distances on request.
//!
//! A norm measures the differences of two points on all axes, `|p - c|`, by a number that grows with each of them:
//!
//! ```text
//! Manhattan:  |d₀| + |d₁| + …                left to right
//! Chebyshev:  max(|d₀|, |d₁|, …)
//! Weighted:   w₀ d₀ d₀ + w₁ d₁ d₁ + …        left to right; the square of the distance
//! ```
//!
//! Absolute values, maxima, products with numbers that are not negative and sums are all monotone after rounding. So
//! for floats `lo <= p <= hi`, with the differences of `overlap/distance.rs` on each axis,
//! `near(box) <= measure(p) <= far(box)` holds for the rounded values too, as for Euclid's norm: no cell with an
//! answer is pruned, and the relation to a cell holds for each item in it.

mod ball;
mod measure_to_ball;

use core::fmt::Debug;

pub(crate) use ball::least_measure;
pub use ball::{DistanceBy, NormBall};

use crate::error::{ShapeError, or_panics};
use crate::overlap::lanes::Measure;
use crate::shape::{check_finite, shape};
use crate::vector::{Scalar, Vector};

/// A norm other than Euclid's, by which distances are measured: [`Manhattan`], [`Chebyshev`] or [`Weighted`].
///
/// A [`NormBall`] is the region within a radius, for `query`, `count` and everything that takes a region;
/// [`by_norm`](crate::SpatialIndex::by_norm) finds the nearest items.
///
/// Structures compare the norm's measure: the distance itself for [`Manhattan`] and [`Chebyshev`], its square for
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
/// The trait is sealed: that pruning changes no answer has been proved for these norms only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a norm of `{V}`",
    label = "not a norm",
    note = "norms are `Manhattan`, `Chebyshev` and `Weighted<V>`, whose weights are a vector of the same type; for Euclid ask for a `Sphere`, or `nearest`"
)]
pub trait Norm<V: Vector>: Copy + PartialEq + Debug + Send + Sync {
    /// The norm as a `Measure`, from which all else follows. Other crates cannot name that type, which seals the
    /// trait.
    #[doc(hidden)]
    fn as_measure(&self) -> Measure<V>;

    /// The measure of the difference of two points. It is 0 for equal points, and does not change with the sign.
    #[inline(always)]
    fn measure(&self, difference: V) -> V::Scalar {
        self.as_measure().sum(|axis| difference.axis(axis))
    }

    /// The measure of a length, which is not negative.
    #[inline(always)]
    fn measure_of(&self, length: V::Scalar) -> V::Scalar {
        self.as_measure().of_length(length)
    }

    /// The distance that has a measure, rounded.
    #[inline(always)]
    fn distance(&self, measure: V::Scalar) -> V::Scalar {
        match self.as_measure() {
            Measure::Manhattan | Measure::Chebyshev => measure,
            _ => measure.sqrt(),
        }
    }

    /// The least radius of a [`NormBall`] that reaches a measure.
    #[inline]
    fn radius(&self, measure: V::Scalar) -> V::Scalar {
        match self.as_measure() {
            Measure::Manhattan | Measure::Chebyshev => measure,
            _ => measure.to_radius(),
        }
    }
}

/// The sum of the absolute differences on all axes, L1: the length of a path along the axes.
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

/// The largest of the differences on all axes, L∞: its balls are cubes.
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

shape! {
    /// Euclid's norm with a weight for the square of each difference: the root of `w₀ d₀² + w₁ d₁² + …`.
    ///
    /// Use it for axes with different units, or for axes along which distances count more. An axis along which
    /// distances count `k` times has the weight `k²`.
    ///
    /// ```
    /// use orthant::{Quadtree, SpatialIndex, Weighted, glam::Vec2};
    /// let tree = Quadtree::new(&[Vec2::X * 3.0, Vec2::Y * 2.0]);
    /// let uphill = Weighted::new(Vec2::new(1.0, 4.0)); // twice as far
    /// let near = tree.by_norm(uphill).nearest(Vec2::ZERO).unwrap();
    /// assert_eq!((near.item, near.distance), (0, 3.0));
    /// assert!(Weighted::try_new([1.0, 0.0]).is_err());
    /// ```
    pub struct Weighted<V> {
        /// The weight of each axis.
        weights: V,
    }
    read through try_new
}

impl<V: Vector> Weighted<V> {
    or_panics! {
        /// The norm with a weight for each axis.
        Weighted: new = try_new(weights: V)
    }

    /// The norm with a weight for each axis.
    ///
    /// # Errors
    ///
    /// If a weight is zero or negative, infinite or NaN; the error names the axis. Every positive weight is accepted,
    /// even subnormal: products that underflow or overflow do so alike in every structure.
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
}

impl<V: Vector> Norm<V> for Manhattan {
    #[inline(always)]
    fn as_measure(&self) -> Measure<V> {
        Measure::Manhattan
    }
}

impl<V: Vector> Norm<V> for Chebyshev {
    #[inline(always)]
    fn as_measure(&self) -> Measure<V> {
        Measure::Chebyshev
    }
}

impl<V: Vector> Norm<V> for Weighted<V> {
    #[inline(always)]
    fn as_measure(&self) -> Measure<V> {
        Measure::Weighted(self.weights)
    }
}
