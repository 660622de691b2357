//! How a tree is asked: boxes and balls by lanes, other regions node by node.

use super::Orthtree;
use super::split::LEAF;
use super::walk::{Count, Fill, Walk};
use crate::overlap::lanes::{Layout, Plain};
use crate::query::{Ahead, Asked, BUFFER, TreeWalk};
use crate::simd::{LANES, Pile};
use crate::{Bounded, Overlaps, Region};

/// A leaf goes in whole, with the blocks that it shares at both ends.
const _: () = assert!(BUFFER >= LEAF + 2 * LANES);

impl<'a, T, R> Asked<R> for &'a Orthtree<T>
where
    T: Bounded,
    R: Region<Vector = T::Vector> + Overlaps<T>,
{
    type Key = usize;
    type Ahead = Plain<T::Vector>;
    type Walk = TreeWalk<'a, Orthtree<T>, R>;

    #[inline(always)]
    fn ahead(self, region: &R) -> Option<Plain<T::Vector>> {
        if T::LAYOUT == Layout::Whole {
            None
        } else {
            region.plain()
        }
    }

    fn walk(self, region: R) -> TreeWalk<'a, Orthtree<T>, R> {
        TreeWalk::new(self, region)
    }
}

impl<T: Bounded> Ahead<&Orthtree<T>, usize> for Plain<T::Vector> {
    type Stand = Walk;

    #[inline(always)]
    fn stand() -> Walk {
        Walk::new()
    }

    #[inline(always)]
    fn start(&self, tree: &Orthtree<T>, walk: &mut Walk) {
        walk.start(tree);
    }

    #[inline(always)]
    fn is_done(walk: &mut Walk) -> bool {
        walk.is_done()
    }

    #[inline(always)]
    fn fill(&self, tree: &Orthtree<T>, walk: &mut Walk, to: &mut Pile<'_>) {
        let region = self;
        tree.instructions.run(Fill {
            tree,
            region,
            walk,
            to,
        });
    }

    #[inline(always)]
    fn count(&self, tree: &Orthtree<T>, walk: &mut Walk) -> usize {
        let region = self;
        tree.instructions.run(Count { tree, region, walk })
    }
}
