//! Taking an entry out of its leaf, and what that leaves behind.

use alloc::vec::Vec;

use super::LooseOrthtree;
use super::grid::{FINER, Grid};
use super::lanes::SLACK;
use super::node::NONE;
use super::rule::all_bits;
use crate::Bounded;
use crate::simd::LANES;

/// A leaf of no more than this looks for another to go into.
const SMALL: u32 = 3;
/// What two leaves may hold to become one.
const MERGED: u32 = LANES as u32 / 2 + 2;

impl<T: Bounded> LooseOrthtree<T> {
    /// Takes an entry out of its leaf; it stays in the slab.
    #[inline]
    pub(super) fn lift(&mut self, slot: u32) {
        let entry = &self.entries[slot as usize];
        let (number, place) = (entry.leaf, entry.place as usize);
        self.take(number, place);
        let leaf = &self.leaves[number as usize];
        let len = leaf.len;
        if len > 0 && leaf.departures > SLACK * len {
            self.tighten(number);
        }
        if len <= SMALL && len != 2 {
            self.shrink(number);
        }
    }

    /// Takes an item out of a leaf; the last takes its place.
    #[inline(always)]
    pub(super) fn take(&mut self, number: u32, place: usize) {
        let leaf = &mut self.leaves[number as usize];
        leaf.len -= 1;
        leaf.departures += 1;
        let last = leaf.len as usize;
        if place < last {
            self.copy((number, last), (number, place));
        }
    }

    /// Frees an empty leaf, and joins a small one with another.
    #[inline(never)]
    fn shrink(&mut self, number: u32) {
        if self.leaves[number as usize].len == 0 {
            return self.discard(number);
        }
        let mut grid = self.leaves[number as usize].grid;
        while grid != 0 && self.grids[grid as usize].only().is_some() {
            // No more use for a grid. What moved to other cells of the one above stays, until it is
            // turned out of a full leaf.
            let parent = self.grids[grid as usize].parent;
            self.grids[parent as usize].replace(grid | FINER, number);
            self.leaves[number as usize].grid = parent;
            self.free_grid(grid);
            give_back(&mut self.grids);
            grid = self.leaves[number as usize].grid;
        }
        if grid != 0
            && let Some(other) = self.companion(number)
        {
            self.join(number, other);
        }
    }

    /// A leaf of the same grid that has room for all of a leaf, and lies beside it if one does.
    fn companion(&self, number: u32) -> Option<u32> {
        let leaf = &self.leaves[number as usize];
        let grid = &self.grids[leaf.grid as usize];
        let fits = |to: u32, most: u32| {
            let is_other = to & FINER == 0 && to != number;
            is_other && leaf.len + self.leaves[to as usize].len <= most
        };
        let (cell, _) = grid.cell(self.center_at(number, 0), leaf.slots[0]);
        let mut beside = (0..all_bits::<T::Vector>()).map(|bit| grid.cells[cell ^ 1 << bit]);
        let beside = beside.find(|&to| fits(to, MERGED));
        beside.or_else(|| {
            let mut cells = grid.cells.into_iter();
            (leaf.len == 1).then(|| cells.find(|&to| fits(to, 2 * SMALL)))?
        })
    }

    /// Moves the items and cells of a leaf to another of the same grid.
    fn join(&mut self, number: u32, other: u32) {
        for place in 0..self.leaves[number as usize].len as usize {
            let end = self.leaves[other as usize].len as usize;
            self.copy((number, place), (other, end));
            self.leaves[other as usize].len += 1;
        }
        self.leaves[number as usize].len = 0;
        let grid = self.leaves[number as usize].grid;
        self.grids[grid as usize].replace(number, other);
        // The other may be below another node.
        let bounds = self.leaves[number as usize].bounds;
        self.grow_leaf(other, &bounds);
        self.tighten(other);
        self.release(number);
    }

    /// Frees a leaf and its lane, and grids and nodes that are left without any.
    pub(super) fn discard(&mut self, number: u32) {
        let grid = self.leaves[number as usize].grid;
        if grid != 0 {
            // In the first, cells go with the lanes of the first node.
            self.grids[grid as usize].replace(number, NONE);
        }
        self.release(number);
        self.coarsen(grid);
        give_back(&mut self.grids);
    }

    /// Frees a leaf that no cell leads to, its lane, and nodes that are left without any.
    fn release(&mut self, number: u32) {
        self.unsettle(number);
        self.free_leaf(number);
        give_back(&mut self.nodes);
        give_back(&mut self.roundings);
    }

    /// Frees a grid in which nothing lies, and those above that are left so; and one all of whose cells
    /// lead to another grid: else the way down would be as long as it ever was.
    fn coarsen(&mut self, mut at: u32) {
        while at != 0 {
            let Some(only) = self.grids[at as usize].only() else {
                return;
            };
            if only != NONE && only & FINER == 0 {
                return;
            }
            let parent = self.grids[at as usize].parent;
            self.grids[parent as usize].replace(at | FINER, only);
            if only != NONE {
                self.grids[(only & !FINER) as usize].parent = parent;
            }
            let last = self.grids.len() as u32 - 1;
            self.free_grid(at);
            at = if parent == last { at } else { parent };
            if only != NONE {
                return;
            }
        }
    }

    /// Frees a grid that no cell leads to; the last takes its number.
    fn free_grid(&mut self, at: u32) {
        let last = self.grids.len() as u32 - 1;
        let Grid { parent, cells, .. } = self.grids[last as usize];
        self.grids.swap_remove(at as usize);
        if at == last {
            return;
        }
        self.grids[parent as usize].replace(last | FINER, at | FINER);
        for to in cells {
            if to == NONE {
            } else if to & FINER == 0 {
                self.leaves[to as usize].grid = at;
            } else {
                self.grids[(to & !FINER) as usize].parent = at;
            }
        }
    }
}

/// Lets go of room that is mostly unused.
pub(super) fn give_back<X>(list: &mut Vec<X>) {
    if list.len() < list.capacity() / 4 {
        list.shrink_to(2 * list.len());
    }
}
