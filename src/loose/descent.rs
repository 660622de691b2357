//! The descent for a region that sixteen boxes are asked about at once. It fills a buffer and stops where the next items might not
//! fit, to be resumed.
//!
//! ```text
//! loop:
//!     ask the items of the leaves that wait, sixteen at a time
//!     until enough leaves wait, or no node is left:
//!         take the last node, and ask its children, sixteen at a time, whether they meet the region:
//!             leaves that meet it are listed, nodes that meet it are stacked
//! ```
//!
//! The loops call nothing: around a call, the registers that hold the region would be saved.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::node::{BLOCKS, FANOUT, INNER};
use super::tree::Tree;
use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::lanes::inexact::{Inexact, WideInexact};
use crate::overlap::lanes::{ANY, Asked, BALLS, BOXES, Cuboid, POINTS, Plain, Probe, WideRegion};
use crate::query::{HandleBuffer, HandleWriter, Key, KeyBuffer};
use crate::shape::Layout;
use crate::simd::{ArrayVec, Job, LANES, Mask, compress, is_wide};
use crate::vector::Vector;

/// Nodes to come.
const STACK: usize = 64;
/// Leaves to come: they are asked together, after the nodes.
const LIST: usize = 64;

/// How far a descent has come.
#[derive(Clone, Debug)]
pub struct Cursor {
    nodes: ArrayVec<{ STACK + FANOUT + LANES }>,
    leaves: ArrayVec<{ LIST + FANOUT + LANES }>,
    /// How many of the leaves were asked.
    leaves_asked: usize,
    /// Nodes that do not fit above. Empty, and not allocated, in ordinary descents.
    spill: Vec<u32>,
}

impl Cursor {
    /// Nothing to do yet. Apart from [`start`](Self::start), so that it is made where it stays:
    /// moving it would take a fifth of the time of a query for ten points.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            nodes: ArrayVec::new(),
            leaves: ArrayVec::new(),
            leaves_asked: 0,
            spill: Vec::new(),
        }
    }

    /// Begins at the root of a tree.
    #[inline(always)]
    pub(super) fn start<A: Vector>(&mut self, tree: &Tree<A>) {
        if let Some(first) = tree.nodes.first() {
            // If all items are of one class, a single node holds them.
            let only = first.children[0][0];
            let skips = first.lanes == 1 && only & INNER != 0;
            let root = if skips { only } else { INNER };
            self.nodes.writer().append(&[root]);
        }
    }

    /// Whether all is done. If not, brings nodes where the next descent finds them and has room.
    #[inline(always)]
    pub(super) fn is_done(&mut self) -> bool {
        if self.nodes.len() > STACK || self.nodes.len() == 0 && !self.spill.is_empty() {
            self.spill();
        }
        self.nodes.len() == 0 && self.leaves_asked == self.leaves.len()
    }

    /// Takes the older nodes of a full stack, and gives them back when it is empty.
    #[cold]
    #[inline(never)]
    fn spill(&mut self) {
        self.spill.extend_from_slice(self.nodes.as_slice());
        let below = self.spill.len().saturating_sub(STACK / 2);
        self.nodes.clear();
        self.nodes.writer().append(&self.spill[below..]);
        self.spill.truncate(below);
    }
}

/// Goes on with a descent: appends until sixteen more might not fit, or counts; until all is done, or more nodes
/// wait than there is room for.
pub(super) fn resume<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
    to: &mut HandleWriter<'_>,
    counts: bool,
) -> usize {
    let set = tree.instructions;
    let job = Resume {
        tree,
        region,
        cursor,
        to,
        counts,
    };
    let is_usual = match region {
        Asked::Plain(Plain::Ball(ball)) => ball.is_usual(),
        Asked::Plain(Plain::Box(_)) => true,
        Asked::Inexact(region) => {
            let found = set.run_wide(InInexact { job, region });
            return found.expect("solids are asked where instructions are wide");
        }
    };
    if !is_usual || !set.is_wide() {
        return set.run(job);
    }
    let found = match tree.layout {
        Layout::Point => set.run_wide(Usual::<_, POINTS>(job)),
        Layout::Box => set.run_wide(Usual::<_, BOXES>(job)),
        Layout::Ball => set.run_wide(Usual::<_, BALLS>(job)),
        Layout::Whole => Some(0),
    };
    found.expect("instructions are wide")
}

/// Appends all that overlaps.
pub(super) fn append<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    list: &mut Vec<Handle>,
) -> Result<(), Error> {
    let mut cursor = Cursor::new();
    cursor.start(tree);
    while !cursor.is_done() {
        Handle::extend(list, |to| {
            resume(tree, region, &mut cursor, to, false);
        })?;
    }
    Ok(())
}

/// Counts all that overlaps.
pub(super) fn count<A: Vector>(tree: &Tree<A>, region: &Asked<A>) -> usize {
    let mut cursor = Cursor::new();
    cursor.start(tree);
    count_rest(tree, region, &mut cursor)
}

/// Counts what is left of a descent.
pub(super) fn count_rest<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
) -> usize {
    let mut nothing = HandleBuffer::new();
    let mut count = 0;
    while !cursor.is_done() {
        count += resume(tree, region, cursor, &mut nothing.writer(), true);
    }
    count
}

/// A descent to be run.
struct Resume<'a, 'b, A: Vector> {
    tree: &'a Tree<A>,
    region: &'a Asked<A>,
    cursor: &'a mut Cursor,
    to: &'a mut HandleWriter<'b>,
    counts: bool,
}

impl<A: Vector> Job for Resume<'_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        match self.region {
            Asked::Plain(Plain::Box(cuboid)) => {
                let probe = Cuboid::<A, S>::new(simd, cuboid);
                self.descend::<S, _, ANY>(simd, &probe)
            }
            Asked::Plain(Plain::Ball(ball)) => {
                if const { is_wide::<S>() } {
                    let probe = Probe::<A, S, true, true>::new(simd, ball);
                    self.descend::<S, _, ANY>(simd, &probe)
                } else {
                    let probe = Probe::<A, S, true>::new(simd, ball);
                    self.descend::<S, _, ANY>(simd, &probe)
                }
            }
            Asked::Inexact(_) => unreachable!("asked by another job"),
        }
    }
}

/// Goes on with a descent for a solid that lanes know by bounds. It is a job of its own, since without optimization everything
/// that is inlined into one function lies side by side on the stack, megabytes of it.
struct InInexact<'a, 'b, 'p, A: Vector> {
    job: Resume<'a, 'b, A>,
    region: &'p Inexact<A>,
}

impl<A: Vector> Job for InInexact<'_, '_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let probe = WideInexact::<A, S>::new(simd, self.region);
        self.job.descend::<S, _, ANY>(simd, &probe)
    }
}

/// Goes on with a descent for a solid ball or box, the most frequent queries. With the kind of items and hollowness known when it is
/// compiled, it takes 0.75 to 0.9 of the time.
struct Usual<J, const ITEMS: u8>(J);

impl<A: Vector, const ITEMS: u8> Job for Usual<Resume<'_, '_, A>, ITEMS> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        match self.0.region {
            Asked::Plain(Plain::Box(cuboid)) => {
                let probe = Cuboid::<A, S>::new(simd, cuboid);
                self.0.descend::<S, _, ITEMS>(simd, &probe)
            }
            Asked::Plain(Plain::Ball(ball)) => {
                let probe = Probe::<A, S, false>::new(simd, ball);
                self.0.descend::<S, _, ITEMS>(simd, &probe)
            }
            Asked::Inexact(_) => unreachable!("asked less often"),
        }
    }
}

impl<A: Vector> Resume<'_, '_, A> {
    #[inline(always)]
    fn descend<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(self, simd: S, probe: &P) -> usize {
        let Self {
            tree,
            cursor,
            counts,
            ..
        } = self;
        let mut to = HandleWriter {
            slots: self.to.slots.writer(),
            generations: self.to.generations.writer(),
        };
        let mut asked = cursor.leaves_asked;
        let (mut nodes, mut leaves) = (cursor.nodes.writer(), cursor.leaves.writer());
        let mut count = 0;
        'full: loop {
            while asked < leaves.len() {
                if !counts && to.slots.room() < LANES {
                    break 'full;
                }
                let leaf = leaves.as_slice()[asked] as usize;
                let mask = tree.items_that_meet::<S, P, ITEMS>(simd, probe, leaf);
                if counts {
                    count += mask.count();
                } else {
                    let leaf = &tree.leaves[leaf];
                    compress(simd, &leaf.slots, mask, &mut to.slots);
                    compress(simd, &leaf.generations, mask, &mut to.generations);
                }
                asked += 1;
            }
            leaves.clear();
            asked = 0;
            // Nodes, until the list is full or none is left, or the stack is to be spilled.
            while leaves.len() < LIST && nodes.len() <= STACK {
                let Some(node) = nodes.pop() else {
                    break;
                };
                let number = (node & !INNER) as usize;
                let mut left = tree.nodes[number].lanes;
                for block in 0..BLOCKS {
                    if left == 0 {
                        break;
                    }
                    let near = tree.children_that_meet::<S, P, ITEMS>(probe, number, block);
                    let near = near & Mask::new(simd, first(left));
                    let children = &tree.nodes[number].children[block];
                    let inner = Mask::of_top_bits(simd, children);
                    compress(simd, children, near & !inner, &mut leaves);
                    compress(simd, children, near & inner, &mut nodes);
                    left = left.saturating_sub(LANES as u32);
                }
            }
            if leaves.len() == 0 && (nodes.len() == 0 || nodes.len() > STACK) {
                break;
            }
        }
        drop(leaves);
        cursor.leaves_asked = asked;
        count
    }
}

impl<A: Vector> Tree<A> {
    /// The children in a block of a node that the region meets.
    #[inline(always)]
    fn children_that_meet<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        probe: &P,
        number: usize,
        block: usize,
    ) -> Mask {
        let bounds = &self.nodes[number].bounds[block];
        if ITEMS == BALLS || ITEMS == ANY && self.has_radii {
            let radii = &self.radii_below[number][block];
            probe.may_meet_balls(&bounds.low, &bounds.high, radii)
        } else {
            probe.may_meet_boxes(&bounds.low, &bounds.high)
        }
    }

    /// The items of a leaf that overlap.
    #[inline(always)]
    fn items_that_meet<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        number: usize,
    ) -> Mask {
        let leaf = &self.leaves[number];
        let layout = match ITEMS {
            POINTS => Layout::Point,
            BOXES => Layout::Box,
            BALLS => Layout::Ball,
            _ => self.layout,
        };
        let mask = match layout {
            Layout::Box => probe.meets_boxes(&leaf.points, &self.highs[number]),
            Layout::Ball => probe.meets_balls(&leaf.points, &self.radii[number]),
            Layout::Point | Layout::Whole => probe.meets_points(&leaf.points),
        };
        mask & Mask::new(simd, first(leaf.len))
    }
}

/// A bit for each of the first lanes.
#[inline(always)]
pub(super) fn first(lanes: u32) -> u32 {
    (1 << lanes.min(LANES as u32)) - 1
}
