//! The nearest items to a point, ordered by distance, ties by key.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use crate::query::Hierarchy;
use crate::{Bounded, Distance, Scalar, Vector};

/// An item found by `nearest` or `nearest_n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor<K, S> {
    /// The item's index or handle.
    pub item: K,
    /// Its squared distance: what the order is by, exactly.
    pub distance_sq: S,
}

impl<K, S: Scalar> Neighbor<K, S> {
    /// Its distance.
    #[must_use]
    pub fn distance(&self) -> S {
        self.distance_sq.sqrt()
    }
}

/// Orders by a distance, then by what it belongs to. No distance here is NaN.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Ranked<S, K>(pub(crate) S, pub(crate) K);

impl<S: Scalar, K: Ord> Eq for Ranked<S, K> {}

impl<S: Scalar, K: Ord> PartialOrd for Ranked<S, K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<S: Scalar, K: Ord> Ord for Ranked<S, K> {
    fn cmp(&self, other: &Self) -> Ordering {
        let distance = self.0.partial_cmp(&other.0).unwrap_or(Ordering::Equal);
        distance.then_with(|| self.1.cmp(&other.1))
    }
}

/// The best `n` so far, the worst of them on top.
pub(crate) struct Best<S, K> {
    n: usize,
    heap: BinaryHeap<Ranked<S, K>>,
}

impl<S: Scalar, K: Ord + Copy> Best<S, K> {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            heap: BinaryHeap::new(),
        }
    }

    /// Whether nothing at this distance or beyond can still get in. An equal distance can, since
    /// ties go by key.
    pub(crate) fn excludes(&self, distance_sq: S) -> bool {
        self.heap.len() >= self.n && self.heap.peek().is_none_or(|worst| distance_sq > worst.0)
    }

    pub(crate) fn offer(&mut self, distance_sq: S, key: K) {
        let found = Ranked(distance_sq, key);
        if self.heap.len() < self.n {
            self.heap.push(found);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && found < *worst
        {
            *worst = found;
        }
    }

    pub(crate) fn into_sorted(self) -> Vec<Neighbor<K, S>> {
        let sorted = self.heap.into_sorted_vec().into_iter();
        sorted
            .map(|Ranked(distance_sq, item)| Neighbor { item, distance_sq })
            .collect()
    }
}

type VectorOf<H> = <<H as Hierarchy>::Item as Bounded>::Vector;
type ScalarOf<H> = <VectorOf<H> as Vector>::Scalar;

/// Best first: nodes in the order of their lower bounds, until none can hold a better item.
pub(crate) fn in_hierarchy<H>(
    tree: &H,
    from: VectorOf<H>,
    n: usize,
) -> Vec<Neighbor<H::Key, ScalarOf<H>>>
where
    H: Hierarchy,
    H::Item: Distance,
{
    let mut best = Best::new(n);
    let bound = |node| tree.extent(node).distance_sq::<H::Item>(from);
    let mut queue = BinaryHeap::new();
    if n > 0 && from.non_finite_axis().is_none() {
        queue.extend(tree.root().map(|root| Reverse(Ranked(bound(root), root))));
    }
    while let Some(Reverse(Ranked(near, node))) = queue.pop() {
        if best.excludes(near) {
            break;
        }
        for slot in tree.run(node, false) {
            best.offer(tree.item(slot).distance_sq(from), tree.key(slot));
        }
        for child in tree.children(node, false) {
            let near = bound(child);
            if !best.excludes(near) {
                queue.push(Reverse(Ranked(near, child)));
            }
        }
    }
    best.into_sorted()
}

/// Stamps `nearest` and `nearest_n`; `|structure, from, n| found`.
macro_rules! nearest {
    (
        impl[$($g:tt)*] $structure:ty, vector = $v:ty, key = $key:ty,
        |$this:ident, $from:ident, $n:ident| $found:expr
    ) => {
        impl<$($g)*> $structure {
            /// The item nearest to a point; of several, that with the least key. `None` in an empty
            /// structure, and for a point that is not finite.
            ///
            /// # Complexity
            ///
            /// O(log n) for points that are not all equally far, O(n) for a scan.
            #[must_use]
            pub fn nearest(
                &self,
                point: $v,
            ) -> Option<$crate::Neighbor<$key, <$v as $crate::Vector>::Scalar>> {
                self.nearest_n(point, 1).pop()
            }

            /// The `n` items nearest to a point, by distance, ties by key; all where there are
            /// fewer, none for a point that is not finite.
            #[must_use]
            pub fn nearest_n(
                &self,
                point: $v,
                n: usize,
            ) -> alloc::vec::Vec<$crate::Neighbor<$key, <$v as $crate::Vector>::Scalar>> {
                let ($this, $from, $n) = (self, point, n);
                $found
            }
        }
    };
}
pub(crate) use nearest;
