//! Where lines along an axis enter and leave what is within a limit. The *marks* of an axis are the planes of
//! the lattice, or the middles of its cells, as seen from the center of a round shape.
//!
//! Along an axis the squared distances of the marks fall towards the center and rise beyond, in floats
//! too. So the marks up to a limit are a run. Its ends are guessed by a square root, and corrected by
//! the expression that decides cells. The guess is off by at most one mark where the
//! numbers are small enough for their spacing, which is checked once; where it may be off by more, on lines that
//! graze large shapes in `f32`, the ends are searched.

use core::ops::Range;

use super::Round;
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::Scalar;
use crate::voxel::Rule;
use crate::voxel::lattice::{Lattice, ceil, farthest, floor};
use crate::voxel::slab::{put, sixteen};

/// The kind of marks on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::voxel) enum Marks {
    Planes,
    Middles,
}

/// The marks of an axis, and a limit for squared distances from the center.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSolver<S> {
    round: Round<S>,
    lattice: Lattice<S>,
    axis: usize,
    pub(super) marks: Marks,
    pub(super) limit: S,
    /// The last mark at or below the center; the next is above it.
    center_mark: i64,
    /// The distance from that mark to the center, in cells.
    position: f64,
    /// One unit of the metric, in cells.
    unit: f64,
    /// Whether guesses can be trusted where at least `doubt` is left of the limit.
    is_fine: bool,
    doubt: S,
}

/// Lines along the axis of a solver, and what the other axes add to the squared distances on them:
/// one number for each line, and those of two more axes, which are the same for all lines unless `heights` says otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines<'a, S> {
    pub(super) count: usize,
    /// Fifteen more than lines, at least.
    pub(super) offsets: &'a [S],
    /// The first of the rest, where each line has its own.
    pub(super) heights: Option<&'a [S]>,
    pub(super) rest: [S; 2],
}

impl<S: Copy> Lines<'_, S> {
    fn rest_of(&self, line: usize) -> [S; 2] {
        let height = self.heights.map_or(self.rest[0], |heights| heights[line]);
        [height, self.rest[1]]
    }
}

impl<S: Scalar> LineSolver<S> {
    /// The solver of the cell that holds the center. It trusts no guesses.
    pub(super) fn new(
        round: Round<S>,
        lattice: Lattice<S>,
        axis: usize,
        marks: Marks,
        limit: S,
        cell: i64,
    ) -> Self {
        let center = round.center[axis];
        let (center_mark, half) = match marks {
            Marks::Planes => (cell, 0.0),
            Marks::Middles => (cell - i64::from(lattice.middle(axis, cell) > center), 0.5),
        };
        let step: f64 = round.scaled(axis, lattice.step).into();
        Self {
            round,
            lattice,
            axis,
            marks,
            limit,
            center_mark,
            position: lattice.position(axis, center) - half - center_mark as f64,
            unit: 1.0 / step,
            is_fine: false,
            doubt: Scalar::ZERO,
        }
    }

    /// Computes where guesses can be trusted.
    pub(super) fn with_error_bounds(self) -> Self {
        let epsilon: f64 = S::EPSILON.into();
        let limit: f64 = self.limit.into();
        let step: f64 = self.lattice.step.into();
        let origin: f64 = self.lattice.origin[self.axis].into();
        let center: f64 = self.round.center[self.axis].into();
        let half_width = Scalar::sqrt(limit) * self.unit;
        // The rounding of marks and of their distances, in cells.
        let farthest = center.abs() + origin.abs() + (half_width + 4.0) * step;
        let shift = epsilon * (4.0 * farthest / step + 4.0 * half_width);
        // The rounding of sums of squares. If its root is at most a quarter of a cell, so is the error of a guess.
        let error = 8.0 * epsilon * limit;
        let doubt = if Scalar::sqrt(error) * self.unit <= 0.25 {
            0.0
        } else {
            let steep = error * self.unit;
            (8.0 * steep * steep).max(2.0 * error)
        };
        let (tiny, largest) = (S::MIN_POSITIVE.into(), S::MAX.into());
        let step_sq = 1.0 / (self.unit * self.unit);
        Self {
            is_fine: shift <= 0.2
                && half_width < 0.1 / epsilon
                && farthest < 0.5 * largest
                && limit < largest
                && doubt < largest
                && step_sq * epsilon * epsilon > tiny,
            doubt: Scalar::from_f64(doubt),
            ..self
        }
    }

    /// The squared distance of a mark, along the axis.
    #[inline(always)]
    fn square(&self, index: i64) -> S {
        let mark = match self.marks {
            Marks::Planes => self.lattice.face(self.axis, index),
            Marks::Middles => self.lattice.middle(self.axis, index),
        };
        let apart = self
            .round
            .scaled(self.axis, mark - self.round.center[self.axis]);
        apart * apart
    }

    /// Finds four columns for lines: the first mark up to the limit, the first below it, the last below it, the last up
    /// to it. Where there is none on a side of the center, the mark after `center_mark` for the first two, `center_mark`
    /// itself for the others; but see [`clear_beyond`](Self::clear_beyond). Writes up to fifteen numbers more. The ranges
    /// are of lines in one plane.
    pub(super) fn find_ends(
        &self,
        set: InstructionSet,
        lines: &Lines<'_, S>,
        ranges: impl Iterator<Item = Range<usize>>,
        mut to: [&mut [i32]; 4],
    ) {
        if self.is_fine {
            let to = to.each_mut().map(|column| &mut **column);
            if self.round.is_ellipsoid {
                run!(set, |_simd| self.guess::<true>(lines, to));
            } else {
                run!(set, |_simd| self.guess::<false>(lines, to));
            }
        }
        if !self.is_fine || self.doubt > Scalar::ZERO {
            for range in ranges {
                self.search_doubtful(lines, range, &mut to);
            }
        }
        let are_planes = self.axis == 0 && self.marks == Marks::Planes;
        if are_planes && matches!(self.round.rule, Rule::HalfOpen | Rule::Thin) {
            run!(set, |_simd| self.clear_beyond(lines, to));
        }
    }

    /// Moves the ends apart on lines without a point up to the limit, or without one below it for the last mark below: between
    /// the planes next to the center there is its cell, which such a line does not meet. Rows by the rule `Closed` have no
    /// such lines.
    #[inline(always)]
    fn clear_beyond(&self, lines: &Lines<'_, S>, to: [&mut [i32]; 4]) {
        let [first, _, last_below, last] = to;
        for i in 0..lines.count {
            let rest = lines.rest_of(i);
            let sum = (lines.offsets[i] + rest[0]) + rest[1];
            // A step is added to these numbers.
            first[i] = if sum > self.limit {
                i32::MAX - 1
            } else {
                first[i]
            };
            last[i] = if sum > self.limit {
                i32::MIN + 1
            } else {
                last[i]
            };
            last_below[i] = if sum >= self.limit {
                i32::MIN + 1
            } else {
                last_below[i]
            };
        }
    }

    /// Searches the ends where their guess cannot be trusted, in the lines of a plane.
    fn search_doubtful(&self, lines: &Lines<'_, S>, range: Range<usize>, to: &mut [&mut [i32]; 4]) {
        let mut search = |range: Range<usize>| {
            for i in range {
                let (offset, rest) = (lines.offsets[i], lines.rest_of(i));
                let [first, last] = self.search(offset, rest, false);
                let [first_below, last_below] = self.search(offset, rest, true);
                for (to, found) in to.iter_mut().zip([first, first_below, last_below, last]) {
                    to[i] = found as i32;
                }
            }
        };
        // The part of the limit that is left grows towards the center.
        let trusted = |&i: &usize| {
            let rest = lines.rest_of(i);
            let left = ((self.limit - lines.offsets[i]) - rest[0]) - rest[1];
            self.is_fine && left >= self.doubt
        };
        let first = range.clone().find(trusted).unwrap_or(range.end);
        let last = (first..range.end).rev().find(trusted);
        search(range.start..first);
        search(last.map_or(range.end, |i| i + 1)..range.end);
    }

    /// The ends on one line, by the expression alone: the first mark and the last up to the limit, or below it.
    #[inline(never)]
    pub(super) fn search(&self, offset: S, rest: [S; 2], strict: bool) -> [i64; 2] {
        let (center_mark, limit) = (self.center_mark, self.limit);
        let left: f64 = limit.into() - offset.into() - rest[0].into() - rest[1].into();
        let half = Scalar::sqrt(left.max(0.0)) * self.unit;
        let most = i64::from(u32::MAX) + 1;
        let holds = |index| {
            let sum = ((self.square(index) + offset) + rest[0]) + rest[1];
            sum < limit || (!strict && sum == limit)
        };
        let (below, above) = (1 - ceil(self.position - half), floor(self.position + half));
        [
            center_mark + 1 - farthest(most, below, |k| k == 0 || holds(center_mark + 1 - k)),
            center_mark + farthest(most, above, |k| k == 0 || holds(center_mark + k)),
        ]
    }

    /// Guesses and corrects the ends on lines.
    ///
    /// ```text
    /// for each line:
    ///     left = limit - offset - rest                    (squared; the most that the axis may add)
    ///     on either side:
    ///         mark = the last within center ± sqrt(left)  (off by one at most)
    ///         ends: mark, one inwards if it is beyond the limit, one outwards if the next is not
    /// ```
    #[inline(always)]
    fn guess<const ELLIPSOID: bool>(&self, lines: &Lines<'_, S>, mut to: [&mut [i32]; 4]) {
        let Self {
            round,
            lattice,
            axis,
            marks,
            limit,
            ..
        } = *self;
        let rest = lines.rest;
        let (origin, step) = (lattice.origin[axis], lattice.step);
        let (center, semi_axis) = (round.center[axis], round.semi_axes[axis]);
        let (zero, one) = (S::ZERO, S::ONE);
        let half: S = Scalar::from_f64(0.5);
        let position: S = Scalar::from_f64(self.position);
        let unit: S = Scalar::from_f64(self.unit);
        let center_mark = self.center_mark as i32;
        let base: S = Scalar::from_f64(match marks {
            Marks::Planes => self.center_mark as f64,
            Marks::Middles => self.center_mark as f64 + 0.5,
        });
        // Adding this rounds to an integer and puts it into the lowest bits, with any instructions.
        let by = S::from_f64(1.5) / Scalar::EPSILON;
        let integer =
            |rounded: S| (rounded.to_bits() as u32).wrapping_sub(by.to_bits() as u32) as i32;
        for from in (0..lines.count).step_by(LANES) {
            let offsets = sixteen(lines.offsets, from);
            let heights = match lines.heights {
                Some(heights) => sixteen(heights, from),
                None => [rest[0]; LANES],
            };
            let mut ends = [[0; LANES]; 4];
            for i in 0..LANES {
                let (offset, height) = (offsets[i], heights[i]);
                // The squared distance of a mark. Axes that the grid lacks add 0, which changes no bit.
                let square = |index: S| {
                    let apart = (origin + index * step) - center;
                    let apart = if ELLIPSOID { apart / semi_axis } else { apart };
                    ((apart * apart + offset) + height) + rest[1]
                };
                let left = ((limit - offset) - height) - rest[1];
                let root = left.larger(zero).sqrt() * unit;

                // Above the center.
                let rounded = (((position + root) - half) + by).larger(one + by);
                let index = base + (rounded - by);
                let (near, far) = (square(index), square(index + one));
                let at = center_mark.wrapping_add(integer(rounded));
                ends[3][i] = at + i32::from(far <= limit) - i32::from(near > limit);
                ends[2][i] = at + i32::from(far < limit) - i32::from(near >= limit);

                // Below the center.
                let rounded = (((position - root) + half) + by).smaller(zero + by);
                let index = base + (rounded - by);
                let (near, far) = (square(index), square(index - one));
                let at = center_mark.wrapping_add(integer(rounded));
                ends[0][i] = at - i32::from(far <= limit) + i32::from(near > limit);
                ends[1][i] = at - i32::from(far < limit) + i32::from(near >= limit);
            }
            put(&mut to, from, &ends);
        }
    }
}
