//! The bounds above blocks.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::super::items::OldBoxes;
use super::super::row;
use super::super::row::Row;
use super::super::search::BoxQuery;
use super::{Nodes, Tree};

use crate::bits::set_bits;
use crate::overlap::Overlaps;
use crate::overlap::columns::Boxes;
use crate::parallel::join;
use crate::shape::Aabb;
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::{Scalar, Vector};

impl<V: Vector> Tree<V> {
    /// Bounds the stale blocks, and all levels above them.
    pub(in super::super) fn refit_levels(&mut self, set: InstructionSet) {
        if !self.levels.is_empty() {
            run!(set, |simd| refit_nodes(simd, self, None));
        }
    }
}

/// Of so many nodes with stale blocks, the blocks of one are bounded again in each step.
const TURNS: usize = 8;

/// Bounds all levels above the blocks, so that they hold the old boxes of marked slots too. The blocks are wide enough
/// already; of those that may be too wide some are bounded again.
pub(in super::super) fn refit_with_old<V: Vector>(
    tree: &mut Tree<V>,
    old_boxes: &OldBoxes<V>,
    set: InstructionSet,
) {
    if !tree.levels.is_empty() {
        tree.turn = tree.turn.wrapping_add(1);
        let old_boxes = Some(old_boxes);
        run!(set, |simd| refit_nodes(simd, tree, old_boxes));
    }
}

/// ```text
/// for each node with a stale block:
///     bound its stale blocks again, unless that can wait
///     bound the node
/// bound the levels above
/// ```
#[inline(always)]
fn refit_nodes<V: Vector, S: Simd>(simd: S, tree: &mut Tree<V>, old_boxes: Option<&OldBoxes<V>>) {
    let (rows, above) = tree.levels.split_at_mut(1);
    let turn = tree.turn % TURNS;
    let mut any = false;
    let nodes = tree.stale.as_chunks_mut::<LANES>().0;
    for (node, stale) in nodes.iter_mut().enumerate() {
        if *stale == [false; LANES] {
            continue;
        }
        any = true;
        let waits = old_boxes.is_some() && !(node + turn).is_multiple_of(TURNS);
        for (lane, stale) in stale.iter_mut().enumerate() {
            if waits || !*stale {
                continue;
            }
            let block = node * LANES + lane;
            let mut row = Row::load(simd, &rows[0][block]);
            match old_boxes {
                Some(old_boxes) if tree.marks[block] != 0 => {
                    row = row.with(&Row::load(simd, old_boxes.of(block)));
                }
                _ => *stale = false,
            }
            row.bound(&mut above[0][node], lane);
        }
        if let [nodes, parents, ..] = &mut *above {
            let row = Row::load(simd, &nodes[node]);
            row.bound(&mut parents[node / LANES], node % LANES);
        }
    }
    if any && above.len() > 1 {
        upper(simd, &mut above[1..]);
    }
}

/// Bounds all levels but the first by the one below.
pub(in super::super) fn bound_levels<V: Vector>(above: &mut [Vec<Boxes<V>>], set: InstructionSet) {
    run!(set, |simd| upper(simd, above));
}

/// ```text
/// for each level, from the lowest on, for each of its blocks: bound the block in the level above
/// ```
#[inline(always)]
fn upper<V: Vector, S: Simd>(simd: S, above: &mut [Vec<Boxes<V>>]) {
    for level in 1..above.len() {
        let (below, rest) = above.split_at_mut(level);
        for (block, boxes) in below[level - 1].iter().enumerate() {
            let to = &mut rest[0][block / LANES];
            Row::load(simd, boxes).bound(to, block % LANES);
        }
    }
}

/// Makes bounds of old places, level by level, such of old and new ones.
pub(in super::super) fn unite<V: Vector>(
    tree: &Tree<V>,
    both: &mut [Vec<Boxes<V>>],
    set: InstructionSet,
) {
    run!(set, |simd| widen(simd, tree.above(), both));
}

/// ```text
/// for each block of bounds on each level: widen those of old places by those of new ones
/// ```
#[inline(always)]
fn widen<V: Vector, S: Simd>(simd: S, now: &[Vec<Boxes<V>>], both: &mut [Vec<Boxes<V>>]) {
    for (now, both) in now.iter().zip(both) {
        for (now, both) in now.iter().zip(both) {
            let all = Row::load(simd, now).with(&Row::load(simd, both));
            all.store(both);
        }
    }
}

// Boxes that moved written into their slots, where few did.

/// Writes a box that moved over one of sixteen and widens their bounds, one of sixteen too. Returns how
/// far it is out of the order by that, as so many boxes; or nothing, and does nothing, if it has left
/// the surroundings of its block.
#[inline(always)]
pub(in super::super) fn shift<V: Vector>(
    boxes: &mut Boxes<V>,
    lane: usize,
    bounds: &mut Boxes<V>,
    block: usize,
    now: &Aabb<V>,
) -> Option<f64> {
    let near = row::surroundings(bounds, block);
    if !near.overlaps(now) {
        return None;
    }
    let old = boxes.get(lane);
    let (mut way, mut side) = (0.0, 0.0);
    for axis in 0..V::DIM {
        let moved: f64 = Scalar::abs(now.min().axis(axis) - old.min().axis(axis)).into();
        let extent: f64 = (near.max().axis(axis) - near.min().axis(axis)).into();
        way = if moved > way { moved } else { way };
        side = if extent > side { extent } else { side };
    }
    boxes.set(lane, now);
    bounds.widen(block, now);
    // Three sides of the block make its surroundings: an order is old when boxes have moved by a
    // quarter of a side.
    Some(if way < side { 12.0 * way / side } else { 0.0 })
}

impl<V: Vector> Tree<V> {
    /// Writes marked boxes into their slots, notes where they were and lists them in the order of slots.
    /// Those that have left their blocks' surroundings stay, and come to another list without marks.
    pub(in super::super) fn shift_marked(
        &mut self,
        boxes: &[Aabb<V>],
        old_boxes: &mut OldBoxes<V>,
        queries: &mut Vec<BoxQuery<V>>,
        unplaced: &mut Vec<u32>,
    ) {
        if self.levels.is_empty() {
            return;
        }
        let (rows, above) = self.levels.split_at_mut(1);
        let all = Shift {
            first: 0,
            boxes,
            nodes: Nodes {
                ids: &mut self.ids,
                rows: &mut rows[0],
                tops: &mut above[0],
            },
            old_boxes: old_boxes.number(&self.marks),
            marks: &mut self.marks,
            stale: &mut self.stale,
        };
        self.disorder += all.in_parts(queries, unplaced);
    }
}

/// ```text
/// for each block with marks:
///     note its boxes as they are, for `old_boxes`
///     for each marked box:
///         write where it is now and widen the bounds of the block, and list it as a query
///         or, if it has left the surroundings of the block: take its mark back, and list it as unplaced
/// ```
struct Shift<'a, V: Vector> {
    /// The number of the first block.
    first: usize,
    /// Of all ids.
    boxes: &'a [Aabb<V>],
    nodes: Nodes<'a, V>,
    /// Of the blocks in which boxes are marked.
    old_boxes: &'a mut [Boxes<V>],
    marks: &'a mut [u16],
    stale: &'a mut [bool],
}

impl<V: Vector> Shift<'_, V> {
    /// Halves the work as long as it is large. Returns how many boxes are out of the order by it.
    fn in_parts(self, queries: &mut Vec<BoxQuery<V>>, unplaced: &mut Vec<u32>) -> f64 {
        let Some(middle) = self.nodes.middle() else {
            return self.run(queries, unplaced);
        };
        let blocks = middle * LANES;
        let [nodes, other_nodes] = self.nodes.split(middle);
        let (marks, other_marks) = self.marks.split_at_mut(blocks);
        let (stale, other_stale) = self.stale.split_at_mut(blocks);
        let count = marks.iter().filter(|marks| **marks != 0).count();
        let (old_boxes, other_old_boxes) = self.old_boxes.split_at_mut(count);
        let (first, boxes) = (self.first, self.boxes);
        let one = Shift {
            first,
            boxes,
            nodes,
            old_boxes,
            marks,
            stale,
        };
        let other = Shift {
            first: first + blocks,
            boxes,
            nodes: other_nodes,
            old_boxes: other_old_boxes,
            marks: other_marks,
            stale: other_stale,
        };
        let (mut queries_behind, mut unplaced_behind) = (Vec::new(), Vec::new());
        let (before, behind) = join(
            || one.in_parts(queries, unplaced),
            || other.in_parts(&mut queries_behind, &mut unplaced_behind),
        );
        queries.append(&mut queries_behind);
        unplaced.append(&mut unplaced_behind);
        before + behind
    }

    fn run(self, queries: &mut Vec<BoxQuery<V>>, unplaced: &mut Vec<u32>) -> f64 {
        let mut disorder = 0.0;
        let Nodes { ids, rows, tops } = self.nodes;
        let mut old_boxes = self.old_boxes.iter_mut();
        for (at, marks) in self.marks.iter_mut().enumerate() {
            if *marks == 0 {
                continue;
            }
            let (row, bounds) = (&mut rows[at], &mut tops[at / LANES]);
            let mut old = *row;
            for lane in set_bits(*marks) {
                let lane = lane % LANES;
                let id = ids[at].0[lane];
                let slot = ((self.first + at) * LANES + lane) as u32;
                let (now, was) = (self.boxes[id as usize], row.get(lane));
                if let Some(far) = shift(row, lane, bounds, at % LANES, &now) {
                    disorder += far;
                    self.stale[at] = true;
                    queries.push(BoxQuery { id, slot, now, was });
                } else {
                    *marks &= !(1 << lane);
                    old.clear(lane);
                    unplaced.push(id);
                }
            }
            if let Some(to) = old_boxes.next() {
                *to = old;
            }
        }
        disorder
    }
}
