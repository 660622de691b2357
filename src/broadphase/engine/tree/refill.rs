//! All slots brought up to date at once, and the bounds above them.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::super::items::{Items, NO_SLOT, flag};
use super::super::row::{self, Row};
use super::order::sorted;
use super::refit::bound_levels;
use super::{NO_ID, NODE, Nodes, Tree};

use crate::bits::set_bits;
use crate::overlap::columns::Boxes;
use crate::parallel::{GRAIN, join, join_if};
use crate::shape::Aabb;
use crate::simd::{Column, InstructionSet, Job, LANES};
use crate::vector::Vector;

/// Gives all slots the boxes that their ids have now, and appends to `unplaced` what has left its
/// block's surroundings and so its slot. `before` gets the boxes as they were, without what has left.
pub(in super::super) fn gather<V: Vector>(
    tree: &mut Tree<V>,
    items: &mut Items<V>,
    before: Option<&mut Vec<Boxes<V>>>,
    unplaced: &mut Vec<u32>,
    set: InstructionSet,
) {
    let [rows, above @ ..] = &mut *tree.levels else {
        return;
    };
    let before = before.map_or_else(Default::default, |before| {
        core::mem::swap(before, rows);
        rows.resize(before.len(), Boxes::empty());
        &mut **before
    });
    let first = unplaced.len();
    let all = Gather {
        nodes: Nodes {
            ids: &mut tree.ids,
            rows,
            tops: &mut above[0],
        },
        boxes: &items.boxes,
        before,
    };
    all.in_parts(set, unplaced);
    bound_levels(above, set);
    tree.stale.fill(false);
    tree.len -= unplaced.len() - first;
    for &id in &unplaced[first..] {
        items.slots[id as usize] = NO_SLOT;
        items.flags[id as usize] |= flag::UNPLACED;
    }
}

struct Gather<'a, V: Vector> {
    nodes: Nodes<'a, V>,
    /// Of all ids.
    boxes: &'a [Aabb<V>],
    /// Empty where nobody asks.
    before: &'a mut [Boxes<V>],
}

impl<V: Vector> Gather<'_, V> {
    /// Halves the work as long as it is large.
    fn in_parts(self, set: InstructionSet, unplaced: &mut Vec<u32>) {
        let Some(middle) = self.nodes.middle() else {
            return unplaced.append(&mut set.run(self));
        };
        let boxes = self.boxes;
        let mid = self.before.len().min(middle * LANES);
        let halves = self.before.split_at_mut(mid);
        let [first, second] = self.nodes.split(middle);
        let part = |nodes, before| Gather {
            nodes,
            boxes,
            before,
        };
        let mut behind = Vec::new();
        join(
            || part(first, halves.0).in_parts(set, unplaced),
            || part(second, halves.1).in_parts(set, &mut behind),
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
        let Nodes { ids, rows, tops } = self.nodes;
        let groups = ids.chunks_mut(LANES).zip(tops);
        let groups = groups.zip(rows.chunks_mut(LANES));
        let mut befores = self.before.chunks_mut(LANES);
        for ((ids, tops), rows) in groups {
            let mut before = befores.next();
            if ids.iter().all(|ids| ids.0 == [NO_ID; LANES]) {
                for row in rows {
                    // It may be as it was two steps ago.
                    if !Row::load(simd, row).filled().is_empty() {
                        *row = Boxes::empty();
                    }
                }
                *tops = Boxes::empty();
                continue;
            }
            // All written before any is read again: that would stall.
            for (row, ids) in rows.iter_mut().zip(&*ids) {
                for (lane, &id) in ids.0.iter().enumerate() {
                    match boxes.get(id as usize) {
                        Some(bounds) => row.set(lane, bounds),
                        None => row.clear(lane),
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
                    unplaced.push(core::mem::replace(&mut ids[block].0[lane], NO_ID));
                    rows[block].clear(lane);
                    if let Some(before) = &mut before {
                        before[block].clear(lane);
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
            nodes: Nodes {
                ids: &mut self.ids,
                rows: &mut rows[0],
                tops: &mut above[0],
            },
        };
        let slots = &mut items.slots;
        join_if(
            ids.len() > GRAIN,
            || all.in_parts(set),
            || {
                for (slot, &id) in (0..).zip(ids) {
                    slots[id as usize] = slot;
                }
            },
        );
        bound_levels(above, set);
    }
}

struct Fill<'a, V: Vector> {
    nodes: Nodes<'a, V>,
    /// Of the boxes that have slots, in order.
    ids: &'a [u32],
    /// Of all ids.
    boxes: &'a [Aabb<V>],
}

impl<V: Vector> Fill<'_, V> {
    /// Halves the work as long as it is large.
    fn in_parts(self, set: InstructionSet) {
        let Some(middle) = self.nodes.middle() else {
            return set.run(self);
        };
        let boxes = self.boxes;
        let (ids, other_ids) = self.ids.split_at(self.ids.len().min(middle * NODE));
        let [first, second] = self.nodes.split(middle);
        let part = |nodes, ids| Fill { nodes, ids, boxes };
        join(
            || part(first, ids).in_parts(set),
            || part(second, other_ids).in_parts(set),
        );
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
        let Nodes { ids, rows, tops } = self.nodes;
        let nodes = ids.chunks_mut(LANES).zip(tops);
        for ((slots, tops), rows) in nodes.zip(rows.chunks_mut(LANES)) {
            // All written before any is read again: that would stall.
            for (slots, row) in slots.iter_mut().zip(&mut *rows) {
                let ids = left.next().unwrap_or_default();
                if ids.len() < LANES {
                    *slots = Column([NO_ID; LANES]);
                    *row = Boxes::empty();
                }
                for (lane, &id) in ids.iter().enumerate() {
                    slots.0[lane] = id;
                    row.set(lane, &self.boxes[id as usize]);
                }
            }
            for (block, row) in rows.iter().enumerate() {
                Row::load(simd, row).bound(tops, block);
            }
        }
    }
}
