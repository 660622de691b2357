//! All slots brought up to date at once, and the bounds above them.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::super::items::{Items, NOWHERE, flag};
use super::super::row::{self, Row};
use super::order::sorted;
use super::refit::bound_levels;
use super::{NOBODY, NODE, Tree};

use crate::bits::set_bits;
use crate::overlap::lanes::Boxes;
use crate::parallel::{GRAIN, join, join_if};
use crate::shape::Aabb;
use crate::simd::{Column, InstructionSet, Job, LANES};
use crate::vector::Vector;

/// Gives all slots the boxes that their ids have now, and appends to `lost` what has left its
/// block's surroundings and so its slot.
pub(in super::super) fn gather<V: Vector>(
    tree: &mut Tree<V>,
    items: &mut Items<V>,
    unplaced: &mut Vec<u32>,
    set: InstructionSet,
) {
    gather_with(tree, items, &mut [], unplaced, set);
}

/// The same; `before` gets the boxes as they were, without what has left.
pub(in super::super) fn gather_after<V: Vector>(
    tree: &mut Tree<V>,
    items: &mut Items<V>,
    before: &mut Vec<Boxes<V>>,
    unplaced: &mut Vec<u32>,
    set: InstructionSet,
) {
    if let Some(rows) = tree.levels.first_mut() {
        core::mem::swap(before, rows);
        rows.resize(before.len(), row::empty());
        gather_with(tree, items, before, unplaced, set);
    }
}

fn gather_with<V: Vector>(
    tree: &mut Tree<V>,
    items: &mut Items<V>,
    before: &mut [Boxes<V>],
    unplaced: &mut Vec<u32>,
    set: InstructionSet,
) {
    if tree.levels.is_empty() {
        return;
    }
    let (rows, above) = tree.levels.split_at_mut(1);
    let first = unplaced.len();
    let all = Gather {
        ids: &mut tree.ids,
        boxes: &items.boxes,
        before,
        rows: &mut rows[0],
        tops: &mut above[0],
    };
    all.in_parts(set, unplaced);
    bound_levels(above, set);
    tree.stale.fill(false);
    tree.len -= unplaced.len() - first;
    for &id in &unplaced[first..] {
        items.place[id as usize] = NOWHERE;
        items.flags[id as usize] |= flag::UNPLACED;
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
    fn in_parts(self, set: InstructionSet, unplaced: &mut Vec<u32>) {
        let middle = self.tops.len() / 2;
        if middle * NODE < GRAIN {
            unplaced.append(&mut set.run(self));
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
            || first.in_parts(set, unplaced),
            || second.in_parts(set, &mut behind),
        );
        unplaced.append(&mut behind);
    }
}

/// ```text
/// for each node, for each of its blocks:
///     write the boxes that the ids in its slots have now
///     take out those that have left the surroundings of the block
///     bound the block by those that are left
/// ```
impl<V: Vector> Job for Gather<'_, V> {
    /// Whom it took out.
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Vec<u32> {
        let boxes = self.boxes;
        let mut unplaced = Vec::new();
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
                for lane in set_bits(gone.bits(simd)) {
                    let lane = lane % LANES;
                    unplaced.push(core::mem::replace(&mut ids[block].0[lane], NOBODY));
                    row::clear(&mut rows[block], lane);
                    if let Some(before) = &mut before {
                        row::clear(&mut before[block], lane);
                    }
                }
                Row::load(simd, &rows[block]).bound(tops, block);
            }
        }
        unplaced
    }
}

// All boxes of a tree put into its first slots at once, in order.

impl<V: Vector> Tree<V> {
    /// Puts all boxes and some that have no slot in order.
    pub(in super::super) fn rebuild(
        &mut self,
        items: &mut Items<V>,
        unplaced: &[u32],
        set: InstructionSet,
    ) {
        let mut ids: Vec<u32> = self.members().collect();
        ids.extend_from_slice(unplaced);
        let ids = sorted(items, &ids, set);
        self.fill_in_order(items, &ids, set);
    }

    /// Puts boxes into slots, as they are now; the others that had slots have none any more.
    pub(in super::super) fn fill_in_order(
        &mut self,
        items: &mut Items<V>,
        ids: &[u32],
        set: InstructionSet,
    ) {
        let nodes = ids.len().div_ceil(NODE);
        self.resize(nodes.max(1));
        for list in [&mut self.free, &mut self.stray_nodes, &mut self.ordered] {
            list.clear();
        }
        self.ordered.extend(0..nodes as u32);
        self.free.extend(nodes as u32..self.nodes() as u32);
        (self.strays, self.unsorted, self.len) = (0, 0, ids.len());
        self.disorder = 0.0;
        self.renewal.reset();
        self.stale.fill(false);
        let (rows, above) = self.levels.split_at_mut(1);
        let all = Fill {
            ids,
            boxes: &items.boxes,
            slots: &mut self.ids,
            rows: &mut rows[0],
            tops: &mut above[0],
        };
        let place = &mut items.place;
        join_if(
            ids.len() > GRAIN,
            || all.in_parts(set),
            || {
                for (slot, &id) in (0..).zip(ids) {
                    place[id as usize] = slot;
                }
            },
        );
        bound_levels(above, set);
    }
}

struct Fill<'a, V: Vector> {
    /// Of the boxes that have slots, in order.
    ids: &'a [u32],
    boxes: &'a [Aabb<V>],
    slots: &'a mut [Column<u32>],
    rows: &'a mut [Boxes<V>],
    tops: &'a mut [Boxes<V>],
}

impl<V: Vector> Fill<'_, V> {
    /// Halves the work as long as it is large.
    fn in_parts(self, set: InstructionSet) {
        let middle = self.tops.len() / 2;
        if middle * NODE < GRAIN {
            return set.run(self);
        }
        let (ids, other_ids) = self.ids.split_at(self.ids.len().min(middle * NODE));
        let (slots, other_slots) = self.slots.split_at_mut(middle * LANES);
        let (rows, other_rows) = self.rows.split_at_mut(middle * LANES);
        let (tops, other_tops) = self.tops.split_at_mut(middle);
        let boxes = self.boxes;
        let first = Fill {
            ids,
            boxes,
            slots,
            rows,
            tops,
        };
        let second = Fill {
            ids: other_ids,
            boxes,
            slots: other_slots,
            rows: other_rows,
            tops: other_tops,
        };
        join(|| first.in_parts(set), || second.in_parts(set));
    }
}

/// ```text
/// for each node, for each of its blocks:
///     write the next sixteen ids and their boxes, and nobody behind the last
///     bound the block
/// ```
impl<V: Vector> Job for Fill<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut left = self.ids.chunks(LANES);
        let nodes = self.slots.chunks_mut(LANES).zip(self.tops);
        for ((slots, tops), rows) in nodes.zip(self.rows.chunks_mut(LANES)) {
            // All written before any is read again: that would stall.
            for (slots, row) in slots.iter_mut().zip(&mut *rows) {
                let ids = left.next().unwrap_or_default();
                if ids.len() < LANES {
                    *slots = Column([NOBODY; LANES]);
                    *row = row::empty();
                }
                for (lane, &id) in ids.iter().enumerate() {
                    slots.0[lane] = id;
                    row::put(row, lane, &self.boxes[id as usize]);
                }
            }
            for (block, row) in rows.iter().enumerate() {
                Row::load(simd, row).bound(tops, block);
            }
        }
    }
}
