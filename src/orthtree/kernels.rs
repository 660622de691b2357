//! What is compiled of the trees in this crate.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::build::{self, Source};
use super::tree::Tree;
use super::{keys, nearest, neighbors};
use crate::kernels::kernels;
use crate::lists::NeighborLists;
use crate::nearest::Closest;
use crate::overlap::lanes::Plain;
use crate::query;
use crate::query::{Bound, Cursor, Descent, Relate};
use crate::simd::{InstructionSet, Pile};

kernels! {
    /// The work of an [`Orthtree`](crate::Orthtree).
    pub trait Kernels {
        /// Builds a tree in the memory of an old one, or names the item that is refused.
        fn build(tree: &mut Tree<Self>, source: &Source<'_, Self>) -> Result<(), usize> = build::build;

        /// The order of points along a Hilbert curve.
        fn order(points: &[Self], instructions: InstructionSet) -> Vec<u32> = keys::order;

        /// Goes on with a descent: appends what overlaps until there may be no room, or counts all that is left.
        fn go_on(
            tree: &Tree<Self>,
            region: &Plain<Self>,
            cursor: &mut Cursor,
            to: &mut Pile<'_>,
            counts: bool,
        ) -> usize = query::go_on;

        /// Appends all that overlaps.
        fn append(tree: &Tree<Self>, region: &Plain<Self>, list: &mut Vec<u32>) = query::append;

        /// Counts what is left of a descent.
        fn count_rest(tree: &Tree<Self>, region: &Plain<Self>, cursor: &mut Cursor) -> usize = query::count_rest;

        /// Counts all that overlaps.
        fn count(tree: &Tree<Self>, region: &Plain<Self>) -> usize = query::count;

        /// Offers all items that may be better than the worst that is kept.
        fn nearest(tree: &Tree<Self>, from: Self, best: &mut Closest<Self::Scalar, usize>) = nearest::search;

        /// The neighbors of all points.
        fn neighbors(tree: &Tree<Self>, radius: Self::Scalar, near: &mut NeighborLists) = neighbors::lists;

        /// The neighbors of one point after the other.
        fn visit_neighbors(
            tree: &Tree<Self>,
            radius: Self::Scalar,
            visit: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
        ) -> ControlFlow<()> = neighbors::visit;

        /// The next node for a region of any kind.
        fn next_node(
            tree: &Tree<Self>,
            region: &dyn Relate<Self>,
            descent: &mut Descent,
        ) -> Option<(u32, bool)> = query::next_node;

        /// Nodes by what bounds them.
        fn best_first(
            tree: &Tree<Self>,
            bound: &Bound<'_, Self>,
            offer: &mut dyn FnMut(u32) -> Self::Scalar,
        ) = query::best_first;
    }
}
