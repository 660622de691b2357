//! The data of a tree of a known number of items.

pub(crate) use crate::wide_nodes::{Items, Nodes, Tree};

use crate::shape::Layout;
use crate::simd::{InstructionSet, LANES};
use crate::vector::Vector;
use crate::wide_nodes::{Levels, first_lanes};

/// The items of a leaf that the search for the nearest takes: columns of 256 bytes.
pub(super) const fn wide_leaf<S>() -> usize {
    256 / size_of::<S>()
}

impl<A: Vector> Tree<A> {
    /// A tree of so many items, none of which is there yet.
    pub(super) fn of_len(layout: Layout, len: usize) -> Self {
        let mut tree = Self::empty(layout);
        (tree.len, tree.instructions) = (len, InstructionSet::best());
        tree.lay_out();
        tree
    }

    /// Lays out nodes for the number of items.
    pub(super) fn lay_out(&mut self) {
        let leaf = wide_leaf::<A::Scalar>();
        self.nodes.lay_out(Levels::for_regions(self.len));
        self.wide_nodes.lay_out(Levels::for_nearest(self.len, leaf));
    }

    /// The lanes of a block of items that hold one.
    #[inline(always)]
    pub(super) fn lanes_of(&self, block: usize) -> u32 {
        first_lanes(self.len - block * LANES)
    }
}
