//! Joins core points that are near each other: those of cliques at once, then leaf by leaf.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::leaf_view::LeafView;
use super::{Clusters, MIXED, NONE};
use crate::bits::set_bits;
use crate::orthtree::neighbors::descent::Found;
use crate::overlap::distance::point_sq;
use crate::query::Hierarchy;
use crate::simd::LANES;
use crate::vector::Vector;

/// Joins the core points that are within the radius of each other.
#[inline(always)]
pub(super) fn join_leaves<A: Vector, S: Simd>(simd: S, work: &mut Clusters<'_, A>) {
    let mut found = Found::default();
    // Visit each pair once: in the home image from the later leaf, in other images only towards the upper end of the box.
    let shifts = work.shifts.iter().filter(|shift| !shift.is_lower);
    for offset in core::iter::once(None).chain(shifts.map(|shift| Some(shift.offset))) {
        for leaf in 0..work.cores.len() as u32 {
            if work.known[leaf as usize] != NONE {
                join_leaf(simd, work, &mut found, leaf, offset);
            }
        }
    }
}

/// Joins the core points of a leaf with each other and with those of earlier leaves; in another image, with those of all leaves.
#[inline(always)]
fn join_leaf<A: Vector, S: Simd>(
    simd: S,
    work: &mut Clusters<'_, A>,
    found: &mut Found,
    leaf: u32,
    offset: Option<A>,
) {
    let view = LeafView::new(simd, work, leaf, offset);
    let slots = work.slots(leaf);
    // Join the points of the leaf itself first, so that it becomes one set if possible.
    if work.known[leaf as usize] == MIXED && offset.is_none() {
        join_two(work, &view, leaf, leaf);
        work.update_known(leaf);
    }
    view.descend(found, usize::MAX, |node, first| {
        let is_later = offset.is_none() && first >= slots.start;
        is_later || work.known[node as usize] == NONE || work.are_joined(leaf, node)
    });
    // All points of these nodes are near all points of the leaf: both become one set.
    for &node in &found.whole {
        let Some(first) = work.first_core(slots.clone()) else {
            return;
        };
        work.join_run(first, slots.clone());
        work.known[leaf as usize] = first;
        match work.known[node as usize] {
            MIXED => work.join_run(first, work.tree.slots_below(node)),
            other => work.forest.join(first, other),
        }
        work.known[node as usize] = first;
    }
    // Compare the points of the other leaves.
    for &other in &found.leaves {
        if !work.are_joined(leaf, other) {
            join_two(work, &view, leaf, other);
        }
    }
    work.update_known(leaf);
}

/// Joins the core points of a leaf with those of another one, or with each other.
#[inline(always)]
fn join_two<A: Vector, S: Simd>(
    work: &mut Clusters<'_, A>,
    view: &LeafView<'_, A, S>,
    leaf: u32,
    other: u32,
) {
    let (known, there) = (work.known[leaf as usize], work.known[other as usize]);
    let Clusters { cores, forest, .. } = work;
    view.compare(
        cores[leaf as usize],
        other,
        cores[other as usize],
        #[inline(always)]
        |lane, near| {
            let slot = leaf * LANES as u32 + lane as u32;
            for lane in set_bits(near.bits(view.simd)) {
                forest.join(slot, other * LANES as u32 + lane as u32);
                // One pair is enough for a point if the other leaf is one set, and for all points if this leaf is one too.
                if there < MIXED {
                    return known >= MIXED;
                }
            }
            true
        },
    );
}

impl<A: Vector> Clusters<'_, A> {
    /// Joins the core points of a run with the core point `first`.
    fn join_run(&mut self, first: u32, slots: Range<u32>) {
        for slot in slots {
            if self.is_core(slot) {
                self.forest.join(first, slot);
            }
        }
    }

    /// Joins the core points of each clique, and sets `known` of each node.
    pub(super) fn join_cliques(&mut self) {
        let tree = self.tree;
        let mut waiting: Vec<(u32, bool)> =
            tree.root().map(|root| (root, false)).into_iter().collect();
        while let Some((node, is_joined)) = waiting.pop() {
            let slots = tree.slots_below(node);
            let Some(first) = self.first_core(slots.clone()) else {
                continue;
            };
            let cell = tree.extent(node).core;
            let is_clique = is_joined || point_sq(&cell.min(), cell.max()) <= self.limit;
            if is_clique && !is_joined {
                self.join_run(first, slots);
            }
            self.known[node as usize] = if is_clique { first } else { MIXED };
            waiting.extend(tree.children(node, false).map(|node| (node, is_clique)));
        }
    }

    /// Updates `known` of a leaf if its core points have become one set.
    fn update_known(&mut self, leaf: u32) {
        if self.known[leaf as usize] != MIXED {
            return;
        }
        let mut first = NONE;
        for slot in self.slots(leaf) {
            if self.is_core(slot) {
                let root = self.forest.find(slot);
                if first == NONE {
                    first = root;
                }
                if first != root {
                    return;
                }
            }
        }
        self.known[leaf as usize] = first;
    }

    /// True if two nodes are known to be in the same set.
    #[inline(always)]
    fn are_joined(&mut self, node: u32, other: u32) -> bool {
        let (known, other) = (self.known[node as usize], self.known[other as usize]);
        known < MIXED && other < MIXED && self.forest.find(known) == self.forest.find(other)
    }

    /// The first core point of a run.
    fn first_core(&self, mut slots: Range<u32>) -> Option<u32> {
        slots.find(|&slot| self.is_core(slot))
    }
}
