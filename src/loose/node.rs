//! Nodes: children in lanes, with their bounds.

use super::columns::zeros;
use super::rule::FAN;
use crate::Vector;
use crate::overlap::lanes::Boxes;
use crate::simd::LANES;

/// No lane, no node.
pub(super) const NONE: u32 = u32::MAX;

/// Lanes come in blocks of sixteen.
pub(super) const BLOCKS: usize = FAN / LANES;

/// A child that is a node and not a leaf: the highest bit of its number.
pub(super) const INNER: u32 = 1 << 31;

/// Children in lanes, with their bounds in columns. A lane is named by its node's number times
/// [`FAN`] and its place there.
#[derive(Clone, Copy)]
pub(super) struct Node<V: Vector> {
    /// The lane that holds it; `NONE` of the first node.
    pub(super) parent: u32,
    pub(super) lanes: u32,
    /// How often the bounds of a lane shrank since those of the node were tight.
    pub(super) departures: u32,
    pub(super) children: [[u32; LANES]; BLOCKS],
    pub(super) bounds: [Boxes<V>; BLOCKS],
}

impl<V: Vector> Node<V> {
    pub(super) fn new(parent: u32) -> Self {
        let nowhere = Boxes {
            low: zeros::<V>(),
            high: zeros::<V>(),
        };
        Self {
            parent,
            lanes: 0,
            departures: 0,
            children: [[0; LANES]; BLOCKS],
            bounds: [nowhere; BLOCKS],
        }
    }
}
