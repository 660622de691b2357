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

use fearless_simd::{Select, Simd, SimdBase, SimdFrom, i32x16, mask32x16};
use smallvec::{SmallVec, smallvec};

use super::lines::PlaneId;
use super::{Marks, RoundSlabs};
use crate::simd::LANES;
use crate::vector::Scalar;
use crate::voxel::shape::RowTest;
use crate::voxel::slab::{Columns, Strip, sixteen};

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
    pub(super) fn write_rows<V: Simd>(
        &self,
        simd: V,
        strips: &[Strip],
        planes: &[PlaneId],
        columns: &mut Columns,
    ) {
        let (x, mut to) = (self.block.range(0), columns.rows_from(0));
        let mut intervals = SmallVec::<[RowInterval<'_, S>; 8]>::new();
        for (strip, planes) in strips.iter().zip(planes.chunks_exact(self.intervals.len())) {
            intervals.clear();
            for (interval, &plane) in self.intervals.iter().zip(planes) {
                intervals.push(self.row_interval(interval, plane, strip));
            }
            for from in (0..strip.count).step_by(LANES) {
                let place = strip.first + from;
                for (to, ends) in to.iter_mut().zip(rows(simd, &intervals, &x, from)) {
                    ends.store_slice(&mut to[place..place + LANES]);
                }
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
        let dim = self.round.dim;
        let place = |row: i64| (row - i64::from(strip.at[1])).clamp(0, strip.count as i64) as usize;
        let mut chosen = [interval.columns; 2];
        let mut turn = if interval.outwards[1] {
            place(self.axes[1].turn)
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
            && self.round.test != RowTest::Closed;
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

// No closures below: they would be compiled apart, and without vectors.

#[inline(always)]
fn load<V: Simd>(simd: V, numbers: &[i32], from: usize) -> i32x16<V> {
    i32x16::from_slice(simd, &numbers[from..from + LANES])
}

impl<S: Scalar> RowInterval<'_, S> {
    /// The first cells of sixteen rows, and the ends.
    #[inline(always)]
    fn cells<V: Simd>(&self, simd: V, from: usize) -> (i32x16<V>, i32x16<V>) {
        let [before, after] = self.ends;
        let mut first = load(simd, self.numbers, after[0] + from);
        let mut last = load(simd, self.numbers, after[1] + from);
        // This many of the sixteen rows are before the turn.
        let turn = (self.turn as i32).wrapping_sub(from as i32);
        if turn > 0 {
            let is_before = load(simd, &PLACES, 0).simd_lt(i32x16::splat(simd, turn));
            first = is_before.select(load(simd, self.numbers, before[0] + from), first);
            last = is_before.select(load(simd, self.numbers, before[1] + from), last);
        }
        if let Some(line) = &self.line {
            let offsets = sixteen(line.offsets, from);
            let mut is_met = [0; LANES];
            for i in 0..LANES {
                let sum = (offsets[i] + line.rest[0]) + line.rest[1];
                let is_before = (i as i32) < turn;
                let up_to = (is_before & line.up_to[0]) | (!is_before & line.up_to[1]);
                is_met[i] = -i32::from((sum < line.limit) | (up_to & (sum == line.limit)));
            }
            let is_met = mask32x16::simd_from(simd, is_met);
            first = is_met.select(first, i32x16::splat(simd, i32::MAX));
            last = is_met.select(last, i32x16::splat(simd, i32::MIN));
        }
        let [by_first, by_last] = self.by;
        let (mut first, last) = (first + by_first, last + by_last);
        if let Some(center) = self.center {
            let center = i32x16::splat(simd, center);
            first = last.simd_gt(center).select(first.min(center), first);
        }
        (first, last)
    }
}

const PLACES: [i32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Sixteen rows: the cells that are met without those that are left out, within `x`.
#[inline(always)]
fn rows<S: Scalar, V: Simd>(
    simd: V,
    intervals: &[RowInterval<'_, S>],
    x: &Range<i32>,
    from: usize,
) -> [i32x16<V>; 4] {
    let mut start = i32x16::splat(simd, i32::MAX);
    let mut end = i32x16::splat(simd, i32::MIN);
    let (mut hole, mut rest) = (end, end);
    let mut is_solid = true;
    for interval in intervals {
        let (first, last) = interval.cells(simd, from);
        if interval.is_met {
            (start, end) = (start.min(first), end.max(last));
        } else if is_solid {
            (hole, rest, is_solid) = (first, last, false);
        } else {
            (hole, rest) = (hole.max(first), rest.min(last));
        }
    }
    end = end.max(start);
    // Without a hole, the second range is empty.
    let is_hollow = hole.simd_lt(rest);
    hole = is_hollow.select(hole, end).max(start).min(end);
    rest = is_hollow.select(rest, end).max(start).min(end);
    let (low, high) = (i32x16::splat(simd, x.start), i32x16::splat(simd, x.end));
    [
        start.max(low).min(high),
        hole.max(low).min(high),
        rest.max(low).min(high),
        end.max(low).min(high),
    ]
}
