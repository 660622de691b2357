//! Bodies made of balls: a tree of balls that a rigid motion moves as a whole.
//!
//! The body is rigid, so its tree is built once, in the body's own frame, and each query says where the body is. A
//! query moves the box of a node as it moves the balls of the body: it rotates the box, and takes the box around that.
//! Rounding may misplace a ball within it, so the box is grown by more than all rounding can add up to
//! ([`slack`]); only the balls themselves decide an answer.

mod contact;
mod pairs;
mod query;

use alloc::vec::Vec;

use crate::error::{Error, or_panics, shown_as};
use crate::orthtree::Orthtree;
use crate::overlap::Extent;
use crate::query::Hierarchy;
use crate::rigid::Rigid;
use crate::shape::{Aabb, Bounded, Sphere};
use crate::vector::{Scalar, Vector};

/// A tree of the balls of one compound body, of 1 to 4 dimensions. Balls are named by their index in the slice that the
/// tree was built from.
///
/// Queries see the body where it was built, or [`at`](Orthtree::at) a rigid motion. A moved body is tested against other
/// bodies too; [`lies`](Orthtree::lies) gives the body without a motion. Answers are those of a scan that moves
/// every ball by [`Rigid::sphere`], and tests it with [`Overlaps`](crate::Overlaps).
///
/// ```
/// use orthant::{Rigid, Sphere, SphereTree, glam::Vec3};
/// let rod = SphereTree::from_points(&[Vec3::ZERO, Vec3::X, 2.0 * Vec3::X], 0.5);
/// let away = rod.at(Rigid::from_translation(Vec3::new(1.0, 1.0, 0.0)));
/// assert_eq!(away.pairs(&rod), [(0, 1), (1, 2)]); // touching counts
/// assert_eq!(away.query(Sphere::new(Vec3::X, 0.5)).collect::<Vec<_>>(), [0]);
/// assert_eq!(away.count(Sphere::new(Vec3::X, 0.5)), 1);
/// assert_eq!(rod.nearest(Vec3::X * 3.0).unwrap().item, 2);
/// assert_eq!(rod.count(Vec3::X), 1); // the balls that hold a point
/// ```
pub type SphereTree<V> = Orthtree<Sphere<V>>;

/// A body of balls, which moves as a whole: see [`SphereTree`].
impl<V: Vector> SphereTree<V> {
    or_panics! {
        /// Builds the tree of balls of one radius around some points.
        SphereTree: from_points = try_from_points(points: &[V], radius: V::Scalar)
    }

    /// Builds the tree of balls of one radius around some points.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN or the radius is not valid (the error names the point), or there are more points than `u32` can
    /// number. Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn try_from_points(points: &[V], radius: V::Scalar) -> Result<Self, Error> {
        let ball = |(index, &point): (usize, &V)| {
            Sphere::try_new(point, radius).map_err(|error| Error::Item { index, error })
        };
        let balls: Result<Vec<_>, Error> = points.iter().enumerate().map(ball).collect();
        Self::try_new(&balls?)
    }

    /// The body where it was built.
    #[must_use]
    pub fn lies(&self) -> MovedTree<'_, V> {
        self.at(Rigid::identity())
    }

    /// Returns the body after a motion: rotated about the origin of its frame, then translated.
    #[must_use]
    pub fn at(&self, motion: Rigid<V>) -> MovedTree<'_, V> {
        let root = self.core.root();
        let centers = root.map(|root| self.core.extent(root).core.cast());
        MovedTree {
            tree: self,
            motion,
            slack: centers.map_or(V::Scalar::ZERO, |centers| slack(&centers, &motion)),
        }
    }
}

/// Written as the list of its balls in the order of the input, from which a reader builds the tree again.
#[cfg(feature = "serde")]
impl<V: Vector<Scalar: serde::Serialize> + serde::Serialize> serde::Serialize for SphereTree<V> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.items().serialize(to)
    }
}

#[cfg(feature = "serde")]
impl<'de, V> serde::Deserialize<'de> for SphereTree<V>
where
    V: Vector<Scalar: serde::Deserialize<'de>> + serde::Deserialize<'de>,
{
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let balls = Vec::deserialize(from)?;
        Self::try_new(&balls).map_err(serde::de::Error::custom)
    }
}

/// A [`SphereTree`] moved to another place: a tree of the balls that [`Rigid::sphere`] gives. A ball that is moved
/// beyond the finite numbers counts in [`len`](crate::SpatialIndex::len), but no query finds it.
///
/// ```
/// use core::ops::ControlFlow;
/// use orthant::{Rigid, SpatialIndex, Sphere, SphereTree};
/// let rod = SphereTree::from_points(&[[0.0, 0.0], [1.0, 0.0]], 0.5);
/// let away = rod.at(Rigid::from_translation([0.0, 1.0]));
/// assert_eq!(away.motion().translation(), [0.0, 1.0]);
/// assert!(away.meets_tree(&rod));
/// assert!(away.visit(Sphere::new([0.0, 1.0], 0.1), ControlFlow::Break).is_break());
/// let first = away.visit_pairs(&rod, |i, j| ControlFlow::Break((i, j)));
/// assert!(matches!(first, ControlFlow::Break((i, j)) if i == j));
/// ```
#[derive(Clone, Copy)]
pub struct MovedTree<'a, V: Vector> {
    tree: &'a SphereTree<V>,
    motion: Rigid<V>,
    /// The most by which rounding can misplace a moved ball in a moved box; infinite if sums may overflow.
    slack: V::Scalar,
}

shown_as!(
    impl[V: Vector] MovedTree<'_, V> as "MovedTree",
    |this| tree: this.tree, motion: this.motion
);

impl<V: Vector> MovedTree<'_, V> {
    /// The body's motion.
    #[must_use]
    pub fn motion(&self) -> &Rigid<V> {
        &self.motion
    }

    /// The bounds of moved balls, from their bounds where they were built.
    fn moved(&self, built: &Extent<V::Array>) -> Extent<V> {
        let most = V::Scalar::MAX;
        let core: Aabb<V> = built.core.cast();
        let core = if self.slack.is_finite() {
            let half = V::from_fn(|a| core.size().axis(a) * V::Scalar::from_f64(0.5));
            let reach = self.motion.reach(half);
            let center = Aabb::point(self.motion.point(core.center()));
            center.grown_on(|a| reach.axis(a) + self.slack)
        } else {
            Aabb::from_corners(V::splat(V::Scalar::ZERO - most), V::splat(most))
        };
        Extent {
            core,
            least: built.least,
            most: built.most,
        }
    }
}

/// A box around the moved body.
impl<V: Vector> Bounded for MovedTree<'_, V> {
    type Vector = V;

    fn core(&self) -> Aabb<V> {
        let core = &self.tree.core;
        match core.root().map(|root| self.moved(&core.extent(root))) {
            Some(all) => all.core.grown(all.most),
            None => Aabb::point(self.motion.translation()),
        }
    }
}

/// The most by which rounding can misplace a moved center in the moved box of a node, for a body whose centers lie in a
/// box; infinite where sums may overflow.
///
/// Let `u` be half of the scalar's precision `e`, and `B` the sum of the largest magnitudes of the body's coordinates
/// and of the translation. A moved coordinate of up to four axes is off by at most `5.5 u B`, for the center of a ball
/// and for that of a box. The center of a box is off by another `u B`, and the half lengths and their sum by `6 u B`.
/// All of this is less than `10 e B`; products that vanish add a few of the least numbers.
fn slack<V: Vector>(centers: &Aabb<V>, motion: &Rigid<V>) -> V::Scalar {
    let largest = |a: usize| {
        centers
            .min()
            .axis(a)
            .abs()
            .larger(centers.max().axis(a).abs())
    };
    let moved = |a: usize| motion.translation().axis(a).abs();
    let breadth = (1..V::DIM).fold(largest(0), |sum, a| sum + largest(a));
    let farthest = (1..V::DIM).fold(moved(0), |most, a| most.larger(moved(a)));
    let bound = breadth + farthest;
    if bound > V::Scalar::MAX * V::Scalar::from_f64(0.0625) {
        return V::Scalar::INFINITY;
    }
    bound * V::Scalar::EPSILON * V::Scalar::from_f64(32.0) + V::Scalar::MIN_POSITIVE
}
