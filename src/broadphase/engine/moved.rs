//! The pairs that begin and end where some boxes moved: each is asked where it is and where it was.

use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

use fearless_simd::Simd;

use super::Judge;
use super::blocks::{FOUND, Found, flush};
use super::marked::Leave;
use super::row::{self, Row};
use super::tree::Tree;
use super::walk::{Work, below, meeting, numbered};
use crate::overlap::lanes::Boxes;
use crate::simd::{Job, LANES, Mask, Room, compress, pairs};
use crate::{Aabb, Vector};

/// Blocks that are listed at a time.
const BLOCKS: usize = 256;

/// The blocks in which boxes moved, as they were.
#[derive(Clone)]
pub(super) struct Olds<V: Vector> {
    /// Where those of a block of the tree are, if any of its boxes is marked.
    at: Vec<u32>,
    rows: Vec<Boxes<V>>,
}

impl<V: Vector> Olds<V> {
    pub(super) const fn new() -> Self {
        Self {
            at: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// None, of so many blocks.
    pub(super) fn reset(&mut self, blocks: usize) {
        self.rows.clear();
        // No more than there are rows once there is any.
        self.at.clear();
        self.at.resize(blocks, 0);
    }

    /// Notes a block before a box in it moves.
    #[inline(always)]
    pub(super) fn note(&mut self, block: usize, boxes: &Boxes<V>) {
        self.at[block] = self.rows.len() as u32;
        self.rows.push(*boxes);
    }

    #[inline(always)]
    pub(super) fn of(&self, block: usize) -> &Boxes<V> {
        &self.rows[self.at[block] as usize]
    }

    #[inline(always)]
    pub(super) fn of_mut(&mut self, block: usize) -> &mut Boxes<V> {
        &mut self.rows[self.at[block] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.at.capacity() * size_of::<u32>() + self.rows.capacity() * size_of::<Boxes<V>>()
    }
}

/// Finds the pairs that began and ended of the marked boxes of one tree with all boxes of another, of
/// which none is marked, or of the same.
pub(super) struct MovedBoxes<'a, V: Vector> {
    pub(super) from: &'a Tree<V>,
    pub(super) to: &'a Tree<V>,
    pub(super) olds: &'a Olds<V>,
    pub(super) leave: Leave,
    /// Of the first tree.
    pub(super) nodes: Range<usize>,
    pub(super) judge: &'a dyn Judge<V>,
    pub(super) boxes: &'a [Aabb<V>],
    pub(super) found: &'a mut Found,
}

impl<V: Vector> Job for MovedBoxes<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self {
            from,
            to,
            olds,
            leave,
            nodes: asked_nodes,
            judge,
            boxes,
            found,
        } = self;
        if to.levels.is_empty() || from.levels.is_empty() || olds.rows.is_empty() {
            return;
        }
        let (mut parents, mut spare) = (Vec::new(), Vec::new());
        let mut nodes = alloc::vec![0];
        let mut blocks = Room::<{ BLOCKS + LANES }>::new();
        let mut begun = Room::<FOUND>::new();
        let mut ended = Room::<FOUND>::new();
        let mut blocks = blocks.pile();
        let (mut begun, mut ended) = (begun.pile(), ended.pile());
        let same = leave == Leave::Lower;
        // One length, so that one check is enough for all.
        let len = to.ids.len();
        let (ids, rows, marked) = (&to.ids[..len], &to.levels[0][..len], &to.marks[..len]);
        let mut work = Work::default();
        for node in asked_nodes {
            let marks = &from.marks[node * LANES..][..LANES];
            if marks.iter().all(|&marks| marks == 0) {
                continue;
            }
            // The bounds of what moved in each block, old places and new.
            let mut tops = row::empty();
            for (lane, &marks) in marks.iter().enumerate() {
                if marks != 0 {
                    let block = node * LANES + lane;
                    let now = Row::load(simd, &from.levels[0][block]);
                    let both = now.with(&Row::load(simd, olds.of(block)));
                    let moved = both.only(simd, Mask::new(simd, marks.into()));
                    moved.bound(&mut tops, lane);
                }
            }
            let around = Row::load(simd, &tops).bounds(simd);
            // The tree from the level of nodes on, if that is not the top.
            let upper = &to.above()[1..];
            if !upper.is_empty() {
                work.nodes += meeting(simd, upper, 0, &around, &mut parents, &mut spare);
            }
            for (lane, &marks) in marks.iter().enumerate() {
                if marks == 0 {
                    continue;
                }
                let block = node * LANES + lane;
                if let [level, ..] = upper {
                    // A box or two meet few of the nodes that all sixteen blocks meet.
                    let around = Row::splat(simd, &tops, lane);
                    below(simd, level, 0, &around, &parents, &mut nodes);
                    work.nodes += parents.len();
                }
                work.nodes += nodes.len();
                let mut at = 0;
                while at < nodes.len() {
                    blocks.clear();
                    let around = Row::splat(simd, &tops, lane);
                    while at < nodes.len() && blocks.len() <= BLOCKS {
                        let other = &to.levels[1][nodes[at] as usize];
                        let meets = Row::load(simd, other).meets(&around);
                        compress(simd, &numbered(simd, nodes[at]), meets, &mut blocks);
                        at += 1;
                    }
                    work.blocks += blocks.len();
                    let mut left = marks;
                    while left != 0 {
                        let lane = left.trailing_zeros() as usize % LANES;
                        left &= left - 1;
                        let id = from.ids[block].0[lane];
                        work.tests += blocks.len();
                        let mut asked = 0;
                        loop {
                            let now = Row::splat(simd, &from.levels[0][block], lane);
                            let was = Row::splat(simd, olds.of(block), lane);
                            while asked < blocks.len()
                                && begun.room().min(ended.room()) >= 2 * LANES
                            {
                                let other = blocks.as_slice()[asked] as usize;
                                asked += 1;
                                let row = &rows[other];
                                let (mut old, mut taken) = (row, 0);
                                if same {
                                    // Of two that moved, that in the lower slot reports the pair.
                                    let marks = u32::from(marked[other]);
                                    let below = if other == block { (2 << lane) - 1 } else { 0 };
                                    let below = if other < block { !0 } else { below };
                                    taken = marks & below;
                                    old = select_unpredictable(marks == 0, row, olds.of(other));
                                }
                                let meets = now.meets(&Row::load(simd, row));
                                let met = was.meets(&Row::load(simd, old));
                                let free = !Mask::new(simd, taken);
                                let (meets, met) = (meets & free, met & free);
                                if meets != met {
                                    let ids = &ids[other].0;
                                    pairs(simd, ids, meets & !met, id, &mut begun);
                                    pairs(simd, ids, met & !meets, id, &mut ended);
                                }
                            }
                            if asked == blocks.len() {
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
}
