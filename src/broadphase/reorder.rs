//! Puts the boxes of the tree in the order of the curve again: all at once, or a share of them at the end of each step.
//!
//! ```text
//! at once:    sort all bodies, those at rest first; give each its place; write all boxes and bounds
//! in shares:  sort the bodies that may move, and keep the list
//!             at the end of each later step, take the boxes of some of them from their places, and append them
//!             when all have been moved, remove the nodes where they were, which are empty
//! ```
//!
//! Shares keep the longest step short. Nothing else depends on them: a box that has moved is a newcomer like others.

use alloc::vec::Vec;

use super::curve_order;
use super::table::{Bodies, Body, Change, Life};
use super::tree::{NODE, NONE, Tree, refit};
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::Vector;

/// The number of steps in which boxes are moved.
const SHARES: usize = 4;
/// The misplaced boxes to a body from which on all are sorted at once.
const MOST_DISORDER: f64 = 4.0;

/// Boxes on the way to their new places.
#[derive(Clone)]
pub(super) struct Renewal {
    /// The keys of the bodies that could move when the renewal began, in their new order.
    pub(super) order: Vec<u32>,
    /// The number of them that were moved.
    moved: usize,
    /// The end of the places from which they are taken: that of a node.
    end: usize,
}

impl<V: Vector> Tree<V> {
    /// True if all boxes have to be sorted at once, since bodies wait for their places.
    pub(super) fn must_be_sorted(&self) -> bool {
        self.levels.is_empty() || self.disorder == f64::INFINITY
    }

    /// Goes on with a renewal of the order, or begins one if boxes are out of order. If bodies have come to rest, sorts all at
    /// once. Returns true if boxes are in order now, and were not before.
    pub(super) fn reorder(&mut self, bodies: &Bodies<V>, set: InstructionSet) -> bool {
        // Most bodies jumped: searches would take too long until the last share is moved.
        if self.disorder > MOST_DISORDER * bodies.len() as f64 {
            self.sort(bodies, set);
            return true;
        }
        if let Some(renewal) = self.renewal.take() {
            return self.renew(renewal, set);
        }
        if !self.is_out_of_order(bodies.len()) {
            return false;
        }
        if alive(bodies)
            .filter(|&(id, body)| rests(bodies, id, body))
            .count()
            != self.at_rest
        {
            self.sort(bodies, set);
            return true;
        }
        let ids = self.ids[self.resting / LANES..]
            .iter()
            .flat_map(|ids| ids.0);
        let ids: Vec<u32> = ids.filter(|&id| id != NONE).collect();
        self.end = self.ids.len() * LANES;
        self.renewal = Some(Renewal {
            order: curve_order::sorted(bodies, &ids, |_| false, set),
            moved: 0,
            end: self.end,
        });
        false
    }

    /// Moves a share of the boxes. Returns true if it was the last one.
    fn renew(&mut self, mut renewal: Renewal, set: InstructionSet) -> bool {
        let disorder = self.disorder;
        let share = renewal.order.len().div_ceil(SHARES);
        let behind = renewal.order.iter().skip(renewal.moved).take(share);
        for &id in behind {
            // A body may have gone or moved by now, or another one may have its key.
            let place = self.place_of(id);
            if !self.rests_at(place) && (place as usize) < renewal.end {
                let bounds = self.levels[0][place as usize / LANES].get(place as usize % LANES);
                self.take(place);
                self.forget(place);
                self.append(id, &bounds);
            }
        }
        self.disorder = disorder;
        renewal.moved += share;
        let is_last = renewal.moved >= renewal.order.len();
        if is_last {
            self.remove_nodes(renewal.end);
            (self.sorted, self.disorder) = (self.end, 0.0);
        } else {
            self.renewal = Some(renewal);
        }
        run!(set, |simd| refit(simd, &mut self.levels));
        is_last
    }

    /// Removes the nodes between those at rest and a place, which are empty. Bounds have to be found again.
    fn remove_nodes(&mut self, end: usize) {
        let first = self.resting;
        self.ids.drain(first / LANES..end / LANES);
        self.levels[0].drain(first / LANES..end / LANES);
        self.levels[1].drain(first / NODE..end / NODE);
        self.levels.iter_mut().skip(2).for_each(Vec::clear);
        self.resize((self.ids.len() / LANES).max(1));
        self.end -= end - first;
        let behind = self.ids[first / LANES..].iter().flat_map(|ids| &ids.0);
        for (place, &id) in behind.enumerate().filter(|&(_, &id)| id != NONE) {
            self.places[id as usize] = (first + place) as u32;
        }
    }

    /// Sorts all boxes at once.
    pub(super) fn sort(&mut self, bodies: &Bodies<V>, set: InstructionSet) {
        let ids: Vec<u32> = alive(bodies).map(|(id, _)| id).collect();
        // If all bodies changed, skip the test of each.
        let all_changed = bodies.changed.len() == bodies.table.len();
        let any_rests = !all_changed && alive(bodies).any(|(id, body)| rests(bodies, id, body));
        let at_rest = |&id: &u32| any_rests && rests(bodies, id, &bodies.table[id as usize]);
        let order = curve_order::sorted(bodies, &ids, |id| at_rest(&id), set);
        // Divide the places into runs.
        self.len = order.len();
        self.at_rest = order.partition_point(at_rest);
        self.any_asleep = any_rests && alive(bodies).any(|(_, body)| body.asleep);
        self.resting = self.at_rest.next_multiple_of(NODE);
        self.end = self.resting + order.len() - self.at_rest;
        // Give each body its place. Blocks and their bounds are written below, all of them.
        self.levels.iter_mut().skip(2).for_each(Vec::clear);
        self.ids.clear();
        self.resize(self.end.div_ceil(NODE).max(1));
        self.places.clear();
        self.places.resize(bodies.end() as usize, NONE);
        let gap = self.resting - self.at_rest;
        for (at, &id) in order.iter().enumerate() {
            let place = if at < self.at_rest { at } else { at + gap };
            self.ids[place / LANES].0[place % LANES] = id;
            self.places[id as usize] = place as u32;
        }
        self.gather_from(0, bodies, set);
        (self.sorted, self.disorder) = (self.end, 0.0);
        (self.renewal, self.is_fresh) = (None, true);
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
fn rests<V: Vector>(bodies: &Bodies<V>, id: u32, body: &Body<V>) -> bool {
    body.change == Change::None && bodies.rests(id)
}
