//! What is asked of a tree.

use core::ops::Deref;

use super::tree::Tree;
use super::{Kernels, LooseOrthtree};
use crate::handle::Handle;
use crate::query::{
    ItemTree, SpatialIndex, block_tree_questions, own_questions, tree_by_blocks, tree_of_nodes,
};
use crate::shape::Bounded;
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

tree_by_blocks!(LooseOrthtree);

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
