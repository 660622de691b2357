//! Searches of a tree node by node, for questions that vector instructions are not asked.
//!
//! Both searches are written once for all trees and compiled where the tree is: they see nodes by number, and ask the region, or
//! whatever bounds nodes, through a closure. The caller, who knows the type of the items, asks these.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::mem::replace;
use core::ops::Range;

use smallvec::{IntoIter, SmallVec};

use crate::nearest::Ranked;
use crate::overlap::{Extent, Relation};
use crate::simd::LANES;
use crate::vector::Vector;

/// A tree of nodes with known extents, as all trees and the broad phase have them.
pub(crate) trait Hierarchy {
    /// The vectors in which it knows extents.
    type Space: Vector;

    fn root(&self) -> Option<u32>;

    fn extent(&self, node: u32) -> Extent<Self::Space>;

    /// The nodes to go on with; none where `run` already holds all items below.
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32>;

    /// The slots of the items to report or ask at this node.
    fn run(&self, node: u32, inside: bool) -> Slots;
}

/// The slots of items that lie together.
#[derive(Clone, Debug)]
pub(crate) enum Slots {
    Range(Range<u32>),
    Listed(IntoIter<[u32; LANES]>),
}

impl Iterator for Slots {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Range(slots) => slots.next(),
            Self::Listed(slots) => slots.next(),
        }
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Range(slots) => slots.size_hint(),
            Self::Listed(slots) => slots.size_hint(),
        }
    }

    #[inline(always)]
    fn fold<A, F: FnMut(A, u32) -> A>(self, init: A, f: F) -> A {
        match self {
            Self::Range(slots) => slots.fold(init, f),
            Self::Listed(slots) => slots.fold(init, f),
        }
    }
}

impl Slots {
    /// Takes some from the front: so many, or all that are listed.
    #[inline(always)]
    pub(crate) fn take_some(&mut self, many: u32) -> Self {
        match self {
            Self::Range(slots) => {
                let end = slots.end.min(slots.start.saturating_add(many));
                Self::Range(replace(&mut slots.start, end)..end)
            }
            Self::Listed(_) => replace(self, Self::Range(0..0)),
        }
    }
}

impl ExactSizeIterator for Slots {}

/// Items that lie together, to report or to ask.
#[derive(Clone, Debug)]
pub struct SlotRun {
    /// Which part of the structure the slots are of: 0, but the level in [`CellLevels`](crate::CellLevels).
    pub(crate) part: u32,
    pub(crate) slots: Slots,
    /// All of them are known to overlap the region.
    pub(crate) inside: bool,
}

impl SlotRun {
    pub(crate) const NONE: Self = Self {
        part: 0,
        slots: Slots::Range(0..0),
        inside: false,
    };

    fn of(slots: Slots, inside: bool) -> Self {
        let part = 0;
        Self {
            part,
            slots,
            inside,
        }
    }

    /// The first slots.
    pub(crate) fn of_all(len: usize) -> Self {
        Self::of(Slots::Range(0..len as u32), false)
    }
}

/// How a region lies to what a node holds.
pub(crate) type Relate<'a, V> = dyn Fn(&Extent<V>) -> Relation + 'a;

/// A lower bound for what a node holds; `None` for nodes that are passed by.
pub(crate) type Bound<'a, V> = dyn Fn(&Extent<V>) -> Option<<V as Vector>::Scalar> + 'a;

/// What looks at some items and returns the limit beyond which no node matters any more; one at the limit does.
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
        if run.len() > 0 {
            return Some(SlotRun::of(run, inside));
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
        limit = offer(SlotRun::of(tree.run(node, false), false));
        let children = tree.children(node, false).filter_map(ranked);
        queue.extend(children.filter(|child| child.0.0 <= limit));
    }
}
