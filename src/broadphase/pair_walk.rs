//! Finds all pairs, or only those that begin and end, by one walk over the tree: for a step in which most bodies moved.
//!
//! Nodes are compared with nodes, blocks with blocks, and at last each candidate with the sixteen boxes of a block,
//! which stay in registers. Candidates are listed first, level by level, so that the innermost loops have no branches.

use alloc::vec::Vec;
use core::mem::swap;
use core::ops::Range;

use fearless_simd::Simd;

use super::World;
use super::pairs::{Collected, PairCollector, PairsFound, search_parts};
use super::row::{Row, list_children, make_room};
use super::tree::NODE;
use crate::bits::set_bits;
use crate::overlap::columns::Boxes;
use crate::simd::{ArrayVec, Column, LANES, ListWriter, Mask, from_fn, pairs, run};
use crate::vector::Vector;

/// The number of nodes that one thread searches.
const PART: usize = 16;
/// The number of boxes that are tested between two checks of room. It is at least the number of boxes in a block.
const TESTED: usize = 32;
/// The most keys that such a test finds: two for each pair with one of the boxes of a block.
const MOST_KEYS: usize = 2 * LANES * TESTED;
/// How many numbers record a change.
const CHANGE: usize = 4;

/// Finds all pairs, except those of two boxes at rest.
///
/// With `before`, finds the pairs that began and the overlaps of boxes that ended. `before` has the levels of the tree before the step; its
/// bounds hold the old and the new boxes.
pub(super) fn walk_pairs<V: Vector>(
    world: &World<V>,
    before: Option<&[Vec<Boxes<V>>]>,
    judges: bool,
    found: &mut PairsFound,
) {
    let tree = &world.tree;
    let levels = before.unwrap_or(&tree.levels);
    if levels.is_empty() {
        return;
    }
    let first = tree.resting / NODE;
    search_parts(levels[1].len() - first, PART, found, |part, found| {
        let nodes = first + part.start..first + part.end;
        let set = world.instructions();
        if before.is_some() {
            run!(set, |simd| walk::<V, _, true>(
                simd, world, levels, nodes, judges, found
            ));
        } else {
            run!(set, |simd| walk::<V, _, false>(
                simd, world, levels, nodes, judges, found
            ));
        }
    });
}

/// ```text
/// for each node:
///     list the nodes up to this one that its bounds meet
///     for each of its blocks:
///         test each of its boxes against the others in the block
///         list the blocks in those nodes, before this one, that its bounds meet
///         list the boxes in those blocks that its bounds meet
///         test the sixteen boxes of the block, which stay in registers, against each of those
/// ```
///
/// With `CHANGES`, both the old and the new boxes are tested, and lanes with different results are recorded.
#[inline(always)]
fn walk<V: Vector, S: Simd, const CHANGES: bool>(
    simd: S,
    world: &World<V>,
    levels: &[Vec<Boxes<V>>],
    nodes: Range<usize>,
    judges: bool,
    found: &mut PairsFound,
) {
    let tree = &world.tree;
    // Give all slices one length, so that one bounds check is enough for all.
    let (len, ids, above) = (tree.ids.len(), &tree.ids, &levels[1..]);
    let (now, before) = (&tree.levels[0][..len], &levels[0][..len]);
    let (mut near, mut spare) = (Vec::new(), Vec::new());
    let (mut blocks, mut slots) = (Vec::new(), Vec::new());
    let mut changed = ArrayVec::<{ CHANGE * TESTED }>::new();
    let mut changed = changed.writer();
    let mut collected = Collected::default();
    let mut collector = PairCollector::new(&mut collected, judges.then_some(world), found);
    // `lower[lane]` marks the lanes below a lane.
    let lower: [Mask; LANES] = from_fn(|lane| Mask::new(simd, (1 << lane) - 1));
    let mut work = 0;
    for node in nodes {
        let tops = &above[0][node];
        // Go down to the nodes that may meet this one.
        near.clear();
        near.push(0);
        for level in (1..above.len()).rev() {
            let (level, end) = (&above[level], (node >> (4 * (level - 1))) as u32 + 1);
            swap(&mut near, &mut spare);
            work += spare.len();
            make_room(&mut near, spare.len());
            let around = Row::splat(simd, &above[1][node / LANES], node % LANES);
            list_boxes(simd, level, None, &spare, Some(end), &around, &mut near);
        }
        for lane in set_bits(Row::load(simd, tops).filled().bits(simd)) {
            let block = node * LANES + lane % LANES;
            let own_ids = &ids[block].0;
            // Find the pairs within the block.
            if collector.room() < MOST_KEYS {
                collector.flush();
            }
            let own = Row::load(simd, &now[block]);
            let was = Row::load(simd, &before[block]);
            for lane in 1..LANES {
                let meets = own.meets(&Row::splat(simd, &now[block], lane)) & lower[lane];
                if CHANGES {
                    let met = was.meets(&Row::splat(simd, &before[block], lane)) & lower[lane];
                    note_change(simd, block * LANES + lane, meets, met, &mut changed);
                } else {
                    pairs(simd, own_ids, meets, own_ids[lane], &mut collector.begun);
                }
            }
            if CHANGES {
                report_changes(simd, own_ids, ids, &mut changed, &mut collector);
            }
            // List the blocks, and then the boxes, that may meet boxes of this one. Load its bounds after each call of
            // `make_room`: if they were held across the call, they would be spilled and read from memory each time.
            let (level, end) = (&above[0], Some(block as u32));
            make_room(&mut blocks, near.len());
            let around = Row::splat(simd, tops, lane);
            list_boxes(simd, level, None, &near, end, &around, &mut blocks);
            let old = CHANGES.then_some(before);
            make_room(&mut slots, blocks.len());
            let around = Row::splat(simd, tops, lane);
            list_boxes(simd, now, old, &blocks, None, &around, &mut slots);
            work += near.len() + blocks.len() + blocks.len() / 5 + slots.len();
            // Test the sixteen boxes of the block against each of them.
            for slots in slots.chunks(TESTED) {
                if !CHANGES && collector.begun.room() < MOST_KEYS {
                    collector.flush();
                }
                let own = Row::load(simd, &now[block]);
                let was = Row::load(simd, &before[block]);
                for &slot in slots {
                    let (other, lane) = (slot as usize / LANES, slot as usize % LANES);
                    let meets = own.meets(&Row::splat(simd, &now[other], lane));
                    if CHANGES {
                        let met = was.meets(&Row::splat(simd, &before[other], lane));
                        note_change(simd, slot as usize, meets, met, &mut changed);
                    } else {
                        let id = ids[other].0[lane];
                        pairs(simd, own_ids, meets, id, &mut collector.begun);
                    }
                }
                if CHANGES {
                    report_changes(simd, own_ids, ids, &mut changed, &mut collector);
                }
            }
        }
    }
    collector.finish(work);
}

/// Records a place, and the masks of the sixteen boxes that meet its box and that met it, if the masks differ. There is
/// no branch, since each of the few differences would be mispredicted.
#[inline(always)]
fn note_change<S: Simd>(simd: S, slot: usize, meets: Mask, met: Mask, to: &mut ListWriter<'_>) {
    let change = [slot as u32, meets.bits(simd), met.bits(simd), 0];
    to.put(change, CHANGE * usize::from(meets != met));
}

/// Makes pairs of the recorded changes.
#[inline(always)]
fn report_changes<V: Vector, S: Simd>(
    simd: S,
    ids: &[u32; LANES],
    others: &[Column<u32>],
    changed: &mut ListWriter<'_>,
    collector: &mut PairCollector<'_, V>,
) {
    for &[slot, meets, met, _] in changed.as_slice().as_chunks::<CHANGE>().0 {
        if collector.room() < 2 * LANES {
            collector.flush();
        }
        let id = others[slot as usize / LANES].0[slot as usize % LANES];
        let (meets, met) = (Mask::new(simd, meets), Mask::new(simd, met));
        pairs(simd, ids, meets & !met, id, &mut collector.begun);
        pairs(simd, ids, met & !meets, id, &mut collector.ended);
    }
    changed.clear();
}

/// Lists the boxes in some blocks that meet a box, now or together with their old boxes, and are numbered below `end`.
#[inline(always)]
fn list_boxes<V: Vector, S: Simd>(
    simd: S,
    boxes: &[Boxes<V>],
    old: Option<&[Boxes<V>]>,
    blocks: &[u32],
    end: Option<u32>,
    around: &Row<V, S>,
    found: &mut Vec<u32>,
) {
    list_children(
        simd,
        blocks,
        found,
        #[inline(always)]
        |block| {
            let mut row = Row::load(simd, &boxes[block as usize]);
            if let Some(old) = old {
                row = row.with(&Row::load(simd, &old[block as usize]));
            }
            let mut meets = row.meets(around);
            if let Some(end) = end
                && block == end / LANES as u32
            {
                meets = meets & Mask::new(simd, (1 << (end % LANES as u32)) - 1);
            }
            (meets, block * LANES as u32)
        },
    );
}
