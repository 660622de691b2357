//! The descent for the nearest items, sixteen distances at a time: depth first, of several children
//! the nearest first, until no child is as near as the worst item that is kept.
//!
//! Nothing here branches on a single distance: what a branch costs that was not foreseen is what
//! asking a whole leaf costs.

use fearless_simd::Simd;

use super::split::{BLOCKS, LEAF};
use super::tree::{INNER, Tree, blocks_of};
use crate::nearest::Closest;
use crate::overlap::lanes::{Ball, Probe, W};
use crate::query::ANY;
use crate::shape::Layout;
use crate::simd::{Column, Job, LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// Nodes on the way down whose children's distances are kept. Below the last of them, the search
/// begins anew: ten million points lie within that.
const DEPTH: usize = 4;

/// The most blocks that a leaf touches.
const TOUCHED: usize = LEAF / LANES + 1;

/// What is kept.
type Best<A> = Closest<<A as Vector>::Scalar, usize>;

/// Offers `best` all items that may be better than its worst.
pub(super) fn search<A: Vector>(tree: &Tree<A>, from: A, best: &mut Best<A>) {
    let nodes = &tree.nodes;
    if let (Some(root), Some(edges)) = (nodes.children.last(), nodes.edges.last()) {
        search_below(tree, from, root[0], edges[0], best);
    }
}

/// The same below a child.
#[inline(always)]
fn search_below<A: Vector>(tree: &Tree<A>, from: A, child: u32, edges: u32, best: &mut Best<A>) {
    let searched = tree.instructions.run_wide(Search {
        tree,
        from,
        child,
        edges,
        best,
    });
    searched.expect("asked where instructions are wide");
}

/// The same in a function of its own, for trees deeper than usual.
#[cold]
#[inline(never)]
fn search_deeper<A: Vector>(tree: &Tree<A>, from: A, child: u32, edges: u32, best: &mut Best<A>) {
    search_below(tree, from, child, edges, best);
}

/// A search below a child.
struct Search<'a, A: Vector> {
    tree: &'a Tree<A>,
    from: A,
    child: u32,
    edges: u32,
    best: &'a mut Best<A>,
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

impl<A: Vector> Job for Search<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        debug_assert!(self.tree.items.layout != Layout::Whole);
        let Self { tree, from, .. } = self;
        let best = self.best;
        let is_one = best.is_one();
        let probe = Probe::<A, S, false>::new(simd, &Ball::point(from));
        if self.child & INNER == 0 {
            ask(&probe, simd, tree, self.child, self.edges, best);
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
                let limit = <W<A, S>>::splat(simd, closest.smaller(best.limit_sq()));
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
                        ask(&probe, simd, tree, child, edges, best);
                    } else if depth < DEPTH {
                        break child;
                    } else {
                        search_deeper(tree, from, child, 0, best);
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

/// Which of the lanes of a leaf's blocks are its own.
#[inline(always)]
fn lanes_of(blocks: usize, edges: u32) -> u128 {
    let before = (edges & 0xffff).trailing_zeros();
    let behind = u128::BITS - (blocks * LANES) as u32 + edges.leading_zeros();
    !0 << before & !0 >> behind
}

/// Offers the items of a leaf.
#[inline(always)]
fn ask<A: Vector, S: Simd>(
    probe: &Probe<A, S, false>,
    simd: S,
    tree: &Tree<A>,
    leaf: u32,
    edges: u32,
    best: &mut Best<A>,
) {
    let blocks = blocks_of(leaf);
    let many = (blocks.end - blocks.start).min(TOUCHED);
    if many == 0 {
        // A lane without a child.
        return;
    }
    let indices = &tree.indices[blocks.start * LANES..blocks.end * LANES];
    let items = tree.items.blocks::<ANY>(blocks);
    let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
    let mut apart = [infinity; TOUCHED];
    let mut least = infinity;
    let mut keep = edges & 0xffff;
    for (block, apart) in apart.iter_mut().enumerate().take(many) {
        if block + 1 == many {
            keep &= edges >> LANES;
        }
        let distances = items.distance_sq(probe, block);
        *apart = distances.only(Mask::new(simd, keep), infinity);
        least = least.smaller(*apart);
        keep = !0;
    }
    let mut left = lanes_of(many, edges);
    let is_one = best.is_one();
    for _ in 0..best.turns() {
        // All that are as near as the nearest.
        let closest = least.smallest();
        if closest > best.limit_sq() {
            return;
        }
        let limit = <W<A, S>>::splat(simd, closest);
        let mut found = within(simd, &apart, limit) & left;
        if !is_one {
            left ^= found;
            least = infinity;
            for distances in &mut apart {
                *distances = distances.above(limit, infinity);
                least = least.smaller(*distances);
            }
        }
        while found != 0 {
            let lane = found.trailing_zeros() as usize;
            best.offer(closest, indices[lane] as usize);
            found &= found - 1;
        }
    }
    if is_one {
        return;
    }
    let limit = <W<A, S>>::splat(simd, best.limit_sq());
    let mut found = within(simd, &apart, limit) & left;
    if found == 0 {
        return;
    }
    let mut distances = [[Scalar::INFINITY; LANES]; TOUCHED];
    for (lanes, apart) in distances.iter_mut().zip(&apart) {
        *lanes = apart.store();
    }
    while found != 0 {
        let lane = found.trailing_zeros() as usize;
        let distance_sq = distances[lane / LANES % TOUCHED][lane % LANES];
        best.offer(distance_sq, indices[lane] as usize);
        found &= found - 1;
    }
}

/// The lanes up to a limit.
#[inline(always)]
fn within<S: Simd, X: Wide<S>>(simd: S, apart: &[X; TOUCHED], limit: X) -> u128 {
    let mut lanes = 0;
    for (block, distances) in apart.iter().enumerate() {
        lanes |= u128::from(distances.at_most(limit).bits(simd)) << (block * LANES);
    }
    lanes
}
