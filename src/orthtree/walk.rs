//! The descent for a box or a ball, sixteen children at a time. It fills a buffer and stops where the next
//! items might not fit, to be resumed.
//!
//! The loops call nothing: around a call, the registers that hold the region would be saved.

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::Kernels;
use super::split::{BLOCKS, LEAF};
use super::tree::{ANY, BOXES, INNER, POINTS, Tree, blocks_of};
use crate::kernels::Array;
use crate::overlap::lanes::{Cuboid, Plain, Probe, WideRegion, with_wide};
use crate::query::{BUFFER, reserve_buffer};
use crate::shape::Layout;
use crate::simd::{Job, LANES, Mask, Pile, Room, compress};
use crate::vector::Vector;

/// A leaf goes in whole, with the blocks that it shares at both ends.
const _: () = assert!(BUFFER >= LEAF + 2 * LANES);

/// Nodes to come.
const STACK: usize = 64;
/// Leaves to come: they are asked together, after the nodes.
const LIST: usize = 64;
/// The most children of a node.
const NODE: usize = LANES * BLOCKS;

/// Where a descent stands.
#[derive(Debug)]
pub struct Walk {
    nodes: Room<{ STACK + NODE + LANES }>,
    leaves: Room<{ LIST + NODE + LANES }>,
    /// Their edges.
    edges: Room<{ LIST + NODE + LANES }>,
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
            edges: Room::new(),
            asked: 0,
            whole: Room::new(),
            run: (0, 0),
            spill: Vec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn start<A: Vector>(&mut self, tree: &Tree<A>) {
        let nodes = &tree.nodes;
        if let (Some(child), Some(edges)) = (nodes.children.last(), nodes.edges.last()) {
            if child[0] & INNER == 0 {
                self.leaves.pile().append(&child[..1]);
                self.edges.pile().append(&edges[..1]);
            } else {
                self.nodes.pile().append(&child[..1]);
            }
        }
    }

    /// Whether all is done; else there is something that the next descent can go on with.
    #[inline(always)]
    pub(super) fn is_done(&mut self) -> bool {
        if self.nodes.len() > STACK || self.nodes.len() == 0 && !self.spill.is_empty() {
            self.spill();
        }
        self.nodes.len() == 0
            && self.asked == self.leaves.len()
            && self.run.0 == self.run.1
            && self.whole.len() == 0
    }

    /// Takes the older nodes of a full stack, and gives them back when it is empty.
    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        self.spill.extend_from_slice(self.nodes.as_slice());
        let below = self.spill.len().saturating_sub(STACK / 2);
        self.nodes.clear();
        self.nodes.pile().append(&self.spill[below..]);
        self.spill.truncate(below);
    }
}

/// Goes on with a walk: appends indices until it is done or sixteen more might not fit, or counts what is
/// left of it. One function for both: two take twice the time to compile.
pub(super) fn go_on<A: Vector>(
    tree: &Tree<A>,
    region: &Plain<A>,
    walk: &mut Walk,
    to: &mut Pile<'_>,
    counts: bool,
) -> usize {
    let hollow = matches!(region, Plain::Ball(ball) if ball.hollow);
    let layout = tree.items.layout;
    let set = tree.instructions;
    let job = GoOn {
        tree,
        region,
        walk,
        to,
        counts,
    };
    if hollow || !set.is_wide() {
        return set.run(job);
    }
    let found = match layout {
        Layout::Point => set.run_wide(Among::<_, POINTS>(job)),
        Layout::Box => set.run_wide(Among::<_, BOXES>(job)),
        Layout::Ball | Layout::Whole => return set.run(job),
    };
    found.expect("instructions are wide")
}

/// Counts what is left of a walk.
pub(super) fn count_rest<A: Array>(tree: &Tree<A>, region: &Plain<A>, walk: &mut Walk) -> usize {
    let mut count = 0;
    while !walk.is_done() {
        count += <A as Kernels>::go_on(tree, region, walk, &mut Room::<0>::new().pile(), true);
    }
    count
}

/// Appends all indices.
pub(super) fn append<A: Array>(tree: &Tree<A>, region: &Plain<A>, list: &mut Vec<u32>) {
    let mut walk = Walk::new();
    walk.start(tree);
    while !walk.is_done() {
        reserve_buffer(list);
        Pile::extend(list, |to| {
            <A as Kernels>::go_on(tree, region, &mut walk, to, false);
        });
    }
}

/// Counts all that overlaps.
pub(super) fn count<A: Array>(tree: &Tree<A>, region: &Plain<A>) -> usize {
    let mut walk = Walk::new();
    walk.start(tree);
    count_rest(tree, region, &mut walk)
}

struct GoOn<'a, 'b, A: Vector> {
    tree: &'a Tree<A>,
    region: &'a Plain<A>,
    walk: &'a mut Walk,
    to: &'a mut Pile<'b>,
    counts: bool,
}

impl<A: Vector> Job for GoOn<'_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let Self {
            tree, walk, counts, ..
        } = self;
        let mut to = self.to.pile();
        with_wide!(self.region, A, S, simd, |probe| {
            descend::<A, S, _, EITHER, ANY>(simd, tree, &probe, walk, &mut to, counts)
        })
    }
}

/// The same for solid balls and boxes among points or boxes, which are asked most: where kinds of items,
/// hollowness and what is done with items are known when it is compiled, it takes 0.75 to 0.9 of the time.
struct Among<J, const ITEMS: u8>(J);

impl<A: Vector, const ITEMS: u8> Job for Among<GoOn<'_, '_, A>, ITEMS> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let GoOn {
            tree, walk, counts, ..
        } = self.0;
        let mut to = self.0.to.pile();
        match self.0.region {
            Plain::Box(cuboid) => {
                let probe = Cuboid::<A, S>::new(simd, cuboid);
                if counts {
                    descend::<A, S, _, COUNT, ITEMS>(simd, tree, &probe, walk, &mut to, true)
                } else {
                    descend::<A, S, _, FILL, ITEMS>(simd, tree, &probe, walk, &mut to, false)
                }
            }
            Plain::Ball(ball) => {
                let probe = Probe::<A, S, false>::new(simd, ball);
                if counts {
                    descend::<A, S, _, COUNT, ITEMS>(simd, tree, &probe, walk, &mut to, true)
                } else {
                    descend::<A, S, _, FILL, ITEMS>(simd, tree, &probe, walk, &mut to, false)
                }
            }
        }
    }
}

/// What a descent does with what it finds: appends or counts it, or what it is told at run time.
const FILL: u8 = 0;
const COUNT: u8 = 1;
const EITHER: u8 = 2;

#[inline(always)]
fn descend<A: Vector, S: Simd, P: WideRegion<A, S>, const MODE: u8, const ITEMS: u8>(
    simd: S,
    tree: &Tree<A>,
    probe: &P,
    walk: &mut Walk,
    to: &mut Pile<'_>,
    counts: bool,
) -> usize {
    let counts = MODE == COUNT || MODE == EITHER && counts;
    debug_assert!(tree.items.layout != Layout::Whole);
    let mut nodes = walk.nodes.pile();
    let mut leaves = walk.leaves.pile();
    let mut edges = walk.edges.pile();
    let mut whole = walk.whole.pile();
    let mut asked = walk.asked;
    let (mut from, mut end) = walk.run;
    let mut count = 0;
    'full: loop {
        // What is found already: whole cells first, then leaves.
        loop {
            if counts {
                count += (end - from) as usize;
                from = end;
            }
            while from < end {
                if to.room() < LANES {
                    break 'full;
                }
                // What is read beyond the run is overwritten by what comes next.
                let lanes = tree.indices[from as usize..].first_chunk::<LANES>();
                to.put(
                    *lanes.expect("slots behind the last"),
                    (end - from) as usize,
                );
                from = (from + LANES as u32).min(end);
            }
            let Some(lane) = whole.pop() else { break };
            (from, end) = tree.nodes.runs[lane as usize / LANES][lane as usize % LANES];
        }
        let waiting = leaves.as_slice();
        let edges_of = &edges.as_slice()[..waiting.len()];
        while asked < waiting.len() {
            let blocks = blocks_of(waiting[asked]);
            if !counts && to.room() < LANES * (blocks.end - blocks.start) {
                break 'full;
            }
            let edges = edges_of[asked];
            count += ask::<A, S, P, MODE, ITEMS>(probe, simd, tree, blocks, edges, to, counts);
            asked += 1;
        }
        leaves.clear();
        edges.clear();
        asked = 0;
        // Nodes, until the list is full or none is left, or the stack is to be spilled.
        while leaves.len() < LIST && nodes.len() <= STACK {
            let Some(node) = nodes.pop() else { break };
            let blocks = blocks_of(node);
            let first = blocks.start;
            let cells = tree.nodes.cells::<ITEMS>(blocks.clone());
            let children = &tree.nodes.children[blocks.clone()];
            let ends = &tree.nodes.edges[blocks.clone()];
            for block in 0..children.len() {
                let children = &children[block];
                let near = cells.meets(probe, block);
                let inner = Mask::of_top_bits(simd, children);
                compress(simd, children, near & !inner, &mut leaves);
                compress(simd, &ends[block], near & !inner, &mut edges);
                // Only whole nodes are worth a test for being inside.
                let inner = near & inner;
                if !inner.is_empty() {
                    let inside = inner & cells.holds(probe, block);
                    compress(simd, children, inner & !inside, &mut nodes);
                    if counts {
                        count += items_of(&tree.nodes.runs[first + block], inside.bits(simd));
                    } else {
                        let lanes =
                            core::array::from_fn(|lane| ((first + block) * LANES + lane) as u32);
                        compress(simd, &lanes, inside, &mut whole);
                    }
                }
            }
            if !counts && whole.len() > 0 {
                break;
            }
        }
        if leaves.len() + whole.len() == 0 && (nodes.len() == 0 || nodes.len() > STACK) {
            break;
        }
    }
    walk.asked = asked;
    walk.run = (from, end);
    count
}

/// Asks the items of a leaf, and appends or counts those that overlap.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "several lists are walked at once, one of which is empty where items are only counted"
)]
fn ask<A: Vector, S: Simd, P: WideRegion<A, S>, const MODE: u8, const ITEMS: u8>(
    probe: &P,
    simd: S,
    tree: &Tree<A>,
    blocks: Range<usize>,
    edges: u32,
    to: &mut Pile<'_>,
    counts: bool,
) -> usize {
    let counts = MODE == COUNT || MODE == EITHER && counts;
    let items = tree.items.blocks::<ITEMS>(blocks.clone());
    let Some(last) = blocks.len().checked_sub(1) else {
        return 0;
    };
    let indices = if counts {
        &[]
    } else {
        &tree.indices.as_chunks().0[blocks]
    };
    let mut keep = Mask::new(simd, edges);
    let mut count = 0;
    for block in 0..last {
        let mask = items.meets(simd, probe, block) & keep;
        keep = Mask::new(simd, !0);
        if counts {
            count += mask.count();
        } else {
            compress(simd, &indices[block], mask, to);
        }
    }
    let mask = items.meets(simd, probe, last) & keep & Mask::new(simd, edges >> LANES);
    if counts {
        count += mask.count();
    } else {
        compress(simd, &indices[last], mask, to);
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
