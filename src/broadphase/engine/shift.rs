//! Boxes that moved written into their slots, where few did.

use alloc::vec::Vec;

use super::asked::Asked;
use super::olds::Olds;
use super::row;
use super::tree::{NODE, Tree};
use crate::overlap::lanes::Boxes;
use crate::parallel::{GRAIN, join};
use crate::simd::{Column, LANES};
use crate::{Aabb, Overlaps, Scalar, Vector};

/// Writes a box that moved over one of sixteen and widens their bounds, one of sixteen too. Returns how
/// far it is out of the order by that, as so many boxes; or nothing, and does nothing, if it has left
/// the surroundings of its block.
#[inline(always)]
pub(super) fn shift<V: Vector>(
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
    let old = row::at(boxes, lane);
    let (mut way, mut side) = (0.0, 0.0);
    for axis in 0..V::DIM {
        let moved: f64 = Scalar::abs(now.min().axis(axis) - old.min().axis(axis)).into();
        let extent: f64 = (near.max().axis(axis) - near.min().axis(axis)).into();
        way = if moved > way { moved } else { way };
        side = if extent > side { extent } else { side };
    }
    row::put(boxes, lane, now);
    row::widen(bounds, block, now);
    // Three sides of the block make its surroundings: an order is old when boxes have moved by a
    // quarter of a side.
    Some(if way < side { 12.0 * way / side } else { 0.0 })
}

impl<V: Vector> Tree<V> {
    /// Writes marked boxes into their slots, notes where they were and lists them in the order of slots.
    /// Those that have left their blocks' surroundings stay, and come to another list without marks.
    pub(super) fn shift_marked(
        &mut self,
        boxes: &[Aabb<V>],
        olds: &mut Olds<V>,
        asked: &mut Vec<Asked<V>>,
        lost: &mut Vec<u32>,
    ) {
        if self.levels.is_empty() {
            return;
        }
        let (rows, above) = self.levels.split_at_mut(1);
        let all = Shift {
            first: 0,
            boxes,
            ids: &self.ids,
            olds: olds.number(&self.marks),
            marks: &mut self.marks,
            stale: &mut self.stale,
            rows: &mut rows[0],
            tops: &mut above[0],
        };
        self.disorder += all.in_parts(asked, lost);
    }
}

struct Shift<'a, V: Vector> {
    /// Of the blocks.
    first: usize,
    boxes: &'a [Aabb<V>],
    ids: &'a [Column<u32>],
    /// Of the blocks in which boxes are marked.
    olds: &'a mut [Boxes<V>],
    marks: &'a mut [u16],
    stale: &'a mut [bool],
    rows: &'a mut [Boxes<V>],
    tops: &'a mut [Boxes<V>],
}

impl<V: Vector> Shift<'_, V> {
    /// Halves the work as long as it is large. Returns how many boxes are out of the order by it.
    fn in_parts(self, asked: &mut Vec<Asked<V>>, lost: &mut Vec<u32>) -> f64 {
        let middle = self.tops.len() / 2;
        if middle * NODE < GRAIN {
            return self.run(asked, lost);
        }
        let blocks = middle * LANES;
        let (ids, other_ids) = self.ids.split_at(blocks);
        let (marks, other_marks) = self.marks.split_at_mut(blocks);
        let (stale, other_stale) = self.stale.split_at_mut(blocks);
        let (rows, other_rows) = self.rows.split_at_mut(blocks);
        let (tops, other_tops) = self.tops.split_at_mut(middle);
        let many = marks.iter().filter(|marks| **marks != 0).count();
        let (olds, other_olds) = self.olds.split_at_mut(many);
        let (first, boxes) = (self.first, self.boxes);
        let one = Shift {
            first,
            boxes,
            ids,
            olds,
            marks,
            stale,
            rows,
            tops,
        };
        let other = Shift {
            first: first + blocks,
            boxes,
            ids: other_ids,
            olds: other_olds,
            marks: other_marks,
            stale: other_stale,
            rows: other_rows,
            tops: other_tops,
        };
        let (mut asked_behind, mut lost_behind) = (Vec::new(), Vec::new());
        let (before, behind) = join(
            || one.in_parts(asked, lost),
            || other.in_parts(&mut asked_behind, &mut lost_behind),
        );
        asked.append(&mut asked_behind);
        lost.append(&mut lost_behind);
        before + behind
    }

    fn run(self, asked: &mut Vec<Asked<V>>, lost: &mut Vec<u32>) -> f64 {
        let mut disorder = 0.0;
        let mut olds = self.olds.iter_mut();
        for (at, marks) in self.marks.iter_mut().enumerate() {
            if *marks == 0 {
                continue;
            }
            let (row, bounds) = (&mut self.rows[at], &mut self.tops[at / LANES]);
            let mut old = *row;
            let mut left = *marks;
            while left != 0 {
                let lane = left.trailing_zeros() as usize % LANES;
                left &= left - 1;
                let id = self.ids[at].0[lane];
                let slot = ((self.first + at) * LANES + lane) as u32;
                let (now, was) = (self.boxes[id as usize], row::at(row, lane));
                if let Some(far) = shift(row, lane, bounds, at % LANES, &now) {
                    disorder += far;
                    self.stale[at] = true;
                    asked.push(Asked { id, slot, now, was });
                } else {
                    *marks &= !(1 << lane);
                    row::clear(&mut old, lane);
                    lost.push(id);
                }
            }
            if let Some(to) = olds.next() {
                *to = old;
            }
        }
        disorder
    }
}
