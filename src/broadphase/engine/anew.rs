//! All boxes of a tree put into its first slots at once, in order.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::items::Items;
use super::order::sorted;
use super::refit::raise;
use super::row::{self, Row};
use super::tree::{NOBODY, NODE, Tree};
use crate::overlap::lanes::Boxes;
use crate::parallel::{GRAIN, join, join_if};
use crate::simd::{Column, Job, LANES};
use crate::{Aabb, InstructionSet, Vector};

impl<V: Vector> Tree<V> {
    /// Puts all boxes and some that have no slot in order.
    pub(super) fn rebuild(&mut self, items: &mut Items<V>, lost: &[u32], set: InstructionSet) {
        let mut ids: Vec<u32> = self.members().collect();
        ids.extend_from_slice(lost);
        let ids = sorted(items, &ids, set);
        self.lay(items, &ids, set);
    }

    /// Puts boxes into slots, as they are now; the others that had slots have none any more.
    pub(super) fn lay(&mut self, items: &mut Items<V>, ids: &[u32], set: InstructionSet) {
        let nodes = ids.len().div_ceil(NODE);
        self.resize(nodes.max(1));
        for list in [&mut self.free, &mut self.astray, &mut self.ordered] {
            list.clear();
        }
        self.ordered.extend(0..nodes as u32);
        self.free.extend(nodes as u32..self.nodes() as u32);
        (self.strays, self.unsorted, self.len) = (0, 0, ids.len());
        self.disorder = 0.0;
        self.renewal.reset();
        self.stale.fill(false);
        let (rows, above) = self.levels.split_at_mut(1);
        let all = Lay {
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
        raise(above, set);
    }
}

struct Lay<'a, V: Vector> {
    /// Of the boxes that have slots, in order.
    ids: &'a [u32],
    boxes: &'a [Aabb<V>],
    slots: &'a mut [Column<u32>],
    rows: &'a mut [Boxes<V>],
    tops: &'a mut [Boxes<V>],
}

impl<V: Vector> Lay<'_, V> {
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
        let first = Lay {
            ids,
            boxes,
            slots,
            rows,
            tops,
        };
        let second = Lay {
            ids: other_ids,
            boxes,
            slots: other_slots,
            rows: other_rows,
            tops: other_tops,
        };
        join(|| first.in_parts(set), || second.in_parts(set));
    }
}

impl<V: Vector> Job for Lay<'_, V> {
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
