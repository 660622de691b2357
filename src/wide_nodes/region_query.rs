//! Region queries: a descent level by level, over lists of blocks.
//!
//! ```text
//! append the blocks of the root's children to the first list
//! until all lists are empty, take the deepest list that is not:
//!     boxes:   append the blocks of the children that meet the region to the next list, about sixty at a time;
//!              mark the children that lie inside the region
//!     items:   test each block, or take all of it if it is marked, and write the hits
//! ```
//!
//! A loop runs over a whole list instead of over one node, so only the end of a list is mispredicted, and tests of different blocks
//! overlap. Lists keep their order, so answers come in the order of the tree for every kind of query.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::{MOST_BLOCKS, NodeBlocks, WideNodes};
use crate::bits::set_bits;
use crate::error::Error;
use crate::overlap::lanes::inexact::{Inexact, WideInexact};
use crate::overlap::lanes::{ANY, Asked, Ball, Cuboid, POINTS, Plain, Probe, WideRegion};
use crate::query::{BUFFER, Key, KeyBuffer, Writer};
use crate::shape::Layout;
use crate::simd::{ArrayVec, Job, LANES, Mask, compress, is_wide};
use crate::vector::Vector;

/// The most lists of entries: one of items, and up to eight levels of boxes above them.
pub(crate) const LISTS: usize = 9;

/// A list that is this long is processed before it grows.
const MANY: usize = 64;

/// The most entries of a level that [`AtOnce`] lists.
const SMALL: usize = 496;

/// The mark of an entry whose items all lie inside the region.
const INSIDE: u32 = 1 << 31;

/// Children are tested for lying inside only if more than this many meet the region.
const FEW: usize = 5;

/// The entries of a level that wait, by their places in the list of all.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    next: u32,
    end: u32,
}

/// The state of a descent.
#[derive(Clone, Debug)]
pub struct Cursor {
    entries: ArrayVec<{ LISTS * (MANY + (MOST_BLOCKS + 1) * LANES) }>,
    /// From the children of the root down to the items.
    waiting: [Waiting; LISTS],
    /// The index of the list that is being processed.
    at: usize,
    has_begun: bool,
    is_done: bool,
}

impl Cursor {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            entries: ArrayVec::new(),
            waiting: [Waiting::default(); LISTS],
            at: 0,
            has_begun: false,
            is_done: false,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }
}

impl<A: Vector> NodeBlocks<'_, A> {
    /// The boxes in a block whose items may overlap.
    #[inline(always)]
    fn that_meet<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        probe: &P,
        block: usize,
    ) -> Mask {
        let boxes = &self.boxes[block];
        if ITEMS == ANY
            && let Some(radii) = self.radii.get(block)
        {
            return probe.may_meet_balls(&boxes.low, &boxes.high, radii);
        }
        probe.may_meet_boxes(&boxes.low, &boxes.high)
    }

    /// The boxes in a block whose items all overlap.
    #[inline(always)]
    fn inside<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        &self,
        probe: &P,
        block: usize,
    ) -> Mask {
        let boxes = &self.boxes[block];
        if ITEMS == ANY
            && let Some(radii) = self.radii.get(block)
        {
            return probe.holds_balls(&boxes.low, &boxes.high, radii);
        }
        probe.holds(&boxes.low, &boxes.high)
    }
}

/// The items of a block that overlap.
#[inline(always)]
fn that_meet<A, S, N, P, const ITEMS: u8>(simd: S, tree: &N, probe: &P, block: usize) -> Mask
where
    A: Vector,
    S: Simd,
    N: WideNodes<A>,
    P: WideRegion<A, S>,
{
    let mask = tree.items().that_meet::<S, P, ITEMS>(probe, block);
    mask & Mask::new(simd, tree.item_lanes(block))
}

/// The fast path for small queries: appends or counts the overlapping items level by level, without a cursor and without a test
/// for lying inside. Returns `None`, having appended nothing, if a level has too many entries.
struct AtOnce<'a, A: Vector, N: WideNodes<A>> {
    tree: &'a N,
    region: &'a Plain<A>,
    list: Option<&'a mut Vec<<N::Key as Key>::Packed>>,
}

impl<A: Vector, N: WideNodes<A>> Job for AtOnce<'_, A, N> {
    type Output = Result<Option<usize>, Error>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        match self.region {
            Plain::Ball(ball) => {
                let probe = Probe::<A, S, false>::new(simd, ball);
                if self.tree.items().layout == Layout::Point {
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

impl<A: Vector, N: WideNodes<A>> AtOnce<'_, A, N> {
    #[inline(always)]
    fn with<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        self,
        simd: S,
        probe: &P,
    ) -> Result<Option<usize>, Error> {
        let Self { tree, list, .. } = self;
        let boxes = tree.boxes();
        let (mut even, mut odd) = (
            ArrayVec::<{ SMALL + (MOST_BLOCKS + 1) * LANES }>::new(),
            ArrayVec::<{ SMALL + (MOST_BLOCKS + 1) * LANES }>::new(),
        );
        let (mut above, mut below) = (&mut even, &mut odd);
        let mut to = above.writer();
        for entry in tree.top() {
            to.append(&[entry]);
        }
        let pending = tree.pending().map(|pending| pending.first as u32);
        if tree.height() == 0
            && let Some(pending) = pending
        {
            to.append(&[pending]);
        }
        drop(to);
        for height in (0..tree.height()).rev() {
            below.clear();
            let mut to = below.writer();
            if height == 0
                && let Some(pending) = pending
            {
                to.append(&[pending]);
            }
            for &entry in above.as_slice() {
                if to.len() > SMALL {
                    return Ok(None);
                }
                for block in N::blocks_of(entry) {
                    let mask = boxes.that_meet::<S, P, ITEMS>(probe, block)
                        & Mask::new(simd, tree.box_lanes(height, block));
                    compress(simd, &tree.children(height, block), mask, &mut to);
                }
            }
            drop(to);
            (above, below) = (below, above);
        }
        let mut count = 0;
        let Some(list) = list else {
            for &entry in above.as_slice() {
                for block in N::blocks_of(entry) {
                    count += that_meet::<A, S, N, P, ITEMS>(simd, tree, probe, block).count();
                }
            }
            return Ok(Some(count));
        };
        for entries in above.as_slice().chunks(BUFFER / LANES / N::BLOCKS) {
            let many = entries.len() * N::BLOCKS * LANES;
            <N::Key as Key>::extend(
                list,
                many,
                #[inline(always)]
                |to| {
                    let mut to = <N::Key as Key>::Buffer::again(to);
                    for &entry in entries {
                        for block in N::blocks_of(entry) {
                            let mask = that_meet::<A, S, N, P, ITEMS>(simd, tree, probe, block);
                            tree.write(simd, block, mask, &mut to);
                        }
                    }
                },
            )?;
        }
        Ok(Some(count))
    }
}

/// Goes on with a descent: appends until the items of one more leaf might not fit, or counts.
struct Resume<'a, 'b, A: Vector, N: WideNodes<A>> {
    tree: &'a N,
    region: &'a Asked<A>,
    cursor: &'a mut Cursor,
    to: &'a mut Writer<'b, N::Key>,
    counts: bool,
}

impl<A: Vector, N: WideNodes<A>> Job for Resume<'_, '_, A, N> {
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
struct ResumeBall<'a, 'b, 'c, A: Vector, N: WideNodes<A>>(Resume<'a, 'b, A, N>, &'c Ball<A>);

impl<A: Vector, N: WideNodes<A>> Job for ResumeBall<'_, '_, '_, A, N> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let probe = Probe::<A, S, false>::new(simd, self.1);
        self.0.descend::<S, _, POINTS>(simd, &probe)
    }
}

/// Goes on with a descent for a solid that lanes know by bounds. It is a job of its own, since without optimization everything
/// that is inlined into one function lies side by side on the stack, megabytes of it.
struct ResumeInexact<'a, 'b, 'c, A: Vector, N: WideNodes<A>>(Resume<'a, 'b, A, N>, &'c Inexact<A>);

impl<A: Vector, N: WideNodes<A>> Job for ResumeInexact<'_, '_, '_, A, N> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let probe = WideInexact::<A, S>::new(simd, self.1);
        self.0.descend::<S, _, ANY>(simd, &probe)
    }
}

impl<A: Vector, N: WideNodes<A>> Resume<'_, '_, A, N> {
    fn on(self) -> usize {
        let set = self.tree.instructions();
        let is_points = self.tree.items().layout == Layout::Point;
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
        let boxes = tree.boxes();
        let height = tree.height();
        let mut to = <N::Key as Key>::Buffer::again(self.to);
        let mut count = 0;
        let mut at = cursor.at;
        let mut entries = cursor.entries.writer();
        let waiting = &mut cursor.waiting;
        if !cursor.has_begun {
            cursor.has_begun = true;
            for entry in tree.top() {
                entries.append(&[entry]);
            }
            let end = entries.len() as u32;
            waiting[..=height].fill(Waiting { next: end, end });
            waiting[0].next = 0;
            if let Some(pending) = tree.pending() {
                // Start at the last list; those between are still empty.
                entries.append(&[pending.first as u32]);
                waiting[height].end += 1;
                at = height;
            }
        }
        'full: loop {
            let Waiting { next, end } = waiting[at];
            if next == end {
                if at == 0 {
                    cursor.is_done = true;
                    break;
                }
                at -= 1;
                entries.truncate(waiting[at].end as usize);
                continue;
            }
            if at == height {
                for place in next..end {
                    let room = <N::Key as Key>::Buffer::room(&to);
                    if !counts && room < N::BLOCKS * LANES {
                        waiting[at].next = place;
                        break 'full;
                    }
                    let entry = entries.as_slice()[place as usize];
                    for block in N::blocks_of(entry & !INSIDE) {
                        let mask = if entry & INSIDE == 0 {
                            that_meet::<A, S, N, P, ITEMS>(simd, tree, probe, block)
                        } else {
                            Mask::new(simd, tree.item_lanes(block))
                        };
                        if counts {
                            count += mask.count();
                        } else {
                            tree.write(simd, block, mask, &mut to);
                        }
                    }
                }
                waiting[at].next = end;
                continue;
            }
            // Append the children of the listed boxes to the next list.
            let (height, mut place, first) = (height - 1 - at, next as usize, entries.len());
            while place < end as usize && entries.len() - first < MANY {
                let entry = entries.as_slice()[place];
                place += 1;
                for block in N::blocks_of(entry & !INSIDE) {
                    let mut children = tree.children(height, block);
                    let all = Mask::new(simd, tree.box_lanes(height, block));
                    if entry & INSIDE != 0 {
                        let marked = children.map(
                            #[inline(always)]
                            |child| child | INSIDE,
                        );
                        compress(simd, &marked, all, &mut entries);
                        continue;
                    }
                    let mut mask = all & boxes.that_meet::<S, P, ITEMS>(probe, block);
                    // Above leaves only: for a leaf the test costs as much as testing its items.
                    if height > 0 && mask.count() > FEW {
                        let inside = mask & boxes.inside::<S, P, ITEMS>(probe, block);
                        let counts_inside = N::COUNTS && counts;
                        if counts_inside {
                            mask = mask & !inside;
                        }
                        for lane in set_bits(inside.bits(simd)) {
                            if counts_inside {
                                count += tree.count_below(height, block, lane);
                            } else {
                                children[lane] |= INSIDE;
                            }
                        }
                    }
                    compress(simd, &children, mask, &mut entries);
                }
            }
            waiting[at].next = place as u32;
            at += 1;
            let (next, end) = (first as u32, entries.len() as u32);
            waiting[at] = Waiting { next, end };
        }
        cursor.at = at;
        count
    }
}

/// Returns the region if [`AtOnce`] can be tried for it.
#[inline(always)]
fn at_once<'a, A: Vector>(tree: &impl WideNodes<A>, region: &'a Asked<A>) -> Option<&'a Plain<A>> {
    let Asked::Plain(plain) = region else {
        return None;
    };
    let is_usual = match plain {
        Plain::Ball(ball) => ball.is_usual(),
        Plain::Box(_) => true,
    };
    (is_usual && tree.instructions().is_wide()).then_some(plain)
}

/// Goes on with a descent: appends what overlaps, until the buffer is full.
pub(crate) fn resume<A: Vector, N: WideNodes<A>>(
    tree: &N,
    region: &Asked<A>,
    cursor: &mut Cursor,
    to: &mut Writer<'_, N::Key>,
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
pub(crate) fn append<A: Vector, N: WideNodes<A>>(
    tree: &N,
    region: &Asked<A>,
    list: &mut Vec<<N::Key as Key>::Packed>,
) -> Result<(), Error> {
    if let Some(plain) = at_once(tree, region) {
        let job = AtOnce {
            tree,
            region: plain,
            list: Some(list),
        };
        if let Some(found) = tree.instructions().run_wide(job)
            && found?.is_some()
        {
            return Ok(());
        }
    }
    append_rest(tree, region, &mut Cursor::new(), list)
}

/// Appends what is left of a descent.
#[inline(never)]
pub(crate) fn append_rest<A: Vector, N: WideNodes<A>>(
    tree: &N,
    region: &Asked<A>,
    cursor: &mut Cursor,
    list: &mut Vec<<N::Key as Key>::Packed>,
) -> Result<(), Error> {
    while !cursor.is_done {
        N::Key::extend(list, BUFFER, |to| resume(tree, region, cursor, to))?;
    }
    Ok(())
}

/// Counts all that overlaps.
pub(crate) fn count<A: Vector>(tree: &impl WideNodes<A>, region: &Asked<A>) -> usize {
    if let Some(plain) = at_once(tree, region) {
        let job = AtOnce {
            tree,
            region: plain,
            list: None,
        };
        if let Some(Ok(Some(count))) = tree.instructions().run_wide(job) {
            return count;
        }
    }
    count_rest(tree, region, &mut Cursor::new())
}

/// Counts what is left of a descent.
#[inline(never)]
pub(crate) fn count_rest<A: Vector, N: WideNodes<A>>(
    tree: &N,
    region: &Asked<A>,
    cursor: &mut Cursor,
) -> usize {
    if cursor.is_done {
        return 0;
    }
    let mut nothing = <N::Key as Key>::Buffer::new();
    Resume {
        tree,
        region,
        cursor,
        to: &mut nothing.writer(),
        counts: true,
    }
    .on()
}
