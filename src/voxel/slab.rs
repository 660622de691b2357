//! Slabs of rows in columns, the iteration over the slabs of a shape, and the choice of how rows are found.

mod boxes;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::halving::Halving;
use super::lattice::Block;
use super::layers::Layers;
use super::round::{Round, RoundSlabs};
use super::voxelize::{Form, ScalarOf, VectorOf};
use super::{Brick, Grid, Span, VoxelGrid, Voxelize};
use crate::error::Error;
use crate::kernels::kernels;
use crate::overlap::Relation;
use crate::simd::{InstructionSet, LANES, run};
use crate::vector::{Scalar, Voxel};
use fearless_simd::Simd;

use boxes::BoxSlabs;

/// Largest number of rows of a slab at a time: their columns stay in the cache, whatever the shape's size.
pub(super) const MOST_ROWS: usize = 2048;
/// Number of rows of several slabs that are handed out together, so that costs per list are small.
const TOGETHER: usize = 512;

/// Four numbers for each row, in columns. Behind the rows there is room for more, since vector instructions write
/// sixteen rows at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    numbers: Vec<i32>,
    rows: usize,
    /// The distance from column to column.
    stride: usize,
}

impl Columns {
    /// Makes room for this many rows, whose numbers are arbitrary.
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
        let rows = self.rows;
        self.from(0).map(|column| &column[..rows])
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self) -> [&mut [i32]; 4] {
        let rows = self.rows;
        self.rows_from(0).map(|column| &mut column[..rows])
    }

    /// The columns one after the other, and how far they are apart.
    #[inline(always)]
    pub(super) fn all(&self) -> (&[i32], usize) {
        (&self.numbers, self.stride)
    }

    /// The columns from a row on, with the room behind the rows.
    #[inline(always)]
    pub(super) fn from(&self, row: usize) -> [&[i32]; 4] {
        let column = |c: usize| &self.numbers[c * self.stride + row..(c + 1) * self.stride];
        [column(0), column(1), column(2), column(3)]
    }

    /// The columns from a row on, with the room behind the rows.
    #[inline(always)]
    pub(super) fn rows_from(&mut self, row: usize) -> [&mut [i32]; 4] {
        let (low, high) = self.numbers[..4 * self.stride].split_at_mut(2 * self.stride);
        let (a, b) = low.split_at_mut(self.stride);
        let (c, d) = high.split_at_mut(self.stride);
        [&mut a[row..], &mut b[row..], &mut c[row..], &mut d[row..]]
    }
}

/// Sixteen numbers from an index on.
#[inline(always)]
pub(super) fn sixteen<X: Copy>(numbers: &[X], from: usize) -> [X; LANES] {
    numbers[from..from + LANES].try_into().expect("as long")
}

/// Writes sixteen rows into columns.
#[inline(always)]
pub(super) fn put(to: &mut [&mut [i32]; 4], from: usize, rows: &[[i32; LANES]; 4]) {
    for (to, row) in to.iter_mut().zip(rows) {
        to[from..from + LANES].copy_from_slice(row);
    }
}

/// Rows along axis 0 that follow each other on axis 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    /// The indices of the first row on the axes above 0.
    pub(super) at: [i32; 4],
    /// The place of the first row in the columns.
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

    /// The span from `start` to `end` in a row, which is given by its place in the columns.
    #[inline(always)]
    pub(super) fn span<X: Voxel>(&self, row: usize, start: i32, end: i32) -> Span<X> {
        let y = self.at[1].wrapping_add((row - self.first) as i32);
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

/// Some strips, one after the other. The four numbers of a row never decrease: the cells from the first to before the
/// second are met, and from the third to before the fourth.
#[derive(Clone, Debug, Default)]
pub struct Slab {
    pub(super) strips: Vec<Strip>,
    pub(super) columns: Columns,
}

impl Slab {
    /// Adds a strip, to be filled later. Inlined, since a call would write `at` to memory and read it back at another
    /// width.
    #[inline(always)]
    pub(super) fn add(&mut self, at: [i32; 4], count: usize) {
        let first = self.rows();
        self.strips.reserve(STRIPS - self.strips.len());
        self.strips.push(Strip { at, first, count });
    }

    /// The number of rows of all strips.
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
        // The numbers do not decrease, so a difference fits into `u32`.
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
    /// The block of cells that may be met.
    pub(super) fn block(&self) -> Block<[i32; 4]> {
        match self {
            Self::Round(round) => round.block,
            Self::Boxes(boxes) => boxes.block,
        }
    }

    /// The rows that may have cells, of the slab with these indices on axes 2 and 3.
    pub(super) fn rows(&mut self, z: i32, w: i32) -> Range<i32> {
        match self {
            Self::Round(round) => round.rows(z, w),
            Self::Boxes(boxes) => boxes.block.range(1),
        }
    }

    /// Whether no cell of a block is met. If so, the answer is true for all parts of the block.
    fn misses(&self, block: &Block<[i32; 4]>) -> bool {
        match self {
            Self::Round(round) => round.misses(block),
            Self::Boxes(boxes) => boxes.within.holds(block),
        }
    }

    /// Fills the strips of a slab. There is at least one strip, they come in the order of a walk, and the columns
    /// have room.
    pub(super) fn fill(&mut self, slab: &mut Slab) {
        match self {
            Self::Round(round) => round.fill(slab),
            Self::Boxes(boxes) => boxes.fill(slab),
        }
    }
}

/// The slabs of a shape, the last axis slowest.
///
/// ```text
/// halve long blocks, without those that have no cells, until their rows fit into a slab
/// for each slab of a block: its rows that may have cells are a strip
/// ```
#[derive(Clone, Debug)]
pub struct SlabWalk<S> {
    pub(super) shape: Slabs<S>,
    /// The blocks that are left. Its steps are the blocks, slabs and rows that were visited.
    pub(super) halving: Halving,
    /// The block whose slabs come next, from `z` on.
    part: Block<[i32; 4]>,
    z: i32,
    /// The rows of the previous slab, if they are not yet handed out.
    left: Range<i32>,
}

impl<S: Scalar> SlabWalk<S> {
    fn round(grid: &Grid<S>, round: &Round<S>) -> Result<Option<Box<Self>>, Error> {
        let slabs = RoundSlabs::new(grid, *round)?;
        Ok(slabs.map(|slabs| Self::boxed(Slabs::Round(slabs))))
    }

    fn boxed(shape: Slabs<S>) -> Box<Self> {
        let none = [0; 4];
        Box::new(Self {
            halving: Halving::new(shape.block()),
            shape,
            part: Block {
                start: none,
                end: none,
            },
            z: 0,
            left: 0..0,
        })
    }

    /// Fills a slab with the next strips; `false` if there are none. Compiled by [`Kernels`](super::Kernels).
    pub(super) fn fill_next(&mut self, slab: &mut Slab) -> bool {
        slab.strips.clear();
        let mut rows = 0;
        // Collect strips until there are enough rows.
        while rows < TOGETHER && slab.strips.len() < STRIPS {
            if self.left.is_empty() {
                if !self.enter_next() {
                    break;
                }
                continue;
            }
            let count = self.left.len();
            if rows > 0 && rows + count > TOGETHER {
                break;
            }
            rows += count;
            self.halving.steps += count as u64;
            slab.add([0, self.left.start, self.z - 1, self.part.start[3]], count);
            self.left = 0..0;
        }
        if rows == 0 {
            return false;
        }
        slab.columns.set_rows(rows);
        self.shape.fill(slab);
        true
    }

    /// Goes on to the next slab; false if there is none.
    fn enter_next(&mut self) -> bool {
        // Find the next block whose rows fit: halve long blocks, and skip those without cells.
        while self.z >= self.part.end[2] {
            let shape = &self.shape;
            let part = self.halving.next(&|block| {
                let is_long = (1..4).any(|a| block.range(a).len() > MOST_ROWS);
                if is_long && shape.misses(block) {
                    Relation::Outside
                } else if is_long || block.range(3).len() > 1 {
                    Relation::Straddles
                } else {
                    Relation::Inside
                }
            });
            let Some(part) = part else {
                return false;
            };
            (self.part, self.z) = (part, part.start[2]);
        }
        self.halving.steps += 1;
        // The rows of the next slab that may have cells are a strip.
        let (all, found) = (
            self.part.range(1),
            self.shape.rows(self.z, self.part.start[3]),
        );
        self.left = found.start.max(all.start)..found.end.min(all.end);
        self.z += 1;
        true
    }
}

/// The rows of a region; `None` if they cannot be found directly under the grid's rule, or the region reaches beyond the
/// range of indices and the grid has a window. Such a region is halved.
pub(super) fn rows_of<R: Voxelize>(
    grid: &VoxelGrid<VectorOf<R>>,
    region: &R,
) -> Result<Option<Box<SlabWalk<ScalarOf<R>>>>, Error> {
    let walk = if let Form::Box(solid) = region.form() {
        // A point that is not finite has a box that is not finite.
        region.bounds().check()?;
        let boxes = BoxSlabs::new(grid, &solid, R::IS_SURFACE);
        boxes.map(|boxes| boxes.map(|boxes| SlabWalk::boxed(Slabs::Boxes(boxes))))
    } else if let Some(round) = Round::new(region, grid.rule) {
        Kernels::round_walk(&grid.core(), &round)
    } else {
        Ok(None)
    };
    match walk {
        Err(_) if grid.window.is_some() => Ok(None),
        walk => walk,
    }
}

kernels! {
    /// The work of listing the voxels of a shape.
    pub trait Kernels for scalars {
        fn round_walk(grid: &Grid<Self>, round: &Round<Self>) -> Result<Option<Box<SlabWalk<Self>>>, Error> = SlabWalk::round;
        fn fill_next(walk: &mut SlabWalk<Self>, slab: &mut Slab) -> bool = SlabWalk::fill_next;
        fn next_bricks(layers: &mut Layers<Self>, to: &mut Vec<Brick<[i32; 3]>>) -> Result<(), Error> = Layers::advance;
    }
}
