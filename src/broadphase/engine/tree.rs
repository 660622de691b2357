//! Boxes in blocks of sixteen, neighbors in space together, and above them nodes of sixteen.
//!
//! A box keeps its slot while it moves: only bounds follow. Slots come by whole nodes, in the order
//! of a curve, or for strays, which wait apart until the order is renewed.

mod order;
pub(super) mod refill;
pub(super) mod refit;
mod renewal;

use alloc::vec::Vec;

use super::items::{Items, NO_SLOT};
use refit::shift;
use renewal::Renewal;

use crate::overlap::columns::Boxes;
use crate::parallel::GRAIN;
use crate::shape::Aabb;
use crate::simd::{Column, InstructionSet, LANES};
use crate::vector::Vector;

/// The slots of a node: sixteen blocks.
pub(super) const NODE: usize = LANES * LANES;

/// The id in a slot that holds none.
pub(super) const NO_ID: u32 = u32::MAX;

#[derive(Clone)]
pub(super) struct Tree<V: Vector> {
    /// Who is at each slot of a block.
    pub(super) ids: Vec<Column<u32>>,
    /// First the boxes, block by block, then the bounds of blocks, of nodes of blocks, and so on to a
    /// single block.
    pub(super) levels: Vec<Vec<Boxes<V>>>,
    /// The lanes of each block whose pairs are in doubt; all 0 between steps.
    pub(super) marks: Vec<u16>,
    /// The blocks whose bounds may be too large.
    pub(super) stale: Vec<bool>,
    /// Counts the steps in which few moved: some blocks are bounded again in each.
    pub(super) turn: usize,
    /// How many boxes there are.
    pub(super) len: usize,
    /// The nodes in order.
    pub(super) ordered: Vec<u32>,
    /// The nodes of strays, and how many of their slots are taken or were.
    pub(super) stray_nodes: Vec<u32>,
    pub(super) strays: usize,
    /// Those that came since they were last sorted.
    pub(super) unsorted: usize,
    /// How far the boxes are from the order, as so many out of it.
    pub(super) disorder: f64,
    /// Nodes without boxes.
    pub(super) free: Vec<u32>,
    pub(super) renewal: Renewal<V>,
}

/// Some nodes of a tree, to be written by one thread.
struct Nodes<'a, V: Vector> {
    ids: &'a mut [Column<u32>],
    rows: &'a mut [Boxes<V>],
    /// The bounds of the blocks.
    tops: &'a mut [Boxes<V>],
}

impl<V: Vector> Nodes<'_, V> {
    /// The number of the node to split at; nothing where one thread is enough.
    fn middle(&self) -> Option<usize> {
        let middle = self.tops.len() / 2;
        (middle * NODE >= GRAIN).then_some(middle)
    }

    fn split(self, middle: usize) -> [Self; 2] {
        let (ids, other_ids) = self.ids.split_at_mut(middle * LANES);
        let (rows, other_rows) = self.rows.split_at_mut(middle * LANES);
        let (tops, other_tops) = self.tops.split_at_mut(middle);
        let others = Self {
            ids: other_ids,
            rows: other_rows,
            tops: other_tops,
        };
        [Self { ids, rows, tops }, others]
    }
}

impl<V: Vector> Tree<V> {
    pub(super) const fn new() -> Self {
        Self {
            ids: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
            stale: Vec::new(),
            turn: 0,
            len: 0,
            ordered: Vec::new(),
            stray_nodes: Vec::new(),
            strays: 0,
            unsorted: 0,
            disorder: 0.0,
            free: Vec::new(),
            renewal: Renewal::new(),
        }
    }

    /// The number of nodes.
    #[inline]
    pub(super) fn nodes(&self) -> usize {
        self.ids.len() / LANES
    }

    /// The bounds of blocks and all levels above; empty where there is no box and never was.
    #[inline]
    pub(super) fn above(&self) -> &[Vec<Boxes<V>>] {
        self.levels.get(1..).unwrap_or_default()
    }

    /// A node without boxes.
    pub(super) fn add_node(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let node = self.nodes();
            self.resize(node + 1);
            node as u32
        })
    }

    pub(super) fn resize(&mut self, nodes: usize) {
        let (blocks, levels) = (nodes * LANES, self.levels.len());
        self.ids.resize(blocks, Column([NO_ID; LANES]));
        self.marks.resize(blocks, 0);
        self.stale.resize(blocks, false);
        let (mut level, mut count, mut filled) = (0, blocks, LANES);
        loop {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].resize(count, Boxes::empty());
            if let Some(last) = self.levels[level].last_mut().filter(|_| filled < LANES) {
                // There may have been more.
                (filled..LANES).for_each(|lane| last.clear(lane));
            }
            filled = (count + LANES - 1) % LANES + 1;
            if count <= 1 {
                break;
            }
            count = count.div_ceil(LANES);
            level += 1;
        }
        if self.levels.len() != levels {
            // A new top is bounded by all below.
            self.stale.fill(true);
        }
        self.levels.truncate(level + 1);
    }

    /// Gives back the nodes at the end that hold nothing.
    pub(super) fn trim(&mut self) {
        self.free.sort_unstable_by(|a, b| b.cmp(a));
        let mut nodes = self.nodes();
        let mut cut = 0;
        while nodes > 1 && self.free.get(cut) == Some(&(nodes as u32 - 1)) {
            nodes -= 1;
            cut += 1;
        }
        if cut > 0 {
            self.free.drain(..cut);
            self.resize(nodes);
        }
    }

    /// Puts a box into an empty slot.
    #[inline(always)]
    pub(super) fn put(&mut self, slot: u32, id: u32, bounds: &Aabb<V>) {
        let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
        self.ids[block].0[lane] = id;
        self.levels[0][block].set(lane, bounds);
        self.stale[block] = true;
        self.len += 1;
    }

    /// Empties a slot; returns its box, which may no longer be that of its id.
    #[inline(always)]
    pub(super) fn take(&mut self, slot: u32) -> Aabb<V> {
        let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
        let bounds = self.levels[0][block].get(lane);
        self.ids[block].0[lane] = NO_ID;
        self.levels[0][block].clear(lane);
        self.stale[block] = true;
        self.len -= 1;
        bounds
    }

    /// Writes a box that moved into its slot, unless it has left its block's surroundings; says whether
    /// it did.
    #[inline(always)]
    pub(super) fn shift(&mut self, slot: u32, bounds: &Aabb<V>) -> bool {
        let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
        let (rows, above) = self.levels.split_at_mut(1);
        let (boxes, tops) = (&mut rows[0][block], &mut above[0][block / LANES]);
        let Some(disorder) = shift(boxes, lane, tops, block % LANES, bounds) else {
            return false;
        };
        self.disorder += disorder;
        self.stale[block] = true;
        true
    }

    /// Marks a box whose pairs are in doubt.
    #[inline(always)]
    pub(super) fn mark(&mut self, slot: u32) {
        self.marks[slot as usize / LANES] |= 1 << (slot as usize % LANES);
    }

    /// Takes in boxes that have no slot.
    pub(super) fn give_slots(
        &mut self,
        items: &mut Items<V>,
        unplaced: &[u32],
        set: InstructionSet,
    ) {
        if unplaced.is_empty() {
            return;
        }
        if self.strays + unplaced.len() > self.len / 8 + NODE {
            self.rebuild(items, unplaced, set);
            return;
        }
        for &id in unplaced {
            let slot = self.stray_slot();
            items.slots[id as usize] = slot;
            self.put(slot, id, &items.boxes[id as usize]);
        }
        self.unsorted += unplaced.len();
    }

    /// The next slot among the strays.
    pub(super) fn stray_slot(&mut self) -> u32 {
        if self.strays == self.stray_nodes.len() * NODE {
            let node = self.add_node();
            self.stray_nodes.push(node);
        }
        let slot = self.stray_nodes[self.strays / NODE] as usize * NODE + self.strays % NODE;
        self.strays += 1;
        slot as u32
    }

    /// Whether a box is at a slot of this tree.
    #[inline(always)]
    pub(super) fn holds(&self, slot: u32, id: u32) -> bool {
        slot != NO_SLOT
            && self
                .ids
                .get(slot as usize / LANES)
                .is_some_and(|ids| ids.0[slot as usize % LANES] == id)
    }

    /// Memory in use.
    pub(super) fn bytes(&self) -> usize {
        let boxes: usize = self.levels.iter().map(Vec::capacity).sum();
        boxes * size_of::<Boxes<V>>()
            + self.ids.capacity() * size_of::<Column<u32>>()
            + self.marks.capacity() * size_of::<u16>()
            + self.stale.capacity()
            + size_of::<u32>()
                * (self.ordered.capacity() + self.stray_nodes.capacity() + self.free.capacity())
            + self.renewal.bytes()
    }
}
