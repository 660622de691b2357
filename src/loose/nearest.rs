//! The descent for the nearest items, sixteen distances at a time: depth first, of several children
//! the nearest first, until no child is as near as the worst item that is kept.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::descent::first;
use super::node::{BLOCKS, INNER};
use super::tree::Tree;
use crate::handle::Handle;
use crate::nearest::Closest;
use crate::overlap::distance::Center;
use crate::overlap::lanes::{Ball, Measure, Probe, W};
use crate::shape::Layout;
use crate::simd::{Column, Job, LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// Nodes on the way down in an ordinary tree.
const DEPTH: usize = 6;

/// What is kept.
type Best<A> = Closest<<A as Vector>::Scalar, Handle>;

/// Offers `best` all items that may be better than its worst.
pub(super) fn search<A: Vector>(tree: &Tree<A>, from: &Center<A>, best: &mut Best<A>) {
    search_root::<A, true>(tree, &Ball::at(from), best);
}

/// The same by another measure than Euclid's, for points and boxes.
pub(super) fn search_by<A: Vector>(
    tree: &Tree<A>,
    from: A,
    measure: Measure<A>,
    best: &mut Best<A>,
) {
    let from = Ball::of(measure, from, Scalar::ZERO);
    search_root::<A, true>(tree, &from, best);
}

#[inline(always)]
fn search_root<A: Vector, const MEASURE: bool>(tree: &Tree<A>, from: &Ball<A>, best: &mut Best<A>) {
    if !tree.nodes.is_empty() {
        let search = Search::<A, MEASURE> { tree, from, best };
        let searched = tree.instructions.run_wide(search);
        searched.expect("asked where instructions are wide");
    }
}

struct Search<'a, A: Vector, const MEASURE: bool> {
    tree: &'a Tree<A>,
    from: &'a Ball<A>,
    best: &'a mut Best<A>,
}

/// A node that was entered.
struct Entered<S> {
    number: usize,
    blocks: usize,
    /// Lower bounds for what its lanes hold; infinite for those that are done with.
    near: [Column<S>; BLOCKS],
    /// The lanes that are not.
    left: u64,
}

const _: () = assert!(BLOCKS * LANES <= u64::BITS as usize);

impl<A: Vector, const MEASURE: bool> Job for Search<'_, A, MEASURE> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        debug_assert!(self.tree.layout != Layout::Whole);
        let Self { tree, from, .. } = self;
        let best = self.best;
        let probe = Probe::<A, S, false, MEASURE>::new(simd, from);
        // As deep as the tree is; frames of as many calls might not fit.
        let mut path: Vec<Entered<A::Scalar>> = Vec::with_capacity(DEPTH);
        path.push(enter(&probe, simd, tree, INNER));
        while let Some(node) = path.last_mut() {
            let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
            let mut least = infinity;
            for near in &node.near[..node.blocks] {
                least = least.smaller(<W<A, S>>::load(simd, &near.0));
            }
            let closest = least.smallest();
            let limit = <W<A, S>>::splat(simd, closest.smaller(best.limit_sq()));
            let mut lanes = 0;
            for (block, near) in node.near[..node.blocks].iter().enumerate() {
                let near = <W<A, S>>::load(simd, &near.0);
                lanes |= u64::from(near.at_most(limit).bits(simd)) << (block * LANES);
            }
            lanes &= node.left;
            if lanes == 0 {
                path.pop();
                continue;
            }
            // More than one where they are as near: leaves at once, up to a node.
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                node.left ^= lanes & lanes.wrapping_neg();
                lanes &= lanes - 1;
                let (block, at) = (lane / LANES, lane % LANES);
                node.near[block].0[at] = Scalar::INFINITY;
                let child = tree.nodes[node.number].children[block][at];
                if child & INNER != 0 {
                    path.push(enter(&probe, simd, tree, child));
                    break;
                }
                ask(&probe, simd, tree, child as usize, best);
            }
        }
    }
}

/// Lower bounds for the lanes of a node.
#[inline(always)]
fn enter<A: Vector, S: Simd, const MEASURE: bool>(
    probe: &Probe<A, S, false, MEASURE>,
    simd: S,
    tree: &Tree<A>,
    child: u32,
) -> Entered<A::Scalar> {
    let number = (child & !INNER) as usize;
    let node = &tree.nodes[number];
    let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
    let mut entered = Entered {
        number,
        blocks: (node.lanes as usize).div_ceil(LANES).min(BLOCKS),
        near: [Column([Scalar::INFINITY; LANES]); BLOCKS],
        left: !0 >> (u64::BITS - node.lanes),
    };
    let mut left = node.lanes;
    for block in 0..entered.blocks {
        let bounds = &node.bounds[block];
        let mut near = probe.near_measure(&bounds.low, &bounds.high);
        if let Some(radii) = tree.radii_below.get(number) {
            near = probe.beyond_sq(near, &radii[block][1]);
        }
        let near = near.only(Mask::new(simd, first(left)), infinity);
        entered.near[block] = Column(near.store());
        left = left.saturating_sub(LANES as u32);
    }
    entered
}

/// Offers the items of a leaf.
#[inline(always)]
fn ask<A: Vector, S: Simd, const MEASURE: bool>(
    probe: &Probe<A, S, false, MEASURE>,
    simd: S,
    tree: &Tree<A>,
    number: usize,
    best: &mut Best<A>,
) {
    let leaf = &tree.leaves[number];
    let infinity = <W<A, S>>::splat(simd, Scalar::INFINITY);
    let apart = match tree.layout {
        Layout::Whole => infinity,
        Layout::Point => probe.point_measure(&leaf.points),
        Layout::Box => probe.near_measure(&leaf.points, &tree.highs[number]),
        Layout::Ball => probe.beyond_sq(probe.point_sq(&leaf.points), &tree.radii[number]),
    };
    let own = first(leaf.len);
    let mut limit = best.limit_sq();
    if best.is_one() {
        let closest = apart.only(Mask::new(simd, own), infinity).smallest();
        limit = limit.smaller(closest);
    }
    let limit = <W<A, S>>::splat(simd, limit);
    let mut found = apart.at_most(limit).bits(simd) & own;
    if found == 0 {
        return;
    }
    let distances = apart.store();
    while found != 0 {
        let lane = found.trailing_zeros() as usize % LANES;
        let key = Handle {
            slot: leaf.slots[lane],
            generation: leaf.generations[lane],
        };
        best.offer(distances[lane], key);
        found &= found - 1;
    }
}
