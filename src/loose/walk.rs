//! The descent for a box or a ball, sixteen children at a time. It fills a buffer and stops where the next
//! items might not fit, to be resumed.
//!
//! The loops call nothing: around a call, the registers that hold the region would be saved.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::Kernels;
use super::node::{BLOCKS, FANOUT, INNER};
use super::tree::Tree;
use crate::handle::Handle;
use crate::kernels::Array;
use crate::overlap::lanes::{Plain, WideRegion, with_wide};
use crate::query::{HandleWriter, Key};
use crate::shape::Layout;
use crate::simd::{Job, LANES, Mask, Room, compress};
use crate::vector::Vector;

/// Nodes to come.
const STACK: usize = 64;
/// Leaves to come: they are asked together, after the nodes.
const LIST: usize = 64;

/// Where a descent stands.
#[derive(Debug)]
pub struct Walk {
    nodes: Room<{ STACK + FANOUT + LANES }>,
    leaves: Room<{ LIST + FANOUT + LANES }>,
    /// How many of them are done with.
    asked: usize,
    /// Nodes that do not fit above. Empty, and not allocated, in ordinary descents.
    spill: Vec<u32>,
}

impl Walk {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            nodes: Room::new(),
            leaves: Room::new(),
            asked: 0,
            spill: Vec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn start<A: Vector>(&mut self, tree: &Tree<A>) {
        if let Some(first) = tree.nodes.first() {
            // Of items of one class, all are below one node.
            let only = first.children[0][0];
            let skips = first.lanes == 1 && only & INNER != 0;
            self.nodes
                .pile()
                .append(&[if skips { only } else { INNER }]);
        }
    }

    /// Whether all is done. If not, brings nodes where the next descent finds them and has room.
    #[inline(always)]
    pub(super) fn is_done(&mut self) -> bool {
        if self.nodes.len() > STACK || self.nodes.len() == 0 && !self.spill.is_empty() {
            self.spill();
        }
        self.nodes.len() == 0 && self.asked == self.leaves.len()
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

/// Goes on with a walk: appends slots and generations until it is done or sixteen more might not fit, or
/// counts what is left of it. One function for both: two take twice the time to compile.
pub(super) fn go_on<A: Vector>(
    tree: &Tree<A>,
    region: &Plain<A>,
    walk: &mut Walk,
    to: &mut HandleWriter<'_>,
    counts: bool,
) -> usize {
    tree.instructions.run(GoOn {
        tree,
        region,
        walk,
        to,
        counts,
    })
}

/// Counts what is left of a walk.
pub(super) fn count_rest<A: Array>(tree: &Tree<A>, region: &Plain<A>, walk: &mut Walk) -> usize {
    let mut count = 0;
    while !walk.is_done() {
        let (mut slots, mut generations) = (Room::<0>::new(), Room::<0>::new());
        let mut nothing = HandleWriter {
            slots: slots.pile(),
            generations: generations.pile(),
        };
        count += <A as Kernels>::go_on(tree, region, walk, &mut nothing, true);
    }
    count
}

/// Appends all handles.
pub(super) fn append<A: Array>(tree: &Tree<A>, region: &Plain<A>, list: &mut Vec<Handle>) {
    let mut walk = Walk::new();
    walk.start(tree);
    while !walk.is_done() {
        Handle::extend(list, |to| {
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
    to: &'a mut HandleWriter<'b>,
    counts: bool,
}

impl<A: Vector> Job for GoOn<'_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let Self {
            tree, walk, counts, ..
        } = self;
        let mut to = HandleWriter {
            slots: self.to.slots.pile(),
            generations: self.to.generations.pile(),
        };
        let to = &mut to;
        match tree.layout {
            Layout::Whole => 0,
            Layout::Point => among::<A, S, POINT>(simd, tree, self.region, walk, to, counts),
            Layout::Box => among::<A, S, BOX>(simd, tree, self.region, walk, to, counts),
            Layout::Ball => among::<A, S, BALL>(simd, tree, self.region, walk, to, counts),
        }
    }
}

/// Kinds of items. Known when it is compiled: a descent that asks in each leaf and node takes up to a fifth
/// more time.
const POINT: u8 = Layout::Point as u8;
const BOX: u8 = Layout::Box as u8;
const BALL: u8 = Layout::Ball as u8;

#[inline(always)]
fn among<A: Vector, S: Simd, const ITEMS: u8>(
    simd: S,
    tree: &Tree<A>,
    region: &Plain<A>,
    walk: &mut Walk,
    to: &mut HandleWriter<'_>,
    counts: bool,
) -> usize {
    with_wide!(region, A, S, simd, |probe| {
        descend::<A, S, _, ITEMS>(simd, tree, &probe, walk, to, counts)
    })
}

#[inline(always)]
fn descend<A: Vector, S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
    simd: S,
    tree: &Tree<A>,
    probe: &P,
    walk: &mut Walk,
    to: &mut HandleWriter<'_>,
    counts: bool,
) -> usize {
    let mut nodes = walk.nodes.pile();
    let mut leaves = walk.leaves.pile();
    let mut asked = walk.asked;
    let mut count = 0;
    'full: loop {
        for &number in &leaves.as_slice()[asked..] {
            if !counts && to.slots.room() < LANES {
                break 'full;
            }
            let leaf = &tree.leaves[number as usize];
            let mask = match ITEMS {
                BOX => probe.meets_boxes(&leaf.points, &tree.highs[number as usize]),
                BALL => probe.meets_balls(&leaf.points, &tree.radii[number as usize]),
                _ => probe.meets_points(&leaf.points),
            };
            let mask = mask & Mask::new(simd, first(leaf.len));
            if counts {
                count += mask.count();
            } else {
                compress(simd, &leaf.slots, mask, &mut to.slots);
                compress(simd, &leaf.generations, mask, &mut to.generations);
            }
            asked += 1;
        }
        leaves.clear();
        asked = 0;
        // Nodes, until the list is full or none is left, or the stack is to be spilled.
        while leaves.len() < LIST && nodes.len() <= STACK {
            let Some(number) = nodes.pop() else { break };
            let number = (number & !INNER) as usize;
            let node = &tree.nodes[number];
            let mut left = node.lanes;
            for block in 0..BLOCKS {
                if left == 0 {
                    break;
                }
                let bounds = &node.bounds[block];
                let near = if ITEMS == BALL {
                    let radii = &tree.radii_below[number][block];
                    probe.may_meet_balls(&bounds.low, &bounds.high, radii)
                } else {
                    probe.meets_boxes(&bounds.low, &bounds.high)
                };
                let near = near & Mask::new(simd, first(left));
                let inner = Mask::of_top_bits(simd, &node.children[block]);
                compress(simd, &node.children[block], near & !inner, &mut leaves);
                compress(simd, &node.children[block], near & inner, &mut nodes);
                left = left.saturating_sub(LANES as u32);
            }
        }
        if leaves.len() == 0 {
            break;
        }
    }
    walk.asked = asked;
    count
}

/// A bit for each of the first lanes.
#[inline(always)]
pub(super) fn first(lanes: u32) -> u32 {
    (1 << lanes.min(LANES as u32)) - 1
}
