//! Finds the closest pair of two trees, and the point of one tree that is farthest from the other tree.
//!
//! ```text
//! best = the answer for a sample of the points
//! for each block of sixteen points:
//!     find the leaves of the other tree that may hold a point that changes the answer; mostly there are none
//!     compare the points with these leaves, and improve the answer
//! ```

use core::cmp::Reverse;
use core::ops::Range;

use fearless_simd::Simd;

use super::ScalarOf;
use super::descent::{Found, lanes_near, near_or_whole, within};
use crate::bits::set_bits;
use crate::nearest::{Nearest, Ranked};
use crate::orthtree::{Kernels, Orthtree};
use crate::overlap::columns::point;
use crate::overlap::distance::point_sq;
use crate::overlap::lanes::Nearby;
use crate::parallel;
use crate::query::SpatialIndex;
use crate::shape::{ArrayOf, Bounded};
use crate::simd::{LANES, Mask, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;

/// About how many points search their nearest point first, to get a limit for the search of all points.
const SAMPLE: usize = 32;

/// The number of points in a part. Each part begins with the answer of the sample.
const PART: usize = 1 << 13;

/// A pair of indices, by squared distance.
type Pair<S> = Ranked<S, (u32, u32)>;

/// The index of a point, by squared distance.
type Far<S> = Ranked<S, Reverse<u32>>;

/// A pair of points of one tree or two, and how far they are apart.
type NearestPair<T> = Nearest<(usize, usize), ScalarOf<T>>;

/// The closest pair, and the Hausdorff distance.
impl<T: Bounded> Orthtree<T> {
    /// The two points that are closest to each other, the lower index first; of several pairs, the one with the least indices. `None` if
    /// there are fewer than two points.
    ///
    /// ```
    /// use orthant::{Quadtree, glam::Vec2};
    /// let pair = Quadtree::new(&[Vec2::X, Vec2::X * 9.0, Vec2::ZERO]).closest_pair().unwrap();
    /// assert_eq!((pair.item, pair.distance()), ((0, 2), 1.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n) for points that are spread evenly about each other, and a little for each pair that is as close as the
    /// closest.
    #[must_use]
    pub fn closest_pair(&self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        self.closest_of(self, true)
    }

    /// The point of this tree and the point of another that are closest to each other: their indices in this order. Of several pairs, the
    /// one with the least indices. `None` if a tree is empty.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::ZERO, Vec3::X], [Vec3::X * 9.0, Vec3::X * 3.0]);
    /// let pair = Octree::new(&stars).closest_pair_with(&Octree::new(&ships)).unwrap();
    /// assert_eq!((pair.item, pair.distance()), ((1, 1), 2.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// The cost of [`closest_pair`](Self::closest_pair), for points of this tree that are spread evenly about those of the other.
    #[must_use]
    pub fn closest_pair_with(&self, others: &Self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        self.closest_of(others, false)
    }

    fn closest_of(&self, others: &Self, is_same: bool) -> Option<NearestPair<T>>
    where
        T: Vector,
    {
        let pair = |(index, point): (usize, T::Vector)| {
            let found = SpatialIndex::nearest_n(others, point, 1 + usize::from(is_same));
            let other = found.iter().find(|near| !is_same || near.item != index)?;
            let (i, j) = (index as u32, other.item as u32);
            let item = if is_same && j < i { (j, i) } else { (i, j) };
            Some(Ranked(other.distance_sq, item))
        };
        let first = self.sample().filter_map(pair).min()?;
        let found = <ArrayOf<T>>::closest_pair(&others.core, &self.core, is_same, first);
        let Ranked(distance_sq, (i, j)) = found;
        let item = (i as usize, j as usize);
        Some(Nearest { item, distance_sq })
    }

    /// The directed Hausdorff distance, as in scipy's `directed_hausdorff`: the largest distance from a point of this tree to its nearest
    /// point in another tree, and the indices of both. Of several points, the one with the least index; likewise of several nearest points.
    /// `None` if a tree is empty.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::X, Vec3::X * 2.0], [Vec3::X * 3.0, Vec3::X * 9.0]);
    /// let (stars, ships) = (Octree::new(&stars), Octree::new(&ships));
    /// let far = stars.directed_hausdorff(&ships).unwrap();
    /// assert_eq!((far.item, far.distance()), ((0, 0), 2.0));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(n) for points that are spread evenly about those of the other tree: the search of most points stops at the first point that is
    /// within the largest distance so far.
    #[must_use]
    pub fn directed_hausdorff(&self, others: &Self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        let far = |(index, point): (usize, T::Vector)| {
            let nearest = SpatialIndex::nearest(others, point)?;
            Some(Ranked(nearest.distance_sq, Reverse(index as u32)))
        };
        let first = self.sample().filter_map(far).max()?;
        let nearest_sq = |point| {
            let nearest = SpatialIndex::nearest(others, T::Vector::of_array(point));
            nearest.map_or(Scalar::ZERO, |near| near.distance_sq)
        };
        let far = <ArrayOf<T>>::farthest_point(&others.core, &self.core, &nearest_sq, first);
        let Ranked(distance_sq, Reverse(index)) = far;
        let other = SpatialIndex::nearest(others, self.get(index as usize)?.core().min())?;
        Some(Nearest {
            item: (index as usize, other.item),
            distance_sq,
        })
    }

    /// The Hausdorff distance: the larger of the [`directed_hausdorff`](Self::directed_hausdorff) distances from this tree to another and
    /// from the other to this one; the first if they are equal. The pair has the index of this tree's point first. `None` if a tree is
    /// empty.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let (stars, ships) = ([Vec3::X, Vec3::X * 2.0], [Vec3::X * 3.0, Vec3::X * 9.0]);
    /// let far = Octree::new(&stars).hausdorff(&Octree::new(&ships)).unwrap();
    /// assert_eq!((far.item, far.distance()), ((1, 1), 7.0));
    /// ```
    #[must_use]
    pub fn hausdorff(&self, others: &Self) -> Option<Nearest<(usize, usize), ScalarOf<T>>>
    where
        T: Vector,
    {
        let there = self.directed_hausdorff(others)?;
        let back = others.directed_hausdorff(self)?;
        if there.distance_sq >= back.distance_sq {
            return Some(there);
        }
        Some(Nearest {
            item: (back.item.1, back.item.0),
            ..back
        })
    }

    /// Some points from all over the tree, with their indices.
    fn sample(&self) -> impl Iterator<Item = (usize, T::Vector)>
    where
        T: Vector,
    {
        let all = self.iter().step_by((self.len() / SAMPLE).max(1));
        all.map(|(index, point)| (index, point.core().min()))
    }
}

/// Finds the least of all pairs by distance, then by the index in `of`, then by that in `tree`; returns `first` if none is before it. If
/// both trees are the same, each pair comes once, with the lower index first.
pub(in crate::orthtree) fn closest<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    is_same: bool,
    first: Pair<A::Scalar>,
) -> Pair<A::Scalar> {
    let mut best = first;
    let part = |places: Range<usize>| {
        run!(up_to_avx2(tree.instructions), |simd| closest_of_part(
            simd, tree, of, places, is_same, first
        ))
    };
    parallel::parts(of.len, PART, &part, &mut |part| best = best.min(part));
    best
}

/// The closest pair of the points at some places, the first of which begins a block.
#[inline(always)]
fn closest_of_part<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    of: &Tree<A>,
    places: Range<usize>,
    is_same: bool,
    mut best: Pair<A::Scalar>,
) -> Pair<A::Scalar> {
    let mut found = Found::default();
    for block in places.start / LANES..places.end.div_ceil(LANES) {
        let (points, lanes) = (&of.items.points[block], of.lanes_of(block));
        let indices = &of.indices.as_chunks::<LANES>().0[block];
        // A point with a higher index than that of the best pair needs a smaller distance.
        let limit = if least_index(indices, lanes) <= best.1.0 {
            best.0
        } else {
            best.0.next_down()
        };
        if limit < Scalar::ZERO {
            continue;
        }
        let cell = of.box_of(block as u32);
        let near = Nearby::<A, S>::new(simd, &cell, limit, None);
        found.descend(
            simd,
            tree,
            usize::MAX,
            #[inline(always)]
            |nodes, _, block, there| near_or_whole(&near, &nodes.boxes[block], there, false),
        );
        // Points are compared where they lie: so few are near that packing them would take a seventh more.
        for &leaf in &found.leaves {
            for lane in set_bits(lanes & lanes_near(simd, tree, leaf, points, limit)) {
                let from = point::<A>(points, lane);
                let near = within(simd, tree, leaf, (from, None), limit);
                if !near.is_empty() {
                    let from = (from, indices[lane]);
                    improve(tree, leaf, near.bits(simd), from, is_same, &mut best);
                }
            }
        }
    }
    best
}

/// The least index of a block of points.
#[inline(always)]
fn least_index(indices: &[u32; LANES], lanes: u32) -> u32 {
    let used = &indices[..lanes.count_ones() as usize];
    used.iter().fold(u32::MAX, |least, &index| least.min(index))
}

/// Offers the pairs of a point and some points of a leaf; if both are of the same tree, only points with a higher index.
#[inline(never)]
fn improve<A: Vector>(
    tree: &Tree<A>,
    leaf: u32,
    lanes: u32,
    (from, index): (A, u32),
    is_same: bool,
    best: &mut Pair<A::Scalar>,
) {
    for lane in set_bits(lanes) {
        let other = tree.indices[leaf as usize * LANES + lane];
        if !is_same || other > index {
            let to = point::<A>(&tree.items.points[leaf as usize], lane);
            *best = (*best).min(Ranked(point_sq(&from, to), (index, other)));
        }
    }
}

/// Finds the point of `of` whose nearest point in `tree` is farthest, the one with the least index of several; returns `first` if none is
/// before it. `nearest_sq` gives the squared distance from a point to its nearest in `tree`.
pub(in crate::orthtree) fn farthest<A: Vector>(
    tree: &Tree<A>,
    of: &Tree<A>,
    nearest_sq: &(dyn Fn(A) -> A::Scalar + Sync),
    first: Far<A::Scalar>,
) -> Far<A::Scalar> {
    let mut best = first;
    let part = |places: Range<usize>| {
        run!(up_to_avx2(tree.instructions), |simd| farthest_of_part(
            simd, tree, of, places, nearest_sq, first
        ))
    };
    parallel::parts(of.len, PART, &part, &mut |part| best = best.max(part));
    best
}

/// The farthest of the points at some places, the first of which begins a block.
#[inline(always)]
fn farthest_of_part<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    of: &Tree<A>,
    places: Range<usize>,
    nearest_sq: &(dyn Fn(A) -> A::Scalar + Sync),
    mut best: Far<A::Scalar>,
) -> Far<A::Scalar> {
    let mut found = Found::default();
    for block in places.start / LANES..places.end.div_ceil(LANES) {
        let (points, mut left) = (&of.items.points[block], of.lanes_of(block));
        let indices = &of.indices.as_chunks::<LANES>().0[block];
        // A point with a neighbor within this limit is not the farthest. A point with a lower index than the best wins at the same
        // distance.
        let limit = if least_index(indices, left) > best.1.0 {
            best.0
        } else {
            best.0.next_down()
        };
        if limit >= Scalar::ZERO {
            let cell = of.box_of(block as u32);
            let near = Nearby::new(simd, &cell, limit, None);
            let mut is_done = false;
            found.descend(
                simd,
                tree,
                usize::MAX,
                #[inline(always)]
                |nodes, _, block, there| {
                    // One node that is near all points of the block is enough.
                    if is_done {
                        return (Mask::new(simd, 0), Mask::new(simd, 0));
                    }
                    let found = near_or_whole(&near, &nodes.boxes[block], there, true);
                    is_done = !found.1.is_empty();
                    found
                },
            );
            if is_done {
                continue;
            }
            // Begin with the leaves in whose bounds a point lies, where a neighbor is likeliest.
            for reach in [Scalar::ZERO, limit] {
                for &leaf in &found.leaves {
                    if left == 0 {
                        break;
                    }
                    for lane in set_bits(left & lanes_near(simd, tree, leaf, points, reach)) {
                        let from = point(points, lane);
                        if !within(simd, tree, leaf, (from, None), limit).is_empty() {
                            left &= !(1 << lane);
                        }
                    }
                }
            }
        }
        // Search the nearest of each point that may be farther than the best.
        for lane in set_bits(left) {
            let far = nearest_sq(point::<A>(points, lane));
            best = best.max(Ranked(far, Reverse(indices[lane])));
        }
    }
    best
}
