//! The descent for the nearest items, sixteen distances at a time: depth first, of several children
//! the nearest first, until no child is as near as the worst item that is kept.
//!
//! ```text
//! enter(node):
//!     lower bounds for what its children hold
//!     while the child with the least bound is within the limit:
//!         no longer left; a node is entered, of a leaf all distances are offered, which may lower the limit
//!     go back to the node above
//! ```
//!
//! Nothing here branches on a single distance: a mispredicted branch costs as much as testing a whole leaf. The choice of
//! the next child does not depend on the limit, so the processor starts on it before the limit is known.

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::tree::Tree;
use crate::nearest::{Blocks, Closest, Few};
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Ball, Measure, Probe, W};
use crate::shape::Layout;
use crate::simd::{Column, Job, LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// The most blocks of a node's children, and of a leaf's items.
const BLOCKS: usize = 4;

/// The nodes on the way down that are kept without an allocation, enough for ten million points.
const DEPTH: usize = 4;

/// The result of a search.
type Best<A> = Closest<<A as Vector>::Scalar, usize>;

/// Offers `best` all items that may be better than its worst.
pub(super) fn search<A: Vector>(tree: &Tree<A>, from: &Center<A>, best: &mut Best<A>) {
    if from.is_shifted() {
        search_root::<A, _, true>(tree, &Ball::at(from), best);
    } else if let Some(n) = best.few() {
        run(
            tree,
            FewNearest {
                tree,
                from: from.at,
                n,
                best,
            },
        );
    } else {
        search_root::<A, _, false>(tree, &Ball::point(from.at), best);
    }
}

/// Offers `best` points or boxes by another measure than Euclid's. Does not go by way of the nearest few, which would be
/// compiled once more.
pub(super) fn search_by<A: Vector>(
    tree: &Tree<A>,
    from: A,
    measure: Measure<A>,
    best: &mut Best<A>,
) {
    let from = Ball::of(measure, from, Scalar::ZERO);
    search_root::<A, _, true>(tree, &from, best);
}

/// Offers the nearest few all items that may be among them.
#[inline(never)]
pub(super) fn search_few<A: Vector>(tree: &Tree<A>, from: A, few: &mut Few<A::Scalar>) {
    search_root::<A, _, false>(tree, &Ball::point(from), few);
}

#[inline(always)]
fn search_root<A: Vector, K: Keep<A>, const MEASURE: bool>(
    tree: &Tree<A>,
    from: &Ball<A>,
    kept: &mut K,
) {
    // The root is a node, even above a single leaf.
    if tree.wide_nodes.levels.height() > 0 {
        let search = Search::<A, K, MEASURE> { tree, from, kept };
        run(tree, search);
    }
}

/// Runs a job where the tree was built for wide instructions.
#[inline(always)]
fn run<A: Vector, J: Job>(tree: &Tree<A>, job: J) -> J::Output {
    let done = tree.instructions.run_wide(job);
    done.expect("asked where instructions are wide")
}

/// Keeps the nearest of the items that it is offered.
trait Keep<A: Vector> {
    /// The distance beyond which nothing can still get in.
    fn limit_sq(&self) -> A::Scalar;

    /// Takes the items of a leaf.
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>);
}

/// The blocks that a leaf touches.
struct Leaf<'a, X> {
    /// Squared distances; infinite in lanes of others, and behind the last block.
    apart: [X; BLOCKS],
    /// The least in each lane.
    least: X,
    /// The lanes that are the leaf's.
    own: [Mask; BLOCKS],
    indices: &'a [[u32; LANES]],
}

/// A search for a few.
struct FewNearest<'a, A: Vector> {
    tree: &'a Tree<A>,
    from: A,
    n: usize,
    best: &'a mut Best<A>,
}

impl<A: Vector> Job for FewNearest<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let best = self.best;
        let mut few = Few::new(self.n, Closest::limit_sq(best));
        search_few(self.tree, self.from, &mut few);
        few.finish(
            simd,
            #[inline(always)]
            |index| index as usize,
            best.list(),
        );
    }
}

/// A search from the root.
struct Search<'a, A: Vector, K, const MEASURE: bool> {
    tree: &'a Tree<A>,
    from: &'a Ball<A>,
    kept: &'a mut K,
}

/// A node that was entered.
#[derive(Clone, Copy)]
struct Entered<S> {
    number: usize,
    /// Lower bounds for what its children hold.
    near: [Column<S>; BLOCKS],
    /// The children that are not done with.
    left: u64,
}

impl<A: Vector, K: Keep<A>, const MEASURE: bool> Job for Search<'_, A, K, MEASURE> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        debug_assert!(self.tree.items.layout != Layout::Whole);
        let Self { tree, from, .. } = self;
        let kept = self.kept;
        let probe = Probe::<A, S, false, MEASURE>::new(simd, from);
        let nodes = &tree.wide_nodes;
        let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
        let mut path = SmallVec::<[Entered<A::Scalar>; DEPTH]>::new();
        // The node to enter; its children are one lower.
        let (mut height, mut number) = (nodes.levels.height(), 0);
        loop {
            let below = nodes.levels.level(height - 1);
            let many = below.below(number).len();
            let (first, there) = (below.block_below(number), many.div_ceil(LANES).min(BLOCKS));
            let cells = &nodes.cells[first..first + there];
            let left = u64::MAX >> (u64::BITS as usize - many.clamp(1, BLOCKS * LANES));
            let mut near = [infinity; BLOCKS];
            for block in 0..BLOCKS {
                if block == there {
                    break;
                }
                near[block] = probe.near_measure(&cells[block].low, &cells[block].high);
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
                number,
                near: near.map(
                    #[inline(always)]
                    |near| Column(near.store()),
                ),
                left,
            });
            let mut next = <W<A, S>>::closest(near, left);
            number = loop {
                let (lane, bound) = next;
                if bound <= kept.limit_sq() {
                    let Some(node) = path.last_mut() else { return };
                    node.left &= !(1 << lane);
                    let child = nodes.levels.level(height - 1).below(node.number).start + lane;
                    if height > 1 {
                        height -= 1;
                        break child;
                    }
                    ask(&probe, simd, tree, child, kept);
                } else {
                    path.pop();
                    height += 1;
                }
                let Some(node) = path.last() else { return };
                let near = node.near.each_ref().map(
                    #[inline(always)]
                    |near| <W<A, S>>::load(simd, &near.0),
                );
                next = <W<A, S>>::closest(near, node.left);
            };
        }
    }
}

/// Offers the items of a leaf.
#[inline(always)]
fn ask<A: Vector, S: Simd, K: Keep<A>, const MEASURE: bool>(
    probe: &Probe<A, S, false, MEASURE>,
    simd: S,
    tree: &Tree<A>,
    number: usize,
    kept: &mut K,
) {
    let slots = tree.wide_nodes.levels.level(0).slots(number, tree.len);
    let first = slots.start / LANES;
    let own = u64::MAX >> (u64::BITS as usize - slots.len().clamp(1, BLOCKS * LANES));
    let there = slots.len().div_ceil(LANES).min(BLOCKS);
    let (indices, _) = tree.indices[first * LANES..(first + there) * LANES].as_chunks();
    let layout = tree.items.layout;
    let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
    let mut leaf = Leaf {
        apart: [infinity; BLOCKS],
        least: infinity,
        own: [Mask::new(simd, 0); BLOCKS],
        indices,
    };
    // The layout is asked for once, not for each block.
    if !MEASURE && layout == Layout::Point {
        for block in 0..BLOCKS {
            if block == there {
                break;
            }
            leaf.apart[block] = tree.items.distance_sq(probe, Layout::Point, first + block);
        }
    } else {
        for block in 0..BLOCKS {
            if block == there {
                break;
            }
            leaf.apart[block] = tree.items.distance_sq(probe, layout, first + block);
        }
    }
    for (block, (apart, lanes)) in leaf.apart.iter_mut().zip(&mut leaf.own).enumerate() {
        *lanes = Mask::new(simd, (own >> (block * LANES)) as u32);
        *apart = apart.only(*lanes, infinity);
        leaf.least = leaf.least.nearer(*apart);
    }
    kept.offer(simd, &leaf);
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
            // Most often. Without a branch on whether it is better than what was found before.
            let lane = found.trailing_zeros() as usize % (BLOCKS * LANES);
            let index = leaf.indices.as_flattened().get(lane);
            Closest::offer_other(self, limit, index.map_or(0, |&index| index as usize));
            return;
        }
        if found == 0 {
            return;
        }
        let distances = leaf.apart.map(Wide::store);
        while found != 0 {
            let lane = found.trailing_zeros() as usize;
            let (block, lane) = (lane / LANES % BLOCKS, lane % LANES);
            let index = leaf.indices[block][lane];
            Closest::offer(self, distances[block][lane], index as usize);
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
            items: leaf.indices,
        };
        Few::offer(self, simd, &blocks);
    }
}
