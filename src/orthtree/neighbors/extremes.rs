//! The closest pair of two trees, and the point of one that is farthest from the other: sixteen points that lie together
//! look for anything that would change the answer, and mostly there is nothing.

use core::cmp::Reverse;
use core::ops::Range;

use fearless_simd::Simd;

use super::descent::{Found, Most, near_or_whole};
use super::near::around;
use crate::bits::set_bits;
use crate::nearest::Ranked;
use crate::orthtree::tree::Tree;
use crate::overlap::columns::{Columns, point};
use crate::overlap::distance::point_sq;
use crate::overlap::lanes::{Ball, Nearby, Probe, W};
use crate::parallel;
use crate::query::Hierarchy;
use crate::simd::{Job, LANES, Mask, Wide};
use crate::vector::{Scalar, Vector};

/// So many points are a part. Each part begins with the answer of some points.
const PART: usize = 1 << 13;

/// A squared distance, and the indices of two points.
type Pair<A> = Ranked<<A as Vector>::Scalar, (u32, u32)>;

/// A squared distance, and the index of a point.
type Far<A> = Ranked<<A as Vector>::Scalar, Reverse<u32>>;

/// The first of all pairs by distance, then by the index of the point that asks, then by that of the tree's. Of two points of
/// one tree the lower index asks.
pub(in crate::orthtree) fn closest<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    themselves: bool,
    first: Pair<A>,
) -> Pair<A> {
    let mut best = first;
    let part = |places: Range<usize>| {
        let mut best = first;
        tree.instructions.run_up_to_avx2(Closest {
            tree,
            of,
            places,
            themselves,
            best: &mut best,
        });
        best
    };
    parallel::parts(of.len, PART, part, |part| best = best.min(part));
    best
}

/// The point of a tree that is farthest from the nearest point of another, the first of those that are as far, and how far that is.
/// `nearest` tells of a point how far it is.
pub(in crate::orthtree) fn farthest<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    nearest: &(dyn Fn(A) -> A::Scalar + Sync),
    first: Far<A>,
) -> Far<A> {
    let mut best = first;
    let part = |places: Range<usize>| {
        let mut best = first;
        tree.instructions.run_up_to_avx2(Farthest {
            tree,
            of,
            places,
            nearest,
            best: &mut best,
        });
        best
    };
    parallel::parts(of.len, PART, part, |part| best = best.max(part));
    best
}

/// The lanes of those points of a leaf that are within a limit.
#[inline(always)]
fn within<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    leaf: u32,
    from: A,
    limit: A::Scalar,
) -> Mask {
    let probe = Probe::<A, S, false>::new(simd, &Ball::point(from));
    let limit = <W<A, S>>::splat(simd, limit);
    let near = probe
        .point_sq(&tree.items.points[leaf as usize])
        .at_most(limit);
    near & Mask::new(simd, tree.lanes_of(leaf as usize))
}

struct Closest<'a, A: Vector> {
    tree: &'a Tree<A>,
    /// The points at some places of it ask.
    of: &'a Tree<A>,
    places: Range<usize>,
    /// Whether both are one, of which each pair counts once.
    themselves: bool,
    best: &'a mut Pair<A>,
}

impl<A: Vector> Job for Closest<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (tree, of, best) = (self.tree, self.of, self.best);
        let mut found = Found::default();
        for first in self.places.clone().step_by(LANES) {
            let used = LANES.min(self.places.end - first);
            let points = &of.items.points[first / LANES];
            let indices = &of.indices[first..first + used];
            // Who comes behind the first of the best pair has to be closer than that.
            let limit_of = |best: &Pair<A>, index: u32| {
                if index <= best.1.0 {
                    best.0
                } else {
                    best.0.next_down()
                }
            };
            let least = indices
                .iter()
                .fold(u32::MAX, |least, &index| least.min(index));
            let limit = limit_of(best, least);
            if limit < A::Scalar::ZERO {
                continue;
            }
            let near = Nearby::<A, S>::new(simd, &around::<A>(points, used), limit);
            found.descend(
                simd,
                tree,
                Most::ALL,
                #[inline(always)]
                |nodes, _, block, there| {
                    let cells = &nodes.boxes[block];
                    let meets = near.meets(&cells.low, &cells.high) & there;
                    (meets, Mask::new(simd, 0))
                },
            );
            // Leaves are asked where they lie: so few points are that near that packing them would take a seventh more.
            for &leaf in &found.leaves {
                let there = tree.extent(leaf).core;
                let there = Nearby::<A, S>::new(simd, &there, best.0);
                let near = there.meets(points, points).bits(simd) & 0xffff >> (LANES - used);
                for lane in set_bits(near) {
                    let (from, index) = (point::<A>(points, lane), indices[lane]);
                    let limit = limit_of(best, index);
                    let mask = within(simd, tree, leaf, from, limit);
                    if !mask.is_empty() {
                        let (block, lanes) = (leaf as usize, mask.bits(simd));
                        let after = self.themselves.then_some(index);
                        improve(tree, block, lanes, from, index, after, best);
                    }
                }
            }
        }
    }
}

/// Offers the pairs of a point and some of a block, or those of them that come `after` it.
#[inline(never)]
fn improve<A: Vector>(
    tree: &Tree<A>,
    block: usize,
    lanes: u32,
    from: A,
    index: u32,
    after: Option<u32>,
    best: &mut Pair<A>,
) {
    for lane in set_bits(lanes) {
        let other = tree.indices[block * LANES + lane];
        if after.is_none_or(|after| other > after) {
            let to = point::<A>(&tree.items.points[block], lane);
            *best = (*best).min(Ranked(point_sq(&from, to), (index, other)));
        }
    }
}

struct Farthest<'a, A: Vector> {
    tree: &'a Tree<A>,
    /// The points at some places of it ask.
    of: &'a Tree<A>,
    places: Range<usize>,
    nearest: &'a (dyn Fn(A) -> A::Scalar + Sync),
    best: &'a mut Far<A>,
}

impl<A: Vector> Job for Farthest<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (tree, of, best) = (self.tree, self.of, self.best);
        let mut found = Found::default();
        for first in self.places.clone().step_by(LANES) {
            let used = LANES.min(self.places.end - first);
            let points = &of.items.points[first / LANES];
            let indices = &of.indices[first..first + used];
            // Who has something as near as the best is far need not be looked at, but who comes before it.
            let least = indices
                .iter()
                .fold(u32::MAX, |least, &index| least.min(index));
            let limit = if least > best.1.0 {
                best.0
            } else {
                best.0.next_down()
            };
            let mut left = 0xffff >> (LANES - used);
            if limit >= A::Scalar::ZERO {
                let near = Nearby::new(simd, &around::<A>(points, used), limit);
                // The first that lies within as a whole is enough.
                let most = Most {
                    whole: 0,
                    ..Most::ALL
                };
                found.descend(
                    simd,
                    tree,
                    most,
                    #[inline(always)]
                    |nodes, _, block, there| near_or_whole(&near, nodes, block, there),
                );
                if !found.whole.is_empty() {
                    continue;
                }
                left = alone(simd, tree, &found.leaves, points, left, limit);
            }
            for lane in set_bits(left) {
                let far = (self.nearest)(point::<A>(points, lane));
                *best = (*best).max(Ranked(far, Reverse(indices[lane])));
            }
        }
    }
}

/// Those of sixteen points that have nothing within a limit in some leaves.
#[inline(always)]
fn alone<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    leaves: &[u32],
    points: &Columns<A>,
    mut left: u32,
    limit: A::Scalar,
) -> u32 {
    // First the leaves in whose bounds they lie, where it is likeliest.
    for reach in [Scalar::ZERO, limit] {
        for &leaf in leaves {
            if left == 0 {
                return 0;
            }
            let there = Nearby::<A, S>::new(simd, &tree.extent(leaf).core, reach);
            for lane in set_bits(there.meets(points, points).bits(simd) & left) {
                if !within(simd, tree, leaf, point(points, lane), limit).is_empty() {
                    left &= !(1 << lane);
                }
            }
        }
    }
    left
}
