//! The pairs of overlapping boxes, kept from step to step.
//!
//! Boxes lie in rows of sixteen along a Hilbert curve, in two trees: those that may move, and those
//! that rest and cost nothing. The order is kept while boxes move, and renewed part by part when the
//! work of a step says so.
//!
//! `step` tells a step from beginning to end, and chooses one of the four `strategies`, by which pairs are
//! found, or none. `items` knows boxes by their ids, `tree` by their slots, sixteen together (`row`): in `tree/`, slots
//! are written one by one (`refit`) or all at once (`refill`), and the `order` is renewed by and by
//! (`renewal`). `search` finds pairs: of whole trees (`tree_pairs`) or of single boxes (`box_queries`). Lists of
//! pairs are sorted, compared and brought up to date in `pair_list`. Questions from outside are asked in
//! `query` and `cast`.
//!
//! Rejected: Morton order (twice the tests), classes of size finer than the space of a block,
//! a tree that is rebuilt in each step.

mod cast;
mod items;
mod pair_list;
mod query;
mod row;
mod search;
mod step;
mod strategies;
#[cfg(test)]
mod tests;
mod tree;

use alloc::borrow::Cow;
use alloc::vec::Vec;

pub(super) use cast::Probe;
use items::{Items, NO_SLOT, OldBoxes, flag};
pub(super) use pair_list::changes;
use pair_list::pairs_of;
pub(super) use query::BoxSearch;
use search::{BoxQuery, PairsFound};
use tree::{NO_ID, Tree};

use crate::error::{Error, reserve};
use crate::orthtree::Orthtree;
use crate::overlap::Overlaps;
use crate::overlap::columns::Boxes;
use crate::shape::Aabb;
use crate::simd::{InstructionSet, LANES, ListWriter};
use crate::vector::Vector;

/// What is a pair, of boxes that overlap.
pub(super) trait PairTest<V: Vector>: Sync {
    /// Whether every two boxes that overlap are a pair: then `is_pair` is never asked.
    fn accepts_all(&self) -> bool;

    /// Whether there are no pairs at all: then nothing is looked for.
    fn accepts_none(&self) -> bool {
        false
    }

    /// Whether two ids whose boxes overlap are a pair. Depends only on state that changes together
    /// with `set` or `touch` of one of the two. `boxes` are those of all ids.
    fn is_pair(&self, boxes: &[Aabb<V>], a: u32, b: u32) -> bool;

    /// Appends those that are pairs of some whose boxes overlap.
    fn select(&self, boxes: &[Aabb<V>], from: &[[u32; 2]], to: &mut Vec<u32>) {
        to.reserve(2 * from.len());
        ListWriter::extend(to, |to| {
            for &[a, b] in from {
                to.put([a, b], 2 * usize::from(self.is_pair(boxes, a, b)));
            }
        });
    }

    /// Whether `is_pair` depends only on state that changes together with `touch`, not on where boxes lie.
    fn is_steady(&self) -> bool {
        self.accepts_all()
    }
}

/// Boxes named by small numbers, and their pairs.
#[derive(Clone)]
#[allow(
    missing_debug_implementations,
    reason = "cannot be named outside the crate"
)]
pub(super) struct Engine<V: Vector> {
    items: Items<V>,
    moving: Tree<V>,
    resting: Tree<V>,
    /// The ids whose pairs are in doubt, each once; some are no longer in use.
    pending: Vec<u32>,
    /// Whether any is in doubt for more than a move of a box that does not rest.
    has_other_doubts: bool,
    /// Of the last step: a flat list.
    pairs: Vec<u32>,
    is_sorted: bool,
    /// Of the last step, sorted: flat lists.
    begun: Vec<u32>,
    ended: Vec<u32>,
    memory: Memory<V>,
    /// What the last step that searched the whole tree took at its best, and by which way.
    base: Option<(bool, usize)>,
    /// How many pairs began or ended in that step.
    last_events: usize,
    /// `None` for the best of the machine.
    instructions: Option<InstructionSet>,
}

/// Memory that is used again in each step.
#[derive(Clone)]
struct Memory<V: Vector> {
    /// The leaves of the moving tree before the step.
    before: Vec<Boxes<V>>,
    /// Where boxes were that moved.
    old_boxes: OldBoxes<V>,
    queries: Vec<BoxQuery<V>>,
    /// Level by level, boxes around those of before and of now.
    both: Vec<Vec<Boxes<V>>>,
    /// Ids of boxes that have no place in a tree yet.
    unplaced: Vec<u32>,
    /// The list of pairs of before, or those of it that are in doubt.
    old: Vec<u32>,
    found: PairsFound,
    /// To sort pairs.
    keys: [Vec<u64>; 2],
    doubts: Vec<u8>,
}

impl<V: Vector> Engine<V> {
    pub(super) const fn new() -> Self {
        Self {
            items: Items::new(),
            moving: Tree::new(),
            resting: Tree::new(),
            pending: Vec::new(),
            has_other_doubts: false,
            pairs: Vec::new(),
            is_sorted: true,
            begun: Vec::new(),
            ended: Vec::new(),
            memory: Memory {
                before: Vec::new(),
                old_boxes: OldBoxes::new(),
                queries: Vec::new(),
                both: Vec::new(),
                unplaced: Vec::new(),
                old: Vec::new(),
                found: PairsFound::new(),
                keys: [Vec::new(), Vec::new()],
                doubts: Vec::new(),
            },
            base: None,
            last_events: 0,
            instructions: None,
        }
    }

    /// Takes in a box. If the id was removed since the last step, its old pairs end and its new ones
    /// begin, even those that are the same.
    pub(super) fn insert(&mut self, id: u32, bounds: Aabb<V>, rests: bool) {
        self.items.make_room(id);
        debug_assert!(!self.items.has(id, flag::ALIVE), "an id in use");
        self.items.boxes[id as usize] = bounds;
        let flags = &mut self.items.flags[id as usize];
        *flags = *flags & !flag::RESTS | flag::ALIVE | flag::UNPLACED;
        if rests {
            *flags |= flag::RESTS;
        }
        self.doubt(id);
    }

    /// Takes out a box; its pairs end with the next step.
    pub(super) fn remove(&mut self, id: u32) {
        self.take(id);
        let flags = &mut self.items.flags[id as usize];
        // What was reborn and is removed again has only its first pairs.
        *flags = *flags & flag::DOUBT | flag::ENDED;
        self.doubt(id);
    }

    /// Gives a box another place or size.
    #[inline(always)]
    pub(super) fn set(&mut self, id: u32, bounds: Aabb<V>) {
        self.items.boxes[id as usize] = bounds;
        let flags = &mut self.items.flags[id as usize];
        let was = *flags;
        *flags = was | flag::MOVED | flag::DOUBT;
        self.has_other_doubts |= was & flag::RESTS != 0;
        if was & flag::DOUBT == 0 {
            self.pending.push(id);
        }
    }

    /// Takes a box that is equal to what it was, and yet may have zeros of another sign.
    #[inline(always)]
    pub(super) fn keep(&mut self, id: u32, bounds: Aabb<V>) {
        self.items.boxes[id as usize] = bounds;
    }

    /// Puts the pairs of a box in doubt.
    pub(super) fn touch(&mut self, id: u32) {
        self.items.flags[id as usize] |= flag::TOUCHED;
        self.doubt(id);
    }

    /// Says whether a box rests; its pairs stay.
    pub(super) fn rest(&mut self, id: u32, rests: bool) {
        if self.items.has(id, flag::RESTS) != rests {
            self.take(id);
            self.items.flags[id as usize] ^= flag::RESTS;
            self.doubt(id);
        }
    }

    #[inline(always)]
    pub(super) fn bounds(&self, id: u32) -> Aabb<V> {
        self.items.boxes[id as usize]
    }

    /// All boxes by id.
    #[inline(always)]
    pub(super) fn boxes(&self) -> &[Aabb<V>] {
        &self.items.boxes
    }

    /// Whether the pairs of the last step are sorted.
    pub(super) fn is_sorted(&self) -> bool {
        self.is_sorted
    }

    /// All pairs of the last step, each once, the lesser id first.
    pub(super) fn pairs(&self) -> &[[u32; 2]] {
        pairs_of(&self.pairs)
    }

    /// Those that the last step added, sorted.
    pub(super) fn begun(&self) -> &[[u32; 2]] {
        pairs_of(&self.begun)
    }

    /// Those that the last step took out, sorted.
    pub(super) fn ended(&self) -> &[[u32; 2]] {
        pairs_of(&self.ended)
    }

    /// Fails if there is no room for all pairs that the next step may find, nor, if events are copied, for two numbers of 64 bits
    /// for each of them. Where there is none for as many as there could be, the boxes that are in doubt are asked how many they
    /// meet.
    pub(super) fn check_room(&self, copies_events: bool) -> Result<(), Error> {
        /// The most bytes that a step takes for a pair: in lists that double, in keys to sort by, and as an event. Steps of
        /// millions of pairs that all begin take 63.
        const BYTES: usize = 64;
        let room = |pairs: usize| {
            let pairs = pairs.saturating_add(self.pairs().len());
            if copies_events {
                return reserve(&mut Vec::<[u8; BYTES + 16]>::new(), pairs);
            }
            reserve(&mut Vec::<[u8; BYTES]>::new(), pairs)
        };
        let alive = |id: u32| self.items.has(id, flag::ALIVE);
        let ids = (0..self.items.flags.len() as u32).filter(|&id| alive(id));
        let boxes: Vec<_> = ids.map(|id| self.bounds(id)).collect();
        let asking = self.pending.iter().filter(|&&id| alive(id));
        let many = asking.clone().count();
        if room(many.saturating_mul(boxes.len())).is_ok() {
            return Ok(());
        }
        let tree = Orthtree::try_new(&boxes)?;
        let met = |&id: &u32| tree.count(self.bounds(id)).saturating_sub(1);
        let met = asking.map(met).fold(0, usize::saturating_add);
        // Where all are asked, each pair is met twice.
        room(if many == boxes.len() { met / 2 } else { met })
    }

    /// Renews the order of about so many boxes.
    pub(super) fn optimize(&mut self, budget: usize) {
        let set = self.instructions();
        for tree in [&mut self.moving, &mut self.resting] {
            if tree.disorder > 0.0 || tree.strays > 0 {
                tree.start_renewal(&self.items);
            }
            tree.renew(&mut self.items, budget, false, set);
            tree.refit_levels(set);
        }
    }

    /// Memory in use, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let memory = &self.memory;
        let numbers = [
            &self.pending,
            &self.pairs,
            &self.begun,
            &self.ended,
            &memory.unplaced,
            &memory.old,
        ];
        let numbers: usize = numbers.into_iter().map(Vec::capacity).sum();
        let keys: usize = memory.keys.iter().map(Vec::capacity).sum();
        let both: usize = memory.both.iter().map(Vec::capacity).sum();
        self.items.bytes()
            + self.moving.bytes()
            + self.resting.bytes()
            + numbers * size_of::<u32>()
            + (memory.before.capacity() + both) * size_of::<Boxes<V>>()
            + keys * size_of::<u64>()
            + memory.doubts.capacity()
            + memory.old_boxes.bytes()
            + memory.queries.capacity() * size_of::<BoxQuery<V>>()
            + memory.found.bytes()
    }

    fn doubt(&mut self, id: u32) {
        self.has_other_doubts = true;
        let flags = &mut self.items.flags[id as usize];
        if *flags & flag::DOUBT == 0 {
            *flags |= flag::DOUBT;
            self.pending.push(id);
        }
    }

    /// Takes a box out of its slot.
    fn take(&mut self, id: u32) {
        let slot = core::mem::replace(&mut self.items.slots[id as usize], NO_SLOT);
        if slot != NO_SLOT {
            self.tree_of(id).take(slot);
        }
        self.items.flags[id as usize] |= flag::UNPLACED;
    }

    fn tree_of(&mut self, id: u32) -> &mut Tree<V> {
        if self.items.has(id, flag::RESTS) {
            &mut self.resting
        } else {
            &mut self.moving
        }
    }

    /// Takes an instruction set instead of the best; no answer depends on it.
    #[cfg(test)]
    fn set_instructions(&mut self, set: InstructionSet) {
        self.instructions = Some(set);
    }
}

// What every step relies on.

impl<V: Vector> Engine<V> {
    /// Checks the trees and the lists.
    pub(super) fn validate(&self) -> Result<(), &'static str> {
        let placed =
            self.check_tree(&self.moving, 0)? + self.check_tree(&self.resting, flag::RESTS)?;
        let slots = self.items.slots.iter().filter(|&&slot| slot != NO_SLOT);
        if slots.count() != placed {
            return Err("a box is not in its slot");
        }
        let mut pairs = Cow::Borrowed(pairs_of(&self.pairs));
        if !self.is_sorted {
            pairs.to_mut().sort_unstable();
        }
        for list in [&*pairs, self.begun(), self.ended()] {
            if !list.is_sorted_by(|a, b| a < b) {
                return Err("the pairs are not sorted");
            }
        }
        for &[a, b] in pairs_of(&self.pairs) {
            if a >= b {
                return Err("a pair has its greater id first");
            }
            if self.items.has(a, flag::DOUBT) || self.items.has(b, flag::DOUBT) {
                continue;
            }
            if !self.items.has(a, flag::ALIVE) || !self.items.has(b, flag::ALIVE) {
                return Err("a pair of a box that was removed");
            }
            if !self.bounds(a).overlaps(&self.bounds(b)) {
                return Err("a pair that does not overlap");
            }
        }
        Ok(())
    }

    /// Checks a tree, and says how many boxes it has.
    fn check_tree(&self, tree: &Tree<V>, rests: u8) -> Result<usize, &'static str> {
        let items: &Items<V> = &self.items;
        let mut len = 0;
        for (slot, &id) in tree.ids.iter().flat_map(|ids| &ids.0).enumerate() {
            let (block, lane) = (slot / LANES, slot % LANES);
            if id == NO_ID {
                if !tree.levels[0][block].is_empty(lane) {
                    return Err("a box without an id");
                }
                continue;
            }
            len += 1;
            if items.slots.get(id as usize) != Some(&(slot as u32))
                || items.flags[id as usize] & flag::RESTS != rests
            {
                return Err("a box is not in its slot");
            }
            let bounds = tree.levels[0][block].get(lane);
            if items.is_in_slot(id) && bounds != items.boxes[id as usize] {
                return Err("a slot holds another box");
            }
        }
        for (below, level) in tree.levels.iter().zip(tree.above()) {
            for (at, boxes) in below.iter().enumerate() {
                let bounds = level[at / LANES].get(at % LANES);
                for lane in (0..LANES).filter(|&lane| !boxes.is_empty(lane)) {
                    if bounds.union(&boxes.get(lane)) != bounds {
                        return Err("bounds do not hold what is below");
                    }
                }
            }
        }
        if len != tree.len || tree.marks.iter().any(|&marks| marks != 0) {
            return Err("the boxes of a tree are miscounted");
        }
        Ok(len)
    }
}
