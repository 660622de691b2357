//! The hierarchy of bounding spheres over one compound body.
//!
//! The body is rigid, so its tree is built once, in the body's own frame, and each query says where
//! the body is. What is asked of a node is a question about one ball whose center has been moved, as
//! its leaves' centers are; moving rounds, hence a node's ball is widened by more than all rounding
//! can add up to (`build.rs` has the bound), and only the leaves decide an answer.

mod build;
mod pairs;

use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use smallvec::SmallVec;

use build::{slack, widened};

use crate::error::{Error, or_panic};
use crate::overlap::{Overlaps, Region, Relation};
use crate::rigid::Rigid;
use crate::shape::{Aabb, Sphere};
use crate::vector::{Scalar, Vector};

/// A tree of bounding spheres over one compound body, made of balls of 1 to 4 dimensions; two
/// children a node. Balls are named by their index in the slice it was built from.
///
/// Ask it where it [`lies`](Self::lies) or [`at`](Self::at) a rigid motion. The answer is exactly
/// that of testing every ball, moved by [`Rigid::sphere`], with [`Overlaps`].
///
/// ```
/// use orthant::{Rigid, Sphere, SphereTree, glam::Vec3};
/// let rod = SphereTree::from_points(&[Vec3::ZERO, Vec3::X, 2.0 * Vec3::X], 0.5);
/// let away = rod.at(Rigid::from_translation(Vec3::new(1.0, 1.0, 0.0)));
/// assert_eq!(away.pairs(&rod), [(0, 1), (1, 2)]); // touching counts
/// assert_eq!(away.query(Sphere::new(Vec3::X, 0.5)), [0]);
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
    /// In the tree's order.
    balls: Vec<Sphere<V>>,
    /// The index in the input of each ball.
    indices: Vec<u32>,
    /// The root first, siblings together, children behind their parents.
    nodes: Vec<Node<V>>,
    /// The sum over the axes of the largest coordinate's magnitude.
    breadth: V::Scalar,
}

impl<V: Vector> fmt::Debug for SphereTree<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SphereTree")
            .field("balls", &self.balls.len())
            .finish_non_exhaustive()
    }
}

/// The balls in the order of the input; the rest follows.
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
    /// The ball of this radius holds the balls below, without any rounding.
    reach: V::Scalar,
    /// That of this radius their centers.
    spread: V::Scalar,
    /// The radii below.
    least: V::Scalar,
    most: V::Scalar,
    /// The balls below.
    start: u32,
    end: u32,
    /// The first of two children; 0 for a leaf.
    children: u32,
}

/// A [`SphereTree`] moved to another place.
///
/// ```
/// use core::ops::ControlFlow;
/// use orthant::{Rigid, Sphere, SphereTree};
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
    /// By how much moving can misplace two points of the body to each other.
    slack: V::Scalar,
}

impl<V: Vector> fmt::Debug for MovedTree<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MovedTree")
            .field("tree", &self.tree)
            .field("motion", &self.motion)
            .finish_non_exhaustive()
    }
}

impl<V: Vector> SphereTree<V> {
    /// Builds the tree of some balls.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(balls: &[Sphere<V>]) -> Self {
        or_panic("SphereTree", Self::try_new(balls))
    }

    /// Builds the tree of some balls.
    ///
    /// # Errors
    ///
    /// If there are more balls than `u32` can number.
    ///
    /// # Complexity
    ///
    /// O(n log n): halves along the widest axis, and the smallest ball around each.
    pub fn try_new(balls: &[Sphere<V>]) -> Result<Self, Error> {
        build::build(balls)
    }

    /// Builds the tree of balls of one radius around some points.
    ///
    /// # Panics
    ///
    /// Where [`try_from_points`](Self::try_from_points) returns an error.
    #[must_use]
    #[track_caller]
    pub fn from_points(points: &[V], radius: V::Scalar) -> Self {
        or_panic("SphereTree", Self::try_from_points(points, radius))
    }

    /// Builds the tree of balls of one radius around some points.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN or the radius no radius (the error names the point), or
    /// there are more points than `u32` can number.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn try_from_points(points: &[V], radius: V::Scalar) -> Result<Self, Error> {
        let balls: Result<Vec<_>, _> = points
            .iter()
            .enumerate()
            .map(|(index, &p)| {
                Sphere::try_new(p, radius).map_err(|error| Error::Item { index, error })
            })
            .collect();
        Self::try_new(&balls?)
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

    /// A ball where it comes to lie.
    fn ball(&self, slot: usize) -> Option<Sphere<V>> {
        self.motion.sphere(&self.tree.balls[slot])
    }
}

impl<V: Vector> Node<V> {
    fn is_leaf(&self) -> bool {
        self.children == 0
    }

    /// Of two nodes that may meet, the one to look into.
    fn before(&self, other: &Self) -> bool {
        !self.is_leaf() && (other.is_leaf() || self.reach >= other.reach)
    }

    fn halves(&self) -> [usize; 2] {
        [self.children as usize, self.children as usize + 1]
    }
}

// A moved tree and a region.

impl<V: Vector> MovedTree<'_, V> {
    /// Whether any ball overlaps a region: a sphere, a box, their surfaces, or a shape of yours.
    ///
    /// # Complexity
    ///
    /// O(log n) for most regions, O(n) at worst.
    ///
    /// ```
    /// use orthant::{Aabb, SphereTree};
    /// let tree = SphereTree::from_points(&[[0.0, 0.0], [3.0, 0.0]], 1.0);
    /// assert!(tree.lies().meets(Aabb::new([1.0, 0.0], [2.0, 9.0])));
    /// assert!(!tree.lies().meets(Aabb::new([1.25, 0.0], [1.75, 9.0])));
    /// ```
    #[must_use]
    pub fn meets<R>(&self, region: R) -> bool
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        self.visit(region, |_| ControlFlow::Break(())).is_break()
    }

    /// The balls that overlap a region, in ascending order.
    #[must_use]
    pub fn query<R>(&self, region: R) -> Vec<usize>
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        let mut found = Vec::new();
        let _ = self.visit(region, |i| {
            found.push(i);
            ControlFlow::<()>::Continue(())
        });
        found.sort_unstable();
        found
    }

    /// Calls `found` with each ball that overlaps a region, in the tree's order, until it breaks.
    pub fn visit<R, B>(
        &self,
        region: R,
        mut found: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B>
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        let mut stack: SmallVec<[usize; 64]> = SmallVec::new();
        stack.extend((!self.tree.is_empty()).then_some(0));
        while let Some(at) = stack.pop() {
            let node = &self.tree.nodes[at];
            let relation = self.cell(node).map_or(Relation::Straddles, |cell| {
                region.relate_balls(&cell, node.least, node.most)
            });
            if relation == Relation::Outside {
                continue;
            }
            if relation == Relation::Straddles && !node.is_leaf() {
                let [lower, upper] = node.halves();
                stack.extend([upper, lower]);
                continue;
            }
            for slot in self.tree.run(node) {
                let overlaps = relation == Relation::Inside
                    || self.ball(slot).is_some_and(|ball| region.overlaps(&ball));
                if overlaps {
                    found(self.key(slot))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// A box around the moved centers below a node; `None` where that overflows.
    fn cell(&self, node: &Node<V>) -> Option<Aabb<V>> {
        let center = self.motion.point(node.center);
        let by = widened(node.spread, self.slack);
        let finite = center.non_finite_axis().is_none() && by.is_finite();
        finite.then(|| Aabb::point(center).grown(by))
    }
}
