//! A step of the world, from beginning to end.
//!
//! ```text
//! few bodies changed: write each of them into its place in the tree, and keep its block as it was;
//!                     query the tree with its new and its old box, for the pairs that began and ended;
//!                     patch the sorted list of pairs
//! most changed:       write all boxes that may move into their places;
//!                     walk over the tree for all pairs, sort them, and compare them with the list before;
//!                     or, where events are wanted and few pairs changed in the last step:
//!                     walk over old and new bounds for the pairs that began and ended, and patch the list
//! no pairs wanted:    write boxes as above, search nothing, and end the pairs that are left
//! sort the boxes of the tree again: in shares over some steps if boxes have moved far, at once if many are newcomers
//! name the events, and free the keys of removed bodies
//! ```
//!
//! Only bodies that changed since the last step can have other pairs: those that were inserted, removed, placed, or
//! given another filter or motion.
//!
//! - A removed body leaves its place in the tree, and its pairs end. Its key is free after the step.
//! - A sleeping body stays where it is until the end of a sort of the tree that began after it fell asleep; from then on it
//!   is among the boxes at rest, for which no search runs. If it changes, it becomes a newcomer, so that no box at rest has ever changed.
//! - A body that jumps out of the surroundings of its block becomes a newcomer where few bodies changed. Where most did, it keeps
//!   its place; the walk takes longer, and so the tree is sorted earlier.

use alloc::vec::Vec;
use core::mem::{swap, take};

use super::changed_pairs::{MOST_BLOCKS, changed_pairs};
use super::pair_walk::walk_pairs;
use super::pairs::{Event, Pair, PairsFound, differ, extend_if, ids, keep_known, patch, sort};
use super::table::{Bodies, Life};
use super::tree::{NONE, unite};
use super::{World, size_order};
use crate::error::{Error, reserve};
use crate::handle::Handle;
use crate::orthtree::Orthtree;
use crate::parallel::{GRAIN, in_pool};
use crate::simd::LANES;
use crate::vector::Vector;

/// Few bodies changed if there is at most one for this many boxes that may move.
const BOXES_TO_A_CHANGE: usize = 7;
/// Few pairs changed in the last step if fewer than one in this many did.
const PAIRS_TO_AN_EVENT: usize = 5;
/// A search that takes this many tests of blocks more than the cheapest since the last sort counts as one misplaced box.
const WORK_TO_DISORDER: f64 = 3.0;
/// More newcomers than this are sorted before they are appended.
const FEW_NEWCOMERS: usize = 64;

impl<V: Vector> World<V> {
    /// Brings the pairs up to date. If events are wanted, the pairs are sorted, and so are the events; if not, the pairs
    /// may be in any order.
    pub(super) fn step(&mut self, wants_events: bool) {
        self.events.clear();
        let changed = self.bodies.changed.len();
        // Queries number the blocks in a few bits. Newcomers may add a block each.
        let few = BOXES_TO_A_CHANGE * changed <= self.tree.len - self.tree.at_rest
            && self.tree.ids.len() + changed <= MOST_BLOCKS;
        self.tree.is_fresh &= changed == 0;
        // Sort the pairs if the last step did not, and this one needs them sorted.
        if !self.is_sorted && (few && changed > 0 || wants_events) {
            sort(&mut self.pairs, &mut self.scratch);
            self.is_sorted = true;
        }
        in_pool(changed > GRAIN, || {
            if changed == 0 {
                // Nothing can have begun or ended.
            } else if few {
                self.query_changed();
            } else {
                self.walk(wants_events);
            }
        });
        if !wants_events {
            self.events.clear();
        }
        self.bodies.settle();
    }

    /// Takes a step in which few bodies changed: queries the tree for each of them.
    fn query_changed(&mut self) {
        self.write_changed(true);
        // Find the pairs that began and ended.
        let all = self.bodies.any_rejudged || self.bodies.any_by_shape();
        // A removed body no longer counts in `judged_counts`, though not all overlaps of its old box need have been pairs.
        let judges = self.bodies.any_rejudged || !self.bodies.gone.is_empty() || self.judges();
        let mut found = take(&mut self.found);
        found.clear();
        if self.rules.paired {
            changed_pairs(self, all, judges, &mut found);
        }
        if all {
            self.find_pairs_of_changed(&mut found.ended);
        }
        self.patch_pairs(found, all, judges);
        self.changing.finish(&mut self.tree);
        self.reorder();
    }

    /// Lists the pairs of the last step that have a changed body.
    fn find_pairs_of_changed(&mut self, to: &mut Vec<Pair>) {
        // A table of bytes stays in the cache, unlike the table of bodies.
        let flags = &mut self.flags;
        flags.resize(self.bodies.end() as usize, 0);
        for &id in &self.bodies.changed {
            flags[id as usize] = 1;
        }
        // In chunks, so that `extend_if` makes room for at most 256 pairs that it does not keep.
        for pairs in self.pairs.chunks(256) {
            extend_if(to, pairs.iter().copied(), |[a, b]| {
                flags[a as usize] | flags[b as usize] != 0
            });
        }
        for &id in &self.bodies.changed {
            flags[id as usize] = 0;
        }
    }

    /// Takes a step in which most bodies changed: walks over the tree, for all pairs or, if few are expected to change, for
    /// those that began and ended.
    fn walk(&mut self, wants_events: bool) {
        let end = self.tree.end;
        self.write_changed(false);
        // The old pairs follow from the old boxes if no body came or went, and all pairs are overlaps of boxes.
        let are_known = self.tree.end == end
            && self.bodies.gone.is_empty()
            && self.tree.disorder < f64::INFINITY
            && !self.bodies.any_rejudged
            && !self.bodies.any_by_shape();
        let few_events = PAIRS_TO_AN_EVENT * self.last_events < self.pairs.len();
        let by_changes = wants_events && are_known && few_events;
        // Write the boxes, and search.
        let set = self.instructions();
        if by_changes {
            self.tree.keep_old(&mut self.before);
            self.tree.gather(&self.bodies, set);
            unite(&mut self.before[1..], &self.tree.levels[1..], set);
        } else if !self.reorder() {
            self.tree.gather(&self.bodies, set);
        }
        let (mut found, judges) = (take(&mut self.found), self.judges());
        found.clear();
        if self.rules.paired {
            let before = by_changes.then_some(&*self.before);
            walk_pairs(self, before, judges, &mut found);
        }
        self.note_work(usize::from(by_changes), found.work);
        // Bring the list of pairs up to date.
        if by_changes {
            self.patch_pairs(found, false, judges);
            self.reorder();
        } else {
            swap(&mut self.old, &mut self.pairs);
            swap(&mut self.pairs, &mut found.begun);
            self.found = found;
            if self.tree.any_asleep {
                // The walk left out pairs of two boxes at rest, which stay. Two static bodies are never a pair.
                let rests = |id: u32| self.tree.rests_at(self.tree.place_of(id));
                let kept = self.old.iter().copied();
                let kept = kept.filter(|&pair| ids(pair).into_iter().all(rests));
                self.pairs.extend(kept);
            }
            self.is_sorted = wants_events;
            if wants_events {
                sort(&mut self.pairs, &mut self.scratch);
                list_events(&self.old, &self.pairs, &self.bodies, &mut self.events);
            }
        }
        if wants_events {
            self.last_events = self.events.len();
        }
    }

    /// True if the rules have to judge overlapping boxes. Static bodies need no judgement while all of them are in the
    /// run at rest, where no two boxes are compared.
    fn judges(&self) -> bool {
        let [_, by_motion, by_info, by_shape] = self.bodies.judged_counts;
        let all_at_rest = !self.tree.any_asleep && by_motion == self.tree.at_rest;
        by_info + by_shape > 0 || by_motion > 0 && !all_at_rest
    }

    /// Brings the list of pairs up to date with those that a search found: pairs that began, and overlaps that ended. With `all`, it found
    /// all new and all old pairs of the changed bodies, the latter sorted.
    fn patch_pairs(&mut self, mut found: PairsFound, all: bool, judges: bool) {
        sort(&mut found.begun, &mut self.scratch);
        if !all {
            sort(&mut found.ended, &mut self.scratch);
            if judges {
                keep_known(&mut found.ended, &self.pairs);
            }
        }
        // Keep the pairs that are in one list only. A body that went to another place in the tree may have the same pair in both.
        list_events(&found.ended, &found.begun, &self.bodies, &mut self.events);
        self.found = found;
        if !self.events.is_empty() {
            let set = self.instructions();
            patch(&self.pairs, &self.events, &mut self.old, set);
            swap(&mut self.pairs, &mut self.old);
        }
    }

    /// Brings the places in the tree up to date for all bodies that changed. If they are few, writes their boxes, and
    /// keeps their blocks as they were; if not, boxes that keep their place are written later, all at once.
    fn write_changed(&mut self, few: bool) {
        let set = self.instructions();
        let (bodies, tree) = (&self.bodies, &mut self.tree);
        let (changed, mut newcomers) = (&mut self.changing, Vec::new());
        if few {
            changed.start(tree.ids.len());
        }
        // Removed bodies, and changed bodies at rest, leave their places. Skip the loop if there are none and every body has a place.
        let all_stay =
            !few && bodies.gone.is_empty() && tree.at_rest == 0 && tree.len == bodies.len();
        let changed_bodies = if all_stay { &[] } else { &*bodies.changed };
        for &id in changed_bodies {
            let place = tree.place_of(id);
            let is_gone = || bodies.table[id as usize].life == Life::Gone;
            if few && place != NONE {
                changed.mark(place);
            } else if place == NONE || tree.rests_at(place) || is_gone() {
                if place != NONE {
                    tree.take(place);
                    tree.forget(place);
                }
                if !is_gone() {
                    newcomers.push(id);
                }
            }
        }
        if few {
            changed.write_marked(tree, bodies, &mut newcomers);
        }
        if !few && newcomers.len() > bodies.len() / 16 {
            // Force a sort of all boxes, which finds places for the newcomers.
            tree.disorder = f64::INFINITY;
        } else {
            // Append the newcomers, in the order of the tree if they are many.
            if newcomers.len() > FEW_NEWCOMERS {
                newcomers = size_order::sorted(bodies, &newcomers, set).concat();
                tree.end = tree.end.next_multiple_of(LANES);
            }
            for &id in &newcomers {
                if few {
                    changed.append(tree, id, bodies.bounds(id));
                } else {
                    tree.append(id, &bodies.bounds(id));
                }
            }
        }
    }

    /// Sorts all boxes if they are out of order, or a part of them if they soon will be. Returns true if the tree has a new order.
    fn reorder(&mut self) -> bool {
        let set = self.instructions();
        let is_new = self.tree.reorder(&self.bodies, set);
        if is_new {
            self.least_work = [usize::MAX; 2];
        }
        is_new
    }

    /// Sorts the tree ahead of time, unless bodies have changed since the last step, or none has since the last sort.
    pub(super) fn optimize(&mut self, budget: usize) {
        if budget > 0 && self.bodies.changed.is_empty() && !self.tree.is_fresh {
            self.tree.sort(&self.bodies, self.instructions());
            self.least_work = [usize::MAX; 2];
        }
    }

    /// Adds to the disorder of the tree if a search takes more work than the cheapest of its kind since the last sort.
    /// `kind` is an index into `least_work`.
    fn note_work(&mut self, kind: usize, work: usize) {
        let least = &mut self.least_work[kind];
        *least = work.min(*least);
        self.tree.disorder += (work - *least) as f64 / WORK_TO_DISORDER;
    }

    /// Fails if there is no room for all pairs that the next step may find and, if events are copied, for two 64-bit numbers for each of
    /// them. If all conceivable pairs do not fit, counts the boxes that overlap those of changed bodies.
    pub(super) fn check_room(&self, copies_events: bool) -> Result<(), Error> {
        /// The most bytes that a step takes for a pair: in lists that double, in keys to sort by, and as an event. Steps of
        /// millions of pairs that all begin take 63.
        const BYTES: usize = 64;
        if !self.rules.paired {
            return Ok(());
        }
        let room = |pairs: usize| {
            let pairs = pairs.saturating_add(self.pairs.len());
            if copies_events {
                return reserve(&mut Vec::<[u8; BYTES + 16]>::new(), pairs);
            }
            reserve(&mut Vec::<[u8; BYTES]>::new(), pairs)
        };
        let all = self.bodies.len();
        let changed = self.bodies.changed.iter();
        let changed = changed.filter_map(|&id| self.bodies.alive(id));
        let many = changed.clone().count();
        if room(many.saturating_mul(all)).is_ok() {
            return Ok(());
        }
        let bounds = |body: Handle| self.bodies.bounds(body.slot);
        let boxes: Vec<_> = self.bodies.handles().map(bounds).collect();
        let tree = Orthtree::try_new(&boxes)?;
        let met = changed.map(|body| tree.count(bounds(body)).saturating_sub(1));
        let met = met.fold(0, usize::saturating_add);
        // If all bodies changed, each pair was counted twice.
        room(if many == all { met / 2 } else { met })
    }
}

/// Appends an event for each pair that is in one of two sorted lists only.
fn list_events<V: Vector>(old: &[Pair], new: &[Pair], bodies: &Bodies<V>, events: &mut Vec<Event>) {
    differ(old, new, |pair, begins| {
        let [a, b] = ids(pair).map(|id| bodies.handle(id));
        events.push(if begins {
            Event::Begin(a, b)
        } else {
            Event::End(a, b)
        });
    });
}
