//! The descent to what meets a region: level by level, through all blocks of boxes that meet it, to the blocks of items that
//! may.
//!
//! ```text
//! the blocks of the root's children wait
//! until nothing waits:
//!     of the deepest level at which blocks wait, from the first on:
//!     blocks of boxes:   the blocks of their children that meet the region wait one level below, some sixty at a time;
//!                        those of children that lie inside are marked, and so is all below
//!     blocks of items:   each is asked, but for those that are marked, and what is found is written
//! ```
//!
//! There is one loop for a list of blocks and not one for each node, so the machine guesses how long a list is and nothing
//! else, and no block waits for another. Nothing leaves its place in a list, so items are found in the order in which they
//! lie in the tree, however they are asked for.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::levels::Level;
use super::tree::Tree;
use crate::bits::set_bits;
use crate::error::{Error, reserve};
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::inexact::{Inexact, WideInexact};
use crate::overlap::lanes::{
    ANY, Asked, Ball, Cuboid, POINTS, Plain, Probe, RadiusRange, WideRegion,
};
use crate::query::reserve_buffer;
use crate::shape::{Aabb, Layout};
use crate::simd::{ArrayVec, Job, LANES, ListWriter, Mask, compress, is_wide};
use crate::vector::Vector;

/// The number of lists of blocks: one of items, and up to eight levels of boxes above them.
const LISTS: usize = 9;

/// A list that is this long is processed before it grows.
const MANY: usize = 64;

/// The most blocks of a level that [`AtOnce`] lists.
const SMALL: usize = 496;

/// Marks a block that waits: everything below it lies inside the region.
const INSIDE: u32 = 1 << 31;

/// Children are tested for lying inside only if more of them than this meet the region: otherwise it is unlikely.
const FEW: usize = 5;

/// The blocks of a level that wait, by their places in the list of all.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    next: u32,
    end: u32,
}

/// The state of a descent.
#[derive(Clone, Debug)]
pub struct Cursor {
    blocks: ArrayVec<{ LISTS * (MANY + 2 * LANES) }>,
    /// From the children of the root down to the items.
    waiting: [Waiting; LISTS],
    /// The list at hand.
    at: usize,
    has_begun: bool,
    is_done: bool,
}

impl Cursor {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            blocks: ArrayVec::new(),
            waiting: [Waiting::default(); LISTS],
            at: 0,
            has_begun: false,
            is_done: false,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }
}

impl<A: Vector> Tree<A> {
    /// The boxes in a block whose items may overlap.
    #[inline(always)]
    fn boxes_that_meet<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        level: &Level,
        block: usize,
    ) -> Mask {
        let Boxes { low, high } = &self.nodes.cells[block];
        let mask = match self.radii_of::<ITEMS>(block) {
            Some(radii) => probe.may_meet_balls(low, high, radii),
            None => probe.may_meet_boxes(low, high),
        };
        mask & Mask::new(simd, 0xffff >> (LANES - level.lanes(block)))
    }

    /// The boxes in a block whose items all overlap.
    #[inline(always)]
    fn boxes_inside<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        probe: &P,
        block: usize,
    ) -> Mask {
        let Boxes { low, high } = &self.nodes.cells[block];
        match self.radii_of::<ITEMS>(block) {
            Some(radii) => probe.holds_balls(low, high, radii),
            None => probe.holds(low, high),
        }
    }

    #[inline(always)]
    fn radii_of<const ITEMS: u8>(&self, block: usize) -> Option<&RadiusRange<A::Scalar>> {
        if ITEMS == ANY {
            return self.nodes.radii.get(block);
        }
        None
    }

    /// The items of a block that overlap.
    #[inline(always)]
    fn items_that_meet<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        simd: S,
        probe: &P,
        block: usize,
    ) -> Mask {
        let items = &self.items;
        let layout = match ITEMS {
            POINTS => Layout::Point,
            _ => items.layout,
        };
        let points = &items.points[block];
        let mask = match layout {
            Layout::Whole => Mask::new(simd, 0),
            Layout::Point => probe.meets_points(points),
            Layout::Box => probe.meets_boxes(points, &items.highs[block]),
            Layout::Ball => probe.meets_balls(points, &items.radii[block]),
        };
        mask & Mask::new(simd, self.lanes_of(block))
    }

    /// The indices of the items of a block.
    #[inline(always)]
    fn indices_of(&self, block: usize) -> &[u32; LANES] {
        &self.indices.as_chunks().0[block]
    }
}

/// The fast path for small queries: appends or counts the overlapping items level by level, without a cursor and without a test
/// for lying inside. Returns `None`, having appended nothing, if a level has too many blocks.
struct AtOnce<'a, A: Vector> {
    tree: &'a Tree<A>,
    region: &'a Plain<A>,
    list: Option<&'a mut Vec<u32>>,
}

impl<A: Vector> Job for AtOnce<'_, A> {
    type Output = Result<Option<usize>, Error>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        match self.region {
            Plain::Ball(ball) => {
                let probe = Probe::<A, S, false>::new(simd, ball);
                if self.tree.items.layout == Layout::Point {
                    self.with::<S, _, POINTS>(simd, &probe)
                } else {
                    self.with::<S, _, ANY>(simd, &probe)
                }
            }
            Plain::Box(cuboid) => {
                let probe = Cuboid::<A, S>::new(simd, cuboid);
                self.with::<S, _, ANY>(simd, &probe)
            }
        }
    }
}

impl<A: Vector> AtOnce<'_, A> {
    #[inline(always)]
    fn with<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        self,
        simd: S,
        probe: &P,
    ) -> Result<Option<usize>, Error> {
        let Self { tree, list, .. } = self;
        let levels = &tree.nodes.levels;
        let (mut even, mut odd) = (
            ArrayVec::<{ SMALL + LANES }>::new(),
            ArrayVec::<{ SMALL + LANES }>::new(),
        );
        let (mut above, mut below) = (&mut even, &mut odd);
        let mut to = above.writer();
        for block in levels.top() {
            to.append(&[block as u32]);
        }
        drop(to);
        for height in (0..levels.height()).rev() {
            below.clear();
            let mut to = below.writer();
            let level = levels.level(height);
            for &block in above.as_slice() {
                if to.len() > SMALL {
                    return Ok(None);
                }
                let block = block as usize;
                let mask = tree.boxes_that_meet::<S, P, ITEMS>(simd, probe, level, block);
                compress(simd, &levels.children(height, block), mask, &mut to);
            }
            drop(to);
            (above, below) = (below, above);
        }
        let blocks = above.as_slice();
        let mut count = 0;
        match list {
            None => {
                for &block in blocks {
                    let mask = tree.items_that_meet::<S, P, ITEMS>(simd, probe, block as usize);
                    count += mask.count();
                }
            }
            Some(list) => {
                if list.capacity() - list.len() < blocks.len() * LANES {
                    reserve(list, (blocks.len() * LANES).max(list.len()))?;
                }
                ListWriter::extend(
                    list,
                    #[inline(always)]
                    |to| {
                        let mut to = to.writer();
                        for &block in blocks {
                            let block = block as usize;
                            let mask = tree.items_that_meet::<S, P, ITEMS>(simd, probe, block);
                            compress(simd, tree.indices_of(block), mask, &mut to);
                        }
                    },
                );
            }
        }
        Ok(Some(count))
    }
}

/// Goes on with a descent: appends until sixteen more might not fit, or counts.
struct Resume<'a, 'b, A: Vector> {
    tree: &'a Tree<A>,
    region: &'a Asked<A>,
    cursor: &'a mut Cursor,
    to: &'a mut ListWriter<'b>,
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
            Asked::Plain(Plain::Ball(ball)) if const { is_wide::<S>() } => {
                let probe = Probe::<A, S, true, true>::new(simd, ball);
                self.descend::<S, _, ANY>(simd, &probe)
            }
            Asked::Plain(Plain::Ball(ball)) => {
                let probe = Probe::<A, S, true>::new(simd, ball);
                self.descend::<S, _, ANY>(simd, &probe)
            }
            Asked::Inexact(_) => unreachable!("asked by another job"),
        }
    }
}

/// Goes on with a descent for a solid ball among points, the most frequent query.
struct ResumeBall<'a, 'b, 'c, A: Vector>(Resume<'a, 'b, A>, &'c Ball<A>);

impl<A: Vector> Job for ResumeBall<'_, '_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let probe = Probe::<A, S, false>::new(simd, self.1);
        self.0.descend::<S, _, POINTS>(simd, &probe)
    }
}

/// Goes on with a descent for a solid that lanes know by bounds. It is a job of its own, since without optimization everything
/// that is inlined into one function lies side by side on the stack, megabytes of it.
struct ResumeInexact<'a, 'b, 'c, A: Vector>(Resume<'a, 'b, A>, &'c Inexact<A>);

impl<A: Vector> Job for ResumeInexact<'_, '_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let probe = WideInexact::<A, S>::new(simd, self.1);
        self.0.descend::<S, _, ANY>(simd, &probe)
    }
}

impl<A: Vector> Resume<'_, '_, A> {
    fn on(self) -> usize {
        let set = self.tree.instructions;
        let is_points = self.tree.items.layout == Layout::Point;
        let found = match self.region {
            Asked::Inexact(region) => set.run_wide(ResumeInexact(self, region)),
            Asked::Plain(Plain::Ball(ball)) if is_points && ball.is_usual() && set.is_wide() => {
                set.run_wide(ResumeBall(self, ball))
            }
            Asked::Plain(_) => Some(set.run(self)),
        };
        found.expect("solids are asked where instructions are wide")
    }

    #[inline(always)]
    fn descend<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(self, simd: S, probe: &P) -> usize {
        let Self {
            tree,
            cursor,
            counts,
            ..
        } = self;
        let levels = &tree.nodes.levels;
        let height = levels.height();
        let mut to = self.to.writer();
        let mut count = 0;
        let mut at = cursor.at;
        let mut blocks = cursor.blocks.writer();
        let waiting = &mut cursor.waiting;
        if !cursor.has_begun {
            cursor.has_begun = true;
            for block in levels.top() {
                blocks.append(&[block as u32]);
            }
            waiting[0].end = blocks.len() as u32;
        }
        'full: loop {
            let Waiting { next, end } = waiting[at];
            if next == end {
                if at == 0 {
                    cursor.is_done = true;
                    break;
                }
                at -= 1;
                blocks.truncate(waiting[at].end as usize);
                continue;
            }
            if at == height {
                for place in next..end {
                    if !counts && to.room() < LANES {
                        waiting[at].next = place;
                        break 'full;
                    }
                    let entry = blocks.as_slice()[place as usize];
                    let block = (entry & !INSIDE) as usize;
                    let mask = if entry & INSIDE == 0 {
                        tree.items_that_meet::<S, P, ITEMS>(simd, probe, block)
                    } else {
                        Mask::new(simd, tree.lanes_of(block))
                    };
                    if counts {
                        count += mask.count();
                    } else {
                        compress(simd, tree.indices_of(block), mask, &mut to);
                    }
                }
                waiting[at].next = end;
                continue;
            }
            // Expand the waiting blocks of boxes into the blocks of their children.
            let (height, mut place, first) = (height - 1 - at, next as usize, blocks.len());
            let level = levels.level(height);
            while place < end as usize && blocks.len() - first < MANY {
                let entry = blocks.as_slice()[place];
                place += 1;
                let block = (entry & !INSIDE) as usize;
                let mut children = levels.children(height, block);
                if entry & INSIDE != 0 {
                    let all = Mask::new(simd, 0xffff >> (LANES - level.lanes(block)));
                    let marked = children.map(
                        #[inline(always)]
                        |child| child | INSIDE,
                    );
                    compress(simd, &marked, all, &mut blocks);
                    continue;
                }
                let mut mask = tree.boxes_that_meet::<S, P, ITEMS>(simd, probe, level, block);
                // Only nodes are worth a test for being inside; of leaves it takes as long as to ask their items.
                if height > 0 && mask.count() > FEW {
                    let inside = mask & tree.boxes_inside::<S, P, ITEMS>(probe, block);
                    if counts {
                        mask = mask & !inside;
                    }
                    for lane in set_bits(inside.bits(simd)) {
                        if counts {
                            let number = (block - level.first()) * LANES + lane;
                            count += level.slots(number, tree.len).len();
                        } else {
                            children[lane] |= INSIDE;
                        }
                    }
                }
                compress(simd, &children, mask, &mut blocks);
            }
            waiting[at].next = place as u32;
            at += 1;
            let (next, end) = (first as u32, blocks.len() as u32);
            waiting[at] = Waiting { next, end };
        }
        cursor.at = at;
        count
    }
}

/// Returns the region if [`AtOnce`] can be tried for it.
#[inline(always)]
fn at_once<'a, A: Vector>(tree: &Tree<A>, region: &'a Asked<A>) -> Option<&'a Plain<A>> {
    let Asked::Plain(plain) = region else {
        return None;
    };
    let is_usual = match plain {
        Plain::Ball(ball) => ball.is_usual(),
        Plain::Box(Aabb { .. }) => true,
    };
    (is_usual && tree.instructions.is_wide()).then_some(plain)
}

/// Goes on with a descent: appends or counts what overlaps, until the buffer is full.
pub(super) fn resume<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
    to: &mut ListWriter<'_>,
) {
    Resume {
        tree,
        region,
        cursor,
        to,
        counts: false,
    }
    .on();
}

/// Appends all that overlaps.
pub(super) fn append<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    list: &mut Vec<u32>,
) -> Result<(), Error> {
    if let Some(plain) = at_once(tree, region) {
        let job = AtOnce {
            tree,
            region: plain,
            list: Some(list),
        };
        if let Some(found) = tree.instructions.run_wide(job)
            && found?.is_some()
        {
            return Ok(());
        }
    }
    append_rest(tree, region, &mut Cursor::new(), list)
}

/// Appends what is left of a descent.
#[inline(never)]
pub(super) fn append_rest<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
    list: &mut Vec<u32>,
) -> Result<(), Error> {
    while !cursor.is_done {
        reserve_buffer(list)?;
        ListWriter::extend(list, |to| resume(tree, region, cursor, to));
    }
    Ok(())
}

/// Counts all that overlaps.
pub(super) fn count<A: Vector>(tree: &Tree<A>, region: &Asked<A>) -> usize {
    if let Some(plain) = at_once(tree, region) {
        let job = AtOnce {
            tree,
            region: plain,
            list: None,
        };
        if let Some(Ok(Some(count))) = tree.instructions.run_wide(job) {
            return count;
        }
    }
    count_rest(tree, region, &mut Cursor::new())
}

/// Counts what is left of a descent.
#[inline(never)]
pub(super) fn count_rest<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
) -> usize {
    let mut nothing = ArrayVec::<LANES>::new();
    if cursor.is_done {
        return 0;
    }
    Resume {
        tree,
        region,
        cursor,
        to: &mut nothing.writer(),
        counts: true,
    }
    .on()
}
