//! The nearest few of many points: sixteen of them, which lie together, share what is near.
//!
//! ```text
//! for each block of sixteen points along the curve:
//!     usual: the squared distance of the last of a point's nearest, as it was lately
//!     reach: that, and more by a share that is larger the fewer are asked for
//!     gather all points within reach of the box around the block
//!     for each point: take what is within the usual and a share, or within more until it is enough, and rank it
//!     those with too little within the reach: again with twice the reach
//!     what is left, since points lie too far apart or in one place: one by one
//! ```
//!
//! What is not gathered is farther from the box than the reach, and so from each point in it, by the law of the distance
//! expressions. So a point whose last is within the reach has its nearest, whatever was guessed.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use fearless_simd::Simd;

use super::near::{Near, around};
use crate::bits::set_bits;
use crate::nearest::{Closest, Few, Nearest, Rows};
use crate::orthtree::nearest::search;
use crate::orthtree::tree::Tree;
use crate::overlap::columns::{Columns, all, point, set_point};
use crate::overlap::lanes::{Ball, Nearby, Probe};
use crate::simd::{Job, LANES};
use crate::vector::{Scalar, Vector};

/// So often the reach of a block is changed.
const TRIES: usize = 3;

/// What lies in more leaves is not gathered.
const MOST_LEAVES: usize = 128;

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

/// Sixteen points to a block.
pub(crate) fn in_columns<A: Vector>(points: &[A], order: &[u32]) -> Vec<Columns<A>> {
    let mut blocks = Vec::with_capacity(order.len().div_ceil(LANES));
    for order in order.chunks(LANES) {
        let mut columns = all::<A>(A::Scalar::ZERO);
        for (lane, &index) in order.iter().enumerate() {
            set_point(&mut columns, lane, points[index as usize]);
        }
        blocks.push(columns);
    }
    blocks
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
        let mut few = Few::new(wanted, Scalar::ZERO);
        // The squared distance of the last of the nearest, as it was lately.
        let mut usual: Option<A::Scalar> = None;
        for first in self.places.clone().step_by(LANES) {
            let used = LANES.min(self.places.end - first);
            let points = &asking.points[first / LANES];
            let row = first - self.places.start;
            let oneself = |lane: usize| asking.themselves.map(|indices| indices[first + lane]);
            let cell = around(points, used);
            let mut left = 0xffff_u32 >> (LANES - used);
            let mut reach = usual.map(|usual| usual * beyond);
            for _ in 0..TRIES {
                let Some(tried) = reach.or_else(|| {
                    let lane = left.trailing_zeros() as usize % LANES;
                    usual = last_of(tree, point(points, lane), wanted);
                    usual.map(|usual| usual * beyond)
                }) else {
                    break;
                };
                let probe = Nearby::new(simd, &cell, tried);
                let all_near = near.gather_points(simd, tree, &probe, MOST_LEAVES);
                if !all_near || near.len() < wanted {
                    if reach.take().is_none() {
                        break;
                    }
                    usual = None;
                    continue;
                }
                for lane in set_bits(left) {
                    let ball = Ball::point(point::<A>(points, lane));
                    let probe = Probe::<A, S, false>::new(simd, &ball);
                    let mut limit = usual.map_or(tried, |usual| tried.smaller(usual * within));
                    loop {
                        few.begin(limit);
                        near.offer(simd, &probe, &mut few);
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
                        left &= !(1 << lane);
                    }
                }
                if left == 0 {
                    break;
                }
                reach = Some(tried + tried);
            }
            for lane in set_bits(left) {
                let found = alone(tree, point(points, lane), wanted);
                self.rows.put_list(row + lane, &found, oneself(lane));
            }
        }
    }
}

/// The nearest of one point.
#[inline(never)]
fn alone<A: Vector>(tree: &Tree<A>, from: A, wanted: usize) -> Vec<Nearest<usize, A::Scalar>> {
    let mut best = Closest::several(wanted, Scalar::INFINITY);
    search(tree, from, &mut best);
    best.found_all()
}

/// The squared distance of the last of a point's nearest, if there are as many and it is finite.
fn last_of<A: Vector>(tree: &Tree<A>, from: A, wanted: usize) -> Option<A::Scalar> {
    let found = alone(tree, from, wanted);
    let last = found.last().filter(|_| found.len() == wanted)?;
    (last.distance_sq < Scalar::MAX).then_some(last.distance_sq)
}
