//! Tables of the parts that cells add to squared distances on the axes above 0.

use alloc::vec::Vec;
use core::ops::Range;

use super::Round;
use super::solver::Marks;
use crate::overlap::distance::near_apart;
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::Scalar;
use crate::voxel::lattice::{Block, Lattice};

/// The most cells of an axis that are tabulated at once. On longer axes the table holds only the cells that are needed.
const WHOLE: usize = 1 << 15;

/// The squared distances of cells from the center on each axis: of their nearest planes, or of their middles.
#[derive(Clone, Debug)]
pub(super) struct Squares<S> {
    pub(super) round: Round<S>,
    pub(super) lattice: Lattice<S>,
    block: Block<[i32; 4]>,
    pub(super) instructions: InstructionSet,
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
        } else if axis == 2 && self.tables[1][marks as usize].cells.contains(&index) {
            self.from(2, marks, index)[0]
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
