//! A moved tree and another.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use smallvec::SmallVec;

use super::{MovedTree, Node, SphereTree, margin};
use crate::overlap::distance::point_sq;
use crate::{Overlaps, Vector};

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
    #[must_use]
    pub fn pairs(&self, other: &SphereTree<V>) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let _ = self.visit_pairs(other, |i, j| {
            found.push((i, j));
            ControlFlow::<()>::Continue(())
        });
        found.sort_unstable();
        found
    }

    /// Calls `found` with each pair of balls, ours first, that overlap, in the order of the trees,
    /// until it breaks.
    pub fn visit_pairs<B>(
        &self,
        other: &SphereTree<V>,
        found: impl FnMut(usize, usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.descend(other, &mut 0, found)
    }

    /// The same, which counts the tests of nodes and balls.
    fn descend<B>(
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
            if ours.before(theirs) {
                let [lower, upper] = ours.halves();
                stack.extend([(upper, j), (lower, j)]);
            } else if !theirs.is_leaf() {
                let [lower, upper] = theirs.halves();
                stack.extend([(i, upper), (i, lower)]);
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

    /// Whether no ball below one node overlaps any below the other.
    fn apart(&self, ours: &Node<V>, theirs: &Node<V>) -> bool {
        let least = margin::widened(ours.reach + theirs.reach, self.slack);
        point_sq(&self.motion.point(ours.center), theirs.center) > least * least
    }
}
