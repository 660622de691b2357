//! Finds the nearest items by norms other than Euclid's.

use alloc::vec::Vec;
use core::fmt;

use super::{ScalarIn, SpatialIndex};
use crate::nearest::{Closest, Nearest};
use crate::norm::{DistanceBy, Norm};
use crate::vector::{Scalar, Vector};

/// The answers of a structure.
type NearestIn<S> = NearestBy<<S as SpatialIndex>::Key, ScalarIn<S>>;

/// An item that is near by a [`Norm`].
///
/// ```
/// use orthant::{Linear, SpatialIndex, Weighted};
/// let scan = Linear::new(&[[3.0, 0.0]]);
/// let near = scan.by_norm(Weighted::new([4.0, 1.0])).nearest([0.0, 0.0]).unwrap();
/// assert_eq!((near.item, near.measure, near.distance), (0, 36.0, 6.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestBy<K, S> {
    /// The item's index or handle.
    pub item: K,
    /// The measure by the norm, by which items are ordered: the distance for [`Manhattan`](crate::Manhattan) and
    /// [`Chebyshev`](crate::Chebyshev), its square for [`Weighted`](crate::Weighted).
    pub measure: S,
    /// Its distance. For [`Weighted`](crate::Weighted) it is a rounded root, which may be equal for different measures.
    pub distance: S,
    /// The least radius that reaches it: a [`NormBall`](crate::NormBall) of this radius overlaps the item. See
    /// [distances and radii](crate::guide::precision#distances-and-radii).
    pub radius: S,
}

/// Finds the nearest items of a structure by a [`Norm`]; [`SpatialIndex::by_norm`] returns it.
///
/// Trees of points and boxes are searched with vector instructions, sixteen distances at a time; all other structures are searched node by
/// node, in the order of distance.
///
/// ```
/// use orthant::{ByNorm, Chebyshev, Octree, SpatialIndex, glam::Vec3};
/// let tree = Octree::new(&[Vec3::ONE, Vec3::X * 1.5]);
/// let by_cubes: ByNorm<'_, Octree, Chebyshev> = tree.by_norm(Chebyshev);
/// assert_eq!(by_cubes.nearest(Vec3::ZERO).unwrap().item, 0);
/// ```
#[must_use = "it asks nothing by itself"]
pub struct ByNorm<'a, S, N> {
    index: &'a S,
    norm: N,
}

impl<'a, S: SpatialIndex, N: Norm<S::Vector>> ByNorm<'a, S, N> {
    pub(super) fn new(index: &'a S, norm: N) -> Self {
        Self { index, norm }
    }

    /// The item nearest to a point; of several, that with the least key. `None` in an empty structure, and for
    /// a point that is not finite.
    ///
    /// # Complexity
    ///
    /// O(log n) for items that are not all equally far, O(n) for the scan.
    #[must_use]
    pub fn nearest(&self, point: S::Vector) -> Option<NearestIn<S>>
    where
        S::Item: DistanceBy<N>,
    {
        self.nearest_n(point, 1).pop()
    }

    /// The `n` items nearest to a point, by measure, ties by key; all if there are fewer, none for a point that is not finite.
    ///
    /// # Complexity
    ///
    /// The cost of [`nearest`](Self::nearest) for each of the `n`.
    #[must_use]
    pub fn nearest_n(&self, point: S::Vector, n: usize) -> Vec<NearestIn<S>>
    where
        S::Item: DistanceBy<N>,
    {
        self.nearest_n_within(point, n, Scalar::INFINITY)
    }

    /// The `n` nearest of the items within a radius of a point, by measure, ties by key; all if there are fewer. An item is within the
    /// radius if a [`NormBall`](crate::NormBall) of that radius overlaps it.
    ///
    /// An infinite radius takes all items; a negative or NaN radius finds nothing, and neither does a point that is not finite.
    ///
    /// ```
    /// use orthant::{Manhattan, Octree, SpatialIndex, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ONE, Vec3::Y, Vec3::X]);
    /// let near = tree.by_norm(Manhattan).nearest_n_within(Vec3::ZERO, 3, 2.5);
    /// // Both are just as far; the first is 3 away.
    /// assert_eq!(near.iter().map(|n| n.item).collect::<Vec<_>>(), [1, 2]);
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`nearest`](Self::nearest) for each of the `n`.
    #[must_use]
    pub fn nearest_n_within(
        &self,
        point: S::Vector,
        n: usize,
        radius: ScalarIn<S>,
    ) -> Vec<NearestIn<S>>
    where
        S::Item: DistanceBy<N>,
    {
        let is_valid = point.non_finite_axis().is_none() && radius >= Scalar::ZERO;
        if n == 0 || !is_valid {
            return Vec::new();
        }
        let mut best = Closest::new(n, self.norm.measure_of(radius));
        self.index.offer_nearest_by(&self.norm, point, &mut best);
        let named = |Nearest {
                         item,
                         distance_sq: measure,
                     }| NearestBy {
            item,
            measure,
            distance: self.norm.distance(measure),
            radius: self.norm.radius(measure),
        };
        best.found_all().into_iter().map(named).collect()
    }
}

impl<S, N: Copy> Clone for ByNorm<'_, S, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, N: Copy> Copy for ByNorm<'_, S, N> {}

impl<S, N: fmt::Debug> fmt::Debug for ByNorm<'_, S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByNorm")
            .field("norm", &self.norm)
            .finish_non_exhaustive()
    }
}
