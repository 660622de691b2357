//! Which boxes of one tree meet which of another, or of the same: node against node, block against
//! block, and at last each candidate against the sixteen of a block that stay in registers.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::Judge;
use super::row::Row;
use super::walk::{Work, meeting, numbered};
use crate::overlap::lanes::Boxes;
use crate::simd::{Column, Job, LANES, Mask, Pile, Room, compress, pairs};
use crate::{Aabb, Vector};

/// Blocks, slots and numbers of pairs that are listed at a time.
const BLOCKS: usize = 256;
const SLOTS: usize = 1024;
pub(super) const FOUND: usize = 2048;
/// The most numbers of pairs within a block.
const OWN: usize = 2 * LANES * LANES;

/// The boxes of a tree, as they are and as they were.
pub(super) struct Side<'a, V: Vector> {
    pub(super) ids: &'a [Column<u32>],
    pub(super) now: &'a [Boxes<V>],
    pub(super) before: &'a [Boxes<V>],
    /// Bounds of both.
    pub(super) above: &'a [Vec<Boxes<V>>],
}

/// Not derived, which would ask for vectors' sake.
impl<V: Vector> Clone for Side<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for Side<'_, V> {}

/// What was found: pairs one after the other, the lesser id of each first.
#[derive(Clone, Default)]
pub(super) struct Found {
    pub(super) begun: Vec<u32>,
    pub(super) ended: Vec<u32>,
    pub(super) work: Work,
    /// Memory for the parts of a search, empty in between.
    pub(super) parts: Vec<Self>,
}

impl Found {
    pub(super) const fn new() -> Self {
        Self {
            begun: Vec::new(),
            ended: Vec::new(),
            work: Work {
                nodes: 0,
                blocks: 0,
                tests: 0,
            },
            parts: Vec::new(),
        }
    }

    /// Nothing, in the same memory.
    pub(super) fn cleared(mut self) -> Self {
        self.begun.clear();
        self.ended.clear();
        self.work = Work::default();
        self
    }

    /// Takes in what a part found.
    #[cfg(feature = "rayon")]
    pub(super) fn append(&mut self, part: &mut Self) {
        self.begun.append(&mut part.begun);
        self.ended.append(&mut part.ended);
        self.work += core::mem::take(&mut part.work);
    }

    /// Memory in use.
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.begun.capacity() + self.ended.capacity();
        let parts = self.parts.iter().map(Self::bytes).sum::<usize>();
        let unused = self.parts.capacity() - self.parts.len();
        numbers * size_of::<u32>() + parts + unused * size_of::<Self>() + size_of::<Self>()
    }
}

/// Finds the pairs of some nodes of one side with the other side. Of the same tree, with those behind
/// them and among themselves.
pub(super) struct Blocks<'a, V: Vector> {
    pub(super) from: Side<'a, V>,
    pub(super) to: Side<'a, V>,
    pub(super) same: bool,
    /// Whether only pairs are asked for that are new or gone; else `begun` gets all.
    pub(super) changes: bool,
    pub(super) nodes: Range<usize>,
    pub(super) judge: &'a dyn Judge<V>,
    pub(super) boxes: &'a [Aabb<V>],
    pub(super) found: &'a mut Found,
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

/// Hands on what has piled up, without the pairs that are none. Not called from the innermost loops:
/// around a call, the registers that hold boxes would be saved.
#[inline(never)]
pub(super) fn flush<V: Vector>(
    judge: &dyn Judge<V>,
    boxes: &[Aabb<V>],
    pile: &mut Pile<'_>,
    to: &mut Vec<u32>,
) {
    if judge.all() {
        to.extend_from_slice(pile.as_slice());
    } else {
        judge.choose(boxes, pile.as_slice().as_chunks().0, to);
    }
    pile.clear();
}

#[inline(always)]
fn search<V: Vector, S: Simd, const CHANGES: bool>(simd: S, job: Blocks<'_, V>) {
    let Blocks {
        from,
        to,
        same,
        judge,
        boxes,
        found,
        ..
    } = job;
    // One length, so that one check is enough for all.
    let len = to.ids.len();
    let to = Side {
        ids: &to.ids[..len],
        now: &to.now[..len],
        before: &to.before[..len],
        ..to
    };
    let (mut nodes, mut spare) = (Vec::new(), Vec::new());
    let mut blocks = Room::<{ BLOCKS + LANES }>::new();
    let mut slots = Room::<{ SLOTS + LANES }>::new();
    let mut begun = Room::<FOUND>::new();
    let mut ended = Room::<FOUND>::new();
    let (mut blocks, mut slots) = (blocks.pile(), slots.pile());
    let (mut begun, mut ended) = (begun.pile(), ended.pile());
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
            if begun.room().min(ended.room()) < OWN {
                flush(judge, boxes, &mut begun, &mut found.begun);
                flush(judge, boxes, &mut ended, &mut found.ended);
            }
            if same {
                let now = Row::load(simd, &from.now[block]);
                let was = Row::load(simd, &from.before[block]);
                for lane in 0..LANES - 1 {
                    let other = Row::splat(simd, &from.now[block], lane);
                    let meets = now.meets(&other) & behind[lane];
                    if CHANGES {
                        let other = Row::splat(simd, &from.before[block], lane);
                        let met = was.meets(&other) & behind[lane];
                        if meets != met {
                            pairs(simd, ids, meets & !met, ids[lane], &mut begun);
                            pairs(simd, ids, met & !meets, ids[lane], &mut ended);
                        }
                    } else {
                        pairs(simd, ids, meets, ids[lane], &mut begun);
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
                            && begun.room().min(ended.room()) >= 2 * LANES
                        {
                            left = behind;
                            let (other, lane) = (*slot as usize / LANES, *slot as usize % LANES);
                            let meets = now.meets(&Row::splat(simd, &to.now[other], lane));
                            if CHANGES {
                                let met = was.meets(&Row::splat(simd, &to.before[other], lane));
                                if meets != met {
                                    let id = to.ids[other].0[lane];
                                    pairs(simd, ids, meets & !met, id, &mut begun);
                                    pairs(simd, ids, met & !meets, id, &mut ended);
                                }
                            } else {
                                pairs(simd, ids, meets, to.ids[other].0[lane], &mut begun);
                            }
                        }
                        if left.is_empty() {
                            break;
                        }
                        flush(judge, boxes, &mut begun, &mut found.begun);
                        flush(judge, boxes, &mut ended, &mut found.ended);
                    }
                }
            }
        }
    }
    flush(judge, boxes, &mut begun, &mut found.begun);
    flush(judge, boxes, &mut ended, &mut found.ended);
    found.work += work;
}
