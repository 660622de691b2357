//! What is asked of a tree.

use alloc::vec::Vec;
use core::ops::Deref;

use super::tree::Tree;
use super::walk::Walk;
use super::{Kernels, LooseOrthtree};
use crate::nearest::{Closest, in_hierarchy, nearest};
use crate::overlap::lanes::{Layout, Plain};
use crate::query::{Ahead, Asked, Bound, Descent, HandleSink, ItemTree, Relate, TreeWalk, queries};
use crate::shape::ArrayOf;
use crate::sweep::{first_in_hierarchy, sweeps};
use crate::{Bounded, Distance, Handle, Overlaps, Region, Sweep, Vector};

queries!(
    impl[T: Bounded] LooseOrthtree<T>, asked = &Self: |this| this,
    vector = T::Vector, item = T, key = Handle, listed = Handle,
    complexity = "O(log n + answer) for items and regions that are not much longer than wide, nor lie in one place; \
        O(n) at worst."
);

impl<'a, T, R> Asked<R> for &'a LooseOrthtree<T>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Key = Handle;
    type Ahead = Plain<ArrayOf<T>>;
    type Walk = TreeWalk<'a, LooseOrthtree<T>, R>;

    #[inline]
    fn ahead(self, region: &R) -> Option<Plain<ArrayOf<T>>> {
        if T::LAYOUT == Layout::Whole {
            None
        } else {
            region.plain().map(|region| region.cast())
        }
    }

    #[inline]
    fn walk(self, region: R) -> TreeWalk<'a, LooseOrthtree<T>, R> {
        TreeWalk::new(self, region)
    }
}

impl<T: Bounded> Ahead<&LooseOrthtree<T>, Handle> for Plain<ArrayOf<T>> {
    type Stand = Walk;

    #[inline(always)]
    fn stand() -> Walk {
        Walk::new()
    }

    #[inline]
    fn start(&self, tree: &LooseOrthtree<T>, walk: &mut Walk) {
        walk.start(&tree.core);
    }

    #[inline]
    fn is_done(walk: &mut Walk) -> bool {
        walk.is_done()
    }

    #[inline]
    fn fill(&self, tree: &LooseOrthtree<T>, walk: &mut Walk, to: &mut HandleSink<'_>) {
        <ArrayOf<T>>::go_on(&tree.core, self, walk, to, false);
    }

    #[inline]
    fn count(&self, tree: &LooseOrthtree<T>, walk: &mut Walk) -> usize {
        <ArrayOf<T>>::count_rest(&tree.core, self, walk)
    }

    #[inline]
    fn append(&self, tree: &LooseOrthtree<T>, list: &mut Vec<Handle>) {
        <ArrayOf<T>>::append(&tree.core, self, list);
    }

    #[inline]
    fn total(&self, tree: &LooseOrthtree<T>) -> usize {
        <ArrayOf<T>>::count(&tree.core, self)
    }
}

impl<T: Bounded> ItemTree for LooseOrthtree<T> {
    type Nodes = Tree<ArrayOf<T>>;
    type Item = T;
    type Key = Handle;

    #[inline]
    fn nodes(&self) -> &Self::Nodes {
        &self.core
    }

    #[inline]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        let item = self.items[slot as usize].as_ref();
        item.expect("a slot in use has an item")
    }

    #[inline]
    fn key(&self, slot: u32) -> Handle {
        self.core.handle(slot)
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
}

impl<T: Distance> LooseOrthtree<T> {
    /// Offers `best` all items that may be better than its worst.
    fn search(&self, from: T::Vector, best: &mut Closest<<T::Vector as Vector>::Scalar, Handle>) {
        if T::LAYOUT != Layout::Whole && self.core.instructions.is_wide() {
            <ArrayOf<T>>::nearest(&self.core, from.array(), best);
        } else {
            in_hierarchy(self, from, best);
        }
    }
}

nearest!(
    impl[T: Distance] LooseOrthtree<T>, vector = T::Vector, key = Handle,
    |this, from, best| this.search(from, best)
);

sweeps!(
    impl[T: Bounded] LooseOrthtree<T>, vector = T::Vector, item = T, key = Handle,
    |this, moving| walk = TreeWalk::new(this, moving),
    item = |slot| &*this.item(slot),
    first = |first| first_in_hierarchy(
        this,
        |extent| moving.bound::<T>(extent),
        |item| moving.times(item).map(|times| times.0),
        first,
    )
);
