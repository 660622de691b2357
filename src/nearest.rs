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

/// Stamps `nearest` and its like; `|structure, from, best|` offers `best` the items that may be better
/// than its worst.
macro_rules! nearest {
    (
        impl[$($g:tt)*] $structure:ty, vector = $v:ty, key = $key:ty,
        |$this:ident, $from:ident, $best:ident| $search:expr
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
            ) -> Option<$crate::Nearest<$key, <$v as $crate::Vector>::Scalar>> {
                let ($this, $from) = (self, point);
                if $crate::Vector::non_finite_axis(point).is_some() {
                    return None;
                }
                let mut best = $crate::nearest::Closest::one();
                let $best = &mut best;
                $search;
                best.found()
            }

            /// The `n` items nearest to a point, by distance, ties by key; all where there are
            /// fewer, none for a point that is not finite.
            #[must_use]
            pub fn nearest_n(
                &self,
                point: $v,
                n: usize,
            ) -> alloc::vec::Vec<$crate::Nearest<$key, <$v as $crate::Vector>::Scalar>> {
                self.nearest_n_within(point, n, $crate::Scalar::INFINITY)
            }

            /// Of the items within a radius of a point, the `n` nearest, by distance, ties by key;
            /// all where there are fewer. Within is what has a
            /// [`distance_sq`](crate::Nearest::distance_sq) of at most `radius * radius`.
            ///
            /// An infinite radius takes all; a negative or NaN radius finds nothing, and nor does a
            /// point that is not finite.
            ///
            /// ```
            /// use orthant::{Octree, glam::Vec3};
            /// let tree = Octree::new(&[Vec3::ONE, Vec3::Y, Vec3::X]);
            /// let near = tree.nearest_n_within(Vec3::ZERO, 3, 1.0);
            /// // Both are just as far.
            /// assert_eq!(near.iter().map(|n| n.item).collect::<Vec<_>>(), [1, 2]);
            /// assert_eq!(tree.nearest_n_within(Vec3::ZERO, 1, 1.0), near[..1]);
            /// ```
            ///
            /// # Complexity
            ///
            /// That of [`nearest_n`](Self::nearest_n), or of a query where it is less.
            #[must_use]
            pub fn nearest_n_within(
                &self,
                point: $v,
                n: usize,
                radius: <$v as $crate::Vector>::Scalar,
            ) -> alloc::vec::Vec<$crate::Nearest<$key, <$v as $crate::Vector>::Scalar>> {
                let ($this, $from) = (self, point);
                let finite = $crate::Vector::non_finite_axis(point).is_none();
                let reaches = radius >= $crate::Scalar::ZERO;
                if n == 0 || !finite || !reaches {
                    return alloc::vec::Vec::new();
                }
                let mut best =
                    $crate::nearest::Closest::several(n, self.len(), radius * radius);
                let $best = &mut best;
                $search;
                best.found_all()
            }
        }
    };
}
pub(crate) use nearest;
