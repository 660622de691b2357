//! The way down to what is near, the cells of sixteen children at a time.

use alloc::vec::Vec;

use fearless_simd::Simd;

use crate::orthtree::tree::{Nodes, Tree, blocks_of};
use crate::overlap::lanes::Nearby;
use crate::simd::{LANES, ListWriter, Mask, compress};
use crate::vector::Vector;

/// What is asked on the way.
pub(in crate::orthtree) trait Way<A: Vector> {
    /// Whether it ends at the first that needs no closer look.
    const ENDS: bool = false;
    /// Whether leaves are found as what is packed, their blocks and edges, and not by their lanes: looking these up again takes a
    /// thirtieth of the time of lists.
    const PACKS: bool = false;

    /// The lanes of those children of a block that may hold what is looked for; and of those that need no closer look.
    fn ask(&mut self, nodes: &Nodes<A>, block: usize) -> (Mask, Mask);
}

/// What may hold a point within the limit of a box; and what lies within it as a whole, if that is not looked at.
pub(super) struct Within<'a, A: Vector, S: Simd, const WHOLE: bool, const PACKS: bool>(
    pub(super) &'a Nearby<A, S>,
    pub(super) S,
);

impl<A: Vector, S: Simd, const WHOLE: bool, const PACKS: bool> Way<A>
    for Within<'_, A, S, WHOLE, PACKS>
{
    const PACKS: bool = PACKS;

    #[inline(always)]
    fn ask(&mut self, nodes: &Nodes<A>, block: usize) -> (Mask, Mask) {
        let cells = &nodes.cells[block];
        let near = self.0.meets(&cells.low, &cells.high);
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
    fn ask(&mut self, nodes: &Nodes<A>, block: usize) -> (Mask, Mask) {
        Within::<A, S, true, false>(self.0, self.1).ask(nodes, block)
    }
}

/// What a way down has found, by the lanes at which parents hold it.
#[derive(Debug, Default)]
pub(in crate::orthtree) struct Found {
    /// Nodes that are still to be entered.
    nodes: Vec<u32>,
    /// Leaves that need a closer look, or their blocks.
    pub(in crate::orthtree) leaves: Vec<u32>,
    /// And their edges.
    pub(super) edges: Vec<u32>,
    /// Nodes and leaves that need none.
    pub(in crate::orthtree) whole: Vec<u32>,
}

impl Found {
    /// Goes down, until there are more leaves than `most`.
    #[inline(always)]
    pub(in crate::orthtree) fn descend<A: Vector, S: Simd, W: Way<A>>(
        &mut self,
        simd: S,
        tree: &Tree<A>,
        way: &mut W,
        most: usize,
    ) {
        self.nodes.clear();
        self.leaves.clear();
        self.edges.clear();
        self.whole.clear();
        let many = tree.nodes.children.len();
        // The last block holds the root.
        let mut blocks = many.saturating_sub(1)..many;
        loop {
            for block in blocks {
                let (near, whole) = way.ask(&tree.nodes, block);
                if near.is_empty() {
                    continue;
                }
                let children = &tree.nodes.children[block];
                let lanes = crate::simd::from_fn(
                    #[inline(always)]
                    |lane| (block * LANES + lane) as u32,
                );
                if !whole.is_empty() {
                    append(simd, &mut self.whole, &lanes, whole);
                    if W::ENDS {
                        return;
                    }
                }
                let near = near & !whole;
                let inner = Mask::of_top_bits(simd, children);
                append(simd, &mut self.nodes, children, near & inner);
                let leaves = near & !inner;
                if W::PACKS {
                    append(simd, &mut self.leaves, children, leaves);
                    append(simd, &mut self.edges, &tree.nodes.edges[block], leaves);
                } else {
                    append(simd, &mut self.leaves, &lanes, leaves);
                }
            }
            match self.nodes.pop() {
                Some(node) if self.leaves.len() <= most => blocks = blocks_of(node),
                _ => break,
            }
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
