//! The ends of lines along axis 0, found by planes of lines.
//!
//! The plane of lines between two slabs serves both of them, so the planes that were found last are kept. Small
//! planes are found together, since sixteen lines take as long as one.

use alloc::vec::Vec;
use core::ops::Range;

use super::solver::{LineSolver, Lines, Marks};
use super::squares::Squares;
use crate::simd::LANES;
use crate::vector::Scalar;
use crate::voxel::slab::{Columns, STRIPS};

/// Lines that follow each other on axis 1.
#[derive(Clone, Debug)]
struct Plane {
    /// The place of the lines on the axes from 2 on.
    at: [i32; 2],
    rows: Range<i32>,
    /// The place of the first line in the columns of the batch.
    first: usize,
}

/// Planes whose lines were found together.
#[derive(Clone, Debug, Default)]
struct Batch {
    planes: Vec<Plane>,
    ends: Columns,
}

/// The batch of a plane, and its number there.
pub(super) type PlaneId = (usize, usize);

/// Lines along axis 0 through the rows of some strips, and the places where they cross the limit of the solver.
///
/// ```text
/// request the planes that the rows of some strips need:
///     one of the last batch, if it holds all their lines; otherwise one of the next batch, widened
/// find the ends of all lines of the next batch, which becomes the last
/// ```
#[derive(Clone, Debug)]
pub(super) struct LineSet<S> {
    pub(super) solver: LineSolver<S>,
    /// The marks that are compared on each axis.
    pub(super) marks: [Marks; 4],
    batches: [Batch; 2],
    last: usize,
}

impl<S: Scalar> LineSet<S> {
    pub(super) fn new(solver: LineSolver<S>, marks: [Marks; 4]) -> Self {
        Self {
            solver,
            marks,
            batches: Default::default(),
            last: 0,
        }
    }

    /// Empties the next batch.
    pub(super) fn begin(&mut self) {
        let planes = &mut self.batches[1 - self.last].planes;
        planes.clear();
        planes.reserve(STRIPS + 2);
    }

    /// The plane at a place on the axes from 2 on, with lines for some rows at least.
    #[inline]
    pub(super) fn request(&mut self, at: [i32; 2], rows: Range<i32>) -> PlaneId {
        let is_known = |known: &Plane| {
            known.at == at && known.rows.start <= rows.start && rows.end <= known.rows.end
        };
        if let Some(plane) = recent(&self.batches[self.last].planes, is_known) {
            return (self.last, plane);
        }
        let next = 1 - self.last;
        let plane = self.widen(at, &rows).unwrap_or_else(|| {
            let planes = &mut self.batches[next].planes;
            planes.push(Plane { at, rows, first: 0 });
            planes.len() - 1
        });
        (next, plane)
    }

    /// Adds lines to a plane of the next batch, if it has it.
    #[inline]
    pub(super) fn widen(&mut self, at: [i32; 2], rows: &Range<i32>) -> Option<usize> {
        let planes = &mut self.batches[1 - self.last].planes;
        let found = recent(planes, |plane| plane.at == at)?;
        let known = &mut planes[found].rows;
        *known = known.start.min(rows.start)..known.end.max(rows.end);
        Some(found)
    }

    /// Finds the ends of the next batch.
    pub(super) fn solve(&mut self, squares: &mut Squares<S>, numbers: &mut [Vec<S>; 2]) {
        let Self { solver, marks, .. } = self;
        let Batch { planes, ends } = &mut self.batches[1 - self.last];
        let Some(plane) = planes.first() else {
            return;
        };
        let (mut count, mut all) = (0, plane.rows.clone());
        for plane in &mut *planes {
            plane.first = count;
            count += plane.rows.len();
            all = all.start.min(plane.rows.start)..all.end.max(plane.rows.end);
        }
        squares.cover(1, marks[1], &all);
        ends.set_rows(count);
        let [offsets, heights] = numbers;
        for together in planes.chunk_by(|a, b| a.at[1] == b.at[1]) {
            let first = &together[0];
            let height = |plane: &Plane| squares.of(2, plane.at[0], marks[2]);
            let mut lines = Lines {
                count: first.rows.len(),
                offsets: squares.from(1, marks[1], first.rows.start),
                heights: None,
                rest: [height(first), squares.of(3, first.at[1], marks[3])],
            };
            if together.len() > 1 {
                // The lines of these planes, one plane after the other.
                for numbers in [&mut *offsets, &mut *heights] {
                    numbers.clear();
                    numbers.reserve(count + LANES);
                }
                for plane in together {
                    let from = squares.from(1, marks[1], plane.rows.start);
                    offsets.extend_from_slice(&from[..plane.rows.len()]);
                    heights.resize(offsets.len(), height(plane));
                }
                lines.count = offsets.len();
                offsets.resize(lines.count + LANES, S::ZERO);
                heights.resize(lines.count + LANES, S::ZERO);
                (lines.offsets, lines.heights) = (&offsets[..], Some(&heights[..]));
            }
            let start = together[0].first;
            let ranges = together.iter().map(|plane| {
                let from = plane.first - start;
                from..from + plane.rows.len()
            });
            solver.find_ends(squares.instructions, &lines, ranges, ends.rows_from(start));
        }
        self.last = 1 - self.last;
    }

    /// The columns of a batch, one after the other; how far they are apart; and the place of a row of a plane in each.
    #[inline(always)]
    pub(super) fn ends(&self, (batch, plane): PlaneId, row: i32) -> (&[i32], usize, usize) {
        let batch = &self.batches[batch];
        let plane = &batch.planes[plane];
        let place = row - plane.rows.start;
        let (numbers, stride) = batch.ends.all();
        (numbers, stride, plane.first + place as usize)
    }
}

/// The place of a plane among the last few.
#[inline(always)]
fn recent(planes: &[Plane], is_it: impl Fn(&Plane) -> bool) -> Option<usize> {
    let before = planes.len().saturating_sub(3);
    let found = planes[before..].iter().rposition(is_it)?;
    Some(before + found)
}
