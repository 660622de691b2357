//! Slabs of solid and hollow spheres and ellipsoids, and of shells.
//!
//! In a row, the cells whose nearest point is within the surface are one range around the centre, since
//! that distance falls towards it and rises beyond, in floats too; and those whose farthest corner is
//! within the surface (of the hole of a shell, else the same one) are a range in it. The nearest point
//! of a cell lies on the plane towards the centre, the farthest on the plane beyond. So both ranges
//! are told by the lattice planes up to the limit on a line: those of the row's near edge, and of its
//! far edge, which is the near edge of the row one step outwards on every other axis. One square root
//! for each edge gives all, and each sheet of edges serves two slabs. The rules of centres ask middles
//! of cells in the place of planes.
//!
//! A half-open cell `[lo, hi)` has its nearest point unless that lies on an upper face, `c >= hi`
//! on some axis, and its farthest corner only if that is the lower one, `c - lo >= hi - c` on all
//! axes. Where the sums equal the limit, these decide.

mod rows;

use alloc::vec::Vec;
use core::ops::Range;

use super::lattice::{Block, END, FIRST, Lattice, ceil, farthest, floor};
use super::ruler::{Lines, Marks, Ruler};
use super::slab::{Columns, MOST_ROWS, Slab, Slabs};
use crate::overlap::distance::{ScalarOf, far_on, near_on};
use crate::overlap::round::Round;
use crate::{Error, InstructionSet, Scalar, Vector, Voxel};
use rows::{Closed, Combined, HalfOpen};

type VoxelOf<R> = <<R as crate::overlap::distance::Metric>::Vector as Vector>::Voxel;

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

/// An axis above 0.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// The cell of the centre.
    cell: i64,
    /// The first cell whose upper face is farther than its lower one.
    upper: i64,
    /// The first cell for which the middle of the next is farther than that of the one before.
    next: i64,
}

/// The ends of lines.
#[derive(Clone, Debug, Default)]
struct Sheet {
    /// Whether they are those of the hole, and where the lines are on the axes from 2 on.
    of: Option<(bool, i32, i32)>,
    rows: Range<i32>,
    ends: Columns,
}

impl Sheet {
    /// The columns of so many rows from one on.
    #[inline(always)]
    fn from(&self, row: i32, many: usize) -> [&[i32]; 4] {
        let first = (row - self.rows.start) as usize;
        self.ends.get().map(|column| &column[first..first + many])
    }
}

#[derive(Clone, Debug)]
pub(super) struct RoundSlabs<R: Round> {
    question: Question<R>,
    lattice: Lattice<R::Vector>,
    instructions: InstructionSet,
    block: Block<VoxelOf<R>>,
    sides: [Side; 4],
    /// Along axis 0, for the limit and for the hole's; planes, or the middles of cells.
    planes: [Ruler<R>; 2],
    middles: [Ruler<R>; 2],
    /// What axis 1 adds, by the planes and by the middles, from a cell on.
    offsets: [Vec<ScalarOf<R>>; 2],
    first: i32,
    sheets: [Sheet; 2],
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
        let both = |marks| [ruler(marks, limit), ruler(marks, hole.unwrap_or(limit))];
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
            planes: both(Marks::Planes),
            middles: both(Marks::Middles),
            offsets: [Vec::new(), Vec::new()],
            first: 0,
            sheets: [Sheet::default(), Sheet::default()],
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
        let near = crate::overlap::distance::near_sq(round, &bounds);
        let far = crate::overlap::distance::far_sq(round, &bounds);
        near > self.question.limit || self.question.hole.is_some_and(|hole| far < hole)
    }

    /// What cell `index` of an axis above 0 adds to a squared distance: by its nearest plane, or by
    /// its middle. Nothing on an axis that there is not.
    #[inline(always)]
    fn offset(&self, axis: usize, index: i32, marks: Marks) -> ScalarOf<R> {
        if axis >= R::Vector::DIM {
            return Scalar::ZERO;
        }
        let round = &self.question.round;
        let apart = match marks {
            Marks::Planes => {
                let face = |step| self.lattice.face(axis, i64::from(index) + step);
                near_on(round, axis, face(0), face(1))
            }
            Marks::Middles => {
                let middle = self.lattice.middle(axis, index.into());
                round.scaled(axis, middle - round.middle().axis(axis))
            }
        };
        apart * apart
    }

    /// The marks by which slabs and rows are told.
    fn marks(&self) -> Marks {
        match self.question.way {
            Way::Closed | Way::HalfOpen | Way::Thin => Marks::Planes,
            Way::Middle | Way::Band | Way::Layer => Marks::Middles,
        }
    }

    /// Has the offsets of some rows, and one more on either side.
    fn measure(&mut self, rows: &Range<i32>) {
        let (start, end) = (rows.start - 1, rows.end + 1);
        let known = self.offsets[0].len().max(self.offsets[1].len()) as i32;
        if self.first <= start && end <= self.first + known {
            return;
        }
        let all = self.block_range(1);
        let (start, end) = if all.len() <= 32 * MOST_ROWS {
            (all.start - 1, all.end + 1)
        } else {
            (start, end)
        };
        self.first = start;
        let way = self.question.way;
        let (planes, middles) = match way {
            Way::Closed | Way::HalfOpen => (true, false),
            Way::Middle | Way::Band | Way::Layer => (false, true),
            Way::Thin => (true, true),
        };
        for (which, marks) in [(planes, Marks::Planes), (middles, Marks::Middles)] {
            if which {
                let mut offsets = core::mem::take(&mut self.offsets[marks as usize]);
                offsets.clear();
                offsets.extend((start..end).map(|row| self.offset(1, row, marks)));
                self.offsets[marks as usize] = offsets;
            }
        }
    }

    fn block_range(&self, axis: usize) -> Range<i32> {
        if axis < R::Vector::DIM {
            self.block.range(axis)
        } else {
            0..1
        }
    }

    /// Lines along axis 0 next to each other, by their rows.
    fn lines(
        &self,
        rows: &Range<i32>,
        marks: Marks,
        rest: [ScalarOf<R>; 2],
    ) -> Lines<'_, ScalarOf<R>> {
        let first = (rows.start - self.first) as usize;
        Lines {
            offsets: &self.offsets[marks as usize][first..first + rows.len()],
            rest,
        }
    }

    /// One step away from the centre on an axis.
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

    /// The slab of the higher axes' planes, or of the ones beyond them.
    fn sheet(&mut self, of_hole: bool, z: i32, w: i32, rows: Range<i32>) -> usize {
        let shared = self
            .question
            .hole
            .is_none_or(|hole| hole == self.question.limit);
        let slot = if shared {
            (z & 1) as usize
        } else {
            usize::from(of_hole)
        };
        let of = Some((of_hole && !shared, z, w));
        let sheet = &self.sheets[slot];
        if sheet.of == of && sheet.rows.start <= rows.start && rows.end <= sheet.rows.end {
            return slot;
        }
        // Below the centre it serves the next slab too, which is larger.
        let mut wide = rows;
        let side = &self.sides[2];
        if shared && R::Vector::DIM == 3 && i64::from(z) + 1 < side.upper {
            let next = self.reach_of(z + 1, w);
            let (start, end) = (next.start - 1, next.end + 1);
            let all = self.block_range(1);
            if !next.is_empty() && next.len() <= MOST_ROWS {
                wide.start = wide.start.min(start).max(all.start - 1);
                wide.end = wide.end.max(end).min(all.end + 1);
            }
        }
        self.measure(&(wide.start + 1..wide.end - 1));
        let rest = [self.height(2, z), self.offset(3, w, Marks::Planes)];
        let mut ends = core::mem::take(&mut self.sheets[slot].ends);
        let ruler = &self.planes[usize::from(of_hole)];
        ruler.ends(
            self.instructions,
            self.lines(&wide, Marks::Planes, rest),
            &mut ends,
        );
        self.sheets[slot] = Sheet {
            of,
            rows: wide,
            ends,
        };
        slot
    }

    fn height(&self, axis: usize, index: i32) -> ScalarOf<R> {
        self.offset(axis, index, Marks::Planes)
    }

    /// The rows of a slab that may have cells; all of them on a plane.
    fn reach_of(&mut self, z: i32, w: i32) -> Range<i32> {
        let all = self.block_range(1);
        if R::Vector::DIM < 3 {
            return all;
        }
        let marks = self.marks();
        if self.reach.of != Some((false, 0, w)) || !self.reach.rows.contains(&z) {
            // Many slabs at once.
            let rows = z..z
                .saturating_add(256)
                .min(self.block.range(2).end + 1)
                .max(z + 1);
            let mut heights = core::mem::take(&mut self.heights);
            heights.clear();
            heights.extend(rows.clone().map(|z| self.offset(2, z, marks)));
            let (round, limit) = (self.question.round, self.question.limit);
            let ruler = Ruler::new(round, self.lattice, 1, marks, limit, self.sides[1].cell);
            let lines = Lines {
                offsets: &heights,
                rest: [self.offset(3, w, marks), Scalar::ZERO],
            };
            ruler.ends(self.instructions, lines, &mut self.reach.ends);
            self.heights = heights;
            self.reach.of = Some((false, 0, w));
            self.reach.rows = rows;
        }
        let [[left], .., [right]] = self.reach.from(z, 1) else {
            return 0..0;
        };
        let found = match marks {
            Marks::Planes => {
                let sum =
                    self.heights[(z - self.reach.rows.start) as usize] + self.offset(3, w, marks);
                if sum > self.question.limit {
                    return 0..0;
                }
                left - 1..right + 1
            }
            Marks::Middles => *left..right + 1,
        };
        found.start.max(all.start)..found.end.min(all.end)
    }
}

impl Side {
    fn new<V: Vector>(lattice: &Lattice<V>, axis: usize, c: V::Scalar) -> Result<Self, Error> {
        let cell = lattice.index_of(axis, c)?;
        let first = |farther: &dyn Fn(i64) -> bool| {
            // True from somewhere next to the centre's cell on.
            let below = farthest(END - FIRST, 0, |k| k == 0 || farther(cell + 2 - k));
            let above = || farthest(END - FIRST, 0, |k| k == 0 || !farther(cell + 1 + k));
            if below > 0 {
                cell + 2 - below
            } else {
                cell + 2 + above()
            }
        };
        let (face, middle) = (|i| lattice.face(axis, i), |i| lattice.middle(axis, i));
        Ok(Self {
            cell,
            upper: first(&|i| face(i + 1) - c > c - face(i)),
            next: first(&|i| middle(i + 1) - c > c - middle(i - 1)),
        })
    }
}

/// The cells of an axis that are met where the other axes add nothing, from and to.
fn met<R: Round>(
    question: &Question<R>,
    lattice: &Lattice<R::Vector>,
    axis: usize,
    cell: i64,
) -> Result<(i64, i64), Error> {
    let (round, limit) = (&question.round, question.limit);
    let c = round.middle().axis(axis);
    // A difference of one step measures `scaled(step)` units.
    let step: f64 = round.scaled(axis, lattice.step.axis(axis)).into();
    let half = Scalar::sqrt(limit.into()) / step;
    let position = lattice.position(axis, c);
    let holds = |plane| {
        let face = lattice.face(axis, plane);
        let apart = far_on(round, axis, face, face);
        apart * apart <= limit
    };
    // One beyond the range on either side, to see whether the shape reaches there. The cell of the
    // centre is met; of those below it the upper face is the near one.
    let below = farthest(cell - FIRST + 1, cell + 1 - ceil(position - half), |k| {
        k == 0 || holds(cell - k + 1)
    });
    let above = farthest(END - cell, floor(position + half) - cell, |k| {
        k == 0 || holds(cell + k)
    });
    let (start, end) = (cell - below, cell + above + 1);
    if start < FIRST || end > END {
        let half = half * lattice.step.axis(axis).into();
        let c: f64 = c.into();
        return Err(Error::OutOfRange {
            axis,
            value: if start < FIRST { c - half } else { c + half },
        });
    }
    Ok((start, end))
}

impl<R: Round> Slabs for RoundSlabs<R> {
    type Vector = R::Vector;

    fn block(&self) -> Block<VoxelOf<R>> {
        self.block
    }

    fn rows(&mut self, at: &[i32; 4]) -> Range<i32> {
        self.reach_of(at[2], at[3])
    }

    fn fill(&mut self, at: &[i32; 4], many: usize, slab: &mut Slab) {
        slab.columns.set_rows(many);
        let rows = at[1]..at[1] + many as i32;
        match self.question.way {
            Way::Closed | Way::HalfOpen => self.fill_by_planes(at, rows, slab),
            Way::Middle | Way::Band => self.fill_by_middles(at, rows, slab),
            Way::Layer => self.fill_layer(at, rows, slab),
            Way::Thin => self.fill_thin(at, rows, slab),
        }
    }
}

impl<R: Round> RoundSlabs<R> {
    fn fill_by_planes(&mut self, at: &[i32; 4], rows: Range<i32>, slab: &mut Slab) {
        self.measure(&rows);
        let around = rows.start - 1..rows.end + 1;
        let near = self.sheet(false, at[2], at[3], around.clone());
        let out = |slabs: &Self, a| {
            let index = at[a];
            if a < R::Vector::DIM {
                slabs.outwards(a, index, Marks::Planes)
            } else {
                0
            }
        };
        let (z, w) = (out(self, 2), out(self, 3));
        let far = self.question.hole.map(|_| self.sheet(true, z, w, around));
        let x = self.block_range(0);
        let upper = self.parted(1, &rows, Marks::Planes);
        let cell = self.sides[1].cell.clamp(rows.start.into(), rows.end.into()) as i32;
        let parts = if self.question.way == Way::HalfOpen {
            [
                rows.start..cell.min(upper),
                cell.min(upper)..cell.max(upper),
                cell.max(upper)..rows.end,
            ]
        } else {
            [rows.start..upper, upper..rows.end, rows.end..rows.end]
        };
        for part in parts {
            if part.is_empty() {
                continue;
            }
            let many = part.len();
            let first = (part.start - rows.start) as usize;
            let to = slab
                .columns
                .get_mut()
                .map(|column| &mut column[first..first + many]);
            let row = match R::Vector::DIM {
                1 => part.start,
                _ if part.start < upper => part.start - 1,
                _ => part.start + 1,
            };
            let near = self.sheets[near].from(part.start, many);
            let far = far.map(|far| self.sheets[far].from(row, many));
            if self.question.way == Way::Closed {
                self.instructions.run(Closed {
                    near,
                    far,
                    x: x.clone(),
                    to,
                });
            } else {
                let below = |a: usize, from: i64| a >= R::Vector::DIM || i64::from(at[a]) < from;
                let higher = |f: &dyn Fn(usize) -> bool| (2..R::Vector::DIM).all(f);
                let rest = [self.height(2, at[2]), self.height(3, at[3])];
                self.instructions.run(HalfOpen {
                    near,
                    far,
                    lines: self.lines(&part, Marks::Planes, rest),
                    limit: self.question.limit,
                    has_near: (R::Vector::DIM < 2 || i64::from(part.start) >= self.sides[1].cell)
                        && higher(&|a| !below(a, self.sides[a].cell)),
                    has_far: (R::Vector::DIM < 2 || part.start < upper)
                        && higher(&|a| below(a, self.sides[a].upper)),
                    cell: self.sides[0].cell as i32,
                    is_upper: self.sides[0].cell >= self.sides[0].upper,
                    x: x.clone(),
                    to,
                });
            }
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

    /// The ends of lines into one of the sheets, which then belong to no one.
    fn draw(
        &mut self,
        slot: usize,
        (marks, of_hole): (Marks, bool),
        (rows, by): (&Range<i32>, Marks),
        rest: [ScalarOf<R>; 2],
    ) {
        let mut ends = core::mem::take(&mut self.sheets[slot].ends);
        let rulers = match marks {
            Marks::Planes => &self.planes,
            Marks::Middles => &self.middles,
        };
        let lines = self.lines(rows, by, rest);
        rulers[usize::from(of_hole)].ends(self.instructions, lines, &mut ends);
        self.sheets[slot] = Sheet {
            of: None,
            rows: rows.clone(),
            ends,
        };
    }

    /// What the axes from 2 on add, by the middles, but on one by the planes.
    fn rest(&self, at: &[i32; 4], by_planes: Option<usize>) -> [ScalarOf<R>; 2] {
        [2, 3].map(|a| {
            let marks = if by_planes == Some(a) {
                Marks::Planes
            } else {
                Marks::Middles
            };
            self.offset(a, at[a], marks)
        })
    }

    fn fill_by_middles(&mut self, at: &[i32; 4], rows: Range<i32>, slab: &mut Slab) {
        self.measure(&rows);
        let rest = self.rest(at, None);
        let mut combined = Combined::new(&mut slab.columns);
        let is_band = self.question.way == Way::Band;
        self.draw(0, (Marks::Middles, false), (&rows, Marks::Middles), rest);
        let [first, first_below, last_below, last] = self.sheets[0].ends.get();
        if is_band {
            combined.add(first_below, last_below, 0, 1);
        } else {
            combined.add(first, last, 0, 1);
        }
        if self.question.hole.is_some() {
            self.draw(1, (Marks::Middles, true), (&rows, Marks::Middles), rest);
            let [first, first_below, last_below, last] = self.sheets[1].ends.get();
            if is_band {
                combined.leave_out(0, first, last, 0, 1);
            } else {
                combined.leave_out(0, first_below, last_below, 0, 1);
            }
        }
        combined.finish(self.block_range(0));
    }

    fn fill_layer(&mut self, at: &[i32; 4], rows: Range<i32>, slab: &mut Slab) {
        self.measure(&rows);
        let around = if R::Vector::DIM > 1 {
            rows.start - 1..rows.end + 1
        } else {
            rows.clone()
        };
        let mut combined = Combined::new(&mut slab.columns);
        let upper = self.parted(1, &rows, Marks::Middles);
        self.draw(
            0,
            (Marks::Middles, false),
            (&around, Marks::Middles),
            self.rest(at, None),
        );
        let [first, _, _, last] = self.sheets[0].from(rows.start, rows.len());
        combined.add(first, last, 0, 1);
        combined.leave_out(0, first, last, 1, 0);
        if R::Vector::DIM > 1 {
            self.leave_out_shifted(&mut combined, &rows, upper, false);
        }
        for a in 2..R::Vector::DIM {
            let mut beyond = *at;
            beyond[a] = self.outwards(a, at[a], Marks::Middles);
            let rest = self.rest(&beyond, None);
            self.draw(1, (Marks::Middles, false), (&rows, Marks::Middles), rest);
            let [first, _, _, last] = self.sheets[1].ends.get();
            combined.leave_out(0, first, last, 0, 1);
        }
        combined.finish(self.block_range(0));
    }

    /// Leaves out the middles of the first sheet in the row one step outwards.
    fn leave_out_shifted(
        &self,
        combined: &mut Combined<'_>,
        rows: &Range<i32>,
        upper: i32,
        below: bool,
    ) {
        for (part, step) in [(rows.start..upper, -1), (upper..rows.end, 1)] {
            if part.is_empty() {
                continue;
            }
            let [first, first_below, last_below, last] =
                self.sheets[0].from(part.start + step, part.len());
            let to = (part.start - rows.start) as usize;
            if below {
                combined.leave_out(to, first_below, last_below, 0, 1);
            } else {
                combined.leave_out(to, first, last, 0, 1);
            }
        }
    }

    fn fill_thin(&mut self, at: &[i32; 4], rows: Range<i32>, slab: &mut Slab) {
        self.measure(&rows);
        let mut combined = Combined::new(&mut slab.columns);
        let hole = self.question.hole;
        let differs = hole.is_some_and(|hole| hole != self.question.limit);
        // Along axis 0, from plane to plane; only where the line through the middles is met.
        let rest = self.rest(at, None);
        self.draw(0, (Marks::Planes, false), (&rows, Marks::Middles), rest);
        let [first, _, _, last] = self.sheets[0].ends.get();
        let lines = self.lines(&rows, Marks::Middles, rest);
        let limit = self.question.limit;
        combined.add_if(first, last, |row| {
            (lines.offsets[row] + lines.rest[0]) + lines.rest[1] <= limit
        });
        if hole.is_some() {
            if differs {
                self.draw(0, (Marks::Planes, true), (&rows, Marks::Middles), rest);
            }
            let [_, first_below, last_below, _] = self.sheets[0].ends.get();
            combined.leave_out(0, first_below, last_below, 0, 0);
        }
        // Along axis 1, whose far planes are the near ones of the row beyond.
        if R::Vector::DIM > 1 {
            let around = rows.start - 1..rows.end + 1;
            self.draw(0, (Marks::Middles, false), (&around, Marks::Planes), rest);
            let [first, _, _, last] = self.sheets[0].from(rows.start, rows.len());
            combined.add(first, last, 0, 1);
            if hole.is_some() {
                if differs {
                    self.draw(0, (Marks::Middles, true), (&around, Marks::Planes), rest);
                }
                let upper = self.parted(1, &rows, Marks::Planes);
                self.leave_out_shifted(&mut combined, &rows, upper, true);
            }
        }
        // Along the others.
        for a in 2..R::Vector::DIM {
            let rest = self.rest(at, Some(a));
            self.draw(0, (Marks::Middles, false), (&rows, Marks::Middles), rest);
            let [first, _, _, last] = self.sheets[0].ends.get();
            combined.add(first, last, 0, 1);
            if hole.is_some() {
                let mut beyond = *at;
                beyond[a] = self.outwards(a, at[a], Marks::Planes);
                let rest = self.rest(&beyond, Some(a));
                self.draw(0, (Marks::Middles, true), (&rows, Marks::Middles), rest);
                let [_, first_below, last_below, _] = self.sheets[0].ends.get();
                combined.leave_out(0, first_below, last_below, 0, 1);
            }
        }
        combined.finish(self.block_range(0));
    }
}
