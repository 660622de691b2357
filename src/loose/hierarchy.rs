//! The tree as what queries of any region, nearest items and sweeps go down.

use core::iter::Copied;
use core::ops::{Deref, Range};
use core::slice::Iter;

use super::LooseOrthtree;
use super::nearest::search;
use super::node::{INNER, NONE};
use super::rule::FAN;
use crate::nearest::nearest;
use crate::overlap::Extent;
use crate::query::{Hierarchy, ItemTree, TreeWalk};
use crate::sweep::{first_in_hierarchy, sweeps};
use crate::{Bounded, Distance, Handle, Sweep};

/// Nodes and leaves are named by their lanes, all of them together by `NONE`.
impl<T: Bounded> Hierarchy for LooseOrthtree<T> {
    type Space = T::Vector;
    type Run<'a>
        = Copied<Iter<'a, u32>>
    where
        T: 'a;

    fn root(&self) -> Option<u32> {
        (!self.leaves.is_empty()).then_some(NONE)
    }

    #[inline(always)]
    fn extent(&self, lane: u32) -> Extent<T::Vector> {
        if lane == NONE {
            let all = self.node_bounds(0);
            return all.expect("a root has a lane");
        }
        self.lane_bounds(lane)
    }

    #[inline(always)]
    fn children(&self, lane: u32, _inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        self.lanes_below(lane)
    }

    #[inline(always)]
    fn run(&self, lane: u32, _inside: bool) -> Copied<Iter<'_, u32>> {
        let slots = match self.child_of(lane) {
            child if child & INNER == 0 => self.leaves[child as usize].slots(),
            _ => &[],
        };
        slots.iter().copied()
    }
}

impl<T: Bounded> ItemTree for LooseOrthtree<T> {
    type Nodes = Self;
    type Item = T;
    type Key = Handle;

    fn nodes(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        &self.entries[slot as usize].item
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> Handle {
        self.handle(slot)
    }
}

impl<T: Bounded> LooseOrthtree<T> {
    /// What a lane holds; the first node of `NONE`.
    #[inline(always)]
    fn child_of(&self, lane: u32) -> u32 {
        match lane {
            NONE => INNER,
            lane => self.child(lane),
        }
    }

    /// The lanes of the node that a lane holds; none of a leaf.
    #[inline(always)]
    fn lanes_below(&self, lane: u32) -> Range<u32> {
        let child = self.child_of(lane);
        if child & INNER == 0 {
            return 0..0;
        }
        let node = (child & !INNER) as usize;
        let first = (node * FAN) as u32;
        first..first + self.nodes[node].lanes
    }
}

nearest!(
    impl[T: Distance] LooseOrthtree<T>, vector = T::Vector, key = Handle,
    |this, from, best| search(this, from, best)
);

sweeps!(
    impl[T: Bounded] LooseOrthtree<T>, vector = T::Vector, item = T, key = Handle,
    |this, moving| walk = TreeWalk::new(this, moving),
    item = |slot| &*this.item(slot),
    first = |first| first_in_hierarchy(
        this,
        |extent| moving.bound::<T>(extent),
        |item| moving.times(item).map(|times| times.0),
        first,
    )
);
