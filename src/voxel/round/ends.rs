//! The ends of a plane of lines, found once and used by two slabs.

use core::ops::Range;

use super::RoundSlabs;
use super::rows::{Edges, closed_rows};
use super::shape::RowTest;
use super::solver::{LineSolver, Lines, Marks};
use crate::simd::{LANES, run};
use crate::vector::Scalar;
use crate::voxel::slab::{Columns, MOST_ROWS, Slab, Strip};

/// So many rows have their offsets computed at once, else those of a strip.
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
    /// Fills strips in their order.
    pub(super) fn fill_by_planes(&mut self, slab: &mut Slab) {
        if self.can_batch(&slab.strips) {
            self.fill_together(slab);
            return;
        }
        let Slab { strips, columns } = slab;
        for strip in strips {
            self.fill_strip(strip, columns);
        }
    }

    fn fill_strip(&mut self, strip: &Strip, columns: &mut Columns) {
        let (at, rows) = (&strip.at, strip.rows());
        self.compute_offsets(&rows);
        let around = rows.start - 1..rows.end + 1;
        let near = self.line_ends(false, at[2], at[3], around.clone());
        let out = |slabs: &Self, a| {
            if a < self.round.dim {
                slabs.outwards(a, at[a], Marks::Planes)
            } else {
                0
            }
        };
        let (z, w) = (out(self, 2), out(self, 3));
        let far = self.round.hole.map(|_| self.line_ends(true, z, w, around));
        let near = &self.found[near];
        let far = far.map(|far| &self.found[far]);
        let before = |known: &LineEnds| (rows.start - 1 - known.rows.start) as usize;
        let edges = Edges {
            near: before(near) + 1,
            // On a line alone there is no step.
            far: far.map_or(0, before) + usize::from(self.round.dim == 1),
            rows_down: self.rows_down(strip),
        };
        self.write_columns(
            core::slice::from_ref(strip),
            &[edges],
            near.ends.from(0),
            far.map(|far| far.ends.from(0)),
            columns,
        );
    }

    /// In how many rows the step outwards is one down.
    #[inline(always)]
    pub(super) fn rows_down(&self, strip: &Strip) -> usize {
        let upper = self.turning_row(1, &strip.rows(), Marks::Planes);
        (upper - strip.at[1]) as usize
    }

    /// Makes columns of strips of the ends on their edges.
    pub(super) fn write_columns(
        &self,
        strips: &[Strip],
        edges: &[Edges],
        near: [&[i32]; 4],
        far: Option<[&[i32]; 4]>,
        columns: &mut Columns,
    ) {
        let x = self.block_range(0);
        if self.round.test == RowTest::Closed {
            let to = columns.rows_from(0);
            run!(self.instructions, |simd| closed_rows(
                simd, strips, edges, near, far, x, to
            ));
            return;
        }
        for (strip, edges) in strips.iter().zip(edges) {
            self.write_half_open(strip, edges, near, far, columns);
        }
    }

    /// Has the offsets of some rows, and one more on either side.
    pub(super) fn compute_offsets(&mut self, rows: &Range<i32>) {
        let (start, end) = (rows.start - 1, rows.end + 1);
        if self.offset_rows.start <= start && end <= self.offset_rows.end {
            return;
        }
        let all = self.block_range(1);
        let (start, end) = if all.len() <= AT_ONCE {
            (all.start - 1, all.end + 1)
        } else {
            (start, end)
        };
        self.offset_rows = start..end;
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
        let first = (rows.start - self.offset_rows.start) as usize;
        Lines {
            count: rows.len(),
            offsets: &self.offsets[marks as usize][first..],
            heights: None,
            rest,
        }
    }

    /// Says which of `found` holds the ends of the lines at `z` and `w` on axes 2 and 3, in the ball or in its hole; finds them
    /// if it does not yet.
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
            let next = self.rows_at(z + 1, w);
            let (start, end) = (next.start - 1, next.end + 1);
            let all = self.block_range(1);
            if !next.is_empty() && next.len() <= MOST_ROWS {
                wide.start = wide.start.min(start).max(all.start - 1);
                wide.end = wide.end.max(end).min(all.end + 1);
            }
        }
        self.compute_offsets(&(wide.start + 1..wide.end - 1));
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
    pub(super) fn rows_at(&mut self, z: i32, w: i32) -> Range<i32> {
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
                self.compute_offsets(&all);
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
