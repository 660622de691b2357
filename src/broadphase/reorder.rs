//! Puts the boxes of the tree in the order of the curve again.
//!
//! ```text
//! sort the bodies along the curve, those at rest first
//! give each body its place; write all boxes and bounds
//! ```

use alloc::vec::Vec;

use super::curve_order;
use super::table::{Bodies, Body, Change, Life};
use super::tree::{NODE, NONE, Tree};
use crate::simd::{InstructionSet, LANES};
use crate::vector::Vector;

impl<V: Vector> Tree<V> {
    /// Sorts all boxes if they are out of order. Returns true if they were.
    pub(super) fn reorder(&mut self, bodies: &Bodies<V>, set: InstructionSet) -> bool {
        let is_out_of_order = self.is_out_of_order(bodies.len());
        if is_out_of_order {
            self.sort(bodies, set);
        }
        is_out_of_order
    }

    /// Sorts all boxes.
    pub(super) fn sort(&mut self, bodies: &Bodies<V>, set: InstructionSet) {
        let ids: Vec<u32> = alive(bodies).map(|(id, _)| id).collect();
        // If all bodies changed, skip the test of each.
        let all_changed = bodies.changed.len() == bodies.table.len();
        let is_at_rest = |id: u32| !all_changed && rests(bodies, id);
        let order = curve_order::sorted(bodies, &ids, is_at_rest, set);
        // Divide the bodies into runs.
        let (at_rest, others) = order.split_at(order.partition_point(|&id| is_at_rest(id)));
        self.len = order.len();
        self.at_rest = at_rest.len();
        self.any_asleep = at_rest.iter().any(|&id| bodies.table[id as usize].asleep);
        self.resting = self.at_rest.next_multiple_of(NODE);
        self.end = self.resting + others.len();
        // Give each body its place. Blocks and their bounds are written below, all of them.
        self.levels.iter_mut().skip(2).for_each(Vec::clear);
        self.ids.clear();
        self.resize(self.end.div_ceil(NODE).max(1));
        self.places.clear();
        self.places.resize(bodies.end() as usize, NONE);
        for (first, ids) in [(0, at_rest), (self.resting, others)] {
            for (place, &id) in (first..).zip(ids) {
                self.ids[place / LANES].0[place % LANES] = id;
                self.places[id as usize] = place as u32;
            }
        }
        self.gather_from(0, bodies, set);
        (self.sorted, self.disorder, self.is_fresh) = (self.end, 0.0, true);
    }
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
