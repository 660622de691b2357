//! What each point asks of those near it: whether they make it a core point, and if not, to which cluster it belongs.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::near::{Near, Own, Reach};
use super::{NONE, Question, Work};
use crate::bits::set_bits;
use crate::groups::Groups;
use crate::orthtree::split::TOUCHED;
use crate::overlap::columns::point;
use crate::overlap::lanes::Nearby;
use crate::query::Hierarchy;
use crate::simd::LANES;
use crate::vector::Vector;

/// Finds the core points of some leaves: blocks and lanes.
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
        let mut counts = [[0; LANES]; TOUCHED];
        for number in 0..=shifts.len() {
            near.shift = number.checked_sub(1).map(|number| &shifts[number]);
            let reach = Reach::new(simd, &own.cell, limit, near.shift);
            near.descend(tree, simd, &reach, |_, _| false);
            let whole: usize = near
                .found
                .whole
                .iter()
                .map(|&node| work.run_of(node).len())
                .sum();
            for (number, lanes) in own.lanes.iter_mut().enumerate() {
                for lane in set_bits(*lanes) {
                    counts[number][lane] += whole;
                    if counts[number][lane] >= least {
                        *lanes &= !(1 << lane);
                    }
                }
            }
            // Its own points are many, and near.
            if let Some(place) = near.found.leaves.iter().position(|&other| other == leaf) {
                near.found.leaves.swap(0, place);
            }
            for place in 0..near.found.leaves.len() {
                if own.is_done() {
                    break;
                }
                let other = near.found.leaves[place];
                near.pack(work, simd, &reach, other, false);
                let there = Nearby::new(simd, &tree.extent(other).core, limit);
                for (number, counts) in counts.iter_mut().enumerate() {
                    if own.lanes[number] == 0 {
                        continue;
                    }
                    let block = own.first + number;
                    let points = &tree.items.points[block];
                    for lane in set_bits(own.lanes[number] & near.lanes_near(simd, points, &there))
                    {
                        let from = point::<A>(points, lane);
                        let count = &mut counts[lane];
                        for block in 0..near.len.div_ceil(LANES) {
                            *count += near.meets(simd, from, limit, block).count();
                            if *count >= least {
                                own.lanes[number] &= !(1 << lane);
                                break;
                            }
                        }
                    }
                }
            }
            if own.is_done() {
                break;
            }
        }
        for (number, (all, left)) in all.into_iter().zip(own.lanes).enumerate() {
            if all & !left != 0 {
                cores.push(((own.first + number) as u32, all & !left));
            }
        }
    }
}

/// Finds the least label of a core point near each point of some leaves that is none.
#[inline(always)]
pub(super) fn border<A: Vector, S: Simd>(
    simd: S,
    work: &Work<'_, A>,
    leaves: &[u32],
    // By slot.
    labels: &[u32],
    found: &mut Vec<(u32, u32)>,
) {
    let (tree, limit) = (work.tree, work.limit);
    let shifts = work.question.shifts;
    let mut near = Near::new();
    for &leaf in leaves {
        let own = Own::new(work, leaf, |cores| !cores);
        if own.is_done() {
            continue;
        }
        let mut least = [[Groups::NOISE; LANES]; TOUCHED];
        for number in 0..=shifts.len() {
            near.shift = number.checked_sub(1).map(|number| &shifts[number]);
            let reach = Reach::new(simd, &own.cell, limit, near.shift);
            near.descend(tree, simd, &reach, |node, _| {
                work.known[node as usize] == NONE
            });
            let slots = near.found.whole.iter().flat_map(|&node| work.run_of(node));
            let cores = slots.filter(|&slot| work.is_core(slot));
            let whole = cores.map(|slot| labels[slot as usize]).min();
            for least in least.as_flattened_mut() {
                *least = whole.unwrap_or(Groups::NOISE).min(*least);
            }
            for place in 0..near.found.leaves.len() {
                let other = near.found.leaves[place];
                near.pack(work, simd, &reach, other, true);
                let there = Nearby::new(simd, &tree.extent(other).core, limit);
                for (number, least) in least.iter_mut().enumerate() {
                    if own.lanes[number] == 0 {
                        continue;
                    }
                    let block = own.first + number;
                    let points = &tree.items.points[block];
                    for lane in set_bits(own.lanes[number] & near.lanes_near(simd, points, &there))
                    {
                        let from = point::<A>(points, lane);
                        let least = &mut least[lane];
                        for block in 0..near.len.div_ceil(LANES) {
                            let mask = near.meets(simd, from, limit, block);
                            for lane in set_bits(mask.bits(simd)) {
                                let slot = near.slots[block * LANES + lane];
                                *least = labels[slot as usize].min(*least);
                            }
                        }
                    }
                }
            }
        }
        for (number, (lanes, least)) in own.lanes.into_iter().zip(least).enumerate() {
            for lane in set_bits(lanes) {
                let slot = ((own.first + number) * LANES + lane) as u32;
                found.push((slot, least[lane]));
            }
        }
    }
}
