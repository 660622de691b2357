//! Which nodes meet a box.

use alloc::vec::Vec;

use fearless_simd::{Simd, SimdBase, SimdFrom, u32x16};

use super::row::Row;
use crate::Vector;
use crate::overlap::lanes::Boxes;
use crate::simd::{LANES, Mask, Pile, compress};

/// What a search took: about so many tests of sixteen boxes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    pub(super) nodes: usize,
    pub(super) blocks: usize,
    pub(super) tests: usize,
}

impl Work {
    pub(super) fn cost(self) -> usize {
        self.tests + self.blocks + self.blocks / 5 + self.nodes
    }
}

impl core::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.blocks += other.blocks;
        self.tests += other.tests;
    }
}

/// The numbers of sixteen that lie together.
#[inline(always)]
pub(super) fn numbered<S: Simd>(simd: S, block: u32) -> [u32; LANES] {
    const LANE: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let first = u32x16::splat(simd, block * LANES as u32);
    (u32x16::simd_from(simd, LANE) | first).into()
}

/// Finds the nodes, from number `least` on, that meet a box, in order: indices into `above[0]`.
/// Returns how many blocks were asked. `spare` is memory.
#[inline(always)]
pub(super) fn meeting<V: Vector, S: Simd>(
    simd: S,
    above: &[Vec<Boxes<V>>],
    least: usize,
    around: &Row<V, S>,
    found: &mut Vec<u32>,
    spare: &mut Vec<u32>,
) -> usize {
    let mut work = 0;
    found.clear();
    found.push(0);
    for level in (1..above.len()).rev() {
        let least = (least >> (4 * (level - 1))) as u32;
        core::mem::swap(found, spare);
        work += spare.len();
        below(simd, &above[level], least, around, spare, found);
    }
    work
}

/// Finds what meets a box, from number `least` on, of all that is below some blocks of one level.
#[inline(always)]
pub(super) fn below<V: Vector, S: Simd>(
    simd: S,
    level: &[Boxes<V>],
    least: u32,
    around: &Row<V, S>,
    blocks: &[u32],
    found: &mut Vec<u32>,
) {
    found.clear();
    found.reserve(blocks.len() * LANES + LANES);
    Pile::extend(
        found,
        #[inline(always)]
        |to| {
            for &block in blocks {
                let mut mask = Row::load(simd, &level[block as usize]).meets(around);
                let first = block * LANES as u32;
                if first < least {
                    mask = mask & Mask::new(simd, !0 << (least - first).min(31));
                }
                compress(simd, &numbered(simd, block), mask, to);
            }
        },
    );
}
