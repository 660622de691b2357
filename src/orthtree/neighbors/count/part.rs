//! The pairs of some points and a tree, limit by limit.
//!
//! ```text
//! for each block of sixteen points of one tree:
//!     down the other: what lies between two limits as a whole, seen from all sixteen, is added at once
//!     of each leaf that is left: points that are within a limit of all sixteen likewise, and those that may be within
//!     a limit of some are packed for that limit
//!     for each limit: each packed point is compared with the sixteen
//! ```
//!
//! So a point is compared where a limit goes between it and the sixteen, and with no other limit, but where limits lie so
//! close that several do: those are compared in groups, since most of the time would go to packing.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{AddAssign, Range};

use fearless_simd::Simd;

use super::Tally;
use crate::lists::PART;
use crate::orthtree::neighbors::descent::{Found, Most};
use crate::orthtree::neighbors::near::around;
use crate::orthtree::tree::Tree;
use crate::overlap::columns::{Boxes, Columns};
use crate::overlap::distance::{across_sq, gap_sq};
use crate::overlap::lanes::{Nearby, W};
use crate::parallel;
use crate::query::Hierarchy;
use crate::simd::{Column, Job, LANES, Lane, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// So many points are packed for a limit before they are compared, and there is room for sixteen more, which are written at
/// once.
const PACKED: usize = 128;
const ROOM: usize = PACKED + LANES;

/// So many limits are a group, which is asked as a whole where more than [`ALONE`] of them part a leaf. Against each limit alone,
/// ten radii up to a hundred neighbors take 0.8 of the time.
const GROUP: usize = 4;
const ALONE: usize = 2;

/// Sixteen points in registers.
#[inline(always)]
pub(super) fn wide<A: Vector, S: Simd>(simd: S, points: &Columns<A>) -> [W<A, S>; 4] {
    let mut wide = [<W<A, S>>::splat(simd, Scalar::ZERO); 4];
    for (lanes, column) in wide.iter_mut().zip(points.as_ref()) {
        *lanes = <W<A, S>>::load(simd, &column.0);
    }
    wide
}

/// Limits in registers.
#[inline(always)]
pub(super) fn splats<A: Vector, S: Simd, const N: usize>(
    simd: S,
    limits: &[A::Scalar; N],
) -> [W<A, S>; N] {
    let mut wide = [<W<A, S>>::splat(simd, Scalar::ZERO); N];
    for (lanes, &limit) in wide.iter_mut().zip(limits) {
        *lanes = <W<A, S>>::splat(simd, limit);
    }
    wide
}

/// Points that a limit may go through, seen from sixteen others.
///
/// These are not `Candidates`: each limit has a short list of its own, and a list of sixty points would leave a tenth of the
/// lanes empty if it were compared by sixteens. So each point of the list is compared with the sixteen that ask; weights
/// are then added in an order that does not depend on where a list ends.
pub(super) struct Packed<A: Vector> {
    coordinates: [[A::Scalar; ROOM]; 4],
    pub(super) weights: [f64; ROOM],
    pub(super) len: usize,
}

impl<A: Vector> Packed<A> {
    fn new() -> Self {
        Self {
            coordinates: [[A::Scalar::ZERO; ROOM]; 4],
            weights: [0.0; ROOM],
            len: 0,
        }
    }

    /// Appends some of sixteen points.
    #[inline(always)]
    fn append<S: Simd>(&mut self, simd: S, points: &Columns<A>, mask: Mask) {
        for (axis, column) in points.as_ref().iter().enumerate() {
            Lane::compress(simd, &column.0, mask, &mut self.coordinates[axis], self.len);
        }
        self.len += mask.count();
    }

    /// The squared distances of one from sixteen points.
    #[inline(always)]
    pub(super) fn apart_sq<S: Simd>(
        &self,
        simd: S,
        points: &[W<A, S>; 4],
        place: usize,
    ) -> W<A, S> {
        let first = points[0] - <W<A, S>>::splat(simd, self.coordinates[0][place]);
        let mut sum = first * first;
        for (here, there) in points.iter().zip(&self.coordinates).take(A::DIM).skip(1) {
            let apart = *here - <W<A, S>>::splat(simd, there[place]);
            sum = sum + apart * apart;
        }
        sum
    }
}

/// What is found at each limit.
struct Sums<X> {
    /// Within it.
    within: Vec<X>,
    /// Within it and all beyond, but no limit before.
    from: Vec<X>,
}

impl<X: Copy + AddAssign> Sums<X> {
    /// Adds what lies within some limits.
    #[inline(always)]
    fn add<const N: usize>(&mut self, first: usize, found: [X; N]) {
        for (sum, found) in self.within[first..].iter_mut().zip(found) {
            *sum += found;
        }
    }
}

/// Tallies parts of the points of a tree, of a fixed size, and puts them together in order.
pub(super) fn in_parts<A: Vector, T: Tally>(
    tree: &Tree<A>,
    of: &Tree<A>,
    limits: &[A::Scalar],
    new: impl Fn() -> T + Sync,
) -> Vec<T::Sum> {
    // Whole groups: first come limits that nothing is within, so that the last, which most is compared with, are together.
    let before = limits.len().next_multiple_of(GROUP) - limits.len();
    let mut padded = vec![A::Scalar::ZERO - A::Scalar::INFINITY; before];
    padded.extend_from_slice(limits);
    let limits = &padded[..];
    let zeros = || vec![T::Sum::default(); limits.len()];
    let (mut sums, mut from) = (zeros(), zeros());
    if limits.is_empty() || tree.len == 0 {
        return sums.split_off(before);
    }
    // The first sixteen limits in a column, behind which nothing is as far.
    let mut first = Column([A::Scalar::ZERO - A::Scalar::INFINITY; LANES]);
    for (lane, &limit) in first.0.iter_mut().zip(limits) {
        *lane = limit;
    }
    let part = |places: Range<usize>| {
        let mut sums = Sums {
            within: zeros(),
            from: zeros(),
        };
        tree.instructions.run(InPart {
            tree,
            of,
            places,
            limits,
            first: &first,
            tally: &mut new(),
            sums: &mut sums,
        });
        sums
    };
    parallel::parts(of.len, PART, part, |part| {
        for (place, (within, more)) in part.within.into_iter().zip(part.from).enumerate() {
            sums[place] += within;
            from[place] += more;
        }
    });
    let mut until = T::Sum::default();
    for (sum, from) in sums.iter_mut().zip(from) {
        until += from;
        *sum += until;
    }
    sums.split_off(before)
}

/// Tallies the pairs of the points at some places, the first of which begins a block, and all of a tree.
struct InPart<'a, A: Vector, T: Tally> {
    tree: &'a Tree<A>,
    of: &'a Tree<A>,
    places: Range<usize>,
    limits: &'a [A::Scalar],
    first: &'a Column<A::Scalar>,
    tally: &'a mut T,
    sums: &'a mut Sums<T::Sum>,
}

impl<A: Vector, T: Tally> Job for InPart<'_, A, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self {
            tree,
            of,
            limits,
            tally,
            sums,
            ..
        } = self;
        let last = limits[limits.len() - 1];
        let mut found = Found::default();
        let (groups, _) = limits.as_chunks::<GROUP>();
        // For each limit, and behind them for each group.
        let mut all_packed: Vec<Packed<A>> = Vec::new();
        all_packed.resize_with(limits.len() + groups.len(), Packed::new);
        for first in self.places.clone().step_by(LANES) {
            let used = LANES.min(self.places.end - first);
            let mut points = of.items.points[first / LANES];
            let cell = around::<A>(&points, used);
            for column in points.as_mut() {
                // Lanes that are not used are NaN, which nothing is near.
                column.0[used..].fill(A::Scalar::INFINITY * A::Scalar::ZERO);
            }
            let near = Nearby::<A, S>::new(simd, &cell, last);
            tally.begin(first / LANES, used);
            found.descend(
                simd,
                tree,
                Most::ALL,
                #[inline(always)]
                |nodes, _, block, there| {
                    near_or_whole(simd, &near, limits, &nodes.boxes[block], there)
                },
            );
            for &node in &found.whole {
                let gap = gap_sq(&cell, &tree.extent(node).core);
                sums.from[below(simd, self.first, limits, gap)] += tally.node(node);
            }
            for &leaf in &found.leaves {
                let there = tree.extent(leaf).core;
                let begin = below(simd, self.first, limits, gap_sq(&cell, &there));
                let end = below(simd, self.first, limits, across_sq(&cell, &there));
                // Where the last limits are asked in a group, so are all of it.
                let in_last = end.saturating_sub(begin.max(end.saturating_sub(1) / GROUP * GROUP));
                let from = if in_last > ALONE {
                    end.next_multiple_of(GROUP)
                } else {
                    end
                };
                if let Some(from) = sums.from.get_mut(from) {
                    *from += tally.node(leaf);
                }
                let block = leaf as usize;
                let own = Mask::new(simd, tree.lanes_of(block));
                let those = &tree.items.points[block];
                let gaps = near.gap_sq(those, those);
                let fars = near.far_sq(those, those);
                let mut place = begin;
                while place < end {
                    let group = place / GROUP;
                    let behind = (group + 1) * GROUP;
                    let many = end.min(behind) - place;
                    let (stop, list) = if many > ALONE {
                        (behind, limits.len() + group)
                    } else {
                        (place + 1, place)
                    };
                    let low = <W<A, S>>::splat(simd, limits[place]);
                    let high = <W<A, S>>::splat(simd, limits[stop - 1]);
                    let inside = fars.at_most(low) & own;
                    let some = gaps.at_most(high) & own & !inside;
                    if !inside.is_empty() {
                        let pairs = tally.lanes(block, inside.bits(simd));
                        sums.within[place..stop].iter_mut().for_each(
                            #[inline(always)]
                            |sum| *sum += pairs,
                        );
                    }
                    place = stop;
                    if some.is_empty() {
                        continue;
                    }
                    let packed = &mut all_packed[list];
                    if T::WEIGHS {
                        let (weights, len) = (tally.weights(block), packed.len);
                        Lane::compress(simd, weights, some, &mut packed.weights, len);
                    }
                    packed.append(simd, those, some);
                    if packed.len >= PACKED {
                        compare(simd, tally, sums, &points, packed, list, limits, groups);
                    }
                }
            }
            for (list, packed) in all_packed.iter_mut().enumerate() {
                if packed.len > 0 {
                    compare(simd, tally, sums, &points, packed, list, limits, groups);
                }
            }
        }
    }
}

/// Compares the points that are packed for a limit or for a group.
#[inline(always)]
#[allow(
    clippy::too_many_arguments,
    reason = "all of a loop that is told in two parts"
)]
fn compare<A: Vector, S: Simd, T: Tally>(
    simd: S,
    tally: &T,
    sums: &mut Sums<T::Sum>,
    points: &Columns<A>,
    packed: &mut Packed<A>,
    list: usize,
    limits: &[A::Scalar],
    groups: &[[A::Scalar; GROUP]],
) {
    match list.checked_sub(limits.len()) {
        None => sums.add(list, tally.packed(simd, points, packed, &[limits[list]])),
        Some(group) => {
            let found = tally.packed(simd, points, packed, &groups[group]);
            sums.add(group * GROUP, found);
        }
    }
    packed.len = 0;
}

/// The number of limits below a squared distance.
#[inline(always)]
fn below<X: Scalar, S: Simd>(simd: S, first: &Column<X>, limits: &[X], apart: X) -> usize {
    if limits.len() > LANES {
        return limits.partition_point(
            #[inline(always)]
            |&limit| limit < apart,
        );
    }
    let reached = <X::Wide<S>>::splat(simd, apart).at_most(<X::Wide<S>>::load(simd, &first.0));
    limits.len() - reached.count()
}

/// Of a block of boxes, those that may be within the last limit, and of these the ones between whose points no limit lies.
#[inline(always)]
fn near_or_whole<A: Vector, S: Simd>(
    simd: S,
    near: &Nearby<A, S>,
    mut limits: &[A::Scalar],
    cells: &Boxes<A>,
    there: Mask,
) -> (Mask, Mask) {
    let meets = near.meets(&cells.low, &cells.high) & there;
    if meets.is_empty() {
        return (meets, meets);
    }
    let gaps = near.gap_sq(&cells.low, &cells.high);
    let fars = near.far_sq(&cells.low, &cells.high);
    if limits.len() > LANES {
        let (least, most) = (gaps.smallest(), fars.largest());
        let begin = limits.partition_point(
            #[inline(always)]
            |&limit| limit < least,
        );
        let end = limits.partition_point(
            #[inline(always)]
            |&limit| limit < most,
        );
        limits = &limits[begin..end];
    }
    let mut whole = meets;
    for &limit in limits {
        let limit = <W<A, S>>::splat(simd, limit);
        whole = whole & !(gaps.at_most(limit) & !fars.at_most(limit));
    }
    (meets, whole)
}
