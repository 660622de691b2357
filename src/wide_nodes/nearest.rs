//! The search for the nearest: depth first, the nearest child first, sixteen distances at a time, until no child is as near as the
//! worst item that is kept.
//!
//! ```text
//! enter(node):
//!     lower bounds for what its children hold
//!     while children are within the limit, one of them (the nearest, if the last leaf lowered the limit):
//!         mark it as visited; enter a node; offer the items of a leaf, which may lower the limit
//!     go back to the node above
//! ```
//!
//! No single distance is branched on: a mispredicted branch costs as much as testing a whole leaf. After a leaf that has not lowered
//! the limit, all children within it have to be visited, in any order.

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::{ItemBlocks, Kernels, MOST_BLOCKS as BLOCKS, Run, Tree};
use crate::kernels::Array;
use crate::nearest::{Blocks, Closest, FEW, Few, Nearest};
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Ball, Measure, Probe, W};
use crate::query::Key;
use crate::shape::Layout;
use crate::simd::{Column, LANES, Mask, Wide, run_wide};
use crate::vector::{Scalar, Vector};

/// The nodes on the way down that are kept without an allocation, enough for ten million points.
const DEPTH: usize = 4;

/// The result of a search in a tree. Items are named by their indices or slots.
type Best<A> = Closest<<A as Vector>::Scalar, u32>;

/// Offers `best` all items that may be better than its worst, by another measure than Euclid's if there is one. `key` makes a key of an
/// index or slot. Returns false, having offered nothing, if lanes cannot measure the items.
pub(crate) fn offer<A: Array, K: Key, const IN_ORDER: bool>(
    tree: &Tree<A>,
    from: &Center<A>,
    measure: Option<Measure<A>>,
    best: &mut Closest<A::Scalar, K>,
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
    match best.few() {
        Some(n) if measure.is_none() && !from.is_shifted() => {
            let zero = A::Scalar::ZERO;
            let mut found = Found {
                slots: [0; FEW],
                distances: [zero; FEW],
            };
            let limit_sq = Closest::limit_sq(best);
            let few = if IN_ORDER {
                A::nearest_few
            } else {
                A::nearest_few_loose
            };
            let many = few(tree, from.at, (n, limit_sq), &mut found);
            let found = found.slots.iter().zip(&found.distances).take(many);
            best.list()
                .extend(found.map(|(&slot, &distance_sq)| Nearest {
                    item: key(slot),
                    distance_sq,
                }));
        }
        _ => best.by_slot(key, |best| {
            let search = if IN_ORDER {
                <A as Kernels>::nearest
            } else {
                <A as Kernels>::nearest_loose
            };
            search(tree, from, measure, best);
        }),
    }
    true
}

/// The nearest few, in order.
#[derive(Debug)]
pub struct Found<S> {
    slots: [u32; FEW],
    distances: [S; FEW],
}

/// Offers `best` all items that may be better than its worst.
pub(super) fn search<A: Vector, const IN_ORDER: bool>(
    tree: &Tree<A>,
    from: &Center<A>,
    measure: Option<Measure<A>>,
    best: &mut Best<A>,
) {
    if let Some(measure) = measure {
        let from = Ball::of(measure, from.at, Scalar::ZERO);
        search_root::<A, _, true, IN_ORDER>(tree, &from, best);
    } else if from.is_shifted() {
        search_root::<A, _, true, IN_ORDER>(tree, &Ball::at(from), best);
    } else {
        search_root::<A, _, false, IN_ORDER>(tree, &Ball::point(from.at), best);
    }
}

/// Finds the nearest few within a limit. Returns how many there are.
pub(super) fn nearest_few<A: Vector, const IN_ORDER: bool>(
    tree: &Tree<A>,
    from: A,
    (n, limit_sq): (usize, A::Scalar),
    found: &mut Found<A::Scalar>,
) -> usize {
    let mut few = Few::new(n, limit_sq);
    let many = run_wide!(tree.instructions, |simd| {
        search_few::<A, IN_ORDER>(tree, from, &mut few);
        few.write(simd, &mut found.slots, &mut found.distances)
    });
    many.expect("asked where instructions are wide")
}

/// Offers the nearest few all items that may be among them.
#[inline(never)]
pub(crate) fn search_few<A: Vector, const IN_ORDER: bool>(
    tree: &Tree<A>,
    from: A,
    few: &mut Few<A::Scalar>,
) {
    search_root::<A, _, false, IN_ORDER>(tree, &Ball::point(from), few);
}

#[inline(always)]
fn search_root<A: Vector, K: Keep<A>, const MEASURE: bool, const IN_ORDER: bool>(
    tree: &Tree<A>,
    from: &Ball<A>,
    kept: &mut K,
) {
    if tree.len == 0 {
        return;
    }
    let set = tree.instructions;
    let done = run_wide!(set, |simd| descend::<_, _, _, MEASURE, IN_ORDER>(
        simd, tree, from, kept
    ));
    done.expect("asked where instructions are wide");
}

/// Keeps the nearest of the items that it is offered.
trait Keep<A: Vector> {
    /// The distance beyond which nothing can still get in.
    fn limit_sq(&self) -> A::Scalar;

    /// Takes the items of a leaf.
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>);
}

/// The distances of a leaf.
struct Leaf<'a, X> {
    /// The squared distances; infinite in unused lanes.
    apart: [X; BLOCKS],
    /// The least distance of each lane.
    least: X,
    /// The lanes that hold items.
    own: [Mask; BLOCKS],
    /// The indices or slots of its items by lane, perhaps followed by those of other items.
    slots: &'a [[u32; LANES]],
}

/// A node that was entered.
#[derive(Clone, Copy)]
struct Entered<S> {
    name: u32,
    /// The first block of its children.
    first: usize,
    /// Lower bounds for what its children hold.
    near: [Column<S>; BLOCKS],
    /// The children that have not been visited.
    left: u64,
}

/// Searches from the root.
#[inline(always)]
fn descend<A: Vector, S: Simd, K: Keep<A>, const MEASURE: bool, const IN_ORDER: bool>(
    simd: S,
    tree: &Tree<A>,
    from: &Ball<A>,
    kept: &mut K,
) {
    let (nodes, items) = (tree.nodes_for_nearest(), tree.item_blocks());
    let mut height = nodes.height;
    debug_assert!(items.layout != Layout::Whole);
    let probe = Probe::<A, S, false, MEASURE>::new(simd, from);
    let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
    let mut path = SmallVec::<[Entered<A::Scalar>; DEPTH]>::new();
    if !IN_ORDER && let Some(pending) = tree.pending() {
        let leaf = items.of_leaf::<false>(&nodes.levels, pending);
        ask(&probe, simd, &items, leaf, kept);
    }
    if height == 0 {
        return;
    }
    // A node is named by its number in a tree in order, and by its entry otherwise.
    let mut name = if IN_ORDER { 0 } else { tree.roots().start };
    // The limit before the last leaf.
    let mut before = kept.limit_sq();
    loop {
        height -= 1;
        let Run {
            first,
            blocks: there,
            lanes: left,
        } = nodes.children::<IN_ORDER>(height, name);
        let boxes = &nodes.boxes[first..first + there];
        let mut near = [infinity; BLOCKS];
        for block in 0..BLOCKS {
            if block == there {
                break;
            }
            near[block] = probe.near_measure(&boxes[block].low, &boxes[block].high);
        }
        if !nodes.radii.is_empty() {
            let radii = &nodes.radii[first..first + there];
            for block in 0..BLOCKS {
                if block == there {
                    break;
                }
                near[block] = probe.beyond_sq(near[block], &radii[block][1]);
            }
        }
        path.push(Entered {
            name,
            first,
            near: near.map(
                #[inline(always)]
                |near| Column(near.store()),
            ),
            left,
        });
        // The nearest child first; later any child within the limit, unless the last leaf has lowered the limit.
        let (mut lane, bound) = <W<A, S>>::closest(near, left);
        let mut is_within = bound <= kept.limit_sq();
        name = loop {
            if is_within {
                let Some(node) = path.last_mut() else { return };
                node.left &= !(1 << lane);
                let child = nodes.child::<IN_ORDER>(height, node.name, node.first, lane);
                if height > 0 {
                    break child;
                }
                before = kept.limit_sq();
                let leaf = items.of_leaf::<IN_ORDER>(&nodes.levels, child);
                ask(&probe, simd, &items, leaf, kept);
            } else {
                path.pop();
                height += 1;
            }
            let Some(node) = path.last() else { return };
            let near = node.near.each_ref().map(
                #[inline(always)]
                |near| <W<A, S>>::load(simd, &near.0),
            );
            let limit = kept.limit_sq();
            let limits = <W<A, S>>::splat(simd, limit);
            let mut within = 0;
            for (block, near) in near.iter().enumerate() {
                let near = near.at_most(limits).bits(simd);
                within |= u64::from(near) << (block * LANES);
            }
            within &= node.left;
            is_within = within != 0;
            lane = if within & within.wrapping_sub(1) == 0 || limit >= before {
                within.trailing_zeros() as usize % (BLOCKS * LANES)
            } else {
                <W<A, S>>::closest(near, within).0
            };
        };
    }
}

/// Offers the items of a leaf.
#[inline(always)]
fn ask<A: Vector, S: Simd, K: Keep<A>, const MEASURE: bool>(
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
        own: [Mask::new(simd, 0); BLOCKS],
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
    for (block, (apart, lanes)) in leaf.apart.iter_mut().zip(&mut leaf.own).enumerate() {
        *lanes = Mask::new(simd, (own >> (block * LANES)) as u32);
        *apart = apart.only(*lanes, infinity);
        leaf.least = leaf.least.nearer(*apart);
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
            // Points are treated as boxes: less code to compile.
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
            Layout::Whole => unreachable!("asked one by one"),
            Layout::Ball => probe.beyond_sq(probe.point_sq(points), &self.radii[block]),
        }
    }
}

impl<A: Vector> Keep<A> for Best<A> {
    #[inline(always)]
    fn limit_sq(&self) -> A::Scalar {
        Closest::limit_sq(self)
    }

    #[inline(always)]
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>) {
        let is_one = Closest::is_one(self);
        let mut limit = Closest::limit_sq(self);
        if is_one {
            limit = leaf.least.least_distance();
        }
        // All blocks at once: a branch for each costs a twelfth of a search for one.
        let limits = <W<A, S>>::splat(simd, limit);
        let mut found = 0;
        for (block, (apart, &own)) in leaf.apart.iter().zip(&leaf.own).enumerate() {
            let near = apart.at_most(limits) & own;
            found |= u64::from(near.bits(simd)) << (block * LANES);
        }
        if is_one && found & found.wrapping_sub(1) == 0 && limit != Closest::limit_sq(self) {
            // The usual case: one candidate, accepted without a branch. If there is none, the offer is no improvement and the key is
            // ignored.
            let lane = (found.trailing_zeros() as usize) % (BLOCKS * LANES);
            let lane = lane.min((leaf.slots.len() * LANES).saturating_sub(1));
            Closest::offer_other(self, limit, leaf.slots.as_flattened()[lane]);
            return;
        }
        if found == 0 {
            return;
        }
        let distances = leaf.apart.map(Wide::store);
        while found != 0 {
            let lane = found.trailing_zeros() as usize;
            let slot = leaf.slots.as_flattened()[lane];
            let (block, lane) = (lane / LANES % BLOCKS, lane % LANES);
            Closest::offer(self, distances[block][lane], slot);
            found &= found - 1;
        }
    }
}

impl<A: Vector> Keep<A> for Few<A::Scalar> {
    #[inline(always)]
    fn limit_sq(&self) -> A::Scalar {
        Few::limit_sq(self)
    }

    #[inline(always)]
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>) {
        let blocks = Blocks {
            distances: &leaf.apart,
            least: leaf.least,
            lanes: &leaf.own,
            items: leaf.slots,
        };
        Few::offer(self, simd, &blocks);
    }
}
