//! Trees, asked node by node: for what is not asked by lanes.
//!
//! Two searches, each written once for all trees and compiled where the tree is: they see nodes only, by
//! number, and ask the region, or whatever bounds nodes, through a reference to a trait. Items are asked
//! by who called, who knows their type.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::marker::PhantomData;
use core::ops::Deref;

use smallvec::SmallVec;

use super::search::Walk;
use crate::nearest::{Closest, Ranked};
use crate::overlap::distance::Center;
use crate::overlap::{Distance, Extent, Overlaps, Region, Relation};
use crate::shape::Bounded;
use crate::vector::{Scalar, Vector};

/// A tree of nodes with known extents: what the trees have in common.
pub trait Hierarchy {
    /// The vectors in which it knows extents.
    type Space: Vector;
    type Run<'a>: ExactSizeIterator<Item = u32>
    where
        Self: 'a;

    fn root(&self) -> Option<u32>;

    fn extent(&self, node: u32) -> Extent<Self::Space>;

    /// The nodes to go on with; none where `run` already holds all items below.
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32>;

    /// The slots of the items to report or ask at this node.
    fn run(&self, node: u32, inside: bool) -> Self::Run<'_>;
}

pub(crate) type SpaceOf<T> = <<T as ItemTree>::Nodes as Hierarchy>::Space;
type VectorOf<T> = <<T as ItemTree>::Item as Bounded>::Vector;
type ScalarOf<T> = <SpaceOf<T> as Vector>::Scalar;
/// Bounds something at what a node holds from below; `None` for nodes that are passed by.
pub(crate) type Bound<'a, S> = dyn Fn(&Extent<S>) -> Option<<S as Vector>::Scalar> + 'a;

/// A tree of nodes, and the items in its slots.
pub trait ItemTree {
    type Nodes: Hierarchy<
        Space: Vector<
            Array = <<Self::Item as Bounded>::Vector as Vector>::Array,
            Scalar = <<Self::Item as Bounded>::Vector as Vector>::Scalar,
        >,
    >;
    type Item: Bounded;
    type Key: Copy + Ord;

    fn nodes(&self) -> &Self::Nodes;

    fn item(&self, slot: u32) -> impl Deref<Target = Self::Item>;

    /// Whether what is at a slot counts: it does, unless moving it has taken it beyond the finite numbers.
    #[inline(always)]
    fn is_item(&self, _: u32) -> bool {
        true
    }

    fn key(&self, slot: u32) -> Self::Key;

    /// [`next_node`], where it is compiled.
    fn next_node(
        &self,
        region: &dyn Relate<SpaceOf<Self>>,
        descent: &mut Descent,
    ) -> Option<(u32, bool)> {
        next_node(self.nodes(), region, descent)
    }

    /// [`best_first`], where it is compiled.
    fn best_first(
        &self,
        bound: &Bound<'_, SpaceOf<Self>>,
        offer: &mut dyn FnMut(u32) -> ScalarOf<Self>,
    ) {
        best_first(self.nodes(), bound, offer);
    }
}

/// What is known of all items of a tree; `None` where there are none.
pub(crate) fn extent_of<T: ItemTree>(tree: &T) -> Option<Extent<VectorOf<T>>> {
    let nodes = tree.nodes();
    nodes.root().map(|root| nodes.extent(root).cast())
}

/// How a region lies to what a node holds.
pub trait Relate<S: Vector> {
    fn relate(&self, extent: &Extent<S>) -> Relation;
}

/// A region, asked about nodes of items of type `T`.
struct OfItems<'a, R, T>(&'a R, PhantomData<fn(&T)>);

impl<S, R, T> Relate<S> for OfItems<'_, R, T>
where
    T: Bounded,
    S: Vector<Array = <T::Vector as Vector>::Array, Scalar = <T::Vector as Vector>::Scalar>,
    R: Region<Vector = T::Vector>,
{
    fn relate(&self, extent: &Extent<S>) -> Relation {
        extent.cast::<T::Vector>().relate::<T>(self.0)
    }
}

/// Where a search depth first stands: nodes to come, and whether they are known to lie inside the region.
/// Spills where a tree is deeper than usual: nothing is dropped.
#[derive(Clone, Debug)]
pub struct Descent {
    started: bool,
    stack: SmallVec<[(u32, bool); 64]>,
}

impl Descent {
    pub(crate) fn new() -> Self {
        Self {
            started: false,
            stack: SmallVec::new(),
        }
    }
}

/// Goes on to the next node that has items to report or to ask, and whether they are known to lie inside.
///
/// ```text
/// until there are no nodes:
///     take the last one
///     put its children that are not outside of the region behind, the first one last
///     end if it has items
/// ```
pub(crate) fn next_node<H: Hierarchy>(
    tree: &H,
    region: &dyn Relate<H::Space>,
    descent: &mut Descent,
) -> Option<(u32, bool)> {
    let relation = |node, inside| {
        if inside {
            Relation::Inside
        } else {
            region.relate(&tree.extent(node))
        }
    };
    let stack = &mut descent.stack;
    let push = |stack: &mut SmallVec<_>, node, inside| {
        let relation = relation(node, inside);
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
        if tree.run(node, inside).len() > 0 {
            return Some((node, inside));
        }
    }
    None
}

/// Hands on nodes in the order of their bounds. `offer` looks at a node's items and returns the limit
/// beyond which no node matters any more; one at the limit does.
///
/// ```text
/// queue = the root
/// until the queue is empty or its least bound is beyond the limit:
///     take the node of the least bound
///     limit = offer(node)
///     queue its children that are not beyond the limit
/// ```
pub(crate) fn best_first<H: Hierarchy>(
    tree: &H,
    bound: &Bound<'_, H::Space>,
    offer: &mut dyn FnMut(u32) -> <H::Space as Vector>::Scalar,
) {
    let ranked = |node| bound(&tree.extent(node)).map(|bound| Reverse(Ranked(bound, node)));
    let mut limit = Scalar::INFINITY;
    let mut queue: BinaryHeap<_> = tree.root().and_then(ranked).into_iter().collect();
    while let Some(Reverse(Ranked(least, node))) = queue.pop() {
        if least > limit {
            break;
        }
        limit = offer(node);
        let children = tree.children(node, false).filter_map(ranked);
        queue.extend(children.filter(|child| child.0.0 <= limit));
    }
}

/// Depth first, children in order.
#[derive(Debug)]
pub struct TreeWalk<'a, T, R> {
    tree: &'a T,
    region: R,
    descent: Descent,
}

impl<T, R: Clone> Clone for TreeWalk<'_, T, R> {
    fn clone(&self) -> Self {
        Self {
            tree: self.tree,
            region: self.region.clone(),
            descent: self.descent.clone(),
        }
    }
}

impl<'a, T: ItemTree, R> TreeWalk<'a, T, R> {
    pub(crate) fn new(tree: &'a T, region: R) -> Self {
        Self {
            tree,
            region,
            descent: Descent::new(),
        }
    }
}

impl<'a, T, R> Walk for TreeWalk<'a, T, R>
where
    T: ItemTree,
    R: Region<Vector = VectorOf<T>> + Overlaps<T::Item>,
{
    type Key = T::Key;
    type Run = <T::Nodes as Hierarchy>::Run<'a>;

    fn next_run(&mut self) -> Option<(Self::Run, bool)> {
        let region = OfItems::<R, T::Item>(&self.region, PhantomData);
        let (node, inside) = self.tree.next_node(&region, &mut self.descent)?;
        Some((self.tree.nodes().run(node, inside), inside))
    }

    #[inline(always)]
    fn hits(&self, slot: u32) -> bool {
        self.tree.is_item(slot) && self.region.overlaps(&self.tree.item(slot))
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> T::Key {
        self.tree.key(slot)
    }
}

/// What a search in a tree keeps.
type ClosestIn<T> = Closest<<VectorOf<T> as Vector>::Scalar, <T as ItemTree>::Key>;

/// Offers items, nodes in the order of their lower bounds, until none can hold a better item.
pub(crate) fn nearest_in_tree<T>(tree: &T, from: Center<VectorOf<T>>, best: &mut ClosestIn<T>)
where
    T: ItemTree<Item: Distance>,
{
    nearest_in_tree_if(tree, from, best, |_| true);
}

/// The same of some items only.
pub(crate) fn nearest_in_tree_if<T>(
    tree: &T,
    from: Center<VectorOf<T>>,
    best: &mut ClosestIn<T>,
    keep: impl Fn(&T::Item) -> bool,
) where
    T: ItemTree<Item: Distance>,
{
    let center = from.cast();
    let bound = |extent: &Extent<_>| Some(extent.distance_sq::<T::Item>(&center));
    let distance = |item: &T::Item| keep(item).then(|| from.item_sq(item));
    offer_best_first(tree, &bound, distance, best);
}

/// Offers the items of nodes that `bound` puts first, those that have a distance.
#[inline(always)]
pub(crate) fn offer_best_first<T: ItemTree>(
    tree: &T,
    bound: &Bound<'_, SpaceOf<T>>,
    distance: impl Fn(&T::Item) -> Option<ScalarOf<T>>,
    best: &mut ClosestIn<T>,
) {
    tree.best_first(bound, &mut |node| {
        let slots = tree.nodes().run(node, false);
        for slot in slots.filter(|&slot| tree.is_item(slot)) {
            if let Some(distance) = distance(&tree.item(slot)) {
                best.offer(distance, tree.key(slot));
            }
        }
        best.limit_sq()
    });
}
