//! Removal: an item leaves its leaf; small leaves are merged, and grids and nodes without use are freed.

use alloc::vec::Vec;

use super::grid::{FINER, Grid, cell_bits};
use super::node::{NONE, REFIT_AFTER};
use super::tree::Tree;
use crate::handle::Handle;
use crate::simd::LANES;
use crate::vector::Vector;

/// A leaf of no more than this looks for another to go into.
const SMALL: u32 = 3;
/// What two leaves may hold to become one.
const MERGED: u32 = LANES as u32 / 2 + 2;

/// Removes the item of a handle: whether memory of slots was given back; `None` where it is stale.
///
/// ```text
/// take it out of its leaf: the last of the leaf takes its lane
/// now and then make the bounds tight
/// if the leaf is empty: free it, its lane and its cells, and nodes and grids that are empty then
/// if few are left: merge it with another leaf of the grid, and free a grid that leads to one leaf only
/// ```
pub(super) fn remove<A: Vector>(tree: &mut Tree<A>, handle: Handle) -> Option<bool> {
    tree.find(handle)?;
    tree.take_out(handle.slot);
    tree.free_slot(handle.slot);
    if tree.len == 0 {
        tree.clear();
        return Some(true);
    }
    tree.removals += 1;
    let capacity = tree.slots.capacity();
    // It costs as much as there are slots: constant time each, in the mean. Handles name slots, so that
    // only what lies behind the last one can be given back.
    let is_sparse = tree.len < capacity / 4 && tree.removals > 64 + capacity / 2;
    if is_sparse {
        tree.removals = 0;
        tree.shrink_slots();
    }
    Some(is_sparse)
}

impl<A: Vector> Tree<A> {
    /// Takes an item out of its leaf; it keeps its slot.
    pub(super) fn take_out(&mut self, slot: u32) {
        let slot = &self.slots[slot as usize];
        let (number, at) = (slot.leaf, slot.at as usize);
        self.take(number, at);
        let leaf = &self.leaves[number as usize];
        let len = leaf.len;
        if len > 0 && leaf.changes > REFIT_AFTER * len {
            self.refit_leaf(number);
        }
        if len <= SMALL && len != 2 {
            self.merge_leaf(number);
        }
    }

    /// Takes an item out of a leaf; the last takes its place.
    #[inline(always)]
    pub(super) fn take(&mut self, number: u32, at: usize) {
        let leaf = &mut self.leaves[number as usize];
        leaf.len -= 1;
        leaf.changes += 1;
        let last = leaf.len as usize;
        if at < last {
            self.copy((number, last), (number, at));
        }
    }

    /// Frees an empty leaf, and joins a small one with another.
    #[inline(never)]
    fn merge_leaf(&mut self, number: u32) {
        if self.leaves[number as usize].len == 0 {
            return self.free_empty_leaf(number);
        }
        let mut grid = self.leaves[number as usize].grid;
        while grid != 0 && self.grids[grid as usize].only().is_some() {
            // No more use for a grid. What moved to other cells of the one above stays, until it is
            // displaced from a full leaf.
            let parent = self.grids[grid as usize].parent;
            self.grids[parent as usize].redirect(grid | FINER, number);
            self.leaves[number as usize].grid = parent;
            self.free_grid(grid);
            shrink_sparse(&mut self.grids);
            grid = self.leaves[number as usize].grid;
        }
        if grid != 0
            && let Some(other) = self.merge_partner(number)
        {
            self.merge_leaves(number, other);
        }
    }

    /// A leaf of the same grid that has room for all of a leaf, and lies beside it if one does.
    fn merge_partner(&self, number: u32) -> Option<u32> {
        let leaf = &self.leaves[number as usize];
        let grid = &self.grids[leaf.grid as usize];
        let fits = |to: u32, most: u32| {
            let is_other = to & FINER == 0 && to != number;
            is_other && leaf.len + self.leaves[to as usize].len <= most
        };
        let (cell, _) = grid.cell(self.center_at(number, 0), leaf.slots[0]);
        let mut beside = (0..cell_bits::<A>()).map(|bit| grid.cells[cell ^ 1 << bit]);
        let beside = beside.find(|&to| fits(to, MERGED));
        beside.or_else(|| {
            let mut cells = grid.cells.into_iter();
            (leaf.len == 1).then(|| cells.find(|&to| fits(to, 2 * SMALL)))?
        })
    }

    /// Moves the items and cells of a leaf to another of the same grid.
    fn merge_leaves(&mut self, number: u32, other: u32) {
        for at in 0..self.leaves[number as usize].len as usize {
            let end = self.leaves[other as usize].len as usize;
            self.copy((number, at), (other, end));
            self.leaves[other as usize].len += 1;
        }
        self.leaves[number as usize].len = 0;
        let grid = self.leaves[number as usize].grid;
        self.grids[grid as usize].redirect(number, other);
        // The other may be below another node.
        let bounds = self.leaves[number as usize].bounds;
        self.enlarge_leaf(other, &bounds);
        self.refit_leaf(other);
        self.free_leaf_and_lane(number);
    }

    /// Frees a leaf and its lane, and grids and nodes that are left without any.
    pub(super) fn free_empty_leaf(&mut self, number: u32) {
        let grid = self.leaves[number as usize].grid;
        if grid != 0 {
            // In the first, cells go with the lanes of the first node.
            self.grids[grid as usize].redirect(number, NONE);
        }
        self.free_leaf_and_lane(number);
        self.free_empty_grids(grid);
        shrink_sparse(&mut self.grids);
    }

    /// Frees a leaf that no cell leads to, its lane, and nodes that are left without any.
    fn free_leaf_and_lane(&mut self, number: u32) {
        self.detach_leaf(number);
        self.free_leaf(number);
        shrink_sparse(&mut self.nodes);
        shrink_sparse(&mut self.radii_below);
    }

    /// Frees a grid in which nothing lies, and those above that are left so; and one all of whose cells
    /// lead to another grid: else the way down would be as long as it ever was.
    fn free_empty_grids(&mut self, mut at: u32) {
        while at != 0 {
            let Some(only) = self.grids[at as usize].only() else {
                return;
            };
            if only != NONE && only & FINER == 0 {
                return;
            }
            let parent = self.grids[at as usize].parent;
            self.grids[parent as usize].redirect(at | FINER, only);
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
        self.grids[parent as usize].redirect(last | FINER, at | FINER);
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

/// Gives back memory that is mostly unused.
pub(super) fn shrink_sparse<X>(list: &mut Vec<X>) {
    if list.len() < list.capacity() / 4 {
        list.shrink_to(2 * list.len());
    }
}
