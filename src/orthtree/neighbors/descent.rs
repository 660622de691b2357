//! The way down to what is near, the cells of sixteen children at a time.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::orthtree::levels::Level;
use crate::orthtree::tree::{Nodes, Tree};
use crate::overlap::lanes::Nearby;
use crate::simd::{LANES, ListWriter, Mask, compress};
use crate::vector::Vector;

/// What is asked on the way.
pub(in crate::orthtree) trait Way<A: Vector> {
    /// Whether it ends at the first that needs no closer look.
    const ENDS: bool = false;

    /// The lanes of a block, of those that are there, that may hold what is looked for; and of these such that need no closer look.
    fn ask(&mut self, nodes: &Nodes<A>, level: &Level, block: usize, there: Mask) -> (Mask, Mask);
}

/// What may hold a point within the limit of a box; and what lies within it as a whole, if that is not looked at.
pub(super) struct Within<'a, A: Vector, S: Simd, const WHOLE: bool>(
    pub(super) &'a Nearby<A, S>,
    pub(super) S,
);

impl<A: Vector, S: Simd, const WHOLE: bool> Way<A> for Within<'_, A, S, WHOLE> {
    #[inline(always)]
    fn ask(&mut self, nodes: &Nodes<A>, _: &Level, block: usize, there: Mask) -> (Mask, Mask) {
        let cells = &nodes.cells[block];
        let near = self.0.meets(&cells.low, &cells.high) & there;
        if !WHOLE || near.is_empty() {
            return (near, Mask::new(self.1, 0));
        }
        (near, near & self.0.holds(&cells.low, &cells.high))
    }
}

/// The same where one that lies within as a whole is enough.
pub(super) struct Any<'a, A: Vector, S: Simd>(pub(super) &'a Nearby<A, S>, pub(super) S);

impl<A: Vector, S: Simd> Way<A> for Any<'_, A, S> {
    const ENDS: bool = true;

    #[inline(always)]
    fn ask(&mut self, nodes: &Nodes<A>, level: &Level, block: usize, there: Mask) -> (Mask, Mask) {
        Within::<A, S, true>(self.0, self.1).ask(nodes, level, block, there)
    }
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
    /// Goes down level by level, until there are more leaves than `most`.
    #[inline(always)]
    pub(in crate::orthtree) fn descend<A: Vector, S: Simd, W: Way<A>>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        way: &mut W,
        most: usize,
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
                let (near, whole) = way.ask(&tree.nodes, level, block, there);
                if near.is_empty() {
                    continue;
                }
                if !whole.is_empty() {
                    let lanes = crate::simd::from_fn(
                        #[inline(always)]
                        |lane| (block * LANES + lane) as u32,
                    );
                    append(simd, &mut self.whole, &lanes, whole);
                    if W::ENDS {
                        return;
                    }
                }
                append(simd, to, &levels.children(height, block), near & !whole);
                if height == 0 && to.len() > most {
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
