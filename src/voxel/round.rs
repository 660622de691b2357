//! Slabs of solid and hollow spheres and ellipsoids, and of shells.
//!
//! In a row, the cells whose nearest point is within the surface are one range around the center, since
//! that distance falls towards it and rises beyond, in floats too; and those whose farthest corner is
//! within the surface (of the hole of a shell, else the same one) are a range in it. The nearest point
//! of a cell lies on the plane towards the center, the farthest on the plane beyond. So both ranges
//! are told by the lattice planes up to the limit on a line: those of the row's near edge, and of its
//! far edge, which is the near edge of the row one step outwards on every other axis. One square root
//! for each edge gives all, and each sheet of edges serves two slabs. The rules of centers ask middles
//! of cells in the place of planes.
//!
//! A half-open cell `[lo, hi)` has its nearest point unless that lies on an upper face, `c >= hi`
//! on some axis, and its farthest corner only if that is the lower one, `c - lo >= hi - c` on all
//! axes. Where the sums equal the limit, these decide.

mod middles;
mod pack;
mod planes;
mod rows;
mod sheet;
mod side;

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::lattice::{Block, END, FIRST, Lattice};
use super::ruler::{Marks, Ruler};
use super::slab::Slab;
use crate::overlap::distance::{far_apart, near_apart};
use crate::simd::Job;
use crate::{Error, InstructionSet, Scalar};
use pack::Pack;
use sheet::Sheet;
use side::{Side, met};

/// How the cells of a row are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowTest {
    /// By the nearest point and the farthest corner.
    Closed,
    /// By those that belong to the half-open cell.
    HalfOpen,
    /// By the middle, up to the limit and from the hole's on.
    Middle,
    /// By the middle, below the limit and above the hole's.
    Band,
    /// By the middle, and those of the cells across a face.
    Layer,
    /// By the segments through the middle.
    Thin,
}

/// A ball or an ellipsoid, and what is asked: a squared distance up to which cells are met, and one
/// within which they are not.
#[derive(Clone, Copy, Debug)]
pub struct Round<S> {
    /// The number of axes. What the others add is 0.
    pub(super) dim: usize,
    pub(super) center: [S; 4],
    /// Distances from an ellipsoid's center are measured in them.
    pub(super) semi_axes: [S; 4],
    pub(super) is_ellipsoid: bool,
    pub(crate) limit: S,
    pub(crate) hole: Option<S>,
    pub(super) test: RowTest,
}

impl<S: Scalar> Round<S> {
    /// A coordinate difference in units of the limit's distance.
    #[inline(always)]
    pub(super) fn scaled(&self, axis: usize, difference: S) -> S {
        if self.is_ellipsoid {
            self.divided::<true>(axis, difference)
        } else {
            difference
        }
    }

    /// The same where it is known whether it is an ellipsoid.
    #[inline(always)]
    pub(super) fn divided<const ELLIPSOID: bool>(&self, axis: usize, difference: S) -> S {
        if ELLIPSOID {
            difference / self.semi_axes[axis]
        } else {
            difference
        }
    }

    /// The distance to the nearest point of `[lo, hi]` on one axis.
    #[inline(always)]
    pub(crate) fn near_on(&self, axis: usize, lo: S, hi: S) -> S {
        self.scaled(axis, near_apart(self.center[axis], lo, hi))
    }

    /// The distance to the farther end of `[lo, hi]` on one axis.
    #[inline(always)]
    pub(crate) fn far_on(&self, axis: usize, lo: S, hi: S) -> S {
        self.scaled(axis, far_apart(self.center[axis], lo, hi))
    }

    /// The squared distances to the nearest point and to the farthest corner of a block.
    fn reach_of(&self, lattice: &Lattice<S>, block: &Block<[i32; 4]>) -> [S; 2] {
        let mut sums = [S::ZERO; 2];
        for a in 0..self.dim {
            let face = |index: i32| lattice.face(a, index.into());
            let (lo, hi) = (face(block.start[a]), face(block.end[a]));
            let (near, far) = (self.near_on(a, lo, hi), self.far_on(a, lo, hi));
            sums = [sums[0] + near * near, sums[1] + far * far];
        }
        sums
    }
}

#[derive(Clone, Debug)]
pub(super) struct RoundSlabs<S> {
    round: Round<S>,
    lattice: Lattice<S>,
    instructions: InstructionSet,
    block: Block<[i32; 4]>,
    sides: [Side; 4],
    /// Along axis 0, for the limit and for the hole's; planes, or the middles of cells, whichever the
    /// test takes.
    planes: Option<[Ruler<S>; 2]>,
    middles: Option<[Ruler<S>; 2]>,
    /// What axis 1 adds, by the planes and by the middles, from a cell on.
    offsets: [Vec<S>; 2],
    measured: Range<i32>,
    sheets: [Sheet; 2],
    pack: Pack<S>,
    /// The ends of slabs on axis 1.
    reach: Sheet,
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
        let mut sides = [Side::default(); 4];
        let mut whole = [(0, 1); 4];
        for a in 0..round.dim {
            sides[a] = Side::new(&lattice, a, round.center[a])?;
            whole[a] = met(&round, &lattice, a, sides[a].cell)?;
        }
        let near_the_ends = |range: &(i64, i64)| range.0 < FIRST + 8 || range.1 > END - 8;
        if whole.iter().any(near_the_ends) {
            return Ok(None);
        }
        let ruler = |marks, limit| Ruler::new(round, lattice, 0, marks, limit, sides[0].cell);
        let both = |marks| {
            let outer = ruler(marks, round.limit);
            let inner = round.hole.filter(|&hole| hole != round.limit);
            [outer, inner.map_or(outer, |hole| ruler(marks, hole))]
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
            sides,
            planes,
            middles,
            offsets: [Vec::new(), Vec::new()],
            measured: 0..0,
            sheets: [Sheet::default(), Sheet::default()],
            pack: Pack::default(),
            reach: Sheet::default(),
            heights: Vec::new(),
        };
        if window.is_some() && slabs.misses_block() {
            slabs.block.end = slabs.block.start;
        }
        Ok(Some(slabs))
    }

    /// Whether no cell of the block can be met, which costs a chunk nothing then.
    fn misses_block(&self) -> bool {
        if self.block.is_empty() {
            return true;
        }
        let [near, far] = self.round.reach_of(&self.lattice, &self.block);
        near > self.round.limit || self.round.hole.is_some_and(|hole| far < hole)
    }

    /// What cell `index` of an axis above 0 adds to a squared distance: by its nearest plane, or by
    /// its middle. Nothing on an axis that there is not.
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

    /// Those of cells that follow each other.
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
            self.instructions.run(Offsets::<_, true> { cells, to });
        } else {
            self.instructions.run(Offsets::<_, false> { cells, to });
        }
    }

    fn height(&self, axis: usize, index: i32) -> S {
        self.offset(axis, index, Marks::Planes)
    }

    /// The marks by which slabs and rows are told.
    fn marks(&self) -> Marks {
        match self.round.test {
            RowTest::Closed | RowTest::HalfOpen | RowTest::Thin => Marks::Planes,
            RowTest::Middle | RowTest::Band | RowTest::Layer => Marks::Middles,
        }
    }

    /// The ruler of some marks that the test takes.
    fn ruler(&self, marks: Marks, of_hole: bool) -> &Ruler<S> {
        let rulers = match marks {
            Marks::Planes => &self.planes,
            Marks::Middles => &self.middles,
        };
        &rulers.as_ref().expect("the test takes them")[usize::from(of_hole)]
    }

    fn block_range(&self, axis: usize) -> Range<i32> {
        self.block.range(axis)
    }

    /// One step away from the center on an axis.
    #[inline(always)]
    fn outwards(&self, axis: usize, index: i32, marks: Marks) -> i32 {
        let side = &self.sides[axis];
        let from = match marks {
            Marks::Planes => side.upper,
            Marks::Middles => side.next,
        };
        if i64::from(index) < from {
            index - 1
        } else {
            index + 1
        }
    }

    /// Where in the rows the steps outwards turn from down to up.
    fn parted(&self, axis: usize, rows: &Range<i32>, marks: Marks) -> i32 {
        if axis >= self.round.dim {
            return rows.end;
        }
        let side = &self.sides[axis];
        let from = match marks {
            Marks::Planes => side.upper,
            Marks::Middles => side.next,
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

/// What cells add to squared distances.
///
/// ```text
/// for each cell: to = (from the center to its nearest plane, or its middle)²
/// ```
struct Offsets<'a, S, const ELLIPSOID: bool> {
    cells: Cells<'a, S>,
    to: &'a mut [S],
}

impl<T: Scalar, const ELLIPSOID: bool> Job for Offsets<'_, T, ELLIPSOID> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Cells {
            axis, marks, first, ..
        } = self.cells;
        let (round, lattice) = (*self.cells.round, *self.cells.lattice);
        match marks {
            Marks::Planes => {
                for (i, to) in self.to.iter_mut().enumerate() {
                    let index = first.wrapping_add(i as i32);
                    *to = offset::<_, ELLIPSOID>(&round, &lattice, axis, index, Marks::Planes);
                }
            }
            Marks::Middles => {
                for (i, to) in self.to.iter_mut().enumerate() {
                    let index = first.wrapping_add(i as i32);
                    *to = offset::<_, ELLIPSOID>(&round, &lattice, axis, index, Marks::Middles);
                }
            }
        }
    }
}

impl<S: Scalar> RoundSlabs<S> {
    pub(super) fn block(&self) -> Block<[i32; 4]> {
        self.block
    }

    /// The rows of the slab with given indices on the axes from 2 on that may have cells.
    pub(super) fn rows(&mut self, z: i32, w: i32) -> Range<i32> {
        self.reach_of(z, w)
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
