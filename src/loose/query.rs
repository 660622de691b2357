//! How a tree is asked: boxes and balls by lanes, other regions node by node.

use super::LooseOrthtree;
use super::walk::{Count, Fill, Walk};
use crate::overlap::lanes::{Layout, Plain};
use crate::query::{Ahead, Asked, HandleSink, TreeWalk, queries};
use crate::{Bounded, Handle, Overlaps, Region};

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
    type Ahead = Plain<T::Vector>;
    type Walk = TreeWalk<'a, LooseOrthtree<T>, R>;

    #[inline(always)]
    fn ahead(self, region: &R) -> Option<Plain<T::Vector>> {
        if T::LAYOUT == Layout::Whole {
            None
        } else {
            region.plain()
        }
    }

    fn walk(self, region: R) -> TreeWalk<'a, LooseOrthtree<T>, R> {
        TreeWalk::new(self, region)
    }
}

impl<T: Bounded> Ahead<&LooseOrthtree<T>, Handle> for Plain<T::Vector> {
    type Stand = Walk;

    #[inline(always)]
    fn stand() -> Walk {
        Walk::new()
    }

    #[inline(always)]
    fn start(&self, tree: &LooseOrthtree<T>, walk: &mut Walk) {
        walk.start(tree);
    }

    #[inline(always)]
    fn is_done(walk: &mut Walk) -> bool {
        walk.is_done()
    }

    #[inline(always)]
    fn fill(&self, tree: &LooseOrthtree<T>, walk: &mut Walk, to: &mut HandleSink<'_>) {
        let region = self;
        tree.instructions.run(Fill {
            tree,
            region,
            walk,
            to,
        });
    }

    #[inline(always)]
    fn count(&self, tree: &LooseOrthtree<T>, walk: &mut Walk) -> usize {
        let region = self;
        tree.instructions.run(Count { tree, region, walk })
    }
}
