//! Searches of whole trees, on several threads with the feature `rayon`: the work is divided by nodes,
//! and what is found is put together in their order.

use alloc::vec::Vec;
use core::ops::Range;

use super::Judge;
use super::asked::{Asked, AskedBoxes, Leave};
use super::blocks::{Blocks, Side};
use super::found::Found;
use super::items::{Items, NOWHERE, flag};
use super::olds::Olds;
use super::row;
use super::tree::Tree;
use crate::parallel::GRAIN;
use crate::simd::LANES;
use crate::{Aabb, InstructionSet, Vector};

/// Nodes that are searched together.
#[cfg(feature = "rayon")]
const TOGETHER: usize = 16;

/// Fewer boxes are asked on one thread: each takes some ten steps of a loop.
const ASKED: usize = GRAIN / 8;
/// Boxes that are asked are handed to threads by multiples of so many.
const PART: usize = 16;

/// Searches some nodes, part by part if that is much.
fn in_parts(
    much: bool,
    nodes: usize,
    found: &mut Found,
    search: impl Fn(Range<usize>, &mut Found) + Sync,
) {
    #[cfg(feature = "rayon")]
    if much && nodes > TOGETHER {
        use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

        let mut parts = core::mem::take(&mut found.parts);
        let many = nodes.div_ceil(TOGETHER);
        if parts.len() < many {
            parts.resize_with(many, Found::new);
        }
        let used = parts[..many].par_iter_mut().enumerate();
        used.for_each(|(part, found)| {
            let first = part * TOGETHER;
            search(first..nodes.min(first + TOGETHER), found);
        });
        for part in &mut parts[..many] {
            found.append(part);
        }
        found.parts = parts;
        return;
    }
    let _ = much;
    search(0..nodes, found);
}

/// The boxes of a tree, before as now.
pub(super) fn side<V: Vector>(tree: &Tree<V>) -> Side<'_, V> {
    let rows = tree.levels.first().map(Vec::as_slice);
    let rows = rows.unwrap_or_default();
    Side {
        ids: &tree.ids,
        now: rows,
        before: rows,
        above: tree.above(),
    }
}

/// What is to be found.
pub(super) struct Search<'a, V: Vector> {
    pub(super) judge: &'a dyn Judge<V>,
    pub(super) instructions: InstructionSet,
    /// Whether only what began and what ended; else all pairs.
    pub(super) changes: bool,
}

/// Not derived, which would ask for vectors' sake.
impl<V: Vector> Clone for Search<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: Vector> Copy for Search<'_, V> {}

impl<V: Vector> Search<'_, V> {
    /// The pairs within a side. `boxes` are those of all ids.
    pub(super) fn within(self, boxes: &[Aabb<V>], side: Side<'_, V>, found: &mut Found) {
        self.of(boxes, side, side, true, found);
    }

    /// The pairs of two sides.
    pub(super) fn between(
        self,
        boxes: &[Aabb<V>],
        a: Side<'_, V>,
        b: Side<'_, V>,
        found: &mut Found,
    ) {
        self.of(boxes, a, b, false, found);
    }

    fn of(
        self,
        boxes: &[Aabb<V>],
        from: Side<'_, V>,
        to: Side<'_, V>,
        same: bool,
        found: &mut Found,
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
                judge: self.judge,
                boxes,
                found,
            });
        });
    }

    /// The pairs of some boxes with those of a tree; where it is told what was, what began and what
    /// ended.
    pub(super) fn asked(
        self,
        boxes: &[Aabb<V>],
        asked: &[Asked<V>],
        to: &Tree<V>,
        olds: Option<&Olds<V>>,
        leave: Leave,
        found: &mut Found,
    ) {
        let parts = asked.len().div_ceil(PART);
        in_parts(asked.len() > ASKED, parts, found, |parts, found| {
            let end = asked.len().min(parts.end * PART);
            self.instructions.run(AskedBoxes {
                asked: &asked[parts.start * PART..end],
                to,
                leave,
                olds,
                judge: self.judge,
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
) -> Vec<Asked<V>> {
    let mut many = 0;
    for &id in pending {
        let place = items.place[id as usize];
        if place != NOWHERE && items.has(id, flag::RESTS) == rests && items.has(id, any) {
            tree.mark(place);
            many += 1;
        }
    }
    let mut asked = Vec::with_capacity(many);
    if many > 0 {
        for (block, &marks) in tree.marks.iter().enumerate() {
            let mut left = marks;
            while left != 0 {
                let lane = left.trailing_zeros() as usize % LANES;
                left &= left - 1;
                let bounds = row::at(&tree.levels[0][block], lane);
                asked.push(Asked {
                    id: tree.ids[block].0[lane],
                    slot: (block * LANES + lane) as u32,
                    now: bounds,
                    was: bounds,
                });
            }
        }
    }
    asked
}

/// Takes the marks back.
pub(super) fn unmark<V: Vector>(tree: &mut Tree<V>, asked: &[Asked<V>]) {
    for asked in asked {
        tree.marks[asked.slot as usize / LANES] = 0;
    }
}
