//! Tests two bodies: which balls of a moved tree and another tree overlap, and the first contact of a tree in motion,
//! best first.
//!
//! A ball touches at the start if the plain predicate says so, or else no sooner than the moving bounds meet. Both
//! tests are made for nodes too, with the margin of `build.rs`. Times of bounds are monotone, so that the time of a
//! node is never later than that of a ball below it.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cell::Cell;
use core::cmp::Reverse;
use core::ops::ControlFlow;

use smallvec::SmallVec;

use super::build::widened;
use super::{MovedTree, Node, SphereTree};
use crate::error::{Error, or_panic, reserve};
use crate::nearest::Ranked;
use crate::overlap::Overlaps;
use crate::overlap::distance::point_sq;
use crate::query::Hit;
use crate::shape::{Aabb, Bounded, Sphere};
use crate::sweep::{Moving, Sweep};
use crate::vector::{Scalar, Vector};

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
    fn halves(&self, other: &SphereTree<V>, (i, j): (usize, usize)) -> Option<[(usize, usize); 2]> {
        let (ours, theirs) = (&self.tree.nodes[i], &other.nodes[j]);
        if ours.before(theirs) {
            return Some(ours.halves().map(|half| (half, j)));
        }
        (!theirs.is_leaf()).then(|| theirs.halves().map(|half| (i, half)))
    }

    /// Whether no ball below one node overlaps any below the other.
    fn apart(&self, ours: &Node<V>, theirs: &Node<V>) -> bool {
        let least = widened(ours.reach + theirs.reach, self.slack);
        point_sq(&self.motion.point(ours.center), theirs.center) > least * least
    }
}

// A tree in motion.

/// A box around the moved body.
impl<V: Vector> Bounded for MovedTree<'_, V> {
    type Vector = V;

    fn core(&self) -> Aabb<V> {
        let whole = |root: &Node<V>| {
            let center = self.motion.point(root.center);
            Aabb::point(center).grown(widened(root.reach, self.slack))
        };
        let nowhere = Aabb::point(self.motion.translation());
        self.tree.nodes.first().map_or(nowhere, whole)
    }
}

/// The first contact so far: its time, the indices of the two balls, and their slots.
type Found<S> = Option<(Ranked<S, (usize, usize)>, usize, usize)>;

impl<V: Vector> Moving<MovedTree<'_, V>> {
    /// The first contact with another tree, which rests where it was built: the pair of balls, ours
    /// first, that touch first; of several, the least pair. `None` if none touch until the horizon.
    /// Where both bodies move, ask with the difference of the displacements.
    ///
    /// Equals the least of [`Sweep::sweep`] over all pairs of balls, ours moved by
    /// [`Rigid::sphere`](crate::Rigid::sphere).
    ///
    /// # Complexity
    ///
    /// O(log n) for most bodies, O(n m) at worst.
    ///
    /// ```
    /// use orthant::{Moving, Rigid, SphereTree};
    /// let wall = SphereTree::from_points(&[[0.0, 0.0], [0.0, 2.0], [0.0, 4.0]], 1.0);
    /// let start = Rigid::from_translation([-8.0, 4.0]);
    /// let hit = Moving::new(wall.at(start), [12.0, 0.0]).first_contact(&wall).unwrap();
    /// assert_eq!((hit.item, hit.impact.first), ((0, 2), 0.5));
    /// ```
    #[must_use]
    pub fn first_contact(&self, other: &SphereTree<V>) -> Option<Hit<(usize, usize), V>> {
        self.contact(other, &Cell::new(0))
    }

    /// Finds the first contact, and counts the tests of nodes and balls.
    fn contact(&self, other: &SphereTree<V>, tests: &Cell<u64>) -> Option<Hit<(usize, usize), V>> {
        let body = self.shape();
        let both = !body.tree.is_empty() && !other.is_empty();
        let count = || tests.set(tests.get() + 1);
        let found = first(
            both.then_some((0, 0)),
            |(i, j)| {
                count();
                self.bound_of_nodes(&body.tree.nodes[i], &other.nodes[j])
            },
            |nodes| body.halves(other, nodes),
            |(i, j), found| {
                for a in body.tree.run(&body.tree.nodes[i]) {
                    let moving = self.ball(a);
                    for b in other.run(&other.nodes[j]) {
                        count();
                        if let Some((first, _)) = moving.and_then(|m| m.times(&other.balls[b])) {
                            let names = (body.key(a), other.indices[b] as usize);
                            keep_first(found, (Ranked(first, names), a, b));
                        }
                    }
                }
            },
        );
        let (Ranked(_, item), a, b) = found?;
        let impact = self.ball(a)?.sweep(&other.balls[b])?;
        Some(Hit { item, impact })
    }

    /// The ball that first touches a ball at rest; of several, the least. `None` if none does until
    /// the horizon.
    ///
    /// Equals the least of [`Sweep::sweep`] over all balls, moved by
    /// [`Rigid::sphere`](crate::Rigid::sphere).
    ///
    /// # Complexity
    ///
    /// O(log n) for most targets, O(n) at worst.
    ///
    /// ```
    /// use orthant::{Moving, Sphere, SphereTree};
    /// let body = SphereTree::from_points(&[[0.0, 0.0], [2.0, 0.0]], 1.0);
    /// let moving = Moving::new(body.lies(), [2.0, 0.0]);
    /// let hit = moving.first_touch(&Sphere::new([6.0, 0.0], 2.0)).unwrap();
    /// assert_eq!((hit.item, hit.impact.first), (1, 0.5));
    /// ```
    #[must_use]
    pub fn first_touch(&self, target: &Sphere<V>) -> Option<Hit<usize, V>> {
        self.touch::<Sphere<V>>(target)
    }

    /// The ball that first touches a box at rest, by the rules of [`first_touch`](Self::first_touch).
    ///
    /// # Complexity
    ///
    /// O(log n) for most targets, O(n) at worst.
    ///
    /// ```
    /// use orthant::{Aabb, Moving, SphereTree};
    /// let body = SphereTree::from_points(&[[0.0, 0.0], [2.0, 0.0]], 1.0);
    /// let wall = Aabb::new([4.0, -1.0], [5.0, 1.0]);
    /// let hit = Moving::new(body.lies(), [2.0, 0.0]).first_touch_of_box(&wall).unwrap();
    /// assert_eq!((hit.item, hit.impact.first), (1, 0.5));
    /// ```
    #[must_use]
    pub fn first_touch_of_box(&self, target: &Aabb<V>) -> Option<Hit<usize, V>> {
        self.touch::<Aabb<V>>(target)
    }

    fn touch<T>(&self, target: &T) -> Option<Hit<usize, V>>
    where
        T: Bounded<Vector = V>,
        Moving<Sphere<V>>: Sweep<T, Vector = V>,
    {
        let body = self.shape();
        let by = widened(target.radius(), V::Scalar::ZERO);
        let around = target.core().grown(by);
        let found = first(
            (!body.tree.is_empty()).then_some(0),
            |at| {
                let node = &body.tree.nodes[at];
                // If squares overflow, the test of a ball is true for anything.
                let reach = widened(node.reach + target.radius(), body.slack);
                if (reach * reach).is_finite() {
                    self.bound(node, &around)
                } else {
                    Some(V::Scalar::ZERO)
                }
            },
            |at| {
                let node = &body.tree.nodes[at];
                (!node.is_leaf()).then(|| node.halves())
            },
            |at, found| {
                for slot in body.tree.run(&body.tree.nodes[at]) {
                    if let Some((first, _)) = self.ball(slot).and_then(|m| m.times(target)) {
                        keep_first(found, (Ranked(first, (body.key(slot), 0)), slot, 0));
                    }
                }
            },
        );
        let (Ranked(_, (item, _)), slot, _) = found?;
        let impact = self.ball(slot)?.sweep(target)?;
        Some(Hit { item, impact })
    }

    /// One of the body's balls in motion.
    fn ball(&self, slot: usize) -> Option<Moving<Sphere<V>>> {
        let ball = Moving::try_new(self.shape().ball(slot)?, self.displacement()).ok()?;
        ball.try_until(self.horizon()).ok()
    }

    /// A time before which no two balls below the nodes touch; `None` if none ever do.
    fn bound_of_nodes(&self, ours: &Node<V>, theirs: &Node<V>) -> Option<V::Scalar> {
        if !self.shape().apart(ours, theirs) {
            return Some(V::Scalar::ZERO);
        }
        let by = widened(theirs.reach, V::Scalar::ZERO);
        self.bound(ours, &Aabb::point(theirs.center).grown(by))
    }

    /// A time before which no ball below a node meets anything in a box; `None` if none ever does.
    fn bound(&self, ours: &Node<V>, around: &Aabb<V>) -> Option<V::Scalar> {
        let body = self.shape();
        let center = body.motion.point(ours.center);
        let by = widened(ours.reach, body.slack);
        let moving = Moving::try_new(Aabb::point(center).grown(by), self.displacement())
            .and_then(|m| m.try_until(self.horizon()));
        match moving {
            Ok(moving) if by.is_finite() => moving.entry(around),
            _ => Some(V::Scalar::ZERO),
        }
    }
}

/// The first contact below some nodes, best first.
///
/// ```text
/// until no nodes are left that may touch before the first contact so far:
///     take the nodes with the least bound
///     if they have halves: bound and queue these
///     if they are leaves: test their balls
/// ```
fn first<S: Scalar, N: Copy + Ord>(
    root: Option<N>,
    bound: impl Fn(N) -> Option<S>,
    halves: impl Fn(N) -> Option<[N; 2]>,
    test: impl Fn(N, &mut Found<S>),
) -> Found<S> {
    let mut found: Found<S> = None;
    let mut queue = BinaryHeap::new();
    let bounded = |nodes: N| bound(nodes).map(|time| Reverse(Ranked(time, nodes)));
    queue.extend(root.and_then(bounded));
    while let Some(Reverse(Ranked(time, nodes))) = queue.pop() {
        if found.is_some_and(|(first, ..)| time > first.0) {
            break;
        }
        match halves(nodes) {
            Some(halves) => queue.extend(halves.into_iter().filter_map(bounded)),
            None => test(nodes, &mut found),
        }
    }
    found
}

/// Keeps a contact if it is the first so far: the earliest or, of several, the one with the least indices.
fn keep_first<S: Scalar>(found: &mut Found<S>, contact: (Ranked<S, (usize, usize)>, usize, usize)) {
    if found.is_none_or(|first| contact.0 < first.0) {
        *found = Some(contact);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::cell::Cell;
    use core::f64::consts::{FRAC_1_SQRT_2, TAU};
    use core::ops::ControlFlow;

    use glam::{DQuat, DVec3};

    use crate::rigid::Rigid;
    use crate::sphere_tree::SphereTree;
    use crate::sweep::Moving;
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

    #[test]
    fn a_first_contact_needs_under_a_hundredth_of_all_pairs() {
        let sheet: Vec<DVec3> = (0..10_000)
            .map(|i| DVec3::new(f64::from(i / 100), f64::from(i % 100), f64::from(i * 7 % 5)))
            .collect();
        let tree = SphereTree::from_points(&sheet, 0.5);
        // One hits, one stops short, one passes by.
        for (start, by, hits) in [
            (DVec3::new(30.5, 20.5, -50.0), 100.0, true),
            (DVec3::new(30.5, 20.5, -50.0), 44.0, false),
            (DVec3::new(101.0, 0.0, -50.0), 100.0, false),
        ] {
            let moving = Moving::new(
                tree.at(Rigid::from_translation(start)),
                DVec3::new(0.0, 0.0, by),
            );
            let tests = Cell::new(0);
            assert_eq!(moving.contact(&tree, &tests).is_some(), hits);
            let tests = tests.get();
            assert!(tests < 1_000_000, "{tests} of 100000000");
        }
    }
}
