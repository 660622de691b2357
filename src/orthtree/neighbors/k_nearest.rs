//! Finds the nearest few of many points: sixteen points that lie together share their candidates.
//!
//! ```text
//! usual: the squared distance from a point to the last of its nearest, averaged over the points so far
//! reach: a multiple of it, which is larger for fewer nearest
//! for each block of sixteen points:
//!     gather all points within reach of the box around the block, unless they lie in too many leaves
//!     for each point: keep the candidates within a smaller multiple; widen the limit until there are enough; rank them
//!     for each point with too few candidates, or of a block without candidates:
//!         search from the root, within a limit from the point before by the triangle inequality
//! ```
//!
//! A point that is not gathered is farther than the reach from the box, and so from each point in it, since the distance expressions are
//! monotone. So a point with enough candidates within the reach has its nearest among them, however good the guess was.

use core::cmp::Ordering;
use core::ops::Range;

use fearless_simd::Simd;

use super::descent::box_around;
use super::gather::{Gathered, Wanted};
use super::{QueryPoints, ScalarOf};
use crate::bits::set_bits;
use crate::candidates::{Limit, Packed, QueryPoint};
use crate::error::{Error, or_panic};
use crate::nearest::{FEW, Few, Nearest, NearestLists, Rows};
use crate::orthtree::{Kernels, Orthtree};
use crate::overlap::columns::point;
use crate::overlap::distance::point_sq;
use crate::query::SpatialIndex;
use crate::shape::{ArrayOf, Bounded};
use crate::simd::{LANES, Mask, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::Tree;
use crate::wide_nodes::nearest::search_few;

/// The most leaves whose points are gathered for a block.
const MOST_LEAVES: usize = 160;

/// The nearest of all points of a tree of points.
impl<T: Bounded> Orthtree<T> {
    /// The `n` nearest points of each point, with or without itself, by distance, ties by index: list `i` holds those of point `i`, or all
    /// if there are fewer. With itself, a point may still be missing from its own list if `n` points in the same place have lower indices.
    /// With the feature `rayon` it runs on several threads.
    ///
    /// ```
    /// use orthant::{Octree, glam::Vec3};
    /// let tree = Octree::new(&[Vec3::ZERO, Vec3::X, Vec3::X * 3.0]);
    /// let others = tree.nearest_n_of_all(1, false);
    /// assert_eq!((others.items().items(), others.distances_sq(2)), (&[1, 0, 1][..], &[4.0][..]));
    /// assert_eq!(tree.nearest_n_of_all(2, true).items()[2], [2, 1]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(points · `n`) for points that are spread evenly. For `n` up to 31, sixteen points that lie together share a descent and its
    /// candidates.
    ///
    /// # Panics
    ///
    /// If memory does not suffice.
    #[must_use]
    #[track_caller]
    pub fn nearest_n_of_all(&self, n: usize, with_self: bool) -> NearestLists<u32, ScalarOf<T>>
    where
        T: Vector,
    {
        let mut near = NearestLists::new();
        let filled = self.nearest_n_of_all_into(n, with_self, &mut near);
        or_panic("Orthtree", filled);
        near
    }

    /// Fills lists with the nearest points of each point, as [`nearest_n_of_all`](Self::nearest_n_of_all) does, in the memory that the
    /// lists have. An `n` above the number of points takes no more memory.
    ///
    /// ```
    /// use orthant::{NearestLists, Octree, glam::Vec3};
    /// let (mut tree, mut near) = (Octree::new(&[Vec3::ZERO, Vec3::X]), NearestLists::new());
    /// for step in [1.0, 2.0] {
    ///     tree.rebuild(&[Vec3::ZERO, Vec3::X * step]).unwrap();
    ///     tree.nearest_n_of_all_into(1, false, &mut near)?;
    /// }
    /// assert_eq!(near.distances_sq(1), [4.0]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; there are no lists then.
    pub fn nearest_n_of_all_into(
        &self,
        n: usize,
        with_self: bool,
        near: &mut NearestLists<u32, ScalarOf<T>>,
    ) -> Result<(), Error>
    where
        T: Vector,
    {
        let query = QueryPoints::of(&self.core);
        // A point is found among its own nearest points, and left out if it is not wanted.
        let others = usize::from(!with_self);
        let width = n.min(self.len().saturating_sub(others));
        let wanted = n.saturating_add(others);
        let shares = self.shares_nearest(wanted) && width > 0;
        near.fill_rows(self.len(), query.numbers, width, &|places, rows| {
            if shares {
                return <ArrayOf<T>>::nearest_rows(
                    &self.core, &query, wanted, with_self, places, rows,
                );
            }
            for (row, slot) in places.enumerate().filter(|_| width > 0) {
                let index = query.numbers[slot];
                let found =
                    SpatialIndex::nearest_n(self, self.item(slot as u32).core().min(), wanted);
                let found = found.into_iter().map(|near| Nearest {
                    item: near.item as u32,
                    distance_sq: near.distance_sq,
                });
                rows.put(row, found, (!with_self).then_some(index));
            }
        })
    }
}

/// Finds the nearest `wanted` of the query points at some places, the first of which begins a block. Unless `with_self`, the query
/// points are those of the tree, and each is left out of its own row.
pub(crate) fn rows<A: Vector>(
    tree: &Tree<A>,
    query: &QueryPoints<'_, A>,
    wanted: usize,
    with_self: bool,
    places: Range<usize>,
    rows: &mut Rows<A::Scalar>,
) {
    let done = run!(wide(tree.instructions), |simd| fill_rows(
        simd, tree, query, wanted, with_self, places, rows
    ));
    done.expect("called only with wide instructions");
}

/// [`rows`], for one instruction set.
#[inline(always)]
fn fill_rows<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    query: &QueryPoints<'_, A>,
    wanted: usize,
    with_self: bool,
    places: Range<usize>,
    rows: &mut Rows<A::Scalar>,
) {
    // The fewer points are wanted, the more their distances differ.
    let spare = 1.0 / (wanted as f64).sqrt();
    let within = A::Scalar::from_f64(1.0 + 1.2 * spare);
    let beyond = A::Scalar::from_f64(1.0 + 2.5 * spare);
    let mut gathered = Gathered::new();
    let mut few = Few::new(wanted, Scalar::ZERO);
    // The squared distance from a point to the last of its nearest, averaged.
    let mut usual: Option<A::Scalar> = None;
    // The point before, and the squared distance to the last of its nearest.
    let mut before: Option<(A, A::Scalar)> = None;
    for first in places.clone().step_by(LANES) {
        // Gather the candidates of the block.
        let used = LANES.min(places.end - first);
        let points = &query.points[first / LANES];
        let mut left = 0xffff_u32 >> (LANES - used);
        if usual.is_none() {
            few.begin(Scalar::INFINITY);
            search_few(tree, point(points, 0), &mut few);
            usual = Some(few.limit_sq()).filter(|&last| last < Scalar::MAX);
        }
        let reach = usual.map(|usual| usual * beyond);
        let wants = Wanted {
            first: 0,
            leaves: MOST_LEAVES,
            whole: false,
        };
        if let Some(reach) = reach
            && or_panic(
                "Orthtree",
                gathered.gather(simd, tree, &box_around(points, used), reach, wants),
            )
            && gathered.candidates.len() >= wanted
        {
            // Rank the candidates of each point.
            let packed = gathered.candidates.packed::<false>(Limit::Radius);
            for lane in set_bits(left) {
                let from: A = point(points, lane);
                let mut limit = usual.map_or(reach, |usual| reach.smaller(usual * within));
                loop {
                    few.begin(limit);
                    offer(simd, from, &packed, &mut few);
                    // An infinite usual distance makes NaN, which also ends the loop.
                    if few.is_full() || limit.partial_cmp(&reach) != Some(Ordering::Less) {
                        break;
                    }
                    limit = reach.smaller(limit + limit + reach * A::Scalar::from_f64(1.0 / 64.0));
                }
                if few.is_full() {
                    let own = (!with_self).then(|| query.numbers[first + lane]);
                    let last = put(simd, rows, first + lane - places.start, &mut few, own);
                    let share = A::Scalar::from_f64(0.125);
                    usual = Some(usual.map_or(last, |usual| usual + (last - usual) * share));
                    before = Some((from, last));
                    left &= !(1 << lane);
                }
            }
        }
        // Search from the root for the points that are left.
        for lane in set_bits(left) {
            let from = point(points, lane);
            let limit = before.map_or(Scalar::INFINITY, |before| limit_from(from, before));
            few.begin(limit);
            search_few(tree, from, &mut few);
            if !few.is_full() {
                // The limit was rounded down too far, or there are too few points.
                few.begin(Scalar::INFINITY);
                search_few(tree, from, &mut few);
            }
            let is_full = few.is_full();
            let own = (!with_self).then(|| query.numbers[first + lane]);
            let last = put(simd, rows, first + lane - places.start, &mut few, own);
            if is_full && last < Scalar::MAX {
                before = Some((from, last));
                usual = Some(last);
            }
        }
    }
}

/// Offers all candidates to the nearest few. It is not inlined, so that the loop has all registers.
#[inline(never)]
fn offer<A: Vector, S: Simd>(simd: S, from: A, packed: &Packed<'_, A>, few: &mut Few<A::Scalar>) {
    simd.vectorize(
        #[inline(always)]
        || {
            let point = QueryPoint::<A, S>::new(simd, from, Scalar::ZERO);
            let packed = packed.for_loop::<false>(Limit::Radius);
            let mut taking = few.taking(simd);
            for (block, indices) in packed.indices.iter().enumerate() {
                let squares = point.squares::<false>(&packed, block);
                taking.take(squares, Mask::new(simd, 0xffff), indices);
            }
            taking.end();
        },
    );
}

/// Writes a row: the nearest few, without one of them. Returns the squared distance of the last.
#[inline(always)]
fn put<X: Scalar, S: Simd>(
    simd: S,
    rows: &mut Rows<X>,
    row: usize,
    few: &mut Few<X>,
    without: Option<u32>,
) -> X {
    let (mut items, mut distances) = ([0; FEW], [X::ZERO; FEW]);
    let many = few.write(simd, &mut items, &mut distances);
    let found = items[..many].iter().zip(&distances).map(
        #[inline(always)]
        |(&item, &distance_sq)| Nearest { item, distance_sq },
    );
    rows.put(row, found, without);
    // A saved tree that was altered may have none.
    many.checked_sub(1).map_or(X::ZERO, |last| distances[last])
}

/// A limit for the nearest of a point, from those of another point by the triangle inequality. It is rounded, so there may be too few
/// points within it.
#[inline(always)]
fn limit_from<A: Vector>(from: A, (before, last_sq): (A, A::Scalar)) -> A::Scalar {
    let limit = point_sq(&from, before).sqrt() + last_sq.sqrt();
    limit * limit
}
