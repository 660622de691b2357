//! Structures asked by a moving shape.

use alloc::vec::Vec;

use super::Impact;
use crate::nearest::Ranked;
use crate::overlap::Extent;
use crate::query::{Hierarchy, ItemTree, Walk};
use crate::{Bounded, Scalar, Vector};

/// An item touched by a moving shape: what `sweep` of a structure finds.
///
/// ```
/// use orthant::{Moving, Octree, Sphere, glam::Vec3};
/// let tree = Octree::new(&[Vec3::X * 9.0, Vec3::X * 5.0, Vec3::Y * 5.0]);
/// let ball = Moving::new(Sphere::new(Vec3::ZERO, 1.0), Vec3::X * 8.0);
/// let hit = tree.sweep(ball).unwrap();
/// assert_eq!((hit.item, hit.impact.first), (1, 0.5));
/// assert_eq!(tree.sweep_all(ball).len(), 2); // the other at time 1: touching counts
/// assert_eq!(tree.count(ball), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<K, V: Vector> {
    /// The item's index or handle.
    pub item: K,
    /// When and where.
    pub impact: Impact<V>,
}

impl<K: Copy + Ord, V: Vector> Hit<K, V> {
    /// What hits are ordered by.
    pub(crate) fn rank(&self) -> Ranked<V::Scalar, K> {
        Ranked(self.impact.first, self.item)
    }
}

impl<K, V: Vector> Hit<K, V> {
    /// The same in other vectors.
    pub(crate) fn cast<U>(self) -> Hit<K, U>
    where
        U: Vector<Array = V::Array, Scalar = V::Scalar>,
    {
        Hit {
            item: self.item,
            impact: self.impact.cast(),
        }
    }
}

/// All items of a walk that are touched, by first touch, ties by key.
pub(crate) fn all<W, V>(
    mut walk: W,
    impact: impl Fn(u32) -> Option<Impact<V>>,
) -> Vec<Hit<W::Key, V>>
where
    W: Walk,
    W::Key: Copy + Ord,
    V: Vector,
{
    let mut hits = Vec::new();
    while let Some((run, _)) = walk.next_run() {
        for slot in run {
            let item = walk.key(slot);
            hits.extend(impact(slot).map(|impact| Hit { item, impact }));
        }
    }
    hits.sort_unstable_by_key(Hit::rank);
    hits
}

/// The first touch so far: its time and key, and the slot.
#[derive(Debug)]
pub struct First<S, K> {
    found: Option<(Ranked<S, K>, u32)>,
}

impl<S: Scalar, K: Copy + Ord> First<S, K> {
    /// The time after which nothing can come before it. At that time something can, since ties go by
    /// key.
    fn limit(&self) -> S {
        self.found.map_or(S::INFINITY, |(first, _)| first.0)
    }

    /// Whether nothing at this time or later can come before it.
    pub(crate) fn excludes(&self, time: S) -> bool {
        time > self.limit()
    }

    pub(crate) fn offer(&mut self, time: S, key: K, slot: u32) {
        let rank = Ranked(time, key);
        if self.found.is_none_or(|(first, _)| rank < first) {
            self.found = Some((rank, slot));
        }
    }
}

/// Fills a [`First`], then asks the winner when and where.
pub(crate) fn first_of<V: Vector, K: Copy + Ord>(
    fill: impl FnOnce(&mut First<V::Scalar, K>),
    impact: impl Fn(u32) -> Option<Impact<V>>,
) -> Option<Hit<K, V>> {
    let mut first = First { found: None };
    fill(&mut first);
    let (Ranked(_, item), slot) = first.found?;
    impact(slot).map(|impact| Hit { item, impact })
}

type VectorOf<T> = <<T as ItemTree>::Item as Bounded>::Vector;
type ScalarOf<T> = <VectorOf<T> as Vector>::Scalar;

/// Best first: nodes in the order in which they can be touched, until none can be touched before
/// what was found. `bound` is `None` for nodes that are passed by.
pub(crate) fn first_in_hierarchy<T: ItemTree>(
    tree: &T,
    bound: impl Fn(&Extent<VectorOf<T>>) -> Option<ScalarOf<T>>,
    time: impl Fn(&T::Item) -> Option<ScalarOf<T>>,
    first: &mut First<ScalarOf<T>, T::Key>,
) {
    tree.best_first(&|extent| bound(&extent.cast()), &mut |node| {
        for slot in tree.nodes().run(node, false) {
            if let Some(time) = time(&tree.item(slot)) {
                first.offer(time, tree.key(slot), slot);
            }
        }
        first.limit()
    });
}

/// Stamps `sweep` and `sweep_all`: how to walk, when and where an item in a slot is touched, and how
/// to fill a [`First`]; and, where not all items count, which do.
macro_rules! sweeps {
    (
        impl[$($g:tt)*] $structure:ty, vector = $v:ty, item = $t:ty, key = $key:ty,
        |$this:ident, $moving:ident| walk = $walk:expr,
        item = |$slot:ident| $item:expr,
        first = |$first:ident| $fill:expr
        $(, where = |$place:ident| $keep:expr)?
    ) => {
        impl<$($g)*> $structure {
            /// The item that a moving shape touches first; of several, that with the least key.
            /// `None` if it touches nothing until its horizon. All that it touches, without times:
            /// `query`.
            ///
            /// What moves is a sphere or box with its displacement:
            /// `sweep(Moving::new(sphere, displacement))`. The items are what it can meet (see
            /// [`Sweep`]($crate::Sweep)): points, spheres and boxes, no hollow shapes.
            ///
            /// # Complexity
            ///
            /// O(log n + items about the path up to the hit), O(n) for a scan.
            #[must_use]
            pub fn sweep<S>(&self, moving: $crate::Moving<S>) -> Option<$crate::Hit<$key, $v>>
            where
                S: $crate::Bounded<Vector = $v>
                    + $crate::Region<Vector = $v>
                    + $crate::Overlaps<$t>,
                $crate::Moving<S>: $crate::Sweep<$t, Vector = $v>,
            {
                let ($this, $moving) = (self, &moving);
                $crate::sweep::first_of(
                    |$first| $fill,
                    |$slot: u32| $crate::Sweep::sweep($moving, $item),
                )
            }

            /// All items that a moving shape touches, with time and place, by first touch, ties by
            /// key.
            #[must_use]
            pub fn sweep_all<S>(
                &self,
                moving: $crate::Moving<S>,
            ) -> alloc::vec::Vec<$crate::Hit<$key, $v>>
            where
                S: $crate::Bounded<Vector = $v>
                    + $crate::Region<Vector = $v>
                    + $crate::Overlaps<$t>,
                $crate::Moving<S>: $crate::Sweep<$t, Vector = $v>,
            {
                let ($this, $moving) = (self, &moving);
                $crate::sweep::all($walk, |$slot: u32| {
                    $(
                        let $place = $slot;
                        if !$keep {
                            return None;
                        }
                    )?
                    $crate::Sweep::sweep($moving, $item)
                })
            }
        }
    };
}
pub(crate) use sweeps;
