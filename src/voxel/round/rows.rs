//! Rows of a round shape under each rule, from the ends of lines.
//!
//! ```text
//! for each strip:
//!     for each interval of the rule: which plane of lines, and which of its columns
//!     for each sixteen rows:
//!         start..end = the range around all intervals that are met
//!         hole..rest = the common part of all intervals that are left out
//!         write start..end without hole..rest, clipped to the block
//! ```

use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::lines::PlaneId;
use super::solver::Marks;
use super::{Round, RoundSlabs};
use crate::simd::LANES;
use crate::vector::Scalar;
use crate::voxel::Rule;
use crate::voxel::slab::{Columns, Strip, put, sixteen};

/// Columns of the ends of lines: the first mark and the last up to the limit.
const UP_TO: [usize; 2] = [0, 3];
/// The first mark and the last below the limit.
const BELOW: [usize; 2] = [1, 2];

/// Cells of a row from one end of a line to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// True if the cells are met, for which one interval is enough. If false, they are left out if all such intervals have them.
    pub(super) is_met: bool,
    /// The marks by which lines lie on the axes.
    pub(super) marks: [Marks; 4],
    /// The number of the set of lines with these marks and the limit of the interval.
    pub(super) lines: usize,
    /// The axes on which the line is one step outwards from the row.
    pub(super) outwards: [bool; 4],
    columns: [usize; 2],
    /// The steps from the first mark to the first cell, and from the last mark past the last cell.
    by: [i32; 2],
}

impl Interval {
    /// The intervals of a shape by its rule; the first is met.
    pub(super) fn of<S: Scalar>(round: &Round<S>) -> SmallVec<[Self; 8]> {
        let dim = round.dim;
        let (planes, middles) = ([Marks::Planes; 4], [Marks::Middles; 4]);
        let met = |marks, columns, by| Self {
            is_met: true,
            marks,
            lines: 0,
            outwards: [false; 4],
            columns,
            by,
        };
        let left_out = |marks, columns, by, outwards: Range<usize>| Self {
            is_met: false,
            outwards: [0, 1, 2, 3].map(|a| outwards.contains(&a)),
            ..met(marks, columns, by)
        };
        match round.rule {
            // The planes of a cell are next to each other: one is up to the limit, or both are in the hole.
            Rule::Closed | Rule::Shell(_) => smallvec![
                met(planes, UP_TO, [-1, 1]),
                left_out(planes, BELOW, [0, 0], 1..dim),
            ],
            // On the left the nearest point lies on an upper face.
            Rule::HalfOpen => smallvec![
                met(planes, [BELOW[0], UP_TO[1]], [-1, 1]),
                left_out(planes, UP_TO, [0, 0], 1..dim),
            ],
            Rule::NarrowBand(_) => smallvec![
                met(middles, BELOW, [0, 1]),
                left_out(middles, UP_TO, [0, 1], 0..0),
            ],
            // A cell is left out if the next middle outwards is within the limit on every axis. On axis 0 that is the next mark.
            Rule::CenterInside if round.is_layer => {
                let mut intervals = smallvec![
                    met(middles, UP_TO, [0, 1]),
                    left_out(middles, UP_TO, [1, 0], 0..0),
                ];
                intervals.extend((1..dim).map(|a| left_out(middles, UP_TO, [0, 1], a..a + 1)));
                intervals
            }
            Rule::CenterInside => smallvec![
                met(middles, UP_TO, [0, 1]),
                left_out(middles, BELOW, [0, 1], 0..0),
            ],
            // A segment goes along one axis from plane to plane, through the middles on the others.
            Rule::Thin => {
                let along = |axis: usize| {
                    let mut marks = middles;
                    marks[axis] = Marks::Planes;
                    let [near, far] = match axis {
                        0 => [[-1, 1], [0, 0]],
                        _ => [[0, 1]; 2],
                    };
                    let far = left_out(marks, BELOW, far, axis.max(1)..axis + 1);
                    [met(marks, UP_TO, near), far]
                };
                (0..dim).flat_map(along).collect()
            }
        }
    }

    /// The lines that some rows need, along axis 1.
    pub(super) fn lines_of(&self, rows: Range<i32>) -> Range<i32> {
        let beyond = i32::from(self.outwards[1]);
        rows.start - beyond..rows.end + beyond
    }
}

/// An interval in the rows of a strip.
pub(super) struct RowInterval<'a> {
    is_met: bool,
    /// The ends of the lines of a batch, all columns.
    numbers: &'a [i32],
    /// The places of the first and the last mark of the strip's first row: for rows before the turn, and for others.
    ends: [[usize; 2]; 2],
    turn: usize,
    by: [i32; 2],
    /// The cell of the center, if every row that leaves out the next cell leaves it out too; otherwise beyond all cells.
    center: i32,
}

impl<S: Scalar> RoundSlabs<S> {
    pub(super) fn row_interval(
        &self,
        interval: &Interval,
        plane: PlaneId,
        strip: &Strip,
    ) -> RowInterval<'_> {
        let (numbers, stride, row) = self.lines[interval.lines].ends(plane, strip.at[1]);
        let place = |row: i64| (row - i64::from(strip.at[1])).clamp(0, strip.count as i64) as usize;
        let is_half_open = self.squares.round.rule == Rule::HalfOpen;
        let mut columns = [interval.columns; 2];
        let mut turn = if interval.outwards[1] || is_half_open {
            place(self.axes[1].turn)
        } else {
            0
        };
        let mut center = i32::MAX;
        let at = |a: usize| i64::from(strip.at[a]);
        if is_half_open && interval.is_met {
            // The limit is not enough where the nearest point lies on an upper face on any axis.
            turn = place(self.axes[1].cell);
            columns[0][1] = BELOW[1];
            if (2..4).any(|a| at(a) < self.axes[a].cell) {
                columns[1][1] = BELOW[1];
            }
        } else if is_half_open {
            // The farthest corner belongs to a cell if it is the lower one on all axes: on the left on axis 0.
            if (2..4).all(|a| at(a) < self.axes[a].turn) {
                columns[0][0] = BELOW[0];
            }
            let on_line = &self.axes[0];
            if on_line.cell >= on_line.turn {
                center = on_line.cell as i32;
            }
        }
        let step = usize::from(interval.outwards[1]);
        let [before, after] = columns;
        RowInterval {
            is_met: interval.is_met,
            numbers,
            ends: [
                before.map(|column| column * stride + row - step),
                after.map(|column| column * stride + row + step),
            ],
            turn,
            by: interval.by,
            center,
        }
    }
}

/// Writes the rows of strips, from equally many intervals for each.
#[inline(always)]
pub(super) fn write_rows(
    strips: &[Strip],
    intervals: &[RowInterval<'_>],
    x: &Range<i32>,
    columns: &mut Columns,
) {
    let mut to = columns.rows_from(0);
    let of_strips = intervals.chunks_exact(intervals.len() / strips.len());
    for (strip, intervals) in strips.iter().zip(of_strips) {
        for from in (0..strip.count).step_by(LANES) {
            let rows = match intervals {
                [near] => pair::<false>(near, near, x, from),
                [near, far] if !far.is_met => pair::<true>(near, far, x, from),
                _ => many(intervals, x, from),
            };
            put(&mut to, strip.first + from, &rows);
        }
    }
}

impl RowInterval<'_> {
    /// The number of rows from `from` to the turn; not positive after the turn.
    #[inline(always)]
    fn turn_from(&self, from: usize) -> i32 {
        (self.turn as i32).wrapping_sub(from as i32)
    }

    /// The ends of sixteen lines: of the rows before the turn or of the others, and the first mark or the last.
    #[inline(always)]
    fn marks(&self, is_other: usize, end: usize, from: usize) -> [i32; LANES] {
        sixteen(self.numbers, self.ends[is_other][end] + from)
    }

    /// The first cells of sixteen rows, or the ends.
    #[inline(always)]
    fn cells(&self, end: usize, from: usize) -> [i32; LANES] {
        let turn = self.turn_from(from);
        let mut cells = self.marks(1, end, from);
        if turn > 0 {
            let before = self.marks(0, end, from);
            for i in 0..LANES {
                cells[i] = choose((i as i32) < turn, before[i], cells[i]);
            }
        }
        for cell in &mut cells {
            *cell = cell.wrapping_add(self.by[end]);
        }
        cells
    }
}

/// Selects by a bit mask; for an `if` the compiler emits gather instructions.
#[inline(always)]
fn choose(is_first: bool, first: i32, second: i32) -> i32 {
    second ^ ((first ^ second) & -i32::from(is_first))
}

/// Sixteen rows of an interval that is met and, of hollow shapes, of one that is left out: one loop, all in registers.
#[inline(always)]
fn pair<const HOLLOW: bool>(
    near: &RowInterval<'_>,
    far: &RowInterval<'_>,
    x: &Range<i32>,
    from: usize,
) -> [[i32; LANES]; 4] {
    let (near_turn, far_turn) = (near.turn_from(from), far.turn_from(from));
    let first = near.marks(1, 0, from);
    let (last_before, last_after) = (near.marks(0, 1, from), near.marks(1, 1, from));
    let (hole_before, hole_after) = (far.marks(0, 0, from), far.marks(1, 0, from));
    let (rest_before, rest_after) = (far.marks(0, 1, from), far.marks(1, 1, from));
    let mut rows = [[0; LANES]; 4];
    for i in 0..LANES {
        let (is_near, is_far) = ((i as i32) < near_turn, (i as i32) < far_turn);
        let start = first[i].wrapping_add(near.by[0]);
        let end = choose(is_near, last_before[i], last_after[i]).wrapping_add(near.by[1]);
        let row = if HOLLOW {
            let hole = choose(is_far, hole_before[i], hole_after[i]).wrapping_add(far.by[0]);
            let rest = choose(is_far, rest_before[i], rest_after[i]).wrapping_add(far.by[1]);
            let hole = if rest > far.center {
                hole.min(far.center)
            } else {
                hole
            };
            within(x, start, hole, rest, end)
        } else {
            // Without a hole its two ends are the same.
            within(x, start, start, start, end)
        };
        [rows[0][i], rows[1][i], rows[2][i], rows[3][i]] = row;
    }
    rows
}

/// Sixteen rows of several intervals, the first of which is met.
#[inline(always)]
fn many(intervals: &[RowInterval<'_>], x: &Range<i32>, from: usize) -> [[i32; LANES]; 4] {
    let (mut start, mut end) = ([i32::MAX; LANES], [i32::MIN; LANES]);
    let (mut hole, mut rest) = ([i32::MIN; LANES], [i32::MAX; LANES]);
    for interval in intervals {
        let (first, last) = (interval.cells(0, from), interval.cells(1, from));
        for i in 0..LANES {
            if interval.is_met {
                (start[i], end[i]) = (start[i].min(first[i]), end[i].max(last[i]));
            } else {
                (hole[i], rest[i]) = (hole[i].max(first[i]), rest[i].min(last[i]));
            }
        }
    }
    if intervals.iter().all(|interval| interval.is_met) {
        rest = [i32::MIN; LANES];
    }
    let mut rows = [[0; LANES]; 4];
    for i in 0..LANES {
        let row = within(x, start[i], hole[i], rest[i], end[i]);
        [rows[0][i], rows[1][i], rows[2][i], rows[3][i]] = row;
    }
    rows
}

/// The cells `start..end` without `hole..rest`, within others.
#[inline(always)]
fn within(x: &Range<i32>, start: i32, hole: i32, rest: i32, end: i32) -> [i32; 4] {
    let clip = |index: i32| index.max(x.start).min(x.end);
    let end = end.max(start);
    // Without a hole, the second range is empty.
    let is_hollow = hole < rest;
    let hole = if is_hollow { hole } else { end };
    let rest = if is_hollow { rest } else { end };
    [
        clip(start),
        clip(hole.max(start).min(end)),
        clip(rest.max(start).min(end)),
        clip(end),
    ]
}
