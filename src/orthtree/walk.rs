//! The descent for a ball, sixteen children at a time. It fills a buffer and stops where the next
//! items might not fit, to be resumed.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::{Simd, SimdBase, SimdFrom, SimdMask, u32x16};

use super::split::BLOCKS;
use super::{INNER, Orthtree, blocks_of};
use crate::overlap::lanes::{Ball, Layout, Probe, cell_columns};
use crate::simd::{Column, Job, LANES, Pile, Room, compress};
use crate::{Bounded, Vector};

/// Nodes to come.
const STACK: usize = 64;
/// Leaves to come: they are asked together, after the nodes.
const LIST: usize = 64;
/// The most children of a node.
const NODE: usize = LANES * BLOCKS;

/// Where a descent stands.
pub(super) struct Walk {
    nodes: Room<{ STACK + NODE + LANES }>,
    leaves: Room<{ LIST + NODE + LANES }>,
    /// How many of them are done with.
    asked: usize,
    /// Lanes whose items all overlap.
    whole: Room<{ NODE + LANES }>,
    /// What is left of the one that is being copied.
    run: (u32, u32),
    /// Nodes that do not fit above. Empty, and not allocated, in ordinary descents.
    spill: Vec<u32>,
}

impl Walk {
    /// Nothing to do yet. Apart from [`start`](Self::start), so that it is made where it stays:
    /// moving it would take a fifth of the time of a query for ten points.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            nodes: Room::new(),
            leaves: Room::new(),
            asked: 0,
            whole: Room::new(),
            run: (0, 0),
            spill: Vec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn start<T: Bounded>(&mut self, tree: &Orthtree<T>) {
        if let Some(last) = tree.nodes.children.last() {
            let list = if last[0] & INNER == 0 {
                &mut self.leaves.pile()
            } else {
                &mut self.nodes.pile()
            };
            list.append(&last[..1]);
        }
    }

    #[inline(always)]
    pub(super) fn is_done(&self) -> bool {
        self.nodes.len() == 0
            && self.asked == self.leaves.len()
            && self.run.0 == self.run.1
            && self.whole.len() == 0
            && self.spill.is_empty()
    }
}

/// Appends indices until the walk is done or sixteen more might not fit.
pub(super) struct Fill<'a, 'b, T: Bounded> {
    pub(super) tree: &'a Orthtree<T>,
    pub(super) ball: &'a Ball<T::Vector>,
    pub(super) walk: &'a mut Walk,
    pub(super) to: &'a mut Pile<'b>,
}

impl<T: Bounded> Job for Fill<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut to = self.to.pile();
        descend::<T, S, false>(simd, self.tree, self.ball, self.walk, &mut to);
    }
}

/// Counts what is left of a walk.
pub(super) struct Count<'a, T: Bounded> {
    pub(super) tree: &'a Orthtree<T>,
    pub(super) ball: &'a Ball<T::Vector>,
    pub(super) walk: &'a mut Walk,
}

impl<T: Bounded> Job for Count<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let mut none = Room::<0>::new();
        descend::<T, S, true>(simd, self.tree, self.ball, self.walk, &mut none.pile())
    }
}

/// The blocks that hold the items of a leaf. The first and the last may hold items of others.
struct Leaf<'a, T: Bounded> {
    columns: &'a [Column<<T::Vector as Vector>::Scalar>],
    indices: &'a [[u32; LANES]],
    /// The lanes of the first that are not before the leaf.
    before: u32,
    /// The lanes of the last that are not behind it.
    behind: u32,
}

impl<T: Bounded> Orthtree<T> {
    #[inline(always)]
    fn leaf(&self, leaf: u32) -> Leaf<'_, T> {
        let columns = T::LAYOUT.columns(T::Vector::DIM);
        let (from, to) = (
            self.leaves[leaf as usize] as usize,
            self.leaves[leaf as usize + 1] as usize,
        );
        let (first, last) = (from / LANES, to.div_ceil(LANES));
        Leaf {
            columns: &self.items[first * columns..last * columns],
            indices: &self.indices.as_chunks().0[first..last],
            before: !0 << (from % LANES),
            behind: 0xffff >> (last * LANES - to),
        }
    }

    /// The bounds and the children of some blocks.
    #[inline(always)]
    fn blocks(
        &self,
        blocks: Range<usize>,
    ) -> impl Iterator<Item = (&[Column<<T::Vector as Vector>::Scalar>], &[u32; LANES])> {
        let many = const { cell_columns::<T>() };
        let columns = &self.nodes.columns[blocks.start * many..blocks.end * many];
        columns.chunks_exact(many).zip(&self.nodes.children[blocks])
    }
}

#[inline(always)]
fn descend<T: Bounded, S: Simd, const COUNT: bool>(
    simd: S,
    tree: &Orthtree<T>,
    ball: &Ball<T::Vector>,
    walk: &mut Walk,
    to: &mut Pile<'_>,
) -> usize {
    debug_assert!(T::LAYOUT != Layout::Whole);
    let probe = Probe::<T::Vector, S>::new(simd, ball);
    let mut nodes = walk.nodes.pile();
    let mut leaves = walk.leaves.pile();
    let mut whole = walk.whole.pile();
    let mut asked = walk.asked;
    let mut count = 0;
    'full: loop {
        // What is found already: whole cells first, then leaves.
        if !COUNT {
            loop {
                let (from, end) = walk.run;
                let run = &tree.indices[from as usize..end as usize];
                let fits = run.len().min(to.room());
                to.append(&run[..fits]);
                walk.run.0 += fits as u32;
                if fits < run.len() {
                    break 'full;
                }
                let Some(lane) = whole.pop() else { break };
                walk.run = tree.nodes.runs[lane as usize / LANES][lane as usize % LANES];
            }
        }
        while asked < leaves.len() {
            let leaf = tree.leaf(leaves.get(asked));
            if !COUNT && to.room() < LANES * leaf.indices.len() {
                break 'full;
            }
            count += ask::<T, S, COUNT>(&probe, simd, &leaf, to);
            asked += 1;
        }
        leaves.clear();
        asked = 0;
        // Nodes, until the list is full or none is left.
        while leaves.len() < LIST {
            let Some(node) = nodes.pop().or_else(|| walk.spill.pop()) else {
                break;
            };
            let blocks = blocks_of(node);
            let first = blocks.start;
            for (number, (columns, children)) in tree.blocks(blocks).enumerate() {
                let near = probe.reaches::<T>(columns);
                let inner = inner_lanes(simd, children);
                compress(simd, children, near & !inner, &mut leaves);
                // Only whole nodes are worth a test for being inside.
                let inner = near & inner;
                if inner != 0 {
                    let inside = inner & probe.holds::<T>(columns);
                    compress(simd, children, inner & !inside, &mut nodes);
                    let block = first + number;
                    if COUNT {
                        count += items_of(&tree.nodes.runs[block], inside);
                    } else {
                        let lanes = core::array::from_fn(|lane| (block * LANES + lane) as u32);
                        compress(simd, &lanes, inside, &mut whole);
                    }
                }
            }
            if nodes.len() > STACK {
                walk.spill.extend_from_slice(nodes.as_slice());
                nodes.clear();
            }
            if !COUNT && whole.len() > 0 {
                break;
            }
        }
        if leaves.len() == 0 && nodes.len() == 0 && whole.len() == 0 && walk.spill.is_empty() {
            break;
        }
    }
    walk.asked = asked;
    count
}

/// Asks the items of a leaf, and appends or counts those that overlap.
#[inline(always)]
fn ask<T: Bounded, S: Simd, const COUNT: bool>(
    probe: &Probe<T::Vector, S>,
    simd: S,
    leaf: &Leaf<'_, T>,
    to: &mut Pile<'_>,
) -> usize {
    let columns = leaf.columns.chunks_exact(T::LAYOUT.columns(T::Vector::DIM));
    let last = leaf.indices.len().wrapping_sub(1);
    let mut keep = leaf.before;
    let mut count = 0;
    for (block, (columns, indices)) in columns.zip(leaf.indices).enumerate() {
        let mut mask = probe.hits::<T>(columns) & keep;
        keep = !0;
        if block == last {
            mask &= leaf.behind;
        }
        if COUNT {
            count += mask.count_ones() as usize;
        } else {
            compress(simd, indices, mask, to);
        }
    }
    count
}

/// The items of the children whose bits are set.
#[inline(always)]
fn items_of(runs: &[(u32, u32); LANES], mut mask: u32) -> usize {
    let mut count = 0;
    while mask != 0 {
        let (from, to) = runs[mask.trailing_zeros() as usize % LANES];
        count += (to - from) as usize;
        mask &= mask - 1;
    }
    count
}

/// A bit for each child that is a node.
#[inline(always)]
fn inner_lanes<S: Simd>(simd: S, children: &[u32; LANES]) -> u32 {
    let children = u32x16::simd_from(simd, *children);
    let inner = children.simd_ge(u32x16::splat(simd, INNER));
    inner.to_bitmask() as u32
}
