//! Makes bricks from slabs: eight slabs at a time, then eight rows of each. The ends of all 64 rows become bytes,
//! counted from the first brick, and these become the bytes of each brick's mask, without branches.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::{Simd, SimdBase, SimdFrom, SimdInt, u8x64};

use super::Brick;
use super::slab::{MOST_ROWS, Slab, Slabs};
use crate::error::{Error, reserve};
use crate::simd::{InstructionSet, run};
use crate::vector::Scalar;

const EDGE: usize = 8;
/// An index beyond those of all shapes that are listed by layers.
const BEYOND: i32 = i32::MAX;

/// The ends of 64 rows without cells.
const NO_ROWS: [[i32; EDGE * EDGE]; 4] = [
    [BEYOND; EDGE * EDGE],
    [-BEYOND; EDGE * EDGE],
    [BEYOND; EDGE * EDGE],
    [-BEYOND; EDGE * EDGE],
];

/// The bricks of a shape, the last axis slowest.
#[derive(Clone, Debug)]
pub struct Layers<S> {
    shape: Slabs<S>,
    instructions: InstructionSet,
    /// The layers on axis 2 that are left.
    heights: Range<i32>,
    /// The current layer, and its rows of bricks that are left, by their indices on axis 1.
    layer: i32,
    left: Range<i32>,
    /// The rows of each slab of the layer; those of the bricks before `filled` are in `slab`.
    rows: [Range<i32>; EDGE],
    slab: Slab,
    filled: i32,
}

/// The bricks in which a range of cells on an axis lies.
fn bricks_of(cells: &Range<i32>) -> Range<i32> {
    cells.start >> 3..((cells.end - 1) >> 3) + 1
}

impl<S: Scalar> Layers<S> {
    pub(super) fn new(shape: Slabs<S>, instructions: InstructionSet) -> Self {
        let block = shape.block();
        let heights = if block.is_empty() {
            0..0
        } else {
            bricks_of(&block.range(2))
        };
        Self {
            shape,
            instructions,
            heights,
            layer: 0,
            left: 0..0,
            rows: Default::default(),
            slab: Slab::default(),
            filled: 0,
        }
    }

    /// Makes the next row of bricks, none at the end. Compiled by [`Kernels`](super::Kernels).
    pub(super) fn advance(&mut self, to: &mut Vec<Brick<[i32; 3]>>) -> Result<(), Error> {
        while to.is_empty() {
            if let Some(row) = self.left.next() {
                if row == self.filled {
                    self.fill();
                }
                self.make_row(row, to)?;
            } else if let Some(layer) = self.heights.next() {
                self.enter(layer);
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Enters a layer: finds the rows of its slabs, and the bricks that they meet.
    fn enter(&mut self, layer: i32) {
        let range = self.shape.block().range(2);
        let (mut start, mut end) = (i32::MAX, i32::MIN);
        self.layer = layer;
        for (i, rows) in (0..).zip(&mut self.rows) {
            let z = layer << 3 | i;
            *rows = 0..0;
            if range.contains(&z) {
                *rows = self.shape.rows(z, 0);
            }
            if rows.start < rows.end {
                (start, end) = (start.min(rows.start), end.max(rows.end));
            }
        }
        self.left = if start < end {
            bricks_of(&(start..end))
        } else {
            0..0
        };
        self.filled = self.left.start;
    }

    /// Fills the next rows of the slabs.
    fn fill(&mut self) {
        let start = self.filled << 3;
        let end = start.saturating_add(MOST_ROWS as i32);
        self.filled += (MOST_ROWS / EDGE) as i32;
        self.slab.strips.clear();
        for (i, rows) in (0..).zip(&self.rows) {
            let z = self.layer << 3 | i;
            let (from, to) = (rows.start.max(start), rows.end.min(end));
            if from < to {
                self.slab.add([0, from, z, 0], (to - from) as usize);
            }
        }
        if !self.slab.strips.is_empty() {
            self.slab.columns.set_rows(self.slab.rows());
            self.shape.fill(&mut self.slab);
        }
    }

    /// Makes a row of bricks: gathers the ends of its 64 rows from the slab.
    fn make_row(&self, row: i32, to: &mut Vec<Brick<[i32; 3]>>) -> Result<(), Error> {
        let mut ends = NO_ROWS;
        let columns = self.slab.columns.get();
        for strip in &self.slab.strips {
            // The distance from the first row of the strip to that of the bricks.
            let below = i64::from(row << 3) - i64::from(strip.at[1]);
            let known = strip.count as i64;
            let first = EDGE * (strip.at[2] & 7) as usize;
            if 0 <= below && below + EDGE as i64 <= known {
                let from = strip.first + below as usize;
                for (ends, column) in ends.iter_mut().zip(columns) {
                    ends[first..first + EDGE].copy_from_slice(&column[from..from + EDGE]);
                }
                continue;
            }
            for i in (0..EDGE).filter(|&i| (0..known).contains(&(below + i as i64))) {
                let from = strip.first + (below + i as i64) as usize;
                for (ends, column) in ends.iter_mut().zip(columns) {
                    ends[first + i] = column[from];
                }
            }
        }
        let place = [0, row, self.layer];
        run!(self.instructions, |simd| make_row(simd, &ends, place, to))
    }
}

/// Number of bricks made at a time: ends are bytes, counted from the first of these bricks.
const CHUNK: i32 = 31;

/// Entry `i` has the bits of those of eight cells that lie at place `i` or beyond. The table repeats every 16 bytes.
const FROM: [u8; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < 64 {
        if i % 16 < EDGE {
            bits[i] = 255 << (i % 16);
        }
        i += 1;
    }
    bits
};

/// The ends of 64 rows as bytes, counted from an index.
#[inline(always)]
fn counted<S: Simd>(simd: S, ends: &[i32; EDGE * EDGE], from: i32) -> u8x64<S> {
    let most = from.saturating_add(255);
    let mut bytes = [0; EDGE * EDGE];
    for (byte, &end) in bytes.iter_mut().zip(ends) {
        *byte = end.max(from).min(most).wrapping_sub(from) as u8;
    }
    u8x64::simd_from(simd, bytes)
}

/// The bits of the cells of a brick that lie at the ends or beyond.
#[inline(always)]
fn beyond<S: Simd>(simd: S, ends: u8x64<S>, first: u8) -> u8x64<S> {
    let place = ends.saturating_sub(first).min(15);
    u8x64::simd_from(simd, FROM).swizzle_dyn_within_blocks(place)
}

/// The bits of the cells of a brick from the starts to before the ends.
#[inline(always)]
fn between<S: Simd>(simd: S, [start, end]: [u8x64<S>; 2], first: u8) -> u8x64<S> {
    beyond(simd, start, first) & !beyond(simd, end, first)
}

/// Makes the bricks of 64 rows.
///
/// ```text
/// for each chunk of bricks along axis 0:
///     ends of the 64 rows as bytes, counted from the chunk
///     for each brick: bits = (beyond start & !beyond hole) | (beyond rest & !beyond end), 64 bytes at once
/// ```
#[inline(always)]
fn make_row<S: Simd>(
    simd: S,
    ends: &[[i32; EDGE * EDGE]; 4],
    place: [i32; 3],
    to: &mut Vec<Brick<[i32; 3]>>,
) -> Result<(), Error> {
    let (mut first, mut hole, mut rest, mut last) = (BEYOND, -BEYOND, BEYOND, -BEYOND);
    let [starts, holes, rests, lasts] = ends;
    for i in 0..EDGE * EDGE {
        first = first.min(starts[i]);
        hole = hole.max(holes[i]);
        rest = rest.min(rests[i]);
        last = last.max(lasts[i]);
    }
    if first >= last {
        return Ok(());
    }
    // The bricks of the first spans and those of the second spans. Between them there is nothing.
    let left = (first >> 3, ((hole - 1) >> 3) + 1);
    let right = ((rest >> 3).max(left.1), ((last - 1) >> 3) + 1);
    // If so, no brick has cells of both.
    let apart = left.1 <= rest >> 3;
    for ((mut start, end), one, other) in [
        (left, [starts, holes], [rests, lasts]),
        (right, [rests, lasts], [starts, holes]),
    ] {
        while start < end {
            let next = end.min(start + CHUNK);
            reserve(to, CHUNK as usize)?;
            let from = start << 3;
            let one = [counted(simd, one[0], from), counted(simd, one[1], from)];
            let other = if apart {
                one
            } else {
                [counted(simd, other[0], from), counted(simd, other[1], from)]
            };
            for x in start..next {
                let from = ((x - start) << 3) as u8;
                let mut bits = between(simd, one, from);
                if !apart {
                    bits |= between(simd, other, from);
                }
                let bytes: [u8; EDGE * EDGE] = bits.into();
                let mut mask = [0; EDGE];
                for (mask, bytes) in mask.iter_mut().zip(bytes.as_chunks::<EDGE>().0) {
                    *mask = u64::from_le_bytes(*bytes);
                }
                if mask == [0; EDGE] {
                    continue;
                }
                let place = [x, place[1], place[2]];
                to.push(Brick {
                    coordinates: place,
                    mask,
                });
            }
            start = next;
        }
    }
    Ok(())
}
