//! Searches of whole trees, on several threads with the feature `rayon`: the work is divided by nodes,
//! and what is found is put together in their order.

mod box_queries;
mod tree_pairs;

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use box_queries::BoxQueries;
pub(super) use box_queries::{BoxQuery, Skip};
use tree_pairs::Blocks;
pub(super) use tree_pairs::TreeBoxes;

use super::PairTest;
use super::items::OldBoxes;
use super::items::{Items, NO_SLOT, flag};
use super::row::Row;
use super::tree::Tree;

use crate::bits::set_bits;
use crate::overlap::columns::Boxes;
use crate::parallel::GRAIN;
#[cfg(feature = "rayon")]
use crate::parallel::for_each;
use crate::shape::Aabb;
use crate::simd::{ArrayVec, InstructionSet, LANES, ListWriter, Mask, compress};
use crate::vector::Vector;

/// Nodes that are searched together.
#[cfg(feature = "rayon")]
const GROUP: usize = 16;

/// Fewer boxes are asked on one thread: each takes some ten steps of a loop.
const FEW_QUERIES: usize = GRAIN / 8;
/// Boxes that are asked are handed to threads by multiples of so many.
const PART: usize = 16;

/// Searches some nodes, part by part if that is much.
fn in_parts(
    is_large: bool,
    nodes: usize,
    found: &mut PairsFound,
    search: impl Fn(Range<usize>, &mut PairsFound) + Sync,
) {
    #[cfg(feature = "rayon")]
    if is_large && nodes > GROUP {
        let mut parts = core::mem::take(&mut found.parts);
        let count = nodes.div_ceil(GROUP);
        if parts.len() < count {
            parts.resize_with(count, PairsFound::new);
        }
        for_each(true, &mut parts[..count], |part, found| {
            let first = part * GROUP;
            search(first..nodes.min(first + GROUP), found);
        });
        for part in &mut parts[..count] {
            found.append(part);
        }
        found.parts = parts;
        return;
    }
    let _ = is_large;
    search(0..nodes, found);
}

/// The boxes of a tree, before as now.
pub(super) fn tree_boxes<V: Vector>(tree: &Tree<V>) -> TreeBoxes<'_, V> {
    let rows = tree.levels.first().map(Vec::as_slice);
    let rows = rows.unwrap_or_default();
    TreeBoxes {
        ids: &tree.ids,
        now: rows,
        before: rows,
        above: tree.above(),
    }
}

/// What is to be found.
pub(super) struct PairSearch<'a, V: Vector> {
    pub(super) test: &'a dyn PairTest<V>,
    pub(super) instructions: InstructionSet,
    /// Whether only what began and what ended; else all pairs.
    pub(super) changes: bool,
}

/// Not derived, which would ask for vectors' sake.
impl<V: Vector> Clone for PairSearch<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for PairSearch<'_, V> {}

impl<V: Vector> PairSearch<'_, V> {
    /// The pairs within a side. `boxes` are those of all ids.
    pub(super) fn within(self, boxes: &[Aabb<V>], side: TreeBoxes<'_, V>, found: &mut PairsFound) {
        self.of(boxes, side, side, true, found);
    }

    /// The pairs of two sides.
    pub(super) fn between(
        self,
        boxes: &[Aabb<V>],
        a: TreeBoxes<'_, V>,
        b: TreeBoxes<'_, V>,
        found: &mut PairsFound,
    ) {
        self.of(boxes, a, b, false, found);
    }

    fn of(
        self,
        boxes: &[Aabb<V>],
        from: TreeBoxes<'_, V>,
        to: TreeBoxes<'_, V>,
        same: bool,
        found: &mut PairsFound,
    ) {
        let (Some(nodes), false) = (from.above.first(), to.above.is_empty()) else {
            return;
        };
        in_parts(true, nodes.len(), found, |nodes, found| {
            self.instructions.run(Blocks {
                from,
                to,
                same,
                changes: self.changes,
                nodes,
                test: self.test,
                boxes,
                found,
            });
        });
    }

    /// The pairs of some boxes with those of a tree; where it is told what was, what began and what
    /// ended.
    pub(super) fn queries(
        self,
        boxes: &[Aabb<V>],
        queries: &[BoxQuery<V>],
        to: &Tree<V>,
        old_boxes: Option<&OldBoxes<V>>,
        skip: Skip,
        found: &mut PairsFound,
    ) {
        let parts = queries.len().div_ceil(PART);
        in_parts(queries.len() > FEW_QUERIES, parts, found, |parts, found| {
            let end = queries.len().min(parts.end * PART);
            self.instructions.run(BoxQueries {
                queries: &queries[parts.start * PART..end],
                to,
                skip,
                old_boxes,
                test: self.test,
                boxes,
                found,
            });
        });
    }
}

/// Marks the slots in a tree of those that have a flag, and lists them in their order.
pub(super) fn mark<V: Vector>(
    tree: &mut Tree<V>,
    pending: &[u32],
    items: &Items<V>,
    rests: bool,
    any: u8,
) -> Vec<BoxQuery<V>> {
    let mut count = 0;
    for &id in pending {
        let slot = items.slots[id as usize];
        if slot != NO_SLOT && items.has(id, flag::RESTS) == rests && items.has(id, any) {
            tree.mark(slot);
            count += 1;
        }
    }
    let mut queries = Vec::with_capacity(count);
    if count > 0 {
        for (block, &marks) in tree.marks.iter().enumerate() {
            for lane in set_bits(marks) {
                let bounds = tree.levels[0][block].get(lane);
                queries.push(BoxQuery {
                    id: tree.ids[block].0[lane],
                    slot: (block * LANES + lane) as u32,
                    now: bounds,
                    was: bounds,
                });
            }
        }
    }
    queries
}

/// Takes the marks back.
pub(super) fn unmark<V: Vector>(tree: &mut Tree<V>, queries: &[BoxQuery<V>]) {
    for queries in queries {
        tree.marks[queries.slot as usize / LANES] = 0;
    }
}

// What a search finds.

/// So many ids are collected before they are copied to the lists.
const CAPACITY: usize = 2048;

/// Room for what is found.
pub(super) type Collected = [ArrayVec<CAPACITY>; 2];

/// What was found: pairs one after the other, the lesser id of each first.
#[derive(Clone, Default)]
pub(super) struct PairsFound {
    pub(super) begun: Vec<u32>,
    pub(super) ended: Vec<u32>,
    pub(super) work: Work,
    /// Memory for the parts of a search, empty in between.
    pub(super) parts: Vec<Self>,
}

impl PairsFound {
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

/// What is being found, collected before it is judged.
pub(super) struct PairCollector<'a, V: Vector> {
    pub(super) begun: ListWriter<'a>,
    pub(super) ended: ListWriter<'a>,
    test: &'a dyn PairTest<V>,
    boxes: &'a [Aabb<V>],
    found: &'a mut PairsFound,
}

impl<'a, V: Vector> PairCollector<'a, V> {
    #[inline(always)]
    pub(super) fn new(
        [begun, ended]: &'a mut Collected,
        test: &'a dyn PairTest<V>,
        boxes: &'a [Aabb<V>],
        found: &'a mut PairsFound,
    ) -> Self {
        Self {
            begun: begun.writer(),
            ended: ended.writer(),
            test,
            boxes,
            found,
        }
    }

    /// How many more numbers each list can hold.
    #[inline(always)]
    pub(super) fn room(&self) -> usize {
        self.begun.room().min(self.ended.room())
    }

    /// Hands on what is collected, without the pairs that are none. Not called from the innermost
    /// loops: around a call, the registers that hold boxes would be saved.
    #[inline(never)]
    pub(super) fn flush(&mut self) {
        let found = &mut *self.found;
        let collected = [&mut self.begun, &mut self.ended];
        for (list, to) in collected
            .into_iter()
            .zip([&mut found.begun, &mut found.ended])
        {
            if self.test.accepts_all() {
                to.extend_from_slice(list.as_slice());
            } else {
                self.test
                    .select(self.boxes, list.as_slice().as_chunks().0, to);
            }
            list.clear();
        }
    }

    /// Hands on what is left.
    #[inline(always)]
    pub(super) fn finish(mut self, work: Work) {
        self.flush();
        self.found.work += work;
    }
}

/// What a search took: about so many tests of sixteen boxes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    pub(super) nodes: usize,
    pub(super) blocks: usize,
    pub(super) tests: usize,
}

impl Work {
    pub(super) fn cost(self) -> usize {
        self.tests + self.blocks + self.blocks / 5 + self.nodes
    }
}

impl core::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.blocks += other.blocks;
        self.tests += other.tests;
    }
}

// Which nodes meet a box.

/// The numbers of sixteen that lie together.
#[inline(always)]
pub(super) fn numbered<S: Simd>(simd: S, block: u32) -> [u32; LANES] {
    from(simd, block * LANES as u32)
}

/// Sixteen numbers from a multiple of sixteen on.
#[inline(always)]
pub(super) fn from<S: Simd>(simd: S, first: u32) -> [u32; LANES] {
    const LANE: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    (u32x16::simd_from(simd, LANE) | u32x16::splat(simd, first)).into()
}

/// Finds the nodes, from number `least` on, that meet a box, in order: indices into `above[0]`.
/// Returns how many blocks were asked. `spare` is memory.
#[inline(always)]
pub(super) fn meeting<V: Vector, S: Simd>(
    simd: S,
    above: &[Vec<Boxes<V>>],
    least: usize,
    around: &Row<V, S>,
    found: &mut Vec<u32>,
    spare: &mut Vec<u32>,
) -> usize {
    let mut work = 0;
    found.clear();
    found.push(0);
    for level in (1..above.len()).rev() {
        let least = (least >> (4 * (level - 1))) as u32;
        core::mem::swap(found, spare);
        work += spare.len();
        below(simd, &above[level], least, around, spare, found);
    }
    work
}

/// Finds what meets a box, from number `least` on, of all that is below some blocks of one level.
#[inline(always)]
pub(super) fn below<V: Vector, S: Simd>(
    simd: S,
    level: &[Boxes<V>],
    least: u32,
    around: &Row<V, S>,
    blocks: &[u32],
    found: &mut Vec<u32>,
) {
    found.clear();
    found.reserve(blocks.len() * LANES + LANES);
    ListWriter::extend(
        found,
        #[inline(always)]
        |to| {
            for &block in blocks {
                let mut mask = Row::load(simd, &level[block as usize]).meets(around);
                let first = block * LANES as u32;
                if first < least {
                    mask = mask & Mask::new(simd, !0 << (least - first).min(31));
                }
                compress(simd, &numbered(simd, block), mask, to);
            }
        },
    );
}
