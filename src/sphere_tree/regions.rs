//! A moved tree and a region.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use smallvec::SmallVec;

use super::{MovedTree, Node, margin};
use crate::overlap::{Overlaps, Region, Relation};
use crate::shape::{Aabb, Sphere};
use crate::vector::Vector;

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
        let by = margin::widened(node.spread, self.slack);
        let finite = center.non_finite_axis().is_none() && crate::vector::Scalar::is_finite(by);
        finite.then(|| Aabb::point(center).grown(by))
    }
}
