//! Trees, asked node by node.

use core::ops::Deref;

use smallvec::SmallVec;

use super::Walk;
use crate::overlap::Extent;
use crate::{Bounded, Overlaps, Region, Relation};

/// A tree of nodes with known extents: what the octrees have in common.
pub trait Hierarchy {
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
#[derive(Debug)]
pub struct TreeWalk<'a, H, R> {
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
