//! Rows by the slab, and the walk over the slabs of a shape; the slabs of solid and hollow boxes, which are the
//! same ranges in every row.

use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

use super::Rule;
use super::Span;
use super::lattice::{Block, END, FIRST, Lattice, farthest, floor};
use super::round::RoundSlabs;
use crate::error::Error;
use crate::simd::{InstructionSet, Job, LANES};
use crate::vector::{Scalar, Voxel};
use fearless_simd::Simd;

/// So many rows of a slab at a time: their columns stay in the cache, whatever the shape's size.
pub(super) const MOST_ROWS: usize = 2048;
/// So many rows of several slabs are filled together: what is done once for all is a small part then.
const TOGETHER: usize = 512;

/// Four numbers for each of some rows, by columns, and room for rows that nobody asked for: vector
/// instructions take sixteen at a time, and start over where the question changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    numbers: Vec<i32>,
    rows: usize,
    /// From column to column.
    stride: usize,
}

impl Columns {
    /// Makes room for so many rows, with anything in them.
    #[inline]
    pub(super) fn set_rows(&mut self, rows: usize) {
        self.rows = rows;
        self.stride = rows + 2 * LANES;
        if self.numbers.len() < 4 * self.stride {
            self.numbers.resize(4 * self.stride, 0);
        }
    }

    #[inline(always)]
    pub(super) fn get(&self) -> [&[i32]; 4] {
        self.from(0).map(|column| &column[..self.rows])
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self) -> [&mut [i32]; 4] {
        let rows = self.rows;
        self.rows_from(0).map(|column| &mut column[..rows])
    }

    /// The columns from a row on, and some more.
    #[inline(always)]
    pub(super) fn from(&self, row: usize) -> [&[i32]; 4] {
        let (a, rest) = self.numbers[..4 * self.stride].split_at(self.stride);
        let (b, rest) = rest.split_at(self.stride);
        let (c, d) = rest.split_at(self.stride);
        [a, b, c, d].map(|column| &column[row..])
    }

    /// The columns from a row on, and some more.
    #[inline(always)]
    pub(super) fn rows_from(&mut self, row: usize) -> [&mut [i32]; 4] {
        let (a, rest) = self.numbers[..4 * self.stride].split_at_mut(self.stride);
        let (b, rest) = rest.split_at_mut(self.stride);
        let (c, d) = rest.split_at_mut(self.stride);
        [a, b, c, d].map(|column| &mut column[row..])
    }
}

impl Columns {
    /// The rows of a strip.
    pub(super) fn of(&mut self, strip: &Strip) -> [&mut [i32]; 4] {
        let count = strip.count;
        self.rows_from(strip.first)
            .map(|column| &mut column[..count])
    }
}

/// Sixteen numbers from one on.
#[inline(always)]
pub(super) fn sixteen<X: Copy>(numbers: &[X], from: usize) -> [X; LANES] {
    numbers[from..from + LANES].try_into().expect("as long")
}

/// Puts sixteen rows into columns.
#[inline(always)]
pub(super) fn put(to: &mut [&mut [i32]; 4], from: usize, rows: &[[i32; LANES]; 4]) {
    for (to, row) in to.iter_mut().zip(rows) {
        to[from..from + LANES].copy_from_slice(row);
    }
}

/// Rows along axis 0 that follow each other on axis 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    /// Where the first row is on the axes above 0.
    pub(super) at: [i32; 4],
    /// Where it is in the columns.
    pub(super) first: usize,
    pub(super) count: usize,
}

impl Strip {
    /// The rows, along axis 1.
    pub(super) fn rows(&self) -> Range<i32> {
        self.at[1]..self.at[1] + self.count as i32
    }

    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.first + self.count
    }

    /// A row along axis 1, by its place in the columns.
    #[inline(always)]
    pub(super) fn index(&self, row: usize) -> i32 {
        self.at[1].wrapping_add((row - self.first) as i32)
    }

    #[inline(always)]
    pub(super) fn span<X: Voxel>(&self, row: usize, start: i32, end: i32) -> Span<X> {
        let y = self.index(row);
        let first = X::from_fn(|a| match a {
            0 => start,
            1 => y,
            _ => self.at[a],
        });
        Span::new(first, end)
    }
}

/// So many strips at most are together; of no more is there any gain.
pub(super) const STRIPS: usize = 24;

/// Some strips, one after the other. Of each row the cells from the first number of its columns to
/// before the second are met, and from the third to before the fourth; the numbers never decrease.
#[derive(Clone, Debug, Default)]
pub struct Slab {
    pub(super) strips: SmallVec<[Strip; STRIPS]>,
    pub(super) columns: Columns,
}

impl Slab {
    /// Adds a strip, to be filled. Inlined: its place would go through memory by halves.
    #[inline(always)]
    pub(super) fn add(&mut self, at: [i32; 4], count: usize) {
        let first = self.rows();
        self.strips.push(Strip { at, first, count });
    }

    /// The rows of all strips.
    #[inline]
    pub(super) fn rows(&self) -> usize {
        self.strips.last().map_or(0, Strip::end)
    }

    /// The number of voxels.
    pub(super) fn count(&self, instructions: InstructionSet) -> u64 {
        instructions.run(Count(self))
    }
}

/// Counts the voxels of a slab.
///
/// ```text
/// for each row: sum += (hole - start) + (end - rest)
/// ```
struct Count<'a>(&'a Slab);

impl Job for Count<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> u64 {
        let [start, hole, rest, end] = self.0.columns.get();
        let mut sum = 0;
        for i in 0..start.len() {
            // Differences of two `i32` that do not decrease.
            sum += u64::from(hole[i].wrapping_sub(start[i]) as u32);
            sum += u64::from(end[i].wrapping_sub(rest[i]) as u32);
        }
        sum
    }
}

/// A shape whose every row has at most two spans.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one per listing, in a box")]
pub(super) enum Slabs<S> {
    Round(RoundSlabs<S>),
    Boxes(BoxSlabs),
}

impl<S: Scalar> Slabs<S> {
    /// The cells to look at.
    pub(super) fn block(&self) -> Block<[i32; 4]> {
        match self {
            Self::Round(round) => round.block(),
            Self::Boxes(boxes) => boxes.block(),
        }
    }

    /// The rows of the slab with given indices on the axes from 2 on that may have cells.
    pub(super) fn rows(&mut self, z: i32, w: i32) -> Range<i32> {
        match self {
            Self::Round(round) => round.rows(z, w),
            Self::Boxes(boxes) => boxes.rows(),
        }
    }

    /// Fills the strips of a slab, of which there is at least one, in a walk's order; there is room for
    /// them in its columns.
    pub(super) fn fill(&mut self, slab: &mut Slab) {
        match self {
            Self::Round(round) => round.fill(slab),
            Self::Boxes(boxes) => boxes.fill(slab),
        }
    }
}

/// The slabs of a shape, the last axis slowest.
#[derive(Clone, Debug)]
pub struct SlabWalk<S> {
    shape: Slabs<S>,
    block: Block<[i32; 4]>,
    /// The slab on the axes from 2 on, whether its rows are known, and what is left of them.
    at: [i32; 2],
    entered: bool,
    left: Range<i32>,
    done: bool,
    pub(super) slab: Slab,
}

impl<S: Scalar> SlabWalk<S> {
    pub(super) fn new(shape: Slabs<S>) -> Self {
        let block = shape.block();
        Self {
            at: [block.start[2], block.start[3]],
            shape,
            block,
            entered: false,
            left: 0..0,
            done: block.is_empty(),
            slab: Slab::default(),
        }
    }

    #[inline]
    pub(super) fn block(&self) -> &Block<[i32; 4]> {
        &self.block
    }

    pub(super) fn into_shape(self) -> Slabs<S> {
        self.shape
    }

    /// Fills the slab with the next strips; `false` if there are none. Compiled by [`Kernels`](super::Kernels).
    pub(super) fn fill_next(&mut self) -> bool {
        self.slab.strips.clear();
        let mut rows = 0;
        // Here, so that they stay in registers: halves that are written are waited for when read as one.
        let ([mut z, mut w], mut left) = (self.at, self.left.clone());
        while rows < TOGETHER && self.slab.strips.len() < STRIPS {
            if left.is_empty() {
                if self.done {
                    break;
                }
                if self.entered {
                    (z, w) = self.stepped(z, w);
                    self.entered = false;
                    continue;
                }
                self.entered = true;
                left = self.shape.rows(z, w);
                continue;
            }
            let count = left.len().min(MOST_ROWS);
            if rows > 0 && rows + count > TOGETHER {
                break;
            }
            rows += count;
            self.slab.add([0, left.start, z, w], count);
            left.start += count as i32;
        }
        (self.at, self.left) = ([z, w], left);
        if rows == 0 {
            return false;
        }
        self.slab.columns.set_rows(rows);
        self.shape.fill(&mut self.slab);
        true
    }

    /// The place of the next slab.
    #[inline(always)]
    fn stepped(&mut self, z: i32, w: i32) -> (i32, i32) {
        if z + 1 < self.block.end[2] {
            return (z + 1, w);
        }
        if w + 1 < self.block.end[3] {
            return (self.block.start[2], w + 1);
        }
        self.done = true;
        (z, w)
    }
}

// Boxes.

/// The ranges of a box, integers only; on axes that there are not, cell 0 is met and within.
#[derive(Clone, Debug)]
pub(super) struct BoxSlabs {
    block: Block<[i32; 4]>,
    /// By axis, the cells that are met where the others are.
    met: [(i32, i32); 4],
    /// By axis, those that are left out where the others are: strictly within a surface.
    within: [(i32, i32); 4],
    /// By axis, those with their middle in the box, if it takes all axes but one.
    middles: Option<[(i32, i32); 4]>,
}

impl BoxSlabs {
    /// The box from `min` to `max` on some axes. `None` for the rules of distances, and if it reaches
    /// beyond the range of indices where only a window of it is asked for.
    pub(super) fn new<S: Scalar>(
        axes: &[(S, S)],
        hollow: bool,
        lattice: &Lattice<S>,
        rule: Rule<S>,
        window: Option<&Block<[i32; 4]>>,
    ) -> Result<Option<Self>, Error> {
        if matches!(rule, Rule::Shell(_) | Rule::NarrowBand(_)) {
            return Ok(None);
        }
        let one = [(0, 1); 4];
        let (mut planes, mut within, mut middles) = (one, one, one);
        let mut layer = one;
        for (a, &ends) in axes.iter().enumerate() {
            let half_open = rule == Rule::HalfOpen;
            match ranges(ends, lattice, a, half_open) {
                Ok(found) => [planes[a], within[a], middles[a]] = found,
                Err(_) if window.is_some() => return Ok(None),
                Err(error) => return Err(error),
            }
            layer[a] = (middles[a].0 + 1, middles[a].1 - 1);
        }
        let by_middles = rule == Rule::CenterInside;
        let met = if by_middles { middles } else { planes };
        let clip = |a: usize| window.map_or(i32::MIN..i32::MAX, |window| window.range(a));
        Ok(Some(Self {
            block: Block {
                start: [0, 1, 2, 3].map(|a| met[a].0.max(clip(a).start)),
                end: [0, 1, 2, 3].map(|a| met[a].1.min(clip(a).end)),
            },
            met,
            within: match (hollow, by_middles) {
                (false, _) => [(0, 0); 4],
                (true, false) => within,
                // Without the outermost layer.
                (true, true) => layer,
            },
            middles: (rule == Rule::Thin).then_some(middles),
        }))
    }
}

/// The cells on an axis that the solid box meets, those strictly within it, and those whose middle is in
/// it.
fn ranges<S: Scalar>(
    (min, max): (S, S),
    lattice: &Lattice<S>,
    a: usize,
    half_open: bool,
) -> Result<[(i32, i32); 3], Error> {
    let face = |index| lattice.face(a, index);
    let middle = |index| lattice.middle(a, index);
    let first = lattice.index_of(a, min)?;
    let below = farthest(first - FIRST + 1, 0, |k| {
        let hi = face(first - k + 1);
        if half_open { min < hi } else { min <= hi }
    });
    let most = END - first;
    let guess = floor(lattice.position(a, max)) - first;
    let above = farthest(most, guess, |k| face(first + k) <= max);
    let (start, end) = (first - below, first + above + 1);
    if start < FIRST || end > END {
        let value = if start < FIRST { min } else { max };
        return Err(Error::OutOfRange {
            axis: a,
            value: value.into(),
        });
    }
    // The plane after `first` is the lowest one above `min`. At 0 nothing is said.
    let inner = farthest(most, guess - 1, |k| {
        let hi = face(first + k + 1);
        k == 0 || hi < max || (half_open && hi == max)
    });
    // The middle of the next cell is above `min`, that of the one before the last is not above `max`.
    let lower = farthest(first + 1 - FIRST, 1, |k| {
        k == 0 || middle(first + 1 - k) >= min
    });
    let upper = farthest(END - (end - 1), 0, |k| k == 0 || middle(end - 2 + k) <= max);
    let in_range = |(start, end)| (start as i32, end as i32);
    Ok([
        in_range((start, end)),
        in_range((first + 1, first + inner + 1)),
        in_range((first + 1 - lower, end - 1 + upper)),
    ])
}

fn holds((start, end): (i32, i32), index: i32) -> bool {
    start <= index && index < end
}

impl BoxSlabs {
    fn block(&self) -> Block<[i32; 4]> {
        self.block
    }

    /// The rows of each slab.
    fn rows(&self) -> Range<i32> {
        self.block.range(1)
    }

    /// Fills the strips of a slab.
    fn fill(&self, slab: &mut Slab) {
        let x = self.block.range(0);
        let clip = |index: i32| index.max(x.start).min(x.end);
        let [start, hole, rest, end] = slab.columns.get_mut();
        for strip in &slab.strips {
            let mut at = strip.at;
            let is_within = (2..4).all(|a| holds(self.within[a], at[a]));
            for row in strip.first..strip.end() {
                // Cells without their middle in the box on one axis above 0 are met along that axis
                // alone.
                let off = |middles: [(i32, i32); 4]| {
                    (1..4).filter(|&a| !holds(middles[a], at[a])).count()
                };
                let met = match self.middles.map(|middles| (middles[0], off(middles))) {
                    None | Some((_, 0)) => self.met[0],
                    Some((middles, 1)) => middles,
                    Some(_) => (x.start, x.start),
                };
                let inner = if is_within && holds(self.within[1], at[1]) {
                    self.within[0]
                } else {
                    (0, 0)
                };
                let (from, to) = (clip(met.0), clip(met.1.max(met.0)));
                let (left, right) = if inner.0 < inner.1 { inner } else { (to, to) };
                (start[row], end[row]) = (from, to);
                (hole[row], rest[row]) = (left.clamp(from, to), right.clamp(from, to));
                at[1] += 1;
            }
        }
    }
}
