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
    /// True if the cells are met, for which one interval is enough. If false, they are left out if all such intervals have them.
    is_met: bool,
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
    /// The intervals of a rule for a number of axes; the first is met.
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
            // A cell is left out if the next middle outwards is within the limit on every axis. On axis 0 that is the next mark.
            RowTest::Layer => {
                let mut intervals = smallvec![
                    met(middles, UP_TO, [0, 1]),
                    left_out(middles, UP_TO, [1, 0], 0..0),
                ];
                intervals.extend((1..dim).map(|a| left_out(middles, UP_TO, [0, 1], a..a + 1)));
                intervals
            }
            // A segment goes along one axis from plane to plane, through the middles on the others.
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
    /// The ends of the lines of a batch, all columns.
    numbers: &'a [i32],
    /// The places of the first and the last mark of the strip's first row: for rows before the turn, and for others.
    ends: [[usize; 2]; 2],
    turn: usize,
    by: [i32; 2],
    line: Option<LineTest<'a, S>>,
    /// The cell of the center, if it is left out in every row in which the next cell is.
    center: Option<i32>,
}

/// The test whether a line has a point up to the limit, or below it, from the parts of the axes above 0.
struct LineTest<'a, S> {
    offsets: &'a [S],
    rest: [S; 2],
    limit: S,
    /// True if a point at the limit is enough, before the turn and after.
    up_to: [bool; 2],
}

impl<S: Scalar> RoundSlabs<S> {
    /// Writes the rows of strips, whose planes of lines are found: one for each interval, strip by strip.
    #[inline(always)]
    pub(super) fn write_rows(&self, strips: &[Strip], planes: &[PlaneId], columns: &mut Columns) {
        let (x, mut to) = (self.block.range(0), columns.rows_from(0));
        let (known, some) = (&self.intervals[..], self.intervals.len());
        let are_many = known[1..].iter().any(|other| other.is_met) || some > 2;
        let mut intervals = SmallVec::<[RowInterval<'_, S>; 8]>::new();
        for (strip, planes) in strips.iter().zip(planes.chunks_exact(some)) {
            if are_many {
                intervals.clear();
                for (interval, &plane) in known.iter().zip(planes) {
                    intervals.push(self.row_interval(interval, plane, strip));
                }
                for from in (0..strip.count).step_by(LANES) {
                    put(&mut to, strip.first + from, &many(&intervals, &x, from));
                }
                continue;
            }
            let near = self.row_interval(&known[0], planes[0], strip);
            // Not a closure, which would be compiled apart, and without vectors.
            let far = match (known, planes) {
                ([_, far], [_, plane]) => Some(self.row_interval(far, *plane, strip)),
                _ => None,
            };
            for from in (0..strip.count).step_by(LANES) {
                let rows = match (&near.line, &far) {
                    (None, None) => pair::<_, false, false>(&near, &near, &x, from),
                    (None, Some(far)) => pair::<_, false, true>(&near, far, &x, from),
                    (Some(_), None) => pair::<_, true, false>(&near, &near, &x, from),
                    (Some(_), Some(far)) => pair::<_, true, true>(&near, far, &x, from),
                };
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
        let (numbers, stride, row) = lines.ends(plane, strip.at[1]);
        let dim = self.squares.round.dim;
        let place = |row: i64| (row - i64::from(strip.at[1])).clamp(0, strip.count as i64) as usize;
        let mut chosen = [interval.columns; 2];
        let mut turn = if interval.outwards[1] {
            place(self.axes[1].turn)
        } else {
            0
        };
        let (mut up_to, mut center) = ([true; 2], None);
        if self.squares.round.test == RowTest::HalfOpen {
            let at = |a: usize| i64::from(strip.at[a]);
            if interval.is_met {
                // Where the nearest point lies on an upper face, the limit is not enough: on the left on axis 0.
                let has_near = (2..dim).all(|a| at(a) >= self.axes[a].cell);
                turn = if dim < 2 { 0 } else { place(self.axes[1].cell) };
                up_to = [false, has_near];
                chosen = up_to.map(|up_to| [BELOW[0], if up_to { UP_TO[1] } else { BELOW[1] }]);
            } else {
                // The farthest corner belongs to a cell if it is the lower one: on the left on axis 0.
                let has_far = (2..dim).all(|a| at(a) < self.axes[a].turn);
                let first = if has_far { BELOW[0] } else { UP_TO[0] };
                chosen = [[first, UP_TO[1]], UP_TO];
                if dim < 2 {
                    turn = strip.count;
                }
                let on_line = &self.axes[0];
                center = (on_line.cell >= on_line.turn).then_some(on_line.cell as i32);
            }
        }
        // Between the marks there is the cell of the center, even if all of the line is beyond the limit.
        let asks_line = interval.is_met
            && interval.marks[0] == Marks::Planes
            && self.squares.round.test != RowTest::Closed;
        // Not a closure either.
        let line = if asks_line {
            Some(LineTest {
                offsets: self.squares.from(1, interval.marks[1], strip.at[1]),
                rest: [
                    self.squares.of(2, strip.at[2], interval.marks[2]),
                    self.squares.of(3, strip.at[3], interval.marks[3]),
                ],
                limit: lines.solver.limit,
                up_to,
            })
        } else {
            None
        };
        let step = usize::from(interval.outwards[1]);
        let [[first, last], [other_first, other_last]] = chosen;
        let [before, after] = [row - step, row + step];
        RowInterval {
            is_met: interval.is_met,
            numbers,
            ends: [
                [first * stride + before, last * stride + before],
                [other_first * stride + after, other_last * stride + after],
            ],
            turn,
            by: interval.by,
            line,
            center,
        }
    }
}

impl<S: Scalar> RowInterval<'_, S> {
    /// The first cells of sixteen rows, and the ends.
    #[inline(always)]
    fn cells(&self, from: usize) -> ([i32; LANES], [i32; LANES]) {
        let ([before, after], numbers) = (self.ends, self.numbers);
        // This many of the sixteen rows are before the turn.
        let turn = (self.turn as i32).wrapping_sub(from as i32);
        let (mut first, mut last) = (
            sixteen(numbers, after[0] + from),
            sixteen(numbers, after[1] + from),
        );
        if turn > 0 {
            let other_first = sixteen(numbers, before[0] + from);
            let other_last = sixteen(numbers, before[1] + from);
            for i in 0..LANES {
                // Not an `if`, which would gather what it chooses.
                let mask = -i32::from((i as i32) < turn);
                first[i] ^= (other_first[i] ^ first[i]) & mask;
                last[i] ^= (other_last[i] ^ last[i]) & mask;
            }
        }
        if let Some(line) = &self.line {
            let offsets = sixteen(line.offsets, from);
            for i in 0..LANES {
                let sum = (offsets[i] + line.rest[0]) + line.rest[1];
                let is_before = (i as i32) < turn;
                let up_to = (is_before & line.up_to[0]) | (!is_before & line.up_to[1]);
                let is_met = (sum < line.limit) | (up_to & (sum == line.limit));
                first[i] = if is_met { first[i] } else { i32::MAX };
                last[i] = if is_met { last[i] } else { i32::MIN };
            }
        }
        let [by_first, by_last] = self.by;
        for i in 0..LANES {
            first[i] = first[i].wrapping_add(by_first);
            last[i] = last[i].wrapping_add(by_last);
        }
        (first, last)
    }
}

/// Sixteen rows of an interval that is met and, of hollow shapes, of one that is left out: one loop, all in registers.
#[inline(always)]
fn pair<S: Scalar, const LINE: bool, const HOLLOW: bool>(
    near: &RowInterval<'_, S>,
    far: &RowInterval<'_, S>,
    x: &Range<i32>,
    from: usize,
) -> [[i32; LANES]; 4] {
    let turn = |interval: &RowInterval<'_, S>| (interval.turn as i32).wrapping_sub(from as i32);
    let (near_turn, far_turn) = (turn(near), turn(far));
    let sixteen_of = |interval: &RowInterval<'_, S>, turn: usize, end: usize| {
        sixteen(interval.numbers, interval.ends[turn][end] + from)
    };
    let (first, last) = (sixteen_of(near, 1, 0), sixteen_of(near, 1, 1));
    let last_before = if LINE { sixteen_of(near, 0, 1) } else { last };
    let (hole_before, rest_before) = (sixteen_of(far, 0, 0), sixteen_of(far, 0, 1));
    let (hole_after, rest_after) = (sixteen_of(far, 1, 0), sixteen_of(far, 1, 1));
    let center = far.center.unwrap_or(i32::MAX);
    let line = near.line.as_ref().filter(|_| LINE);
    let offsets = line.map_or([S::ZERO; LANES], |line| sixteen(line.offsets, from));
    let mut rows = [[0; LANES]; 4];
    for i in 0..LANES {
        // Not an `if`, which would gather what it chooses.
        let choose = |turn: i32, before: i32, after: i32| {
            let mask = -i32::from((i as i32) < turn);
            after ^ ((before ^ after) & mask)
        };
        let start = first[i].wrapping_add(near.by[0]);
        let mut end = last[i];
        if let Some(line) = line {
            end = choose(near_turn, last_before[i], end);
            let is_before = (i as i32) < near_turn;
            let up_to = (is_before & line.up_to[0]) | (!is_before & line.up_to[1]);
            let sum = (offsets[i] + line.rest[0]) + line.rest[1];
            let is_met = (sum < line.limit) | (up_to & (sum == line.limit));
            end = if is_met { end } else { i32::MIN };
        }
        let end = end.wrapping_add(near.by[1]);
        let row = if HOLLOW {
            let hole = choose(far_turn, hole_before[i], hole_after[i]).wrapping_add(far.by[0]);
            let rest = choose(far_turn, rest_before[i], rest_after[i]).wrapping_add(far.by[1]);
            let hole = if rest > center {
                hole.min(center)
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
fn many<S: Scalar>(
    intervals: &[RowInterval<'_, S>],
    x: &Range<i32>,
    from: usize,
) -> [[i32; LANES]; 4] {
    let (mut start, mut end) = ([i32::MAX; LANES], [i32::MIN; LANES]);
    let (mut hole, mut rest) = ([i32::MIN; LANES], [i32::MAX; LANES]);
    for interval in intervals {
        let (first, last) = interval.cells(from);
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
