//! What is asked of a body: regions, the nearest of its balls, and which of them a moving shape touches, where it was
//! built or where it was moved to.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::ops::{ControlFlow, Deref, Range};

use super::build::widened;
use super::{MovedTree, Node, SphereTree};
use crate::nearest::{Closest, Nearest};
use crate::overlap::distance::Center;
use crate::overlap::{Extent, Overlaps, Region, Relation};
use crate::query::{
    Descent, Hierarchy, Hit, ItemTree, Query, Relate, SpatialIndex, TreeWalk, all_in_tree,
    extent_of, first_in_tree, nearest_in_tree, next_node, offer_best_first,
};
use crate::shape::{Aabb, Sphere};
use crate::sweep::Mover;
use crate::vector::{Scalar, Vector};

/// The questions that are asked most; [`SpatialIndex`] has all of them.
impl<V: Vector> SphereTree<V> {
    /// The balls that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for most regions, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of balls that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::count(self, region)
    }

    /// The ball nearest to a point; of several, that with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for balls that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
}

/// The questions that are asked most; [`SpatialIndex`] has all of them.
impl<V: Vector> MovedTree<'_, V> {
    /// The moved balls that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for most regions, O(n) at worst.
    #[inline]
    pub fn query<R>(&self, region: R) -> Query<'_, Self, R>
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::query(self, region)
    }

    /// The number of moved balls that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::count(self, region)
    }

    /// The moved ball nearest to a point; of several, that with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for balls that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }
}

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
}

macro_rules! asked_as_balls {
    ($tree:ty) => {
        impl<V: Vector> SpatialIndex for $tree {
            type Vector = V;
            type Item = Sphere<V>;
            type Key = usize;
            type ByBlocks = Infallible;
            type Walk<'a, R>
                = TreeWalk<'a, Self, R>
            where
                Self: 'a,
                R: Region<Vector = V> + Overlaps<Sphere<V>>;

            fn len(&self) -> usize {
                self.body().balls.len()
            }

            fn by_blocks<R>(&self, _: &R) -> Option<Infallible>
            where
                R: Region<Vector = V> + Overlaps<Sphere<V>>,
            {
                None
            }

            fn extent(&self) -> Option<Extent<V>> {
                extent_of(self)
            }

            #[inline]
            fn walk<R>(&self, region: R) -> TreeWalk<'_, Self, R>
            where
                R: Region<Vector = V> + Overlaps<Sphere<V>>,
            {
                TreeWalk::new(self, region)
            }

            fn offer_nearest(&self, from: Center<V>, best: &mut Closest<V::Scalar, usize>) {
                nearest_in_tree(self, from, best);
            }

            fn offer_best_first(
                &self,
                bound: impl Fn(&Extent<V>) -> V::Scalar,
                distance_sq: impl Fn(&Sphere<V>) -> V::Scalar,
                best: &mut Closest<V::Scalar, usize>,
            ) {
                let bound = |extent: &Extent<V>| Some(bound(extent));
                offer_best_first(self, &bound, |ball| Some(distance_sq(ball)), best);
            }

            fn sweep<M: Mover<Sphere<V>>>(&self, mover: M) -> Option<Hit<usize, V>> {
                first_in_tree(self, &mover)
            }

            fn sweep_all<M: Mover<Sphere<V>>>(&self, mover: M) -> Vec<Hit<usize, V>> {
                all_in_tree(self, &mover)
            }
        }

        impl<V: Vector> Hierarchy for $tree {
            type Space = V;
            type Run<'a>
                = Range<u32>
            where
                Self: 'a;

            fn root(&self) -> Option<u32> {
                (!self.body().nodes.is_empty()).then_some(0)
            }

            fn extent(&self, node: u32) -> Extent<V> {
                let node = &self.body().nodes[node as usize];
                Extent {
                    core: self.cell(node),
                    least: node.least,
                    most: node.most,
                }
            }

            fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
                let node = &self.body().nodes[node as usize];
                let many = if inside || node.is_leaf() { 0 } else { 2 };
                node.children..node.children + many
            }

            fn run(&self, node: u32, inside: bool) -> Range<u32> {
                let node = &self.body().nodes[node as usize];
                let many = if inside || node.is_leaf() {
                    node.end - node.start
                } else {
                    0
                };
                node.start..node.start + many
            }
        }
    };
}

asked_as_balls!(SphereTree<V>);
asked_as_balls!(MovedTree<'_, V>);

impl<V: Vector> ItemTree for SphereTree<V> {
    type Nodes = Self;
    type Item = Sphere<V>;
    type Key = usize;

    fn nodes(&self) -> &Self {
        self
    }

    fn item(&self, slot: u32) -> impl Deref<Target = Sphere<V>> {
        &self.balls[slot as usize]
    }

    fn key(&self, slot: u32) -> usize {
        self.indices[slot as usize] as usize
    }
}

impl<V: Vector> ItemTree for MovedTree<'_, V> {
    type Nodes = Self;
    type Item = Sphere<V>;
    type Key = usize;

    fn nodes(&self) -> &Self {
        self
    }

    fn item(&self, slot: u32) -> impl Deref<Target = Sphere<V>> {
        let ball = self.tree.balls[slot as usize];
        Moved(self.motion.sphere(&ball).unwrap_or(ball))
    }

    fn is_item(&self, slot: u32) -> bool {
        self.slack.is_finite() || self.ball(slot as usize).is_some()
    }

    fn key(&self, slot: u32) -> usize {
        self.tree.key(slot)
    }

    fn next_node(&self, region: &dyn Relate<V>, descent: &mut Descent) -> Option<(u32, bool)> {
        if self.slack.is_finite() {
            next_node(self, region, descent)
        } else {
            next_node(self, &NeverInside(region), descent)
        }
    }
}

/// A region that has to be asked of each ball: some may have left the finite numbers, if that is all that is known of
/// them.
struct NeverInside<'a, V: Vector>(&'a dyn Relate<V>);

impl<V: Vector> Relate<V> for NeverInside<'_, V> {
    fn relate(&self, extent: &Extent<V>) -> Relation {
        match self.0.relate(extent) {
            Relation::Inside => Relation::Straddles,
            relation => relation,
        }
    }
}

/// A ball where it comes to lie.
struct Moved<V: Vector>(Sphere<V>);

impl<V: Vector> Deref for Moved<V> {
    type Target = Sphere<V>;

    #[inline(always)]
    fn deref(&self) -> &Sphere<V> {
        &self.0
    }
}

impl<V: Vector> SphereTree<V> {
    fn body(&self) -> &Self {
        self
    }

    /// A box around the centers below a node.
    fn cell(&self, node: &Node<V>) -> Aabb<V> {
        around(node.center, node.spread)
    }
}

impl<V: Vector> MovedTree<'_, V> {
    fn body(&self) -> &SphereTree<V> {
        self.tree
    }

    /// A box around the moved centers below a node.
    fn cell(&self, node: &Node<V>) -> Aabb<V> {
        let center = self.motion.point(node.center);
        around(center, widened(node.spread, self.slack))
    }
}

/// The box around all points within a distance; around all there are, where that overflows.
fn around<V: Vector>(center: V, by: V::Scalar) -> Aabb<V> {
    if center.non_finite_axis().is_none() && by.is_finite() {
        return Aabb::point(center).grown(by);
    }
    let most = V::Scalar::MAX;
    Aabb::from_corners(V::splat(V::Scalar::ZERO - most), V::splat(most))
}
