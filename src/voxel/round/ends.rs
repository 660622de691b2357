//! The ends of a plane of lines, found once and used by two slabs.

use core::ops::Range;

use super::RoundSlabs;
use super::shape::RowTest;
use super::solver::{LineSolver, Lines, Marks};
use crate::simd::LANES;
use crate::vector::Scalar;
use crate::voxel::slab::{Columns, MOST_ROWS};

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
