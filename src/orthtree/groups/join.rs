//! Joining core points that are near each other: leaf by leaf, with those of the leaves before.

use fearless_simd::Simd;

use super::near::{Near, Own, Reach};
use super::{MIXED, NONE, Work};
use crate::bits::set_bits;
use crate::overlap::columns::point;
use crate::overlap::lanes::Nearby;
use crate::query::Hierarchy;
use crate::simd::LANES;
use crate::vector::Vector;

/// Joins the core points of all leaves.
#[inline(always)]
pub(super) fn join<A: Vector, S: Simd>(simd: S, work: &mut Work<'_, A>) {
    let mut near = Near::new();
    let shifts = work.question.shifts;
    // Each pair once: images towards the upper end, seen from all; and where they are, seen from the later one.
    let mut shifts = shifts.iter().filter(|shift| !shift.is_lower);
    // What is known of a node once all its leaves are joined: those behind it need not look into it.
    let mut ends = work.ends().into_iter().peekable();
    loop {
        for leaf in 0..work.tree.items.points.len() as u32 {
            if work.known[leaf as usize] != NONE {
                join_leaf(work, simd, &mut near, leaf);
            }
            let end = work.run_of(leaf).end;
            while let Some((_, node)) = ends.next_if(|&(last, _)| last <= end) {
                if work.known[node as usize] == MIXED {
                    work.update_known_of_node(node);
                }
            }
        }
        near.shift = shifts.next();
        if near.shift.is_none() {
            break;
        }
    }
}

/// Joins the core points of a leaf with each other, and with those before it.
#[inline(always)]
fn join_leaf<A: Vector, S: Simd>(
    work: &mut Work<'_, A>,
    simd: S,
    near: &mut Near<'_, A>,
    leaf: u32,
) {
    let (tree, limit) = (work.tree, work.limit);
    let own = Own::new(work, leaf, |cores| cores);
    let reach = Reach::new(simd, &own.cell, limit, near.shift);
    let is_shifted = near.shift.is_some();
    if work.known[leaf as usize] == MIXED && !is_shifted {
        join_leaves(work, simd, near, &reach, &own, leaf);
        work.update_known(leaf);
    }
    let known = work.known[leaf as usize];
    {
        let Work {
            known: all, forest, ..
        } = &mut *work;
        let root = if known < MIXED {
            forest.find(known)
        } else {
            NONE
        };
        near.descend(tree, simd, &reach, |node, from| {
            let other = all[node as usize];
            let is_later = !is_shifted && from >= own.slots.start;
            is_later
                || other == NONE
                || known < MIXED && other < MIXED && forest.find(other) == root
        });
    }
    for place in 0..near.found.whole.len() {
        let node = near.found.whole[place];
        let other = work.known[node as usize];
        let Some(first) = work.first_core(own.slots.clone()) else {
            return;
        };
        work.join_run(first, own.slots.clone());
        work.known[leaf as usize] = first;
        if other < MIXED {
            work.forest.join(first, other);
        } else {
            work.join_run(first, work.run_of(node));
            work.known[node as usize] = first;
        }
    }
    for place in 0..near.found.leaves.len() {
        let other = near.found.leaves[place];
        let (known, there) = (work.known[leaf as usize], work.known[other as usize]);
        if known < MIXED && there < MIXED && work.forest.find(known) == work.forest.find(there) {
            continue;
        }
        join_leaves(work, simd, near, &reach, &own, other);
    }
    if work.known[leaf as usize] == MIXED {
        work.update_known(leaf);
    }
}

/// Joins the core points of a leaf with those of another, or with each other.
#[inline(always)]
fn join_leaves<A: Vector, S: Simd>(
    work: &mut Work<'_, A>,
    simd: S,
    near: &Near<'_, A>,
    reach: &Reach<A, S>,
    own: &Own<A>,
    other: u32,
) {
    let candidates = reach.candidates(simd, work.tree, other, work.cores[other as usize]);
    if candidates.is_empty() {
        return;
    }
    let (tree, limit) = (work.tree, work.limit);
    let (known, there) = (work.known[own.leaf as usize], work.known[other as usize]);
    let cell = Nearby::new(simd, &tree.extent(other).core, limit);
    let points = &tree.items.points[own.leaf as usize];
    for lane in set_bits(own.lanes & near.lanes_near(simd, points, &cell)) {
        let slot = own.slots.start + lane as u32;
        if there < MIXED && work.forest.find(slot) == work.forest.find(there) {
            continue;
        }
        let mask = near.within(simd, work, point::<A>(points, lane), other, candidates);
        for lane in set_bits(mask.bits(simd)) {
            work.forest.join(slot, other * LANES as u32 + lane as u32);
            if there < MIXED {
                if known < MIXED {
                    return;
                }
                break;
            }
        }
    }
}
