//! Finds the items of a structure that a moving shape touches: the first, or all.

use alloc::vec::Vec;

use super::{ScalarIn, SpatialIndex};
use crate::nearest::Ranked;
use crate::overlap::Extent;
use crate::sweep::{Impact, Mover, Times};
use crate::vector::{Scalar, Vector};

/// An item touched by a moving shape: what [`sweep`](crate::SpatialIndex::sweep) finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit<K, V: Vector> {
    /// The item's index or handle.
    pub item: K,
    /// When and where it is touched.
    pub impact: Impact<V>,
}

impl<K: Copy + Ord, V: Vector> Hit<K, V> {
    /// The order of hits: by first touch, ties by key.
    pub(crate) fn rank(&self) -> Ranked<V::Scalar, K> {
        Ranked(self.impact.first, self.item)
    }
}

/// The item that is touched first, ties by key, from a lower bound for the times of an extent, the times of an item, and its impact.
/// Nodes come in the order of their bounds, until a bound is after the first hit. Nodes at the same time still count, since ties go by key.
pub(crate) fn first_hit<S: SpatialIndex>(
    index: &S,
    bound: impl Fn(&Extent<S::Vector>) -> Option<ScalarIn<S>>,
    times: impl Fn(&S::Item) -> Option<Times<S::Vector>>,
    sweep: impl Fn(&S::Item) -> Option<Impact<S::Vector>>,
) -> Option<Hit<S::Key, S::Vector>> {
    let mut first = None;
    index.best_first(bound, |run| {
        let part = run.part;
        index.each_item(part, run.slots, |slot, item| {
            if let Some((time, _)) = times(item) {
                let rank = Ranked(time, index.key_at(part, slot));
                if first.is_none_or(|(first, _)| rank < first) {
                    first = Some((rank, (part, slot)));
                }
            }
        });
        first.map_or(Scalar::INFINITY, |(first, _)| first.0)
    });
    let (Ranked(_, item), (part, slot)) = first?;
    let mut impact = None;
    index.each_item(part, slot..slot + 1, |_, item| impact = sweep(item));
    let impact = impact?;
    Some(Hit { item, impact })
}

/// All items that are touched, by first touch, ties by key.
pub(super) fn all<S: SpatialIndex, M: Mover<S::Item>>(
    index: &S,
    mover: &M,
) -> Vec<Hit<S::Key, S::Vector>> {
    let mut hits = Vec::new();
    let mut walk = S::Walk::default();
    while let Some(run) = index.next_run(mover, &mut walk) {
        let part = run.part;
        index.each_item(part, run.slots, |slot, item| {
            hits.extend(mover.sweep(item).map(|impact| {
                let item = index.key_at(part, slot);
                Hit { item, impact }
            }));
        });
    }
    hits.sort_unstable_by_key(Hit::rank);
    hits
}
