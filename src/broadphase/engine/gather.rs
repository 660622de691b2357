//! All slots brought up to date at once, and the bounds above them.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::items::{Items, NOWHERE, flag};
use super::refit::raise;
use super::row::{self, Row};
use super::tree::{NOBODY, NODE, Tree};
use crate::overlap::lanes::Boxes;
use crate::parallel::{GRAIN, join};
use crate::simd::{Column, Job, LANES, Mask};
use crate::{Aabb, InstructionSet, Vector};

/// Gives all slots the boxes that their ids have now, and appends to `lost` what has left its
/// block's surroundings and so its slot.
pub(super) fn gather<V: Vector>(
    tree: &mut Tree<V>,
    items: &mut Items<V>,
    lost: &mut Vec<u32>,
    set: InstructionSet,
) {
    gather_with(tree, items, &mut [], lost, set);
}

/// The same; `before` gets the boxes as they were, without what has left.
pub(super) fn gather_after<V: Vector>(
    tree: &mut Tree<V>,
    items: &mut Items<V>,
    before: &mut Vec<Boxes<V>>,
    lost: &mut Vec<u32>,
    set: InstructionSet,
) {
    if let Some(rows) = tree.levels.first_mut() {
        core::mem::swap(before, rows);
        rows.resize(before.len(), row::empty());
        gather_with(tree, items, before, lost, set);
    }
}

fn gather_with<V: Vector>(
    tree: &mut Tree<V>,
    items: &mut Items<V>,
    before: &mut [Boxes<V>],
    lost: &mut Vec<u32>,
    set: InstructionSet,
) {
    if tree.levels.is_empty() {
        return;
    }
    let (rows, above) = tree.levels.split_at_mut(1);
    let first = lost.len();
    let all = Gather {
        ids: &mut tree.ids,
        boxes: &items.boxes,
        before,
        rows: &mut rows[0],
        tops: &mut above[0],
    };
    all.in_parts(set, lost);
    raise(above, set);
    tree.stale.fill(false);
    tree.len -= lost.len() - first;
    for &id in &lost[first..] {
        items.place[id as usize] = NOWHERE;
        items.flags[id as usize] |= flag::LOST;
    }
}

struct Gather<'a, V: Vector> {
    ids: &'a mut [Column<u32>],
    boxes: &'a [Aabb<V>],
    /// Empty where nobody asks.
    before: &'a mut [Boxes<V>],
    rows: &'a mut [Boxes<V>],
    tops: &'a mut [Boxes<V>],
}

impl<V: Vector> Gather<'_, V> {
    /// Halves the work as long as it is large.
    fn in_parts(self, set: InstructionSet, lost: &mut Vec<u32>) {
        let middle = self.tops.len() / 2;
        if middle * NODE < GRAIN {
            lost.append(&mut set.run(self));
            return;
        }
        let (ids, other_ids) = self.ids.split_at_mut(middle * LANES);
        let (before, other_before) = self
            .before
            .split_at_mut(self.before.len().min(middle * LANES));
        let (rows, other_rows) = self.rows.split_at_mut(middle * LANES);
        let (tops, other_tops) = self.tops.split_at_mut(middle);
        let boxes = self.boxes;
        let first = Gather {
            ids,
            boxes,
            before,
            rows,
            tops,
        };
        let second = Gather {
            ids: other_ids,
            boxes,
            before: other_before,
            rows: other_rows,
            tops: other_tops,
        };
        let mut behind = Vec::new();
        join(
            || first.in_parts(set, lost),
            || second.in_parts(set, &mut behind),
        );
        lost.append(&mut behind);
    }
}

impl<V: Vector> Job for Gather<'_, V> {
    /// Whom it took out.
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<u32> {
        let boxes = self.boxes;
        let mut lost = Vec::new();
        let groups = self.ids.chunks_mut(LANES).zip(self.tops);
        let groups = groups.zip(self.rows.chunks_mut(LANES));
        let mut befores = self.before.chunks_mut(LANES);
        for ((ids, tops), rows) in groups {
            let mut before = befores.next();
            if ids.iter().all(|ids| ids.0 == [NOBODY; LANES]) {
                for row in rows {
                    // It may be as it was two steps ago.
                    if !Row::load(simd, row).filled().is_empty() {
                        *row = row::empty();
                    }
                }
                *tops = row::empty();
                continue;
            }
            // All written before any is read again: that would stall.
            for (row, ids) in rows.iter_mut().zip(&*ids) {
                for (lane, &id) in ids.0.iter().enumerate() {
                    match boxes.get(id as usize) {
                        Some(bounds) => row::put(row, lane, bounds),
                        None => row::clear(row, lane),
                    }
                }
            }
            for block in 0..LANES {
                let now = Row::load(simd, &rows[block]);
                let around = Row::of(simd, &row::surroundings(tops, block));
                let gone = now.filled() & !now.meets(&around);
                if gone.is_empty() {
                    now.bound(tops, block);
                    continue;
                }
                leave(simd, gone, &mut ids[block], &mut lost);
                let mut left = gone.bits(simd);
                while left != 0 {
                    let lane = left.trailing_zeros() as usize % LANES;
                    row::clear(&mut rows[block], lane);
                    if let Some(before) = &mut before {
                        row::clear(&mut before[block], lane);
                    }
                    left &= left - 1;
                }
                Row::load(simd, &rows[block]).bound(tops, block);
            }
        }
        lost
    }
}

/// Takes the ids of a mask out of their slots.
#[inline(always)]
fn leave<S: Simd>(simd: S, gone: Mask, ids: &mut Column<u32>, lost: &mut Vec<u32>) {
    let mut left = gone.bits(simd);
    while left != 0 {
        let lane = left.trailing_zeros() as usize % LANES;
        lost.push(core::mem::replace(&mut ids.0[lane], NOBODY));
        left &= left - 1;
    }
}
