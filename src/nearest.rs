//! The nearest items to a point, ordered by distance, ties by key.

mod best;

use core::cmp::Ordering;

pub(crate) use best::Closest;

use crate::overlap::Extent;
use crate::query::{Hierarchy, ItemTree};
use crate::{Bounded, Distance, Scalar, Vector};

/// An item found by `nearest` or `nearest_n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<K, S> {
    /// The item's index or handle.
    pub item: K,
    /// Its squared distance: what the order is by, exactly.
    pub distance_sq: S,
}

impl<K, S: Scalar> Nearest<K, S> {
    /// Its distance.
    #[must_use]
    pub fn distance(&self) -> S {
        self.distance_sq.sqrt()
    }
}

/// Orders by a distance, then by what it belongs to. No distance here is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
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

type VectorOf<T> = <<T as ItemTree>::Item as Bounded>::Vector;
type ScalarOf<T> = <VectorOf<T> as Vector>::Scalar;

/// What a search in a tree keeps.
type ClosestIn<T> = Closest<ScalarOf<T>, <T as ItemTree>::Key>;

/// Offers items, nodes in the order of their lower bounds, until none can hold a better item.
pub(crate) fn in_hierarchy<T>(tree: &T, from: VectorOf<T>, best: &mut ClosestIn<T>)
where
    T: ItemTree<Item: Distance>,
{
    in_hierarchy_if(tree, from, best, |_| true);
}

/// The same of some items only.
pub(crate) fn in_hierarchy_if<T>(
    tree: &T,
    from: VectorOf<T>,
    best: &mut ClosestIn<T>,
    keep: impl Fn(&T::Item) -> bool,
) where
    T: ItemTree<Item: Distance>,
{
    let center = Vector::of_array(from.array());
    let bound = |extent: &Extent<_>| Some(extent.distance_sq::<T::Item>(center));
    tree.best_first(&bound, &mut |node| {
        for slot in tree.nodes().run(node, false) {
            let item = tree.item(slot);
            if keep(&item) {
                best.offer(item.distance_sq(from), tree.key(slot));
            }
        }
        best.limit_sq()
    });
}
