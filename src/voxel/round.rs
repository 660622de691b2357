//! Slabs of solid and hollow spheres and ellipsoids, and of shells.
//!
//! In a row, the cells whose nearest point is within the surface are one range around the center, since
//! that distance falls towards it and rises beyond, in floats too; and those whose farthest corner is
//! within the surface (of the hole of a shell, else the same one) are a range in it. The nearest point
//! of a cell lies on the plane towards the center, the farthest on the plane beyond. So both ranges
//! are decided by the lattice planes up to the limit on a line: those of the row's near edge, and of its
//! far edge, which is the near edge of the row one step outwards on every other axis. One square root
//! for each edge gives all, and each plane of edges serves two slabs. The rules of centers ask middles
//! of cells in the place of planes.
//!
//! A surface is a shell whose hole is all of it, `hole == limit`. What is asked on a line is the greatest
//! and least `x` with `(x - center)² + offset + rest <= limit` (`LineEnds` holds them, `LineSolver` in
//! `solver.rs` finds them); `rows.rs` makes ranges of cells of it.
//!
//! A half-open cell `[lo, hi)` has its nearest point unless that lies on an upper face, `c >= hi`
//! on some axis, and its farthest corner only if that is the lower one, `c - lo >= hi - c` on all
//! axes. Where the sums equal the limit, these decide.

mod batch;
mod ends;
mod fill;
mod rows;
mod shape;
mod solver;

pub(crate) use shape::Round;

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::lattice::{Block, END, FIRST, Lattice};
use super::slab::Slab;
use crate::error::Error;
use crate::overlap::distance::near_apart;
use crate::simd::{InstructionSet, run};
use crate::vector::Scalar;
use batch::LineBatch;
use ends::LineEnds;
use shape::{AxisCenter, RowTest, met};
use solver::{LineSolver, Marks};

#[derive(Clone, Debug)]
pub(super) struct RoundSlabs<S> {
    round: Round<S>,
    lattice: Lattice<S>,
    instructions: InstructionSet,
    block: Block<[i32; 4]>,
    axes: [AxisCenter; 4],
    /// Along axis 0, for the limit and for the hole's; planes, or the middles of cells, whichever the
    /// test takes.
    planes: Option<[LineSolver<S>; 2]>,
    middles: Option<[LineSolver<S>; 2]>,
    /// Squared distances on axis 1, by the planes and by the middles, from a cell on.
    offsets: [Vec<S>; 2],
    offset_rows: Range<i32>,
    found: [LineEnds; 2],
    batch: LineBatch<S>,
    /// The ends of slabs on axis 1.
    reach: LineEnds,
    heights: Vec<S>,
}

impl<S: Scalar> RoundSlabs<S> {
    /// `None` if the shape reaches beyond the range of indices, and only a window of it is asked for,
    /// or nearly so: steps between rows are not to overflow.
    pub(super) fn new(
        round: Round<S>,
        lattice: Lattice<S>,
        window: Option<&Block<[i32; 4]>>,
        instructions: InstructionSet,
    ) -> Result<Option<Self>, Error> {
        match Self::in_range(round, lattice, window, instructions) {
            Ok(slabs) => Ok(slabs),
            Err(_) if window.is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn in_range(
        round: Round<S>,
        lattice: Lattice<S>,
        window: Option<&Block<[i32; 4]>>,
        instructions: InstructionSet,
    ) -> Result<Option<Self>, Error> {
        let mut axes = [AxisCenter::default(); 4];
        let mut whole = [(0, 1); 4];
        for a in 0..round.dim {
            axes[a] = AxisCenter::new(&lattice, a, round.center[a])?;
            whole[a] = met(&round, &lattice, a, axes[a].cell)?;
        }
        let near_the_ends = |range: &(i64, i64)| range.0 < FIRST + 8 || range.1 > END - 8;
        if whole.iter().any(near_the_ends) {
            return Ok(None);
        }
        let solver = |marks, limit| LineSolver::new(round, lattice, 0, marks, limit, axes[0].cell);
        let both = |marks| {
            let outer = solver(marks, round.limit);
            let inner = round.hole.filter(|&hole| hole != round.limit);
            [outer, inner.map_or(outer, |hole| solver(marks, hole))]
        };
        let (planes, middles) = match round.test {
            RowTest::Closed | RowTest::HalfOpen => (Some(both(Marks::Planes)), None),
            RowTest::Middle | RowTest::Band | RowTest::Layer => (None, Some(both(Marks::Middles))),
            RowTest::Thin => (Some(both(Marks::Planes)), Some(both(Marks::Middles))),
        };
        let clip = |a: usize| window.map_or(i32::MIN..i32::MAX, |window| window.range(a));
        let mut slabs = Self {
            round,
            lattice,
            instructions,
            block: Block {
                start: [0, 1, 2, 3].map(|a| (whole[a].0 as i32).max(clip(a).start)),
                end: [0, 1, 2, 3].map(|a| (whole[a].1 as i32).min(clip(a).end)),
            },
            axes,
            planes,
            middles,
            offsets: [Vec::new(), Vec::new()],
            offset_rows: 0..0,
            found: [LineEnds::default(), LineEnds::default()],
            batch: LineBatch::default(),
            reach: LineEnds::default(),
            heights: Vec::new(),
        };
        // A chunk that the shape does not reach costs nothing.
        if window.is_some() && (slabs.block.is_empty() || slabs.misses(&slabs.block)) {
            slabs.block.end = slabs.block.start;
        }
        Ok(Some(slabs))
    }

    /// The squared distance on an axis above 0 of cell `index`: of its nearest plane, or of its middle. Zero on an axis
    /// that the grid lacks.
    fn offset(&self, axis: usize, index: i32, marks: Marks) -> S {
        if axis >= self.round.dim {
            return Scalar::ZERO;
        }
        let round = &self.round;
        if round.is_ellipsoid {
            offset::<_, true>(round, &self.lattice, axis, index, marks)
        } else {
            offset::<_, false>(round, &self.lattice, axis, index, marks)
        }
    }

    /// The offsets of cells that follow each other.
    fn offsets_from(&self, axis: usize, index: i32, marks: Marks, to: &mut [S]) {
        if axis >= self.round.dim {
            return;
        }
        let cells = Cells {
            round: &self.round,
            lattice: &self.lattice,
            axis,
            marks,
            first: index,
        };
        if self.round.is_ellipsoid {
            run!(self.instructions, |simd| offsets::<_, true, _>(
                simd, &cells, to
            ));
        } else {
            run!(self.instructions, |simd| offsets::<_, false, _>(
                simd, &cells, to
            ));
        }
    }

    fn height(&self, axis: usize, index: i32) -> S {
        self.offset(axis, index, Marks::Planes)
    }

    /// The marks by which slabs and rows are decided.
    fn marks(&self) -> Marks {
        match self.round.test {
            RowTest::Closed | RowTest::HalfOpen | RowTest::Thin => Marks::Planes,
            RowTest::Middle | RowTest::Band | RowTest::Layer => Marks::Middles,
        }
    }

    /// The solver of some marks that the test takes.
    fn solver(&self, marks: Marks, of_hole: bool) -> &LineSolver<S> {
        let solvers = match marks {
            Marks::Planes => &self.planes,
            Marks::Middles => &self.middles,
        };
        &solvers.as_ref().expect("the test takes them")[usize::from(of_hole)]
    }

    fn block_range(&self, axis: usize) -> Range<i32> {
        self.block.range(axis)
    }

    /// One step away from the center on an axis.
    #[inline(always)]
    fn outwards(&self, axis: usize, index: i32, marks: Marks) -> i32 {
        let axis_center = &self.axes[axis];
        let from = match marks {
            Marks::Planes => axis_center.upper,
            Marks::Middles => axis_center.next,
        };
        if i64::from(index) < from {
            index - 1
        } else {
            index + 1
        }
    }

    /// Where in the rows the steps outwards turn from down to up.
    fn turning_row(&self, axis: usize, rows: &Range<i32>, marks: Marks) -> i32 {
        if axis >= self.round.dim {
            return rows.end;
        }
        let axis_center = &self.axes[axis];
        let from = match marks {
            Marks::Planes => axis_center.upper,
            Marks::Middles => axis_center.next,
        };
        from.clamp(rows.start.into(), rows.end.into()) as i32
    }
}

#[inline(always)]
fn offset<S: Scalar, const ELLIPSOID: bool>(
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
    let apart = round.divided::<ELLIPSOID>(axis, apart);
    apart * apart
}

/// Cells of an axis, from one on.
struct Cells<'a, S> {
    round: &'a Round<S>,
    lattice: &'a Lattice<S>,
    axis: usize,
    marks: Marks,
    first: i32,
}

/// Squared distances of cells on one axis.
///
/// ```text
/// for each cell: to = (from the center to its nearest plane, or its middle)²
/// ```
#[inline(always)]
fn offsets<T: Scalar, const ELLIPSOID: bool, S: Simd>(_: S, cells: &Cells<'_, T>, to: &mut [T]) {
    let Cells {
        axis, marks, first, ..
    } = *cells;
    let (round, lattice) = (*cells.round, *cells.lattice);
    match marks {
        Marks::Planes => {
            for (i, to) in to.iter_mut().enumerate() {
                let index = first.wrapping_add(i as i32);
                *to = offset::<_, ELLIPSOID>(&round, &lattice, axis, index, Marks::Planes);
            }
        }
        Marks::Middles => {
            for (i, to) in to.iter_mut().enumerate() {
                let index = first.wrapping_add(i as i32);
                *to = offset::<_, ELLIPSOID>(&round, &lattice, axis, index, Marks::Middles);
            }
        }
    }
}

impl<S: Scalar> RoundSlabs<S> {
    pub(super) fn block(&self) -> Block<[i32; 4]> {
        self.block
    }

    /// Whether no cell of a block is met; true of a part of it too, then.
    pub(super) fn misses(&self, block: &Block<[i32; 4]>) -> bool {
        let (round, marks) = (&self.round, self.marks());
        let [near, far] = round.near_far_sq(&self.lattice, block, marks, 0);
        let is_within = match round.test {
            RowTest::Layer => {
                let [_, far] = round.near_far_sq(&self.lattice, block, marks, 1);
                far <= round.limit
            }
            _ => round.hole.is_some_and(|hole| far < hole),
        };
        near > round.limit || is_within
    }

    /// The rows of the slab with given indices on the axes from 2 on that may have cells.
    pub(super) fn rows(&mut self, z: i32, w: i32) -> Range<i32> {
        self.rows_at(z, w)
    }

    /// Fills the strips of a slab.
    pub(super) fn fill(&mut self, slab: &mut Slab) {
        let test = self.round.test;
        if matches!(test, RowTest::Closed | RowTest::HalfOpen) {
            self.fill_by_planes(slab);
            return;
        }
        let Slab { strips, columns } = slab;
        for strip in strips {
            match test {
                RowTest::Layer => self.fill_layer(strip, columns),
                RowTest::Thin => self.fill_thin(strip, columns),
                _ => self.fill_by_middles(strip, columns),
            }
        }
    }
}
