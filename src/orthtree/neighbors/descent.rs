//! The descent to what may be near a group of points, level by level, sixteen boxes at a time.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::orthtree::tree::{Nodes, Tree};
use crate::overlap::lanes::Nearby;
use crate::simd::{LANES, ListWriter, Mask, compress};
use crate::vector::Vector;
use crate::wide_nodes::Level;

/// A descent ends once it has found more than so many.
#[derive(Clone, Copy)]
pub(in crate::orthtree) struct Most {
    pub(in crate::orthtree) leaves: usize,
    pub(in crate::orthtree) whole: usize,
}

impl Most {
    /// A descent that finds all.
    pub(in crate::orthtree) const ALL: Self = Self {
        leaves: usize::MAX,
        whole: usize::MAX,
    };
}

/// Of a block of boxes, those that may hold a point within the limit, and of these the ones that lie within it as a whole, for
/// [`Found::descend`].
#[inline(always)]
pub(super) fn near_or_whole<A: Vector, S: Simd>(
    near: &Nearby<A, S>,
    nodes: &Nodes<A>,
    block: usize,
    there: Mask,
) -> (Mask, Mask) {
    let cells = &nodes.boxes[block];
    let meets = near.meets(&cells.low, &cells.high) & there;
    if meets.is_empty() {
        return (meets, meets);
    }
    (meets, meets & near.holds(&cells.low, &cells.high))
}

/// The nodes and leaves that a descent found, by the lanes of their boxes. A leaf's lane is its block of items.
#[derive(Debug, Default)]
pub(in crate::orthtree) struct Found {
    /// Blocks of boxes that are still to be asked, and of those of the level below.
    blocks: [Vec<u32>; 2],
    /// Leaves that need a closer look.
    pub(in crate::orthtree) leaves: Vec<u32>,
    /// Nodes and leaves that need none.
    pub(in crate::orthtree) whole: Vec<u32>,
}

impl Found {
    /// Goes down level by level. `ask` is given a block of boxes and the lanes that there are, and returns those that may hold
    /// what is looked for, and of these the ones that need no closer look.
    #[inline(always)]
    pub(in crate::orthtree) fn descend<A: Vector, S: Simd>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        most: Most,
        mut ask: impl FnMut(&Nodes<A>, &Level, usize, Mask) -> (Mask, Mask),
    ) {
        self.leaves.clear();
        self.whole.clear();
        let levels = &tree.nodes.levels;
        let [above, below] = &mut self.blocks;
        above.clear();
        above.extend(levels.top().map(|block| block as u32));
        for height in (0..levels.height()).rev() {
            below.clear();
            let level = levels.level(height);
            let to = if height == 0 {
                &mut self.leaves
            } else {
                &mut *below
            };
            for &block in &*above {
                let block = block as usize;
                let there = Mask::new(simd, 0xffff >> (LANES - level.lanes(block)));
                let (near, whole) = ask(&tree.nodes, level, block, there);
                if near.is_empty() {
                    continue;
                }
                if !whole.is_empty() {
                    let lanes = crate::simd::from_fn(
                        #[inline(always)]
                        |lane| (block * LANES + lane) as u32,
                    );
                    append(simd, &mut self.whole, &lanes, whole);
                    if self.whole.len() > most.whole {
                        return;
                    }
                }
                append(simd, to, &levels.children(height, block), near & !whole);
                if height == 0 && to.len() > most.leaves {
                    return;
                }
            }
            core::mem::swap(above, below);
        }
    }
}

/// Appends the lanes of a mask.
#[inline(always)]
pub(super) fn append<S: Simd>(simd: S, list: &mut Vec<u32>, lanes: &[u32; LANES], mask: Mask) {
    list.reserve(LANES);
    ListWriter::extend(
        list,
        #[inline(always)]
        |to| compress(simd, lanes, mask, to),
    );
}
