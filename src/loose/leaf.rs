//! Leaves: items in columns.

use super::LooseOrthtree;
use super::columns::{get, set, zeros};
use super::node::NONE;
use super::spot::center_of;
use crate::overlap::Extent;
use crate::overlap::lanes::{Columns, Layout};
use crate::simd::{Column, LANES};
use crate::{Aabb, Bounded, Scalar, Vector};

/// Up to sixteen items. The lists of a tree's other columns run parallel to that of its leaves.
#[derive(Clone, Copy)]
pub(super) struct Leaf<V: Vector> {
    /// Points, the least corners of boxes, or the centres of balls.
    pub(super) points: Columns<V>,
    pub(super) slots: [u32; LANES],
    pub(super) generations: [u32; LANES],
    /// The lane that holds it.
    pub(super) parent: u32,
    pub(super) len: u32,
    /// How often an item left or moved since the bounds were tight.
    pub(super) departures: u32,
}

impl<V: Vector> Leaf<V> {
    pub(super) fn new(parent: u32) -> Self {
        Self {
            points: zeros::<V>(),
            slots: [0; LANES],
            generations: [0; LANES],
            parent,
            len: 0,
            departures: 0,
        }
    }

    pub(super) fn slots(&self) -> &[u32] {
        &self.slots[..self.len as usize]
    }
}

impl<T: Bounded> LooseOrthtree<T> {
    /// Around all items of a leaf.
    pub(super) fn leaf_bounds(&self, number: u32) -> Extent<T::Vector> {
        let leaf = &self.leaves[number as usize];
        let mut bounds = self.extent_at(number, 0);
        for at in 1..leaf.len as usize {
            bounds = bounds.union(&self.extent_at(number, at));
        }
        bounds
    }

    /// The extent of an item of a leaf.
    #[inline(always)]
    pub(super) fn extent_at(&self, number: u32, at: usize) -> Extent<T::Vector> {
        let number = number as usize;
        let leaf = &self.leaves[number];
        let first = || get::<T::Vector>(&leaf.points, at);
        let (core, rounding) = match T::LAYOUT {
            Layout::Whole => return Extent::of(&self.entries[leaf.slots[at] as usize].item),
            Layout::Point => (Aabb::point(first()), Scalar::ZERO),
            Layout::Box => {
                let high = get(&self.highs[number], at);
                (Aabb::from_corners(first(), high), Scalar::ZERO)
            }
            Layout::Ball => (Aabb::point(first()), self.radii[number].0[at]),
        };
        Extent {
            core,
            least: rounding,
            most: rounding,
        }
    }

    /// The centre of an item of a leaf.
    #[inline(always)]
    pub(super) fn center_at(&self, number: u32, at: usize) -> T::Vector {
        let leaf = &self.leaves[number as usize];
        match T::LAYOUT {
            Layout::Point | Layout::Ball => get(&leaf.points, at),
            Layout::Box => self.extent_at(number, at).core.center(),
            Layout::Whole => center_of(&self.entries[leaf.slots[at] as usize].item),
        }
    }

    /// Writes an item into a place of a leaf's columns.
    #[inline(always)]
    pub(super) fn write(&mut self, number: u32, at: usize, extent: &Extent<T::Vector>) {
        let number = number as usize;
        if T::LAYOUT != Layout::Whole {
            set(&mut self.leaves[number].points, at, extent.core.min());
        }
        if T::LAYOUT == Layout::Box {
            set(&mut self.highs[number], at, extent.core.max());
        }
        if T::LAYOUT == Layout::Ball {
            self.radii[number].0[at] = extent.most;
        }
    }

    /// Copies an item to another place, and tells it.
    #[inline(always)]
    pub(super) fn copy(&mut self, from: (u32, usize), to: (u32, usize)) {
        let extent = self.extent_at(from.0, from.1);
        self.write(to.0, to.1, &extent);
        let leaf = &self.leaves[from.0 as usize];
        let (slot, generation) = (leaf.slots[from.1], leaf.generations[from.1]);
        let leaf = &mut self.leaves[to.0 as usize];
        leaf.slots[to.1] = slot;
        leaf.generations[to.1] = generation;
        let entry = &mut self.entries[slot as usize];
        (entry.leaf, entry.place) = (to.0, to.1 as u32);
    }

    /// Appends an item to a leaf that has room.
    #[inline(always)]
    pub(super) fn push(&mut self, number: u32, slot: u32, extent: &Extent<T::Vector>) {
        let entry = &mut self.entries[slot as usize];
        let leaf = &mut self.leaves[number as usize];
        let at = leaf.len as usize;
        (entry.leaf, entry.place) = (number, leaf.len);
        leaf.slots[at] = slot;
        leaf.generations[at] = entry.generation;
        leaf.len += 1;
        self.write(number, at, extent);
    }

    /// Adds a leaf that no lane holds yet.
    pub(super) fn add_leaf(&mut self) -> u32 {
        self.leaves.push(Leaf::new(NONE));
        if T::LAYOUT == Layout::Box {
            self.highs.push(zeros::<T::Vector>());
        }
        if T::LAYOUT == Layout::Ball {
            self.radii.push(Column([Scalar::ZERO; LANES]));
        }
        self.leaves.len() as u32 - 1
    }

    /// Frees a leaf that no lane holds; the last takes its number.
    pub(super) fn free_leaf(&mut self, number: u32) {
        self.leaves.swap_remove(number as usize);
        if T::LAYOUT == Layout::Box {
            self.highs.swap_remove(number as usize);
        }
        if T::LAYOUT == Layout::Ball {
            self.radii.swap_remove(number as usize);
        }
        if let Some(&moved) = self.leaves.get(number as usize) {
            self.link(moved.parent, number);
            for &slot in moved.slots() {
                self.entries[slot as usize].leaf = number;
            }
        }
    }
}
