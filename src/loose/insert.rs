//! Insertion, update and removal.
//!
//! New items are placed sixteen at a time: the descents do not depend on each other, so that their cache misses overlap. Cells of siblings
//! are disjoint, as in a K-D-B-tree (J. T. Robinson, SIGMOD, 1981). A box is enlarged at once, and refitted after enough changes.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::fill::refill;
use super::tree::{LooseTree, NONE, PENDING, ROOM, ROOT, Slot};
use crate::error::Error;
use crate::handle::Handle;
use crate::overlap::Extent;
use crate::overlap::lanes::W;
use crate::simd::{LANES, Wide, from_fn, run};
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::region_query::LISTS;
use crate::wide_nodes::{MOST_BLOCKS, blocks_of, first_block};

/// A box is refitted when the changes below it exceed this number for each item or child that it holds.
const REFIT_AFTER: u32 = 4;

/// The tree is rebuilt when leaves hold fewer items than this on average.
const SPARSE: usize = 8;

/// The largest number of items: a rebuild gives each 32 of them a leaf of 64 lanes, whose indices have 32 bits.
const MOST_ITEMS: usize = 1 << 30;

/// The tree is rebuilt when it has more leaves, since indices of lanes have 32 bits.
const MOST_LEAVES: usize = (1 << 26) - 2 * LANES;

/// Adds an item.
///
/// ```text
/// append the item to the pending leaf, which every search visits
/// if the pending leaf holds sixteen items, for each of them:
///     find its leaf by its center, level by level
///     split the leaf if it is full
///     append the item, and enlarge boxes upwards until one contains it
/// ```
pub(super) fn insert<A: Vector>(
    tree: &mut LooseTree<A>,
    slot: u32,
    extent: &Extent<A>,
) -> Result<Handle, Error> {
    extent.check()?;
    check_count(tree.tree.len + 1)?;
    let handle = tree.take_slot(slot);
    tree.enter(slot, extent);
    Ok(handle)
}

/// Refuses more items than there are indices for.
pub(super) fn check_count(count: usize) -> Result<(), Error> {
    let most = MOST_ITEMS;
    if count > most {
        return Err(Error::TooManyItems { count, most });
    }
    Ok(())
}

/// Replaces the item of a handle.
///
/// ```text
/// if the new item lies in the box of the leaf, or its center in the cell: overwrite the old item, and enlarge boxes if necessary
/// otherwise: remove it from its leaf, and append it to the pending leaf
/// ```
pub(super) fn update<A: Vector>(
    tree: &mut LooseTree<A>,
    handle: Handle,
    extent: &Extent<A>,
) -> Result<(), Error> {
    let Some(place) = tree.find(handle) else {
        return Err(Error::Stale { handle });
    };
    extent.check()?;
    let leaf = place / ROOM;
    let home = tree.leaves[leaf].home as usize;
    let is_inside = leaf == PENDING || tree.bounds(home).holds(extent);
    if is_inside
        || tree
            .cell(home)
            .contains(&tree.tree.items.layout.center(&extent.core))
    {
        tree.tree.items.set(place, extent);
        if !is_inside {
            tree.enlarge(leaf, extent);
        }
        tree.count_change(leaf);
    } else {
        tree.take_out(place);
        tree.enter(handle.slot, extent);
        tree.rebuild_if_sparse();
    }
    Ok(())
}

/// Removes the item of a handle. Returns true if so few items are left that memory can be freed; `None` for a stale handle.
pub(super) fn remove<A: Vector>(tree: &mut LooseTree<A>, handle: Handle) -> Option<bool> {
    let place = tree.find(handle)?;
    tree.take_out(place);
    tree.slots[handle.slot()].place = NONE;
    tree.tree.len -= 1;
    if tree.tree.len == 0 {
        tree.clear();
        return Some(true);
    }
    Some(tree.rebuild_if_sparse())
}

impl<A: Vector> LooseTree<A> {
    /// Marks a slot as used, and returns its handle.
    #[inline(always)]
    pub(super) fn take_slot(&mut self, slot: u32) -> Handle {
        let generation = self.inserted as u32;
        self.inserted += 1;
        self.tree.len += 1;
        let new = Slot {
            generation,
            place: NONE,
        };
        match self.slots.get_mut(slot as usize) {
            Some(slot) => *slot = new,
            None => self.slots.push(new),
        }
        Handle { slot, generation }
    }

    /// Appends an item to the pending leaf, and moves all pending items into their leaves when there are sixteen.
    #[inline(always)]
    pub(super) fn enter(&mut self, slot: u32, extent: &Extent<A>) {
        if self.leaves.is_empty() {
            self.open();
        }
        self.push_item(PENDING, slot, extent);
        if self.leaves[PENDING].len as usize == LANES {
            self.place_pending();
        }
    }

    /// Appends an item to a leaf that has room.
    #[inline(always)]
    pub(super) fn push_item(&mut self, leaf: usize, slot: u32, extent: &Extent<A>) {
        let len = self.leaves[leaf].len as usize;
        self.set_len(0, leaf, len + 1);
        self.write_item(leaf * ROOM + len, slot, extent);
    }

    /// Writes the item of a slot to a place.
    #[inline(always)]
    pub(super) fn write_item(&mut self, place: usize, slot: u32, extent: &Extent<A>) {
        self.tree.items.set(place, extent);
        let to = &mut self.slots[slot as usize];
        to.place = place as u32;
        self.tree.indices.to_mut()[place] = slot;
        self.tree.generations.to_mut()[place] = to.generation;
    }

    /// Removes an item from its leaf; the last item moves into its place.
    #[inline(always)]
    fn take_out(&mut self, place: usize) {
        let leaf = place / ROOM;
        let last = self.leaves[leaf].len as usize - 1;
        self.set_len(0, leaf, last);
        let last = leaf * ROOM + last;
        if last != place {
            let extent = self.tree.items.get(last);
            self.write_item(place, self.tree.indices[last], &extent);
        }
        self.count_change(leaf);
    }

    /// Enlarges the box of a leaf to hold an extent, then the boxes above until one holds it.
    #[inline(always)]
    fn enlarge(&mut self, leaf: usize, by: &Extent<A>) {
        let mut place = self.leaves[leaf].home as usize;
        loop {
            let bounds = self.bounds(place);
            if bounds.holds(by) {
                return;
            }
            self.tree.nodes.set(place, &bounds.union(by));
            if place < ROOM {
                return;
            }
            place = self.nodes[place / ROOM].home as usize;
        }
    }

    /// Counts a change in a leaf. After enough changes it refits the box of the leaf, and counts a change in the node above.
    #[inline(always)]
    fn count_change(&mut self, leaf: usize) {
        if leaf == PENDING {
            return;
        }
        let (mut height, mut number) = (0, leaf);
        loop {
            let group = &mut self.groups_mut(height)[number];
            group.changes += 1;
            if group.changes <= REFIT_AFTER * group.len {
                return;
            }
            group.changes = 0;
            let home = group.home as usize;
            let bounds = self.around(height, number);
            self.tree.nodes.set(home, &bounds);
            if home < ROOM {
                return;
            }
            (height, number) = (height + 1, home / ROOM);
        }
    }

    /// Moves the pending items into their leaves.
    #[inline(never)]
    fn place_pending(&mut self) {
        // Make room for more leaves, and make the root if there is none.
        if self.leaves.len() > MOST_LEAVES {
            return rebuild(self);
        }
        if self.tree.nodes.height == 0 {
            let leaf = self.add_groups(0, 1);
            self.add_root(0, leaf);
        }
        // Find the leaf of each item. Nothing is written to the pending leaf, so its items can be read from there.
        self.set_len(0, PENDING, 0);
        let items = &self.tree.items;
        let centers = from_fn(|lane| items.layout.center(&items.get(lane).core));
        let leaves = self.leaves_for(&centers);
        // Move each item to its leaf. A split may have changed which leaf that is.
        let mut was_split = false;
        for (lane, (center, mut leaf)) in centers.into_iter().zip(leaves).enumerate() {
            loop {
                let home = self.leaves[leaf].home as usize;
                if was_split && !self.cell(home).contains(&center) {
                    leaf = self.leaves_for(&[center; LANES])[0];
                }
                if (self.leaves[leaf].len as usize) < ROOM {
                    break;
                }
                self.split(0, leaf);
                was_split = true;
            }
            let extent = self.tree.items.get(lane);
            self.push_item(leaf, self.tree.indices[lane], &extent);
            self.enlarge(leaf, &extent);
        }
        // Region queries have a list for each level, so the tree must not become higher.
        if self.tree.nodes.height >= LISTS {
            rebuild(self);
        }
    }

    /// All items, and their slots.
    pub(super) fn all_items(&self) -> (Vec<Extent<A>>, Vec<u32>) {
        let slots = self.slots.iter().zip(0..);
        let in_use = slots.filter(|(slot, _)| slot.place != NONE);
        in_use
            .map(|(slot, number)| (self.tree.items.get(slot.place as usize), number))
            .unzip()
    }

    /// Finds the leaf whose cell contains each center.
    fn leaves_for(&self, centers: &[A; LANES]) -> [usize; LANES] {
        run!(self.tree.instructions, |simd| find_leaves(
            simd, self, centers
        ))
    }

    /// Rebuilds the tree if its leaves are too empty; returns true if it did.
    fn rebuild_if_sparse(&mut self) -> bool {
        let is_sparse = self.tree.len < SPARSE * (self.leaves.len() - 1);
        if is_sparse {
            rebuild(self);
        }
        is_sparse
    }
}

/// Descends level by level, comparing each center with sixteen cells at a time. Returns the number of the leaf of each.
#[inline(always)]
fn find_leaves<A: Vector, S: Simd>(
    simd: S,
    tree: &LooseTree<A>,
    centers: &[A; LANES],
) -> [usize; LANES] {
    let nodes = &tree.tree.nodes;
    let mut at = [nodes.entry(ROOT); LANES];
    for _ in 0..nodes.height {
        for (center, at) in centers.iter().zip(&mut at) {
            let mut axes = [<W<A, S>>::splat(simd, A::Scalar::ZERO); 4];
            for (axis, all) in axes.iter_mut().enumerate().take(A::DIM) {
                *all = <W<A, S>>::splat(simd, center.axis(axis));
            }
            let blocks = blocks_of(*at, false);
            let (first, mut found) = (blocks.start, 0);
            for (block, cells) in tree.cells[blocks].iter().enumerate() {
                let (mut low, mut high) = (axes, axes);
                for axis in 0..A::DIM {
                    low[axis] = <W<A, S>>::load(simd, &cells.low.as_ref()[axis].0);
                    high[axis] = <W<A, S>>::load(simd, &cells.high.as_ref()[axis].0);
                }
                let met = Wide::meet(A::DIM, [&low, &high], [&axes, &axes]);
                found |= u64::from(met.bits(simd)) << (block * LANES);
            }
            debug_assert!(found.is_power_of_two(), "cells partition space");
            *at = nodes.entry(first * LANES + found.trailing_zeros() as usize % ROOM);
        }
    }
    at.map(|entry| first_block(entry) / MOST_BLOCKS)
}

/// Rebuilds the tree from its items.
#[inline(never)]
fn rebuild<A: Vector>(tree: &mut LooseTree<A>) {
    let (extents, slots) = tree.all_items();
    refill(tree, &extents, &slots);
}
