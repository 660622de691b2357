//! The nearest few of many points: sixteen of them, which lie together, share what is near.
//!
//! ```text
//! for each block of sixteen points along the curve:
//!     usual: the squared distance of the last of a point's nearest, as it was lately
//!     reach: that, and more by a share that is larger the fewer are asked for
//!     gather all points within reach of the box around the block, unless they lie in many leaves
//!     for each point: take what is within the usual and a share, or within more until it is enough, and rank it
//!     for each point with too little within the reach, or of a block that lies too far apart:
//!         search by itself, within what the triangle inequality says of the point before
//! ```
//!
//! What is not gathered is farther from the box than the reach, and so from each point in it, by the law of the distance
//! expressions. So a point whose last is within the reach has its nearest, whatever was guessed.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use fearless_simd::Simd;

use super::descent::Most;
use super::near::{Near, around};
use crate::bits::set_bits;
use crate::candidates::{Limit, Packed, QueryPoint};
use crate::error::{Error, or_panic};
use crate::nearest::{Few, Rows};
use crate::orthtree::tree::Tree;
use crate::overlap::columns::{Columns, all, point, set_point};
use crate::simd::{Job, LANES, Mask};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::nearest::search_few;

/// The most leaves whose points are gathered for a block.
const MOST_LEAVES: usize = 160;

/// Points whose nearest are asked for, in an order in which neighbors lie together.
#[derive(Debug)]
pub struct Asking<'a, A: Vector> {
    points: &'a [Columns<A>],
    /// The indices of those that are points of the tree, each of which is not near itself.
    themselves: Option<&'a [u32]>,
    n: usize,
}

/// All points of a tree, which are near themselves or not.
pub(crate) fn all_points<A: Vector>(tree: &Tree<A>, n: usize, with_self: bool) -> Asking<'_, A> {
    Asking {
        points: &tree.items.points,
        themselves: (!with_self).then_some(&tree.indices),
        n,
    }
}

/// The points of some names, sixteen to a block.
pub(crate) fn in_columns<A: Vector, N>(names: &[N], point: impl Fn(&N) -> A) -> Vec<Columns<A>> {
    let block = |names: &[N]| {
        let mut columns = all::<A>(A::Scalar::ZERO);
        for (lane, name) in names.iter().enumerate() {
            set_point(&mut columns, lane, point(name));
        }
        columns
    };
    names.chunks(LANES).map(block).collect()
}

/// Any points.
pub(crate) fn some_points<A: Vector>(points: &[Columns<A>], n: usize) -> Asking<'_, A> {
    Asking {
        points,
        themselves: None,
        n,
    }
}

/// Finds the nearest of the points at some places, the first of which begins a block.
pub(crate) fn rows<A: Vector>(
    tree: &Tree<A>,
    asking: &Asking<'_, A>,
    places: Range<usize>,
    rows: &mut Rows<A::Scalar>,
) {
    let done = tree.instructions.run_wide(FillRows {
        tree,
        asking,
        places,
        rows,
    });
    done.expect("asked where instructions are wide");
}

struct FillRows<'a, A: Vector> {
    tree: &'a Tree<A>,
    asking: &'a Asking<'a, A>,
    places: Range<usize>,
    rows: &'a mut Rows<A::Scalar>,
}

impl<A: Vector> Job for FillRows<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tree, asking, .. } = self;
        // Oneself is looked for too, and left out where it is found.
        let wanted = asking.n + usize::from(asking.themselves.is_some());
        // The fewer are looked for, the more their distances differ.
        let spare = 1.0 / (wanted as f64).sqrt();
        let (within, beyond) = (
            A::Scalar::from_f64(1.0 + 1.2 * spare),
            A::Scalar::from_f64(1.0 + 2.5 * spare),
        );
        let mut near = Near::new();
        let most = Most {
            leaves: MOST_LEAVES,
            ..Most::ALL
        };
        let mut few = Few::new(wanted, Scalar::ZERO);
        // The squared distance of the last of the nearest, as it was lately.
        let mut usual: Option<A::Scalar> = None;
        // A point, and the same of it.
        let mut before: Option<(A, A::Scalar)> = None;
        for first in self.places.clone().step_by(LANES) {
            let used = LANES.min(self.places.end - first);
            let points = &asking.points[first / LANES];
            let row = first - self.places.start;
            let oneself = |lane: usize| asking.themselves.map(|indices| indices[first + lane]);
            let cell = around(points, used);
            let mut left = 0xffff_u32 >> (LANES - used);
            usual = usual.or_else(|| last_of(tree, point(points, 0), &mut few));
            if let Some(tried) = usual.map(|usual| usual * beyond)
                && gathers(near.gather::<S, false>(simd, tree, &cell, tried, most))
                && near.candidates.len() >= wanted
            {
                let packed = near.candidates.packed::<false>(Limit::Radius);
                for lane in set_bits(left) {
                    let from: A = point(points, lane);
                    let mut limit = usual.map_or(tried, |usual| tried.smaller(usual * within));
                    loop {
                        few.begin(limit);
                        offer(simd, from, &packed, &mut few);
                        // Neither is NaN but where an infinite distance was usual.
                        if few.is_full() || limit.partial_cmp(&tried) != Some(Ordering::Less) {
                            break;
                        }
                        limit =
                            tried.smaller(limit + limit + tried * A::Scalar::from_f64(1.0 / 64.0));
                    }
                    if few.is_full() {
                        let last = self.rows.put(simd, row + lane, &mut few, oneself(lane));
                        let share = A::Scalar::from_f64(0.125);
                        usual = Some(usual.map_or(last, |usual| usual + (last - usual) * share));
                        before = Some((from, last));
                        left &= !(1 << lane);
                    }
                }
            }
            for lane in set_bits(left) {
                let from = point(points, lane);
                let limit = before.map_or(Scalar::INFINITY, |before| limit_from(from, before));
                few.begin_anew(limit);
                search_few(tree, from, &mut few);
                if !few.is_full() {
                    // The limit was rounded to too little, or there was none.
                    few.begin_anew(Scalar::INFINITY);
                    search_few(tree, from, &mut few);
                }
                let is_full = few.is_full();
                let last = self.rows.put(simd, row + lane, &mut few, oneself(lane));
                if is_full && last < Scalar::MAX {
                    before = Some((from, last));
                    usual = Some(last);
                }
            }
        }
    }
}

/// Whether candidates were gathered. There is memory for those of so few leaves.
fn gathers(gathered: Result<bool, Error>) -> bool {
    or_panic("Orthtree", gathered)
}

/// Offers all candidates to the nearest few. A function of its own, as that which lists candidates is.
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

/// A limit for the last of a point's nearest, from that of another, by the triangle inequality; but for rounding, after
/// which there may be too few within it.
#[inline(always)]
fn limit_from<A: Vector>(from: A, (before, last_sq): (A, A::Scalar)) -> A::Scalar {
    let mut moved_sq = A::Scalar::ZERO;
    for axis in 0..A::DIM {
        let moved = from.axis(axis) - before.axis(axis);
        moved_sq = moved_sq + moved * moved;
    }
    let limit = moved_sq.sqrt() + last_sq.sqrt();
    limit * limit
}

/// The squared distance of the last of a point's nearest, if there are as many and it is finite.
fn last_of<A: Vector>(tree: &Tree<A>, from: A, few: &mut Few<A::Scalar>) -> Option<A::Scalar> {
    few.begin_anew(Scalar::INFINITY);
    search_few(tree, from, few);
    // At least as far, and not much farther.
    let last = few.limit_sq();
    (last < Scalar::MAX).then_some(last)
}
