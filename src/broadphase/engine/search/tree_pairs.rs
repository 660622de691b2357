//! Which boxes of one tree meet which of another, or of the same: node against node, block against
//! block, and at last each candidate against the sixteen of a block that stay in registers.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::super::PairTest;
use super::super::row::Row;
use super::{Collected, PairCollector, PairsFound};
use super::{Work, meeting, numbered};
use crate::overlap::columns::Boxes;
use crate::shape::Aabb;
use crate::simd::{ArrayVec, Column, Job, LANES, ListWriter, Mask, compress, pairs};
use crate::vector::Vector;

/// Blocks and slots that are listed at a time.
const BLOCKS: usize = 256;
const SLOTS: usize = 1024;
/// The numbers that are noted of a change.
const CHANGE: usize = 4;
/// The most numbers of pairs within a block.
const OWN: usize = 2 * LANES * LANES;

/// The boxes of a tree, as they are and as they were.
pub(in super::super) struct TreeBoxes<'a, V: Vector> {
    pub(in super::super) ids: &'a [Column<u32>],
    pub(in super::super) now: &'a [Boxes<V>],
    pub(in super::super) before: &'a [Boxes<V>],
    /// Bounds of both.
    pub(in super::super) above: &'a [Vec<Boxes<V>>],
}

/// Not derived, which would ask for vectors' sake.
impl<V: Vector> Clone for TreeBoxes<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for TreeBoxes<'_, V> {}

/// Finds the pairs of some nodes of one side with the other side. Of the same tree, with those behind
/// them and among themselves.
pub(in super::super) struct Blocks<'a, V: Vector> {
    pub(in super::super) from: TreeBoxes<'a, V>,
    pub(in super::super) to: TreeBoxes<'a, V>,
    pub(in super::super) same: bool,
    /// Whether only pairs are asked for that are new or gone; else `begun` gets all.
    pub(in super::super) changes: bool,
    pub(in super::super) nodes: Range<usize>,
    pub(in super::super) test: &'a dyn PairTest<V>,
    pub(in super::super) boxes: &'a [Aabb<V>],
    pub(in super::super) found: &'a mut PairsFound,
}

impl<V: Vector> Job for Blocks<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if self.changes {
            search::<V, S, true>(simd, self);
        } else {
            search::<V, S, false>(simd, self);
        }
    }
}

/// ```text
/// for each node of one side:
///     list the nodes of the other that its bounds meet
///     for each of its blocks:
///         the same tree: ask each of its boxes about the others in the block
///         list the blocks in those nodes that its bounds meet
///         list the boxes in those blocks that its bounds meet
///         ask the sixteen boxes of the block, which stay in registers, about each of those
/// ```
///
/// Where changes are looked for, old and new boxes are asked one after the other, and what differs is noted.
#[inline(always)]
fn search<V: Vector, S: Simd, const CHANGES: bool>(simd: S, job: Blocks<'_, V>) {
    let Blocks { from, to, same, .. } = job;
    // One length, so that one check is enough for all.
    let len = to.ids.len();
    let to = TreeBoxes {
        ids: &to.ids[..len],
        now: &to.now[..len],
        before: &to.before[..len],
        ..to
    };
    let (mut nodes, mut spare) = (Vec::new(), Vec::new());
    let mut blocks = ArrayVec::<{ BLOCKS + LANES }>::new();
    let mut slots = ArrayVec::<{ SLOTS + LANES }>::new();
    let mut changed = ArrayVec::<{ CHANGE * (SLOTS + 2 * LANES) }>::new();
    let (mut blocks, mut slots, mut changed) = (blocks.writer(), slots.writer(), changed.writer());
    let mut collected = Collected::default();
    let mut collector = PairCollector::new(&mut collected, job.test, job.boxes, job.found);
    let mut behind = [Mask::new(simd, 0); LANES];
    for (lane, behind) in behind.iter_mut().enumerate() {
        *behind = Mask::new(simd, !1 << lane);
    }
    let mut work = Work::default();
    for node in job.nodes {
        let tops = &from.above[0][node];
        let row = Row::load(simd, tops);
        let filled = row.filled().bits(simd);
        if filled == 0 {
            continue;
        }
        let least = if same { node } else { 0 };
        let around = row.bounds(simd);
        work.nodes += meeting(simd, to.above, least, &around, &mut nodes, &mut spare);
        for lane in 0..LANES {
            if filled >> lane & 1 == 0 {
                continue;
            }
            let block = node * LANES + lane;
            let ids = &from.ids[block].0;
            if same {
                if collector.room() < OWN {
                    collector.flush();
                }
                let now = Row::load(simd, &from.now[block]);
                let was = Row::load(simd, &from.before[block]);
                for lane in 0..LANES - 1 {
                    let other = Row::splat(simd, &from.now[block], lane);
                    let meets = now.meets(&other) & behind[lane];
                    if CHANGES {
                        let other = Row::splat(simd, &from.before[block], lane);
                        let met = was.meets(&other) & behind[lane];
                        note_change(simd, block * LANES + lane, meets, met, &mut changed);
                    } else {
                        pairs(simd, ids, meets, ids[lane], &mut collector.begun);
                    }
                }
            }
            work.nodes += nodes.len();
            let mut at = 0;
            while at < nodes.len() {
                blocks.clear();
                // Loaded where it is needed, here and below: over a call it would be kept in memory
                // and come from there each time.
                let around = Row::splat(simd, tops, lane);
                while at < nodes.len() && blocks.len() <= BLOCKS {
                    let other = nodes[at] as usize;
                    let mut meets = Row::load(simd, &to.above[0][other]).meets(&around);
                    if same && other == node {
                        meets = meets & behind[lane];
                    }
                    compress(simd, &numbered(simd, nodes[at]), meets, &mut blocks);
                    at += 1;
                }
                work.blocks += blocks.len();
                let mut asked = 0;
                while asked < blocks.len() {
                    slots.clear();
                    let around = Row::splat(simd, tops, lane);
                    while asked < blocks.len() && slots.len() <= SLOTS {
                        let other = blocks.as_slice()[asked];
                        let mut boxes = Row::load(simd, &to.now[other as usize]);
                        if CHANGES {
                            boxes = boxes.with(&Row::load(simd, &to.before[other as usize]));
                        }
                        compress(
                            simd,
                            &numbered(simd, other),
                            boxes.meets(&around),
                            &mut slots,
                        );
                        asked += 1;
                    }
                    work.tests += slots.len();
                    let mut left = slots.as_slice();
                    loop {
                        let now = Row::load(simd, &from.now[block]);
                        let was = Row::load(simd, &from.before[block]);
                        while let [slot, behind @ ..] = left
                            && (CHANGES || collector.begun.room() >= 2 * LANES)
                        {
                            left = behind;
                            let (other, lane) = (*slot as usize / LANES, *slot as usize % LANES);
                            let meets = now.meets(&Row::splat(simd, &to.now[other], lane));
                            if CHANGES {
                                let met = was.meets(&Row::splat(simd, &to.before[other], lane));
                                note_change(simd, *slot as usize, meets, met, &mut changed);
                            } else {
                                let id = to.ids[other].0[lane];
                                pairs(simd, ids, meets, id, &mut collector.begun);
                            }
                        }
                        if left.is_empty() {
                            break;
                        }
                        collector.flush();
                    }
                    report(simd, ids, to.ids, &mut changed, &mut collector);
                }
            }
            report(simd, ids, to.ids, &mut changed, &mut collector);
        }
    }
    collector.finish(work);
}

/// Notes a slot and who of sixteen meet it and met it, if they differ: without a branch, which would
/// guess wrong for each of the few.
#[inline(always)]
fn note_change<S: Simd>(simd: S, slot: usize, meets: Mask, met: Mask, to: &mut ListWriter<'_>) {
    let change = [slot as u32, meets.bits(simd), met.bits(simd), 0];
    to.put(change, CHANGE * usize::from(meets != met));
}

/// Makes pairs of what was noted.
#[inline(always)]
fn report<V: Vector, S: Simd>(
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
