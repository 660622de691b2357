//! The immutable tree.
//!
//! Items are sorted along a Morton curve, so that every cell of the tree, a quadrant or octant of
//! its parent, holds one run of them. A node stores no cell, only the tight bounds of what it holds:
//! halving and Morton codes decide where things are kept, comparisons of coordinates decide every
//! answer.

mod build;
mod validate;

use alloc::vec::Vec;
use core::ops::Range;

use glam::{DVec2, DVec3, Vec2, Vec3};

use crate::nearest::{in_hierarchy, nearest};
use crate::overlap::Extent;
use crate::query::{Hierarchy, TreeWalk, queries};
use crate::sweep::{first_in_hierarchy, sweeps};
use crate::{Aabb, Bounded, Distance, Error, Sweep, Vector};

/// A tree of points of the plane, built at once: four quadrants a node.
pub type Quadtree = Orthtree<Vec2>;
/// A tree of points of space, built at once: eight octants a node.
pub type Octree = Orthtree<Vec3>;
/// A [`Quadtree`] in double precision.
pub type DQuadtree = Orthtree<DVec2>;
/// An [`Octree`] in double precision.
pub type DOctree = Orthtree<DVec3>;

/// A tree built at once from a slice of points, boxes or spheres, in 1 to 4 dimensions; it cannot
/// be changed. Items are named by their index in the slice.
///
/// Answers come in the tree's order, along a Morton curve: the same order for the same input,
/// whatever the machine.
///
/// ```
/// use orthant::{Aabb, Octree, Orthtree, Sphere, glam::Vec3};
/// let points = [Vec3::ZERO, Vec3::ONE, Vec3::X];
/// let tree = Octree::new(&points);
/// let mut near: Vec<_> = tree.query(Sphere::new(Vec3::ZERO, 1.0)).collect();
/// near.sort();
/// assert_eq!(near, [0, 2]);
/// let boxes = Orthtree::new(&[Aabb::new([0.0, 0.0], [2.0, 2.0])]);
/// assert_eq!(boxes.count(Sphere::new([3.0, 1.0], 1.0)), 1); // touching counts
/// ```
#[derive(Clone, Debug)]
pub struct Orthtree<T: Bounded> {
    /// In the tree's order.
    items: Vec<T>,
    /// The index in the input of each item.
    indices: Vec<u32>,
    /// The root first, siblings together, children behind their parents.
    nodes: Vec<Node<T::Vector>>,
}

#[derive(Clone, Debug)]
struct Node<V: Vector> {
    extent: Extent<V>,
    /// The items below.
    start: u32,
    end: u32,
    /// The children; none for a leaf.
    first_child: u32,
    children: u32,
}

impl<T: Bounded + Clone> Orthtree<T> {
    /// Builds the tree; the items are copied.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    #[must_use]
    #[track_caller]
    pub fn new(items: &[T]) -> Self {
        Self::try_new(items).unwrap_or_else(|error| panic!("Orthtree: {error}"))
    }

    /// Builds the tree; the items are copied.
    ///
    /// # Errors
    ///
    /// If a coordinate is infinite or NaN (the error names the item), or there are more items than
    /// `u32` can number.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn try_new(items: &[T]) -> Result<Self, Error> {
        build::build(items)
    }
}

impl<T: Bounded> Orthtree<T> {
    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The smallest box around all items; `None` where there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb<T::Vector>> {
        let root = &self.nodes.first()?.extent;
        Some(root.core.grown(root.most))
    }
}

impl<T: Bounded> Hierarchy for Orthtree<T> {
    type Item = T;
    type Key = usize;
    type Run<'a>
        = Range<u32>
    where
        T: 'a;

    #[inline]
    fn root(&self) -> Option<u32> {
        (!self.nodes.is_empty()).then_some(0)
    }

    #[inline(always)]
    fn extent(&self, node: u32) -> &Extent<T::Vector> {
        &self.nodes[node as usize].extent
    }

    #[inline(always)]
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let node = &self.nodes[node as usize];
        let children = if inside { 0 } else { node.children };
        node.first_child..node.first_child + children
    }

    #[inline(always)]
    fn run(&self, node: u32, inside: bool) -> Range<u32> {
        let node = &self.nodes[node as usize];
        if inside || node.children == 0 {
            node.start..node.end
        } else {
            0..0
        }
    }

    #[inline(always)]
    fn item(&self, slot: u32) -> &T {
        &self.items[slot as usize]
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> usize {
        self.indices[slot as usize] as usize
    }
}

queries!(
    impl[T: Bounded] Orthtree<T>, vector = T::Vector, item = T, key = usize,
    walk = TreeWalk<R>: TreeWalk<'_, Self, R>, |this, region| TreeWalk::new(this, region)
);

nearest!(
    impl[T: Distance] Orthtree<T>, vector = T::Vector, key = usize,
    |this, from, n| in_hierarchy(this, from, n)
);

sweeps!(
    impl[T: Bounded] Orthtree<T>, vector = T::Vector, item = T, key = usize,
    |this, moving| walk = TreeWalk::new(this, moving),
    item = |slot| this.item(slot),
    first = |first| first_in_hierarchy(
        this,
        |extent| moving.bound::<T>(extent),
        |item| moving.times(item).map(|times| times.0),
        first,
    )
);
