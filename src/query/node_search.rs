//! Searches of a tree node by node, for regions that vector instructions do not test.
//!
//! Both searches serve all trees and are compiled in this crate: they know nodes by number, and call a closure to test or bound a node. The
//! caller, which knows the type of the items, tests the items.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::ops::Range;

use smallvec::SmallVec;

use crate::nearest::Ranked;
use crate::overlap::{Extent, Relation};
use crate::vector::Vector;

/// A tree of nodes with known extents. All trees and the broad phase implement it.
pub(crate) trait Hierarchy {
    /// The vectors of extents.
    type Space: Vector;

    fn root(&self) -> Option<u32>;

    fn extent(&self, node: u32) -> Extent<Self::Space>;

    /// The nodes to visit next; none if `run` already gives all items below.
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32>;

    /// The items to report or to test at this node.
    fn run(&self, node: u32, inside: bool) -> SlotRun;
}

/// Items in consecutive slots, to report or to test.
#[derive(Clone, Debug)]
pub struct SlotRun {
    /// The part of the structure that has the slots: the level in [`CellLevels`](crate::CellLevels), the node in the broad phase, and 0 in
    /// all other structures.
    pub(crate) part: u32,
    pub(crate) slots: Range<u32>,
    /// True if all items are known to overlap the region.
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

/// The relation of a region to the items of a node.
pub(crate) type Relate<'a, V> = dyn Fn(&Extent<V>) -> Relation + 'a;

/// A lower bound for the items of a node; `None` for nodes to skip.
pub(crate) type Bound<'a, V> = dyn Fn(&Extent<V>) -> Option<<V as Vector>::Scalar> + 'a;

/// Takes some items, and returns the limit: nodes whose lower bound is larger do not matter any more.
pub(crate) type Offer<'a, V> = dyn FnMut(SlotRun) -> <V as Vector>::Scalar + 'a;

/// The state of a depth-first search: a stack of nodes, with true for those that are known to lie inside the region. It allocates if a tree
/// is deeper than usual, so that nothing is dropped.
#[derive(Clone, Debug, Default)]
pub struct Descent {
    started: bool,
    stack: SmallVec<[(u32, bool); 64]>,
}

/// The items of the next node that has items to report or to test.
///
/// ```text
/// until there are no nodes:
///     pop a node
///     push its children that are not outside of the region, the first child last
///     return its items, if it has any
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

/// Offers the items of nodes in the order of the nodes' lower bounds.
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
