//! Insertion, update and removal.
//!
//! Sixteen new items are placed at once, since the way down waits for memory at each level: together they wait once. The
//! cells of the children of a node part its own, as in a K-D-B-tree (J. T. Robinson, SIGMOD, 1981); boxes are enlarged at once
//! and become tight again when enough below has changed.

use alloc::vec::Vec;

use fearless_simd::Simd;

use super::columns::Items;
use super::fill::fill;
use super::tree::{DOOR, NONE, ROOM, Slot, Tree, everywhere, nothing};
use crate::error::Error;
use crate::handle::Handle;
use crate::orthtree::build::Source;
use crate::overlap::lanes::W;
use crate::overlap::{Extent, check_count};
use crate::simd::{InstructionSet, Job, LANES, Mask, Wide};
use crate::vector::Vector;
use crate::wide_nodes::region_query::LISTS;
use crate::wide_nodes::{MOST_BLOCKS, Run, first_lanes};

/// A box becomes tight when so many times as much below it has changed as it holds.
const REFIT_AFTER: u32 = 4;

/// All items are placed anew if leaves hold fewer on average.
const SPARSE: usize = 8;

/// Places have 32 bits.
const MOST_LEAVES: usize = (1 << 26) - 1;

/// Adds an item.
///
/// ```text
/// the item waits at the door, a leaf that every question asks
/// when sixteen wait:
///     level by level, for each: to the child in whose cell its center lies
///     a full leaf is split; the item goes into the leaf whose cell it is in
///     boxes above are enlarged until one holds it
/// ```
pub(super) fn insert<A: Vector>(
    tree: &mut Tree<A>,
    slot: u32,
    extent: &Extent<A>,
) -> Result<Handle, Error> {
    extent.check()?;
    check_count(tree.len + 1)?;
    if tree.leaves.len() > MOST_LEAVES - LANES {
        // Nearly all are empty, or items would be too many.
        rebuild(tree);
    }
    let handle = tree.take_slot(slot);
    tree.enter(slot, extent);
    Ok(handle)
}

/// Replaces the item of a handle.
///
/// ```text
/// if its center stays in the cell of its leaf, or all of it in the box: overwrite it, enlarge the boxes above if need be
/// otherwise: take it out, and let it wait at the door
/// ```
pub(super) fn update<A: Vector>(
    tree: &mut Tree<A>,
    handle: Handle,
    extent: &Extent<A>,
) -> Result<(), Error> {
    let Some(place) = tree.find(handle) else {
        return Err(Error::Stale { handle });
    };
    extent.check()?;
    let leaf = place / ROOM;
    let group = &tree.leaves[leaf];
    let is_inside = leaf == DOOR || group.bounds.holds(extent);
    if is_inside || group.is_for(tree.items.center_of(extent)) {
        tree.items.set(place, extent);
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

/// Removes the item of a handle: whether items are so few that memory can be given back; `None` where it is stale.
pub(super) fn remove<A: Vector>(tree: &mut Tree<A>, handle: Handle) -> Option<bool> {
    let place = tree.find(handle)?;
    tree.take_out(place);
    tree.slots[handle.slot()].place = NONE;
    tree.len -= 1;
    if tree.len == 0 {
        tree.clear();
        return Some(true);
    }
    Some(tree.rebuild_if_sparse())
}

impl<A: Vector> Tree<A> {
    /// Takes a free slot for a new item.
    #[inline(always)]
    pub(super) fn take_slot(&mut self, slot: u32) -> Handle {
        let generation = self.inserted as u32;
        self.inserted += 1;
        self.len += 1;
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

    /// Makes the door.
    pub(super) fn open(&mut self) {
        self.instructions = InstructionSet::best();
        self.add_group(0, everywhere());
    }

    /// Lets an item wait at the door.
    #[inline(always)]
    pub(super) fn enter(&mut self, slot: u32, extent: &Extent<A>) {
        if self.leaves.is_empty() {
            self.open();
        }
        self.push_item(DOOR, slot, extent);
        if self.leaves[DOOR].len as usize == LANES {
            self.place_waiting();
        }
    }

    /// Appends an item to a leaf that has room.
    #[inline(always)]
    pub(super) fn push_item(&mut self, leaf: usize, slot: u32, extent: &Extent<A>) {
        let group = &mut self.leaves[leaf];
        let place = leaf * ROOM + group.len as usize;
        group.len += 1;
        self.items.set(place, extent);
        self.write_slot(place, slot);
        if place.is_multiple_of(LANES) {
            self.write_entry(leaf);
        }
    }

    /// Writes that the item of a slot lies at a place.
    #[inline(always)]
    fn write_slot(&mut self, place: usize, slot: u32) {
        let to = &mut self.slots[slot as usize];
        to.place = place as u32;
        self.items.slots.as_flattened_mut()[place] = slot;
        self.items.generations.as_flattened_mut()[place] = to.generation;
    }

    /// Writes how many blocks a leaf uses.
    #[inline(always)]
    fn write_entry(&mut self, leaf: usize) {
        let group = &self.leaves[leaf];
        if group.home != NONE {
            self.children
                .set_entry(group.home as usize, group.entry(leaf));
        }
    }

    /// Copies an item to another place.
    #[inline(always)]
    pub(super) fn copy_item(&mut self, from: usize, to: usize) {
        let extent = self.items.get(from);
        self.items.set(to, &extent);
        self.write_slot(to, self.items.slot(from));
    }

    /// Takes an item out of its leaf; the last takes its place.
    #[inline(always)]
    fn take_out(&mut self, place: usize) {
        let leaf = place / ROOM;
        let group = &mut self.leaves[leaf];
        group.len -= 1;
        let last = leaf * ROOM + group.len as usize;
        if last != place {
            self.copy_item(last, place);
        }
        if last.is_multiple_of(LANES) {
            self.write_entry(leaf);
        }
        self.count_change(leaf);
    }

    /// Enlarges the box of a leaf, and those above until one holds an extent.
    #[inline(always)]
    pub(super) fn enlarge(&mut self, leaf: usize, by: &Extent<A>) {
        let (mut height, mut number) = (0, leaf);
        loop {
            let group = self.group(height, number);
            if group.bounds.holds(by) {
                return;
            }
            group.bounds = group.bounds.union(by);
            let (home, bounds) = (group.home, group.bounds);
            if home == NONE {
                return;
            }
            self.children.set(home as usize, &bounds);
            (height, number) = (height + 1, home as usize / ROOM);
        }
    }

    /// Counts a change of a leaf. Now and then makes its box tight, and those above of which enough has changed.
    #[inline(always)]
    fn count_change(&mut self, leaf: usize) {
        let group = &mut self.leaves[leaf];
        group.changes += 1;
        if leaf != DOOR && group.changes > REFIT_AFTER * group.len {
            self.refit(leaf);
        }
    }

    #[inline(never)]
    fn refit(&mut self, leaf: usize) {
        let (mut height, mut number) = (0, leaf);
        loop {
            let bounds = self.around(height, number);
            let group = self.group(height, number);
            (group.bounds, group.changes) = (bounds, 0);
            if group.home == NONE {
                return;
            }
            let home = group.home as usize;
            self.children.set(home, &bounds);
            (height, number) = (height + 1, home / ROOM);
            let above = self.group(height, number);
            above.changes += 1;
            if above.changes <= REFIT_AFTER * above.len {
                return;
            }
        }
    }

    /// The smallest extent around the items of a leaf or the children of a node.
    pub(super) fn around(&self, height: usize, number: usize) -> Extent<A> {
        if height == 0 {
            return self.items.around(self.leaves[number].run(number));
        }
        let places = number * ROOM..number * ROOM + self.nodes[number].len as usize;
        let extents = places.map(|place| self.children.get(place));
        let all = extents.reduce(|all, extent| all.union(&extent));
        all.unwrap_or_else(nothing)
    }

    /// Moves what waits at the door into the leaves.
    #[inline(never)]
    fn place_waiting(&mut self) {
        let many = self.leaves[DOOR].len as usize;
        let waiting: [(u32, Extent<A>); LANES] = crate::simd::from_fn(|lane| {
            let place = DOOR * ROOM + lane.min(many - 1);
            (self.items.slot(place), self.items.get(place))
        });
        self.leaves[DOOR].len = 0;
        if self.height == 0 {
            let leaf = self.add_group(0, everywhere());
            self.root = self.add_group(1, everywhere());
            self.height = 1;
            self.push_child(self.root, 0, leaf);
        }
        let centers = waiting.map(|(_, extent)| self.items.center_of(&extent));
        let leaves = self.leaves_for(&centers);
        let mut was_split = false;
        for (i, (slot, extent)) in waiting[..many].iter().enumerate() {
            let (center, mut leaf) = (centers[i], leaves[i]);
            if was_split && !self.leaves[leaf].is_for(center) {
                leaf = self.leaves_for(&[center; LANES])[0];
            }
            while self.leaves[leaf].len as usize == ROOM {
                self.split(0, leaf);
                was_split = true;
                if !self.leaves[leaf].is_for(center) {
                    leaf = self.leaves_for(&[center; LANES])[0];
                }
            }
            self.push_item(leaf, *slot, extent);
            self.enlarge(leaf, extent);
        }
        if self.height >= LISTS {
            rebuild(self);
        }
    }

    /// Finds the leaves in whose cells centers lie.
    fn leaves_for(&self, centers: &[A; LANES]) -> [usize; LANES] {
        self.instructions.run(FindLeaves {
            tree: self,
            centers,
        })
    }

    fn rebuild_if_sparse(&mut self) -> bool {
        let is_sparse = self.len < SPARSE * (self.leaves.len() - 1);
        if is_sparse {
            rebuild(self);
        }
        is_sparse
    }
}

/// Finds leaves; as a job, since it compares sixteen cells at a time.
struct FindLeaves<'a, A: Vector> {
    tree: &'a Tree<A>,
    centers: &'a [A; LANES],
}

impl<A: Vector> Job for FindLeaves<'_, A> {
    type Output = [usize; LANES];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [usize; LANES] {
        let Self { tree, centers } = self;
        let mut at = [tree.root; LANES];
        for _ in 0..tree.height {
            for (center, at) in centers.iter().zip(&mut at) {
                let len = tree.nodes[*at].len as usize;
                let blocks = Run { first: 0, len }.blocks();
                let mut found = 0;
                for block in 0..blocks {
                    let cells = &tree.children.cells[*at * MOST_BLOCKS + block];
                    let mut mask = Mask::new(simd, first_lanes(len - block * LANES));
                    for axis in 0..A::DIM {
                        let center = <W<A, S>>::splat(simd, center.axis(axis));
                        let low = <W<A, S>>::load(simd, &cells.low.as_ref()[axis].0);
                        let high = <W<A, S>>::load(simd, &cells.high.as_ref()[axis].0);
                        mask = mask & low.at_most(center) & !high.at_most(center);
                    }
                    found |= u64::from(mask.bits(simd)) << (block * LANES);
                }
                debug_assert!(found.is_power_of_two(), "cells part space");
                *at = tree
                    .children
                    .child(*at * ROOM + found.trailing_zeros() as usize % ROOM);
            }
        }
        at
    }
}

/// Places all items anew.
#[inline(never)]
fn rebuild<A: Vector>(tree: &mut Tree<A>) {
    let (extents, slots) = tree.all_items();
    refill(tree, &extents, &slots);
}

/// Places items anew whose slots have been taken.
pub(super) fn refill<A: Vector>(tree: &mut Tree<A>, extents: &[Extent<A>], slots: &[u32]) {
    let Items {
        layout, has_radii, ..
    } = tree.items;
    let source = Source::of_extents(layout, has_radii, extents);
    fill(tree, &source, slots);
}

impl<A: Vector> Tree<A> {
    /// All items, and their slots.
    pub(super) fn all_items(&self) -> (Vec<Extent<A>>, Vec<u32>) {
        let slots = self.slots.iter().zip(0..);
        let in_use = slots.filter(|(slot, _)| slot.place != NONE);
        in_use
            .map(|(slot, name)| (self.items.get(slot.place as usize), name))
            .unzip()
    }
}
