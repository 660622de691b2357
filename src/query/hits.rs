//! What a moving shape touches of the items of a structure: the first, or all.

use alloc::vec::Vec;

use super::search::Walk;
use super::tree::{Hierarchy, ItemTree, TreeWalk};
use crate::nearest::Ranked;
use crate::shape::Bounded;
use crate::sweep::{Impact, Mover};
use crate::vector::{Scalar, Vector};

/// An item touched by a moving shape: what [`sweep`](crate::SpatialIndex::sweep) finds.
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
pub(crate) fn all_in_walk<W, V>(
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

/// The item of a tree that is touched first. Best first: nodes in the order in which they can be touched,
/// until none can be touched before what was found.
pub(crate) fn first_in_tree<T, M>(tree: &T, mover: &M) -> Option<Hit<T::Key, VectorOf<T>>>
where
    T: ItemTree,
    M: Mover<T::Item>,
{
    let search = |first: &mut First<_, _>| {
        tree.best_first(&|extent| mover.bound(&extent.cast()), &mut |node| {
            let slots = tree.nodes().run(node, false);
            for slot in slots.filter(|&slot| tree.is_item(slot)) {
                if let Some((time, _)) = mover.times(&tree.item(slot)) {
                    first.offer(time, tree.key(slot), slot);
                }
            }
            first.limit()
        });
    };
    first_of(search, |slot| mover.sweep(&tree.item(slot)))
}

/// All items of a tree that are touched.
pub(crate) fn all_in_tree<T, M>(tree: &T, mover: &M) -> Vec<Hit<T::Key, VectorOf<T>>>
where
    T: ItemTree,
    M: Mover<T::Item>,
{
    let walk = TreeWalk::new(tree, mover);
    all_in_walk(walk, |slot| {
        let item = tree.is_item(slot).then(|| tree.item(slot))?;
        mover.sweep(&item)
    })
}
