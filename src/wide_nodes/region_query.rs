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

use fearless_simd::Simd;

use super::{ItemBlocks, MOST_BLOCKS, NodeBlocks, Tree, blocks_of};
use crate::bits::set_bits;
use crate::error::Error;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::inexact::{Inexact, WideInexact};
use crate::overlap::lanes::{ANY, Asked, Ball, Cuboid, POINTS, Plain, Probe, WideRegion};
use crate::query::{BUFFER, KeyBuffer, KeyList, KeyWriter};
use crate::shape::{Aabb, Layout};
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

impl Default for Cursor {
    #[inline(always)]
    fn default() -> Self {
        Self {
            entries: ArrayVec::new(),
            waiting: [Waiting::default(); LISTS],
            at: 0,
            has_begun: false,
            is_done: false,
        }
    }
}

impl Cursor {
    #[inline(always)]
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }
}

impl<A: Vector> NodeBlocks<'_, A> {
    /// The boxes in a block whose items may overlap; with `ALL`, those whose items all do.
    #[inline(always)]
    fn that_meet<S: Simd, P: WideRegion<A, S>, const ITEMS: u8, const ALL: bool>(
        &self,
        probe: &P,
        block: usize,
    ) -> Mask {
        let Boxes { low, high } = &self.boxes[block];
        let radii = self.radii.get(block).filter(|_| ITEMS == ANY);
        match (radii, ALL) {
            (None, false) => probe.may_meet_boxes(low, high),
            (None, true) => probe.holds(low, high),
            (Some(radii), false) => probe.may_meet_balls(low, high, radii),
            (Some(radii), true) => probe.holds_balls(low, high, radii),
        }
    }
}

/// The items of a block that overlap.
#[inline(always)]
fn that_meet<A: Vector, S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
    simd: S,
    items: &ItemBlocks<'_, A>,
    probe: &P,
    block: usize,
) -> Mask {
    items.that_meet::<S, P, ITEMS>(probe, block) & items.in_use(simd, block)
}

impl<A: Vector> Tree<A> {
    /// The most blocks of a leaf.
    #[inline(always)]
    fn most_blocks(&self) -> usize {
        if self.is_in_order() { 1 } else { MOST_BLOCKS }
    }
}

/// The fast path for small queries: appends or counts the overlapping items level by level, without a cursor and without a test
/// for lying inside. Returns `None`, having appended nothing, if a level has too many entries.
struct AtOnce<'a, 'b, A: Vector> {
    tree: &'a Tree<A>,
    region: &'a Plain<A>,
    list: Option<&'a mut KeyList<'b>>,
}

impl<A: Vector> Job for AtOnce<'_, '_, A> {
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

impl<A: Vector> AtOnce<'_, '_, A> {
    #[inline(always)]
    fn with<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(
        self,
        simd: S,
        probe: &P,
    ) -> Result<Option<usize>, Error> {
        let Self { tree, list, .. } = self;
        let (nodes, items) = (tree.nodes.blocks(), tree.item_blocks());
        let [root, pending] = tree.top_entries(&tree.nodes);
        let (mut even, mut odd) = (
            ArrayVec::<{ SMALL + (MOST_BLOCKS + 1) * LANES }>::new(),
            ArrayVec::<{ SMALL + (MOST_BLOCKS + 1) * LANES }>::new(),
        );
        let (mut above, mut below) = (&mut even, &mut odd);
        above.writer().append(root.as_slice());
        if tree.nodes.height == 0 {
            above.writer().append(pending.as_slice());
        }
        for height in (0..tree.nodes.height).rev() {
            below.clear();
            let mut to = below.writer();
            if height == 0 {
                to.append(pending.as_slice());
            }
            for &entry in above.as_slice() {
                if to.len() > SMALL {
                    return Ok(None);
                }
                for block in blocks_of(entry) {
                    let mask = nodes.that_meet::<S, P, ITEMS, false>(probe, block)
                        & nodes.in_use(simd, height, block);
                    compress(simd, &nodes.entries(height, block), mask, &mut to);
                }
            }
            drop(to);
            (above, below) = (below, above);
        }
        let mut count = 0;
        let Some(list) = list else {
            for &entry in above.as_slice() {
                for block in blocks_of(entry) {
                    let mask = that_meet::<A, S, P, ITEMS>(simd, &items, probe, block);
                    count += mask.count();
                }
            }
            return Ok(Some(count));
        };
        let most = tree.most_blocks() * LANES;
        for entries in above.as_slice().chunks(BUFFER / most) {
            list.extend(
                entries.len() * most,
                #[inline(always)]
                |to| {
                    let mut to = to.writer();
                    for &entry in entries {
                        for block in blocks_of(entry) {
                            let mask = that_meet::<A, S, P, ITEMS>(simd, &items, probe, block);
                            items.write(simd, block, mask, &mut to);
                        }
                    }
                },
            )?;
        }
        Ok(Some(count))
    }
}

/// Goes on with a descent: appends keys until those of the items of one more leaf might not fit, or counts all that is left.
struct Resume<'a, 'b, A: Vector> {
    tree: &'a Tree<A>,
    region: &'a Asked<A>,
    cursor: &'a mut Cursor,
    to: Option<&'a mut KeyWriter<'b>>,
}

impl<A: Vector> Job for Resume<'_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        match self.region {
            Asked::Plain(Plain::Ball(ball)) if const { is_wide::<S>() } => {
                let probe = Probe::<A, S, true, true>::new(simd, ball);
                self.descend::<S, _, ANY>(simd, &probe)
            }
            Asked::Plain(Plain::Ball(ball)) => {
                let probe = Probe::<A, S, true>::new(simd, ball);
                self.descend::<S, _, ANY>(simd, &probe)
            }
            _ => unreachable!("asked by another job"),
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

/// Goes on with a descent for a box.
struct ResumeBox<'a, 'b, 'c, A: Vector>(Resume<'a, 'b, A>, &'c Aabb<A>);

impl<A: Vector> Job for ResumeBox<'_, '_, '_, A> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let probe = Cuboid::<A, S>::new(simd, self.1);
        self.0.descend::<S, _, ANY>(simd, &probe)
    }
}

/// Goes on with a descent for a solid that lanes know by bounds. Each kind of region is a job of its own, since without optimization everything
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
            Asked::Plain(Plain::Box(cuboid)) => Some(set.run(ResumeBox(self, cuboid))),
            Asked::Plain(_) => Some(set.run(self)),
        };
        found.expect("solids are asked where instructions are wide")
    }

    #[inline(always)]
    fn descend<S: Simd, P: WideRegion<A, S>, const ITEMS: u8>(self, simd: S, probe: &P) -> usize {
        let Self { tree, cursor, .. } = self;
        let (nodes, items) = (tree.nodes.blocks(), tree.item_blocks());
        let (height, most) = (tree.nodes.height, tree.most_blocks() * LANES);
        let counts = self.to.is_none();
        let mut nowhere = KeyBuffer::new();
        let mut to = match self.to {
            Some(to) => to.writer(),
            None => nowhere.writer(),
        };
        let mut count = 0;
        let mut at = cursor.at;
        let mut entries = cursor.entries.writer();
        let waiting = &mut cursor.waiting;
        if !cursor.has_begun {
            cursor.has_begun = true;
            let [root, pending] = tree.top_entries(&tree.nodes);
            entries.append(root.as_slice());
            let end = entries.len() as u32;
            waiting[..=height].fill(Waiting { next: end, end });
            waiting[0].next = 0;
            if let Some(pending) = pending {
                // Start at the last list; those between are still empty.
                entries.append(&[pending]);
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
                    if !counts && to.room() < most {
                        waiting[at].next = place;
                        break 'full;
                    }
                    let entry = entries.as_slice()[place as usize];
                    for block in blocks_of(entry) {
                        let mask = if entry & INSIDE == 0 {
                            that_meet::<A, S, P, ITEMS>(simd, &items, probe, block)
                        } else {
                            items.in_use(simd, block)
                        };
                        if counts {
                            count += mask.count();
                        } else {
                            items.write(simd, block, mask, &mut to);
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
                for block in blocks_of(entry) {
                    let mut children = nodes.entries(height, block);
                    let all = nodes.in_use(simd, height, block);
                    if entry & INSIDE != 0 {
                        let marked = children.map(
                            #[inline(always)]
                            |child| child | INSIDE,
                        );
                        compress(simd, &marked, all, &mut entries);
                        continue;
                    }
                    let mut mask = all & nodes.that_meet::<S, P, ITEMS, false>(probe, block);
                    // Above leaves only: for a leaf the test costs as much as testing its items.
                    if height > 0 && mask.count() > FEW {
                        let inside = mask & nodes.that_meet::<S, P, ITEMS, true>(probe, block);
                        let counts_inside = counts && tree.is_in_order();
                        if counts_inside {
                            mask = mask & !inside;
                        }
                        for lane in set_bits(inside.bits(simd)) {
                            if counts_inside {
                                count += nodes.levels.count_below(height, block, lane);
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
fn at_once<'a, A: Vector>(tree: &Tree<A>, region: &'a Asked<A>) -> Option<&'a Plain<A>> {
    let Asked::Plain(plain) = region else {
        return None;
    };
    (plain.is_usual() && tree.instructions.is_wide()).then_some(plain)
}

/// Goes on with a descent: appends the keys of what overlaps until the buffer may be full, or counts all that is left.
#[inline(never)]
pub(super) fn search<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
    to: Option<&mut KeyWriter<'_>>,
) -> usize {
    Resume {
        tree,
        region,
        cursor,
        to,
    }
    .on()
}

/// Appends all that overlaps to a list, or counts it.
pub(super) fn search_all<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    mut list: Option<KeyList<'_>>,
) -> Result<usize, Error> {
    if let Some(plain) = at_once(tree, region) {
        let job = AtOnce {
            tree,
            region: plain,
            list: list.as_mut(),
        };
        if let Some(found) = tree.instructions.run_wide(job)
            && let Some(count) = found?
        {
            return Ok(count);
        }
    }
    let mut cursor = Cursor::default();
    let Some(mut list) = list else {
        return Ok(search(tree, region, &mut cursor, None));
    };
    while !cursor.is_done {
        list.extend(BUFFER, |to| {
            search(tree, region, &mut cursor, Some(to));
        })?;
    }
    Ok(0)
}
