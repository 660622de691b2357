//! Putting an entry where it belongs.

use alloc::vec::Vec;

use super::LooseOrthtree;
use super::lanes::parts;
use super::node::{FAN, INNER, NONE, Node};
use super::order::{Spot, halves, is_before};
use crate::overlap::Extent;
use crate::simd::LANES;
use crate::{Bounded, InstructionSet, Vector};

/// How far from the middle a leaf may be divided for the sake of a larger gap.
const OFF: u32 = LANES as u32 / 4;

/// A lane out of its node: from which key on, what, and its bounds.
type Branch<V> = (V, u32, Extent<V>);

impl<T: Bounded> LooseOrthtree<T> {
    /// Puts an entry where it belongs. What is to be known of it comes in registers, since memory that
    /// was just written would be waited for.
    #[inline(always)]
    pub(super) fn place(&mut self, slot: u32, spot: &Spot<T::Vector>) {
        if self.nodes.is_empty() {
            self.plant(spot);
        }
        loop {
            let leaf = self.find(&spot.key);
            if (self.leaves[leaf as usize].len as usize) < LANES {
                self.push(leaf, slot, &spot.extent);
                return self.grow(leaf, &spot.extent);
            }
            self.divide(leaf, spot);
        }
    }

    /// The leaf that takes a key.
    #[inline(always)]
    pub(super) fn find(&self, key: &T::Vector) -> u32 {
        let mut child = INNER;
        while child & INNER != 0 {
            let node = &self.nodes[(child & !INNER) as usize];
            let lane = node.fences.find(key) as usize % FAN;
            child = node.children[lane / LANES][lane % LANES];
        }
        child
    }

    /// The first node, with an empty leaf.
    #[cold]
    fn plant(&mut self, spot: &Spot<T::Vector>) {
        self.instructions = InstructionSet::best();
        self.add_node(Node::new(NONE));
        let leaf = self.add_leaf(&spot.extent);
        self.add_lane((0, 0, spot.key), leaf, &spot.extent);
    }

    /// Makes room for an item where a leaf is full.
    #[inline(never)]
    fn divide(&mut self, leaf: u32, spot: &Spot<T::Vector>) {
        let lane = self.leaves[leaf as usize].parent;
        let (at, number) = parts(lane);
        if self.nodes[at].lanes as usize == FAN {
            return self.divide_node(at);
        }
        let mut keys = [spot.key; LANES];
        for (i, key) in keys.iter_mut().enumerate() {
            *key = self.spot_at(leaf, i).key;
        }
        let rank = self.nodes[at].fences.rank(number as u8);
        let Some((behind, from)) = parting(&keys) else {
            return self.set_apart(leaf, keys[0], spot);
        };
        let from = self.clamped(at, rank, from);
        let bounds = self.lane_bounds(lane);
        let other = self.add_leaf(&bounds);
        let (mut stay, mut go) = (0, 0);
        for i in 0..LANES {
            if behind >> i & 1 == 1 {
                self.copy((leaf, i), (other, go));
                go += 1;
            } else {
                if stay < i {
                    self.copy((leaf, i), (leaf, stay));
                }
                stay += 1;
            }
        }
        self.leaves[leaf as usize].len = stay as u32;
        self.leaves[other as usize].len = go as u32;
        self.add_lane((at, rank + 1, from), other, &bounds);
        self.tighten(leaf);
        self.tighten(other);
    }

    /// Begins a leaf for an item beside one whose items are all in one place.
    fn set_apart(&mut self, leaf: u32, place: T::Vector, spot: &Spot<T::Vector>) {
        let (at, number) = parts(self.leaves[leaf as usize].parent);
        let rank = self.nodes[at].fences.rank(number as u8);
        let is_before = is_before(&spot.key, &place);
        let from = if is_before { place } else { spot.key };
        let from = self.clamped(at, rank, from);
        let other = self.add_leaf(&spot.extent);
        let lane = self.add_lane((at, rank + 1, from), other, &spot.extent);
        if is_before {
            self.nodes[at].fences.swap(rank, rank + 1);
        }
        self.stretch(lane, &spot.extent);
    }

    /// A key, or the end of what a lane takes where that is nearer: items that moved may lie beyond.
    fn clamped(&self, mut at: usize, mut rank: usize, key: T::Vector) -> T::Vector {
        let (mut from, mut to) = (None, None);
        loop {
            let keys = self.nodes[at].fences.keys();
            if rank > 0 {
                from = from.or(Some(keys[rank]));
            }
            to = to.or(keys.get(rank + 1).copied());
            let parent = self.nodes[at].parent;
            if from.is_some() && to.is_some() || parent == NONE {
                break;
            }
            let number = parts(parent).1 as u8;
            at = parts(parent).0;
            rank = self.nodes[at].fences.rank(number);
        }
        let from = from.filter(|from| is_before(&key, from));
        from.or(to.filter(|to| is_before(to, &key))).unwrap_or(key)
    }

    /// Divides a full node, or first the one above if that is full too.
    fn divide_node(&mut self, mut at: usize) {
        let mut lane = self.nodes[at].parent;
        while lane != NONE && self.nodes[parts(lane).0].lanes as usize == FAN {
            at = parts(lane).0;
            lane = self.nodes[at].parent;
        }
        if lane == NONE {
            return self.raise();
        }
        let middle = self.nodes[at].fences.middle();
        let branches = self.branches(at);
        let (before, behind) = branches.split_at(middle);
        let other = self.add_node(Node::new(NONE));
        self.fill(at, before);
        self.fill(other, behind);
        let (above, number) = parts(lane);
        let rank = self.nodes[above].fences.rank(number as u8);
        if let (Some(bounds), Some(others)) = (self.node_bounds(at), self.node_bounds(other)) {
            self.set_lane_bounds(lane, &bounds);
            self.add_lane((above, rank + 1, behind[0].0), other as u32 | INNER, &others);
        }
    }

    /// Puts a node between the first one and its lanes.
    fn raise(&mut self) {
        let first = self.nodes[0];
        let below = self.add_node(first);
        if T::ROUNDED {
            self.roundings[below] = self.roundings[0];
        }
        self.relink(below, first.lanes);
        self.nodes[0] = Node::new(NONE);
        if let Some(bounds) = self.node_bounds(below) {
            let key = first.fences.keys()[0];
            self.add_lane((0, 0, key), below as u32 | INNER, &bounds);
        }
    }

    /// The lanes of a node, in order.
    pub(super) fn branches(&self, at: usize) -> Vec<Branch<T::Vector>> {
        let fences = &self.nodes[at].fences;
        let lanes = fences.keys().iter().zip(fences.lanes());
        lanes
            .map(|(&key, &lane)| {
                let lane = (at * FAN) as u32 + u32::from(lane);
                (key, self.child(lane), self.lane_bounds(lane))
            })
            .collect()
    }

    /// Gives a node these lanes and no others.
    pub(super) fn fill(&mut self, at: usize, branches: &[Branch<T::Vector>]) {
        let parent = self.nodes[at].parent;
        self.nodes[at] = Node::new(parent);
        for (rank, (key, child, bounds)) in branches.iter().enumerate() {
            self.add_lane((at, rank, *key), *child, bounds);
        }
    }
}

/// Where the items of a full leaf are best parted: a bit for each of those behind, and a key that is
/// between. Of the planes that halve the cells around them, the first that is near enough to their
/// middle. `None` if all have one key.
fn parting<V: Vector>(keys: &[V; LANES]) -> Option<(u32, V)> {
    let corners = |of: u32| {
        let (mut least, mut largest) = (None, None);
        for (i, key) in keys.iter().enumerate() {
            if of >> i & 1 == 1 {
                least = Some(least.map_or(*key, |other| smaller(key, &other)));
                largest = Some(largest.map_or(*key, |other| larger(key, &other)));
            }
        }
        least.zip(largest)
    };
    let all = (1 << LANES) - 1;
    let (mut cell, mut before) = (all, 0_u32);
    let mut best = None;
    let mut least_off = u32::MAX;
    while let Some((axis, plane)) = corners(cell).and_then(|(a, b)| halves(&a, &b)) {
        let mut below = 0;
        for (i, key) in keys.iter().enumerate() {
            below |= u32::from(key.axis(axis) < plane) << i;
        }
        let (low, high) = (cell & below, cell & !below);
        let count = (before | low).count_ones();
        let off = count.abs_diff(LANES as u32 / 2);
        if off < least_off {
            (least_off, best) = (off, Some((all & !(before | low), high)));
        }
        if off <= OFF {
            break;
        }
        if count > LANES as u32 / 2 {
            cell = low;
        } else {
            (before, cell) = (before | low, high);
        }
    }
    // The least corner of a cell comes before all that is in the cell.
    let (behind, next) = best?;
    corners(next).map(|(least, _)| (behind, least))
}

fn smaller<V: Vector>(a: &V, b: &V) -> V {
    V::from_fn(|axis| crate::Scalar::smaller(a.axis(axis), b.axis(axis)))
}

fn larger<V: Vector>(a: &V, b: &V) -> V {
    V::from_fn(|axis| crate::Scalar::larger(a.axis(axis), b.axis(axis)))
}
