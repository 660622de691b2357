//! Trees that are asked sixteen children or items at a time.

/// Asks a tree for boxes and balls by lanes, for other regions node by node.
///
/// `by_lanes!(tree, key, sink, where a descent stands, the jobs that fill and count)`
macro_rules! by_lanes {
    (
        $tree:ident, key = $key:ty, sink = $sink:ty,
        walk = $walk:ident, fill = $fill:ident, count = $count:ident
    ) => {
        impl<'a, T, R> $crate::query::Asked<R> for &'a $tree<T>
        where
            T: $crate::Bounded,
            R: $crate::Region<Vector = T::Vector> + $crate::Overlaps<T>,
        {
            type Key = $key;
            type Ahead = $crate::overlap::lanes::Plain<T::Vector>;
            type Walk = $crate::query::TreeWalk<'a, $tree<T>, R>;

            #[inline(always)]
            fn ahead(self, region: &R) -> Option<$crate::overlap::lanes::Plain<T::Vector>> {
                if T::LAYOUT == $crate::overlap::lanes::Layout::Whole {
                    None
                } else {
                    region.plain()
                }
            }

            fn walk(self, region: R) -> $crate::query::TreeWalk<'a, $tree<T>, R> {
                $crate::query::TreeWalk::new(self, region)
            }
        }

        impl<T: $crate::Bounded> $crate::query::Ahead<&$tree<T>, $key>
            for $crate::overlap::lanes::Plain<T::Vector>
        {
            type Stand = $walk;

            #[inline(always)]
            fn stand() -> $walk {
                $walk::new()
            }

            #[inline(always)]
            fn start(&self, tree: &$tree<T>, walk: &mut $walk) {
                walk.start(tree);
            }

            #[inline(always)]
            fn is_done(walk: &mut $walk) -> bool {
                walk.is_done()
            }

            #[inline(always)]
            fn fill(&self, tree: &$tree<T>, walk: &mut $walk, to: &mut $sink) {
                let region = self;
                tree.instructions.run($fill {
                    tree,
                    region,
                    walk,
                    to,
                });
            }

            #[inline(always)]
            fn count(&self, tree: &$tree<T>, walk: &mut $walk) -> usize {
                let region = self;
                tree.instructions.run($count { tree, region, walk })
            }
        }
    };
}
pub(crate) use by_lanes;
