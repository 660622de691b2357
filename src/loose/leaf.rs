//! Leaves: items in columns.

use super::columns::{get, set, zeros};
use super::lift::give_back;
use super::node::NONE;
use super::spot::center_of;
use super::{LooseOrthtree, ScalarOf};
use crate::overlap::Extent;
use crate::overlap::lanes::{Columns, Layout};
use crate::simd::{Column, LANES};
use crate::{Aabb, Bounded, Scalar, Vector};

/// Up to sixteen items. The lists of a tree's other columns run parallel to that of its leaves.
#[derive(Clone, Copy)]
pub(super) struct Leaf<V: Vector> {
    /// Points, the least corners of boxes, or the centers of balls.
    pub(super) points: Columns<V>,
    pub(super) slots: [u32; LANES],
    pub(super) generations: [u32; LANES],
    /// The grid that it is in cells of.
    pub(super) grid: u32,
    /// The lane that holds it.
    pub(super) lane: u32,
    pub(super) len: u32,
    /// How often an item left or moved since the bounds were tight.
    pub(super) departures: u32,
    /// As in the lane's columns.
    pub(super) bounds: Extent<V>,
}

impl<V: Vector> Leaf<V> {
    pub(super) fn new(grid: u32) -> Self {
        Self {
            points: zeros::<V>(),
            slots: [0; LANES],
            generations: [0; LANES],
            grid,
            lane: NONE,
            len: 0,
            departures: 0,
            bounds: Extent::of(&V::splat(Scalar::ZERO)),
        }
    }

    pub(super) fn slots(&self) -> &[u32] {
        &self.slots[..self.len as usize]
    }

    /// Whether an extent lies within the bounds.
    #[inline(always)]
    pub(super) fn holds(&self, inner: &Extent<V>) -> bool {
        let outer = &self.bounds;
        let mut held = outer.least <= inner.least && inner.most <= outer.most;
        for axis in 0..V::DIM {
            held &= outer.core.min().axis(axis) <= inner.core.min().axis(axis);
            held &= inner.core.max().axis(axis) <= outer.core.max().axis(axis);
        }
        held
    }
}

impl<T: Bounded> LooseOrthtree<T> {
    /// Around all items of a leaf.
    pub(super) fn leaf_bounds(&self, number: u32) -> Extent<T::Vector> {
        let leaf = &self.leaves[number as usize];
        let len = leaf.len as usize;
        if T::LAYOUT == Layout::Whole {
            let mut bounds = self.extent_at(number, 0);
            for at in 1..len {
                bounds = bounds.union(&self.extent_at(number, at));
            }
            return bounds;
        }
        let highs = match T::LAYOUT {
            Layout::Box => &self.highs[number as usize],
            _ => &leaf.points,
        };
        let low = T::Vector::from_fn(|axis| least(&leaf.points.as_ref()[axis], len));
        let high = T::Vector::from_fn(|axis| most(&highs.as_ref()[axis], len));
        let rounding = |of: fn(&Column<ScalarOf<T>>, usize) -> ScalarOf<T>| match T::LAYOUT {
            Layout::Ball => of(&self.radii[number as usize], len),
            _ => Scalar::ZERO,
        };
        Extent {
            core: Aabb::from_corners(low, high),
            least: rounding(least),
            most: rounding(most),
        }
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

    /// The center of an item of a leaf.
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
        if at == 0 {
            leaf.bounds = *extent;
        }
        self.write(number, at, extent);
    }

    /// A new leaf of a grid, which no cell leads to and no lane holds yet.
    pub(super) fn add_leaf(&mut self, grid: u32) -> u32 {
        if let Some(number) = self.vacant.pop() {
            let leaf = &mut self.leaves[number as usize];
            (leaf.grid, leaf.departures) = (grid, 0);
            return number;
        }
        self.leaves.push(Leaf::new(grid));
        if T::LAYOUT == Layout::Box {
            self.highs.push(zeros::<T::Vector>());
        }
        if T::LAYOUT == Layout::Ball {
            self.radii.push(Column([Scalar::ZERO; LANES]));
        }
        self.leaves.len() as u32 - 1
    }

    /// Frees a leaf that no cell leads to and no lane holds. The others keep their numbers until most
    /// are free: constant time each, in the mean.
    #[inline(always)]
    pub(super) fn free_leaf(&mut self, number: u32) {
        self.leaves[number as usize].len = 0;
        self.vacant.push(number);
        if self.vacant.len() > self.leaves.len() / 4 * 3 {
            self.renumber();
        }
    }

    /// Moves all leaves to the front, and lets go of the room behind them.
    #[inline(never)]
    fn renumber(&mut self) {
        let mut many = 0;
        for old in 0..self.leaves.len() {
            let leaf = self.leaves[old];
            if leaf.len == 0 {
                continue;
            }
            let new = many;
            many += 1;
            if new == old {
                continue;
            }
            self.leaves[new] = leaf;
            if T::LAYOUT == Layout::Box {
                self.highs[new] = self.highs[old];
            }
            if T::LAYOUT == Layout::Ball {
                self.radii[new] = self.radii[old];
            }
            self.link(leaf.lane, new as u32);
            self.grids[leaf.grid as usize].replace(old as u32, new as u32);
            for &slot in leaf.slots() {
                self.entries[slot as usize].leaf = new as u32;
            }
        }
        self.vacant.clear();
        self.leaves.truncate(many);
        self.highs.truncate(many);
        self.radii.truncate(many);
        give_back(&mut self.vacant);
        give_back(&mut self.leaves);
        give_back(&mut self.highs);
        give_back(&mut self.radii);
    }
}

/// The smallest of the first numbers. In halves, which vector instructions can do.
#[inline(always)]
fn least<S: Scalar>(column: &Column<S>, len: usize) -> S {
    let mut left = first(column, len);
    let mut width = LANES / 2;
    while width > 0 {
        for at in 0..width {
            left[at] = left[at].smaller(left[at + width]);
        }
        width /= 2;
    }
    left[0]
}

/// The largest of the first numbers.
#[inline(always)]
fn most<S: Scalar>(column: &Column<S>, len: usize) -> S {
    let mut left = first(column, len);
    let mut width = LANES / 2;
    while width > 0 {
        for at in 0..width {
            left[at] = left[at].larger(left[at + width]);
        }
        width /= 2;
    }
    left[0]
}

/// The first numbers, and the very first instead of all others.
#[inline(always)]
fn first<S: Scalar>(column: &Column<S>, len: usize) -> [S; LANES] {
    let mut numbers = column.0;
    for (at, number) in numbers.iter_mut().enumerate() {
        *number = if at < len { *number } else { column.0[0] };
    }
    numbers
}
