//! The order renewed, a part in each step: keys of all boxes, then, from the least key on, each into
//! a new slot. Boxes of both orders lie in one tree meanwhile, which asks them as ever.

use alloc::vec::Vec;

use super::items::Items;
use super::order::{Frame, Keys};
use super::refit::refit;
use super::tree::{NOBODY, NODE, Tree};
use crate::simd::LANES;
use crate::{Aabb, InstructionSet, Vector};

/// How far a renewal is.
#[derive(Clone)]
pub(super) struct Renewal<V: Vector> {
    /// `None` when there is nothing to do.
    frame: Option<Frame<V>>,
    /// The blocks whose boxes have keys, counted along the nodes in order and those of strays.
    read: usize,
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

impl<V: Vector> Renewal<V> {
    pub(super) const fn new() -> Self {
        Self {
            frame: None,
            read: 0,
            keys: Vec::new(),
            sorted: 0,
            moved: 0,
            nodes: Vec::new(),
            taken: 0,
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.frame.is_some()
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u64>() + self.nodes.capacity() * size_of::<u32>()
    }
}

impl<V: Vector> Tree<V> {
    /// The ids in the slots, holes left out.
    pub(super) fn members(&self) -> impl Iterator<Item = u32> + Clone {
        let all = self.ids.iter().flat_map(|ids| ids.0);
        all.filter(|&id| id != NOBODY)
    }

    /// Begins to renew the order, unless that is under way.
    pub(super) fn start_renewal(&mut self, items: &Items<V>) {
        if self.renewal.is_on() {
            return;
        }
        self.renewal.frame = Some(Frame::new(items, self.members(), self.len));
        self.renewal.read = 0;
    }

    /// Goes on with the renewal, for about as many boxes as the budget says. Returns whether it was
    /// finished.
    pub(super) fn renew(
        &mut self,
        items: &mut Items<V>,
        mut budget: usize,
        set: InstructionSet,
    ) -> bool {
        let Some(frame) = self.renewal.frame else {
            return false;
        };
        let blocks = (self.ordered.len() + self.astray.len()) * LANES;
        if self.renewal.read < blocks {
            let end = blocks.min(self.renewal.read.saturating_add(budget.div_ceil(LANES)));
            for at in self.renewal.read..end {
                let node = at / LANES;
                let node = match self.ordered.get(node) {
                    Some(&node) => node,
                    None => self.astray[node - self.ordered.len()],
                };
                let ids = &self.ids[node as usize * LANES + at % LANES].0;
                self.renewal.key(&frame, items, ids, set);
            }
            self.renewal.read = end;
            return false;
        }
        while budget > 0 {
            if self.renewal.moved == self.renewal.keys.len() {
                self.finish_renewal(items, set);
                return true;
            }
            self.renewal.sort(budget);
            let many = budget.min(self.renewal.sorted - self.renewal.moved);
            for _ in 0..many {
                let key = self.renewal.keys[self.renewal.moved];
                self.migrate(items, frame.id(key));
            }
            budget -= many;
        }
        false
    }

    /// Gives a box the next slot of the new order, if it is still here.
    #[inline(always)]
    fn migrate(&mut self, items: &mut Items<V>, id: u32) {
        let slot = items.place[id as usize];
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
        items.place[id as usize] = slot as u32;
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

    /// Puts all boxes and some that have no slot in order, at once.
    pub(super) fn rebuild(&mut self, items: &mut Items<V>, lost: &[u32], set: InstructionSet) {
        let all = self.members().chain(lost.iter().copied());
        let frame = Frame::new(items, all.clone(), self.len + lost.len());
        let ids: Vec<u32> = all.collect();
        self.renewal.reset();
        self.free.clear();
        self.free.extend((0..self.nodes() as u32).rev());
        for list in [&mut self.ordered, &mut self.astray, &mut self.renewal.nodes] {
            list.clear();
        }
        (self.strays, self.unsorted, self.len) = (0, 0, 0);
        self.ids.fill(crate::simd::Column([NOBODY; LANES]));
        if let Some(boxes) = self.levels.first_mut() {
            boxes.fill(super::row::empty());
        }
        self.stale.fill(true);
        let mut keys = core::mem::take(&mut self.renewal.keys);
        set.run(Keys {
            frame: &frame,
            items,
            ids: &ids,
            to: &mut keys,
        });
        super::lists::sort_keys(&mut keys);
        for &key in &keys {
            let id = frame.id(key);
            let bounds = items.boxes[id as usize];
            self.follow(items, id, &bounds);
        }
        core::mem::swap(&mut self.ordered, &mut self.renewal.nodes);
        self.renewal.keys = keys;
        self.renewal.reset();
        self.disorder = 0.0;
        self.trim();
        self.refit_levels(set);
    }

    /// Sorts the strays, when many have come since that was done; says whether it did.
    pub(super) fn tidy(&mut self, items: &mut Items<V>, set: InstructionSet) -> bool {
        let many = self.unsorted > LANES + self.strays / 4;
        if many {
            self.sort_strays(items, set);
        }
        many
    }

    fn sort_strays(&mut self, items: &mut Items<V>, set: InstructionSet) {
        let astray = &self.astray;
        let slots = astray
            .iter()
            .flat_map(|&node| &self.ids[node as usize * LANES..][..LANES]);
        let ids: Vec<u32> = slots
            .flat_map(|ids| ids.0)
            .filter(|&id| id != NOBODY)
            .collect();
        let frame = Frame::new(items, ids.iter().copied(), ids.len());
        let mut keys = Vec::with_capacity(ids.len());
        set.run(Keys {
            frame: &frame,
            items,
            ids: &ids,
            to: &mut keys,
        });
        keys.sort_unstable();
        let mut boxes = Vec::with_capacity(ids.len());
        for &id in &ids {
            // Where its box waits.
            let slot = core::mem::replace(&mut items.place[id as usize], boxes.len() as u32);
            boxes.push(self.take(slot));
        }
        self.strays = 0;
        self.unsorted = 0;
        for &key in &keys {
            let id = frame.id(key);
            let slot = self.stray_slot();
            let waits = core::mem::replace(&mut items.place[id as usize], slot);
            self.put(slot, id, &boxes[waits as usize]);
        }
        let needed = self.strays.div_ceil(NODE);
        self.free.extend(self.astray.drain(needed..));
    }

    /// Bounds of stale blocks, and of all levels above.
    pub(super) fn refit_levels(&mut self, set: InstructionSet) {
        refit(self, set);
    }
}

impl<V: Vector> Renewal<V> {
    fn reset(&mut self) {
        self.frame = None;
        self.keys.clear();
        (self.read, self.sorted, self.moved, self.taken) = (0, 0, 0, 0);
    }

    fn key(&mut self, frame: &Frame<V>, items: &Items<V>, ids: &[u32], set: InstructionSet) {
        set.run(Keys {
            frame,
            items,
            ids,
            to: &mut self.keys,
        });
    }

    /// Sorts the next keys, about so many, where none is left that is sorted.
    fn sort(&mut self, many: usize) {
        if self.moved < self.sorted {
            return;
        }
        let rest = &mut self.keys[self.sorted..];
        let many = many.max(rest.len() / 16).max(SORTED).min(rest.len());
        if many < rest.len() {
            rest.select_nth_unstable(many);
        }
        super::lists::sort_keys(&mut rest[..many]);
        self.sorted += many;
    }
}
