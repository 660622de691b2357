//! Finds the order of the items: they are partitioned at medians, down to single blocks.
//!
//! ```text
//! part(items):
//!     stop if they fit into one block
//!     choose the axis on which their centers are spread widest
//!     first half: the items with the least coordinates, ties by index, as many as fill the largest power of two that is less
//!     than the number of blocks
//!     part both halves
//! ```
//!
//! So every block but the last is full. If all blocks are divided into runs of a power of two, each run is a cell of the partition, so the
//! nodes follow from the number of items alone. The cuts are those of Bentley's k-d tree (1975), near the median of the widest axis
//! (Friedman, Bentley and Finkel, 1977).
//!
//! This file moves items one by one, on several threads; [`median_partition`](super::median_partition) moves sixteen at a time, on one.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::build::{Source, padded};
use super::median_partition::partition;
use crate::overlap::columns::{Columns, all};
use crate::parallel::{GRAIN, join, threads};
use crate::simd::{InstructionSet, LANES, run_wide};
use crate::vector::{Scalar, Vector};

/// The center and the index of an item.
#[derive(Clone, Copy)]
struct Place<A> {
    center: A,
    index: u32,
}

/// Finds the indices of the items in the order of the tree, followed by zeros as padding. Items of a block are in the order of their
/// indices, so that moving one or sixteen items at a time gives the same order.
///
/// If the items are points that were moved sixteen at a time, `points` receives them in that order; otherwise it is left empty.
pub(super) fn order<A: Vector>(
    source: &Source<'_, A>,
    set: InstructionSet,
    order: &mut Vec<u32>,
    points: &mut Vec<Columns<A>>,
) {
    let len = source.len();
    order.clear();
    points.clear();
    // Partition sixteen items at a time, unless several threads take less time. Counts have 31 bits.
    if len <= GRAIN || threads() == 1 && len < 1 << 31 {
        if source.are_points() {
            points.resize(len.div_ceil(LANES), all::<A>(A::Scalar::ZERO));
        }
        order.resize(padded(len), 0);
        if run_wide!(set, |simd| partition(simd, source, order, points)) == Some(true) {
            order[len..].fill(0);
            return;
        }
        order.clear();
        points.clear();
    }
    // Otherwise partition item by item.
    let place = |index: usize| Place {
        center: source.center(index),
        index: index as u32,
    };
    let mut places: Vec<Place<A>> = (0..len).map(place).collect();
    part(&mut places);
    order.reserve_exact(padded(len));
    order.extend(places.iter().map(|place| place.index));
    order.resize(padded(len), 0);
}

/// The number of blocks in the first part when `blocks` blocks are split: the largest power of two below `blocks`.
#[inline(always)]
pub(crate) fn before(blocks: usize) -> usize {
    blocks.next_power_of_two() / 2
}

/// The axis on which a box is widest; of several, the first.
#[inline(always)]
pub(super) fn widest<A: Vector>(low: &[A::Scalar; 4], high: &[A::Scalar; 4]) -> usize {
    let half = <A::Scalar as Scalar>::from_f64(0.5);
    let (mut best, mut widest) = (0, high[0] * half - low[0] * half);
    for axis in 1..A::DIM {
        // The ends are halved first, since the difference of two numbers may overflow.
        let spread = high[axis] * half - low[axis] * half;
        if spread > widest {
            (best, widest) = (axis, spread);
        }
    }
    best
}

/// Partitions items one by one, on several threads if there are many.
fn part<A: Vector>(mut places: &mut [Place<A>]) {
    while places.len() > LANES {
        let many = before(places.len().div_ceil(LANES)) * LANES;
        let axis = widest_axis(places);
        select(places, many, axis);
        let (least, rest) = places.split_at_mut(many);
        if rest.len() > GRAIN {
            join(|| part(least), || part(rest));
            return;
        }
        part(least);
        places = rest;
    }
    // Sort the few items of a block by insertion: the standard library's sort would be compiled for them alone.
    for mut at in 1..places.len() {
        while at > 0 && places[at].index < places[at - 1].index {
            places.swap(at, at - 1);
            at -= 1;
        }
    }
}

fn widest_axis<A: Vector>(places: &[Place<A>]) -> usize {
    let (mut low, mut high) = ([A::Scalar::ZERO; 4], [A::Scalar::ZERO; 4]);
    for axis in 0..A::DIM {
        let first = places[0].center.axis(axis);
        (low[axis], high[axis]) = (first, first);
        for place in places {
            let x = place.center.axis(axis);
            low[axis] = x.smaller(low[axis]);
            high[axis] = x.larger(high[axis]);
        }
    }
    widest::<A>(&low, &high)
}

/// Moves the `many` items with the least coordinates on an axis to the front; among equals, those with the lowest indices.
fn select<A: Vector>(places: &mut [Place<A>], many: usize, axis: usize) {
    let on = |place: &Place<A>| place.center.axis(axis);
    // One closure for both orders, so that the selection is compiled once.
    let move_least = |places: &mut [Place<A>], many: usize, by_index: bool| {
        places.select_nth_unstable_by(many, |a, b| {
            if by_index {
                return a.index.cmp(&b.index);
            }
            on(a).partial_cmp(&on(b)).unwrap_or(Ordering::Equal)
        });
    };
    move_least(places, many, false);
    let cut = on(&places[many]);
    // Rarely, items equal to the cut are on both sides. (To compare indices above, too, would take half as long again.)
    if places[..many].iter().any(|place| on(place) >= cut) {
        // Gather the items equal to the cut between those below and those above, and select among them by index.
        let (mut start, mut end) = (0, many);
        for i in 0..many {
            if on(&places[i]) < cut {
                places.swap(i, start);
                start += 1;
            }
        }
        for i in many..places.len() {
            if on(&places[i]) <= cut {
                places.swap(i, end);
                end += 1;
            }
        }
        move_least(&mut places[start..end], many - start, true);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::build::Source;
    use super::{Place, order, part};
    use crate::overlap::columns::point;
    use crate::simd::{InstructionSet, LANES};
    use crate::vector::Vector;

    fn same<A: Vector<Array = A>>(points: &[A]) {
        let mut places = Vec::new();
        for (index, &center) in (0..).zip(points) {
            places.push(Place { center, index });
        }
        part(&mut places);
        let one_by_one: Vec<u32> = places.iter().map(|place| place.index).collect();
        for set in InstructionSet::available() {
            let (mut found, mut placed) = (Vec::new(), Vec::new());
            order(&Source::points(points), set, &mut found, &mut placed);
            assert_eq!(found[..points.len()], one_by_one, "{set}");
            let placed_points = one_by_one.iter().take(placed.len() * LANES);
            for (slot, &index) in placed_points.enumerate() {
                let there = point::<A>(&placed[slot / LANES], slot % LANES);
                assert!(there == points[index as usize]);
            }
        }
    }

    /// Moving items one by one or sixteen at a time gives one order, with ties, and with items far from or close to each other.
    #[test]
    fn both_ways_give_one_order() {
        let number = |i: u32| i.wrapping_mul(0x9E37_79B9) >> 8;
        for len in [0, 1, 15, 16, 17, 33, 255, 256, 257, 1000, 5000] {
            let spread = |i: u32, k: u32| number(3 * i + k) as f32;
            let all = (0..len).map(|i| [0, 1, 2].map(|k| spread(i, k)));
            let all: Vec<[f32; 3]> = all.collect();
            let changes: [fn(f32) -> f32; 4] = [
                |x| x,
                |x| x % 4.0,
                |x| x % 2.0 * f32::MAX,
                |x| (x / 1e7).exp2() * 1e-40,
            ];
            for change in changes {
                same(&all.iter().map(|p| p.map(change)).collect::<Vec<_>>());
            }
            let doubles = all.iter().map(|p| [p[0], p[1] % 9.0].map(f64::from));
            same(&doubles.collect::<Vec<_>>());
            let ties = all.iter().map(|p| [f64::from(p[0] % 3.0); 3]);
            same(&ties.collect::<Vec<_>>());
            same(&all.iter().map(|_| [7.0_f32; 2]).collect::<Vec<_>>());
        }
    }
}
