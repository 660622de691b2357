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
//!
//! The most frequent searches are compiled twice, for trees in order and for others; all others find out at run time (`in_order`).

use fearless_simd::Simd;

use super::{ItemBlocks, LevelBlocks, MOST_BLOCKS, Tree, blocks_of};
use crate::bits::set_bits;
use crate::error::Error;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::inexact::WideInexact;
use crate::overlap::lanes::{Asked, Ball, Cuboid, Plain, Probe, WideRegion};
use crate::query::{BUFFER, KeyBuffer, KeyList, KeyWriter};
use crate::shape::Layout;
use crate::simd::{ArrayVec, LANES, Mask, compress, outlined_in_debug, run, runs_wide};
use crate::vector::Vector;

/// The most lists of entries: one of items, and up to eight levels of boxes above them.
pub(crate) const LISTS: usize = 9;

/// A list that is this long is processed before it grows.
const MANY: usize = 64;

/// The most entries of a level that [`at_once`] lists.
const SMALL: usize = 496;

/// The mark of an entry whose items all lie inside the region.
const INSIDE: u32 = 1 << 31;

/// Children are tested for lying inside only if more than this many meet the region.
const MANY_CHILDREN: usize = 5;

/// The part of the list of entries that one level has still to process.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    next: u32,
    end: u32,
}

/// The state of a descent.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    entries: ArrayVec<{ LISTS * (MANY + (MOST_BLOCKS + 1) * LANES) }>,
    /// One list for each level, from the children of the root down to the items.
    waiting: [Waiting; LISTS],
    /// The index of the list that is being processed.
    at: usize,
    has_begun: bool,
    is_done: bool,
}

impl Cursor {
    #[inline(always)]
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Keeps leaves for the next call of a search that has just begun.
    #[inline(always)]
    fn keep_leaves(&mut self, leaves: &[u32], height: usize) {
        self.is_done = leaves.is_empty();
        if self.is_done {
            return;
        }
        self.has_begun = true;
        self.entries.writer().append(leaves);
        (self.at, self.waiting[height].end) = (height, leaves.len() as u32);
    }
}

impl<A: Vector> LevelBlocks<'_, A> {
    /// The boxes in a block whose items may overlap the region; with `ALL`, those whose items all overlap it.
    #[inline(always)]
    fn that_meet<S: Simd, P: WideRegion<A, S>, const POINTS: bool, const ALL: bool>(
        &self,
        simd: S,
        probe: &P,
        block: usize,
    ) -> Mask {
        let Boxes { low, high } = &self.boxes[block];
        let radii = self.radii.get(block).filter(|_| !POINTS);
        outlined_in_debug(
            simd,
            #[inline(always)]
            || match (radii, ALL) {
                (None, false) => probe.may_meet_boxes(low, high),
                (None, true) => probe.holds(low, high),
                (Some(radii), false) => probe.may_meet_balls(low, high, radii),
                (Some(radii), true) => probe.holds_balls(low, high, radii),
            },
        )
    }
}

/// The items of a block that overlap the region.
#[inline(always)]
fn that_meet<A: Vector, S: Simd, P: WideRegion<A, S>, const POINTS: bool>(
    simd: S,
    items: &ItemBlocks<'_, A>,
    probe: &P,
    block: usize,
) -> Mask {
    let meets = outlined_in_debug(
        simd,
        #[inline(always)]
        || items.that_meet::<S, P, POINTS>(probe, block),
    );
    meets & items.in_use(simd, block)
}

/// The fast path for small queries: appends or counts the overlapping items level by level, without a test for lying inside. If
/// the keys of a leaf might not fit, `cursor` keeps it and all later leaves for the next call. Returns `None`, having appended nothing, if a
/// level has too many entries.
#[inline(always)]
fn at_once<A: Vector, S: Simd, P: WideRegion<A, S>, const POINTS: bool>(
    simd: S,
    tree: &Tree<A>,
    probe: &P,
    to: Option<&mut KeyWriter<'_>>,
    cursor: &mut Cursor,
    in_order: bool,
) -> Option<usize> {
    let (nodes, items, pending) = (&tree.nodes, tree.item_blocks(in_order), tree.pending());
    let (mut even, mut odd) = (
        ArrayVec::<{ SMALL + (MOST_BLOCKS + 1) * LANES }>::new(),
        ArrayVec::<{ SMALL + (MOST_BLOCKS + 1) * LANES }>::new(),
    );
    let (mut above, mut below) = (&mut even, &mut odd);
    tree.roots().for_each(|root| above.writer().append(&[root]));
    if tree.nodes.height == 0 {
        above.writer().append(pending.as_slice());
    }
    // Descend level by level.
    for height in (0..tree.nodes.height).rev() {
        below.clear();
        let level = nodes.level(height, in_order);
        let mut to = below.writer();
        if height == 0 {
            to.append(pending.as_slice());
        }
        for &entry in above.as_slice() {
            if to.len() > SMALL {
                return None;
            }
            for block in blocks_of(entry, in_order) {
                let mask = level.that_meet::<S, P, POINTS, false>(simd, probe, block)
                    & level.in_use(simd, block);
                compress(simd, &level.entries(block), mask, &mut to);
            }
        }
        drop(to);
        (above, below) = (below, above);
    }
    // Count the items of the leaves, or append their keys.
    let mut leaves = above.as_slice();
    let Some(to) = to else {
        let mut count = 0;
        for &entry in leaves {
            for block in blocks_of(entry, in_order) {
                let mask = that_meet::<A, S, P, POINTS>(simd, &items, probe, block);
                count += mask.count();
            }
        }
        cursor.is_done = true;
        return Some(count);
    };
    // Handles go through a buffer whose size the compiler knows, which takes less time than two lists of the caller's.
    let mut found = KeyBuffer::default();
    let most = LANES * if in_order { 1 } else { MOST_BLOCKS };
    let mut keys = if in_order {
        to.writer()
    } else {
        found.writer()
    };
    while keys.room() >= most
        && let Some((&entry, rest)) = leaves.split_first()
    {
        leaves = rest;
        for block in blocks_of(entry, in_order) {
            let mask = that_meet::<A, S, P, POINTS>(simd, &items, probe, block);
            items.write(simd, block, mask, &mut keys);
        }
    }
    drop(keys);
    to.append(&found);
    cursor.keep_leaves(leaves, tree.nodes.height);
    Some(0)
}

/// Begins or continues a search: appends the keys of items that overlap the region until the buffer may be full, or counts all remaining
/// items.
pub(super) fn search<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
    mut to: Option<&mut KeyWriter<'_>>,
) -> usize {
    if !cursor.has_begun
        && let Asked::Plain(plain) = region
        && plain.is_usual()
    {
        let to = to.as_deref_mut();
        let count = if tree.is_in_order() {
            plain_at_once::<A, true>(tree, plain, cursor, to)
        } else {
            plain_at_once::<A, false>(tree, plain, cursor, to)
        };
        if let Some(count) = count {
            return count;
        }
    }
    go_on(tree, region, cursor, to)
}

/// Continues a descent. Each kind of region has its own call: without optimization, the stack of a function holds all that is inlined into
/// it, here megabytes.
#[inline(never)]
fn go_on<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    cursor: &mut Cursor,
    to: Option<&mut KeyWriter<'_>>,
) -> usize {
    let (set, is_points) = (tree.instructions, tree.items.layout == Layout::Point);
    let in_order = tree.is_in_order();
    match region {
        // The most frequent query.
        Asked::Plain(Plain::Ball(ball)) if is_points && ball.is_usual() && set.is_wide() => {
            run!(wide(set), |simd| {
                let probe = Probe::<A, _, false>::new(simd, ball);
                if in_order {
                    descend::<_, _, _, true>(simd, tree, &probe, cursor, to, true)
                } else {
                    descend::<_, _, _, true>(simd, tree, &probe, cursor, to, false)
                }
            })
        }
        Asked::Plain(Plain::Ball(ball)) => {
            Some(run!(set, |simd| descend_ball(simd, tree, ball, cursor, to)))
        }
        Asked::Plain(Plain::Box(cuboid)) => Some(run!(set, |simd| {
            let probe = Cuboid::<A, _>::new(simd, cuboid);
            descend::<_, _, _, false>(simd, tree, &probe, cursor, to, tree.is_in_order())
        })),
        Asked::Inexact(region) => run!(wide(set), |simd| {
            let probe = WideInexact::<A, _>::new(simd, region);
            descend::<_, _, _, false>(simd, tree, &probe, cursor, to, tree.is_in_order())
        }),
    }
    .expect("this kind of region is tested only with wide instructions")
}

/// Descends for a ball of any kind; narrow instructions support Euclid's measure only.
#[inline(always)]
fn descend_ball<A: Vector, S: Simd>(
    simd: S,
    tree: &Tree<A>,
    ball: &Ball<A>,
    cursor: &mut Cursor,
    to: Option<&mut KeyWriter<'_>>,
) -> usize {
    if const { runs_wide::<S>() } {
        let probe = Probe::<A, S, true, true>::new(simd, ball);
        descend::<_, _, _, false>(simd, tree, &probe, cursor, to, tree.is_in_order())
    } else {
        let probe = Probe::<A, S, true>::new(simd, ball);
        descend::<_, _, _, false>(simd, tree, &probe, cursor, to, tree.is_in_order())
    }
}

/// Continues a descent: appends keys until those of one more leaf might not fit, or counts all remaining items.
#[inline(always)]
fn descend<A: Vector, S: Simd, P: WideRegion<A, S>, const POINTS: bool>(
    simd: S,
    tree: &Tree<A>,
    probe: &P,
    cursor: &mut Cursor,
    to: Option<&mut KeyWriter<'_>>,
    in_order: bool,
) -> usize {
    let (nodes, items) = (&tree.nodes, tree.item_blocks(in_order));
    let height = tree.nodes.height;
    let most = LANES * if in_order { 1 } else { MOST_BLOCKS };
    let counts = to.is_none();
    let mut nowhere = KeyBuffer::default();
    let mut to = match to {
        Some(to) => to.writer(),
        None => nowhere.writer(),
    };
    let (mut count, mut at) = (0, cursor.at);
    let mut entries = cursor.entries.writer();
    let waiting = &mut cursor.waiting;
    // Begin with the root.
    if !cursor.has_begun {
        cursor.has_begun = true;
        tree.roots().for_each(|root| entries.append(&[root]));
        let end = entries.len() as u32;
        waiting[..=height].fill(Waiting { next: end, end });
        waiting[0].next = 0;
        if let Some(pending) = tree.pending() {
            // Start at the last list; the lists between are still empty.
            entries.append(&[pending]);
            waiting[height].end += 1;
            at = height;
        }
    }
    'full: loop {
        let Waiting { next, end } = waiting[at];
        // Go back to the list before when a list is done.
        if next == end {
            if at == 0 {
                cursor.is_done = true;
                break;
            }
            at -= 1;
            entries.truncate(waiting[at].end as usize);
            continue;
        }
        // Test the items of the listed leaves.
        if at == height {
            for place in next..end {
                if !counts && to.room() < most {
                    waiting[at].next = place;
                    break 'full;
                }
                let entry = entries.as_slice()[place as usize];
                for block in blocks_of(entry, in_order) {
                    let mask = if entry & INSIDE == 0 {
                        that_meet::<A, S, P, POINTS>(simd, &items, probe, block)
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
        let level = nodes.level(height, in_order);
        while place < end as usize && entries.len() - first < MANY {
            let entry = entries.as_slice()[place];
            place += 1;
            for block in blocks_of(entry, in_order) {
                let mut children = level.entries(block);
                let all = level.in_use(simd, block);
                if entry & INSIDE != 0 {
                    children.iter_mut().for_each(|child| *child |= INSIDE);
                    compress(simd, &children, all, &mut entries);
                    continue;
                }
                let mut mask = all & level.that_meet::<S, P, POINTS, false>(simd, probe, block);
                // Above leaves only: for a leaf the test costs as much as testing its items.
                if height > 0 && mask.count() > MANY_CHILDREN {
                    let inside = mask & level.that_meet::<S, P, POINTS, true>(simd, probe, block);
                    let counts_inside = counts && in_order;
                    if counts_inside {
                        mask = mask & !inside;
                    }
                    for lane in set_bits(inside.bits(simd)) {
                        if counts_inside {
                            let level = nodes.levels.level(height);
                            let number = (block - level.first()) * LANES + lane;
                            count += level.slots(number, items.len).len();
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

/// Runs [`at_once`] for a box or a usual ball.
fn plain_at_once<A: Vector, const IN_ORDER: bool>(
    tree: &Tree<A>,
    region: &Plain<A>,
    cursor: &mut Cursor,
    to: Option<&mut KeyWriter<'_>>,
) -> Option<usize> {
    let (set, is_points) = (tree.instructions, tree.items.layout == Layout::Point);
    match region {
        Plain::Ball(ball) if is_points => run!(wide(set), |simd| {
            let probe = Probe::<A, _, false>::new(simd, ball);
            at_once::<_, _, _, true>(simd, tree, &probe, to, cursor, IN_ORDER)
        }),
        Plain::Ball(ball) => return ball_at_once(tree, ball, cursor, to),
        Plain::Box(cuboid) => run!(wide(set), |simd| {
            let probe = Cuboid::<A, _>::new(simd, cuboid);
            at_once::<_, _, _, false>(simd, tree, &probe, to, cursor, IN_ORDER)
        }),
    }
    .flatten()
}

/// Runs [`at_once`] for a ball among boxes or balls. This is rare, so it is compiled once for both kinds of tree.
fn ball_at_once<A: Vector>(
    tree: &Tree<A>,
    ball: &Ball<A>,
    cursor: &mut Cursor,
    to: Option<&mut KeyWriter<'_>>,
) -> Option<usize> {
    run!(wide(tree.instructions), |simd| {
        let probe = Probe::<A, _, false>::new(simd, ball);
        at_once::<_, _, _, false>(simd, tree, &probe, to, cursor, tree.is_in_order())
    })
    .flatten()
}

/// Appends the keys of all items that overlap the region to a list, or counts the items.
pub(super) fn search_all<A: Vector>(
    tree: &Tree<A>,
    region: &Asked<A>,
    list: Option<KeyList<'_>>,
) -> Result<usize, Error> {
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
