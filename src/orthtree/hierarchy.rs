//! The tree as questions of any kind see it: lane by lane.

use core::ops::{Deref, Range};

use super::{INNER, Orthtree, blocks_of};
use crate::Bounded;
use crate::overlap::Extent;
use crate::query::{Hierarchy, ItemTree};
use crate::simd::LANES;

/// A node is named by the lane at which its parent holds it.
impl<T: Bounded> Hierarchy for Orthtree<T> {
    type Space = T::Vector;
    type Run<'a>
        = Range<u32>
    where
        T: 'a;

    #[inline]
    fn root(&self) -> Option<u32> {
        self.root_lane()
    }

    #[inline(always)]
    fn extent(&self, node: u32) -> Extent<T::Vector> {
        self.cell(node)
    }

    #[inline(always)]
    fn children(&self, node: u32, inside: bool) -> impl DoubleEndedIterator<Item = u32> {
        let child = self.nodes.children[node as usize / LANES][node as usize % LANES];
        let blocks = if child & INNER == 0 || inside {
            0..0
        } else {
            blocks_of(child)
        };
        let lanes = (blocks.start * LANES) as u32..(blocks.end * LANES) as u32;
        lanes.filter(|&lane| {
            let (from, to) = self.nodes.runs[lane as usize / LANES][lane as usize % LANES];
            from < to
        })
    }

    #[inline(always)]
    fn run(&self, node: u32, inside: bool) -> Range<u32> {
        let (block, lane) = (node as usize / LANES, node as usize % LANES);
        if inside || self.nodes.children[block][lane] & INNER == 0 {
            let (from, to) = self.nodes.runs[block][lane];
            from..to
        } else {
            0..0
        }
    }
}

impl<T: Bounded> ItemTree for Orthtree<T> {
    type Nodes = Self;
    type Item = T;
    type Key = usize;

    fn nodes(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn item(&self, slot: u32) -> impl Deref<Target = T> {
        self.held(slot)
    }

    #[inline(always)]
    fn key(&self, slot: u32) -> usize {
        self.indices[slot as usize] as usize
    }
}
