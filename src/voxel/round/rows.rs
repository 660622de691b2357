//! Rows of a round shape under each rule, from the ends of lines.
//!
//! ```text
//! for each strip:
//!     for each interval of the rule: which plane of lines, and which of its columns
//!     for each sixteen rows:
//!         start..end = around all intervals of which one is enough
//!         hole..rest = what all intervals share that leave cells out
//!         write start..end without hole..rest, clipped to the block
//! ```

use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::RoundSlabs;
use super::lines::PlaneId;
use super::shape::RowTest;
use super::solver::Marks;
use crate::simd::LANES;
use crate::vector::Scalar;
use crate::voxel::slab::{Columns, Strip, put, sixteen};

/// Columns of the ends of lines: the first mark and the last up to the limit.
const UP_TO: [usize; 2] = [0, 3];
/// The first mark and the last below the limit.
const BELOW: [usize; 2] = [1, 2];

/// Cells of a row from one end of a line to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// Met by the rule, if by one of its intervals; otherwise left out, if by all others of this kind.
    is_met: bool,
    /// The marks by which lines lie on the axes.
    pub(super) marks: [Marks; 4],
    /// Which lines, of those with these marks and the limit of the interval.
    pub(super) lines: usize,
    /// The axes on which the line is one step outwards from the row.
    pub(super) outwards: [bool; 4],
    columns: [usize; 2],
    /// From the two marks to the first cell, and past the last.
    by: [i32; 2],
}

impl Interval {
    /// The intervals of a rule, for cells of some axes; first what is met.
    pub(super) fn of(test: RowTest, dim: usize) -> SmallVec<[Self; 8]> {
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
        match test {
            // The planes of a cell are next to each other: one is up to the limit, or both are in the hole.
            RowTest::Closed | RowTest::HalfOpen => smallvec![
                met(planes, UP_TO, [-1, 1]),
                left_out(planes, BELOW, [0, 0], 1..dim),
            ],
            RowTest::Middle => smallvec![
                met(middles, UP_TO, [0, 1]),
                left_out(middles, BELOW, [0, 1], 0..0),
            ],
            RowTest::Band => smallvec![
                met(middles, BELOW, [0, 1]),
                left_out(middles, UP_TO, [0, 1], 0..0),
            ],
            // The next middle outwards is within on all axes; on axis 0 it is the next mark.
            RowTest::Layer => {
                let mut intervals = smallvec![
                    met(middles, UP_TO, [0, 1]),
                    left_out(middles, UP_TO, [1, 0], 0..0),
                ];
                intervals.extend((1..dim).map(|a| left_out(middles, UP_TO, [0, 1], a..a + 1)));
                intervals
            }
            // Along each axis from plane to plane, by the middles on the others.
            RowTest::Thin => {
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

    /// Whether the limit is that of the hole.
    pub(super) fn is_of_hole(&self, test: RowTest) -> bool {
        !self.is_met && test != RowTest::Layer
    }
}

/// An interval in the rows of a strip.
struct RowInterval<'a, S> {
    is_met: bool,
    /// The first and the last marks, from the strip's first row on: for rows before the turn, and for others.
    ends: [[&'a [i32]; 2]; 2],
    turn: usize,
    by: [i32; 2],
    line: Option<LineTest<'a, S>>,
    /// The cell of the center, if it is left out wherever the next one is.
    center: Option<i32>,
}

/// Whether a line has a point up to the limit, or below it: by what the axes above 0 add.
struct LineTest<'a, S> {
    offsets: &'a [S],
    rest: [S; 2],
    limit: S,
    /// Whether the limit is enough, before the turn and after.
    up_to: [bool; 2],
}

impl<S: Scalar> RoundSlabs<S> {
    /// Writes the rows of strips, whose planes of lines are found: one for each interval, strip by strip.
    #[inline(always)]
    pub(super) fn write_rows(&self, strips: &[Strip], planes: &[PlaneId], columns: &mut Columns) {
        let (x, mut to) = (self.block.range(0), columns.from_mut(0));
        let nothing = [i32::MAX, i32::MIN, i32::MIN, i32::MIN];
        let everything = [i32::MAX, i32::MIN, i32::MAX, i32::MIN];
        let unwritten = if self.intervals.iter().any(|interval| !interval.is_met) {
            everything
        } else {
            nothing
        };
        let mut planes = planes.iter();
        let mut intervals = SmallVec::<[RowInterval<'_, S>; 8]>::new();
        for strip in strips {
            intervals.clear();
            let with_planes = self.intervals.iter().zip(&mut planes);
            intervals.extend(
                with_planes.map(|(interval, &plane)| self.row_interval(interval, plane, strip)),
            );
            for from in (0..strip.count).step_by(LANES) {
                let mut rows = unwritten.map(|end| [end; LANES]);
                for interval in &intervals {
                    interval.apply(from, &mut rows);
                }
                let [start, hole, rest, end] = rows;
                for i in 0..LANES {
                    let row = within(&x, start[i], hole[i], rest[i], end[i]);
                    [rows[0][i], rows[1][i], rows[2][i], rows[3][i]] = row;
                }
                put(&mut to, strip.first + from, &rows);
            }
        }
    }

    #[inline(always)]
    fn row_interval(
        &self,
        interval: &Interval,
        plane: PlaneId,
        strip: &Strip,
    ) -> RowInterval<'_, S> {
        let lines = &self.lines[interval.lines];
        let (columns, row) = lines.ends(plane, strip.at[1]);
        let dim = self.round.dim;
        let place = |row: i64| (row - i64::from(strip.at[1])).clamp(0, strip.count as i64) as usize;
        let mut chosen = [interval.columns; 2];
        let mut turn = if interval.outwards[1] {
            place(self.axes[1].turn[interval.marks[1] as usize])
        } else {
            0
        };
        let (mut up_to, mut center) = ([true; 2], None);
        if self.round.test == RowTest::HalfOpen {
            let at = |a: usize| i64::from(strip.at[a]);
            if interval.is_met {
                // Where the nearest point lies on an upper face, the limit is not enough: on the left on axis 0.
                let has_near = (2..dim).all(|a| at(a) >= self.axes[a].cell);
                turn = if dim < 2 { 0 } else { place(self.axes[1].cell) };
                up_to = [false, has_near];
                chosen = up_to.map(|up_to| [BELOW[0], if up_to { UP_TO[1] } else { BELOW[1] }]);
            } else {
                // The farthest corner belongs to a cell if it is the lower one: on the left on axis 0.
                let has_far = (2..dim).all(|a| at(a) < self.axes[a].turn[0]);
                let first = if has_far { BELOW[0] } else { UP_TO[0] };
                chosen = [[first, UP_TO[1]], UP_TO];
                if dim < 2 {
                    turn = strip.count;
                }
                let on_line = &self.axes[0];
                center = (on_line.cell >= on_line.turn[0]).then_some(on_line.cell as i32);
            }
        }
        // Between the marks there is the cell of the center, even if all of the line is beyond the limit.
        let asks_line = interval.is_met
            && interval.marks[0] == Marks::Planes
            && self.round.test != RowTest::Closed;
        let step = usize::from(interval.outwards[1]);
        let from = |columns_of: [usize; 2], row: usize| columns_of.map(|c| &columns[c][row..]);
        RowInterval {
            is_met: interval.is_met,
            ends: [from(chosen[0], row - step), from(chosen[1], row + step)],
            turn,
            by: interval.by,
            line: asks_line.then(|| LineTest {
                offsets: self.squares.from(1, interval.marks[1], strip.at[1]),
                rest: [2, 3].map(|a| self.squares.of(a, strip.at[a], interval.marks[a])),
                limit: lines.solver.limit,
                up_to,
            }),
            center,
        }
    }
}

impl<S: Scalar> RowInterval<'_, S> {
    /// Adds the interval to sixteen rows.
    #[inline(always)]
    fn apply(&self, from: usize, rows: &mut [[i32; LANES]; 4]) {
        let [mut first, mut last] = if from >= self.turn {
            self.ends[1].map(|column| sixteen(column, from))
        } else {
            let (before, after) = (self.ends[0], self.ends[1]);
            [0, 1].map(|k| {
                let (before, after) = (sixteen(before[k], from), sixteen(after[k], from));
                crate::simd::from_fn(|i| {
                    // Not an `if`, which would gather what it chooses.
                    let mask = -i32::from(from + i < self.turn);
                    after[i] ^ ((before[i] ^ after[i]) & mask)
                })
            })
        };
        if let Some(line) = &self.line {
            let offsets = sixteen(line.offsets, from);
            for i in 0..LANES {
                let sum = (offsets[i] + line.rest[0]) + line.rest[1];
                let up_to = line.up_to[usize::from(from + i >= self.turn)];
                let is_met = (sum < line.limit) | (up_to & (sum == line.limit));
                first[i] = if is_met { first[i] } else { i32::MAX };
                last[i] = if is_met { last[i] } else { i32::MIN };
            }
        }
        let [start, hole, rest, end] = rows;
        let [by_first, by_last] = self.by;
        if self.is_met {
            for i in 0..LANES {
                start[i] = start[i].min(first[i].wrapping_add(by_first));
                end[i] = end[i].max(last[i].wrapping_add(by_last));
            }
            return;
        }
        let center = self.center.unwrap_or(i32::MAX);
        for i in 0..LANES {
            let (from, to) = (
                first[i].wrapping_add(by_first),
                last[i].wrapping_add(by_last),
            );
            let from = if to > center { from.min(center) } else { from };
            hole[i] = hole[i].max(from);
            rest[i] = rest[i].min(to);
        }
    }
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
