//! What each point asks of those near it: whether they make it a core point, and if not, to which cluster it belongs.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::near::{Near, Own, Reach};
use super::{NONE, Question, Work};
use crate::bits::set_bits;
use crate::groups::Groups;
use crate::overlap::columns::point;
use crate::overlap::lanes::Nearby;
use crate::query::Hierarchy;
use crate::simd::LANES;
use crate::vector::Vector;

/// Finds the core points of some leaves: leaves and lanes.
#[inline(always)]
pub(super) fn find_cores<A: Vector, S: Simd>(
    simd: S,
    work: &Work<'_, A>,
    leaves: &[u32],
    cores: &mut Vec<(u32, u32)>,
) {
    let (tree, limit) = (work.tree, work.limit);
    let Question { least, shifts, .. } = work.question;
    let mut near = Near::new();
    for &leaf in leaves {
        let mut own = Own::new(work, leaf, |_| 0xffff);
        let all = own.lanes;
        let points = &tree.items.points[leaf as usize];
        let mut counts = [0; LANES];
        for number in 0..=shifts.len() {
            near.shift = number.checked_sub(1).map(|number| &shifts[number]);
            let reach = Reach::new(simd, &own.cell, limit, near.shift);
            near.descend(tree, simd, &reach, |_, _| false);
            let whole = near.found.whole.iter();
            let whole: usize = whole.map(|&node| work.run_of(node).len()).sum();
            for lane in set_bits(own.lanes) {
                counts[lane] += whole;
                if counts[lane] >= least {
                    own.lanes &= !(1 << lane);
                }
            }
            // Its own points are many, and near.
            if let Some(place) = near.found.leaves.iter().position(|&other| other == leaf) {
                near.found.leaves.swap(0, place);
            }
            for place in 0..near.found.leaves.len() {
                if own.lanes == 0 {
                    break;
                }
                let other = near.found.leaves[place];
                let candidates = reach.candidates(simd, tree, other, 0xffff);
                let there = Nearby::new(simd, &tree.extent(other).core, limit);
                for lane in set_bits(own.lanes & near.lanes_near(simd, points, &there)) {
                    let from = point::<A>(points, lane);
                    let mask = near.within(simd, work, from, other, candidates);
                    counts[lane] += mask.count();
                    if counts[lane] >= least {
                        own.lanes &= !(1 << lane);
                    }
                }
            }
            if own.lanes == 0 {
                break;
            }
        }
        if all & !own.lanes != 0 {
            cores.push((leaf, all & !own.lanes));
        }
    }
}

/// Finds the least label of a core point near each point of some leaves that is none.
#[inline(always)]
pub(super) fn border<A: Vector, S: Simd>(
    simd: S,
    work: &Work<'_, A>,
    leaves: Range<usize>,
    // By slot.
    labels: &[u32],
    found: &mut Vec<(u32, u32)>,
) {
    let (tree, limit) = (work.tree, work.limit);
    let shifts = work.question.shifts;
    let mut near = Near::new();
    for leaf in leaves {
        let own = Own::new(work, leaf as u32, |cores| !cores);
        if own.lanes == 0 {
            continue;
        }
        let points = &tree.items.points[leaf];
        let mut least = [Groups::NOISE; LANES];
        for number in 0..=shifts.len() {
            near.shift = number.checked_sub(1).map(|number| &shifts[number]);
            let reach = Reach::new(simd, &own.cell, limit, near.shift);
            near.descend(tree, simd, &reach, |node, _| {
                work.known[node as usize] == NONE
            });
            let slots = near.found.whole.iter().flat_map(|&node| work.run_of(node));
            let cores = slots.filter(|&slot| work.is_core(slot));
            let whole = cores.map(|slot| labels[slot as usize]).min();
            for least in &mut least {
                *least = whole.unwrap_or(Groups::NOISE).min(*least);
            }
            for place in 0..near.found.leaves.len() {
                let other = near.found.leaves[place];
                let cores = work.cores[other as usize];
                let candidates = reach.candidates(simd, tree, other, cores);
                let there = Nearby::new(simd, &tree.extent(other).core, limit);
                for lane in set_bits(own.lanes & near.lanes_near(simd, points, &there)) {
                    let from = point::<A>(points, lane);
                    let mask = near.within(simd, work, from, other, candidates);
                    for there in set_bits(mask.bits(simd)) {
                        let slot = other as usize * LANES + there;
                        least[lane] = labels[slot].min(least[lane]);
                    }
                }
            }
        }
        for lane in set_bits(own.lanes) {
            found.push((own.slots.start + lane as u32, least[lane]));
        }
    }
}
