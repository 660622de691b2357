//! Several small slabs at once: the lines of all their sheets, one after the other.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::RoundSlabs;
use super::rows::Edges;
use crate::Scalar;
use crate::simd::{Job, LANES};
use crate::voxel::ruler::{Lines, Marks};
use crate::voxel::slab::{Columns, STRIPS, Slab, Strip, sixteen};

/// So many rows at most: their numbers stay in the cache.
const MOST: usize = 1024;

/// To be widened.
const NONE: Range<i32> = Range {
    start: i32::MAX,
    end: i32::MIN,
};

/// The lines of a sheet.
#[derive(Clone, Debug)]
struct Leaf<S> {
    /// On axis 1.
    rows: Range<i32>,
    /// The first among all.
    first: usize,
    /// What axis 2 adds.
    height: S,
}

/// The lines of several sheets.
#[derive(Clone, Debug, Default)]
pub(super) struct Pack<S> {
    /// By axis 2.
    leaves: SmallVec<[Leaf<S>; STRIPS + 2]>,
    /// What axes 1 and 2 add on each line.
    offsets: Vec<S>,
    heights: Vec<S>,
    ends: Columns,
}

impl<S: Scalar> RoundSlabs<S> {
    /// Whether strips can share their sheets.
    pub(super) fn can_pack(&self, strips: &[Strip]) -> bool {
        strips.len() > 1
            && self.round.dim == 3
            && self.round.hole.is_none_or(|hole| hole == self.round.limit)
            && self.ruler(Marks::Planes, false).is_sure()
            && strips[strips.len() - 1].end() <= MOST
    }

    pub(super) fn fill_together(&mut self, slab: &mut Slab) {
        let mut pack = core::mem::take(&mut self.pack);
        let Slab { strips, columns } = slab;
        let (start, many) = self.gather(&mut pack, strips);
        let lines = Lines {
            many,
            offsets: &pack.offsets,
            heights: Some(&pack.heights),
            rest: [Scalar::ZERO; 2],
        };
        self.ruler(Marks::Planes, false)
            .ends(self.instructions, lines, &mut pack.ends);
        let edges = strips.iter().map(|strip| {
            let z = strip.at[2];
            let place = |z: i32, y: i32| {
                let leaf = &pack.leaves[(z - start) as usize];
                leaf.first + (y - leaf.rows.start) as usize
            };
            Edges {
                near: place(z, strip.at[1]),
                far: match self.round.hole {
                    Some(_) => place(self.outwards(2, z, Marks::Planes), strip.at[1] - 1),
                    None => 0,
                },
                turn: self.turn(strip),
            }
        });
        let edges: SmallVec<[Edges; STRIPS]> = edges.collect();
        let ends = pack.ends.from(0);
        let far = self.round.hole.map(|_| ends);
        self.settle(strips, &edges, ends, far, columns);
        self.pack = pack;
    }

    /// Lays the lines of the strips' sheets out; the index of the first sheet on axis 2, and how many
    /// lines there are.
    fn gather(&mut self, pack: &mut Pack<S>, strips: &[Strip]) -> (i32, usize) {
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
        let nothing = Leaf {
            rows: NONE,
            first: 0,
            height: Scalar::ZERO,
        };
        pack.leaves.clear();
        pack.leaves.resize((end - start) as usize, nothing);
        let mut all = NONE;
        for strip in strips {
            let (z, rows) = (strip.at[2], strip.rows());
            let mut widen = |z: i32, rows: &Range<i32>| {
                let leaf = &mut pack.leaves[(z - start) as usize];
                leaf.rows.start = leaf.rows.start.min(rows.start);
                leaf.rows.end = leaf.rows.end.max(rows.end);
            };
            widen(z, &rows);
            if is_hollow {
                widen(out(self, z), &(rows.start - 1..rows.end + 1));
            }
            all.start = all.start.min(rows.start);
            all.end = all.end.max(rows.end);
        }
        self.measure(&all);
        let mut many = 0;
        for (z, leaf) in (start..).zip(&mut pack.leaves) {
            leaf.first = many;
            leaf.height = self.height_of(z);
            many += leaf.rows.len();
        }
        for lines in [&mut pack.offsets, &mut pack.heights] {
            lines.clear();
            lines.reserve(many + LANES);
        }
        self.instructions.run(Lay {
            leaves: &pack.leaves,
            offsets: &self.offsets[Marks::Planes as usize],
            from: self.measured.start,
            to: [&mut pack.offsets, &mut pack.heights],
        });
        for lines in [&mut pack.offsets, &mut pack.heights] {
            lines.resize(many + LANES, Scalar::ZERO);
        }
        (start, many)
    }
}

/// Lays the lines of sheets one after the other.
struct Lay<'a, X> {
    leaves: &'a [Leaf<X>],
    /// Of axis 1, from a row on.
    offsets: &'a [X],
    from: i32,
    to: [&'a mut Vec<X>; 2],
}

impl<X: Scalar> Job for Lay<'_, X> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let [to_offsets, to_heights] = self.to;
        for leaf in self.leaves {
            let row = leaf.rows.start.wrapping_sub(self.from) as usize;
            for i in (0..leaf.rows.len()).step_by(LANES) {
                let offsets: [X; LANES] = sixteen(self.offsets, row + i);
                // Over what was too much of the last.
                to_offsets.truncate(leaf.first + i);
                to_heights.truncate(leaf.first + i);
                to_offsets.extend_from_slice(&offsets);
                to_heights.extend_from_slice(&[leaf.height; LANES]);
            }
        }
    }
}
