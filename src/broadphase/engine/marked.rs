//! The pairs of single boxes: of those that are marked.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::Judge;
use super::blocks::{FOUND, Found, flush};
use super::row::{self, Row};
use super::tree::Tree;
use super::walk::{Work, meeting, numbered};
use crate::simd::{Job, LANES, Mask, Room, compress, pairs};
use crate::{Aabb, Vector};

/// Blocks that are listed at a time.
const BLOCKS: usize = 256;

/// Which of the other boxes that are marked too report the pair themselves.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Leave {
    /// None: they are of another tree, which is not asked.
    None,
    /// All: they are of another tree, which is asked.
    Marked,
    /// Those at lower slots: they are of the same tree.
    Lower,
}

/// Finds the pairs of the marked boxes of one tree with all boxes of another, or of the same.
pub(super) struct MarkedBoxes<'a, V: Vector> {
    pub(super) from: &'a Tree<V>,
    pub(super) to: &'a Tree<V>,
    pub(super) leave: Leave,
    /// Of the first tree.
    pub(super) nodes: Range<usize>,
    pub(super) judge: &'a dyn Judge<V>,
    pub(super) boxes: &'a [Aabb<V>],
    pub(super) found: &'a mut Found,
}

impl<V: Vector> Job for MarkedBoxes<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self {
            from,
            to,
            leave,
            nodes: asked_nodes,
            judge,
            boxes,
            found,
        } = self;
        if to.levels.is_empty() || from.levels.is_empty() {
            return;
        }
        let (mut nodes, mut spare) = (Vec::new(), Vec::new());
        let mut blocks = Room::<{ BLOCKS + LANES }>::new();
        let mut begun = Room::<FOUND>::new();
        let (mut blocks, mut begun) = (blocks.pile(), begun.pile());
        // One length, so that one check is enough for all.
        let len = to.ids.len();
        let (ids, rows, marked) = (&to.ids[..len], &to.levels[0][..len], &to.marks[..len]);
        let mut work = Work::default();
        for node in asked_nodes {
            let marks = &from.marks[node * LANES..][..LANES];
            if marks.iter().all(|&marks| marks == 0) {
                continue;
            }
            // The bounds of what is marked in each block.
            let mut tops = row::empty();
            for (lane, &marks) in marks.iter().enumerate() {
                let boxes = &from.levels[0][node * LANES + lane];
                if marks.is_power_of_two() {
                    row::put(&mut tops, lane, &row::at(boxes, marks.ilog2() as usize));
                } else if marks != 0 {
                    let mask = Mask::new(simd, marks.into());
                    let row = Row::load(simd, boxes).only(simd, mask);
                    row.bound(&mut tops, lane);
                }
            }
            let around = Row::load(simd, &tops).bounds(simd);
            work.nodes += meeting(simd, to.above(), 0, &around, &mut nodes, &mut spare);
            for (lane, &marks) in marks.iter().enumerate() {
                if marks == 0 {
                    continue;
                }
                let block = node * LANES + lane;
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
                            let one = Row::splat(simd, &from.levels[0][block], lane);
                            while asked < blocks.len() && begun.room() >= 2 * LANES {
                                let other = blocks.as_slice()[asked] as usize;
                                asked += 1;
                                let mut meets = one.meets(&Row::load(simd, &rows[other]));
                                if leave != Leave::None && marked[other] != 0 {
                                    let below = if leave == Leave::Marked || other < block {
                                        !0
                                    } else if other == block {
                                        (2u32 << lane) - 1
                                    } else {
                                        0
                                    };
                                    let marks = u32::from(marked[other]);
                                    meets = meets & !Mask::new(simd, marks & below);
                                }
                                pairs(simd, &ids[other].0, meets, id, &mut begun);
                            }
                            if asked == blocks.len() {
                                break;
                            }
                            flush(judge, boxes, &mut begun, &mut found.begun);
                        }
                    }
                }
            }
        }
        flush(judge, boxes, &mut begun, &mut found.begun);
        found.work += work;
    }
}
