//! The descent for the nearest items, sixteen distances at a time: depth first, of several children
//! the nearest first, until no child is as near as the worst item that is kept.
//!
//! Nothing here branches on a single distance: what a branch costs that was not foreseen is what
//! asking a whole leaf costs.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::split::{BLOCKS, TOUCHED};
use super::tree::{BLOCKS_BITS, INNER, Tree, blocks_of};
use crate::nearest::{Blocks, Closest, Few, Nearest};
use crate::overlap::lanes::{Ball, Measure, Probe, W};
use crate::query::ANY;
use crate::shape::Layout;
use crate::simd::{Column, Job, LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// Nodes on the way down whose children's distances are kept. Below the last of them, the search
/// begins anew: ten million points lie within that.
const DEPTH: usize = 4;

/// What is kept.
type Best<A> = Closest<<A as Vector>::Scalar, usize>;

/// Offers `best` all items that may be better than its worst.
pub(super) fn search<A: Vector>(tree: &Tree<A>, from: A, best: &mut Best<A>) {
    if let Some(n) = best.few() {
        let mut few = Few::new(n, best.limit_sq());
        search_few(tree, from, &mut few);
        best.set(run(tree, Finish::<A>(&mut few)));
    } else {
        search_root(tree, from, best);
    }
}

/// The same by another measure than Euclid's, for points and boxes. Not by way of the nearest few, which would be
/// compiled once more.
pub(super) fn search_by<A: Vector>(
    tree: &Tree<A>,
    from: A,
    measure: Measure<A>,
    best: &mut Best<A>,
) {
    let from = Ball::of(measure, from, Scalar::ZERO);
    // From the block of the root alone, so that a leaf is never asked first: less code.
    if let Some(last) = tree.nodes.children.len().checked_sub(1) {
        let above = INNER | (last as u32) << BLOCKS_BITS | 1;
        search_below::<A, _, true>(tree, &from, above, 0, best);
    }
}

/// Offers the nearest few all items that may be among them.
#[inline(never)]
pub(super) fn search_few<A: Vector>(tree: &Tree<A>, from: A, few: &mut Few<A::Scalar>) {
    search_root(tree, from, few);
}

#[inline(always)]
fn search_root<A: Vector, K: Keep<A>>(tree: &Tree<A>, from: A, kept: &mut K) {
    let nodes = &tree.nodes;
    if let (Some(root), Some(edges)) = (nodes.children.last(), nodes.edges.last()) {
        let from = Ball::point(from);
        search_below::<A, K, false>(tree, &from, root[0], edges[0], kept);
    }
}

/// Runs a job where the tree was built for wide instructions.
#[inline(always)]
fn run<A: Vector, J: Job>(tree: &Tree<A>, job: J) -> J::Output {
    let done = tree.instructions.run_wide(job);
    done.expect("asked where instructions are wide")
}

/// The same below a child.
#[inline(always)]
fn search_below<A: Vector, K: Keep<A>, const MEASURE: bool>(
    tree: &Tree<A>,
    from: &Ball<A>,
    child: u32,
    edges: u32,
    kept: &mut K,
) {
    run(
        tree,
        Search::<A, K, MEASURE> {
            tree,
            from,
            child,
            edges,
            kept,
        },
    );
}

/// The same in a function of its own, for trees deeper than usual.
#[cold]
#[inline(never)]
fn search_deeper<A: Vector, K: Keep<A>, const MEASURE: bool>(
    tree: &Tree<A>,
    from: &Ball<A>,
    child: u32,
    kept: &mut K,
) {
    search_below::<A, K, MEASURE>(tree, from, child, 0, kept);
}

/// What keeps the nearest items of those that it is offered.
trait Keep<A: Vector> {
    /// Whether it is one that is looked for.
    fn is_one(&self) -> bool;

    /// The distance beyond which nothing can still get in.
    fn limit_sq(&self) -> A::Scalar;

    /// Takes the items of a leaf.
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>);
}

/// The blocks that a leaf touches.
struct Leaf<'a, X> {
    /// Squared distances; infinite in lanes of others, and behind the last block.
    apart: [X; TOUCHED],
    /// The least in each lane.
    least: X,
    /// The lanes that are the leaf's.
    own: [Mask; TOUCHED],
    indices: &'a [[u32; LANES]],
}

/// The order of the nearest few, when all have been offered.
struct Finish<'a, A: Vector>(&'a mut Few<A::Scalar>);

impl<A: Vector> Job for Finish<'_, A> {
    type Output = Vec<Nearest<usize, A::Scalar>>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        self.0.finish(simd, |index| index as usize)
    }
}

/// A search below a child.
struct Search<'a, A: Vector, K, const MEASURE: bool> {
    tree: &'a Tree<A>,
    from: &'a Ball<A>,
    child: u32,
    edges: u32,
    kept: &'a mut K,
}

/// A node that was entered.
#[derive(Clone, Copy)]
struct Entered<S> {
    first: usize,
    blocks: usize,
    /// Lower bounds for what its children hold; infinite for those that are done with.
    near: [Column<S>; BLOCKS],
    /// The children that are not.
    left: u64,
}

const _: () = assert!(BLOCKS * LANES <= u64::BITS as usize);
const _: () = assert!(TOUCHED * LANES <= u128::BITS as usize);

impl<A: Vector, K: Keep<A>, const MEASURE: bool> Job for Search<'_, A, K, MEASURE> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        debug_assert!(self.tree.items.layout != Layout::Whole);
        let Self { tree, from, .. } = self;
        let kept = self.kept;
        let is_one = kept.is_one();
        let probe = Probe::<A, S, false, MEASURE>::new(simd, from);
        if !MEASURE && self.child & INNER == 0 {
            ask(&probe, simd, tree, self.child, self.edges, kept);
            return;
        }
        let nodes = &tree.nodes;
        let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
        let none = Entered {
            first: 0,
            blocks: 0,
            near: [Column([Scalar::INFINITY; LANES]); BLOCKS],
            left: 0,
        };
        let mut path = [none; DEPTH];
        let mut depth = 0;
        let mut child = self.child;
        loop {
            let blocks = blocks_of(child);
            let cells = nodes.cells::<ANY>(blocks.clone());
            let node = &mut path[depth];
            depth += 1;
            node.first = blocks.start;
            node.blocks = (blocks.end - blocks.start).min(BLOCKS);
            node.left = !0;
            let mut least = infinity;
            for block in 0..BLOCKS {
                if block == node.blocks {
                    break;
                }
                let near = cells.near_sq(&probe, block);
                node.near[block] = Column(near.store());
                least = least.smaller(near);
            }
            let mut closest = least.smallest();
            child = loop {
                // The closest child if nothing is kept yet, else any that is close enough.
                let node = &mut path[depth - 1];
                let limit = <W<A, S>>::splat(simd, closest.smaller(kept.limit_sq()));
                let mut near = 0;
                for block in 0..BLOCKS {
                    if block == node.blocks {
                        break;
                    }
                    let bounds = <W<A, S>>::load(simd, &node.near[block].0);
                    near |= u64::from(bounds.at_most(limit).bits(simd)) << (block * LANES);
                }
                near &= node.left;
                if near == 0 {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                } else {
                    let lane = near.trailing_zeros() as usize;
                    node.left ^= near & near.wrapping_neg();
                    let (block, lane) = (lane / LANES, lane % LANES);
                    if !is_one {
                        node.near[block].0[lane] = Scalar::INFINITY;
                    }
                    let block = node.first + block;
                    let child = nodes.children[block][lane];
                    if child & INNER == 0 {
                        let edges = nodes.edges[block][lane];
                        ask(&probe, simd, tree, child, edges, kept);
                    } else if depth < DEPTH {
                        break child;
                    } else {
                        search_deeper::<A, K, MEASURE>(tree, from, child, kept);
                    }
                }
                closest = Scalar::INFINITY;
                if !is_one {
                    let node = &path[depth - 1];
                    let mut least = infinity;
                    for block in 0..BLOCKS {
                        if block == node.blocks {
                            break;
                        }
                        let bounds = <W<A, S>>::load(simd, &node.near[block].0);
                        least = least.smaller(bounds);
                    }
                    closest = least.smallest();
                }
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
    leaf: u32,
    edges: u32,
    kept: &mut K,
) {
    let blocks = blocks_of(leaf);
    let many = (blocks.end - blocks.start).min(TOUCHED);
    if many == 0 {
        // A lane without a child.
        return;
    }
    let (indices, _) = tree.indices[blocks.start * LANES..blocks.end * LANES].as_chunks();
    let items = tree.items.blocks::<ANY>(blocks);
    let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
    let mut leaf = Leaf {
        apart: [infinity; TOUCHED],
        least: infinity,
        own: [Mask::new(simd, 0); TOUCHED],
        indices,
    };
    let mut keep = edges & 0xffff;
    for block in 0..TOUCHED {
        if block == many {
            break;
        }
        if block + 1 == many {
            keep &= edges >> LANES;
        }
        let own = Mask::new(simd, keep);
        let distances = items.distance_sq(probe, block).only(own, infinity);
        (leaf.apart[block], leaf.own[block]) = (distances, own);
        leaf.least = leaf.least.smaller(distances);
        keep = 0xffff;
    }
    kept.offer(simd, &leaf);
}

impl<A: Vector> Keep<A> for Best<A> {
    #[inline(always)]
    fn is_one(&self) -> bool {
        Closest::is_one(self)
    }

    #[inline(always)]
    fn limit_sq(&self) -> A::Scalar {
        Closest::limit_sq(self)
    }

    #[inline(always)]
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>) {
        let mut limit = Closest::limit_sq(self);
        if Closest::is_one(self) {
            let closest = leaf.least.smallest();
            if closest > limit {
                return;
            }
            limit = closest;
        }
        // All blocks at once: a branch for each costs a twelfth of a search for one.
        let limit = <W<A, S>>::splat(simd, limit);
        let mut found = 0;
        for (block, (apart, &own)) in leaf.apart.iter().zip(&leaf.own).enumerate() {
            let near = apart.at_most(limit) & own;
            found |= u128::from(near.bits(simd)) << (block * LANES);
        }
        if found == 0 {
            return;
        }
        let distances = leaf.apart.map(Wide::store);
        while found != 0 {
            let lane = found.trailing_zeros() as usize;
            let (block, lane) = (lane / LANES % TOUCHED, lane % LANES);
            let index = leaf.indices[block][lane];
            Closest::offer(self, distances[block][lane], index as usize);
            found &= found - 1;
        }
    }
}

impl<A: Vector> Keep<A> for Few<A::Scalar> {
    #[inline(always)]
    fn is_one(&self) -> bool {
        false
    }

    #[inline(always)]
    fn limit_sq(&self) -> A::Scalar {
        Few::limit_sq(self)
    }

    #[inline(always)]
    fn offer<S: Simd>(&mut self, simd: S, leaf: &Leaf<'_, W<A, S>>) {
        let blocks = Blocks {
            distances: &leaf.apart,
            lanes: &leaf.own,
            items: leaf.indices,
        };
        Few::offer(self, simd, &blocks);
    }
}
