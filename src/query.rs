//! How a structure is asked: runs of slots at the core, the visitor and the iterator on top.
//!
//! A walk hands out runs, each either wholly inside the region or still to be asked item by item;
//! that a node inside the region is one run is what makes large answers cheap. Everything a user
//! calls is written here once, for all structures.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{ControlFlow, Deref};

use smallvec::SmallVec;

use crate::overlap::Extent;
use crate::{Bounded, Overlaps, Region, Relation};

/// The traversal of one structure for one region.
pub trait Walk {
    /// What names an item to the user.
    type Key;
    /// Slots of items that lie together.
    type Run: ExactSizeIterator<Item = u32>;

    /// The next run, and whether all of it is known to overlap the region.
    fn next_run(&mut self) -> Option<(Self::Run, bool)>;

    /// Whether the item overlaps the region.
    fn hits(&self, slot: u32) -> bool;

    /// The item's name.
    fn key(&self, slot: u32) -> Self::Key;
}

/// The items that overlap a region: what `query` returns. Lazy; allocates only where a tree is
/// deeper than usual.
///
/// Its type parameter has no name outside the crate: to keep one, box it as an iterator.
///
/// `for_each`, `fold` and `count` run faster than a loop over `next`; `count` does not touch items
/// of nodes that lie inside the region.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Query<W: Walk> {
    walk: W,
    run: Option<(W::Run, bool)>,
}

impl<W: Walk> Query<W> {
    pub(crate) fn new(walk: W) -> Self {
        Self { walk, run: None }
    }

    /// Calls `f` with what is left, until it breaks.
    pub(crate) fn visit<B>(
        mut self,
        mut f: impl FnMut(W::Key) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        while let Some((run, inside)) = self.run.take().or_else(|| self.walk.next_run()) {
            for slot in run {
                if inside || self.walk.hits(slot) {
                    f(self.walk.key(slot))?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl<W: Walk> Iterator for Query<W> {
    type Item = W::Key;

    #[inline]
    fn next(&mut self) -> Option<W::Key> {
        loop {
            if let Some((run, inside)) = &mut self.run {
                for slot in run {
                    if *inside || self.walk.hits(slot) {
                        return Some(self.walk.key(slot));
                    }
                }
            }
            self.run = None;
            self.run = Some(self.walk.next_run()?);
        }
    }

    fn fold<A, F: FnMut(A, W::Key) -> A>(mut self, init: A, mut f: F) -> A {
        let mut all = init;
        while let Some((run, inside)) = self.run.take().or_else(|| self.walk.next_run()) {
            for slot in run {
                if inside || self.walk.hits(slot) {
                    all = f(all, self.walk.key(slot));
                }
            }
        }
        all
    }

    fn count(mut self) -> usize {
        let mut count = 0;
        while let Some((run, inside)) = self.run.take().or_else(|| self.walk.next_run()) {
            count += if inside {
                run.len()
            } else {
                run.filter(|&slot| self.walk.hits(slot)).count()
            };
        }
        count
    }
}

impl<W: Walk> FusedIterator for Query<W> {}

impl<W: Walk> fmt::Debug for Query<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}

/// A tree of nodes with known extents: what the octrees have in common.
pub(crate) trait Hierarchy {
    type Item: Bounded;
    type Key: Copy + Ord;
    type Run<'a>: ExactSizeIterator<Item = u32>
    where
        Self: 'a;

    fn root(&self) -> Option<u32>;

    fn extent(&self, node: u32) -> Extent<<Self::Item as Bounded>::Vector>;

    /// The nodes to go on with; none where `run` already holds all items below.
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32>;

    /// The items to report or ask at this node.
    fn run(&self, node: u32, inside: bool) -> Self::Run<'_>;

    fn item(&self, slot: u32) -> impl Deref<Target = Self::Item>;

    fn key(&self, slot: u32) -> Self::Key;
}

/// Depth first, children in order.
pub(crate) struct TreeWalk<'a, H, R> {
    tree: &'a H,
    region: R,
    /// Nodes to come, and whether they are known to lie inside the region. Spills where a tree is
    /// deeper than usual: nothing is dropped.
    stack: SmallVec<[(u32, bool); 64]>,
}

impl<'a, H, R> TreeWalk<'a, H, R>
where
    H: Hierarchy,
    R: Region<Vector = <H::Item as Bounded>::Vector>,
{
    pub(crate) fn new(tree: &'a H, region: R) -> Self {
        let mut walk = Self {
            tree,
            region,
            stack: SmallVec::new(),
        };
        if let Some(root) = tree.root() {
            walk.push(root, false);
        }
        walk
    }

    /// Puts a node on the stack unless the region passes it by.
    #[inline(always)]
    fn push(&mut self, node: u32, inside: bool) {
        let relation = if inside {
            Relation::Inside
        } else {
            self.tree.extent(node).relate::<H::Item>(&self.region)
        };
        if relation != Relation::Outside {
            self.stack.push((node, relation == Relation::Inside));
        }
    }
}

impl<'a, H, R> Walk for TreeWalk<'a, H, R>
where
    H: Hierarchy,
    R: Region<Vector = <H::Item as Bounded>::Vector> + Overlaps<H::Item>,
{
    type Key = H::Key;
    type Run = H::Run<'a>;

    fn next_run(&mut self) -> Option<(H::Run<'a>, bool)> {
        while let Some((node, inside)) = self.stack.pop() {
            for child in self.tree.children(node, inside).rev() {
                self.push(child, inside);
            }
            let run = self.tree.run(node, inside);
            if run.len() > 0 {
                return Some((run, inside));
            }
        }
        None
    }

    #[inline(always)]
    fn hits(&self, slot: u32) -> bool {
        self.region.overlaps(&self.tree.item(slot))
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> H::Key {
        self.tree.key(slot)
    }
}

/// Stamps the questions that every structure answers, so that they read and behave the same.
///
/// `queries!(structure, vector, item, key, walk type, |structure, region| walk)`
macro_rules! queries {
    (
        impl[$($g:tt)*] $structure:ty, vector = $v:ty, item = $t:ty, key = $key:ty,
        list = $list:ty: |$listed:ident| $short:expr,
        walk = $walk:ident<$r:ident>: $walk_type:ty, |$this:ident, $region:ident| $new:expr
    ) => {
        impl<$($g)*> $structure {
            /// The items that overlap a region, lazily, each once.
            ///
            /// # Complexity
            ///
            /// O(n) for a scan, and at worst; O(log n + answer) in the others for items and regions
            /// that are not much longer than wide and, in a cell list, spread evenly.
            pub fn query<$r>(&self, region: $r) -> $crate::query::Query<$walk_type>
            where
                $r: $crate::Region<Vector = $v> + $crate::Overlaps<$t>,
            {
                let ($this, $region) = (self, region);
                $crate::query::Query::new($new)
            }

            /// Calls `f` with each item that [`query`](Self::query) gives, in the same order, until
            /// it breaks.
            pub fn visit<$r, B>(
                &self,
                region: $r,
                f: impl FnMut($key) -> core::ops::ControlFlow<B>,
            ) -> core::ops::ControlFlow<B>
            where
                $r: $crate::Region<Vector = $v> + $crate::Overlaps<$t>,
            {
                self.query(region).visit(f)
            }

            /// The number of items that overlap a region. Items of nodes that lie inside it are
            /// not touched.
            #[must_use]
            pub fn count<$r>(&self, region: $r) -> usize
            where
                $r: $crate::Region<Vector = $v> + $crate::Overlaps<$t>,
            {
                self.query(region).count()
            }

            /// The answers to many regions at once: list `i` is what [`query`](Self::query) gives
            /// for region `i`, in the same order. On several threads with the feature `rayon`.
            #[must_use]
            pub fn query_batch<$r>(&self, regions: &[$r]) -> $crate::Lists<$list>
            where
                $r: $crate::Region<Vector = $v> + $crate::Overlaps<$t> + Sync,
                $t: Sync,
            {
                $crate::Lists::collect(regions, |region, found| {
                    self.query(region).for_each(|$listed| found.push($short));
                })
            }
        }
    };
}
pub(crate) use queries;
