//! Searches of a tree node by node, for regions that vector instructions do not test.
//!
//! Both searches are written once for all trees and compiled in this crate: they see nodes by number, and a closure tests or bounds a
//! node. The caller, who knows the type of the items, tests the items.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::ops::Range;

use smallvec::SmallVec;

use crate::nearest::Ranked;
use crate::overlap::{Extent, Relation};
use crate::vector::Vector;

/// A tree of nodes with known extents, as all trees and the broad phase have them.
pub(crate) trait Hierarchy {
    /// The vectors in which it knows extents.
    type Space: Vector;

    fn root(&self) -> Option<u32>;

    fn extent(&self, node: u32) -> Extent<Self::Space>;

    /// The nodes to go on with; none where `run` already holds all items below.
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32>;

    /// The items to report or to test at this node.
    fn run(&self, node: u32, inside: bool) -> SlotRun;
}

/// Items in consecutive slots, to report or to test.
#[derive(Clone, Debug)]
pub struct SlotRun {
    /// Which part of the structure the slots are of: 0, but the level in [`CellLevels`](crate::CellLevels) and the node in the
    /// broad phase.
    pub(crate) part: u32,
    pub(crate) slots: Range<u32>,
    /// All of them are known to overlap the region.
    pub(crate) inside: bool,
}

impl SlotRun {
    pub(crate) const NONE: Self = Self {
        part: 0,
        slots: 0..0,
        inside: false,
    };

    /// The slots of a structure that has one part. Each item has to be tested.
    pub(crate) fn of(slots: Range<u32>) -> Self {
        Self {
            slots,
            ..Self::NONE
        }
    }
}

/// How a region lies to what a node holds.
pub(crate) type Relate<'a, V> = dyn Fn(&Extent<V>) -> Relation + 'a;

/// A lower bound for what a node holds; `None` for nodes that are passed by.
pub(crate) type Bound<'a, V> = dyn Fn(&Extent<V>) -> Option<<V as Vector>::Scalar> + 'a;

/// Looks at some items and returns the limit beyond which no node matters any more; one at the limit does.
pub(crate) type Offer<'a, V> = dyn FnMut(SlotRun) -> <V as Vector>::Scalar + 'a;

/// Where a search depth first stands: nodes to come, and whether they are known to lie inside the region.
/// Spills where a tree is deeper than usual: nothing is dropped.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    started: bool,
    stack: SmallVec<[(u32, bool); 64]>,
}

/// The items of the next node that has some to report or to ask.
///
/// ```text
/// until there are no nodes:
///     take the last one
///     put its children that are not outside of the region behind, the first one last
///     end if it has items
/// ```
pub(crate) fn next_run<H: Hierarchy>(
    tree: &H,
    region: &Relate<'_, H::Space>,
    descent: &mut Descent,
) -> Option<SlotRun> {
    let stack = &mut descent.stack;
    let push = |stack: &mut SmallVec<_>, node, inside| {
        let relation = if inside {
            Relation::Inside
        } else {
            region(&tree.extent(node))
        };
        if relation != Relation::Outside {
            stack.push((node, relation == Relation::Inside));
        }
    };
    if !descent.started {
        descent.started = true;
        tree.root()
            .into_iter()
            .for_each(|root| push(stack, root, false));
    }
    while let Some((node, inside)) = stack.pop() {
        for child in tree.children(node, inside).rev() {
            push(stack, child, inside);
        }
        let run = tree.run(node, inside);
        if !run.slots.is_empty() {
            return Some(SlotRun { inside, ..run });
        }
    }
    None
}

/// Hands on the items of nodes in the order of the nodes' bounds.
///
/// ```text
/// queue = the root
/// until the queue is empty or its least bound is beyond the limit:
///     take the node of the least bound
///     limit = offer(its items)
///     queue its children that are not beyond the limit
/// ```
pub(crate) fn best_first<H: Hierarchy>(
    tree: &H,
    bound: &Bound<'_, H::Space>,
    offer: &mut Offer<'_, H::Space>,
) {
    let ranked = |node| bound(&tree.extent(node)).map(|bound| Reverse(Ranked(bound, node)));
    let mut queue: BinaryHeap<_> = tree.root().and_then(ranked).into_iter().collect();
    let mut limit = offer(SlotRun::NONE);
    while let Some(Reverse(Ranked(least, node))) = queue.pop() {
        if least > limit {
            break;
        }
        limit = offer(tree.run(node, false));
        let children = tree.children(node, false).filter_map(ranked);
        queue.extend(children.filter(|child| child.0.0 <= limit));
    }
}
