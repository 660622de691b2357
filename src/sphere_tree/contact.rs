//! Finds the first contact of a body in motion, best first.
//!
//! A ball touches at the start if the plain predicate says so, or else no sooner than the moving bounds meet. Both
//! tests are made for nodes too. Times of bounds are monotone, so that the time of a node is never later than that of a
//! ball below it.

use alloc::collections::BinaryHeap;
use core::cell::Cell;
use core::cmp::Reverse;

use super::pairs::{Pair, are_apart, balls};
use super::{MovedTree, SphereTree};
use crate::nearest::Ranked;
use crate::overlap::Extent;
use crate::query::{Hit, first_hit};
use crate::shape::{Aabb, Bounded, Sphere};
use crate::sweep::{Moving, Sweep};
use crate::vector::{Scalar, Vector};

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
    ///     if one has children: bound the pairs with them, and queue these
    ///     if both are leaves: test their balls
    /// ```
    #[doc(hidden)]
    #[must_use]
    pub fn contact(
        &self,
        other: &SphereTree<V>,
        tests: &Cell<u64>,
    ) -> Option<Hit<(usize, usize), V>> {
        let body = self.shape();
        let bound = |ours: &Extent<V>, theirs: &Extent<V>| {
            tests.set(tests.get() + 1);
            self.bound(ours, theirs)
        };
        let ranked = |nodes: Pair| {
            let [ours, theirs] = body.extents(other, nodes);
            Some(Reverse(Ranked(bound(&ours, &theirs)?, nodes)))
        };
        let mut queue = BinaryHeap::from_iter(body.roots(other).and_then(ranked));
        let mut limit = V::Scalar::INFINITY;
        let mut first: Option<(Ranked<_, _>, _, _)> = None;
        while let Some(Reverse(Ranked(time, nodes))) = queue.pop() {
            if time > limit {
                break;
            }
            let extents = body.extents(other, nodes);
            let below = body.below(other, nodes, &extents);
            if !below.is_empty() {
                let pairs = below.into_iter().filter_map(ranked);
                queue.extend(pairs.filter(|pair| pair.0.0 <= limit));
                continue;
            }
            for (a, ball) in body.leaf(nodes.0) {
                // Leave out a ball that touches nothing of the other leaf in time.
                let Some(moving) = self.moving(&ball) else {
                    continue;
                };
                if bound(&Extent::of(&ball), &extents[1]).is_none_or(|time| time > limit) {
                    continue;
                }
                for (b, target) in balls(other, nodes.1) {
                    tests.set(tests.get() + 1);
                    let Some((time, _)) = moving.times(&target) else {
                        continue;
                    };
                    let rank = Ranked(time, (a, b));
                    if first.is_none_or(|(first, ..)| rank < first) {
                        (limit, first) = (time, Some((rank, moving, target)));
                    }
                }
            }
        }
        let (Ranked(_, item), moving, target) = first?;
        let impact = moving.sweep(&target)?;
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
        let around = Extent::of(target);
        first_hit(
            self.shape(),
            |extent| self.bound(extent, &around),
            |ball| self.moving(ball)?.times(target),
            |ball| self.moving(ball)?.sweep(target),
        )
    }

    /// One of the body's balls in motion.
    fn moving(&self, ball: &Sphere<V>) -> Option<Moving<Sphere<V>>> {
        let moving = Moving::try_new(*ball, self.displacement()).ok()?;
        moving.try_until(self.horizon()).ok()
    }

    /// A time before which no ball of ours touches an item of theirs, by the extents of both; `None` if none ever does.
    fn bound(&self, ours: &Extent<V>, theirs: &Extent<V>) -> Option<V::Scalar> {
        if !are_apart(ours, theirs) {
            return Some(V::Scalar::ZERO);
        }
        let ours = ours.core.grown(ours.most);
        Moving::made(ours, self.displacement(), self.horizon())
            .entry(&theirs.core.grown(theirs.most))
    }
}
