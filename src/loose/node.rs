//! Nodes: children in lanes, with their bounds, which are enlarged at once and made tight now and then.

mod split;

use super::tree::Tree;
use crate::overlap::Extent;
use crate::overlap::columns::Boxes;
use crate::simd::{Column, LANES};
use crate::vector::{Scalar, Vector};

/// The cells of a grid, and the most lanes of a node.
pub(super) const FANOUT: usize = 64;

/// No lane, no node.
pub(super) const NONE: u32 = u32::MAX;

/// Lanes come in blocks of sixteen.
pub(super) const BLOCKS: usize = FANOUT / LANES;

/// A child that is a node and not a leaf: the highest bit of its number.
pub(super) const INNER: u32 = 1 << 31;

/// Children in lanes, with their bounds in columns. A lane is named by its node's number times
/// [`FANOUT`] and its place there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<A: Vector> {
    /// The lane that holds it; `NONE` of the first node.
    pub(super) parent: u32,
    pub(super) lanes: u32,
    /// How often the bounds of a lane shrank since those of the node were tight.
    pub(super) changes: u32,
    pub(super) children: [[u32; LANES]; BLOCKS],
    pub(super) bounds: [Boxes<A>; BLOCKS],
}

impl<A: Vector> Node<A> {
    pub(super) fn new(parent: u32) -> Self {
        Self {
            parent,
            lanes: 0,
            changes: 0,
            children: [[0; LANES]; BLOCKS],
            bounds: [Boxes::empty(); BLOCKS],
        }
    }
}

/// Bounds are made tight when so many times as much has changed as there is to look at.
pub(super) const REFIT_AFTER: u32 = 6;

/// The node of a lane, and its number there.
#[inline(always)]
pub(super) fn parts(lane: u32) -> (usize, usize) {
    (lane as usize / FANOUT, lane as usize % FANOUT)
}

/// The node of a lane, its block and its place there.
#[inline(always)]
fn place(lane: u32) -> (usize, usize, usize) {
    let (node, number) = parts(lane);
    (node, number / LANES, number % LANES)
}

impl<A: Vector> Tree<A> {
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
    pub(super) fn lane_bounds(&self, lane: u32) -> Extent<A> {
        let (node, block, at) = place(lane);
        let bounds = &self.nodes[node].bounds[block];
        let radius_of = |end: usize| {
            let radii_below = self.radii_below.get(node);
            radii_below.map_or(Scalar::ZERO, |radii_below| radii_below[block][end].0[at])
        };
        Extent {
            core: bounds.get(at),
            least: radius_of(0),
            most: radius_of(1),
        }
    }

    #[inline(always)]
    pub(super) fn set_lane_bounds(&mut self, lane: u32, to: &Extent<A>) {
        let (node, block, at) = place(lane);
        let bounds = &mut self.nodes[node].bounds[block];
        bounds.set(at, &to.core);
        if self.has_radii {
            let radii_below = &mut self.radii_below[node][block];
            radii_below[0].0[at] = to.least;
            radii_below[1].0[at] = to.most;
        }
    }

    /// Makes the bounds of a lane, and of those above, hold an extent.
    #[inline(always)]
    pub(super) fn enlarge(&mut self, lane: u32, by: &Extent<A>) {
        if lane != NONE && !self.holds(lane, by) {
            self.enlarge_above(lane, by);
        }
    }

    /// Whether an extent lies within the bounds of a lane.
    #[inline(always)]
    fn holds(&self, lane: u32, inner: &Extent<A>) -> bool {
        let (node, block, at) = place(lane);
        let bounds = &self.nodes[node].bounds[block];
        let mut held = bounds.holds(at, &inner.core);
        if self.has_radii {
            let radii_below = &self.radii_below[node][block];
            held &= radii_below[0].0[at] <= inner.least;
            held &= inner.most <= radii_below[1].0[at];
        }
        held
    }

    /// Makes the bounds of a lane, and of those above as far as they do not, hold an extent.
    #[inline(always)]
    fn enlarge_above(&mut self, mut lane: u32, by: &Extent<A>) {
        loop {
            let (node, block, at) = place(lane);
            let bounds = &mut self.nodes[node].bounds[block];
            bounds.widen(at, &by.core);
            if self.has_radii {
                let [least, most] = &mut self.radii_below[node][block];
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
    pub(super) fn enlarge_leaf(&mut self, number: u32, by: &Extent<A>) {
        let leaf = &mut self.leaves[number as usize];
        if !leaf.holds(by) {
            leaf.bounds = leaf.bounds.union(by);
            let lane = leaf.lane;
            self.enlarge_above(lane, by);
        }
    }

    /// Makes the bounds of a leaf tight, and now and then those above.
    pub(super) fn refit_leaf(&mut self, number: u32) {
        let tight = self.leaf_bounds(number);
        let leaf = &mut self.leaves[number as usize];
        leaf.changes = 0;
        leaf.bounds = tight;
        let lane = leaf.lane;
        self.set_lane_bounds(lane, &tight);
        // Above, when enough has changed: constant time, in the mean.
        let mut at = parts(lane).0;
        loop {
            let node = &mut self.nodes[at];
            node.changes += 1;
            if node.changes <= REFIT_AFTER * node.lanes || node.parent == NONE {
                return;
            }
            node.changes = 0;
            let parent = node.parent;
            if let Some(tight) = self.node_bounds(at) {
                self.set_lane_bounds(parent, &tight);
            }
            at = parts(parent).0;
        }
    }

    /// Around all lanes of a node.
    pub(super) fn node_bounds(&self, at: usize) -> Option<Extent<A>> {
        let first = (at * FANOUT) as u32;
        let lanes = first..first + self.nodes[at].lanes;
        lanes
            .map(|lane| self.lane_bounds(lane))
            .reduce(|a, b| a.union(&b))
    }

    /// Adds a node that no lane holds yet.
    pub(super) fn add_node(&mut self, node: Node<A>) -> usize {
        self.nodes.push(node);
        if self.has_radii {
            let none = [Column([Scalar::ZERO; LANES]); 2];
            self.radii_below.push([none; BLOCKS]);
        }
        self.nodes.len() - 1
    }

    /// Gives a node one more child.
    pub(super) fn add_lane(&mut self, at: usize, child: u32, bounds: &Extent<A>) -> u32 {
        let lane = at * FANOUT + self.nodes[at].lanes as usize;
        self.nodes[at].lanes += 1;
        self.link(lane as u32, child);
        self.set_lane_bounds(lane as u32, bounds);
        lane as u32
    }

    /// Takes a lane from its node; the last takes its place.
    pub(super) fn remove_lane(&mut self, lane: u32) {
        let (at, _) = parts(lane);
        let node = &mut self.nodes[at];
        node.lanes -= 1;
        let last = (at * FANOUT) as u32 + node.lanes;
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
        if self.has_radii {
            self.radii_below.swap_remove(at);
        }
        if let Some(moved) = self.nodes.get(at) {
            let (parent, lanes) = (moved.parent, moved.lanes);
            self.link(parent, at as u32 | INNER);
            let first = (at * FANOUT) as u32;
            for lane in first..first + lanes {
                let child = self.child(lane);
                self.link(lane, child);
            }
        }
    }
}
