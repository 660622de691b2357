//! The pairs of single boxes. Each goes down the tree for itself; many do so level by level, together,
//! since short loops end before their ends are foreseen.

use alloc::vec::Vec;
use core::hint::select_unpredictable;

use fearless_simd::Simd;

use super::super::PairTest;
use super::super::items::OldBoxes;
use super::super::row::Row;
use super::super::tree::Tree;
use super::{Collected, PairCollector, PairsFound};
use super::{Work, numbered};
use crate::overlap::columns::Boxes;
use crate::shape::Aabb;
use crate::simd::{Job, LANES, ListWriter, Mask, compress, pairs};
use crate::vector::Vector;

/// Boxes that go down together.
const GROUP: usize = 64;
/// What is gone through of a list before there is to be room for more.
const LISTED: usize = 256;

/// Which of the other boxes that are asked too report the pair themselves.
#[derive(Clone, Copy, PartialEq)]
pub(in super::super) enum Skip {
    /// None: they are of another tree, of which none is asked.
    None,
    /// All: they are of another tree.
    All,
    /// Those at lower slots: they are of the same tree.
    Lower,
}

impl Skip {
    /// The slots of a block, as bits, of which it holds for a box at some slot.
    #[inline(always)]
    fn lanes(self, block: usize, slot: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::All => !0,
            Self::Lower => {
                let below = (slot as usize + 1).saturating_sub(block * LANES);
                (1 << below.min(LANES)) - 1
            }
        }
    }
}

/// A box that is asked.
#[derive(Clone, Copy)]
pub(in super::super) struct BoxQuery<V: Vector> {
    pub(in super::super) id: u32,
    pub(in super::super) slot: u32,
    pub(in super::super) now: Aabb<V>,
    /// The same where nobody asks for changes.
    pub(in super::super) was: Aabb<V>,
}

/// Finds the pairs of some boxes of a tree with all of another, or of the same: all that they have, or
/// only what began and what ended.
pub(in super::super) struct BoxQueries<'a, V: Vector> {
    /// In the order of slots, which are marked.
    pub(in super::super) queries: &'a [BoxQuery<V>],
    pub(in super::super) to: &'a Tree<V>,
    pub(in super::super) skip: Skip,
    /// What was where boxes are marked, if changes are asked for.
    pub(in super::super) old_boxes: Option<&'a OldBoxes<V>>,
    pub(in super::super) test: &'a dyn PairTest<V>,
    pub(in super::super) boxes: &'a [Aabb<V>],
    pub(in super::super) found: &'a mut PairsFound,
}

impl<V: Vector> Job for BoxQueries<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        if self.to.levels.is_empty() {
            return;
        }
        match self.old_boxes {
            Some(old_boxes) => self.search::<S, true>(simd, old_boxes),
            None => self.search::<S, false>(simd, &OldBoxes::new()),
        }
    }
}

/// Which boxes have come to which blocks of a level, in order.
#[derive(Default)]
struct List {
    who: Vec<u32>,
    blocks: Vec<u32>,
}

impl List {
    /// Each at the top.
    fn restart(&mut self, count: usize) {
        self.who.clear();
        self.who.extend(0..count as u32);
        self.blocks.clear();
        self.blocks.resize(count, 0);
    }

    /// What comes out a level below.
    #[inline(always)]
    fn descend<V: Vector, S: Simd>(
        &self,
        simd: S,
        level: &[Boxes<V>],
        around: &[Aabb<V>],
        to: &mut Self,
    ) {
        to.who.clear();
        to.blocks.clear();
        let parts = self.who.chunks(LISTED).zip(self.blocks.chunks(LISTED));
        for (who, blocks) in parts {
            to.who.reserve((LISTED + 1) * LANES);
            to.blocks.reserve((LISTED + 1) * LANES);
            ListWriter::extend(
                &mut to.who,
                #[inline(always)]
                |found| {
                    ListWriter::extend(
                        &mut to.blocks,
                        #[inline(always)]
                        |below| {
                            for (&who, &block) in who.iter().zip(blocks) {
                                let around = Row::of(simd, &around[who as usize]);
                                let row = Row::load(simd, &level[block as usize]);
                                let meets = row.meets(&around);
                                compress(simd, &numbered(simd, block), meets, below);
                                found.put([who; LANES], meets.count());
                            }
                        },
                    );
                },
            );
        }
    }
}

impl<V: Vector> BoxQueries<'_, V> {
    /// ```text
    /// for each group of queries:
    ///     go down the tree together, level by level, to the list of (query, block of boxes that it may meet)
    ///     for each of that list:
    ///         ask the sixteen boxes at once, without those that report the pair themselves
    ///         CHANGES: ask the sixteen old boxes about the old box too
    ///             begun: those that are met now and were not; ended: those that were and are not
    ///         else: begun: those that are met
    /// ```
    #[inline(always)]
    fn search<S: Simd, const CHANGES: bool>(self, simd: S, old_boxes: &OldBoxes<V>) {
        let Self {
            queries: all,
            to,
            skip,
            test,
            boxes,
            found,
            ..
        } = self;
        let mut collected = Collected::default();
        let mut collector = PairCollector::new(&mut collected, test, boxes, found);
        let (mut list, mut spare) = (List::default(), List::default());
        let mut around = Vec::with_capacity(GROUP);
        // One length, so that one check is enough for all.
        let len = to.ids.len();
        let (ids, rows, marked) = (&to.ids[..len], &to.levels[0][..len], &to.marks[..len]);
        for group in all.chunks(GROUP) {
            around.clear();
            for query in group {
                around.push(query.now.union(&query.was));
            }
            list.restart(group.len());
            for level in to.above().iter().rev() {
                list.descend(simd, level, &around, &mut spare);
                core::mem::swap(&mut list, &mut spare);
            }
            for (&who, &block) in list.who.iter().zip(&list.blocks) {
                if collector.room() < 2 * LANES {
                    collector.flush();
                }
                let (one, block) = (&group[who as usize], block as usize);
                let row = &rows[block];
                let marks = u32::from(marked[block]);
                let free = !Mask::new(simd, marks & skip.lanes(block, one.slot));
                let meets = Row::load(simd, row).meets(&Row::of(simd, &one.now)) & free;
                let ids = &ids[block].0;
                if CHANGES {
                    let mut old = row;
                    if skip == Skip::Lower {
                        old = select_unpredictable(marks == 0, row, old_boxes.of(block));
                    }
                    let met = Row::load(simd, old).meets(&Row::of(simd, &one.was)) & free;
                    if meets != met {
                        pairs(simd, ids, meets & !met, one.id, &mut collector.begun);
                        pairs(simd, ids, met & !meets, one.id, &mut collector.ended);
                    }
                } else {
                    pairs(simd, ids, meets, one.id, &mut collector.begun);
                }
            }
        }
        collector.finish(Work::default());
    }
}
