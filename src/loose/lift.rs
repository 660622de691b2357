//! Taking an entry out of its leaf, and what that leaves behind.

use alloc::vec::Vec;

use super::LooseOrthtree;
use super::lanes::{SLACK, parts};
use super::node::{FAN, INNER, NONE, Node};
use crate::Bounded;
use crate::simd::LANES;

/// A leaf of no more than this looks for another to go into.
const SMALL: u32 = 4;
/// What two leaves may hold to become one.
const MERGED: u32 = LANES as u32 / 2 + 2;
/// A node of no more lanes than this looks for another to go into.
const FEW: u32 = FAN as u32 / 5;
/// How many lanes two nodes may have to become one.
const JOINED: u32 = FAN as u32 * 5 / 8;

impl<T: Bounded> LooseOrthtree<T> {
    /// Takes what lies at a place of a leaf out of it.
    #[inline]
    pub(super) fn lift(&mut self, number: u32, place: usize) {
        let leaf = &mut self.leaves[number as usize];
        leaf.len -= 1;
        leaf.departures += 1;
        let (len, departures) = (leaf.len, leaf.departures);
        if place < len as usize {
            self.copy((number, len as usize), (number, place));
        }
        if len == 0 {
            return self.discard(number);
        }
        if departures > SLACK * len {
            self.tighten(number);
        }
        if len <= SMALL {
            self.shrink(number);
        }
    }

    /// Joins a small leaf with one beside it, if there is room for all.
    fn shrink(&mut self, number: u32) {
        let leaf = &self.leaves[number as usize];
        let (at, lane) = parts(leaf.parent);
        let node = &self.nodes[at];
        let rank = node.fences.rank(lane as u8);
        let lanes = node.fences.lanes();
        let fits = |rank: usize| {
            let lane = usize::from(*lanes.get(rank)?);
            let other = node.children[lane / LANES][lane % LANES];
            (leaf.len + self.leaves[other as usize].len <= MERGED).then_some(other)
        };
        if let Some(other) = rank.checked_sub(1).and_then(fits) {
            self.join(number, other);
        } else if let Some(other) = fits(rank + 1) {
            self.nodes[at].fences.swap(rank, rank + 1);
            self.join(number, other);
        }
    }

    /// Moves the items of a leaf to the one before it.
    fn join(&mut self, number: u32, other: u32) {
        for place in 0..self.leaves[number as usize].len as usize {
            let end = self.leaves[other as usize].len as usize;
            self.copy((number, place), (other, end));
            self.leaves[other as usize].len += 1;
        }
        self.tighten(other);
        self.discard(number);
    }

    /// Frees a leaf and its lane, and nodes above that are of no more use.
    fn discard(&mut self, number: u32) {
        let lane = self.leaves[number as usize].parent;
        self.leaves[number as usize].len = 0;
        self.drop_lane(lane);
        self.free_leaf(number);
        self.settle(parts(lane).0);
        give_back(&mut self.leaves);
        give_back(&mut self.highs);
        give_back(&mut self.radii);
        give_back(&mut self.nodes);
        give_back(&mut self.roundings);
    }

    /// Frees a node without lanes, joins one that has few with another, and goes on above.
    fn settle(&mut self, mut at: usize) {
        while at != 0 {
            let emptied = match self.nodes[at].lanes {
                0 => Some(at),
                1..=FEW => self.merge(at),
                _ => None,
            };
            let Some(emptied) = emptied else { return };
            let lane = self.nodes[emptied].parent;
            self.drop_lane(lane);
            let last = self.nodes.len() - 1;
            self.free_node(emptied);
            let (above, _) = parts(lane);
            at = if above == last { emptied } else { above };
        }
        while self.nodes[0].lanes == 1 && self.child(0) & INNER != 0 {
            self.lower((self.child(0) & !INNER) as usize);
        }
    }

    /// Moves the lanes of a node and of one beside it into the first of both, if there is room for
    /// all. The other has none then.
    fn merge(&mut self, at: usize) -> Option<usize> {
        let (above, lane) = parts(self.nodes[at].parent);
        let fences = &self.nodes[above].fences;
        let rank = fences.rank(lane as u8);
        let node_of = |rank: usize| {
            let lane = usize::from(*fences.lanes().get(rank)?);
            let child = self.nodes[above].children[lane / LANES][lane % LANES];
            Some((child & !INNER) as usize)
        };
        let lanes = self.nodes[at].lanes;
        let fits = |&other: &usize| lanes + self.nodes[other].lanes <= JOINED;
        let before = rank.checked_sub(1).and_then(node_of).filter(fits);
        let (first, second, rank) = match before {
            Some(before) => (before, at, rank),
            None => (at, node_of(rank + 1).filter(fits)?, rank + 1),
        };
        let key = fences.keys()[rank];
        let mut branches = self.branches(first);
        let from = branches.len();
        branches.extend(self.branches(second));
        branches[from].0 = key;
        self.fill(first, &branches);
        self.nodes[second].lanes = 0;
        if let Some(bounds) = self.node_bounds(first) {
            self.set_lane_bounds(self.nodes[first].parent, &bounds);
        }
        Some(second)
    }

    /// Puts the only node below the first in the place of that.
    fn lower(&mut self, below: usize) {
        self.nodes[0] = Node {
            parent: NONE,
            ..self.nodes[below]
        };
        if T::ROUNDED {
            self.roundings[0] = self.roundings[below];
        }
        self.relink(0, self.nodes[0].lanes);
        self.free_node(below);
    }
}

/// Lets go of room that is mostly unused.
fn give_back<X>(list: &mut Vec<X>) {
    if list.len() < list.capacity() / 4 {
        list.shrink_to(2 * list.len());
    }
}
