//! The ends of the lines of several small planes, found together: what a ball takes of some dozen voxels' radius.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::RoundSlabs;
use super::rows::Edges;
use super::solver::{Lines, Marks};
use crate::simd::{LANES, run};
use crate::vector::Scalar;
use crate::voxel::slab::{Columns, STRIPS, Slab, Strip, sixteen};

/// So many rows at most: their numbers stay in the cache.
const MOST: usize = 1024;

/// To be widened.
const NONE: Range<i32> = Range {
    start: i32::MAX,
    end: i32::MIN,
};

/// The lines of a plane.
#[derive(Clone, Debug)]
struct PlaneLines<S> {
    /// On axis 1.
    rows: Range<i32>,
    /// The first among all.
    first: usize,
    /// What axis 2 adds.
    height: S,
}

/// The lines of several planes.
#[derive(Clone, Debug, Default)]
pub(super) struct LineBatch<S> {
    /// By axis 2.
    planes: SmallVec<[PlaneLines<S>; STRIPS + 2]>,
    /// What axes 1 and 2 add on each line.
    offsets: Vec<S>,
    heights: Vec<S>,
    ends: Columns,
}

impl<S: Scalar> RoundSlabs<S> {
    /// Whether strips can share their planes.
    pub(super) fn can_batch(&self, strips: &[Strip]) -> bool {
        strips.len() > 1
            && self.round.dim == 3
            && self.round.hole.is_none_or(|hole| hole == self.round.limit)
            && self.solver(Marks::Planes, false).is_sure()
            && strips[strips.len() - 1].end() <= MOST
    }

    pub(super) fn fill_together(&mut self, slab: &mut Slab) {
        let mut batch = core::mem::take(&mut self.batch);
        let Slab { strips, columns } = slab;
        let (start, count) = self.gather(&mut batch, strips);
        let lines = Lines {
            count,
            offsets: &batch.offsets,
            heights: Some(&batch.heights),
            rest: [Scalar::ZERO; 2],
        };
        self.solver(Marks::Planes, false)
            .ends(self.instructions, lines, &mut batch.ends);
        let edges = strips.iter().map(|strip| {
            let z = strip.at[2];
            let place = |z: i32, y: i32| {
                let plane = &batch.planes[(z - start) as usize];
                plane.first + (y - plane.rows.start) as usize
            };
            Edges {
                near: place(z, strip.at[1]),
                far: match self.round.hole {
                    Some(_) => place(self.outwards(2, z, Marks::Planes), strip.at[1] - 1),
                    None => 0,
                },
                rows_down: self.rows_down(strip),
            }
        });
        let edges: SmallVec<[Edges; STRIPS]> = edges.collect();
        let ends = batch.ends.from(0);
        let far = self.round.hole.map(|_| ends);
        self.write_columns(strips, &edges, ends, far, columns);
        self.batch = batch;
    }

    /// Lays the lines of the strips' planes out; the index of the first plane on axis 2, and how many
    /// lines there are.
    fn gather(&mut self, batch: &mut LineBatch<S>, strips: &[Strip]) -> (i32, usize) {
        let is_hollow = self.round.hole.is_some();
        let out = |slabs: &Self, z| {
            if is_hollow {
                slabs.outwards(2, z, Marks::Planes)
            } else {
                z
            }
        };
        let (low, high) = (strips[0].at[2], strips[strips.len() - 1].at[2]);
        let (start, end) = (low.min(out(self, low)), high.max(out(self, high)) + 1);
        let nothing = PlaneLines {
            rows: NONE,
            first: 0,
            height: Scalar::ZERO,
        };
        batch.planes.clear();
        batch.planes.resize((end - start) as usize, nothing);
        let mut all = NONE;
        for strip in strips {
            let (z, rows) = (strip.at[2], strip.rows());
            let mut widen = |z: i32, rows: &Range<i32>| {
                let plane = &mut batch.planes[(z - start) as usize];
                plane.rows.start = plane.rows.start.min(rows.start);
                plane.rows.end = plane.rows.end.max(rows.end);
            };
            widen(z, &rows);
            if is_hollow {
                widen(out(self, z), &(rows.start - 1..rows.end + 1));
            }
            all.start = all.start.min(rows.start);
            all.end = all.end.max(rows.end);
        }
        self.compute_offsets(&all);
        let mut count = 0;
        for (z, plane) in (start..).zip(&mut batch.planes) {
            plane.first = count;
            plane.height = self.height_of(z);
            count += plane.rows.len();
        }
        for lines in [&mut batch.offsets, &mut batch.heights] {
            lines.clear();
            lines.reserve(count + LANES);
        }
        run!(self.instructions, |simd| copy_lines(
            simd,
            &batch.planes,
            &self.offsets[Marks::Planes as usize],
            self.offset_rows.start,
            [&mut batch.offsets, &mut batch.heights]
        ));
        for lines in [&mut batch.offsets, &mut batch.heights] {
            lines.resize(count + LANES, Scalar::ZERO);
        }
        (start, count)
    }
}

/// Lays the lines of planes one after the other.
///
/// ```text
/// for each plane, for each sixteen of its lines:
///     offsets += those of axis 1;  heights += that of the plane, sixteen times
/// ```
#[inline(always)]
fn copy_lines<X: Scalar, S: Simd>(
    _: S,
    planes: &[PlaneLines<X>],
    // Of axis 1, from a row on.
    offsets: &[X],
    from: i32,
    to: [&mut Vec<X>; 2],
) {
    let [to_offsets, to_heights] = to;
    for plane in planes {
        let row = plane.rows.start.wrapping_sub(from) as usize;
        for i in (0..plane.rows.len()).step_by(LANES) {
            let offsets: [X; LANES] = sixteen(offsets, row + i);
            // Over what was too much of the last.
            to_offsets.truncate(plane.first + i);
            to_heights.truncate(plane.first + i);
            to_offsets.extend_from_slice(&offsets);
            to_heights.extend_from_slice(&[plane.height; LANES]);
        }
    }
}
