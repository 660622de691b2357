//! Slabs of rows in columns, and the iteration over the slabs of a shape.

mod boxes;

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use smallvec::SmallVec;

use super::Span;
use super::lattice::{Block, farthest};
use super::round::RoundSlabs;
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::{Scalar, Voxel};
use fearless_simd::Simd;

pub(super) use boxes::BoxSlabs;

/// Largest number of rows of a slab at a time: their columns stay in the cache, whatever the shape's size.
pub(super) const MOST_ROWS: usize = 2048;
/// Number of rows of several slabs that are handed out together, so that costs per list are small.
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

/// Largest number of strips that are handed out together.
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
        run!(instructions, |simd| count(simd, self))
    }
}

/// Counts the voxels of a slab.
///
/// ```text
/// for each row: sum += (hole - start) + (end - rest)
/// ```
#[inline(always)]
fn count<S: Simd>(_: S, slab: &Slab) -> u64 {
    let [start, hole, rest, end] = slab.columns.get();
    let mut sum = 0;
    for i in 0..start.len() {
        // Differences of two `i32` that do not decrease.
        sum += u64::from(hole[i].wrapping_sub(start[i]) as u32);
        sum += u64::from(end[i].wrapping_sub(rest[i]) as u32);
    }
    sum
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

    /// The first place on an axis, from one on, where cells may be met; on the axes below it all of the block
    /// counts. O(log N): a block that holds no cell has no part that holds one.
    fn skip(&self, axis: usize, at: [i32; 4]) -> i32 {
        let block = self.block();
        let misses = |steps: i64| {
            let end = (i64::from(at[axis]) + steps) as i32;
            let on = |a: usize, below: i32, here: i32, above: i32| match a.cmp(&axis) {
                Ordering::Less => below,
                Ordering::Equal => here,
                Ordering::Greater => above,
            };
            let part = Block {
                start: [0, 1, 2, 3].map(|a| on(a, block.start[a], at[a], at[a])),
                end: [0, 1, 2, 3].map(|a| on(a, block.end[a], end, at[a] + 1)),
            };
            match self {
                Self::Round(round) => round.misses(&part),
                Self::Boxes(boxes) => boxes.misses(&part),
            }
        };
        let most = i64::from(block.end[axis]) - i64::from(at[axis]);
        let skipped = farthest(most, 0, |steps| steps == 0 || misses(steps));
        (i64::from(at[axis]) + skipped) as i32
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
    /// Whether there are so many slabs that those without cells are skipped together.
    is_long: bool,
    /// How many slabs and rows were looked at.
    pub(super) steps: u64,
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
            is_long: (2..4).any(|a| block.range(a).len() > MOST_ROWS),
            steps: 0,
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
                self.steps += 1;
                if self.is_long && self.skip_slabs(&mut z, &mut w) {
                    self.done = true;
                    break;
                }
                self.entered = true;
                left = self.shape.rows(z, w);
                continue;
            }
            if left.len() > MOST_ROWS {
                // Far from a surface there may be many rows without cells.
                left.start = self.shape.skip(1, [0, left.start, z, w]).min(left.end);
                if left.is_empty() {
                    continue;
                }
            }
            let count = left.len().min(MOST_ROWS);
            if rows > 0 && rows + count > TOGETHER {
                break;
            }
            rows += count;
            self.steps += count as u64;
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

    /// Goes on to a slab that may have cells; true if there is none.
    fn skip_slabs(&self, z: &mut i32, w: &mut i32) -> bool {
        loop {
            if *z == self.block.start[2] {
                *w = self.shape.skip(3, [0, 0, *z, *w]);
                if *w == self.block.end[3] {
                    return true;
                }
            }
            *z = self.shape.skip(2, [0, 0, *z, *w]);
            if *z < self.block.end[2] {
                return false;
            }
            // None here: on along the last axis.
            (*z, *w) = (self.block.start[2], *w + 1);
            if *w == self.block.end[3] {
                return true;
            }
        }
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
