//! Adds the weights of the pairs of two trees within each limit.
//!
//! ```text
//! for each block of sixteen points of one tree:
//!     descend the other: if no limit lies between the least and the largest distance from the block to a node,
//!     all pairs with that node are added at once
//!     for each point of the leaves that are left:
//!         find the limits between its least and its largest distance from the box around the block
//!         if there are some: compare the squared distances from the point to the sixteen with these limits
//!         add all pairs with the point to the limits that follow
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{AddAssign, Mul, Range};

use fearless_simd::Simd;

use super::Tally;
use crate::bits::set_bits;
use crate::candidates::QueryPoint;
use crate::lists::PART;
use crate::orthtree::neighbors::descent::Found;
use crate::overlap::columns::{Boxes, point};
use crate::overlap::distance::gap_sq;
use crate::overlap::lanes::{Nearby, W};
use crate::parallel;
use crate::query::Hierarchy;
use crate::simd::{LANES, Mask, Wide, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;

/// Adds the weights of the pairs of two trees within each limit. Parts have a fixed size and are put together in order, so that sums do not
/// depend on threads.
pub(super) fn sum_pairs<A: Vector, X: Copy + Default + Mul<Output = X> + AddAssign + Send>(
    tree: &Tree<A>,
    of: &Tree<A>,
    limits: &[A::Scalar],
    tally: &Tally<
        impl Fn(usize, u32) -> X + Sync,
        impl Fn(u32) -> X + Sync,
        impl Fn(usize) -> X + Sync,
    >,
) -> Vec<X> {
    let mut sums = Sums::new(limits.len());
    if limits.is_empty() || tree.len == 0 {
        return sums.within;
    }
    // Add part by part.
    let part = |places: Range<usize>| {
        run!(tree.instructions, |simd| sum_part(
            simd, tree, of, places, limits, tally
        ))
    };
    parallel::parts(of.len, PART, &part, &mut |part| {
        let both = sums.within.iter_mut().zip(part.within);
        let both = both.chain(sums.from.iter_mut().zip(part.from));
        both.for_each(|(sum, part)| *sum += part);
    });
    // Add the pairs that count from a limit on to all later limits.
    let mut until = X::default();
    for (sum, from) in sums.within.iter_mut().zip(sums.from) {
        until += from;
        *sum += until;
    }
    sums.within
}

/// The sums at each limit.
struct Sums<X> {
    /// Pairs within the limit.
    within: Vec<X>,
    /// Pairs within the limit and all that follow, but none before. The last place is for pairs beyond all limits.
    from: Vec<X>,
}

impl<X: Copy + Default> Sums<X> {
    fn new(limits: usize) -> Self {
        Self {
            within: vec![X::default(); limits],
            from: vec![X::default(); limits + 1],
        }
    }
}

/// Adds the pairs of the points at some places of `of`, the first of which begins a block, with all points of `tree`.
#[inline(always)]
fn sum_part<A: Vector, S: Simd, X: Copy + Default + Mul<Output = X> + AddAssign>(
    simd: S,
    tree: &Tree<A>,
    of: &Tree<A>,
    places: Range<usize>,
    limits: &[A::Scalar],
    tally: &Tally<impl Fn(usize, u32) -> X, impl Fn(u32) -> X, impl Fn(usize) -> X>,
) -> Sums<X> {
    let mut sums = Sums::new(limits.len());
    let mut found = Found::default();
    for block in places.start / LANES..places.end.div_ceil(LANES) {
        let cell = of.extent(block as u32).core;
        let points = &of.items.points[block];
        let near = Nearby::<A, S>::new(simd, &cell, limits[limits.len() - 1], None);
        found.descend(
            simd,
            tree,
            usize::MAX,
            #[inline(always)]
            |nodes, _, block, there| {
                near_or_between_limits(simd, &near, limits, &nodes.boxes[block], there)
            },
        );
        let used = of.lanes_of(block);
        let all = (tally.block)(block, used);
        // Add nodes as a whole if no limit lies between their least and largest distance.
        for &node in &found.whole {
            let gap = gap_sq(&cell, &tree.extent(node).core);
            sums.from[below(limits, gap)] += all * (tally.node)(node);
        }
        for &leaf in &found.leaves {
            let leaf = leaf as usize;
            let others = &tree.items.points[leaf];
            // The limits that cut each point of the leaf: those between its least and its largest distance.
            let (gaps, fars) = (near.gap_sq(others, others), near.far_sq(others, others));
            let cut = limits_between(limits, gaps, fars);
            let zero = <W<A, S>>::splat(simd, Scalar::ZERO);
            let (mut before, mut behind) = (zero, zero);
            for &limit in &limits[cut.clone()] {
                let limit = <W<A, S>>::splat(simd, limit);
                before = gaps.count_above(limit, before);
                behind = limit.count_above(fars, behind);
            }
            let (before, behind) = (before.store(), behind.store());
            for lane in set_bits(tree.lanes_of(leaf)) {
                let begin = cut.start + before[lane].to_whole() as usize;
                let end = cut.end - behind[lane].to_whole() as usize;
                // All sixteen are within the limits that follow.
                let weight = (tally.point)(leaf * LANES + lane);
                sums.from[end] += all * weight;
                if begin < end {
                    let from = QueryPoint::<A, S>::new(simd, point(others, lane), Scalar::ZERO);
                    let squares = from.squares_to(points, None);
                    let within = sums.within[begin..end].iter_mut();
                    for (sum, &limit) in within.zip(&limits[begin..end]) {
                        let near = squares.at_most(<W<A, S>>::splat(simd, limit));
                        *sum += weight * (tally.block)(block, used & near.bits(simd));
                    }
                }
            }
        }
    }
    sums
}

/// The number of limits below a squared distance.
#[inline(always)]
fn below<X: Scalar>(limits: &[X], apart: X) -> usize {
    limits.partition_point(
        #[inline(always)]
        |&limit| limit < apart,
    )
}

/// The places of the limits between the least and the largest of some squared distances. If there are few limits, all of them are given,
/// since the search would cost more.
#[inline(always)]
fn limits_between<X: Scalar, S: Simd>(
    limits: &[X],
    gaps: X::Wide<S>,
    fars: X::Wide<S>,
) -> Range<usize> {
    if limits.len() <= LANES {
        return 0..limits.len();
    }
    below(limits, gaps.smallest())..below(limits, fars.largest())
}

/// Tests a block of boxes: returns those that may be within the last limit, and those of them that no limit divides, since
/// their nearest and farthest points lie between the same two limits.
#[inline(always)]
fn near_or_between_limits<A: Vector, S: Simd>(
    simd: S,
    near: &Nearby<A, S>,
    limits: &[A::Scalar],
    cells: &Boxes<A>,
    there: Mask,
) -> (Mask, Mask) {
    let meets = near.meets(&cells.low, &cells.high) & there;
    if meets.is_empty() {
        return (meets, meets);
    }
    let gaps = near.gap_sq(&cells.low, &cells.high);
    let fars = near.far_sq(&cells.low, &cells.high);
    let mut whole = meets;
    for &limit in &limits[limits_between(limits, gaps, fars)] {
        let limit = <W<A, S>>::splat(simd, limit);
        whole = whole & !(gaps.at_most(limit) & !fars.at_most(limit));
    }
    (meets, whole)
}
