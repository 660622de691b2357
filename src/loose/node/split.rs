//! Lanes for leaves: a new leaf goes beside another, a full node is split, and nodes with few lanes are
//! merged. None of this has a say in where items go.

use core::cmp::Ordering;

use super::super::grid::half;
use super::super::tree::Tree;
use super::{FANOUT, INNER, Node, parts};
use crate::overlap::Extent;
use crate::shape::Aabb;
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};

/// A node that was left with so many lanes looks for another to go into.
const FEW: u32 = 8;
/// The least number of lanes that a full node is split into.
const LEAST: usize = FANOUT / 8;
/// What two nodes may hold to become one.
const JOINED: u32 = FANOUT as u32 / 2 + FEW;

impl<A: Vector> Tree<A> {
    /// Gives a new leaf a lane beside another, within the same lane of the first node.
    pub(in crate::loose) fn attach_leaf(&mut self, leaf: u32, beside: u32) {
        let lane = self.leaves[beside as usize].lane;
        let (mut at, _) = parts(lane);
        if at == 0 {
            at = self.put_node_between(lane);
        }
        if self.nodes[at].lanes as usize == FANOUT {
            self.split_node(at);
            (at, _) = parts(self.leaves[beside as usize].lane);
        }
        let bounds = self.leaves[leaf as usize].bounds;
        self.add_lane(at, leaf, &bounds);
        self.enlarge(self.nodes[at].parent, &bounds);
    }

    /// A leaf that is near to a point, below a lane.
    pub(in crate::loose) fn nearest_leaf(&self, lane: u32, point: A) -> u32 {
        let mut child = self.child(lane);
        while child & INNER != 0 {
            let at = (child & !INNER) as usize;
            child = self.child(self.nearest_lane(at, point));
        }
        child
    }

    /// The lane of a node that is nearest to a point.
    fn nearest_lane(&self, at: usize, point: A) -> u32 {
        let node = &self.nodes[at];
        let mut nearest = (Scalar::INFINITY, 0);
        for (block, bounds) in node.bounds.iter().enumerate() {
            let mut apart = [A::Scalar::ZERO; LANES];
            for axis in 0..A::DIM {
                let along = point.axis(axis);
                let (low, high) = (&bounds.low.as_ref()[axis].0, &bounds.high.as_ref()[axis].0);
                for (at, apart) in apart.iter_mut().enumerate() {
                    let beyond = (low[at] - along).larger(along - high[at]);
                    let beyond = beyond.larger(Scalar::ZERO);
                    *apart = *apart + beyond * beyond;
                }
            }
            let lanes = (node.lanes as usize).saturating_sub(block * apart.len());
            for (at, &apart) in apart.iter().enumerate().take(lanes) {
                if apart < nearest.0 {
                    nearest = (apart, block * LANES + at);
                }
            }
        }
        (at * FANOUT + nearest.1) as u32
    }

    /// Puts a node between a lane and what it holds.
    fn put_node_between(&mut self, lane: u32) -> usize {
        let child = self.child(lane);
        let bounds = self.lane_bounds(lane);
        let between = self.add_node(Node::new(lane));
        self.link(lane, between as u32 | INNER);
        self.add_lane(between, child, &bounds);
        between
    }

    /// Moves some of the lanes of a full node to a new one beside it.
    #[inline(never)]
    fn split_node(&mut self, at: usize) {
        let above = loop {
            let lane = self.nodes[at].parent;
            let (above, _) = parts(lane);
            if above == 0 {
                break self.put_node_between(lane);
            }
            if (self.nodes[above].lanes as usize) < FANOUT {
                break above;
            }
            self.split_node(above);
        };
        let mut lanes = [(0, Extent::of(&A::splat(Scalar::ZERO))); FANOUT];
        for (number, lane) in lanes.iter_mut().enumerate() {
            let name = (at * FANOUT + number) as u32;
            *lane = (self.child(name), self.lane_bounds(name));
        }
        let count = best_split(&mut lanes);
        let (stay, go) = lanes.split_at(count);
        self.nodes[at].lanes = 0;
        self.nodes[at].changes = 0;
        for (child, bounds) in stay {
            self.add_lane(at, *child, bounds);
        }
        let other = self.add_node(Node::new(0));
        for (child, bounds) in go {
            self.add_lane(other, *child, bounds);
        }
        for node in [at, other] {
            let Some(bounds) = self.node_bounds(node) else {
                continue;
            };
            if node == other {
                self.add_lane(above, other as u32 | INNER, &bounds);
            } else {
                self.set_lane_bounds(self.nodes[at].parent, &bounds);
            }
        }
    }

    /// Takes the lane of a leaf, and nodes above that are left without any or with few.
    pub(in crate::loose) fn detach_leaf(&mut self, leaf: u32) {
        let mut lane = self.leaves[leaf as usize].lane;
        let mut empty = None;
        loop {
            let (mut at, _) = parts(lane);
            self.remove_lane(lane);
            if let Some(empty) = empty {
                let last = self.nodes.len() - 1;
                self.free_node(empty);
                at = if at == last { empty } else { at };
            }
            let left = self.nodes[at].lanes;
            if at == 0 || left > FEW {
                return;
            }
            if left == 1 {
                return self.collapse_node(at);
            }
            if left != 0 && !(left == FEW && self.merge_node(at)) {
                return;
            }
            empty = Some(at);
            lane = self.nodes[at].parent;
        }
    }

    /// Frees a node of which one lane is left, and puts what that holds in its place: else the way
    /// down would be as long as it ever was.
    fn collapse_node(&mut self, at: usize) {
        let only = (at * FANOUT) as u32;
        let lane = self.nodes[at].parent;
        let bounds = self.lane_bounds(only);
        self.link(lane, self.child(only));
        self.set_lane_bounds(lane, &bounds);
        self.nodes[at].lanes = 0;
        self.free_node(at);
    }

    /// Moves the lanes of a node to the nearest of those beside it that has room; whether there is one.
    fn merge_node(&mut self, at: usize) -> bool {
        let lane = self.nodes[at].parent;
        let (above, _) = parts(lane);
        let own = self.lane_bounds(lane);
        let first = (above * FANOUT) as u32;
        let mut nearest = (Scalar::INFINITY, None);
        for other in first..first + self.nodes[above].lanes {
            let child = self.child(other);
            let number = (child & !INNER) as usize;
            if above == 0 || other == lane || child & INNER == 0 {
                continue;
            }
            let bounds = self.lane_bounds(other);
            let mut apart: A::Scalar = Scalar::ZERO;
            for axis in 0..A::DIM {
                apart = apart.larger((middle(&bounds, axis) - middle(&own, axis)).abs());
            }
            if self.nodes[number].lanes <= JOINED - FEW && apart < nearest.0 {
                nearest = (apart, Some(number));
            }
        }
        let Some(other) = nearest.1 else {
            return false;
        };
        for number in 0..self.nodes[at].lanes as usize {
            let lane = (at * FANOUT + number) as u32;
            let (child, bounds) = (self.child(lane), self.lane_bounds(lane));
            self.add_lane(other, child, &bounds);
        }
        self.enlarge(self.nodes[other].parent, &own);
        self.nodes[at].lanes = 0;
        true
    }
}

/// Half the sum of the ends, halved once more, so that nothing overflows.
fn middle<A: Vector>(extent: &Extent<A>, axis: usize) -> A::Scalar {
    let quarter = half::<A>() * half::<A>();
    extent.core.min().axis(axis) * quarter + extent.core.max().axis(axis) * quarter
}

/// Sorts lanes on the axis on which they are spread widest, and says how many of them to part from the
/// rest: so that the two boxes are small, each counted as often as it has lanes.
fn best_split<A: Vector>(lanes: &mut [(u32, Extent<A>); FANOUT]) -> usize {
    let axis = widest(lanes);
    lanes.sort_unstable_by(|(_, a), (_, b)| {
        let (a, b) = (middle(a, axis), middle(b, axis));
        a.partial_cmp(&b).unwrap_or(Ordering::Equal)
    });
    let mut behind = [lanes[FANOUT - 1].1.core; FANOUT];
    for at in (0..FANOUT - 1).rev() {
        behind[at] = behind[at + 1].union(&lanes[at].1.core);
    }
    let (all, mut before) = (behind[0], lanes[0].1.core);
    let (mut least, mut best) = (Scalar::INFINITY, FANOUT / 2);
    for count in 1..=FANOUT - LEAST {
        let parts = [(before, count), (behind[count], FANOUT - count)];
        let cost = parts.map(|(part, count)| share(&part, &all) * Scalar::from_f64(count as f64));
        if count >= LEAST && cost[0] + cost[1] < least {
            (least, best) = (cost[0] + cost[1], count);
        }
        before = before.union(&lanes[count].1.core);
    }
    best
}

/// How much of the volume of a box another within it has.
fn share<A: Vector>(part: &Aabb<A>, all: &Aabb<A>) -> A::Scalar {
    let mut share = A::Scalar::ONE;
    for axis in 0..A::DIM {
        // Halved, so that nothing overflows.
        let edge =
            |of: &Aabb<A>| of.max().axis(axis) * half::<A>() - of.min().axis(axis) * half::<A>();
        if edge(all) > Scalar::ZERO {
            share = share * (edge(part) / edge(all));
        }
    }
    share
}

/// The axis on which lanes are spread widest.
fn widest<A: Vector>(lanes: &[(u32, Extent<A>); FANOUT]) -> usize {
    let mut widest = (A::Scalar::ZERO, 0);
    for axis in 0..A::DIM {
        let first = middle(&lanes[0].1, axis);
        let (mut low, mut high) = (first, first);
        for (_, bounds) in lanes {
            let middle = middle(bounds, axis);
            low = low.smaller(middle);
            high = high.larger(middle);
        }
        if high - low > widest.0 {
            widest = (high - low, axis);
        }
    }
    widest.1
}
