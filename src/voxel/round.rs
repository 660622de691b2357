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
use super::slab::{Slab, Slabs};
use crate::overlap::distance::{Metric, ScalarOf, far_sq, near_on, near_sq};
use crate::overlap::round::Round;
use crate::simd::Job;
use crate::{Error, InstructionSet, Scalar, Vector, Voxel};
use pack::Pack;
use sheet::Sheet;
use side::{Side, met};

type VoxelOf<R> = <<R as Metric>::Vector as Vector>::Voxel;

/// How the cells of a row are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
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

/// What is asked: a squared distance up to which cells are met, and one within which they are not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<R: Round> {
    pub(super) round: R,
    pub(super) limit: ScalarOf<R>,
    pub(super) hole: Option<ScalarOf<R>>,
    pub(super) way: Way,
}

#[derive(Clone, Debug)]
pub(super) struct RoundSlabs<R: Round> {
    question: Question<R>,
    lattice: Lattice<R::Vector>,
    instructions: InstructionSet,
    block: Block<VoxelOf<R>>,
    sides: [Side; 4],
    /// Along axis 0, for the limit and for the hole's; planes, or the middles of cells, whichever the
    /// way takes.
    planes: Option<[Ruler<R>; 2]>,
    middles: Option<[Ruler<R>; 2]>,
    /// What axis 1 adds, by the planes and by the middles, from a cell on.
    offsets: [Vec<ScalarOf<R>>; 2],
    measured: Range<i32>,
    sheets: [Sheet; 2],
    pack: Pack<ScalarOf<R>>,
    /// The ends of slabs on axis 1.
    reach: Sheet,
    heights: Vec<ScalarOf<R>>,
}

impl<R: Round> RoundSlabs<R> {
    /// `None` if the shape reaches beyond the range of indices, and only a window of it is asked for,
    /// or nearly so: steps between rows are not to overflow.
    pub(super) fn new(
        question: Question<R>,
        lattice: Lattice<R::Vector>,
        window: Option<&Block<VoxelOf<R>>>,
        instructions: InstructionSet,
    ) -> Result<Option<Self>, Error> {
        match Self::in_range(question, lattice, window, instructions) {
            Ok(slabs) => Ok(slabs),
            Err(_) if window.is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn in_range(
        question: Question<R>,
        lattice: Lattice<R::Vector>,
        window: Option<&Block<VoxelOf<R>>>,
        instructions: InstructionSet,
    ) -> Result<Option<Self>, Error> {
        let Question {
            round, limit, hole, ..
        } = question;
        let mut sides = [Side::default(); 4];
        let mut whole = [(0, 0); 4];
        for a in 0..R::Vector::DIM {
            let c = round.middle().axis(a);
            sides[a] = Side::new(&lattice, a, c)?;
            whole[a] = met(&question, &lattice, a, sides[a].cell)?;
        }
        let near_the_ends = |range: &(i64, i64)| range.0 < FIRST + 8 || range.1 > END - 8;
        if whole.iter().any(near_the_ends) {
            return Ok(None);
        }
        let ruler = |marks, limit| Ruler::new(round, lattice, 0, marks, limit, sides[0].cell);
        let both = |marks| {
            let outer = ruler(marks, limit);
            let inner = hole.filter(|&hole| hole != limit);
            [outer, inner.map_or(outer, |hole| ruler(marks, hole))]
        };
        let (planes, middles) = match question.way {
            Way::Closed | Way::HalfOpen => (Some(both(Marks::Planes)), None),
            Way::Middle | Way::Band | Way::Layer => (None, Some(both(Marks::Middles))),
            Way::Thin => (Some(both(Marks::Planes)), Some(both(Marks::Middles))),
        };
        let clip = |a: usize| window.map_or(i32::MIN..i32::MAX, |window| window.range(a));
        let mut slabs = Self {
            question,
            lattice,
            instructions,
            block: Block {
                start: Voxel::from_fn(|a| (whole[a].0 as i32).max(clip(a).start)),
                end: Voxel::from_fn(|a| (whole[a].1 as i32).min(clip(a).end)),
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
        let (bounds, round) = (self.lattice.bounds(&self.block), &self.question.round);
        let near = near_sq(round, &bounds);
        let far = far_sq(round, &bounds);
        near > self.question.limit || self.question.hole.is_some_and(|hole| far < hole)
    }

    /// What cell `index` of an axis above 0 adds to a squared distance: by its nearest plane, or by
    /// its middle. Nothing on an axis that there is not.
    fn offset(&self, axis: usize, index: i32, marks: Marks) -> ScalarOf<R> {
        if axis >= R::Vector::DIM {
            return Scalar::ZERO;
        }
        offset(&self.question.round, &self.lattice, axis, index, marks)
    }

    /// Those of cells that follow each other.
    fn offsets_from(&self, axis: usize, index: i32, marks: Marks, to: &mut [ScalarOf<R>]) {
        if axis < R::Vector::DIM {
            self.instructions.run(Offsets {
                round: &self.question.round,
                lattice: &self.lattice,
                axis,
                marks,
                index,
                to,
            });
        }
    }

    fn height(&self, axis: usize, index: i32) -> ScalarOf<R> {
        self.offset(axis, index, Marks::Planes)
    }

    /// The marks by which slabs and rows are told.
    fn marks(&self) -> Marks {
        match self.question.way {
            Way::Closed | Way::HalfOpen | Way::Thin => Marks::Planes,
            Way::Middle | Way::Band | Way::Layer => Marks::Middles,
        }
    }

    /// The ruler of some marks that the way takes.
    fn ruler(&self, marks: Marks, of_hole: bool) -> &Ruler<R> {
        let rulers = match marks {
            Marks::Planes => &self.planes,
            Marks::Middles => &self.middles,
        };
        &rulers.as_ref().expect("the way takes them")[usize::from(of_hole)]
    }

    fn block_range(&self, axis: usize) -> Range<i32> {
        if axis < R::Vector::DIM {
            self.block.range(axis)
        } else {
            0..1
        }
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
        if axis >= R::Vector::DIM {
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
fn offset<R: Round>(
    round: &R,
    lattice: &Lattice<R::Vector>,
    axis: usize,
    index: i32,
    marks: Marks,
) -> ScalarOf<R> {
    let apart = match marks {
        Marks::Planes => {
            // Blocks end before the range does. Wrapping in `i32`, it takes no wider vectors.
            let face = |step| lattice.face(axis, index.wrapping_add(step).into());
            near_on(round, axis, face(0), face(1))
        }
        Marks::Middles => {
            let middle = lattice.middle(axis, index.into());
            round.scaled(axis, middle - round.middle().axis(axis))
        }
    };
    apart * apart
}

struct Offsets<'a, R: Round> {
    round: &'a R,
    lattice: &'a Lattice<R::Vector>,
    axis: usize,
    marks: Marks,
    index: i32,
    to: &'a mut [ScalarOf<R>],
}

impl<R: Round> Job for Offsets<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let (round, lattice) = (*self.round, *self.lattice);
        match self.marks {
            Marks::Planes => {
                for (i, to) in self.to.iter_mut().enumerate() {
                    let index = self.index.wrapping_add(i as i32);
                    *to = offset(&round, &lattice, self.axis, index, Marks::Planes);
                }
            }
            Marks::Middles => {
                for (i, to) in self.to.iter_mut().enumerate() {
                    let index = self.index.wrapping_add(i as i32);
                    *to = offset(&round, &lattice, self.axis, index, Marks::Middles);
                }
            }
        }
    }
}

impl<R: Round> Slabs for RoundSlabs<R> {
    type Vector = R::Vector;

    fn block(&self) -> Block<VoxelOf<R>> {
        self.block
    }

    fn rows(&mut self, z: i32, w: i32) -> Range<i32> {
        self.reach_of(z, w)
    }

    fn fill(&mut self, slab: &mut Slab) {
        let way = self.question.way;
        if matches!(way, Way::Closed | Way::HalfOpen) {
            self.fill_by_planes(slab);
            return;
        }
        let Slab { strips, columns } = slab;
        for strip in strips {
            match way {
                Way::Layer => self.fill_layer(strip, columns),
                Way::Thin => self.fill_thin(strip, columns),
                _ => self.fill_by_middles(strip, columns),
            }
        }
    }
}
