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

    /// Calls `found` with each pair of balls, ours first, that overlap, in the order of the trees,
    /// until it breaks.
    pub fn visit_pairs<B>(
        &self,
        other: &SphereTree<V>,
        found: impl FnMut(usize, usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.descend(other, &mut 0, found)
    }

    /// Visits the pairs, and counts the tests of nodes and balls.
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

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::f64::consts::{FRAC_1_SQRT_2, TAU};
    use core::ops::ControlFlow;

    use glam::{DQuat, DVec3};

    use crate::rigid::Rigid;
    use crate::sphere_tree::SphereTree;
    use crate::vector::Scalar;

    const COUNT: u32 = 10_000;

    /// Points spread evenly over a sphere.
    fn shell(radius: f64) -> Vec<DVec3> {
        let golden = TAU * 0.618_033_988_749_894_9;
        (0..COUNT)
            .map(|i| {
                let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(COUNT);
                let turn = DQuat::from_rotation_z(golden * f64::from(i));
                radius * (turn * DVec3::new(Scalar::sqrt(1.0 - z * z), 0.0, z))
            })
            .collect()
    }

    /// The surface of a ring about z: ten rounds of a thousand points.
    fn ring(radius: f64, thickness: f64) -> Vec<DVec3> {
        (0..COUNT)
            .map(|i| {
                let around = DQuat::from_rotation_z(TAU * f64::from(i / 10) / 1000.0);
                let across = DQuat::from_rotation_y(TAU * f64::from(i % 10) / 10.0);
                around * (radius * DVec3::X + across * (thickness * DVec3::X))
            })
            .collect()
    }

    /// How many tests of nodes and balls tell that two bodies are apart.
    fn tests(a: &[DVec3], b: &[DVec3], ball: f64, motion: Rigid<DVec3>) -> u64 {
        let a = SphereTree::from_points(a, ball);
        let b = SphereTree::from_points(b, ball);
        let mut tests = 0;
        let apart = a
            .at(motion)
            .descend(&b, &mut tests, |_, _| ControlFlow::Break(()));
        assert!(apart.is_continue(), "they are meant to be apart");
        tests
    }

    #[test]
    fn bodies_apart_need_under_a_hundredth_of_all_pairs() {
        let all = u64::from(COUNT) * u64::from(COUNT);
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0);
        // Side by side, a gap of a tenth of a ball's radius.
        let beside = Rigid::from_rotation_translation(turn, DVec3::new(20.21, 0.0, 0.0));
        let (near, far) = (shell(10.0), shell(10.0));
        let side_by_side = tests(&near, &far, 0.1, beside);
        // Links of a chain, whose bounding balls overlap deeply.
        let quarter = DQuat::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
        let linked = Rigid::from_rotation_translation(quarter, DVec3::new(10.0, 0.0, 0.0));
        let links = tests(&ring(10.0, 2.0), &ring(10.0, 2.0), 0.1, linked);
        // One inside the other, everywhere close.
        let nested = Rigid::from_rotation_translation(turn, DVec3::ZERO);
        let shells = tests(&shell(9.0), &far, 0.1, nested);
        for count in [side_by_side, links, shells] {
            assert!(
                count * 100 < all,
                "{side_by_side}, {links}, {shells} of {all}"
            );
        }
    }
}
