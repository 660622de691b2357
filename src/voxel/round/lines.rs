//! The ends of lines along axis 0, found by planes of lines, and tables of the parts that the axes above 0 add to their
//! squared distances.
//!
//! The plane of lines between two slabs serves both of them, so the planes that were found last are kept.

use alloc::vec::Vec;
use core::ops::Range;

use super::solver::{LineSolver, Lines, Marks};
use crate::overlap::distance::near_apart;
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::Scalar;
use crate::voxel::lattice::{Block, Lattice};
use crate::voxel::shape::Round;
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

/// Lines with one kind of marks on each axis and one limit.
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
        let planes = &mut self.batches[next].planes;
        let plane = recent(planes, |plane| plane.at == at).unwrap_or_else(|| {
            let rows = rows.clone();
            planes.push(Plane { at, rows, first: 0 });
            planes.len() - 1
        });
        let known = &mut planes[plane].rows;
        *known = known.start.min(rows.start)..known.end.max(rows.end);
        (next, plane)
    }

    /// Finds the ends of the next batch, and covers some rows that will be written.
    pub(super) fn solve(
        &mut self,
        set: InstructionSet,
        rows: &Range<i32>,
        squares: &mut Squares<S>,
    ) {
        let Self { solver, marks, .. } = self;
        let Batch { planes, ends } = &mut self.batches[1 - self.last];
        let (mut count, mut all) = (0, rows.clone());
        for plane in &mut *planes {
            plane.first = count;
            count += plane.rows.len();
            all = all.start.min(plane.rows.start)..all.end.max(plane.rows.end);
        }
        squares.cover(1, marks[1], &all);
        if planes.is_empty() {
            return;
        }
        ends.set_rows(count);
        let lines = planes.iter().map(|plane| Lines {
            first: plane.first,
            count: plane.rows.len(),
            offsets: squares.from(1, marks[1], plane.rows.start),
            rest: [2, 3].map(|a| squares.of(a, plane.at[a - 2], marks[a])),
        });
        solver.find_ends(set, lines, ends);
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

/// The most cells of an axis that are tabulated at once. On longer axes the table holds only the cells that are needed.
const WHOLE: usize = 1 << 15;

/// The squared distances of cells from the center on each axis: of their nearest planes, or of their middles.
#[derive(Clone, Debug)]
pub(super) struct Squares<S> {
    round: Round<S>,
    lattice: Lattice<S>,
    block: Block<[i32; 4]>,
    instructions: InstructionSet,
    /// The tables of axes 1 and 2, each for planes and for middles.
    tables: [[Table<S>; 2]; 2],
}

/// Cells that follow each other, and their squared distances; there are more numbers than cells.
#[derive(Clone, Debug, Default)]
struct Table<S> {
    cells: Range<i32>,
    squares: Vec<S>,
}

impl<S: Scalar> Squares<S> {
    pub(super) fn new(
        round: Round<S>,
        lattice: Lattice<S>,
        block: Block<[i32; 4]>,
        instructions: InstructionSet,
    ) -> Self {
        Self {
            round,
            lattice,
            block,
            instructions,
            tables: Default::default(),
        }
    }

    /// The squared distance of a cell on an axis from 2 on; zero if the grid lacks it.
    pub(super) fn of(&self, axis: usize, index: i32, marks: Marks) -> S {
        if axis >= self.round.dim {
            S::ZERO
        } else {
            square(&self.round, &self.lattice, axis, index, marks)
        }
    }

    /// Computes the squared distances of cells on axis 1 or 2, unless they are known.
    pub(super) fn cover(&mut self, axis: usize, marks: Marks, cells: &Range<i32>) {
        let Range { start, end } = *cells;
        let table = &mut self.tables[axis - 1][marks as usize];
        if table.cells.start <= start && end <= table.cells.end {
            return;
        }
        let all = self.block.range(axis);
        table.cells = if all.len() <= WHOLE {
            start.min(all.start - 1)..end.max(all.end + 1)
        } else {
            start..end
        };
        table.squares.clear();
        table.squares.resize(table.cells.len() + LANES, S::ZERO);
        if axis < self.round.dim {
            let (round, lattice, first) = (self.round, self.lattice, table.cells.start);
            let to = &mut table.squares[..];
            run!(self.instructions, |_simd| tabulate(
                round, lattice, axis, first, marks, to
            ));
        }
    }

    /// The squared distances from a cell on, which are known; at least fifteen more than cells.
    #[inline(always)]
    pub(super) fn from(&self, axis: usize, marks: Marks, cell: i32) -> &[S] {
        let table = &self.tables[axis - 1][marks as usize];
        &table.squares[(cell - table.cells.start) as usize..]
    }
}

/// Squared distances from a cell on. The shape is passed as a copy: the compiler knows that it does not change.
#[inline(always)]
fn tabulate<S: Scalar>(
    round: Round<S>,
    lattice: Lattice<S>,
    axis: usize,
    first: i32,
    marks: Marks,
    to: &mut [S],
) {
    for (to, step) in to.iter_mut().zip(0..) {
        *to = square(&round, &lattice, axis, first.wrapping_add(step), marks);
    }
}

#[inline(always)]
fn square<S: Scalar>(
    round: &Round<S>,
    lattice: &Lattice<S>,
    axis: usize,
    index: i32,
    marks: Marks,
) -> S {
    let apart = match marks {
        Marks::Planes => {
            // Blocks end before the range does. Wrapping in `i32`, it takes no wider vectors.
            let face = |step| lattice.face(axis, index.wrapping_add(step).into());
            near_apart(round.center[axis], face(0), face(1))
        }
        Marks::Middles => lattice.middle(axis, index.into()) - round.center[axis],
    };
    let apart = round.scaled(axis, apart);
    apart * apart
}
