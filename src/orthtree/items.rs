//! The items of a tree, as they are lent.

use core::ops::Deref;

use super::tree::Tree;
use super::{Kernels, Orthtree};
use crate::query::{Bound, Descent, ItemTree, Relate};
use crate::shape::{ArrayOf, Bounded};
use crate::vector::Vector;

/// An item that is kept as it is, or made from its columns.
enum Held<'a, T> {
    Kept(&'a T),
    Made(T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        match self {
            Self::Kept(item) => item,
            Self::Made(item) => item,
        }
    }
}

impl<T: Bounded> ItemTree for Orthtree<T> {
    type Nodes = Tree<ArrayOf<T>>;
    type Item = T;
    type Key = usize;

    #[inline]
    fn nodes(&self) -> &Tree<ArrayOf<T>> {
        &self.core
    }

    #[inline]
    fn next_node(
        &self,
        region: &dyn Relate<ArrayOf<T>>,
        descent: &mut Descent,
    ) -> Option<(u32, bool)> {
        <ArrayOf<T>>::next_node(&self.core, region, descent)
    }

    #[inline]
    fn best_first(
        &self,
        bound: &Bound<'_, ArrayOf<T>>,
        offer: &mut dyn FnMut(u32) -> <ArrayOf<T> as Vector>::Scalar,
    ) {
        <ArrayOf<T>>::best_first(&self.core, bound, offer);
    }

    #[inline]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        let parts = self.core.parts(slot);
        let made = parts.and_then(|(core, radius)| T::from_parts(core.cast(), radius));
        match made {
            Some(item) => Held::Made(item),
            None => Held::Kept(&self.whole[slot as usize]),
        }
    }

    #[inline]
    fn key(&self, slot: u32) -> usize {
        self.core.indices[slot as usize] as usize
    }
}
