//! The descent for a box or a ball in trees whose nodes have their children, and leaves their items, in blocks
//! of sixteen. It fills a buffer and stops where the next items might not fit, to be resumed.
//!
//! ```text
//! loop:
//!     copy the keys of nodes that lie inside the region
//!     ask the items of the leaves that wait, sixteen at a time
//!     until enough leaves wait, or no node is left:
//!         take the last node, and ask its children, sixteen at a time, whether they meet the region:
//!             leaves that meet it are listed
//!             nodes that meet it are stacked, but for those that lie inside, which are listed apart
//! ```
//!
//! The loops call nothing: around a call, the registers that hold the region would be saved.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::key::{BUFFER, Key, KeyBuffer, Writer};
use crate::error::Error;
use crate::overlap::lanes::inexact::{Inexact, WideInexact};
use crate::overlap::lanes::{Asked, Cuboid, Plain, Probe, WideRegion};
use crate::simd::{ArrayVec, InstructionSet, Job, LANES, ListWriter, is_wide};
use crate::vector::Vector;

/// Nodes to come.
const STACK: usize = 64;
/// Leaves to come: they are asked together, after the nodes.
const LIST: usize = 64;
/// The most children of a node.
pub(crate) const CHILDREN: usize = 64;
/// The most lanes that the blocks of a leaf have.
pub(crate) const LEAF_LANES: usize = BUFFER;

/// How far a descent has come.
#[derive(Clone, Debug)]
pub struct Cursor {
    nodes: ArrayVec<{ STACK + CHILDREN + LANES }>,
    leaves: ArrayVec<{ LIST + CHILDREN + LANES }>,
    /// Which of their lanes are theirs, in trees whose leaves share blocks.
    edges: ArrayVec<{ LIST + CHILDREN + LANES }>,
    /// How many of the leaves were asked.
    leaves_asked: usize,
    /// Nodes that lie inside the region.
    inside: ArrayVec<{ CHILDREN + LANES }>,
    /// What is left of the one that is being copied.
    run: (u32, u32),
    /// Nodes that do not fit above. Empty, and not allocated, in ordinary descents.
    spill: Vec<u32>,
}

/// What is still to be looked at.
pub(crate) struct Waiting<'a> {
    pub(crate) nodes: ListWriter<'a>,
    pub(crate) leaves: ListWriter<'a>,
    pub(crate) edges: ListWriter<'a>,
    pub(crate) inside: ListWriter<'a>,
}

impl Cursor {
    /// Nothing to do yet. Apart from [`start`](Self::start), so that it is made where it stays:
    /// moving it would take a fifth of the time of a query for ten points.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            nodes: ArrayVec::new(),
            leaves: ArrayVec::new(),
            edges: ArrayVec::new(),
            leaves_asked: 0,
            inside: ArrayVec::new(),
            run: (0, 0),
            spill: Vec::new(),
        }
    }

    /// Begins at the root of a tree.
    #[inline(always)]
    pub(crate) fn start<A: Vector>(&mut self, tree: &impl BlockTree<A>) {
        tree.start(&mut self.waiting());
    }

    #[inline(always)]
    fn waiting(&mut self) -> Waiting<'_> {
        Waiting {
            nodes: self.nodes.writer(),
            leaves: self.leaves.writer(),
            edges: self.edges.writer(),
            inside: self.inside.writer(),
        }
    }

    /// Whether all is done. If not, brings nodes where the next descent finds them and has room.
    #[inline(always)]
    pub(crate) fn is_done(&mut self) -> bool {
        if self.nodes.len() > STACK || self.nodes.len() == 0 && !self.spill.is_empty() {
            self.spill();
        }
        self.nodes.len() == 0
            && self.leaves_asked == self.leaves.len()
            && self.run.0 == self.run.1
            && self.inside.len() == 0
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

/// Items of any layout, as the tree says.
pub(crate) const ANY: u8 = 0;
/// Points.
pub(crate) const POINTS: u8 = 1;
/// Boxes.
pub(crate) const BOXES: u8 = 2;
/// Balls.
pub(crate) const BALLS: u8 = 3;

/// What a descent does with the items that overlap: appends or counts them, or as it is told at run time.
pub(crate) const FILL: u8 = 0;
pub(crate) const COUNT: u8 = 1;
pub(crate) const EITHER: u8 = 2;

/// A tree as a descent takes it. Nodes and leaves are numbers of the tree's choice.
pub(crate) trait BlockTree<A: Vector> {
    type Key: Key;

    /// Whether leaves share blocks, so that each has edges.
    const EDGES: bool;

    fn instructions(&self) -> InstructionSet;

    /// Runs a descent for a solid region on wide instructions: [`Specialized`] where that is worth compiling.
    fn run_specialized(job: Resume<'_, '_, A, Self>) -> Option<usize>
    where
        Self: Sized;

    /// Lets the root wait, if there is one.
    fn start(&self, waiting: &mut Waiting<'_>);

    /// Asks the children of a node: those that meet the region wait. Where items are counted, returns how
    /// many those have that lie inside.
    fn ask_children<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        node: u32,
        waiting: &mut Waiting<'_>,
        counts: bool,
    ) -> usize;

    /// The lanes of the blocks of a leaf.
    fn lanes(&self, leaf: u32) -> usize;

    /// Asks the items of a leaf, and appends or counts those that overlap.
    fn ask_items<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        leaf: u32,
        edges: u32,
        to: &mut Writer<'_, Self::Key>,
        counts: bool,
    ) -> usize;

    /// The items of a node that lies inside: from, to.
    #[inline(always)]
    fn run(&self, _node: u32) -> (u32, u32) {
        (0, 0)
    }

    /// Appends the first sixteen items of a run.
    #[inline(always)]
    fn copy(&self, _run: (u32, u32), _to: &mut Writer<'_, Self::Key>) {}
}

/// Goes on with a descent: appends until sixteen more might not fit, or counts; until all is done, or more nodes
/// wait than there is room for.
#[inline(always)]
pub(crate) fn resume<A: Vector, T: BlockTree<A>>(
    tree: &T,
    region: &Asked<A>,
    cursor: &mut Cursor,
    to: &mut Writer<'_, T::Key>,
    counts: bool,
) -> usize {
    let set = tree.instructions();
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
    let found = T::run_specialized(job);
    found.expect("instructions are wide")
}

/// Counts what is left.
#[inline(always)]
pub(crate) fn count_rest<A: Vector, T: BlockTree<A>>(
    tree: &T,
    region: &Asked<A>,
    cursor: &mut Cursor,
) -> usize {
    let mut nothing = <<T::Key as Key>::Buffer as KeyBuffer>::new();
    let mut count = 0;
    while !cursor.is_done() {
        count += resume(tree, region, cursor, &mut nothing.writer(), true);
    }
    count
}

/// Appends all that overlaps.
#[inline(always)]
pub(crate) fn append<A: Vector, T: BlockTree<A>>(
    tree: &T,
    region: &Asked<A>,
    list: &mut Vec<<T::Key as Key>::Packed>,
) -> Result<(), Error> {
    let mut cursor = Cursor::new();
    cursor.start(tree);
    while !cursor.is_done() {
        T::Key::extend(list, |to| {
            resume(tree, region, &mut cursor, to, false);
        })?;
    }
    Ok(())
}

/// Counts all that overlaps.
#[inline(always)]
pub(crate) fn count<A: Vector, T: BlockTree<A>>(tree: &T, region: &Asked<A>) -> usize {
    let mut cursor = Cursor::new();
    cursor.start(tree);
    count_rest(tree, region, &mut cursor)
}

/// A descent to be run.
pub(crate) struct Resume<'a, 'b, A: Vector, T: BlockTree<A>> {
    pub(crate) tree: &'a T,
    region: &'a Asked<A>,
    cursor: &'a mut Cursor,
    to: &'a mut Writer<'b, T::Key>,
    pub(crate) counts: bool,
}

impl<A: Vector, T: BlockTree<A>> Job for Resume<'_, '_, A, T> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        match self.region {
            Asked::Plain(Plain::Box(cuboid)) => {
                let probe = Cuboid::<A, S>::new(simd, cuboid);
                self.with::<S, _, EITHER, ANY>(simd, &probe)
            }
            Asked::Plain(Plain::Ball(ball)) => {
                if const { is_wide::<S>() } {
                    let probe = Probe::<A, S, true, true>::new(simd, ball);
                    self.with::<S, _, EITHER, ANY>(simd, &probe)
                } else {
                    let probe = Probe::<A, S, true>::new(simd, ball);
                    self.with::<S, _, EITHER, ANY>(simd, &probe)
                }
            }
            Asked::Inexact(_) => unreachable!("asked by another job"),
        }
    }
}

/// The same for a solid that lanes know by bounds: a job of its own, since without optimization all that one function has
/// inlined lies side by side on the stack, megabytes of it.
struct InInexact<'p, J, A: Vector> {
    job: J,
    region: &'p Inexact<A>,
}

impl<A: Vector, T: BlockTree<A>> Job for InInexact<'_, Resume<'_, '_, A, T>, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let probe = WideInexact::<A, S>::new(simd, self.region);
        self.job.with::<S, _, EITHER, ANY>(simd, &probe)
    }
}

/// The same for what is asked most, solid balls and boxes: where the kind of items, hollowness and what is done
/// with items are known when it is compiled, it takes 0.75 to 0.9 of the time.
pub(crate) struct Specialized<J, const MODE: u8, const ITEMS: u8>(pub(crate) J);

impl<A: Vector, T: BlockTree<A>, const MODE: u8, const ITEMS: u8> Job
    for Specialized<Resume<'_, '_, A, T>, MODE, ITEMS>
{
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        match self.0.region {
            Asked::Plain(Plain::Box(cuboid)) => {
                let probe = Cuboid::<A, S>::new(simd, cuboid);
                self.0.with::<S, _, MODE, ITEMS>(simd, &probe)
            }
            Asked::Plain(Plain::Ball(ball)) => {
                let probe = Probe::<A, S, false>::new(simd, ball);
                self.0.with::<S, _, MODE, ITEMS>(simd, &probe)
            }
            Asked::Inexact(_) => unreachable!("asked less often"),
        }
    }
}

impl<A: Vector, T: BlockTree<A>> Resume<'_, '_, A, T> {
    #[inline(always)]
    fn with<S: Simd, P: WideRegion<A, S>, const MODE: u8, const ITEMS: u8>(
        self,
        simd: S,
        probe: &P,
    ) -> usize {
        let counts = MODE == COUNT || MODE == EITHER && self.counts;
        let mut to = <T::Key as Key>::Buffer::again(self.to);
        descend::<A, S, P, T, ITEMS>(simd, self.tree, probe, self.cursor, &mut to, counts)
    }
}

#[inline(always)]
fn descend<A: Vector, S: Simd, P: WideRegion<A, S>, T: BlockTree<A>, const ITEMS: u8>(
    simd: S,
    tree: &T,
    probe: &P,
    cursor: &mut Cursor,
    to: &mut Writer<'_, T::Key>,
    counts: bool,
) -> usize {
    let mut asked = cursor.leaves_asked;
    let (mut from, mut end) = cursor.run;
    let mut waiting = cursor.waiting();
    let mut count = 0;
    let room = |to: &Writer<'_, T::Key>| <T::Key as Key>::Buffer::room(to);
    'full: loop {
        // What is found already: nodes that lie inside first, then leaves.
        loop {
            if counts {
                count += (end - from) as usize;
                from = end;
            }
            while from < end {
                if room(to) < LANES {
                    break 'full;
                }
                tree.copy((from, end), to);
                from = (from + LANES as u32).min(end);
            }
            let Some(node) = waiting.inside.pop() else {
                break;
            };
            (from, end) = tree.run(node);
        }
        let leaves = waiting.leaves.as_slice();
        let edges = if T::EDGES {
            &waiting.edges.as_slice()[..leaves.len()]
        } else {
            leaves
        };
        while asked < leaves.len() {
            let leaf = leaves[asked];
            if !counts && room(to) < tree.lanes(leaf) {
                break 'full;
            }
            let edges = edges[asked];
            count += tree.ask_items::<S, P, ITEMS>(simd, probe, leaf, edges, to, counts);
            asked += 1;
        }
        waiting.leaves.clear();
        waiting.edges.clear();
        asked = 0;
        // Nodes, until the list is full or none is left, or the stack is to be spilled.
        while waiting.leaves.len() < LIST && waiting.nodes.len() <= STACK {
            let Some(node) = waiting.nodes.pop() else {
                break;
            };
            count += tree.ask_children::<S, P, ITEMS>(simd, probe, node, &mut waiting, counts);
            if !counts && waiting.inside.len() > 0 {
                break;
            }
        }
        let nodes = waiting.nodes.len();
        if waiting.leaves.len() + waiting.inside.len() == 0 && (nodes == 0 || nodes > STACK) {
            break;
        }
    }
    drop(waiting);
    cursor.leaves_asked = asked;
    cursor.run = (from, end);
    count
}
