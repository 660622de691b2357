//! The nearest items to a point, ordered by distance, ties by key.

mod few;
mod lists;

use alloc::vec::Vec;
use core::cmp::Ordering;

pub(crate) use few::{FEW, Few};
pub use lists::NearestLists;
pub(crate) use lists::Rows;

use crate::vector::Scalar;

/// An item found by `nearest` or `nearest_n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<K, S> {
    /// The item's index or handle.
    pub item: K,
    /// Its squared distance, by which items are ordered and with which squared radii are compared.
    pub distance_sq: S,
}

impl<K, S: Scalar> Nearest<K, S> {
    /// Its distance, the rounded root. A ball of this radius may miss the item by a rounding error; one of the [`radius`](Self::radius)
    /// does not.
    #[must_use]
    pub fn distance(&self) -> S {
        self.distance_sq.sqrt()
    }

    /// The least radius that reaches it: a ball of this radius around the point overlaps the item, and
    /// `nearest_n_within` finds it. It is the [`distance`](Self::distance) or the next number after it, unless squares
    /// vanish: see [distances and radii](crate::guide::precision#distances-and-radii).
    ///
    /// ```
    /// use orthant::{Octree, Sphere, glam::Vec3};
    /// let (tree, p) = (Octree::new(&[Vec3::new(1.0, 1.0, 0.0)]), Vec3::ZERO);
    /// let near = tree.nearest(p).unwrap();
    /// assert_eq!(tree.count(Sphere::new(p, near.distance())), 0); // its square is less than 2
    /// assert_eq!(tree.count(Sphere::new(p, near.radius())), 1);
    /// ```
    #[must_use]
    pub fn radius(&self) -> S {
        self.distance_sq.to_radius()
    }
}

/// A distance and a key, ordered by distance, then by key. NaN comes last, since sorting needs a total order; only unchecked items of a
/// [`SavedOrthtree`](crate::SavedOrthtree) can have such a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked<S, K>(pub(crate) S, pub(crate) K);

impl<S: Scalar, K: Ord> Eq for Ranked<S, K> {}

impl<S: Scalar, K: Ord> PartialOrd for Ranked<S, K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Scalar, K: Ord> Ord for Ranked<S, K> {
    fn cmp(&self, other: &Self) -> Ordering {
        let is_nan = |distance: S| distance.partial_cmp(&distance).is_none();
        let order = self.0.partial_cmp(&other.0);
        let order = order.unwrap_or_else(|| is_nan(self.0).cmp(&is_nan(other.0)));
        order.then_with(|| self.1.cmp(&other.1))
    }
}

/// The largest number of items for which memory is reserved in advance, since `n` may be any number.
const AT_ONCE: usize = 1 << 10;

/// The nearest items so far, within a limit.
#[derive(Debug)]
pub struct Closest<S, K> {
    n: usize,
    /// The squared distance beyond which no item is taken. An item at this distance may be taken, since ties go by key.
    limit_sq: S,
    /// The nearest item, if `n` is 1.
    first: Option<Nearest<K, S>>,
    /// The nearest items, if `n` is larger: in order if it is at most [`FEW`]; otherwise up to `2 n` items, of which the farther half is then
    /// dropped.
    list: Vec<Nearest<K, S>>,
    /// The length at which the list is halved.
    room: usize,
}

impl<S: Scalar, K: Ord + Copy> Closest<S, K> {
    /// Keeps the nearest `n` items within a limit; `n` is not 0.
    pub(crate) fn new(n: usize, limit_sq: S) -> Self {
        Self {
            n,
            limit_sq,
            first: None,
            list: Vec::with_capacity(if n == 1 { 0 } else { n.min(AT_ONCE) }),
            room: n,
        }
    }

    /// Returns the nearest item, if one was wanted.
    pub(crate) fn found(self) -> Option<Nearest<K, S>> {
        // Copy field by field: one wide load would stall on the narrow stores before it.
        let Nearest { item, distance_sq } = self.first?;
        Some(Nearest { item, distance_sq })
    }

    /// Returns the items that were found, in their order.
    pub(crate) fn found_all(mut self) -> Vec<Nearest<K, S>> {
        if self.n > FEW {
            if self.list.len() > self.n {
                self.halve();
            }
            self.list.sort_unstable_by(order);
        }
        self.list.extend(self.first);
        self.list
    }

    /// The squared distance beyond which no item is taken.
    #[inline(always)]
    pub(crate) fn limit_sq(&self) -> S {
        self.limit_sq
    }

    /// Takes an item if it is among the nearest so far.
    #[inline(always)]
    pub(crate) fn offer(&mut self, distance_sq: S, item: K) {
        if distance_sq > self.limit_sq {
            return;
        }
        let found = Nearest { item, distance_sq };
        if self.n == 1 {
            if self.first.is_none_or(|first| is_before(&found, &first)) {
                self.limit_sq = distance_sq;
                self.first = Some(found);
            }
        } else if self.n <= FEW {
            self.insert(found);
        } else {
            self.list.push(found);
            if self.list.len() >= self.room {
                self.halve();
            }
        }
    }

    /// The number of items that are wanted, if it is at most [`FEW`].
    #[inline(always)]
    pub(crate) fn few(&self) -> Option<usize> {
        (self.n <= FEW).then_some(self.n)
    }

    /// Lets a search offer slots in place of keys. No item may have been offered before.
    #[inline(never)]
    pub(crate) fn by_slot(
        &mut self,
        key: impl Fn(u32) -> K,
        search: impl FnOnce(&mut Closest<S, u32>),
    ) {
        debug_assert!(self.first.is_none() && self.list.is_empty());
        let mut best = Closest::new(self.n, self.limit_sq);
        search(&mut best);
        let keyed = |Nearest { item, distance_sq }| Nearest {
            item: key(item),
            distance_sq,
        };
        self.limit_sq = best.limit_sq;
        self.first = best.first.map(keyed);
        self.list.extend(best.list.into_iter().map(keyed));
    }

    #[inline(always)]
    fn insert(&mut self, found: Nearest<K, S>) {
        let list = &mut self.list;
        if list.len() < self.n {
            list.push(found);
        } else if !is_before(&found, &list[self.n - 1]) {
            return;
        }
        let mut at = list.len() - 1;
        while at > 0 && is_before(&found, &list[at - 1]) {
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = found;
        if list.len() == self.n {
            self.limit_sq = list[self.n - 1].distance_sq;
        }
    }

    /// Drops all but the nearest `n`.
    #[cold]
    #[inline(never)]
    fn halve(&mut self) {
        let (_, worst, _) = self.list.select_nth_unstable_by(self.n - 1, order);
        self.limit_sq = worst.distance_sq;
        self.list.truncate(self.n);
        self.room = self.n.saturating_mul(2);
    }
}

/// The order of items as a plain comparison, without a rule for NaN: it takes most of the time.
#[inline(always)]
fn is_before<S: Scalar, K: Ord>(a: &Nearest<K, S>, b: &Nearest<K, S>) -> bool {
    a.distance_sq < b.distance_sq || a.distance_sq == b.distance_sq && a.item < b.item
}

fn order<S: Scalar, K: Ord + Copy>(a: &Nearest<K, S>, b: &Nearest<K, S>) -> Ordering {
    Ranked(a.distance_sq, a.item).cmp(&Ranked(b.distance_sq, b.item))
}
