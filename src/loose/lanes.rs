//! Lanes of nodes: what they hold, and the bounds of that.

use super::LooseOrthtree;
use super::columns::{get, set};
use super::node::{BLOCKS, INNER, NONE, Node};
use super::rule::FAN;
use crate::overlap::Extent;
use crate::simd::{Column, LANES};
use crate::{Aabb, Bounded, Scalar, Vector};

/// Bounds are made tight when so many times as much has changed as there is to look at.
pub(super) const SLACK: u32 = 6;

/// The node of a lane, and its number there.
#[inline(always)]
pub(super) fn parts(lane: u32) -> (usize, usize) {
    (lane as usize / FAN, lane as usize % FAN)
}

/// The node of a lane, its block and its place there.
#[inline(always)]
fn place(lane: u32) -> (usize, usize, usize) {
    let (node, number) = parts(lane);
    (node, number / LANES, number % LANES)
}

impl<T: Bounded> LooseOrthtree<T> {
    /// What a lane holds: the number of a leaf, or that of a node with [`INNER`].
    #[inline(always)]
    pub(super) fn child(&self, lane: u32) -> u32 {
        let (node, block, at) = place(lane);
        self.nodes[node].children[block][at]
    }

    /// Makes a child that of a lane.
    pub(super) fn link(&mut self, lane: u32, child: u32) {
        let (node, block, at) = place(lane);
        self.nodes[node].children[block][at] = child;
        if child & INNER == 0 {
            self.leaves[child as usize].lane = lane;
        } else {
            self.nodes[(child & !INNER) as usize].parent = lane;
        }
    }

    #[inline(always)]
    pub(super) fn lane_bounds(&self, lane: u32) -> Extent<T::Vector> {
        let (node, block, at) = place(lane);
        let bounds = &self.nodes[node].bounds[block];
        let rounding = |end: usize| {
            let roundings = self.roundings.get(node);
            roundings.map_or(Scalar::ZERO, |roundings| roundings[block][end].0[at])
        };
        Extent {
            core: Aabb::from_corners(get(&bounds.low, at), get(&bounds.high, at)),
            least: rounding(0),
            most: rounding(1),
        }
    }

    #[inline(always)]
    pub(super) fn set_lane_bounds(&mut self, lane: u32, to: &Extent<T::Vector>) {
        let (node, block, at) = place(lane);
        let bounds = &mut self.nodes[node].bounds[block];
        set(&mut bounds.low, at, to.core.min());
        set(&mut bounds.high, at, to.core.max());
        if T::HAS_RADIUS {
            let roundings = &mut self.roundings[node][block];
            roundings[0].0[at] = to.least;
            roundings[1].0[at] = to.most;
        }
    }

    /// Makes the bounds of a lane, and of those above, hold an extent.
    #[inline(always)]
    pub(super) fn grow(&mut self, lane: u32, by: &Extent<T::Vector>) {
        if lane != NONE && !self.holds(lane, by) {
            self.stretch(lane, by);
        }
    }

    /// Whether an extent lies within the bounds of a lane.
    #[inline(always)]
    fn holds(&self, lane: u32, inner: &Extent<T::Vector>) -> bool {
        let (node, block, at) = place(lane);
        let bounds = &self.nodes[node].bounds[block];
        let mut held = true;
        for axis in 0..T::Vector::DIM {
            held &= bounds.low.as_ref()[axis].0[at] <= inner.core.min().axis(axis);
            held &= inner.core.max().axis(axis) <= bounds.high.as_ref()[axis].0[at];
        }
        if T::HAS_RADIUS {
            let roundings = &self.roundings[node][block];
            held &= roundings[0].0[at] <= inner.least;
            held &= inner.most <= roundings[1].0[at];
        }
        held
    }

    /// Makes the bounds of a lane, and of those above as far as they do not, hold an extent.
    #[inline(always)]
    fn stretch(&mut self, mut lane: u32, by: &Extent<T::Vector>) {
        loop {
            let (node, block, at) = place(lane);
            let bounds = &mut self.nodes[node].bounds[block];
            for axis in 0..T::Vector::DIM {
                let low = &mut bounds.low.as_mut()[axis].0[at];
                *low = low.smaller(by.core.min().axis(axis));
                let high = &mut bounds.high.as_mut()[axis].0[at];
                *high = high.larger(by.core.max().axis(axis));
            }
            if T::HAS_RADIUS {
                let [least, most] = &mut self.roundings[node][block];
                least.0[at] = least.0[at].smaller(by.least);
                most.0[at] = most.0[at].larger(by.most);
            }
            lane = self.nodes[node].parent;
            if lane == NONE || self.holds(lane, by) {
                return;
            }
        }
    }

    /// Makes the bounds of a leaf, and of those above, hold an extent.
    #[inline(always)]
    pub(super) fn grow_leaf(&mut self, number: u32, by: &Extent<T::Vector>) {
        let leaf = &mut self.leaves[number as usize];
        if !leaf.holds(by) {
            leaf.bounds = leaf.bounds.union(by);
            let lane = leaf.lane;
            self.stretch(lane, by);
        }
    }

    /// Makes the bounds of a leaf tight, and now and then those above.
    pub(super) fn tighten(&mut self, number: u32) {
        let tight = self.leaf_bounds(number);
        let leaf = &mut self.leaves[number as usize];
        leaf.departures = 0;
        leaf.bounds = tight;
        let lane = leaf.lane;
        self.set_lane_bounds(lane, &tight);
        // Above, when enough has changed: constant time, in the mean.
        let mut at = parts(lane).0;
        loop {
            let node = &mut self.nodes[at];
            node.departures += 1;
            if node.departures <= SLACK * node.lanes || node.parent == NONE {
                return;
            }
            node.departures = 0;
            let parent = node.parent;
            if let Some(tight) = self.node_bounds(at) {
                self.set_lane_bounds(parent, &tight);
            }
            at = parts(parent).0;
        }
    }

    /// Around all lanes of a node.
    pub(super) fn node_bounds(&self, at: usize) -> Option<Extent<T::Vector>> {
        let first = (at * FAN) as u32;
        let lanes = first..first + self.nodes[at].lanes;
        lanes
            .map(|lane| self.lane_bounds(lane))
            .reduce(|a, b| a.union(&b))
    }

    /// Adds a node that no lane holds yet.
    pub(super) fn add_node(&mut self, node: Node<T::Vector>) -> usize {
        self.nodes.push(node);
        if T::HAS_RADIUS {
            let none = [Column([Scalar::ZERO; LANES]); 2];
            self.roundings.push([none; BLOCKS]);
        }
        self.nodes.len() - 1
    }

    /// Gives a node one more child.
    pub(super) fn add_lane(&mut self, at: usize, child: u32, bounds: &Extent<T::Vector>) -> u32 {
        let lane = at * FAN + self.nodes[at].lanes as usize;
        self.nodes[at].lanes += 1;
        self.link(lane as u32, child);
        self.set_lane_bounds(lane as u32, bounds);
        lane as u32
    }

    /// Takes a lane from its node; the last takes its place.
    pub(super) fn drop_lane(&mut self, lane: u32) {
        let (at, _) = parts(lane);
        let node = &mut self.nodes[at];
        node.lanes -= 1;
        let last = (at * FAN) as u32 + node.lanes;
        if at == 0 {
            self.classes.swap_remove(lane as usize);
            let cells = &mut self.grids[0].cells;
            cells[lane as usize] = cells[last as usize];
            cells[last as usize] = NONE;
        }
        if lane != last {
            let bounds = self.lane_bounds(last);
            self.set_lane_bounds(lane, &bounds);
            let child = self.child(last);
            self.link(lane, child);
        }
    }

    /// Frees a node that no lane holds; the last takes its number.
    pub(super) fn free_node(&mut self, at: usize) {
        self.nodes.swap_remove(at);
        if T::HAS_RADIUS {
            self.roundings.swap_remove(at);
        }
        if let Some(moved) = self.nodes.get(at) {
            let (parent, lanes) = (moved.parent, moved.lanes);
            self.link(parent, at as u32 | INNER);
            let first = (at * FAN) as u32;
            for lane in first..first + lanes {
                let child = self.child(lane);
                self.link(lane, child);
            }
        }
    }
}
