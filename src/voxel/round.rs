//! Slabs of solid and hollow spheres and ellipsoids, and of shells.
//!
//! In a row, the cells whose nearest point is within the surface are one range around the center, since
//! that distance falls towards it and rises beyond, in floats too; and those whose farthest corner is
//! within the surface (for a shell, the surface of its hole) are a range inside the first. The nearest point
//! of a cell lies on the plane towards the center, the farthest on the plane beyond. So both ranges
//! are decided by the lattice planes up to the limit on a line: those of the row's near edge, and of its
//! far edge, which is the near edge of the row one step outwards on every other axis. One square root
//! for each edge gives both, and each plane of edges serves two slabs. The rules of centers compare the middles
//! of cells instead of planes.
//!
//! Every rule is a short list of such ranges (`rows.rs`): a cell counts if it is in one range that is met, and not in all
//! ranges that are left out. Their ends on lines, the greatest and least `x` with
//! `(x - center)² + offset + rest <= limit`, are found by `solver.rs` and kept in planes by `lines.rs`. A surface is
//! a shell whose hole is all of it, `hole == limit`.
//!
//! A half-open cell `[lo, hi)` has its nearest point unless that lies on an upper face, `c >= hi`
//! on some axis, and its farthest corner only if that is the lower one, `c - lo >= hi - c` on all
//! axes. Where the sums equal the limit, these decide.

mod lines;
mod rows;
mod shape;
mod solver;
mod squares;

pub(crate) use shape::Round;

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

use super::Grid;
use super::lattice::{Block, END, FIRST};
use super::slab::{Columns, MOST_ROWS, Slab, Strip};
use crate::error::Error;
use crate::simd::run;
use crate::vector::Scalar;
use lines::{LineSet, PlaneId};
use rows::{Interval, RowInterval, write_rows};
use shape::{AxisCenter, met};
use solver::{LineSolver, Lines, Marks};
use squares::Squares;

/// Largest number of rows whose lines are found together: their numbers stay in the cache.
const TOGETHER: usize = 1024;
/// Number of slabs whose rows are found at once.
const SLABS: i32 = 256;

#[derive(Clone, Debug)]
pub(super) struct RoundSlabs<S> {
    pub(super) block: Block<[i32; 4]>,
    axes: [AxisCenter; 4],
    intervals: SmallVec<[Interval; 8]>,
    lines: SmallVec<[LineSet<S>; 1]>,
    squares: Squares<S>,
    /// The parts that axes 1 and 2 add on each line of some planes.
    numbers: [Vec<S>; 2],
    reach: Reach,
}

/// The ends of slabs on axis 1.
#[derive(Clone, Debug, Default)]
struct Reach {
    /// The slabs, by their index on axis 2.
    slabs: Range<i32>,
    /// The index of the slabs on axis 3.
    at: i32,
    ends: Columns,
}

impl<S: Scalar> RoundSlabs<S> {
    /// `None` if the shape nearly reaches beyond the range of indices: steps between rows are not to overflow.
    pub(super) fn new(grid: &Grid<S>, round: Round<S>) -> Result<Option<Self>, Error> {
        let Grid {
            lattice,
            window,
            instructions,
            ..
        } = *grid;
        let mut axes = [AxisCenter::NONE; 4];
        let mut whole = [(0, 1); 4];
        for a in 0..round.dim {
            axes[a] = AxisCenter::new(&lattice, a, round.center[a], round.marks())?;
            whole[a] = met(&round, &lattice, a, axes[a].cell)?;
        }
        let near_the_ends = |range: &(i64, i64)| range.0 < FIRST + 8 || range.1 > END - 8;
        if whole.iter().any(near_the_ends) {
            return Ok(None);
        }
        let block = Block {
            start: whole.map(|(start, _)| start as i32),
            end: whole.map(|(_, end)| end as i32),
        };
        let block = window.map_or(block, |window| block.common(&window));
        let mut slabs = Self {
            block,
            axes,
            intervals: SmallVec::new(),
            lines: SmallVec::new(),
            squares: Squares::new(round, lattice, block, instructions),
            numbers: Default::default(),
            reach: Reach::default(),
        };
        for interval in Interval::of(&round) {
            slabs.add(interval);
        }
        // A chunk that the shape does not reach costs nothing.
        if window.is_some() && (block.is_empty() || slabs.misses(&block)) {
            slabs.block.end = block.start;
        }
        Ok(Some(slabs))
    }

    /// Adds an interval, unless it is for a hole and there is none. Adds its lines, unless another interval has the same.
    fn add(&mut self, mut interval: Interval) {
        let Squares { round, lattice, .. } = &self.squares;
        let limit = if interval.is_met || round.is_layer {
            Some(round.limit)
        } else {
            round.hole
        };
        let Some(limit) = limit else {
            return;
        };
        let is_same =
            |known: &LineSet<S>| known.marks == interval.marks && known.solver.limit == limit;
        let known = self.lines.iter().position(is_same);
        interval.lines = known.unwrap_or_else(|| {
            let (marks, cell) = (interval.marks[0], self.axes[0].cell);
            let solver = LineSolver::new(*round, *lattice, 0, marks, limit, cell);
            let solver = solver.with_error_bounds();
            self.lines.push(LineSet::new(solver, interval.marks));
            self.lines.len() - 1
        });
        self.intervals.push(interval);
    }

    /// The place of an interval's plane of lines on the axes from 2 on.
    #[inline(always)]
    fn plane_at(&self, interval: &Interval, at: [i32; 4]) -> [i32; 2] {
        let step = |a: usize| match interval.outwards[a] {
            true if i64::from(at[a]) < self.axes[a].turn => at[a] - 1,
            true => at[a] + 1,
            false => at[a],
        };
        [step(2), step(3)]
    }

    /// Returns true if no cell of a block is met, nor one of any part of it.
    pub(super) fn misses(&self, block: &Block<[i32; 4]>) -> bool {
        let Squares { round, lattice, .. } = &self.squares;
        let marks = round.marks();
        let [near, far] = round.near_far_sq(lattice, block, marks, 0);
        let is_within = if round.is_layer {
            let [_, far] = round.near_far_sq(lattice, block, marks, 1);
            far <= round.limit
        } else {
            round.hole.is_some_and(|hole| far < hole)
        };
        near > round.limit || is_within
    }

    /// The rows of the slab with given indices on the axes from 2 on that may have cells; all of them on a plane.
    pub(super) fn rows(&mut self, z: i32, w: i32) -> Range<i32> {
        let all = self.block.range(1);
        let round = &self.squares.round;
        if round.dim < 3 {
            return all;
        }
        let (marks, limit) = (round.marks(), round.limit);
        if self.reach.at != w || !self.reach.slabs.contains(&z) {
            let last = z.saturating_add(SLABS).min(self.block.end[2] + 1);
            let slabs = z..last.max(z + 1);
            self.squares.cover(2, marks, &slabs);
            let cell = self.axes[1].cell;
            let Squares { round, lattice, .. } = self.squares;
            let solver = LineSolver::new(round, lattice, 1, marks, limit, cell);
            let solver = solver.with_error_bounds();
            let count = slabs.len();
            let lines = Lines {
                count,
                offsets: self.squares.from(2, marks, z),
                heights: None,
                rest: [self.squares.of(3, w, marks), S::ZERO],
            };
            self.reach.ends.set_rows(count);
            let to = self.reach.ends.rows_from(0);
            solver.find_ends(
                self.squares.instructions,
                &lines,
                core::iter::once(0..count),
                to,
            );
            (self.reach.slabs, self.reach.at) = (slabs, w);
        }
        let place = (z - self.reach.slabs.start) as usize;
        let [left, .., right] = self.reach.ends.from(place).map(|column| column[0]);
        let found = match marks {
            Marks::Planes => {
                let height = self.squares.from(2, marks, z)[0];
                if height + self.squares.of(3, w, marks) > limit {
                    return 0..0;
                }
                left - 1..right + 1
            }
            Marks::Middles => left..right + 1,
        };
        found.start.max(all.start)..found.end.min(all.end)
    }

    /// Fills the strips of a slab.
    pub(super) fn fill(&mut self, slab: &mut Slab) {
        let Slab { strips, columns } = slab;
        let mut left = &strips[..];
        while let Some(first) = left.first() {
            let is_together = |strip: &Strip| strip.end() - first.first <= TOGETHER;
            let count = left.partition_point(is_together).max(1);
            let (together, others) = left.split_at(count);
            self.fill_together(together, columns);
            left = others;
        }
    }

    fn fill_together(&mut self, strips: &[Strip], columns: &mut Columns) {
        // By strips and intervals.
        let mut planes = SmallVec::<[PlaneId; 64]>::new();
        for lines in &mut self.lines {
            lines.begin();
        }
        for strip in strips {
            for interval in &self.intervals {
                let at = self.plane_at(interval, strip.at);
                planes
                    .push(self.lines[interval.lines].request(at, interval.lines_of(strip.rows())));
            }
        }
        self.widen_for_next(&strips[strips.len() - 1]);
        for lines in &mut self.lines {
            lines.solve(&mut self.squares, &mut self.numbers);
        }
        let mut rows = SmallVec::<[RowInterval<'_>; 64]>::new();
        for (strip, planes) in strips.iter().zip(planes.chunks_exact(self.intervals.len())) {
            for (interval, &plane) in self.intervals.iter().zip(planes) {
                rows.push(self.row_interval(interval, plane, strip));
            }
        }
        let x = self.block.range(0);
        run!(self.squares.instructions, |_simd| write_rows(
            strips, &rows, &x, columns
        ));
    }

    /// Below the center the lines of the last slab serve the next one too, which has more rows.
    fn widen_for_next(&mut self, strip: &Strip) {
        let [_, _, z, w] = strip.at;
        if self.squares.round.dim < 3 || z + 1 >= self.block.end[2] {
            return;
        }
        let rows = self.rows(z + 1, w);
        if rows.is_empty() || rows.len() > MOST_ROWS {
            return;
        }
        for interval in &self.intervals {
            if interval.outwards[2] {
                let at = self.plane_at(interval, [0, 0, z + 1, w]);
                self.lines[interval.lines].widen(at, &interval.lines_of(rows.clone()));
            }
        }
    }
}
