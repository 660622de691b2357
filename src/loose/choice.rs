//! The rule for the items of a full leaf, which becomes a node.

use super::rule::{FAN, Rule, cells_along, half};
use crate::simd::LANES;
use crate::{Scalar, Vector};

/// The bits of a slot that tell nothing apart: as many as fit into a leaf.
const FIRST_BITS: u32 = LANES.ilog2();
/// More than so many items in one cell are a crowd.
const CROWD: u32 = LANES as u32 * 3 / 4;
/// The same in a grid of the whole region, from which others are to come.
const CROWD_AT_FIRST: u32 = LANES as u32 - 2;
/// What lies nearer than this share of its size is as good as in one place.
const NEAR: f64 = 1.0 / 4096.0;

/// What is to be known of the items of a full leaf to divide it.
pub(super) struct Items<V: Vector> {
    pub(super) centers: [V; LANES],
    pub(super) slots: [u32; LANES],
    /// The shortest edge of any.
    pub(super) size: V::Scalar,
}

/// The rule for items, which come from a region, halved, if that is known.
pub(super) fn rule_for<V: Vector>(items: &Items<V>, region: Option<(V, V)>) -> Rule<V> {
    let reach = items.size * Scalar::from_f64(NEAR);
    let all = (1 << LANES) - 1;
    let (low, high) = halved(&items.centers, all);
    let enough = reach * half::<V>();
    // Others will come from all of the region, unless these fill a small part of it.
    let filled =
        region.filter(|(from, to)| width(low, high) * Scalar::from_f64(4.0) >= width(*from, *to));
    if let Some((from, to)) = filled {
        let low = V::from_fn(|axis| low.axis(axis).smaller(from.axis(axis)));
        let high = V::from_fn(|axis| high.axis(axis).larger(to.axis(axis)));
        if let Some(rule) = grid(low, high, enough, false)
            && crowd(&rule, items).count_ones() <= CROWD_AT_FIRST
        {
            return rule;
        }
    }
    if let Some(mut rule) = grid(low, high, enough, false) {
        // Where sizes of gaps differ by much, most lie in one cell: a grid of that, and the outer
        // cells for the rest, else the tree would be as deep as there are such sizes.
        let mut fullest = crowd(&rule, items);
        while fullest.count_ones() > CROWD {
            let (low, high) = halved(&items.centers, fullest);
            let Some(finer) = grid(low, high, enough, true) else {
                break;
            };
            rule = finer;
            // Of those, the outermost are in different cells now.
            fullest &= crowd(&rule, items);
        }
        if fullest != all {
            return rule;
        }
    }
    let mut shift = FIRST_BITS;
    let block = |shift: u32, slot: u32| u64::from(slot) >> (shift + FAN.ilog2());
    while items
        .slots
        .iter()
        .any(|&slot| block(shift, slot) != block(shift, items.slots[0]))
    {
        shift += FAN.ilog2();
    }
    Rule::Slots {
        shift,
        block: block(shift, items.slots[0]) as u32,
        center: items.centers[0],
        reach,
    }
}

/// A grid of a box, halved, unless that is no larger than need be told apart.
fn grid<V: Vector>(low: V, high: V, enough: V::Scalar, is_open: bool) -> Option<Rule<V>> {
    let scale = cells_along::<V>() / width(low, high);
    let is_usable = scale.is_finite() && width(low, high) > enough;
    is_usable.then_some(Rule::Grid {
        origin: low,
        scale,
        raises: 0,
        is_open,
    })
}

/// The items in the cell that has most.
fn crowd<V: Vector>(rule: &Rule<V>, items: &Items<V>) -> u32 {
    let cells = items.centers.map(|center| rule.cell(center, 0).0);
    let mut held = [0_u8; FAN];
    let (mut fullest, mut most) = (0, 0);
    for cell in cells {
        held[cell % FAN] += 1;
        if held[cell % FAN] > most {
            (fullest, most) = (cell, held[cell % FAN]);
        }
    }
    let held = |at: usize| u32::from(cells[at] == fullest) << at;
    (0..LANES).fold(0, |all, at| all | held(at))
}

/// The corners of the box around some of the points, halved.
fn halved<V: Vector>(points: &[V; LANES], which: u32) -> (V, V) {
    let first = points[which.trailing_zeros() as usize % LANES];
    let (mut low, mut high) = (first, first);
    for (at, point) in points.iter().enumerate() {
        if which >> at & 1 == 1 {
            low = V::from_fn(|axis| low.axis(axis).smaller(point.axis(axis)));
            high = V::from_fn(|axis| high.axis(axis).larger(point.axis(axis)));
        }
    }
    let half_of = |corner: V| V::from_fn(|axis| corner.axis(axis) * half::<V>());
    (half_of(low), half_of(high))
}

/// The longest edge.
fn width<V: Vector>(low: V, high: V) -> V::Scalar {
    let apart = |axis| high.axis(axis) - low.axis(axis);
    (0..V::DIM).fold(V::Scalar::ZERO, |most, axis| most.larger(apart(axis)))
}
