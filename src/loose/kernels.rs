//! What is compiled of the tree in this crate.

use alloc::vec::Vec;

use super::tree::Tree;
use super::{insert, nearest, remove, validate};
use crate::error::Error;
use crate::handle::Handle;
use crate::kernels::kernels;
use crate::nearest::Closest;
use crate::overlap::Extent;
use crate::overlap::lanes::Plain;
use crate::query;
use crate::query::{Bound, Cursor, Descent, HandleWriter, Relate};

kernels! {
    /// The work of a [`LooseOrthtree`](crate::LooseOrthtree).
    pub trait Kernels {
        /// Adds an item.
        fn insert(tree: &mut Tree<Self>, item: &Extent<Self>) -> Result<Handle, Error> = insert::insert;

        /// Replaces the item of a handle.
        fn update(tree: &mut Tree<Self>, handle: Handle, item: &Extent<Self>) -> Result<(), Error> = insert::update;

        /// Removes the item of a handle: whether memory of slots was given back; `None` where it is stale.
        fn remove(tree: &mut Tree<Self>, handle: Handle) -> Option<bool> = remove::remove;

        /// Goes on with a descent: appends what overlaps until there may be no room, or counts all that is left.
        fn go_on(
            tree: &Tree<Self>,
            region: &Plain<Self>,
            cursor: &mut Cursor,
            to: &mut HandleWriter<'_>,
            counts: bool,
        ) -> usize = query::go_on;

        /// Appends all that overlaps.
        fn append(tree: &Tree<Self>, region: &Plain<Self>, list: &mut Vec<Handle>) = query::append;

        /// Counts what is left of a descent.
        fn count_rest(tree: &Tree<Self>, region: &Plain<Self>, cursor: &mut Cursor) -> usize = query::count_rest;

        /// Counts all that overlaps.
        fn count(tree: &Tree<Self>, region: &Plain<Self>) -> usize = query::count;

        /// Offers all items that may be better than the worst that is kept.
        fn nearest(tree: &Tree<Self>, from: Self, best: &mut Closest<Self::Scalar, Handle>) = nearest::search;

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

        /// Checks what links nodes, leaves and slots.
        fn validate(tree: &Tree<Self>) -> Result<(), &'static str> = validate::validate;
    }
}
