//! The ends of lines: of a plane of lines, found once and used by two slabs; and of several small planes
//! at once, one after the other.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::RoundSlabs;
use super::rows::Edges;
use super::shape::RowTest;
use super::solver::{LineSolver, Lines, Marks};
use crate::simd::{LANES, run};
use crate::vector::Scalar;
use crate::voxel::slab::{Columns, MOST_ROWS, STRIPS, Slab, Strip, sixteen};

/// So many rows are measured at once, else those of a strip.
const AT_ONCE: usize = 32 * MOST_ROWS;

/// The ends of lines.
#[derive(Clone, Debug, Default)]
pub(super) struct LineEnds {
    /// Whether they are those of the hole, and where the lines are on the axes from 2 on.
    pub(super) of: Option<(bool, i32, i32)>,
    pub(super) rows: Range<i32>,
    pub(super) ends: Columns,
}

impl LineEnds {
    /// The columns from a row on.
    #[inline(always)]
    pub(super) fn from(&self, row: i32) -> [&[i32]; 4] {
        self.ends.from((row - self.rows.start) as usize)
    }
}

impl<S: Scalar> RoundSlabs<S> {
    /// Has the offsets of some rows, and one more on either side.
    pub(super) fn measure(&mut self, rows: &Range<i32>) {
        let (start, end) = (rows.start - 1, rows.end + 1);
        if self.measured.start <= start && end <= self.measured.end {
            return;
        }
        let all = self.block_range(1);
        let (start, end) = if all.len() <= AT_ONCE {
            (all.start - 1, all.end + 1)
        } else {
            (start, end)
        };
        self.measured = start..end;
        let (planes, middles) = match self.round.test {
            RowTest::Closed | RowTest::HalfOpen => (true, false),
            RowTest::Middle | RowTest::Band | RowTest::Layer => (false, true),
            RowTest::Thin => (true, true),
        };
        for (which, marks) in [(planes, Marks::Planes), (middles, Marks::Middles)] {
            if which {
                let mut offsets = core::mem::take(&mut self.offsets[marks as usize]);
                // Some more, which nobody asks for.
                let count = (start..end).len() + LANES - 1;
                offsets.resize(count, Scalar::ZERO);
                self.offsets_from(1, start, marks, &mut offsets);
                self.offsets[marks as usize] = offsets;
            }
        }
    }

    /// Lines along axis 0 next to each other, by their rows.
    pub(super) fn lines(&self, rows: &Range<i32>, marks: Marks, rest: [S; 2]) -> Lines<'_, S> {
        let first = (rows.start - self.measured.start) as usize;
        Lines {
            count: rows.len(),
            offsets: &self.offsets[marks as usize][first..],
            heights: None,
            rest,
        }
    }

    /// Which of the two planes of lines holds the ends at the nearer planes of axes from 2 on, or at
    /// the ones beyond them.
    pub(super) fn line_ends(&mut self, of_hole: bool, z: i32, w: i32, rows: Range<i32>) -> usize {
        let shared = self.round.hole.is_none_or(|hole| hole == self.round.limit);
        let slot = if shared {
            (z & 1) as usize
        } else {
            usize::from(of_hole)
        };
        let of = Some((of_hole && !shared, z, w));
        let known = &self.found[slot];
        if known.of == of && known.rows.start <= rows.start && rows.end <= known.rows.end {
            return slot;
        }
        // Below the center it serves the next slab too, which is larger.
        let mut wide = rows;
        let axis_center = &self.axes[2];
        if shared && self.round.dim == 3 && i64::from(z) + 1 < axis_center.upper {
            let next = self.reach_of(z + 1, w);
            let (start, end) = (next.start - 1, next.end + 1);
            let all = self.block_range(1);
            if !next.is_empty() && next.len() <= MOST_ROWS {
                wide.start = wide.start.min(start).max(all.start - 1);
                wide.end = wide.end.max(end).min(all.end + 1);
            }
        }
        self.measure(&(wide.start + 1..wide.end - 1));
        let rest = [self.height(2, z), self.offset(3, w, Marks::Planes)];
        let mut ends = core::mem::take(&mut self.found[slot].ends);
        self.solver(Marks::Planes, of_hole).ends(
            self.instructions,
            self.lines(&wide, Marks::Planes, rest),
            &mut ends,
        );
        self.found[slot] = LineEnds {
            of,
            rows: wide,
            ends,
        };
        slot
    }

    /// The rows of a slab that may have cells; all of them on a plane.
    pub(super) fn reach_of(&mut self, z: i32, w: i32) -> Range<i32> {
        let all = self.block_range(1);
        if self.round.dim < 3 {
            return all;
        }
        let marks = self.marks();
        if self.reach.of != Some((false, 0, w)) || !self.reach.rows.contains(&z) {
            // Many slabs at once.
            let rows = z..z
                .saturating_add(256)
                .min(self.block.range(2).end + 1)
                .max(z + 1);
            // Long before they are read, which would wait for them.
            if all.len() <= AT_ONCE {
                self.measure(&all);
            }
            let mut heights = core::mem::take(&mut self.heights);
            // One before, and some more after, of which only the first is asked for.
            heights.resize(rows.len() + LANES, Scalar::ZERO);
            self.offsets_from(2, rows.start - 1, marks, &mut heights);
            let (round, limit) = (self.round, self.round.limit);
            let solver = LineSolver::new(round, self.lattice, 1, marks, limit, self.axes[1].cell);
            let lines = Lines {
                count: rows.len(),
                offsets: &heights[1..],
                heights: None,
                rest: [self.offset(3, w, marks), Scalar::ZERO],
            };
            solver.ends(self.instructions, lines, &mut self.reach.ends);
            self.heights = heights;
            self.reach.of = Some((false, 0, w));
            self.reach.rows = rows;
        }
        let [left, .., right] = self.reach.from(z).map(|column| column[0]);
        let found = match marks {
            Marks::Planes => {
                let sum = self.height_of(z) + self.offset(3, w, marks);
                if sum > self.round.limit {
                    return 0..0;
                }
                left - 1..right + 1
            }
            Marks::Middles => left..right + 1,
        };
        found.start.max(all.start)..found.end.min(all.end)
    }

    /// What a slab adds by its marks.
    pub(super) fn height_of(&self, z: i32) -> S {
        let known = &self.reach.rows;
        if known.start - 1 <= z && z <= known.end {
            return self.heights[(z - (known.start - 1)) as usize];
        }
        self.offset(2, z, self.marks())
    }

    /// Finds the ends of lines into one of the two, where nobody finds them again.
    pub(super) fn find_ends(
        &mut self,
        slot: usize,
        (marks, of_hole): (Marks, bool),
        (rows, by): (&Range<i32>, Marks),
        rest: [S; 2],
    ) {
        let mut ends = core::mem::take(&mut self.found[slot].ends);
        let lines = self.lines(rows, by, rest);
        self.solver(marks, of_hole)
            .ends(self.instructions, lines, &mut ends);
        self.found[slot] = LineEnds {
            of: None,
            rows: rows.clone(),
            ends,
        };
    }
}

/// So many rows at most: their numbers stay in the cache.
const MOST: usize = 1024;

/// To be widened.
const NONE: Range<i32> = Range {
    start: i32::MAX,
    end: i32::MIN,
};

/// The lines of a plane.
#[derive(Clone, Debug)]
struct PlaneLines<S> {
    /// On axis 1.
    rows: Range<i32>,
    /// The first among all.
    first: usize,
    /// What axis 2 adds.
    height: S,
}

/// The lines of several planes.
#[derive(Clone, Debug, Default)]
pub(super) struct LineBatch<S> {
    /// By axis 2.
    planes: SmallVec<[PlaneLines<S>; STRIPS + 2]>,
    /// What axes 1 and 2 add on each line.
    offsets: Vec<S>,
    heights: Vec<S>,
    ends: Columns,
}

impl<S: Scalar> RoundSlabs<S> {
    /// Whether strips can share their planes.
    pub(super) fn can_batch(&self, strips: &[Strip]) -> bool {
        strips.len() > 1
            && self.round.dim == 3
            && self.round.hole.is_none_or(|hole| hole == self.round.limit)
            && self.solver(Marks::Planes, false).is_sure()
            && strips[strips.len() - 1].end() <= MOST
    }

    pub(super) fn fill_together(&mut self, slab: &mut Slab) {
        let mut batch = core::mem::take(&mut self.batch);
        let Slab { strips, columns } = slab;
        let (start, count) = self.gather(&mut batch, strips);
        let lines = Lines {
            count,
            offsets: &batch.offsets,
            heights: Some(&batch.heights),
            rest: [Scalar::ZERO; 2],
        };
        self.solver(Marks::Planes, false)
            .ends(self.instructions, lines, &mut batch.ends);
        let edges = strips.iter().map(|strip| {
            let z = strip.at[2];
            let place = |z: i32, y: i32| {
                let plane = &batch.planes[(z - start) as usize];
                plane.first + (y - plane.rows.start) as usize
            };
            Edges {
                near: place(z, strip.at[1]),
                far: match self.round.hole {
                    Some(_) => place(self.outwards(2, z, Marks::Planes), strip.at[1] - 1),
                    None => 0,
                },
                turn: self.turn(strip),
            }
        });
        let edges: SmallVec<[Edges; STRIPS]> = edges.collect();
        let ends = batch.ends.from(0);
        let far = self.round.hole.map(|_| ends);
        self.write_columns(strips, &edges, ends, far, columns);
        self.batch = batch;
    }

    /// Lays the lines of the strips' planes out; the index of the first plane on axis 2, and how many
    /// lines there are.
    fn gather(&mut self, batch: &mut LineBatch<S>, strips: &[Strip]) -> (i32, usize) {
        let is_hollow = self.round.hole.is_some();
        let out = |slabs: &Self, z| {
            if is_hollow {
                slabs.outwards(2, z, Marks::Planes)
            } else {
                z
            }
        };
        let (low, high) = (strips[0].at[2], strips[strips.len() - 1].at[2]);
        let (start, end) = (low.min(out(self, low)), high.max(out(self, high)) + 1);
        let nothing = PlaneLines {
            rows: NONE,
            first: 0,
            height: Scalar::ZERO,
        };
        batch.planes.clear();
        batch.planes.resize((end - start) as usize, nothing);
        let mut all = NONE;
        for strip in strips {
            let (z, rows) = (strip.at[2], strip.rows());
            let mut widen = |z: i32, rows: &Range<i32>| {
                let plane = &mut batch.planes[(z - start) as usize];
                plane.rows.start = plane.rows.start.min(rows.start);
                plane.rows.end = plane.rows.end.max(rows.end);
            };
            widen(z, &rows);
            if is_hollow {
                widen(out(self, z), &(rows.start - 1..rows.end + 1));
            }
            all.start = all.start.min(rows.start);
            all.end = all.end.max(rows.end);
        }
        self.measure(&all);
        let mut count = 0;
        for (z, plane) in (start..).zip(&mut batch.planes) {
            plane.first = count;
            plane.height = self.height_of(z);
            count += plane.rows.len();
        }
        for lines in [&mut batch.offsets, &mut batch.heights] {
            lines.clear();
            lines.reserve(count + LANES);
        }
        run!(self.instructions, |simd| copy_lines(
            simd,
            &batch.planes,
            &self.offsets[Marks::Planes as usize],
            self.measured.start,
            [&mut batch.offsets, &mut batch.heights]
        ));
        for lines in [&mut batch.offsets, &mut batch.heights] {
            lines.resize(count + LANES, Scalar::ZERO);
        }
        (start, count)
    }
}

/// Lays the lines of planes one after the other.
///
/// ```text
/// for each plane, for each sixteen of its lines:
///     offsets += those of axis 1;  heights += that of the plane, sixteen times
/// ```
#[inline(always)]
fn copy_lines<X: Scalar, S: Simd>(
    _: S,
    planes: &[PlaneLines<X>],
    // Of axis 1, from a row on.
    offsets: &[X],
    from: i32,
    to: [&mut Vec<X>; 2],
) {
    let [to_offsets, to_heights] = to;
    for plane in planes {
        let row = plane.rows.start.wrapping_sub(from) as usize;
        for i in (0..plane.rows.len()).step_by(LANES) {
            let offsets: [X; LANES] = sixteen(offsets, row + i);
            // Over what was too much of the last.
            to_offsets.truncate(plane.first + i);
            to_heights.truncate(plane.first + i);
            to_offsets.extend_from_slice(&offsets);
            to_heights.extend_from_slice(&[plane.height; LANES]);
        }
    }
}
