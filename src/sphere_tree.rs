//! The hierarchy of bounding spheres over one compound body.
//!
//! The body is rigid, so its tree is built once, in the body's own frame, and each query says where the body is. A
//! query moves the center of a node's ball as it moves the balls of the body. Moving rounds, so a node's ball is
//! widened by more than all rounding can add up to (`build.rs` has the bound), and only the leaves decide an answer.

mod build;
mod contact;
mod pairs;
mod query;

use alloc::vec::Vec;

use build::slack;

use crate::error::{Error, or_panics, shown_as};
use crate::rigid::Rigid;
use crate::shape::Sphere;
use crate::vector::Vector;

/// A tree of bounding spheres over one compound body, made of balls of 1 to 4 dimensions; each node has two children.
/// Balls are named by their index in the slice that the tree was built from.
///
/// Queries see the body where it was built, as in any tree of balls ([`SpatialIndex`](crate::SpatialIndex)), or [`at`](Self::at) a rigid
/// motion. A moved body is tested against other bodies too; [`lies`](Self::lies) gives the body without a motion. The answer is the
/// one that a scan gives: it moves every ball by [`Rigid::sphere`], and tests it with [`Overlaps`](crate::Overlaps).
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
#[derive(Clone)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "Raw<V>",
        into = "Raw<V>",
        bound(
            serialize = "V: serde::Serialize, V::Scalar: serde::Serialize",
            deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"
        )
    )
)]
pub struct SphereTree<V: Vector> {
    /// The balls in the tree's order.
    balls: Vec<Sphere<V>>,
    /// The index in the input of each ball.
    indices: Vec<u32>,
    /// The root first, siblings together, children behind their parents.
    nodes: Vec<Node<V>>,
    /// The sum over the axes of the largest magnitude of a coordinate.
    breadth: V::Scalar,
}

shown_as!(impl[V: Vector] SphereTree<V> as "SphereTree", |this| balls: this.balls.len());

/// The balls in the order of the input, from which a reader builds the tree again.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(
    transparent,
    bound(
        serialize = "V: serde::Serialize, V::Scalar: serde::Serialize",
        deserialize = "V: serde::Deserialize<'de>, V::Scalar: serde::Deserialize<'de>"
    )
)]
struct Raw<V: Vector>(Vec<Sphere<V>>);

#[cfg(feature = "serde")]
impl<V: Vector> TryFrom<Raw<V>> for SphereTree<V> {
    type Error = Error;

    fn try_from(raw: Raw<V>) -> Result<Self, Error> {
        Self::try_new(&raw.0)
    }
}

#[cfg(feature = "serde")]
impl<V: Vector> From<SphereTree<V>> for Raw<V> {
    fn from(tree: SphereTree<V>) -> Self {
        let mut balls = tree.balls.clone();
        for (ball, &index) in tree.balls.iter().zip(&tree.indices) {
            balls[index as usize] = *ball;
        }
        Self(balls)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node<V: Vector> {
    /// The middle of the smallest ball around the balls below.
    center: V,
    /// The radius of a ball around the center that holds the balls below in exact arithmetic.
    reach: V::Scalar,
    /// The radius of a ball around the center that holds the centers of the balls below.
    spread: V::Scalar,
    /// The least and the largest radius of the balls below.
    least: V::Scalar,
    most: V::Scalar,
    /// The range of slots of the balls below.
    start: u32,
    end: u32,
    /// The first of two children; 0 for a leaf.
    children: u32,
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
    /// The most by which rounding can misplace two moved points of the body to each other.
    slack: V::Scalar,
}

shown_as!(
    impl[V: Vector] MovedTree<'_, V> as "MovedTree",
    |this| tree: this.tree, motion: this.motion
);

impl<V: Vector> SphereTree<V> {
    or_panics! {
        /// Builds the tree of some balls.
        SphereTree: new = try_new(balls: &[Sphere<V>])
    }

    /// Builds the tree of some balls.
    ///
    /// # Errors
    ///
    /// If there are more balls than `u32` can number.
    /// Distances outside [`safe_lengths`](crate::safe_lengths) are no error, though their squares overflow or lose digits.
    ///
    /// # Complexity
    ///
    /// O(n log n): halves along the widest axis, and the smallest ball around each.
    pub fn try_new(balls: &[Sphere<V>]) -> Result<Self, Error> {
        build::build(balls)
    }

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
        let mut balls = Vec::with_capacity(points.len());
        for (index, &p) in points.iter().enumerate() {
            let ball = Sphere::try_new(p, radius);
            balls.push(ball.map_err(|error| Error::Item { index, error })?);
        }
        Self::try_new(&balls)
    }

    /// The number of balls.
    #[must_use]
    pub fn len(&self) -> usize {
        self.balls.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.balls.is_empty()
    }

    /// The body where it was built.
    #[must_use]
    pub fn lies(&self) -> MovedTree<'_, V> {
        self.at(Rigid::identity())
    }

    /// The body moved: rotated about the origin of its frame, then translated.
    #[must_use]
    pub fn at(&self, motion: Rigid<V>) -> MovedTree<'_, V> {
        MovedTree {
            tree: self,
            motion,
            slack: slack(self.breadth, &motion),
        }
    }

    /// The slots of the balls below a node.
    fn run(&self, node: &Node<V>) -> core::ops::Range<usize> {
        node.start as usize..node.end as usize
    }
}

impl<V: Vector> MovedTree<'_, V> {
    /// The body's motion.
    #[must_use]
    pub fn motion(&self) -> &Rigid<V> {
        &self.motion
    }

    /// The index in the input of a ball.
    fn key(&self, slot: usize) -> usize {
        self.tree.indices[slot] as usize
    }

    /// The moved ball; `None` if it is beyond the finite numbers.
    fn ball(&self, slot: usize) -> Option<Sphere<V>> {
        self.motion.sphere(&self.tree.balls[slot])
    }
}

impl<V: Vector> Node<V> {
    fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// True if this node is to be opened, and not the other, of two that may meet.
    fn before(&self, other: &Self) -> bool {
        !self.is_leaf() && (other.is_leaf() || self.reach >= other.reach)
    }

    fn halves(&self) -> [usize; 2] {
        [self.children as usize, self.children as usize + 1]
    }
}
