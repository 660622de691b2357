//! The slabs of solid and hollow boxes, whose rows are cut from a few blocks of cells.

use core::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::Slab;
use crate::error::Error;
use crate::shape::Aabb;
use crate::vector::{Scalar, Vector};
use crate::voxel::lattice::{Block, END, FIRST, Lattice, farthest, floor};
use crate::voxel::{Rule, VoxelGrid};

type Cells = Block<[i32; 4]>;

/// A box as blocks of cells; on axes that the grid lacks, they have cell 0.
#[derive(Clone, Debug)]
pub(in crate::voxel) struct BoxSlabs {
    /// The block of cells that may be met, within the window.
    pub(super) block: Cells,
    /// The cells of all of these blocks are met.
    met: SmallVec<[Cells; 4]>,
    /// Cells strictly within a surface, which are not met.
    pub(super) within: Cells,
}

impl BoxSlabs {
    /// Finds the slabs of a box or of its surface. Returns `None` for rules that compare distances, which need another search.
    pub(super) fn new<V: Vector>(
        grid: &VoxelGrid<V>,
        solid: &Aabb<V>,
        hollow: bool,
    ) -> Result<Option<Self>, Error> {
        let (lattice, rule) = (grid.lattice(), grid.rule);
        if matches!(rule, Rule::Shell(_) | Rule::NarrowBand(_)) {
            return Ok(None);
        }
        let one = Block {
            start: [0; 4],
            end: [1; 4],
        };
        let [mut planes, mut within, mut middles] = [one; 3];
        for a in 0..V::DIM {
            let ends = (solid.min().axis(a), solid.max().axis(a));
            let found = ranges(ends, &lattice, a, rule == Rule::HalfOpen)?;
            for (block, range) in [&mut planes, &mut within, &mut middles]
                .into_iter()
                .zip(found)
            {
                (block.start[a], block.end[a]) = (range.start, range.end);
            }
        }
        let by_middles = rule == Rule::CenterInside;
        let block = if by_middles { middles } else { planes };
        let met = if rule == Rule::Thin {
            // Segments along an axis are met from plane to plane; on the other axes, the middles decide.
            let along = |axis: usize| {
                let mut segments = middles;
                (segments.start[axis], segments.end[axis]) = (planes.start[axis], planes.end[axis]);
                segments
            };
            (0..V::DIM).map(along).collect()
        } else {
            smallvec![block]
        };
        if !hollow {
            within = Block {
                start: [0; 4],
                end: [0; 4],
            };
        } else if by_middles {
            // Only the outermost layer is met.
            within = middles;
            for a in 0..V::DIM {
                (within.start[a], within.end[a]) = (middles.start[a] + 1, middles.end[a] - 1);
            }
        }
        let window = grid.window.as_ref().map(Block::padded);
        let block = window.map_or(block, |window| block.common(&window));
        Ok(Some(Self { block, met, within }))
    }

    /// Fills the strips of a slab.
    pub(super) fn fill(&self, slab: &mut Slab) {
        let x = self.block.range(0);
        let clip = |index: i32| index.max(x.start).min(x.end);
        let [start, hole, rest, end] = slab.columns.get_mut();
        for strip in &slab.strips {
            // The rows of the strip that pass through a block, by their places in the columns.
            let through = |block: &Cells| {
                let place = |row: i32| {
                    let row = i64::from(row) - i64::from(strip.at[1]);
                    strip.first + row.clamp(0, strip.count as i64) as usize
                };
                let is_there = (2..4).all(|a| block.range(a).contains(&strip.at[a]));
                let end = if is_there { block.end[1] } else { i32::MIN };
                place(block.start[1])..place(end)
            };
            let all = strip.first..strip.end();
            // Rows are empty at first; each block extends them.
            start[all.clone()].fill(x.end);
            end[all.clone()].fill(x.start);
            hole[all.clone()].fill(x.end);
            rest[all.clone()].fill(x.end);
            for block in &self.met {
                for row in through(block) {
                    start[row] = start[row].min(block.start[0]);
                    end[row] = end[row].max(block.end[0]);
                }
            }
            // The cells strictly within are left out.
            let inner = self.within.range(0);
            if !inner.is_empty() {
                for row in through(&self.within) {
                    (hole[row], rest[row]) = (inner.start, inner.end);
                }
            }
            // All numbers are clipped, and put in order.
            for row in all {
                let (from, to) = (clip(start[row]), clip(end[row].max(start[row])));
                (start[row], end[row]) = (from, to);
                hole[row] = hole[row].max(from).min(to);
                rest[row] = rest[row].max(from).min(to);
            }
        }
    }
}

/// The cells on an axis that the solid box meets, those strictly within it, and those whose middle is in
/// it.
fn ranges<S: Scalar>(
    (min, max): (S, S),
    lattice: &Lattice<S>,
    a: usize,
    half_open: bool,
) -> Result<[Range<i32>; 3], Error> {
    let face = |index| lattice.face(a, index);
    let middle = |index| lattice.middle(a, index);
    let (low, high) = (lattice.index_of(a, min)?, floor(lattice.position(a, max)));
    // The first index at which a monotone condition becomes true, searched from a guess: `FIRST - 1` if it is true from the start,
    // `END + 1` if it never is.
    let first = |guess: i64, holds: &dyn Fn(i64) -> bool| {
        let before = FIRST - 1;
        before
            + farthest(END + 1 - before, guess - before, |k| {
                k == 0 || !holds(before + k - 1)
            })
    };
    let start = first(low, &|i| {
        min < face(i + 1) || (!half_open && min == face(i + 1))
    });
    let end = first(high + 1, &|i| face(i) > max);
    if start < FIRST || end > END {
        let value = if start < FIRST { min } else { max };
        return Err(Error::OutOfRange {
            axis: a,
            value: value.into(),
        });
    }
    let last = first(high, &|i| {
        face(i + 1) > max || (!half_open && face(i + 1) == max)
    });
    let middles = first(low, &|i| middle(i) >= min)..first(high, &|i| middle(i) > max);
    Ok([start..end, low + 1..last, middles].map(|range| range.start as i32..range.end as i32))
}
