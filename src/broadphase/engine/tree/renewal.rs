//! The order renewed, a part in each step: keys of all boxes, then, from the least key on, each into
//! a new slot. Boxes of both orders lie in one tree meanwhile, which asks them as ever.

use alloc::vec::Vec;
use core::ops::Range;

use super::super::items::Items;
use super::order::{Frame, sorted};
use super::{NO_ID, NODE, Tree};
use crate::parallel::{GRAIN, parts};
use crate::shape::Aabb;
use crate::simd::{InstructionSet, LANES};
use crate::sort::sort;
use crate::vector::Vector;

/// How far a renewal is.
#[derive(Clone)]
pub(in super::super) struct Renewal<V: Vector> {
    /// `None` when there is nothing to do.
    frame: Option<Frame<V>>,
    /// The nodes whose boxes have keys, counted as they are filled.
    read: usize,
    /// Whether all were read at once, so that each box has one key.
    is_whole: bool,
    keys: Vec<u64>,
    /// The keys that are sorted, all less than the others, and of these those that are done with.
    sorted: usize,
    moved: usize,
    /// The nodes of the new order, and how many of their slots are taken or were.
    nodes: Vec<u32>,
    taken: usize,
}

/// Keys that are sorted at a time.
const SORTED: usize = 1 << 10;
/// Nodes whose keys are found by one thread.
const GROUP: usize = 8;

impl<V: Vector> Renewal<V> {
    pub(in super::super) const fn new() -> Self {
        Self {
            frame: None,
            read: 0,
            is_whole: false,
            keys: Vec::new(),
            sorted: 0,
            moved: 0,
            nodes: Vec::new(),
            taken: 0,
        }
    }

    pub(in super::super) fn is_on(&self) -> bool {
        self.frame.is_some()
    }

    pub(in super::super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>() + self.nodes.capacity() * size_of::<u32>()
    }
}

impl<V: Vector> Tree<V> {
    /// The ids in the slots, holes left out.
    pub(in super::super) fn members(&self) -> impl Iterator<Item = u32> + Clone {
        let all = self.ids.iter().flat_map(|ids| ids.0);
        all.filter(|&id| id != NO_ID)
    }

    /// The nodes that boxes are in while no order is renewed: those in order and those of strays.
    fn filled(&self) -> usize {
        self.ordered.len() + self.stray_nodes.len()
    }

    fn filled_node(&self, at: usize) -> usize {
        let node = match self.ordered.get(at) {
            Some(&node) => node,
            None => self.stray_nodes[at - self.ordered.len()],
        };
        node as usize
    }

    /// Begins to renew the order, unless that is under way.
    pub(in super::super) fn start_renewal(&mut self, items: &Items<V>) {
        if self.renewal.is_on() {
            return;
        }
        let id = |at: usize| {
            let slot = self.filled_node(at / NODE) * NODE + at % NODE;
            let id = self.ids[slot / LANES].0[slot % LANES];
            (id != NO_ID).then_some(id)
        };
        let frame = Frame::new(items, self.filled() * NODE, id, self.len);
        self.renewal.frame = Some(frame);
    }

    /// Goes on with the renewal, for about as many boxes as the budget says, or if `whole` for all of
    /// them, which all are in their slots. Returns whether it was finished.
    pub(in super::super) fn renew(
        &mut self,
        items: &mut Items<V>,
        mut budget: usize,
        whole: bool,
        set: InstructionSet,
    ) -> bool {
        let Some(frame) = self.renewal.frame else {
            return false;
        };
        let (read, filled) = (self.renewal.read, self.filled());
        if read < filled && !self.renewal.is_whole {
            if !frame.has_room(items.boxes.len()) {
                // Ids have come since that would not fit into a key.
                self.renewal.reset();
                self.start_renewal(items);
                return false;
            }
            self.renewal.is_whole = whole && read == 0;
            let count = if self.renewal.is_whole {
                filled
            } else {
                budget.div_ceil(NODE)
            };
            let end = filled.min(read.saturating_add(count));
            self.read_keys(&frame, read..end, set);
            self.renewal.read = end;
            return false;
        }
        if whole && self.renewal.is_whole && self.renewal.moved == 0 {
            if self.renewal.sorted < self.renewal.keys.len() {
                // A half in each of two steps, each of which then takes no longer than other steps.
                self.renewal.sort(self.renewal.keys.len().div_ceil(2));
                return false;
            }
            self.migrate_all(items, &frame, set);
            return true;
        }
        while budget > 0 {
            if self.renewal.moved == self.renewal.keys.len() {
                self.finish_renewal(items, set);
                return true;
            }
            if self.renewal.moved == self.renewal.sorted {
                self.renewal.sort(budget);
            }
            let count = budget.min(self.renewal.sorted - self.renewal.moved);
            for _ in 0..count {
                let key = self.renewal.keys[self.renewal.moved];
                self.migrate(items, frame.id(key));
            }
            budget -= count;
        }
        false
    }

    /// Appends the keys of the boxes in some nodes, counted as they are filled.
    fn read_keys(&mut self, frame: &Frame<V>, nodes: Range<usize>, set: InstructionSet) {
        let mut keys = core::mem::take(&mut self.renewal.keys);
        let some = |part: Range<usize>| {
            let mut some = Vec::with_capacity(part.len() * NODE);
            for at in part {
                let first = self.filled_node(nodes.start + at) * LANES;
                let blocks = first..first + LANES;
                let rows = &self.levels[0][blocks.clone()];
                frame.append(&self.ids[blocks], rows, &mut some, set);
            }
            some
        };
        parts(nodes.len(), GROUP, some, |some| keys.extend(some));
        self.renewal.keys = keys;
    }

    /// Gives all boxes their slots of the new order at once.
    ///
    /// ```text
    /// of the ids of the sorted keys, those that are still in this tree
    /// write them and their boxes into the first slots, in order
    /// those that came since the keys were read become strays
    /// ```
    fn migrate_all(&mut self, items: &mut Items<V>, frame: &Frame<V>, set: InstructionSet) {
        let keys = core::mem::take(&mut self.renewal.keys);
        let mut ids = Vec::with_capacity(keys.len());
        let here = |part: Range<usize>| {
            let ids = keys[part].iter().map(|&key| frame.id(key));
            let here = ids.filter(|&id| self.holds(items.slots[id as usize], id));
            here.collect::<Vec<u32>>()
        };
        parts(keys.len(), GRAIN, here, |some| ids.extend(some));
        // Those that have come since.
        let mut others = Vec::new();
        if ids.len() < self.len {
            others.extend(self.members());
        }
        self.fill_in_order(items, &ids, set);
        others.retain(|&id| ids.get(items.slots[id as usize] as usize) != Some(&id));
        self.give_slots(items, &others, set);
        self.sort_strays(items, set);
        self.refit_levels(set);
        self.renewal.keys = keys;
        self.renewal.reset();
    }

    /// Gives a box the next slot of the new order, if it is still here.
    #[inline(always)]
    fn migrate(&mut self, items: &mut Items<V>, id: u32) {
        let slot = items.slots[id as usize];
        self.renewal.moved += 1;
        // Else taken out since, and in the list of those without a slot if it still lives.
        if self.holds(slot, id) {
            let bounds = self.take(slot);
            self.follow(items, id, &bounds);
        }
    }

    /// Puts a box that has no slot where the new order ends.
    #[inline(always)]
    fn follow(&mut self, items: &mut Items<V>, id: u32, bounds: &Aabb<V>) {
        let at = self.renewal.taken;
        if at / NODE == self.renewal.nodes.len() {
            let node = self.add_node();
            self.renewal.nodes.push(node);
        }
        let slot = self.renewal.nodes[at / NODE] as usize * NODE + at % NODE;
        items.slots[id as usize] = slot as u32;
        self.put(slot as u32, id, bounds);
        self.renewal.taken += 1;
    }

    fn finish_renewal(&mut self, items: &mut Items<V>, set: InstructionSet) {
        self.free.append(&mut self.ordered);
        core::mem::swap(&mut self.ordered, &mut self.renewal.nodes);
        self.renewal.reset();
        self.sort_strays(items, set);
        self.disorder = 0.0;
        self.trim();
        self.refit_levels(set);
    }

    /// Sorts the strays, when many have come since that was done; says whether it did.
    pub(in super::super) fn sort_many_strays(
        &mut self,
        items: &mut Items<V>,
        set: InstructionSet,
    ) -> bool {
        let is_due = self.unsorted > LANES + self.strays / 4;
        if is_due {
            self.sort_strays(items, set);
        }
        is_due
    }

    fn sort_strays(&mut self, items: &mut Items<V>, set: InstructionSet) {
        let stray_nodes = &self.stray_nodes;
        let slots = stray_nodes
            .iter()
            .flat_map(|&node| &self.ids[node as usize * LANES..][..LANES]);
        let ids: Vec<u32> = slots
            .flat_map(|ids| ids.0)
            .filter(|&id| id != NO_ID)
            .collect();
        let order = sorted(items, &ids, set);
        let mut boxes = Vec::with_capacity(ids.len());
        for &id in &ids {
            // Where its box waits.
            let slot = core::mem::replace(&mut items.slots[id as usize], boxes.len() as u32);
            boxes.push(self.take(slot));
        }
        self.strays = 0;
        self.unsorted = 0;
        for id in order {
            let slot = self.stray_slot();
            let waits = core::mem::replace(&mut items.slots[id as usize], slot);
            self.put(slot, id, &boxes[waits as usize]);
        }
        let needed = self.strays.div_ceil(NODE);
        self.free.extend(self.stray_nodes.drain(needed..));
    }
}

impl<V: Vector> Renewal<V> {
    pub(in super::super) fn reset(&mut self) {
        self.frame = None;
        self.is_whole = false;
        self.keys.clear();
        self.nodes.clear();
        (self.read, self.sorted, self.moved, self.taken) = (0, 0, 0, 0);
    }

    /// Sorts the next keys, about so many.
    fn sort(&mut self, count: usize) {
        let rest = &mut self.keys[self.sorted..];
        let count = count.max(rest.len() / 16).max(SORTED).min(rest.len());
        if count < rest.len() {
            rest.select_nth_unstable(count);
        }
        sort(&mut rest[..count]);
        self.sorted += count;
    }
}
