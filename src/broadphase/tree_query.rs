//! Queries of the tree: by regions, and for the nearest body.
//!
//! Bodies that were inserted or moved since the last step are not where the tree has them. They are tested apart, one by one.
//!
//! Boxes and balls are tested against sixteen boxes of the tree at once ([`BoxSearch`]); other regions, and distances, node
//! by node, by the searches that all trees share ([`Hierarchy`]).

use alloc::vec::Vec;
use core::ops::Range;

use fearless_simd::Simd;

use super::row::{Row, numbered};
use super::table::{Change, Life};
use super::{Filter, World};
use crate::bits::set_bits;
use crate::handle::Handle;
use crate::overlap::lanes::{Cuboid, Plain, Probe, WideRegion};
use crate::overlap::{Extent, Overlaps};
use crate::query::{BUFFER, Hierarchy, Key, KeyWriter, SlotRun};
use crate::shape::{Aabb, Shell};
use crate::simd::{ArrayVec, Column, LANES, ListWriter, Mask, compress, run};
use crate::vector::{Scalar, Vector};

/// The number of the root, which holds the tree and the bodies that are not in place. Other nodes are numbered by level
/// and along the level; a node of level 0 is a block of boxes.
const ROOT: u32 = u32::MAX;
const LEVEL_SHIFT: u32 = 28;

/// The number of a node.
#[inline(always)]
pub(super) fn node(level: usize, at: usize) -> u32 {
    (level as u32) << LEVEL_SHIFT | at as u32
}

/// The level of a node, and its place along the level.
#[inline(always)]
pub(super) fn level_and_place(node: u32) -> (usize, usize) {
    (
        (node >> LEVEL_SHIFT) as usize,
        (node & ((1 << LEVEL_SHIFT) - 1)) as usize,
    )
}

impl<V: Vector> World<V> {
    /// The node that holds the whole tree, if there is a tree.
    #[inline(always)]
    pub(super) fn top(&self) -> Option<u32> {
        Some(node(self.tree.levels.len().checked_sub(1)?, 0))
    }

    /// True if a body is where the tree has it.
    #[inline(always)]
    pub(super) fn is_in_place(&self, id: u32) -> bool {
        self.bodies.table[id as usize].change != Change::Moved
    }

    /// True if a body meets a filter, if there is one.
    #[inline(always)]
    pub(super) fn passes(&self, filter: Option<Filter>, id: u32) -> bool {
        filter.is_none_or(|filter| filter.meets(self.bodies.details[id as usize].info.filter))
    }

    /// The bodies in a range of the list of changed bodies that are not where the tree has them.
    pub(super) fn out_of_place(&self, changed: Range<usize>) -> impl Iterator<Item = u32> {
        let ids = self.bodies.changed[changed].iter().copied();
        ids.filter(|&id| !self.is_in_place(id) && self.bodies.table[id as usize].life != Life::Gone)
    }

    /// The body in a slot of a node: slots of a block are its lanes, slots of the root count the changed bodies.
    pub(super) fn id_at(&self, node: u32, slot: u32) -> Option<u32> {
        if node == ROOT {
            return self.out_of_place(slot as usize..slot as usize + 1).next();
        }
        let ((_, at), lane) = (level_and_place(node), slot as usize);
        let id = self.tree.ids[at].0[lane];
        (!self.tree.levels[0][at].is_empty(lane) && self.is_in_place(id)).then_some(id)
    }

    /// Bounds of all bodies.
    pub(super) fn extent_of_all(&self) -> Option<Extent<V>> {
        let parts = self.children(ROOT, true).map(|node| self.extent(node).core);
        let moved = self.out_of_place(0..self.bodies.changed.len());
        let all = parts.chain(moved.map(|id| self.bodies.bounds(id)));
        let bounds = all.reduce(|all, part| all.union(&part))?;
        (self.bodies.len() > 0).then(|| Extent::of(&bounds))
    }
}

impl<V: Vector> Hierarchy for World<V> {
    type Space = V;

    fn root(&self) -> Option<u32> {
        Some(ROOT)
    }

    fn extent(&self, node: u32) -> Extent<V> {
        if node == ROOT {
            let most = V::Scalar::MAX;
            let least = V::Scalar::ZERO - most;
            return Extent::of(&Aabb::from_corners(V::splat(least), V::splat(most)));
        }
        let (level, at) = level_and_place(node);
        Extent::of(&self.tree.levels[level + 1][at / LANES].get(at % LANES))
    }

    fn children(&self, parent: u32, _: bool) -> impl DoubleEndedIterator<Item = u32> {
        let parent = if parent == ROOT {
            self.top()
        } else {
            Some(parent)
        };
        let (level, at) = parent.map_or((0, 0), level_and_place);
        // A block has no children.
        let boxes = (level > 0).then(|| &self.tree.levels[level][at]);
        let filled =
            (0..LANES).filter(move |&lane| boxes.is_some_and(|boxes| !boxes.is_empty(lane)));
        filled.map(move |lane| node(level - 1, at * LANES + lane))
    }

    fn run(&self, node: u32, _: bool) -> SlotRun {
        let count = match level_and_place(node) {
            _ if node == ROOT => self.bodies.changed.len(),
            (0, _) => LANES,
            _ => 0,
        };
        SlotRun {
            part: node,
            ..SlotRun::of(0..count as u32)
        }
    }
}

// Boxes and balls against sixteen boxes at a time. A search fills a list and stops where the next bodies might not fit, to be resumed.

/// The most nodes that wait on the stack: fifteen of each level and sixteen of the last.
pub(super) const STACK: usize = 9 * LANES;

/// A ball or a box, tested against bodies that meet a filter, or against all.
#[derive(Clone, Copy, Debug)]
pub struct VolumeRegion<V: Vector> {
    pub(super) plain: Plain<V>,
    pub(super) filter: Option<Filter>,
}

impl<V: Vector> VolumeRegion<V> {
    /// True if a body meets the region and the filter.
    fn meets(&self, world: &World<V>, id: u32) -> bool {
        let volume = &world.volume(id);
        world.passes(self.filter, id)
            && match &self.plain {
                Plain::Box(b) => b.overlaps(volume),
                // A solid ball is a shell whose inner radius is 0.
                Plain::Ball(ball) => {
                    Shell::valid(ball.center, ball.inner, ball.outer).overlaps(volume)
                }
            }
    }
}

/// The state of a search.
#[derive(Clone, Debug, Default)]
pub struct BoxSearch {
    nodes: ArrayVec<STACK>,
    /// The range in the list of changed bodies that is still to be tested.
    changed: Range<usize>,
}

impl BoxSearch {
    /// Starts at the top of the tree.
    #[inline]
    pub(super) fn start<V: Vector>(&mut self, world: &World<V>) {
        if let Some(top) = world.top() {
            self.nodes.writer().append(&[top]);
        }
        self.changed = 0..world.bodies.changed.len();
    }

    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.nodes.len() == 0 && self.changed.is_empty()
    }

    /// Fills an empty list with candidates. Returns true if it is known that their boxes meet the region.
    #[inline]
    fn fill<V: Vector>(
        &mut self,
        world: &World<V>,
        region: &Plain<V>,
        found: &mut ArrayVec<BUFFER>,
    ) -> bool {
        if self.nodes.len() > 0 {
            let (nodes, to) = (&mut self.nodes, &mut found.writer());
            run!(world.instructions(), |simd| meet(
                simd, world, region, nodes, to
            ));
        }
        if found.len() > 0 {
            return true;
        }
        let some = self.changed.start..self.changed.end.min(self.changed.start + BUFFER);
        self.changed.start = some.end;
        let mut found = found.writer();
        world.out_of_place(some).for_each(|id| found.append(&[id]));
        false
    }
}

/// Loads the region into registers, and runs [`search`].
#[inline(always)]
fn meet<V: Vector, S: Simd>(
    simd: S,
    world: &World<V>,
    region: &Plain<V>,
    nodes: &mut ArrayVec<STACK>,
    to: &mut ListWriter<'_>,
) {
    match region {
        Plain::Box(cuboid) => {
            search(simd, world, &Cuboid::<V, S>::new(simd, cuboid), nodes, to);
        }
        Plain::Ball(ball) => {
            search(
                simd,
                world,
                &Probe::<V, S, true>::new(simd, ball),
                nodes,
                to,
            );
        }
    }
}

/// ```text
/// while sixteen more fit:
///     take the last node
///     test its sixteen children or boxes at once
///     put the children that meet the region on the stack, or list the boxes that do and are up to date
/// ```
#[inline(always)]
fn search<V: Vector, S: Simd>(
    simd: S,
    world: &World<V>,
    probe: &impl WideRegion<V, S>,
    nodes: &mut ArrayVec<STACK>,
    to: &mut ListWriter<'_>,
) {
    let tree = &world.tree;
    let (mut nodes, mut to) = (nodes.writer(), to.writer());
    while to.room() >= LANES {
        let Some(parent) = nodes.pop() else { break };
        let (level, at) = level_and_place(parent);
        let boxes = &tree.levels[level][at];
        // The square of a radius may be infinite, so that the ball reaches empty lanes.
        let filled = Row::load(simd, boxes).filled();
        let mut mask = probe.meets_boxes(&boxes.low, &boxes.high) & filled;
        if level > 0 {
            let first = node(level - 1, at * LANES);
            compress(simd, &numbered(simd, first), mask, &mut nodes);
        } else {
            if !world.bodies.changed.is_empty() {
                mask = in_place(simd, mask, &tree.ids[at], world);
            }
            compress(simd, &tree.ids[at].0, mask, &mut to);
        }
    }
}

/// The lanes of a mask whose bodies are where the tree has them.
#[inline(always)]
pub(super) fn in_place<V: Vector, S: Simd>(
    simd: S,
    mask: Mask,
    ids: &Column<u32>,
    world: &World<V>,
) -> Mask {
    let mut in_place = mask.bits(simd);
    for lane in set_bits(in_place) {
        if !world.is_in_place(ids.0[lane % LANES]) {
            in_place &= !(1 << lane);
        }
    }
    Mask::new(simd, in_place)
}

// The kernels of queries.

impl<V: Vector> World<V> {
    /// Lists the handles of the next bodies that meet a region, or counts all that are left.
    pub(super) fn find(
        &self,
        region: &VolumeRegion<V>,
        search: &mut BoxSearch,
        mut to: Option<&mut KeyWriter<'_>>,
    ) -> usize {
        // If true, a body is found exactly if its box in the tree meets the region.
        let bare = region.filter.is_none() && self.is_bare();
        let mut found = ArrayVec::<BUFFER>::new();
        let mut count = 0;
        while !search.is_done() {
            found.clear();
            let sure = search.fill(self, &region.plain, &mut found) && bare;
            if sure && to.is_none() {
                count += found.len();
                continue;
            }
            let ids = found.as_slice().iter();
            let ids = ids.filter(|&&id| sure || region.meets(self, id));
            let Some(to) = &mut to else {
                count += ids.count();
                continue;
            };
            ids.for_each(|&id| self.bodies.handle(id).push(to));
            break;
        }
        count
    }

    /// The bodies that are a pair with a given one.
    pub(super) fn partners(&self, handle: Handle) -> Vec<Handle> {
        let mut partners = Vec::new();
        let Some(body) = self.bodies.get(handle).filter(|_| self.rules.paired) else {
            return partners;
        };
        let around = Plain::Box(body.bounds);
        let mut search = BoxSearch::default();
        search.start(self);
        let mut found = ArrayVec::<BUFFER>::new();
        while !search.is_done() {
            found.clear();
            search.fill(self, &around, &mut found);
            let ids = found.as_slice().iter().filter(|&&id| {
                let (a, b) = (id.min(handle.slot), id.max(handle.slot));
                a != b && body.bounds.overlaps(&self.bodies.bounds(id)) && self.is_pair(a, b)
            });
            partners.extend(ids.map(|&id| self.bodies.handle(id)));
        }
        partners
    }
}
