//! Tests two bodies: which balls of a moved tree and another tree overlap.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use smallvec::SmallVec;

use super::{MovedTree, SphereTree};
use crate::error::{Error, or_panic, reserve};
use crate::overlap::ball_ball::reach_sq;
use crate::overlap::distance::gap_sq;
use crate::overlap::{Extent, Overlaps};
use crate::query::{Hierarchy, Search};
use crate::shape::Sphere;
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};

/// Two nodes or leaves: ours, and one of the other body.
pub(super) type Pair = (u32, u32);

impl<V: Vector> MovedTree<'_, V> {
    /// Whether any ball overlaps any of another tree, which lies where it was built.
    ///
    /// # Complexity
    ///
    /// O(1) for bodies far apart, O(log n) for most that are apart, O(n m) at worst.
    #[must_use]
    pub fn meets_tree(&self, other: &SphereTree<V>) -> bool {
        self.visit_pairs(other, |_, _| ControlFlow::Break(()))
            .is_break()
    }

    /// The pairs of balls, ours first, that overlap, in ascending order.
    ///
    /// # Panics
    ///
    /// Where [`try_pairs`](Self::try_pairs) returns an error.
    #[must_use]
    #[track_caller]
    pub fn pairs(&self, other: &SphereTree<V>) -> Vec<(usize, usize)> {
        or_panic("MovedTree", self.try_pairs(other))
    }

    /// The pairs of balls that overlap, as [`pairs`](Self::pairs) gives them, or an error if memory does not suffice.
    ///
    /// ```
    /// use orthant::{Rigid, SphereTree};
    /// let body = SphereTree::from_points(&[[0.0, 0.0]], 1.0);
    /// let moved = body.at(Rigid::from_translation([1.0, 0.0]));
    /// assert_eq!(moved.try_pairs(&body), Ok(vec![(0, 0)]));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_pairs(&self, other: &SphereTree<V>) -> Result<Vec<(usize, usize)>, Error> {
        let mut found = Vec::new();
        let flow = self.visit_pairs(other, |i, j| {
            if let Err(error) = reserve(&mut found, 1) {
                return ControlFlow::Break(error);
            }
            found.push((i, j));
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        flow.break_value().map_or(Ok(found), Err)
    }

    /// Calls `found` with each pair of balls, ours first, that overlap, in the order of the trees, until it breaks.
    pub fn visit_pairs<B>(
        &self,
        other: &SphereTree<V>,
        found: impl FnMut(usize, usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.descend(other, &mut 0, found)
    }

    /// Visits the pairs, and counts the tests of nodes and balls.
    #[doc(hidden)]
    pub fn descend<B>(
        &self,
        other: &SphereTree<V>,
        tests: &mut u64,
        mut found: impl FnMut(usize, usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut stack: SmallVec<[Pair; 64]> = self.roots(other).into_iter().collect();
        while let Some((i, j)) = stack.pop() {
            let extents = self.extents(other, (i, j));
            let [ours, theirs] = &extents;
            *tests += 1;
            if are_apart(ours, theirs) {
                continue;
            }
            let below = self.below(other, (i, j), &extents);
            if !below.is_empty() {
                stack.extend(below.into_iter().rev());
                continue;
            }
            for (a, ball) in self.leaf(i) {
                *tests += 1;
                if are_apart(&Extent::of(&ball), theirs) {
                    continue;
                }
                for (b, target) in balls(other, j) {
                    *tests += 1;
                    if ball.overlaps(&target) {
                        found(a, b)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The roots of both trees; `None` if one is empty.
    pub(super) fn roots(&self, other: &SphereTree<V>) -> Option<Pair> {
        self.tree.core.root().zip(other.core.root())
    }

    /// The bounds of two nodes or leaves.
    pub(super) fn extents(&self, other: &SphereTree<V>, (i, j): Pair) -> [Extent<V>; 2] {
        let ours = self.moved(&self.tree.core.extent(i));
        [ours, other.core.extent(j).cast()]
    }

    /// Opens the larger of two nodes: returns its children, each with the other node. There are none if both are leaves.
    pub(super) fn below(
        &self,
        other: &SphereTree<V>,
        (i, j): Pair,
        [ours, theirs]: &[Extent<V>; 2],
    ) -> SmallVec<[Pair; LANES]> {
        let size = |extent: &Extent<V>| {
            let edges = extent.core.size();
            (0..V::DIM).fold(extent.most, |size, a| size.larger(edges.axis(a)))
        };
        let is_larger = size(ours) >= size(theirs);
        let ours = self.tree.core.children(i, false).map(|i| (i, j));
        let theirs = other.core.children(j, false).map(|j| (i, j));
        let (mut ours, mut theirs) = (ours.peekable(), theirs.peekable());
        if theirs.peek().is_none() || (is_larger && ours.peek().is_some()) {
            ours.collect()
        } else {
            theirs.collect()
        }
    }

    /// The moved balls of a leaf, with their indices.
    pub(super) fn leaf(&self, leaf: u32) -> impl Iterator<Item = (usize, Sphere<V>)> {
        let moved = |(index, ball)| Some((index, self.motion.sphere(&ball)?));
        balls(self.tree, leaf).filter_map(moved)
    }
}

/// The balls of a leaf where they were built, with their indices.
pub(super) fn balls<V: Vector>(
    tree: &SphereTree<V>,
    leaf: u32,
) -> impl Iterator<Item = (usize, Sphere<V>)> {
    let slots = tree.core.run(leaf, false).slots;
    slots.map(|slot| (tree.key_at(0, slot), *tree.item(slot)))
}

/// True if no ball of one extent overlaps any of another. The arithmetic is that of two balls, and is monotone.
pub(super) fn are_apart<V: Vector>(ours: &Extent<V>, theirs: &Extent<V>) -> bool {
    gap_sq(&ours.core, &theirs.core) > reach_sq(ours.most, theirs.most)
}
