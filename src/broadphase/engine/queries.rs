//! The boxes as questions of any kind see them: both trees, and apart from them the boxes that have
//! moved or come since the last step, which are not where the trees believe.

use core::ops::Deref;

use super::Engine;
use super::items::flag;
use super::row;
use super::tree::{NOBODY, Tree};
use crate::overlap::Extent;
use crate::query::{Hierarchy, ItemTree};
use crate::simd::LANES;
use crate::{Aabb, Scalar, Vector};

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

/// The ids of a block that are to be asked.
#[derive(Clone, Debug)]
pub struct Lanes {
    ids: [u32; LANES],
    at: usize,
    len: usize,
}

impl Lanes {
    fn new(ids: impl IntoIterator<Item = u32>) -> Self {
        let mut lanes = Self {
            ids: [0; LANES],
            at: 0,
            len: 0,
        };
        for id in ids {
            lanes.ids[lanes.len] = id;
            lanes.len += 1;
        }
        lanes
    }
}

impl Iterator for Lanes {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let id = self.ids[..self.len].get(self.at).copied();
        self.at += 1;
        id
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.len.saturating_sub(self.at);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Lanes {}

impl<V: Vector> Engine<V> {
    /// Sixteen of those in doubt, without those whose boxes are in their slots or gone.
    pub(super) fn unsettled(&self, at: usize) -> impl Iterator<Item = u32> + Clone {
        let ids = self.pending[at * LANES..].iter().take(LANES).copied();
        ids.filter(|&id| self.items.has(id, flag::ALIVE) && !self.items.is_settled(id))
    }

    /// The boxes that are not in their slots.
    pub(in super::super) fn astray(&self) -> impl Iterator<Item = u32> {
        let chunks = 0..self.pending.len().div_ceil(LANES);
        chunks.flat_map(|at| self.unsettled(at))
    }

    #[inline(always)]
    pub(super) fn tree(&self, rests: bool) -> &Tree<V> {
        if rests { &self.resting } else { &self.moving }
    }
}

/// Slots are ids.
impl<V: Vector> Hierarchy for Engine<V> {
    type Space = V;
    type Run<'a> = Lanes;

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
                row::at(&self.tree(rests).levels[level + 1][at / LANES], at % LANES)
            }
            Node::Pending(at) => {
                let mut boxes = self.unsettled(at).map(|id| self.items.boxes[id as usize]);
                let first = boxes.next().expect("children have boxes");
                boxes.fold(first, |all, bounds| all.union(&bounds))
            }
        };
        Extent::of(&core)
    }

    fn children(&self, node: u32, _: bool) -> impl DoubleEndedIterator<Item = u32> {
        let mut found = smallvec::SmallVec::<[u32; LANES]>::new();
        match Node::new(node) {
            Node::Root => {
                for rests in [false, true] {
                    let tree = self.tree(rests);
                    if let Some(level) = tree.levels.len().checked_sub(2) {
                        self.push_children(rests, level, 0, &mut found);
                    }
                }
                let chunks = 0..self.pending.len().div_ceil(LANES);
                let chunks = chunks.filter(|&at| self.unsettled(at).next().is_some());
                found.extend(chunks.map(|at| PENDING | at as u32));
            }
            Node::Of { rests, level, at } if level > 0 => {
                self.push_children(rests, level - 1, at, &mut found);
            }
            _ => {}
        }
        found.into_iter()
    }

    fn run(&self, node: u32, _: bool) -> Lanes {
        match Node::new(node) {
            Node::Of {
                rests,
                level: 0,
                at,
            } => {
                let ids = self.tree(rests).ids[at].0.into_iter();
                Lanes::new(ids.filter(|&id| id != NOBODY && self.items.is_settled(id)))
            }
            Node::Pending(at) => Lanes::new(self.unsettled(at)),
            _ => Lanes::new([]),
        }
    }
}

impl<V: Vector> ItemTree for Engine<V> {
    type Nodes = Self;
    type Item = Aabb<V>;
    type Key = u32;

    fn nodes(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn item(&self, slot: u32) -> impl Deref<Target = Aabb<V>> {
        &self.items.boxes[slot as usize]
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> u32 {
        slot
    }
}

impl<V: Vector> Engine<V> {
    /// The sixteen of a block at a level that hold something.
    fn push_children(
        &self,
        rests: bool,
        level: usize,
        block: usize,
        to: &mut smallvec::SmallVec<[u32; LANES]>,
    ) {
        let boxes = &self.tree(rests).levels[level + 1][block];
        let lanes = (0..LANES).filter(|&lane| !row::is_empty(boxes, lane));
        to.extend(lanes.map(|lane| Node::of(rests, level, block * LANES + lane)));
    }
}
