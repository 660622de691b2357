//! A tree in motion: the first contact, best first.
//!
//! A ball touches at the start by the plain predicate, or not before the moving bounds meet; both
//! are asked of nodes with the margin of `margin.rs`. Times of bounds are monotone, so that no node
//! is told a later time than any ball below it.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;

use super::{MovedTree, Node, SphereTree, margin};
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
            Aabb::point(center).grown(margin::widened(root.reach, self.slack))
        };
        let nowhere = Aabb::point(self.motion.translation());
        self.tree.nodes.first().map_or(nowhere, whole)
    }
}

/// The first contact so far: its time and names, and the slots of the two.
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
        self.contact(other, &mut 0)
    }

    /// The same, which counts the tests of nodes and balls.
    fn contact(&self, other: &SphereTree<V>, tests: &mut u64) -> Option<Hit<(usize, usize), V>> {
        let body = self.shape();
        let mut found: Found<V::Scalar> = None;
        let mut queue = BinaryHeap::new();
        let mut offer =
            |queue: &mut BinaryHeap<_>, found: &Found<V::Scalar>, i: usize, j: usize| {
                *tests += 1;
                let (ours, theirs) = (&body.tree.nodes[i], &other.nodes[j]);
                let bound = self.bound_of_nodes(ours, theirs);
                if let Some(bound) = bound.filter(|&b| !excludes(found, b)) {
                    queue.push(Reverse(Ranked(bound, (i, j))));
                }
            };
        if !body.tree.is_empty() && !other.is_empty() {
            offer(&mut queue, &found, 0, 0);
        }
        let mut asked = 0;
        while let Some(Reverse(Ranked(bound, (i, j)))) = queue.pop() {
            if excludes(&found, bound) {
                break;
            }
            let (ours, theirs) = (&body.tree.nodes[i], &other.nodes[j]);
            if ours.before(theirs) {
                for half in ours.halves() {
                    offer(&mut queue, &found, half, j);
                }
            } else if !theirs.is_leaf() {
                for half in theirs.halves() {
                    offer(&mut queue, &found, i, half);
                }
            } else {
                for a in body.tree.run(ours) {
                    let moving = self.ball(a);
                    for b in other.run(theirs) {
                        asked += 1;
                        let times = moving.and_then(|m| m.times(&other.balls[b]));
                        if let Some((first, _)) = times {
                            let rank = Ranked(first, (body.key(a), other.indices[b] as usize));
                            if found.is_none_or(|f| rank < f.0) {
                                found = Some((rank, a, b));
                            }
                        }
                    }
                }
            }
        }
        *tests += asked;
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

    /// The ball that first touches a box at rest; as [`first_touch`](Self::first_touch).
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
        let by = margin::widened(target.radius(), V::Scalar::ZERO);
        let around = target.core().grown(by);
        let mut found: Found<V::Scalar> = None;
        let mut queue = BinaryHeap::new();
        let bound = |at: usize| {
            let node = &body.tree.nodes[at];
            // Where squares of the ball's test overflow, it holds of anything.
            let reach = margin::widened(node.reach + target.radius(), body.slack);
            if (reach * reach).is_finite() {
                self.bound(node, &around)
            } else {
                Some(V::Scalar::ZERO)
            }
        };
        if !body.tree.is_empty() {
            queue.extend(bound(0).map(|b| Reverse(Ranked(b, 0))));
        }
        while let Some(Reverse(Ranked(time, at))) = queue.pop() {
            if excludes(&found, time) {
                break;
            }
            let node = &body.tree.nodes[at];
            if !node.is_leaf() {
                let halves = node.halves().into_iter();
                let asked = halves.filter_map(|half| bound(half).map(|b| (b, half)));
                queue.extend(asked.map(|(b, half)| Reverse(Ranked(b, half))));
                continue;
            }
            for slot in body.tree.run(node) {
                if let Some((first, _)) = self.ball(slot).and_then(|m| m.times(target)) {
                    let rank = Ranked(first, (body.key(slot), 0));
                    if found.is_none_or(|f| rank < f.0) {
                        found = Some((rank, slot, 0));
                    }
                }
            }
        }
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
        let by = margin::widened(theirs.reach, V::Scalar::ZERO);
        self.bound(ours, &Aabb::point(theirs.center).grown(by))
    }

    /// A time before which no ball below a node meets what lies in a box.
    fn bound(&self, ours: &Node<V>, around: &Aabb<V>) -> Option<V::Scalar> {
        let body = self.shape();
        let center = body.motion.point(ours.center);
        let by = margin::widened(ours.reach, body.slack);
        let moving = Moving::try_new(Aabb::point(center).grown(by), self.displacement())
            .and_then(|m| m.try_until(self.horizon()));
        match moving {
            Ok(moving) if by.is_finite() => moving.entry(around),
            _ => Some(V::Scalar::ZERO),
        }
    }
}

/// Whether nothing at this time or later comes before what was found.
fn excludes<S: Scalar>(found: &Found<S>, time: S) -> bool {
    found.is_some_and(|(first, ..)| time > first.0)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use glam::DVec3;

    use crate::rigid::Rigid;
    use crate::sphere_tree::SphereTree;
    use crate::sweep::Moving;

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
            let mut tests = 0;
            assert_eq!(moving.contact(&tree, &mut tests).is_some(), hits);
            assert!(tests < 1_000_000, "{tests} of 100000000");
        }
    }
}
