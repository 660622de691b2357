//! Puts the boxes of the tree in the order of the curve again.
//!
//! ```text
//! sort the bodies along the curve
//! in the next step: give each body its place, those at rest first; write all boxes and bounds
//! ```
//!
//! Two steps share the work, so that the longest step is shorter. If bodies wait for their places, one step does all of it.

use alloc::vec::Vec;

use super::curve_order;
use super::table::{Bodies, Body, Change, Life};
use super::tree::{NODE, NONE, Tree};
use crate::simd::{InstructionSet, LANES};
use crate::vector::Vector;

impl<V: Vector> Tree<V> {
    /// Writes all boxes that may move into their places as they are now, or into new places if it is time for them. Returns true
    /// if places are new.
    pub(super) fn gather_or_sort(&mut self, bodies: &Bodies<V>, set: InstructionSet) -> bool {
        // Bodies wait for their places.
        if self.levels.is_empty() || self.disorder == f64::INFINITY {
            self.sort(bodies, set);
            return true;
        }
        let is_sorted = self.next_order.is_some();
        if let Some(order) = self.next_order.take() {
            self.arrange(&order, bodies, set);
        } else {
            self.gather_from(self.resting / NODE, bodies, set);
        }
        is_sorted
    }

    /// Ends a step: sorts bodies for the next step if boxes are out of order, or arranges them if they were sorted in an earlier
    /// step. Returns true if places are new.
    pub(super) fn reorder(&mut self, bodies: &Bodies<V>, set: InstructionSet) -> bool {
        if let Some(order) = self.next_order.take() {
            self.arrange(&order, bodies, set);
            return true;
        }
        if self.is_out_of_order(bodies.len()) {
            self.next_order = Some(order(bodies, set));
        }
        false
    }

    /// Sorts all boxes at once.
    pub(super) fn sort(&mut self, bodies: &Bodies<V>, set: InstructionSet) {
        self.arrange(&order(bodies, set), bodies, set);
        self.is_fresh = true;
    }

    /// Gives bodies their places by an order. Some of them may have gone since it was found, and others come.
    fn arrange(&mut self, order: &[u32], bodies: &Bodies<V>, set: InstructionSet) {
        // Find the bodies that are not in the order, and put them last.
        self.places.clear();
        self.places.resize(bodies.end() as usize, NONE);
        for &id in order {
            self.places[id as usize] = 0;
        }
        let is_new = |id: &u32| self.places[*id as usize] == NONE;
        let new: Vec<u32> = alive(bodies).map(|(id, _)| id).filter(is_new).collect();
        let all = order.iter().chain(&new).copied();
        let all = all.filter(|&id| bodies.alive(id).is_some());
        // Divide the bodies into runs.
        let all_changed = bodies.changed.len() == bodies.table.len();
        let (at_rest, others): (Vec<u32>, Vec<u32>) =
            all.partition(|&id| !all_changed && rests(bodies, id));
        self.len = at_rest.len() + others.len();
        self.at_rest = at_rest.len();
        self.any_asleep = at_rest.iter().any(|&id| bodies.table[id as usize].asleep);
        self.resting = self.at_rest.next_multiple_of(NODE);
        self.end = self.resting + others.len();
        // Give each body its place. Blocks and their bounds are written below, all of them.
        self.levels.iter_mut().skip(2).for_each(Vec::clear);
        self.ids.clear();
        self.resize(self.end.div_ceil(NODE).max(1));
        self.places.fill(NONE);
        for (first, ids) in [(0, at_rest), (self.resting, others)] {
            for (place, id) in (first..).zip(ids) {
                self.ids[place / LANES].0[place % LANES] = id;
                self.places[id as usize] = place as u32;
            }
        }
        self.gather_from(0, bodies, set);
        (self.sorted, self.disorder, self.next_order) = (self.end, 0.0, None);
    }
}

/// The keys of all bodies along the curve, those at rest first.
fn order<V: Vector>(bodies: &Bodies<V>, set: InstructionSet) -> Vec<u32> {
    let ids: Vec<u32> = alive(bodies).map(|(id, _)| id).collect();
    let all_changed = bodies.changed.len() == bodies.table.len();
    curve_order::sorted(bodies, &ids, |id| !all_changed && rests(bodies, id), set)
}

/// The bodies that were not removed.
fn alive<V: Vector>(bodies: &Bodies<V>) -> impl Iterator<Item = (u32, &Body<V>)> {
    let alive = bodies
        .table
        .iter()
        .filter(|(_, body)| body.life != Life::Gone);
    alive.map(|(id, body)| (id as u32, body))
}

/// True if a body rests. One that changed in this step does not rest yet, since its pairs may still have to be found.
fn rests<V: Vector>(bodies: &Bodies<V>, id: u32) -> bool {
    bodies.table[id as usize].change == Change::None && bodies.rests(id)
}
