//! The descent for the nearest items, sixteen distances at a time: depth first, of several children
//! the nearest first, until no child is as near as the worst item that is kept.
//!
//! Nothing here branches on a single distance: what a branch costs that was not foreseen is what
//! asking a whole leaf costs.

use fearless_simd::Simd;

use super::split::{BLOCKS, LEAF};
use super::{INNER, Orthtree, ScalarOf, blocks_of};
use crate::nearest::{Best, in_hierarchy};
use crate::overlap::lanes::{Ball, Layout, Probe, W};
use crate::simd::{Column, Job, LANES, Mask, Wide};
use crate::{Bounded, Distance, Scalar};

/// Nodes on the way down whose children's distances are kept. Below the last of them, the search
/// begins anew: ten million points lie within that.
const DEPTH: usize = 4;

/// The most blocks that a leaf touches.
const TOUCHED: usize = LEAF / LANES + 1;

/// Offers `best` all items that may be better than its worst.
#[inline(always)]
pub(super) fn search<T: Distance, B: Best<ScalarOf<T>, usize>>(
    tree: &Orthtree<T>,
    from: T::Vector,
    best: B,
) -> B {
    if T::LAYOUT == Layout::Whole {
        return in_hierarchy(tree, from, best);
    }
    let nodes = &tree.nodes;
    let (Some(root), Some(edges)) = (nodes.children.last(), nodes.edges.last()) else {
        return best;
    };
    tree.instructions.run(Search {
        tree,
        from,
        child: root[0],
        edges: edges[0],
        best,
    })
}

/// The same below a node.
#[cold]
#[inline(never)]
fn below<T: Bounded, B: Best<ScalarOf<T>, usize>>(
    tree: &Orthtree<T>,
    from: T::Vector,
    child: u32,
    best: B,
) -> B {
    tree.instructions.run(Search {
        tree,
        from,
        child,
        edges: 0,
        best,
    })
}

/// A search below a child.
struct Search<'a, T: Bounded, B> {
    tree: &'a Orthtree<T>,
    from: T::Vector,
    child: u32,
    edges: u32,
    best: B,
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

impl<T: Bounded, B: Best<ScalarOf<T>, usize>> Job for Search<'_, T, B> {
    type Output = B;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> B {
        debug_assert!(T::LAYOUT != Layout::Whole);
        let Self { tree, from, .. } = self;
        let mut best = self.best;
        let probe = Probe::<T::Vector, S, false>::new(simd, &Ball::point(from));
        if self.child & INNER == 0 {
            ask::<T, S, B>(&probe, simd, tree, self.child, self.edges, &mut best);
            return best;
        }
        let nodes = &tree.nodes;
        let infinity = <W<T::Vector, S>>::splat(simd, Scalar::INFINITY);
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
            let cells = nodes.cells::<T>(blocks.clone());
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
                let limit = <W<T::Vector, S>>::splat(simd, closest.smaller(best.limit_sq()));
                let mut near = 0;
                for block in 0..BLOCKS {
                    if block == node.blocks {
                        break;
                    }
                    let bounds = <W<T::Vector, S>>::load(simd, &node.near[block].0);
                    near |= u64::from(bounds.at_most(limit).bits(simd)) << (block * LANES);
                }
                near &= node.left;
                if near == 0 {
                    depth -= 1;
                    if depth == 0 {
                        return best;
                    }
                } else {
                    let lane = near.trailing_zeros() as usize;
                    node.left ^= near & near.wrapping_neg();
                    let (block, lane) = (lane / LANES, lane % LANES);
                    if !B::SINGLE {
                        node.near[block].0[lane] = Scalar::INFINITY;
                    }
                    let block = node.first + block;
                    let child = nodes.children[block][lane];
                    if child & INNER == 0 {
                        let edges = nodes.edges[block][lane];
                        ask::<T, S, B>(&probe, simd, tree, child, edges, &mut best);
                    } else if depth < DEPTH {
                        break child;
                    } else {
                        best = below(tree, from, child, best);
                    }
                }
                closest = Scalar::INFINITY;
                if !B::SINGLE {
                    let node = &path[depth - 1];
                    let mut least = infinity;
                    for block in 0..BLOCKS {
                        if block == node.blocks {
                            break;
                        }
                        let bounds = <W<T::Vector, S>>::load(simd, &node.near[block].0);
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
fn ask<T: Bounded, S: Simd, B: Best<ScalarOf<T>, usize>>(
    probe: &Probe<T::Vector, S, false>,
    simd: S,
    tree: &Orthtree<T>,
    leaf: u32,
    edges: u32,
    best: &mut B,
) {
    let blocks = blocks_of(leaf);
    let many = (blocks.end - blocks.start).min(TOUCHED);
    if many == 0 {
        // A lane without a child.
        return;
    }
    let indices = &tree.indices[blocks.start * LANES..blocks.end * LANES];
    let items = tree.items.blocks(blocks);
    let infinity = <W<T::Vector, S>>::splat(simd, Scalar::INFINITY);
    let mut apart = [infinity; TOUCHED];
    let mut least = infinity;
    let mut keep = edges & 0xffff;
    for (block, apart) in apart.iter_mut().enumerate().take(many) {
        if block + 1 == many {
            keep &= edges >> LANES;
        }
        let distances = items.distance_sq::<T, S>(probe, block);
        *apart = distances.only(Mask::new(simd, keep), infinity);
        least = least.smaller(*apart);
        keep = !0;
    }
    let mut left = lanes_of(many, edges);
    for _ in 0..best.turns() {
        // All that are as near as the nearest.
        let closest = least.smallest();
        if closest > best.limit_sq() {
            return;
        }
        let limit = <W<T::Vector, S>>::splat(simd, closest);
        let mut found = within(simd, &apart, limit) & left;
        if !B::SINGLE {
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
    if B::SINGLE {
        return;
    }
    let limit = <W<T::Vector, S>>::splat(simd, best.limit_sq());
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
