//! The boxes as questions of any kind see them: both trees, and apart from them the boxes that have
//! moved or come since the last step, which are not where the trees believe.

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::Engine;
use super::items::{Items, flag};
use super::row::Row;
use super::search::from;
use super::tree::{NO_ID, Tree};

use crate::bits::set_bits;
use crate::overlap::Extent;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::{Plain, WideRegion, with_wide};
use crate::query::{Hierarchy, SlotRun};
use crate::shape::Aabb;
use crate::simd::{ArrayVec, Column, LANES, ListWriter, Mask, compress, run};
use crate::vector::{Scalar, Vector};

/// Nodes are numbered by what they are part of, by level, and along the level. A node of level 0 is a
/// block of boxes.
#[derive(Clone, Copy)]
pub(super) enum Node {
    Root,
    Of {
        rests: bool,
        level: usize,
        at: usize,
    },
    /// Sixteen of the boxes that are not in their slots.
    Pending(usize),
}

const ROOT: u32 = u32::MAX;
const PENDING: u32 = 15 << LEVEL;
const LEVEL: u32 = 27;
const RESTS: u32 = 1 << 31;

impl Node {
    #[inline(always)]
    pub(super) fn new(number: u32) -> Self {
        let at = (number & ((1 << LEVEL) - 1)) as usize;
        match number {
            ROOT => Self::Root,
            _ if number & PENDING == PENDING => Self::Pending(at),
            _ => Self::Of {
                rests: number & RESTS != 0,
                level: (number >> LEVEL & 15) as usize,
                at,
            },
        }
    }

    /// The number of a part of a tree.
    #[inline(always)]
    pub(super) fn of(rests: bool, level: usize, at: usize) -> u32 {
        (if rests { RESTS } else { 0 }) | (level as u32) << LEVEL | at as u32
    }
}

impl<V: Vector> Engine<V> {
    /// Sixteen of those in doubt, without those whose boxes are in their slots or gone.
    pub(super) fn out_of_slot(&self, at: usize) -> impl Iterator<Item = u32> + Clone {
        let ids = self.pending[at * LANES..].iter().take(LANES).copied();
        ids.filter(|&id| self.items.has(id, flag::ALIVE) && !self.items.is_in_slot(id))
    }

    /// The id of the box in a lane of a node, if there is one that the node stands for.
    pub(in super::super) fn id_at(&self, node: u32, lane: u32) -> Option<u32> {
        let (lane, items) = (lane as usize, &self.items);
        match Node::new(node) {
            Node::Of {
                rests,
                level: 0,
                at,
            } => {
                let id = self.tree(rests).ids[at].0[lane];
                (id != NO_ID && items.is_in_slot(id)).then_some(id)
            }
            Node::Pending(at) => {
                let id = *self.pending.get(at * LANES + lane)?;
                (items.has(id, flag::ALIVE) && !items.is_in_slot(id)).then_some(id)
            }
            Node::Root | Node::Of { .. } => None,
        }
    }

    /// The ids of all boxes in a node.
    pub(in super::super) fn ids(&self, node: u32) -> impl Iterator<Item = u32> {
        (0..LANES as u32).filter_map(move |lane| self.id_at(node, lane))
    }

    /// The boxes that are not in their slots.
    pub(in super::super) fn out_of_slots(&self) -> impl Iterator<Item = u32> {
        let chunks = 0..self.pending.len().div_ceil(LANES);
        chunks.flat_map(|at| self.out_of_slot(at))
    }

    /// Bounds of all boxes: the root holds two trees and what waits apart, and has none of its own.
    pub(in super::super) fn extent_of_all(&self) -> Option<Extent<V>> {
        let parts = self.children(ROOT, true).map(|node| self.extent(node).core);
        let all = parts.reduce(|all, part| all.union(&part));
        all.map(|bounds| Extent::of(&bounds))
    }

    #[inline(always)]
    pub(super) fn tree(&self, rests: bool) -> &Tree<V> {
        if rests { &self.resting } else { &self.moving }
    }
}

/// Slots are lanes of a node.
impl<V: Vector> Hierarchy for Engine<V> {
    type Space = V;

    fn root(&self) -> Option<u32> {
        Some(ROOT)
    }

    fn extent(&self, node: u32) -> Extent<V> {
        let core = match Node::new(node) {
            Node::Root => {
                let most = V::Scalar::MAX;
                let least = V::Scalar::ZERO - most;
                Aabb::from_corners(V::splat(least), V::splat(most))
            }
            Node::Of { rests, level, at } => {
                self.tree(rests).levels[level + 1][at / LANES].get(at % LANES)
            }
            Node::Pending(at) => {
                let mut boxes = self.out_of_slot(at).map(|id| self.items.boxes[id as usize]);
                let first = boxes.next().expect("children have boxes");
                boxes.fold(first, |all, bounds| all.union(&bounds))
            }
        };
        Extent::of(&core)
    }

    fn children(&self, node: u32, _: bool) -> impl DoubleEndedIterator<Item = u32> {
        let mut found = SmallVec::<[u32; LANES]>::new();
        match Node::new(node) {
            Node::Root => {
                for rests in [false, true] {
                    let tree = self.tree(rests);
                    if let Some(level) = tree.levels.len().checked_sub(2) {
                        self.push_children(rests, level, 0, &mut found);
                    }
                }
                let chunks = 0..self.pending.len().div_ceil(LANES);
                let chunks = chunks.filter(|&at| self.out_of_slot(at).next().is_some());
                found.extend(chunks.map(|at| PENDING | at as u32));
            }
            Node::Of { rests, level, at } if level > 0 => {
                self.push_children(rests, level - 1, at, &mut found);
            }
            _ => {}
        }
        found.into_iter()
    }

    fn run(&self, node: u32, _: bool) -> SlotRun {
        let is_leaf = matches!(
            Node::new(node),
            Node::Of { level: 0, .. } | Node::Pending(_)
        );
        SlotRun {
            part: node,
            slots: 0..if is_leaf { LANES as u32 } else { 0 },
            inside: false,
        }
    }
}

impl<V: Vector> Engine<V> {
    /// The sixteen of a block at a level that hold something.
    fn push_children(
        &self,
        rests: bool,
        level: usize,
        block: usize,
        to: &mut SmallVec<[u32; LANES]>,
    ) {
        let boxes = &self.tree(rests).levels[level + 1][block];
        let lanes = (0..LANES).filter(|&lane| !boxes.is_empty(lane));
        to.extend(lanes.map(|lane| Node::of(rests, level, block * LANES + lane)));
    }
}

// The boxes that meet a box or a ball, sixteen at a time. A search fills a list and stops where the
// next boxes might not fit, to be resumed.

/// Nodes to come: at most fifteen of each level beside those of the last, and the tops of two trees.
pub(super) const STACK: usize = 10 * LANES;

/// How far a search is.
#[derive(Clone, Debug)]
pub struct BoxSearch {
    nodes: ArrayVec<STACK>,
    /// How many of the boxes that are not in their slots were handed out, by sixteen.
    pending: usize,
    /// How many of them there are, by sixteen.
    all_pending: usize,
}

impl BoxSearch {
    #[inline]
    pub(in super::super) fn new() -> Self {
        Self {
            nodes: ArrayVec::new(),
            pending: 0,
            all_pending: 0,
        }
    }

    /// Puts both trees before it.
    #[inline]
    pub(in super::super) fn start<V: Vector>(&mut self, engine: &Engine<V>) {
        for rests in [true, false] {
            let tree = engine.tree(rests);
            if tree.len > 0 {
                let top = Node::of(rests, tree.levels.len() - 1, 0);
                self.nodes.writer().append(&[top]);
            }
        }
        self.all_pending = engine.pending.len().div_ceil(LANES);
    }

    #[inline]
    pub(in super::super) fn is_done(&self) -> bool {
        self.nodes.len() == 0 && self.pending == self.all_pending
    }

    /// Appends ids to an empty list, and says whether it is known that their boxes meet the region.
    #[inline]
    pub(in super::super) fn fill<V: Vector, const N: usize>(
        &mut self,
        engine: &Engine<V>,
        asked: &Plain<V>,
        found: &mut ArrayVec<N>,
    ) -> bool {
        if self.nodes.len() > 0 {
            let (nodes, to) = (&mut self.nodes, &mut found.writer());
            run!(engine.instructions(), |simd| meet(
                simd, engine, asked, nodes, to
            ));
        }
        if found.len() > 0 {
            return true;
        }
        while found.len() == 0 && self.pending < self.all_pending {
            let mut list = found.writer();
            for id in engine.out_of_slot(self.pending) {
                list.append(&[id]);
            }
            self.pending += 1;
        }
        false
    }
}

#[inline(always)]
fn meet<V: Vector, S: Simd>(
    simd: S,
    engine: &Engine<V>,
    asked: &Plain<V>,
    nodes: &mut ArrayVec<STACK>,
    to: &mut ListWriter<'_>,
) {
    with_wide!(asked, V, S, simd, |probe| {
        search(simd, engine, &probe, nodes, to);
    });
}

/// The lanes of those of sixteen boxes that a region meets.
#[inline(always)]
pub(super) fn meets<V: Vector, S: Simd>(
    simd: S,
    probe: &impl WideRegion<V, S>,
    boxes: &Boxes<V>,
) -> Mask {
    // The square of a radius may be infinite, and so reach places that hold nothing.
    probe.meets_boxes(&boxes.low, &boxes.high) & Row::load(simd, boxes).filled()
}

/// ```text
/// while sixteen more fit:
///     take the last node
///     ask its sixteen children or boxes at once
///     put the children that are met on the stack, or list the boxes that are and lie in their slots
/// ```
#[inline(always)]
fn search<V: Vector, S: Simd>(
    simd: S,
    engine: &Engine<V>,
    probe: &impl WideRegion<V, S>,
    nodes: &mut ArrayVec<STACK>,
    to: &mut ListWriter<'_>,
) {
    let mut nodes = nodes.writer();
    let mut to = to.writer();
    while to.room() >= LANES {
        let Some(node) = nodes.pop() else { break };
        let Node::Of { rests, level, at } = Node::new(node) else {
            continue;
        };
        let tree = engine.tree(rests);
        let mut mask = meets(simd, probe, &tree.levels[level][at]);
        if level > 0 {
            let first = Node::of(rests, level - 1, at * LANES);
            compress(simd, &from(simd, first), mask, &mut nodes);
        } else {
            let ids = &tree.ids[at];
            if !engine.pending.is_empty() {
                mask = in_slots(simd, mask, ids, &engine.items);
            }
            compress(simd, &ids.0, mask, &mut to);
        }
    }
}

/// The lanes of a mask whose boxes are in their slots.
#[inline(always)]
pub(super) fn in_slots<V: Vector, S: Simd>(
    simd: S,
    mask: Mask,
    ids: &Column<u32>,
    items: &Items<V>,
) -> Mask {
    let mut in_slot = mask.bits(simd);
    for lane in set_bits(in_slot) {
        if !items.is_in_slot(ids.0[lane % LANES]) {
            in_slot &= !(1 << lane);
        }
    }
    Mask::new(simd, in_slot)
}
