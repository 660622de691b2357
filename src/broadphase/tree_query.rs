//! The tree as queries see it. Bodies that were inserted or moved since the last step are not where the tree has them:
//! they are tested apart, in blocks of sixteen.

use fearless_simd::Simd;
use smallvec::SmallVec;

use super::pair_collector::numbered;
use super::row::Row;
use super::table::{Change, Life};
use super::world::World;

use crate::bits::set_bits;
use crate::overlap::Extent;
use crate::overlap::columns::Boxes;
use crate::overlap::lanes::{Plain, WideRegion, with_wide};
use crate::query::{Hierarchy, SlotRun};
use crate::shape::Aabb;
use crate::simd::{ArrayVec, Column, LANES, ListWriter, Mask, compress, run};
use crate::vector::{Scalar, Vector};

/// Nodes are numbered by level and along the level. A node of level 0 is a block of boxes.
#[derive(Clone, Copy)]
pub(super) enum Node {
    /// The tree, and the bodies that are not in their places.
    Root,
    Of {
        level: usize,
        at: usize,
    },
    /// Sixteen changed bodies, of which those count that are not in their places.
    Changed(usize),
}

const ROOT: u32 = u32::MAX;
const CHANGED: u32 = 15 << LEVEL;
const LEVEL: u32 = 28;

impl Node {
    #[inline(always)]
    pub(super) fn new(number: u32) -> Self {
        let at = (number & ((1 << LEVEL) - 1)) as usize;
        match number {
            ROOT => Self::Root,
            CHANGED.. => Self::Changed(at),
            _ => Self::Of {
                level: (number >> LEVEL) as usize,
                at,
            },
        }
    }

    /// The number of a node of the tree.
    #[inline(always)]
    pub(super) fn of(level: usize, at: usize) -> u32 {
        (level as u32) << LEVEL | at as u32
    }
}

impl<V: Vector> World<V> {
    /// True if a body is where the tree has it.
    #[inline(always)]
    pub(super) fn is_in_place(&self, id: u32) -> bool {
        self.bodies.table[id as usize].change != Change::Moved
    }

    /// The bodies, of sixteen changed ones, that are not where the tree has them.
    fn out_of_place(&self, at: usize) -> impl Iterator<Item = u32> + Clone {
        let ids = self.bodies.changed[at * LANES..]
            .iter()
            .take(LANES)
            .copied();
        ids.filter(|&id| self.is_out_of_place(id))
    }

    /// The body in a lane of a node, if it is one that the node stands for.
    pub(super) fn id_at(&self, node: u32, lane: u32) -> Option<u32> {
        let lane = lane as usize;
        match Node::new(node) {
            Node::Of { level: 0, at } => {
                let id = self.tree.ids[at].0[lane];
                let is_there = !self.tree.levels[0][at].is_empty(lane);
                (is_there && self.is_in_place(id)).then_some(id)
            }
            Node::Changed(at) => {
                let id = *self.bodies.changed.get(at * LANES + lane)?;
                self.is_out_of_place(id).then_some(id)
            }
            Node::Root | Node::Of { .. } => None,
        }
    }

    /// All bodies that a node stands for.
    pub(super) fn ids(&self, node: u32) -> impl Iterator<Item = u32> {
        (0..LANES as u32).filter_map(move |lane| self.id_at(node, lane))
    }

    /// True if a body is somewhere, and not where the tree has it.
    fn is_out_of_place(&self, id: u32) -> bool {
        let body = &self.bodies.table[id as usize];
        body.change == Change::Moved && body.life != Life::Gone
    }

    /// The number of blocks of changed bodies.
    fn changed_blocks(&self) -> usize {
        self.bodies.changed.len().div_ceil(LANES)
    }

    /// All bodies that are not where the tree has them.
    pub(super) fn all_out_of_place(&self) -> impl Iterator<Item = u32> {
        (0..self.changed_blocks()).flat_map(|at| self.out_of_place(at))
    }

    /// Bounds of all bodies. The root has none of its own, since the bodies out of place are not in the tree.
    pub(super) fn extent_of_all(&self) -> Option<Extent<V>> {
        if self.bodies.len() == 0 {
            return None;
        }
        let parts = self.children(ROOT, true).map(|node| self.extent(node).core);
        let all = parts.reduce(|all, part| all.union(&part));
        all.map(|bounds| Extent::of(&bounds))
    }

    /// Appends the sixteen children of a node that hold something.
    fn push_children(&self, level: usize, at: usize, to: &mut SmallVec<[u32; LANES]>) {
        let boxes = &self.tree.levels[level][at];
        let lanes = (0..LANES).filter(|&lane| !boxes.is_empty(lane));
        to.extend(lanes.map(|lane| Node::of(level - 1, at * LANES + lane)));
    }
}

/// Slots are lanes of a node.
impl<V: Vector> Hierarchy for World<V> {
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
            Node::Of { level, at } => self.tree.levels[level + 1][at / LANES].get(at % LANES),
            Node::Changed(at) => {
                let mut boxes = self.out_of_place(at).map(|id| self.bodies.bounds(id));
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
                if let Some(top) = self.tree.levels.len().checked_sub(1) {
                    self.push_children(top, 0, &mut found);
                }
                let blocks = 0..self.changed_blocks();
                let blocks = blocks.filter(|&at| self.out_of_place(at).next().is_some());
                found.extend(blocks.map(|at| CHANGED | at as u32));
            }
            Node::Of { level, at } if level > 0 => self.push_children(level, at, &mut found),
            Node::Of { .. } | Node::Changed(_) => {}
        }
        found.into_iter()
    }

    fn run(&self, node: u32, _: bool) -> SlotRun {
        let is_leaf = matches!(
            Node::new(node),
            Node::Of { level: 0, .. } | Node::Changed(_)
        );
        SlotRun {
            part: node,
            slots: 0..if is_leaf { LANES as u32 } else { 0 },
            inside: false,
        }
    }
}

// The boxes that meet a box or a ball, sixteen at a time. A search fills a list and stops where the next boxes might not
// fit, to be resumed.

/// Nodes to come: at most fifteen of each level beside those of the last.
pub(super) const STACK: usize = 9 * LANES;

/// How far a search is.
#[derive(Clone, Debug, Default)]
pub struct BoxSearch {
    nodes: ArrayVec<STACK>,
    /// How many blocks of changed bodies were handed out, and how many there are.
    handed_out: usize,
    blocks: usize,
}

impl BoxSearch {
    /// Starts at the top of the tree.
    #[inline]
    pub(super) fn start<V: Vector>(&mut self, world: &World<V>) {
        if let Some(top) = world.tree.levels.len().checked_sub(1) {
            self.nodes.writer().append(&[Node::of(top, 0)]);
        }
        self.blocks = world.changed_blocks();
    }

    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.nodes.len() == 0 && self.handed_out == self.blocks
    }

    /// Appends bodies to an empty list. Returns true if it is known that their boxes meet the region.
    #[inline]
    pub(super) fn fill<V: Vector, const N: usize>(
        &mut self,
        world: &World<V>,
        region: &Plain<V>,
        found: &mut ArrayVec<N>,
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
        while found.len() == 0 && self.handed_out < self.blocks {
            let mut list = found.writer();
            for id in world.out_of_place(self.handed_out) {
                list.append(&[id]);
            }
            self.handed_out += 1;
        }
        false
    }
}

#[inline(always)]
fn meet<V: Vector, S: Simd>(
    simd: S,
    world: &World<V>,
    region: &Plain<V>,
    nodes: &mut ArrayVec<STACK>,
    to: &mut ListWriter<'_>,
) {
    with_wide!(region, V, S, simd, |probe| {
        search(simd, world, &probe, nodes, to);
    });
}

/// The lanes of those of sixteen boxes that meet a region.
#[inline(always)]
pub(super) fn meets<V: Vector, S: Simd>(
    simd: S,
    probe: &impl WideRegion<V, S>,
    boxes: &Boxes<V>,
) -> Mask {
    // The square of a radius may be infinite, so that the ball reaches empty lanes.
    probe.meets_boxes(&boxes.low, &boxes.high) & Row::load(simd, boxes).filled()
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
    let mut nodes = nodes.writer();
    let mut to = to.writer();
    while to.room() >= LANES {
        let Some(node) = nodes.pop() else { break };
        let Node::Of { level, at } = Node::new(node) else {
            continue;
        };
        let mut mask = meets(simd, probe, &tree.levels[level][at]);
        if level > 0 {
            let children = Node::of(level - 1, at * LANES);
            compress(
                simd,
                &numbered(simd, children / LANES as u32),
                mask,
                &mut nodes,
            );
        } else {
            let ids = &tree.ids[at];
            if !world.bodies.changed.is_empty() {
                mask = in_place(simd, mask, ids, world);
            }
            compress(simd, &ids.0, mask, &mut to);
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
