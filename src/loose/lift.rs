//! Taking an entry out of its leaf, and what that leaves behind.

use alloc::vec::Vec;

use super::LooseOrthtree;
use super::lanes::{SLACK, parts, replace};
use super::node::{EMPTY, INNER};
use super::rule::{FAN, all_bits};
use crate::Bounded;
use crate::simd::LANES;

/// A leaf of no more than this looks for another to go into.
const SMALL: u32 = 3;
/// What two leaves may hold to become one.
const MERGED: u32 = LANES as u32 / 2 + 2;

impl<T: Bounded> LooseOrthtree<T> {
    /// Takes an entry out of its leaf; it stays in the slab.
    #[inline]
    pub(super) fn lift(&mut self, slot: u32) {
        let entry = &self.entries[slot as usize];
        let (number, place) = (entry.leaf, entry.place as usize);
        let leaf = &mut self.leaves[number as usize];
        leaf.len -= 1;
        leaf.departures += 1;
        let (len, departures) = (leaf.len, leaf.departures);
        if place < len as usize {
            self.copy((number, len as usize), (number, place));
        }
        if len > 0 && departures > SLACK * len {
            self.tighten(number);
        }
        if len <= SMALL {
            self.shrink(number);
        }
    }

    /// Frees an empty leaf, and joins a small one with another.
    fn shrink(&mut self, number: u32) {
        let leaf = &self.leaves[number as usize];
        let (at, _) = parts(leaf.parent);
        if leaf.len == 0 {
            self.discard(number);
        } else if at != 0 && self.nodes[at].lanes == 1 {
            // No more use for a node. What moved there may lie in other cells of the node above.
            let mut slots = [0; LANES];
            let slots = &mut slots[..leaf.len as usize];
            slots.copy_from_slice(leaf.slots());
            self.discard(number);
            for &slot in &*slots {
                self.place(slot);
            }
        } else if at != 0
            && let Some(other) = self.companion(number)
        {
            self.join(number, other);
        }
    }

    /// A leaf of the same node that has room for all of a leaf, and lies beside it if one does.
    fn companion(&self, number: u32) -> Option<u32> {
        let leaf = &self.leaves[number as usize];
        let (at, _) = parts(leaf.parent);
        let node = &self.nodes[at];
        let fits = |lane: usize, most: u32| {
            let child = node.children[lane / LANES][lane % LANES];
            let is_other = child & INNER == 0 && child != number;
            (is_other && leaf.len + self.leaves[child as usize].len <= most).then_some(child)
        };
        let (cell, _) = node.cell(self.center_at(number, 0), leaf.slots[0]);
        let beside = (0..all_bits::<T::Vector>()).map(|bit| node.lane_of[cell ^ 1 << bit]);
        let mut beside = beside.filter(|&lane| lane != EMPTY);
        let beside = beside.find_map(|lane| fits(usize::from(lane), MERGED));
        beside.or_else(|| (0..node.lanes as usize).find_map(|lane| fits(lane, 2 * SMALL)))
    }

    /// Moves the items and cells of a leaf to another of the same node.
    fn join(&mut self, number: u32, other: u32) {
        let (from, to) = (
            self.leaves[number as usize].parent,
            self.leaves[other as usize].parent,
        );
        let (at, _) = parts(from);
        for place in 0..self.leaves[number as usize].len as usize {
            let end = self.leaves[other as usize].len as usize;
            self.copy((number, place), (other, end));
            self.leaves[other as usize].len += 1;
        }
        self.leaves[number as usize].len = 0;
        let lane = |lane: u32| parts(lane).1 as u8;
        replace(&mut self.nodes[at].lane_of, lane(from), lane(to));
        self.tighten(other);
        self.discard(number);
    }

    /// Frees a leaf and its lane, and nodes above that are left without any.
    fn discard(&mut self, number: u32) {
        let lane = self.leaves[number as usize].parent;
        self.leaves[number as usize].len = 0;
        self.drop_lane(lane);
        self.free_leaf(number);
        let (mut at, _) = parts(lane);
        while at != 0 && self.nodes[at].lanes == 0 {
            let lane = self.nodes[at].parent;
            self.drop_lane(lane);
            let last = self.nodes.len() - 1;
            self.free_node(at);
            let (above, _) = parts(lane);
            at = if above == last { at } else { above };
        }
        self.bypass(at);
        give_back(&mut self.leaves);
        give_back(&mut self.highs);
        give_back(&mut self.radii);
        give_back(&mut self.nodes);
        give_back(&mut self.roundings);
    }

    /// Frees a node of which another is all that is left, and puts that in its place: else the way
    /// down would be as long as it ever was.
    fn bypass(&mut self, at: usize) {
        let only = (at * FAN) as u32;
        if at == 0 || self.nodes[at].lanes != 1 || self.child(only) & INNER == 0 {
            return;
        }
        let lane = self.nodes[at].parent;
        let bounds = self.lane_bounds(only);
        self.link(lane, self.child(only));
        self.set_lane_bounds(lane, &bounds);
        self.nodes[at].lanes = 0;
        self.free_node(at);
    }
}

/// Lets go of room that is mostly unused.
fn give_back<X>(list: &mut Vec<X>) {
    if list.len() < list.capacity() / 4 {
        list.shrink_to(2 * list.len());
    }
}
