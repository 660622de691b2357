//! The descent for a box or a ball, sixteen children at a time. It fills a buffer and stops where the next
//! items might not fit, to be resumed.
//!
//! The loops call nothing: around a call, the registers that hold the region would be saved.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::LooseOrthtree;
use super::node::{BLOCKS, INNER};
use super::rule::FAN;
use crate::Bounded;
use crate::overlap::lanes::{Lanewise, Layout, Plain, lanewise};
use crate::query::HandleSink;
use crate::simd::{Job, LANES, Mask, Pile, Room, compress};

/// Nodes to come.
const STACK: usize = 64;
/// Leaves to come: they are asked together, after the nodes.
const LIST: usize = 64;

/// Where a descent stands.
#[derive(Debug)]
pub struct Walk {
    nodes: Room<{ STACK + FAN + LANES }>,
    leaves: Room<{ LIST + FAN + LANES }>,
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
    pub(super) fn start<T: Bounded>(&mut self, tree: &LooseOrthtree<T>) {
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

/// Appends slots and generations until the walk is done or sixteen more might not fit.
pub(super) struct Fill<'a, 'b, T: Bounded> {
    pub(super) tree: &'a LooseOrthtree<T>,
    pub(super) region: &'a Plain<T::Vector>,
    pub(super) walk: &'a mut Walk,
    pub(super) to: &'a mut HandleSink<'b>,
}

impl<T: Bounded> Job for Fill<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let mut slots = self.to.slots.pile();
        let mut generations = self.to.generations.pile();
        let to = (&mut slots, &mut generations);
        lanewise!(self.region, T::Vector, S, simd, |probe| {
            descend::<T, S, _, false>(simd, self.tree, &probe, self.walk, to);
        });
    }
}

/// Counts what is left of a walk.
pub(super) struct Count<'a, T: Bounded> {
    pub(super) tree: &'a LooseOrthtree<T>,
    pub(super) region: &'a Plain<T::Vector>,
    pub(super) walk: &'a mut Walk,
}

impl<T: Bounded> Job for Count<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (mut none, mut either) = (Room::<0>::new(), Room::<0>::new());
        let to = (&mut none.pile(), &mut either.pile());
        lanewise!(self.region, T::Vector, S, simd, |probe| {
            descend::<T, S, _, true>(simd, self.tree, &probe, self.walk, to)
        })
    }
}

#[inline(always)]
fn descend<T: Bounded, S: Simd, P: Lanewise<T::Vector, S>, const COUNT: bool>(
    simd: S,
    tree: &LooseOrthtree<T>,
    probe: &P,
    walk: &mut Walk,
    to: (&mut Pile<'_>, &mut Pile<'_>),
) -> usize {
    debug_assert!(T::LAYOUT != Layout::Whole);
    let (slots, generations) = to;
    let mut nodes = walk.nodes.pile();
    let mut leaves = walk.leaves.pile();
    let mut asked = walk.asked;
    let mut count = 0;
    'full: loop {
        for &number in &leaves.as_slice()[asked..] {
            if !COUNT && slots.room() < LANES {
                break 'full;
            }
            let leaf = &tree.leaves[number as usize];
            let mask = match T::LAYOUT {
                Layout::Whole => Mask::new(simd, 0),
                Layout::Point => probe.meets_points(&leaf.points),
                Layout::Box => probe.meets_boxes(&leaf.points, &tree.highs[number as usize]),
                Layout::Ball => probe.meets_balls(&leaf.points, &tree.radii[number as usize]),
            };
            let mask = mask & Mask::new(simd, first(leaf.len));
            if COUNT {
                count += mask.count();
            } else {
                compress(simd, &leaf.slots, mask, slots);
                compress(simd, &leaf.generations, mask, generations);
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
                let near = if T::HAS_RADIUS {
                    let roundings = &tree.roundings[number][block];
                    probe.meets_rounded(&bounds.low, &bounds.high, roundings)
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
