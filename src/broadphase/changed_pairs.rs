//! Finds the pairs that began or ended in a step with few changes: queries the tree with the old and the new box of each changed body.
//!
//! Many boxes go down the tree together, level by level, in flat lists. Short loops of each box alone would be mispredicted at their ends.

use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::mem::{size_of, swap};

use fearless_simd::Simd;

use super::World;
use super::pairs::{Collected, PairCollector, PairsFound, search_parts};
use super::row::{Row, list_children, make_room};
use super::table::{Bodies, Life};
use super::tree::{Tree, nothing};
use crate::bits::set_bits;
use crate::overlap::columns::Boxes;
use crate::shape::Aabb;
use crate::simd::{LANES, Mask, pairs, run};
use crate::vector::Vector;

/// The number of boxes that go down together.
const GROUP: usize = 64;
/// The number of boxes that one thread tests.
const PART: usize = 16 * GROUP;
/// The low bits of an entry, which are the number of a block; the others are the number of a box in its group.
const BLOCK_BITS: u32 = 26;
const BLOCK: u32 = (1 << BLOCK_BITS) - 1;
/// The most blocks of a tree that can be searched, because an entry has 32 bits.
pub(super) const MOST_BLOCKS: usize = 1 << BLOCK_BITS;

/// The boxes that change in a step, and their blocks as they were before it.
#[derive(Clone)]
pub(super) struct ChangedBoxes<V: Vector> {
    /// For each block, a bit for each lane that changes; all 0 between steps.
    marks: Vec<u16>,
    /// For each block with marks, its index in `old_blocks`.
    at: Vec<u32>,
    /// The blocks with marks, as they were before the step.
    old_blocks: Vec<Boxes<V>>,
    queries: Vec<BoxQuery<V>>,
}

/// A changed box to test against the tree. `was` is [`nothing`] if the body was not in the tree, and `now` if it left its place.
#[derive(Clone, Copy)]
struct BoxQuery<V: Vector> {
    id: u32,
    place: u32,
    now: Aabb<V>,
    was: Aabb<V>,
}

impl<V: Vector> ChangedBoxes<V> {
    pub(super) const fn new() -> Self {
        Self {
            marks: Vec::new(),
            at: Vec::new(),
            old_blocks: Vec::new(),
            queries: Vec::new(),
        }
    }

    /// Begins a step with a tree of `blocks` blocks.
    pub(super) fn start(&mut self, blocks: usize) {
        self.marks.resize(blocks, 0);
        self.at.clear();
        self.at.resize(blocks, 0);
        self.old_blocks.clear();
        self.queries.clear();
    }

    /// Marks a place whose box changes.
    #[inline(always)]
    pub(super) fn mark(&mut self, place: u32) {
        self.marks[place as usize / LANES] |= 1 << (place as usize % LANES);
    }

    /// Writes the boxes at marked places, in the order of the places. Takes out boxes of removed bodies, boxes at rest,
    /// and boxes that left the surroundings of their block; lists the last two as newcomers.
    pub(super) fn write_marked(
        &mut self,
        tree: &mut Tree<V>,
        bodies: &Bodies<V>,
        newcomers: &mut Vec<u32>,
    ) {
        for block in 0..self.marks.len() {
            let marks = self.marks[block];
            if marks == 0 {
                continue;
            }
            self.at[block] = self.old_blocks.len() as u32;
            let old = tree.levels[0][block];
            for lane in set_bits(u32::from(marks)) {
                let lane = lane % LANES;
                let (id, place) = (tree.ids[block].0[lane], (block * LANES + lane) as u32);
                let body = &bodies.table[id as usize];
                let (was, mut now) = (old.get(lane), body.bounds);
                // Write the new box, or take the box out of the tree.
                let is_gone = body.life == Life::Gone;
                if is_gone || tree.rests_at(place) || !tree.shift(place, &was, &now) {
                    tree.take(place);
                    now = nothing();
                    if !is_gone {
                        newcomers.push(id);
                    }
                }
                self.queries.push(BoxQuery {
                    id,
                    place,
                    now,
                    was,
                });
            }
            self.old_blocks.push(old);
        }
    }

    /// Appends a newcomer to the tree.
    pub(super) fn append(&mut self, tree: &mut Tree<V>, id: u32, now: Aabb<V>) {
        let place = tree.append(id, &now);
        let block = place as usize / LANES;
        self.marks.resize(tree.ids.len(), 0);
        self.at.resize(tree.ids.len(), 0);
        // Keep the block as it was before the step, when the lane was empty.
        if self.marks[block] == 0 {
            self.at[block] = self.old_blocks.len() as u32;
            self.old_blocks.push(tree.levels[0][block]);
        }
        self.mark(place);
        self.old_blocks[self.at[block] as usize].clear(place as usize % LANES);
        let was = nothing();
        self.queries.push(BoxQuery {
            id,
            place,
            now,
            was,
        });
    }

    /// Ends a step: clears all marks, and empties the places of boxes that were taken out.
    pub(super) fn finish(&mut self, tree: &mut Tree<V>) {
        for query in &self.queries {
            self.marks[query.place as usize / LANES] = 0;
            if query.now == nothing() {
                tree.forget(query.place);
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.marks.capacity() * size_of::<u16>()
            + self.at.capacity() * size_of::<u32>()
            + self.old_blocks.capacity() * size_of::<Boxes<V>>()
            + self.queries.capacity() * size_of::<BoxQuery<V>>()
    }
}

/// Finds the pairs of changed boxes that began or ended. With `all`, for steps in which old boxes do not tell the old
/// pairs, lists all current pairs of the changed boxes as begun, and none as ended.
pub(super) fn changed_pairs<V: Vector>(
    world: &World<V>,
    all: bool,
    judges: bool,
    found: &mut PairsFound,
) {
    let (set, queries) = (world.instructions(), &world.changing.queries);
    search_parts(queries.len(), PART, found, |part, found| {
        let queries = &queries[part];
        run!(set, |simd| search(simd, world, queries, all, judges, found));
    });
}

/// ```text
/// for each group of changed boxes:
///     go down the tree together, to a list of (box, block that it meets or met)
///     for each entry of the list:
///         test the box against the sixteen boxes of the block, and the old box against the old ones
///         leave out the box itself, and changed boxes before it, which report the pair themselves
///         begun: overlaps now and did not before (with `all`: overlaps now)
///         ended: overlapped before and does not now
/// ```
#[inline(always)]
fn search<V: Vector, S: Simd>(
    simd: S,
    world: &World<V>,
    queries: &[BoxQuery<V>],
    all: bool,
    judges: bool,
    found: &mut PairsFound,
) {
    let (tree, changed) = (&world.tree, &world.changing);
    let mut collected = Collected::default();
    let mut collector = PairCollector::new(&mut collected, judges.then_some(world), found);
    let (mut entries, mut spare) = (Vec::new(), Vec::new());
    let mut around = Vec::with_capacity(GROUP);
    // Give all slices one length, so that one bounds check is enough for all.
    let len = tree.ids.len();
    let (ids, rows) = (&tree.ids[..len], &tree.levels[0][..len]);
    let (marks, at, olds) = (
        &changed.marks[..len],
        &changed.at[..len],
        &changed.old_blocks,
    );
    for group in queries.chunks(GROUP) {
        // Go down the tree.
        around.clear();
        around.extend(group.iter().map(|query| {
            if all {
                query.now
            } else {
                query.now.union(&query.was)
            }
        }));
        entries.clear();
        entries.extend((0..group.len() as u32).map(|query| query << BLOCK_BITS));
        for level in tree.levels[1..].iter().rev() {
            swap(&mut entries, &mut spare);
            make_room(&mut entries, spare.len());
            list_children(
                simd,
                &spare,
                &mut entries,
                #[inline(always)]
                |entry| {
                    let (query, block) = (entry >> BLOCK_BITS, entry & BLOCK);
                    let row = Row::load(simd, &level[block as usize]);
                    let meets = row.meets(&Row::of(simd, &around[query as usize]));
                    (meets, entry + block * (LANES as u32 - 1))
                },
            );
        }
        for &entry in &entries {
            if collector.room() < 2 * LANES {
                collector.flush();
            }
            // Test the box against the block, as both are now and as both were.
            let query = &group[(entry >> BLOCK_BITS) as usize];
            let block = (entry & BLOCK) as usize;
            let (row, marks) = (&rows[block], u32::from(marks[block]));
            let before = (query.place as usize + 1).saturating_sub(block * LANES);
            let reported = marks & ((1 << before.min(LANES)) - 1);
            let free = !Mask::new(simd, reported);
            let meets = Row::load(simd, row).meets(&Row::of(simd, &query.now)) & free;
            if all {
                pairs(simd, &ids[block].0, meets, query.id, &mut collector.begun);
                continue;
            }
            let old = select_unpredictable(marks == 0, row, &olds[at[block] as usize]);
            let met = Row::load(simd, old).meets(&Row::of(simd, &query.was)) & free;
            if meets != met {
                let ids = &ids[block].0;
                pairs(simd, ids, meets & !met, query.id, &mut collector.begun);
                pairs(simd, ids, met & !meets, query.id, &mut collector.ended);
            }
        }
    }
    collector.finish(0);
}
