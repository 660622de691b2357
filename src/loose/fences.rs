//! The order of a node's lanes, and where one ends and the next begins.

use super::node::FAN;
use super::order::{gap, is_before};
use crate::Vector;

/// The lanes of a node along the curve. A lane takes what comes from its key on, up to the key of the
/// next; the first also what comes before.
#[derive(Clone, Copy)]
pub(super) struct Fences<V: Vector> {
    keys: [V; FAN],
    lanes: [u8; FAN],
    len: u32,
}

impl<V: Vector> Fences<V> {
    pub(super) fn new() -> Self {
        Self {
            keys: [V::splat(crate::Scalar::ZERO); FAN],
            lanes: [0; FAN],
            len: 0,
        }
    }

    /// The lanes in their order.
    pub(super) fn lanes(&self) -> &[u8] {
        &self.lanes[..self.len as usize]
    }

    pub(super) fn keys(&self) -> &[V] {
        &self.keys[..self.len as usize]
    }

    /// The lane that takes a key.
    #[inline(always)]
    pub(super) fn find(&self, key: &V) -> u8 {
        let (mut from, mut len) = (0, self.len as usize);
        while len > 1 {
            let half = len / 2;
            from += if is_before(key, &self.keys[(from + half) % FAN]) {
                0
            } else {
                half
            };
            len -= half;
        }
        self.lanes[from % FAN]
    }

    /// The place of a lane in the order.
    pub(super) fn rank(&self, lane: u8) -> usize {
        let found = self.lanes().iter().position(|&other| other == lane);
        found.expect("each lane has a place")
    }

    pub(super) fn insert(&mut self, rank: usize, key: V, lane: u8) {
        let len = self.len as usize;
        self.keys.copy_within(rank..len, rank + 1);
        self.lanes.copy_within(rank..len, rank + 1);
        (self.keys[rank], self.lanes[rank]) = (key, lane);
        self.len += 1;
    }

    pub(super) fn remove(&mut self, rank: usize) {
        let len = self.len as usize;
        self.keys.copy_within(rank + 1..len, rank);
        self.lanes.copy_within(rank + 1..len, rank);
        self.len -= 1;
    }

    /// Gives the places of two lanes to each other.
    pub(super) fn swap(&mut self, rank: usize, other: usize) {
        self.lanes.swap(rank, other);
    }

    /// A lane has another number now.
    pub(super) fn rename(&mut self, old: u8, new: u8) {
        let rank = self.rank(old);
        self.lanes[rank] = new;
    }

    /// Where to divide them: in the middle half, at the largest gap.
    pub(super) fn middle(&self) -> usize {
        let len = self.len as usize;
        let ranks = len / 4..=len - len / 4;
        let gap_at = |rank: &usize| gap(&self.keys[rank - 1], &self.keys[*rank]);
        let off = |rank: &usize| rank.abs_diff(len / 2);
        let best = ranks.max_by_key(|rank| (gap_at(rank), usize::MAX - off(rank)));
        best.expect("a node that is divided has lanes")
    }
}
