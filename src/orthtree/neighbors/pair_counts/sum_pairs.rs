//! Adds the weights of the pairs of two trees within each limit.
//!
//! ```text
//! for each block of sixteen points of one tree:
//!     descend the other: if no limit lies between the least and the largest distance from the block to a node,
//!     all pairs with that node are added at once
//!     for each group of four limits:
//!         for each leaf that is left:
//!             add all pairs with the points that are within all four limits of the whole block
//!             pack the other points that may be within some of them
//!         compare the packed points with the points of the block
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{AddAssign, Range};

use fearless_simd::Simd;

use super::Weights;
use crate::bits::set_bits;
use crate::candidates::{Candidates, Limit, Packed, QueryPoint};
use crate::error::{Error, reserve};
use crate::lists::PART;
use crate::orthtree::neighbors::descent::Found;
use crate::overlap::columns::{Boxes, point};
use crate::overlap::distance::gap_sq;
use crate::overlap::lanes::{Nearby, W};
use crate::parallel;
use crate::simd::{LANES, Mask, Wide, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;

/// The number of limits with which a packed point is compared at once.
const GROUP: usize = 4;

/// Adds the weights of the pairs of two trees within each limit; without weights, each pair weighs 1. Parts have a fixed size and are put
/// together in order, so that sums do not depend on threads. `convert` is applied to the sums of parts, which are exact for counts.
pub(super) fn sum_pairs<A: Vector, X: Copy + Default + AddAssign>(
    tree: &Tree<A>,
    of: &Tree<A>,
    limits: &[A::Scalar],
    weights: Option<&Weights>,
    convert: impl Fn(f64) -> X,
) -> Result<Vec<X>, Error> {
    if limits.is_empty() || tree.len == 0 {
        return Ok(vec![X::default(); limits.len()]);
    }
    // Fill up the first group with copies of the first limit.
    let copies = limits.len().next_multiple_of(GROUP) - limits.len();
    let mut all = vec![limits[0]; copies];
    all.extend_from_slice(limits);
    // Add part by part.
    let mut within = vec![X::default(); all.len()];
    let mut from = vec![X::default(); all.len() + 1];
    let part = |places: Range<usize>| {
        run!(tree.instructions, |simd| sum_part(
            simd, tree, of, places, &all, weights
        ))
    };
    parallel::try_parts(of.len, PART, &part, &mut |part| {
        let both = within.iter_mut().zip(part.within);
        let both = both.chain(from.iter_mut().zip(part.from));
        both.for_each(|(sum, part)| *sum += convert(part));
        Ok(())
    })?;
    // Add the pairs that count from a limit on to all later limits.
    let mut until = X::default();
    for (sum, from) in within.iter_mut().zip(from) {
        until += from;
        *sum += until;
    }
    Ok(within.split_off(copies))
}

/// The sums of a part at each limit.
struct Sums {
    /// Pairs within the limit.
    within: Vec<f64>,
    /// Pairs within the limit and all that follow, but none before. The last place is for pairs beyond all limits.
    from: Vec<f64>,
}

/// Adds the pairs of the points at some places of `of`, the first of which begins a block, with all points of `tree`.
#[inline(always)]
fn sum_part<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    of: &Tree<A>,
    places: Range<usize>,
    limits: &[A::Scalar],
    weights: Option<&Weights>,
) -> Result<Sums, Error> {
    let (mut within, mut from) = (vec![0.0; limits.len()], vec![0.0; limits.len() + 1]);
    let (mut found, mut candidates) = (Found::default(), Candidates::new());
    let mut packed_weights = Vec::new();
    for block in places.start / LANES..places.end.div_ceil(LANES) {
        let cell = of.box_of(block as u32);
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
        let all = match weights {
            None => f64::from(used.count_ones()),
            Some(weights) => weights.others[block].iter().sum(),
        };
        // Add nodes as a whole if no limit lies between their least and largest distance.
        for &node in &found.whole {
            let gap = gap_sq(&cell, &tree.box_of(node));
            let weight = match weights {
                None => tree.slots_below(node).len() as f64,
                Some(weights) => weights.nodes[node as usize],
            };
            from[below(limits, gap)] += all * weight;
        }
        let groups = limits.as_chunks::<GROUP>().0.iter();
        for (group, sums) in groups.zip(within.chunks_mut(GROUP)) {
            let group = group.map(
                #[inline(always)]
                |limit| <W<A, S>>::splat(simd, limit),
            );
            // Pack the points that may be within some limits of the group.
            let mut inside_all = 0.0;
            let mut to = candidates.pack(found.leaves.len() * LANES, A::DIM, false)?;
            for &leaf in &found.leaves {
                let leaf = leaf as usize;
                let points = &tree.items.points[leaf];
                let own = Mask::new(simd, tree.lanes_of(leaf));
                let inside = near.far_sq(points, points).at_most(group[0]) & own;
                let some = near.gap_sq(points, points).at_most(group[GROUP - 1]) & own & !inside;
                if !inside.is_empty() {
                    inside_all += match weights {
                        None => inside.count() as f64,
                        Some(weights) => weights.of_lanes(leaf, inside.bits(simd)),
                    };
                }
                to.push(
                    simd,
                    A::DIM,
                    #[inline(always)]
                    |axis| &points.as_ref()[axis].0,
                    &tree.indices.as_chunks().0[leaf],
                    some,
                );
            }
            to.end();
            for sum in &mut *sums {
                *sum += all * inside_all;
            }
            // Compare them with the points of the block.
            let packed = candidates.packed::<false>(Limit::Radius);
            let packed = packed.for_loop::<false>(Limit::Radius);
            if let Some(weights) = weights {
                packed_weights.clear();
                reserve(&mut packed_weights, packed.indices.len())?;
                for indices in packed.indices {
                    packed_weights.push(indices.map(|index| weights.own[index as usize]));
                }
            }
            let mut beyond = [<W<A, S>>::splat(simd, Scalar::ZERO); GROUP];
            for lane in set_bits(used) {
                let center = point(&of.items.points[block], lane);
                let query = QueryPoint::<A, S>::new(simd, center, Scalar::ZERO);
                if let Some(weights) = weights {
                    let own = weights.others[block][lane];
                    let weight = weigh_within(simd, &query, &packed, &group, &packed_weights);
                    for (sum, weight) in sums.iter_mut().zip(weight) {
                        *sum += own * weight;
                    }
                    continue;
                }
                // Count the pairs beyond each limit; NaN behind the last candidate is beyond none. A lane counts at most sixteen pairs
                // for each block of candidates, so 32 bits suffice.
                for block in 0..packed.indices.len() {
                    let squares = query.squares::<false>(&packed, block);
                    for (beyond, &limit) in beyond.iter_mut().zip(&group) {
                        *beyond = squares.count_above(limit, *beyond);
                    }
                }
            }
            if weights.is_none() {
                let pairs = all * candidates.len() as f64;
                for (sum, beyond) in sums.iter_mut().zip(beyond) {
                    let beyond: u64 = beyond.store().iter().map(|count| count.to_bits()).sum();
                    *sum += pairs - beyond as f64;
                }
            }
        }
    }
    Ok(Sums { within, from })
}

/// Adds the weights of the candidates within each limit of a group.
#[inline(always)]
fn weigh_within<A: Vector, S: Simd>(
    simd: S,
    query: &QueryPoint<A, S>,
    packed: &Packed<'_, A>,
    limits: &[W<A, S>; GROUP],
    weights: &[[f64; LANES]],
) -> [f64; GROUP] {
    let zero = <f64 as Scalar>::Wide::<S>::splat(simd, 0.0);
    let mut sums = [zero; GROUP];
    for (block, weights) in weights.iter().enumerate() {
        let squares = query.squares::<false>(packed, block);
        let weights = <f64 as Scalar>::Wide::<S>::load(simd, weights);
        for (sum, &limit) in sums.iter_mut().zip(limits) {
            *sum = *sum + weights.only(squares.at_most(limit), zero);
        }
    }
    let mut totals = [0.0; GROUP];
    for (total, sum) in totals.iter_mut().zip(sums) {
        *total = sum.store().iter().sum();
    }
    totals
}

/// The number of limits below a squared distance.
#[inline(always)]
fn below<X: Scalar>(limits: &[X], apart: X) -> usize {
    limits.partition_point(
        #[inline(always)]
        |&limit| limit < apart,
    )
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
    // Search the limits between the least and the largest distance if there are many; for few, that would cost more.
    let between = if limits.len() <= LANES {
        0..limits.len()
    } else {
        below(limits, gaps.smallest())..below(limits, fars.largest())
    };
    let mut whole = meets;
    for &limit in &limits[between] {
        let limit = <W<A, S>>::splat(simd, limit);
        whole = whole & !(gaps.at_most(limit) & !fars.at_most(limit));
    }
    (meets, whole)
}
