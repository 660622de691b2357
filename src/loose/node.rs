//! Nodes and leaves.

use super::fences::Fences;
use crate::overlap::Extent;
use crate::overlap::lanes::{Boxes, Columns};
use crate::simd::{Column, LANES};
use crate::{Scalar, Vector};

/// No lane, no node.
pub(super) const NONE: u32 = u32::MAX;

/// The most lanes of a node.
pub(super) const FAN: usize = 64;
pub(super) const BLOCKS: usize = FAN / LANES;

/// A child that is a node and not a leaf: the highest bit of its number.
pub(super) const INNER: u32 = 1 << 31;

/// Up to sixteen items. The lists of a tree's other columns run parallel to that of its leaves.
#[derive(Clone, Copy)]
pub(super) struct Leaf<V: Vector> {
    /// Points, the least corners of boxes, or the centres of balls.
    pub(super) points: Columns<V>,
    pub(super) slots: [u32; LANES],
    pub(super) generations: [u32; LANES],
    /// The lane that holds it.
    pub(super) parent: u32,
    pub(super) len: u32,
    /// Those of its lane too: here they are together.
    pub(super) bounds: Extent<V>,
    /// How often an item left or moved since the bounds were tight.
    pub(super) departures: u32,
}

impl<V: Vector> Leaf<V> {
    pub(super) fn new(parent: u32, bounds: &Extent<V>) -> Self {
        Self {
            bounds: *bounds,
            points: zeros::<V>(),
            slots: [0; LANES],
            generations: [0; LANES],
            parent,
            len: 0,
            departures: 0,
        }
    }

    pub(super) fn slots(&self) -> &[u32] {
        &self.slots[..self.len as usize]
    }

    /// Where an item lies that is here.
    #[inline(always)]
    pub(super) fn place_of(&self, slot: u32) -> usize {
        let mut found = 0_u32;
        for (place, &other) in self.slots.iter().enumerate() {
            found |= u32::from(other == slot) << place;
        }
        // Behind the last there may be older ones.
        found.trailing_zeros() as usize % LANES
    }
}

/// Children in lanes, with their bounds in columns. A lane is named by its node's number times
/// [`FAN`] and its place there; lanes keep their places while their order changes.
#[derive(Clone, Copy)]
pub(super) struct Node<V: Vector> {
    pub(super) fences: Fences<V>,
    /// The lane that holds it; `NONE` of the first node.
    pub(super) parent: u32,
    pub(super) lanes: u32,
    /// How often the bounds of a lane shrank since those of the node were tight.
    pub(super) departures: u32,
    pub(super) children: [[u32; LANES]; BLOCKS],
    pub(super) bounds: [Boxes<V>; BLOCKS],
}

pub(super) fn zeros<V: Vector>() -> Columns<V> {
    V::axes(Column([V::Scalar::ZERO; LANES]))
}

impl<V: Vector> Node<V> {
    pub(super) fn new(parent: u32) -> Self {
        let nowhere = Boxes {
            low: zeros::<V>(),
            high: zeros::<V>(),
        };
        Self {
            fences: Fences::new(),
            parent,
            lanes: 0,
            departures: 0,
            children: [[0; LANES]; BLOCKS],
            bounds: [nowhere; BLOCKS],
        }
    }
}
