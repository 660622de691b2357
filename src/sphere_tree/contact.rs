//! Finds the first contact of a tree in motion, best first.
//!
//! A ball touches at the start if the plain predicate says so, or else no sooner than the moving bounds meet. Both
//! tests are made for nodes too, with the margin of `build.rs`. Times of bounds are monotone, so that the time of a
//! node is never later than that of a ball below it.

use alloc::collections::BinaryHeap;
use core::cell::Cell;
use core::cmp::Reverse;

use super::build::widened;
use super::{MovedTree, Node, SphereTree};
use crate::nearest::Ranked;
use crate::query::Hit;
use crate::shape::{Aabb, Bounded, Sphere};
use crate::sweep::{Moving, Sweep};
use crate::vector::{Scalar, Vector};

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

impl<V: Vector> Moving<MovedTree<'_, V>> {
    /// The first contact with another tree, which rests where it was built: the pair of balls, ours first, that touch first; of several,
    /// the least pair. `None` if none touch until the horizon. Where both bodies move, ask with the difference of the displacements.
    ///
    /// Equals the least of [`Sweep::sweep`] over all pairs of balls, ours moved by [`Rigid::sphere`](crate::Rigid::sphere).
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
    ///
    /// ```text
    /// until no nodes are left that may touch before the first contact so far:
    ///     take the nodes with the least bound
    ///     if they have halves: bound and queue these
    ///     if they are leaves: test their balls
    /// ```
    #[doc(hidden)]
    #[must_use]
    pub fn contact(
        &self,
        other: &SphereTree<V>,
        tests: &Cell<u64>,
    ) -> Option<Hit<(usize, usize), V>> {
        let body = self.shape();
        let count = || tests.set(tests.get() + 1);
        let bounded = |(i, j): (usize, usize)| {
            count();
            let time = self.bound_of_nodes(&body.tree.nodes[i], &other.nodes[j])?;
            Some(Reverse(Ranked(time, (i, j))))
        };
        let both = !body.tree.is_empty() && !other.is_empty();
        let mut queue = BinaryHeap::from_iter(both.then_some((0, 0)).and_then(bounded));
        let (mut first, mut slots) = (None, (0, 0));
        while let Some(Reverse(Ranked(time, (i, j)))) = queue.pop() {
            if first.is_some_and(|first: Ranked<_, _>| time > first.0) {
                break;
            }
            if let Some(halves) = body.halves(other, (i, j)) {
                queue.extend(halves.into_iter().filter_map(bounded));
                continue;
            }
            for a in body.tree.run(&body.tree.nodes[i]) {
                let moving = self.ball(a);
                for b in other.run(&other.nodes[j]) {
                    count();
                    if let Some((time, _)) = moving.and_then(|m| m.times(&other.balls[b])) {
                        let rank = Ranked(time, (body.key(a), other.indices[b] as usize));
                        if first.is_none_or(|first| rank < first) {
                            (first, slots) = (Some(rank), (a, b));
                        }
                    }
                }
            }
        }
        let item = first?.1;
        let impact = self.ball(slots.0)?.sweep(&other.balls[slots.1])?;
        Some(Hit { item, impact })
    }

    /// The ball that first touches a ball at rest; of several, the least. `None` if none does until the horizon.
    ///
    /// Equals the least of [`Sweep::sweep`] over all balls, moved by [`Rigid::sphere`](crate::Rigid::sphere).
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
        let bounded = |at: usize| {
            let node = &body.tree.nodes[at];
            // If squares overflow, the test of a ball is true for anything.
            let reach = widened(node.reach + target.radius(), body.slack);
            let time = if (reach * reach).is_finite() {
                self.bound(node, &around)?
            } else {
                V::Scalar::ZERO
            };
            Some(Reverse(Ranked(time, at)))
        };
        let root = (!body.tree.is_empty()).then_some(0);
        let mut queue = BinaryHeap::from_iter(root.and_then(bounded));
        let (mut first, mut slot_of_first) = (None, 0);
        while let Some(Reverse(Ranked(time, at))) = queue.pop() {
            if first.is_some_and(|first: Ranked<_, _>| time > first.0) {
                break;
            }
            let node = &body.tree.nodes[at];
            if !node.is_leaf() {
                queue.extend(node.halves().into_iter().filter_map(bounded));
                continue;
            }
            for slot in body.tree.run(node) {
                if let Some((time, _)) = self.ball(slot).and_then(|m| m.times(target)) {
                    let rank = Ranked(time, body.key(slot));
                    if first.is_none_or(|first| rank < first) {
                        (first, slot_of_first) = (Some(rank), slot);
                    }
                }
            }
        }
        let item = first?.1;
        let impact = self.ball(slot_of_first)?.sweep(target)?;
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
