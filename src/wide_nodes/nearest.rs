//! The search for the nearest: depth first, the nearest child first, sixteen distances at a time, until no child is as near as the farthest
//! item that is kept.
//!
//! ```text
//! enter(node):
//!     compute lower bounds on the distances of its children
//!     while children are within the limit, choose one of them (the nearest, if the last leaf lowered the limit):
//!         mark it as visited; enter it if it is a node; offer its items if it is a leaf, which may lower the limit
//!     go back to the node above
//! ```
//!
//! The search does not branch on a single distance: a mispredicted branch costs as much as testing a whole leaf. After a leaf that has not
//! lowered the limit, all children within it have to be visited, in any order.

mod keep;

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::{ItemBlocks, Kernels, MOST_BLOCKS as BLOCKS, Nodes, Run, Tree};
use crate::kernels::Array;
use crate::nearest::{Closest, FEW, Few};
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Ball, Measure, Probe, W};
use crate::query::Key;
use crate::shape::Layout;
use crate::simd::{LANES, Wide, run};
use crate::vector::{Scalar, Vector};
use keep::{Keep, Leaf, One, lanes_of};

/// The length of the stack of nodes above which it allocates: enough for ten million points.
const DEPTH: usize = 4;

/// A slot that no item has.
const NOTHING: u32 = u32::MAX;

/// The result of a search in a tree. Items are named by their indices or slots.
type Best<A> = Closest<<A as Vector>::Scalar, u32>;

/// Offers `best` all items that may be nearer than its farthest, by `measure` or else by Euclid's distance. `key` makes a key of an index
/// or slot. Returns false, having offered nothing, if lanes cannot measure the items.
#[inline(always)]
pub(crate) fn offer<V: Vector<Array: Kernels>, K: Key>(
    tree: &Tree<V::Array>,
    from: &Center<V>,
    measure: Option<Measure<V>>,
    best: &mut Closest<V::Scalar, K>,
    key: impl Fn(u32) -> K,
) -> bool {
    let by_lanes = match tree.items.layout {
        Layout::Point | Layout::Box => true,
        Layout::Ball => measure.is_none(),
        Layout::Whole => false,
    };
    if !by_lanes || !tree.instructions.is_wide() {
        return false;
    }
    let few = best
        .few()
        .filter(|_| measure.is_none() && !from.is_shifted());
    if few == Some(1) {
        let (at, limit_sq) = (from.at.array(), Closest::limit_sq(best));
        let (distance_sq, slot) = <V::Array>::nearest_one(tree, at, limit_sq);
        if slot != NOTHING {
            best.offer(distance_sq, key(slot));
        }
    } else if let Some(n) = few {
        offer_few(tree, from.at.array(), n, best, key);
    } else {
        best.by_slot(key, |best| {
            let measure = measure.map(|measure| measure.cast());
            <V::Array>::nearest(tree, &from.cast(), measure, best);
        });
    }
    true
}

/// Offers `best` the nearest `n` items in their order, as far as they may be nearer than its farthest.
#[inline(never)]
fn offer_few<A: Array, K: Key>(
    tree: &Tree<A>,
    from: A,
    n: usize,
    best: &mut Closest<A::Scalar, K>,
    key: impl Fn(u32) -> K,
) {
    let zero = A::Scalar::ZERO;
    let mut found = NearestFew {
        slots: [0; FEW],
        distances: [zero; FEW],
    };
    let limits = (n, Closest::limit_sq(best));
    let many = A::nearest_few(tree, from, limits, &mut found);
    let found = found.slots.iter().zip(&found.distances).take(many);
    found.for_each(|(&slot, &distance_sq)| best.offer(distance_sq, key(slot)));
}

/// The result of [`nearest_few`]: slots and squared distances, in order.
#[derive(Debug)]
pub struct NearestFew<S> {
    slots: [u32; FEW],
    distances: [S; FEW],
}

/// Offers `best` all items that may be nearer than its farthest.
pub(super) fn search<A: Vector>(
    tree: &Tree<A>,
    from: &Center<A>,
    measure: Option<Measure<A>>,
    best: &mut Best<A>,
) {
    if let Some(measure) = measure {
        let from = Ball::of(measure, from.at, Scalar::ZERO);
        search_root::<A, _, true>(tree, &from, best);
    } else {
        search_root::<A, _, true>(tree, &Ball::at(from), best);
    }
}

/// Finds the squared distance and the slot of the nearest within a limit; the slot is [`NOTHING`] if there is none.
pub(super) fn nearest_one<A: Vector>(
    tree: &Tree<A>,
    from: A,
    limit_sq: A::Scalar,
) -> (A::Scalar, u32) {
    let nothing = One {
        distance_sq: limit_sq,
        slot: NOTHING,
    };
    // The most frequent search is compiled twice, for trees in order and for others.
    let (set, from) = (tree.instructions, Ball::point(from));
    let one = run!(wide(set), |simd| if tree.is_in_order() {
        descend::<_, _, _, false>(simd, tree, &from, nothing, true)
    } else {
        descend::<_, _, _, false>(simd, tree, &from, nothing, false)
    });
    let one = one.expect("called only with wide instructions");
    (one.distance_sq, one.slot)
}

/// Finds the nearest few within a limit. Returns how many there are.
pub(super) fn nearest_few<A: Vector>(
    tree: &Tree<A>,
    from: A,
    (n, limit_sq): (usize, A::Scalar),
    found: &mut NearestFew<A::Scalar>,
) -> usize {
    let mut few = Few::new(n, limit_sq);
    let many = run!(wide(tree.instructions), |simd| {
        search_few(tree, from, &mut few);
        few.write(simd, &mut found.slots, &mut found.distances)
    });
    many.expect("called only with wide instructions")
}

/// Offers `few` all items that may be among the nearest.
#[inline(never)]
pub(crate) fn search_few<A: Vector>(tree: &Tree<A>, from: A, few: &mut Few<A::Scalar>) {
    search_root::<A, _, false>(tree, &Ball::point(from), few);
}

/// Searches from the root, for the instruction set of the tree.
#[inline(always)]
fn search_root<A: Vector, K: Keep<A>, const MEASURE: bool>(
    tree: &Tree<A>,
    from: &Ball<A>,
    kept: K,
) -> K {
    let set = tree.instructions;
    let kept = run!(wide(set), |simd| descend::<_, _, _, MEASURE>(
        simd,
        tree,
        from,
        kept,
        tree.is_in_order()
    ));
    kept.expect("called only with wide instructions")
}

/// A node on the way from the root.
#[derive(Clone, Copy)]
struct Entered<X> {
    name: u32,
    /// The first block of its children.
    first: usize,
    /// Lower bounds on the distances of its children.
    near: [X; BLOCKS],
    /// The children that have not been visited.
    left: u64,
}

/// Searches from the root, for one instruction set.
#[inline(always)]
fn descend<A: Vector, S: Simd, K: Keep<A>, const MEASURE: bool>(
    simd: S,
    tree: &Tree<A>,
    from: &Ball<A>,
    mut kept: K,
    in_order: bool,
) -> K {
    let (nodes, items) = (tree.nodes_for_nearest(), tree.item_blocks(in_order));
    let mut height = nodes.height;
    debug_assert!(items.layout != Layout::Whole);
    let probe = Probe::<A, S, false, MEASURE>::new(simd, from);
    let mut path = SmallVec::<[Entered<W<A, S>>; DEPTH]>::new();
    // A node is named by its number in a tree in order, and by its entry otherwise.
    let root = if in_order { 0 } else { tree.roots().start };
    let mut root = (height > 0).then_some(root);
    let mut pending = if in_order { None } else { tree.pending() };
    // Search the pending leaf first, if there is one, and then the root. Both go through the loop below, so that the code for a leaf is compiled
    // once.
    let mut enter = if pending.is_some() { None } else { root.take() };
    // A node without children, until the root is entered.
    let mut node = Entered {
        name: 0,
        first: 0,
        near: [<W<A, S>>::splat(simd, Scalar::ZERO); BLOCKS],
        left: 0,
    };
    let (mut lane, mut is_within) = (0, false);
    // The limit before the last leaf.
    let mut before = kept.limit_sq();
    loop {
        // Enter a node: the nearest child first.
        if let Some(name) = enter {
            height -= 1;
            let run = nodes.children(height, name, in_order);
            let near = near_children(&probe, simd, nodes, run);
            let bound;
            (lane, bound) = <W<A, S>>::closest(near, run.lanes);
            is_within = bound <= kept.limit_sq();
            node = Entered {
                name,
                first: run.first,
                near,
                left: run.lanes,
            };
        }
        enter = loop {
            if is_within || pending.is_some() {
                // Visit the child, or the pending leaf.
                let leaf = if let Some(pending) = pending.take() {
                    pending
                } else {
                    node.left &= !(1 << lane);
                    let child = nodes.child(height, (node.name, node.first), lane, in_order);
                    if height > 0 {
                        path.push(node);
                        break Some(child);
                    }
                    child
                };
                before = kept.limit_sq();
                let leaf = items.of_leaf(&nodes.levels, leaf);
                offer_leaf(&probe, simd, &items, leaf, &mut kept);
                if let Some(root) = root.take() {
                    break Some(root);
                }
            } else {
                // Go back to the node above.
                let Some(above) = path.pop() else {
                    return kept;
                };
                node = above;
                height += 1;
            }
            // Choose any other child within the limit, or the nearest of them if the last leaf lowered the limit.
            let limit = kept.limit_sq();
            let limits = <W<A, S>>::splat(simd, limit);
            let mut within = 0;
            for (block, near) in node.near.iter().enumerate() {
                within |= u64::from(near.at_most(limits).bits(simd)) << (block * LANES);
            }
            within &= node.left;
            is_within = within != 0;
            lane = if within & within.wrapping_sub(1) == 0 || limit >= before {
                within.trailing_zeros() as usize % (BLOCKS * LANES)
            } else {
                <W<A, S>>::closest(node.near, within).0
            };
        };
    }
}

/// Lower bounds on the distances of the children of a node; infinite for blocks that it does not have.
#[inline(always)]
fn near_children<A: Vector, S: Simd, const MEASURE: bool>(
    probe: &Probe<A, S, false, MEASURE>,
    simd: S,
    nodes: &Nodes<A>,
    Run { first, blocks, .. }: Run,
) -> [W<A, S>; BLOCKS] {
    let mut near = [<W<A, S>>::splat(simd, Scalar::INFINITY); BLOCKS];
    // Loops of constant length are unrolled, which keeps the bounds in registers.
    let boxes = &nodes.boxes[first..first + blocks];
    for block in 0..BLOCKS {
        if block == blocks {
            break;
        }
        near[block] = probe.near_measure(&boxes[block].low, &boxes[block].high);
    }
    if !nodes.radii.is_empty() {
        let radii = &nodes.radii[first..first + blocks];
        for block in 0..BLOCKS {
            if block == blocks {
                break;
            }
            near[block] = probe.beyond_sq(near[block], &radii[block][1]);
        }
    }
    near
}

/// Offers the items of a leaf.
#[inline(always)]
fn offer_leaf<A: Vector, S: Simd, K: Keep<A>, const MEASURE: bool>(
    probe: &Probe<A, S, false, MEASURE>,
    simd: S,
    items: &ItemBlocks<'_, A>,
    leaf: Run,
    kept: &mut K,
) {
    let Run {
        first,
        blocks: there,
        lanes: own,
    } = leaf;
    let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
    let mut leaf = Leaf {
        apart: [infinity; BLOCKS],
        least: infinity,
        own,
        slots: &items.indices[first..first + there],
    };
    // One branch on the layout, instead of one for each block.
    if !MEASURE && items.layout == Layout::Point {
        for block in 0..BLOCKS {
            if block == there {
                break;
            }
            leaf.apart[block] = items.distance_sq(probe, Layout::Point, first + block);
        }
    } else {
        for block in 0..BLOCKS {
            if block == there {
                break;
            }
            leaf.apart[block] = items.distance_sq(probe, items.layout, first + block);
        }
    }
    if own != u64::MAX {
        for (block, apart) in leaf.apart.iter_mut().enumerate() {
            *apart = apart.only(lanes_of(simd, own, block), infinity);
        }
    }
    for apart in leaf.apart {
        leaf.least = leaf.least.nearer(apart);
    }
    kept.offer(simd, &leaf);
}

impl<A: Vector> ItemBlocks<'_, A> {
    /// The squared distances of the items of a block.
    #[inline(always)]
    fn distance_sq<S: Simd, const MEASURE: bool>(
        &self,
        probe: &Probe<A, S, false, MEASURE>,
        layout: Layout,
        block: usize,
    ) -> W<A, S> {
        let points = &self.points[block];
        if MEASURE {
            // Points are treated as boxes, so that less code is compiled.
            let highs = if layout == Layout::Box {
                &self.highs[block]
            } else {
                points
            };
            let apart = probe.near_measure(points, highs);
            return match layout {
                Layout::Ball => probe.beyond_sq(apart, &self.radii[block]),
                _ => apart,
            };
        }
        match layout {
            Layout::Box => probe.near_measure(points, &self.highs[block]),
            Layout::Point => probe.point_measure(points),
            Layout::Whole => unreachable!("tested one by one"),
            Layout::Ball => probe.beyond_sq(probe.point_measure(points), &self.radii[block]),
        }
    }
}
