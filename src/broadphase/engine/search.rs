//! Searches of whole trees, on several threads with the feature `rayon`: the work is divided by nodes,
//! and what is found is put together in their order.

use core::ops::Range;

use super::Judge;
use super::blocks::{Blocks, Found, Side};
use super::items::{Items, NOWHERE, flag};
use super::marked::{Leave, MarkedBoxes};
use super::moved::{MovedBoxes, Olds};
use super::tree::Tree;
use crate::parallel::GRAIN;
use crate::simd::LANES;
use crate::{Aabb, InstructionSet, Vector};

/// Nodes that are searched together.
#[cfg(feature = "rayon")]
const TOGETHER: usize = 16;

/// Fewer marked boxes are searched on one thread: each takes some ten steps of a loop.
const MARKED: usize = GRAIN / 8;

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
    let rows = tree.levels.first().map(alloc::vec::Vec::as_slice);
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

    /// The pairs of the marked boxes of a tree, about so many, with those of another, or of the same.
    pub(super) fn marked(
        self,
        boxes: &[Aabb<V>],
        from: &Tree<V>,
        to: &Tree<V>,
        leave: Leave,
        many: usize,
        found: &mut Found,
    ) {
        in_parts(many > MARKED, from.nodes(), found, |nodes, found| {
            self.instructions.run(MarkedBoxes {
                from,
                to,
                leave,
                nodes,
                judge: self.judge,
                boxes,
                found,
            });
        });
    }

    /// What began and ended with the marked boxes of a tree, about so many, with those of another, or
    /// of the same.
    #[allow(
        clippy::too_many_arguments,
        reason = "all differ, and each is named once"
    )]
    pub(super) fn moved(
        self,
        boxes: &[Aabb<V>],
        from: &Tree<V>,
        to: &Tree<V>,
        olds: &Olds<V>,
        leave: Leave,
        many: usize,
        found: &mut Found,
    ) {
        in_parts(many > MARKED, from.nodes(), found, |nodes, found| {
            self.instructions.run(MovedBoxes {
                from,
                to,
                olds,
                leave,
                nodes,
                judge: self.judge,
                boxes,
                found,
            });
        });
    }
}

/// Marks the slots in a tree of those that have a flag; returns whether there are any.
pub(super) fn mark<V: Vector>(
    tree: &mut Tree<V>,
    pending: &[u32],
    items: &Items<V>,
    rests: bool,
    any: u8,
) -> bool {
    let mut marked = false;
    for &id in pending {
        let place = items.place[id as usize];
        if place != NOWHERE && items.has(id, flag::RESTS) == rests && items.has(id, any) {
            tree.mark(place);
            marked = true;
        }
    }
    marked
}

/// Takes the marks back.
pub(super) fn unmark<V: Vector>(
    tree: &mut Tree<V>,
    pending: &[u32],
    items: &Items<V>,
    rests: bool,
) {
    for &id in pending {
        let place = items.place[id as usize];
        if place != NOWHERE && items.has(id, flag::RESTS) == rests {
            tree.marks[place as usize / LANES] = 0;
        }
    }
}
