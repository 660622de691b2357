//! What is asked of a tree.

use alloc::vec::Vec;
use core::ops::Deref;

use super::descent::Cursor;
use super::tree::Tree;
use super::{Kernels, LooseOrthtree};
use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::lanes::Asked;
use crate::query::{
    BlockSearch, ItemTree, SpatialIndex, Writer, block_tree_questions, own_questions, tree_of_nodes,
};
use crate::shape::{ArrayOf, Bounded};
use crate::vector::Vector;

own_questions! {
    impl[T: Bounded] LooseOrthtree<T> { T, T::Vector, Handle }

    /// The items that overlap a region, lazily, each once: [`SpatialIndex::query`].
    ///
    /// # Complexity
    ///
    /// O(log n + answer) for items and regions that are not much longer than wide, nor lie in one place; O(n)
    /// at worst.
    query;

    /// The number of items that overlap a region: [`SpatialIndex::count`].
    ///
    /// # Complexity
    ///
    /// That of [`query`](Self::query), or less.
    count;

    /// The item nearest to a point; of several, that with the least handle: [`SpatialIndex::nearest`].
    ///
    /// # Complexity
    ///
    /// O(log n) for items that are not all equally far.
    nearest;
}

impl<T: Bounded> SpatialIndex for LooseOrthtree<T> {
    type Vector = T::Vector;
    type Item = T;
    type Key = Handle;

    block_tree_questions!();
}

/// How a region is searched for that sixteen items are asked about at once: `loose/descent.rs`. For others it is the tree's nodes,
/// one by one: `query/tree.rs`.
impl<T: Bounded> BlockSearch<LooseOrthtree<T>> for Asked<ArrayOf<T>> {
    type Cursor = Cursor;

    #[inline(always)]
    fn cursor() -> Cursor {
        Cursor::new()
    }

    #[inline]
    fn start(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor) {
        cursor.start(&tree.core);
    }

    #[inline]
    fn is_done(cursor: &mut Cursor) -> bool {
        cursor.is_done()
    }

    #[inline]
    fn fill(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor, to: &mut Writer<'_, Handle>) {
        <ArrayOf<T>>::resume(&tree.core, self, cursor, to, false);
    }

    #[inline]
    fn count(&self, tree: &LooseOrthtree<T>, cursor: &mut Cursor) -> usize {
        <ArrayOf<T>>::count_rest(&tree.core, self, cursor)
    }

    #[inline]
    fn append_all(&self, tree: &LooseOrthtree<T>, list: &mut Vec<Handle>) -> Result<(), Error> {
        <ArrayOf<T>>::append(&tree.core, self, list)
    }

    #[inline]
    fn count_all(&self, tree: &LooseOrthtree<T>) -> usize {
        <ArrayOf<T>>::count(&tree.core, self)
    }
}

impl<T: Bounded> ItemTree for LooseOrthtree<T> {
    type Key = Handle;

    tree_of_nodes!();

    #[inline]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        let item = self.items[slot as usize].as_ref();
        item.expect("a slot in use has an item")
    }

    #[inline]
    fn key(&self, slot: u32) -> Handle {
        self.core.handle(slot)
    }
}
