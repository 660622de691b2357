//! Tests two bodies: which balls of a moved tree and another tree overlap.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use smallvec::SmallVec;

use super::build::widened;
use super::{MovedTree, Node, SphereTree};
use crate::error::{Error, or_panic, reserve};
use crate::overlap::Overlaps;
use crate::overlap::distance::point_sq;
use crate::vector::Vector;

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
        let mut stack: SmallVec<[(usize, usize); 64]> = SmallVec::new();
        let both = !self.tree.is_empty() && !other.is_empty();
        stack.extend(both.then_some((0, 0)));
        while let Some((i, j)) = stack.pop() {
            let (ours, theirs) = (&self.tree.nodes[i], &other.nodes[j]);
            *tests += 1;
            if self.apart(ours, theirs) {
                continue;
            }
            if let Some([lower, upper]) = self.halves(other, (i, j)) {
                stack.extend([upper, lower]);
            } else {
                for a in self.tree.run(ours) {
                    let Some(ball) = self.ball(a) else {
                        continue;
                    };
                    for b in other.run(theirs) {
                        *tests += 1;
                        if ball.overlaps(&other.balls[b]) {
                            found(self.key(a), other.indices[b] as usize)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The halves of the larger of two nodes, each with the other node; `None` if both are leaves.
    pub(super) fn halves(
        &self,
        other: &SphereTree<V>,
        (i, j): (usize, usize),
    ) -> Option<[(usize, usize); 2]> {
        let (ours, theirs) = (&self.tree.nodes[i], &other.nodes[j]);
        if ours.before(theirs) {
            return Some(ours.halves().map(|half| (half, j)));
        }
        (!theirs.is_leaf()).then(|| theirs.halves().map(|half| (i, half)))
    }

    /// Whether no ball below one node overlaps any below the other.
    pub(super) fn apart(&self, ours: &Node<V>, theirs: &Node<V>) -> bool {
        let least = widened(ours.reach + theirs.reach, self.slack);
        point_sq(&self.motion.point(ours.center), theirs.center) > least * least
    }
}
