//! Nodes: children in lanes, and cells that say which lane an item goes to.

use super::choice::{Items, rule_for};
use super::columns::zeros;
use super::rule::{FAN, Rule};
use crate::Vector;
use crate::overlap::lanes::Boxes;
use crate::simd::LANES;

/// No lane, no node.
pub(super) const NONE: u32 = u32::MAX;

/// Lanes come in blocks of sixteen.
pub(super) const BLOCKS: usize = FAN / LANES;

/// A child that is a node and not a leaf: the highest bit of its number.
pub(super) const INNER: u32 = 1 << 31;

/// A cell that has no lane.
pub(super) const EMPTY: u8 = u8::MAX;

/// Children in lanes, with their bounds in columns, and cells that say which lane an item goes to.
/// A lane is named by its node's number times [`FAN`] and its place there.
#[derive(Clone, Copy)]
pub(super) struct Node<V: Vector> {
    pub(super) rule: Rule<V>,
    /// The lane that holds it; `NONE` of the first node.
    pub(super) parent: u32,
    pub(super) lanes: u32,
    /// How often the bounds of a lane shrank since those of the node were tight.
    pub(super) departures: u32,
    /// Of each cell; `EMPTY` where nothing lies.
    pub(super) lane_of: [u8; FAN],
    pub(super) children: [[u32; LANES]; BLOCKS],
    pub(super) bounds: [Boxes<V>; BLOCKS],
}

impl<V: Vector> Node<V> {
    pub(super) fn new(rule: Rule<V>, parent: u32) -> Self {
        let nowhere = Boxes {
            low: zeros::<V>(),
            high: zeros::<V>(),
        };
        Self {
            rule,
            parent,
            lanes: 0,
            departures: 0,
            lane_of: [EMPTY; FAN],
            children: [[0; LANES]; BLOCKS],
            bounds: [nowhere; BLOCKS],
        }
    }

    /// The cell of an item, and whether it lies far outside of what the rule was made for.
    #[inline(always)]
    pub(super) fn cell(&self, center: V, slot: u32) -> (usize, bool) {
        self.rule.cell(center, slot)
    }

    /// The rule of a child for items, which all lie in one cell.
    pub(super) fn rule_below(&self, cell: usize, items: &Items<V>) -> Rule<V> {
        rule_for(items, self.rule.region(cell))
    }
}
