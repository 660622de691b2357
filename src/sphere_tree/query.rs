//! Queries of a body that was moved: by regions, for the nearest ball, and by moving shapes.

use core::convert::Infallible;
use core::ops::{ControlFlow, Range};

use super::MovedTree;
use crate::nearest::Nearest;
use crate::overlap::{Extent, Overlaps, Region, Relation};
use crate::query::{Descent, Hierarchy, Query, Search, SlotRun, SpatialIndex};
use crate::shape::Sphere;
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Kernels;

/// The most common queries; [`SpatialIndex`] has all of them.
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
    /// The cost of [`query`](Self::query), or less.
    #[must_use]
    #[inline]
    pub fn count<R>(&self, region: R) -> usize
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        SpatialIndex::count(self, region)
    }

    /// The moved ball nearest to a point; of several, the one with the least index: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for balls that are not all equally far.
    #[must_use]
    pub fn nearest(&self, point: V) -> Option<Nearest<usize, V::Scalar>> {
        SpatialIndex::nearest(self, point)
    }

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

/// The body is searched node by node: the extents of nodes are moved as the search comes to them.
impl<V: Vector> Search<Sphere<V>, usize> for MovedTree<'_, V> {
    type ByBlocks = Infallible;
    type Cursor = ();
    type Walk = Descent;

    fn extent(&self) -> Option<Extent<V>> {
        let root = self.tree.core.root()?;
        Some(self.moved(&Hierarchy::extent(&self.tree.core, root)))
    }

    #[inline]
    fn next_run<R>(&self, region: &R, descent: &mut Descent) -> Option<SlotRun>
    where
        R: Region<Vector = V> + Overlaps<Sphere<V>>,
    {
        let relate = |extent: &Extent<V::Array>| {
            match self.moved(extent).relate::<Sphere<V>>(region) {
                // Moved balls may be beyond the finite numbers, so each has to be tested.
                Relation::Inside if !self.slack.is_finite() => Relation::Straddles,
                relation => relation,
            }
        };
        <V::Array as Kernels>::next_run(&self.tree.core, &relate, descent)
    }

    fn best_first(
        &self,
        bound: impl Fn(&Extent<V>) -> Option<V::Scalar>,
        mut offer: impl FnMut(SlotRun) -> V::Scalar,
    ) {
        let bound = |extent: &Extent<V::Array>| bound(&self.moved(extent));
        <V::Array as Kernels>::best_first(&self.tree.core, &bound, &mut offer);
    }

    fn each_item(&self, _: u32, slots: Range<u32>, mut f: impl FnMut(u32, &Sphere<V>)) {
        for slot in slots {
            if let Some(ball) = self.motion.sphere(&self.tree.item(slot)) {
                f(slot, &ball);
            }
        }
    }

    fn key_at(&self, _: u32, slot: u32) -> usize {
        self.tree.key_at(0, slot)
    }
}

impl<V: Vector> SpatialIndex for MovedTree<'_, V> {
    type Vector = V;
    type Item = Sphere<V>;
    type Key = usize;

    fn len(&self) -> usize {
        self.tree.len()
    }
}
