//! The order of the items: parted at medians until each block is full.
//!
//! ```text
//! part(items):
//!     on the axis on which their centers are spread widest, those that are least go before the others: as many as fill
//!     the largest power of two of blocks that is at least half of all
//!     part both
//! ```
//!
//! So every block but the last is full, and any power of two of blocks that lie in order, counted from the first, is a cell
//! of the partition: the nodes follow from the number of items alone.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::build::Source;
use crate::parallel::{GRAIN, join};
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};

/// Where an item is, and which it is.
#[derive(Clone, Copy)]
struct Place<A> {
    center: A,
    index: u32,
}

/// The indices of the items in the order of the tree.
pub(super) fn order<A: Vector>(source: &Source<'_, A>) -> Vec<u32> {
    let place = |index: usize| Place {
        center: source.center(index),
        index: index as u32,
    };
    let mut places: Vec<Place<A>> = (0..source.len()).map(place).collect();
    part(&mut places);
    places.iter().map(|place| place.index).collect()
}

fn part<A: Vector>(mut places: &mut [Place<A>]) {
    while places.len() > LANES {
        let (mut low, mut high) = (places[0].center, places[0].center);
        for Place { center, .. } in &*places {
            low = A::from_fn(|axis| center.axis(axis).smaller(low.axis(axis)));
            high = A::from_fn(|axis| center.axis(axis).larger(high.axis(axis)));
        }
        let half = <A::Scalar as Scalar>::from_f64(0.5);
        // Of halves, since the difference of two numbers may overflow.
        let spread = |axis: usize| high.axis(axis) * half - low.axis(axis) * half;
        let widest = |best, axis| {
            if spread(axis) > spread(best) {
                axis
            } else {
                best
            }
        };
        let axis = (1..A::DIM).fold(0, widest);
        let many = places.len().div_ceil(LANES).next_power_of_two() / 2 * LANES;
        places.select_nth_unstable_by(many, |a, b| {
            let order = a.center.axis(axis).partial_cmp(&b.center.axis(axis));
            order.unwrap_or(Ordering::Equal).then(a.index.cmp(&b.index))
        });
        let (least, rest) = places.split_at_mut(many);
        if rest.len() > GRAIN {
            join(|| part(least), || part(rest));
            return;
        }
        part(least);
        places = rest;
    }
}
