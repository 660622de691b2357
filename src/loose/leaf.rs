//! Leaves: up to sixteen items, in columns.

use super::node::NONE;
use super::remove::shrink_sparse;
use super::tree::Tree;
use crate::overlap::Extent;
use crate::overlap::columns::{Columns, all, point, set_point};
use crate::shape::Aabb;
use crate::simd::{Column, LANES};
use crate::vector::{Scalar, Vector};

/// Up to sixteen items. The lists of a tree's other columns run parallel to that of its leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf<A: Vector> {
    /// Points, the least corners of boxes, or the centers of balls.
    pub(super) points: Columns<A>,
    pub(super) slots: [u32; LANES],
    pub(super) generations: [u32; LANES],
    /// The grid that it is in cells of.
    pub(super) grid: u32,
    /// The lane that holds it.
    pub(super) lane: u32,
    pub(super) len: u32,
    /// How often an item left or moved since the bounds were tight.
    pub(super) changes: u32,
    /// As in the lane's columns.
    pub(super) bounds: Extent<A>,
}

impl<A: Vector> Leaf<A> {
    pub(super) fn new(grid: u32) -> Self {
        Self {
            points: all::<A>(Scalar::ZERO),
            slots: [0; LANES],
            generations: [0; LANES],
            grid,
            lane: NONE,
            len: 0,
            changes: 0,
            bounds: Extent::of(&A::splat(Scalar::ZERO)),
        }
    }

    pub(super) fn slots(&self) -> &[u32] {
        &self.slots[..self.len as usize]
    }

    /// Whether an extent lies within the bounds.
    #[inline(always)]
    pub(super) fn holds(&self, inner: &Extent<A>) -> bool {
        let outer = &self.bounds;
        let mut held = outer.least <= inner.least && inner.most <= outer.most;
        for axis in 0..A::DIM {
            held &= outer.core.min().axis(axis) <= inner.core.min().axis(axis);
            held &= inner.core.max().axis(axis) <= outer.core.max().axis(axis);
        }
        held
    }
}

impl<A: Vector> Tree<A> {
    /// Around all items of a leaf.
    pub(super) fn leaf_bounds(&self, number: u32) -> Extent<A> {
        let leaf = &self.leaves[number as usize];
        let len = leaf.len as usize;
        let highs = self.highs.get(number as usize).unwrap_or(&leaf.points);
        let low = A::from_fn(|axis| least(&leaf.points.as_ref()[axis], len));
        let high = A::from_fn(|axis| most(&highs.as_ref()[axis], len));
        let radii = self.radii.get(number as usize);
        Extent {
            core: Aabb::from_corners(low, high),
            least: radii.map_or(Scalar::ZERO, |radii| least(radii, len)),
            most: radii.map_or(Scalar::ZERO, |radii| most(radii, len)),
        }
    }

    /// The extent of an item of a leaf.
    #[inline(always)]
    pub(super) fn extent_at(&self, number: u32, at: usize) -> Extent<A> {
        let number = number as usize;
        let leaf = &self.leaves[number];
        let low = point::<A>(&leaf.points, at);
        let high = self.highs.get(number).map_or(low, |highs| point(highs, at));
        let radius = self.radii.get(number);
        let radius = radius.map_or(Scalar::ZERO, |radii| radii.0[at]);
        Extent {
            core: Aabb::from_corners(low, high),
            least: radius,
            most: radius,
        }
    }

    /// The center of an item of a leaf.
    #[inline(always)]
    pub(super) fn center_at(&self, number: u32, at: usize) -> A {
        self.center_of(&self.extent_at(number, at))
    }

    /// Writes an item into a place of a leaf's columns.
    #[inline(always)]
    pub(super) fn write(&mut self, number: u32, at: usize, extent: &Extent<A>) {
        let number = number as usize;
        set_point(&mut self.leaves[number].points, at, extent.core.min());
        if let Some(highs) = self.highs.get_mut(number) {
            set_point(highs, at, extent.core.max());
        }
        if let Some(radii) = self.radii.get_mut(number) {
            radii.0[at] = extent.most;
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
        let place = &mut self.slots[slot as usize];
        (place.leaf, place.at) = (to.0, to.1 as u32);
    }

    /// Appends an item to a leaf that has room.
    #[inline(always)]
    pub(super) fn push(&mut self, number: u32, slot: u32, extent: &Extent<A>) {
        let place = &mut self.slots[slot as usize];
        let leaf = &mut self.leaves[number as usize];
        let at = leaf.len as usize;
        (place.leaf, place.at) = (number, leaf.len);
        leaf.slots[at] = slot;
        leaf.generations[at] = place.generation;
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
            (leaf.grid, leaf.changes) = (grid, 0);
            return number;
        }
        self.leaves.push(Leaf::new(grid));
        if self.has_highs() {
            self.highs.push(all::<A>(Scalar::ZERO));
        }
        if self.has_radii {
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
        let mut count = 0;
        for old in 0..self.leaves.len() {
            let leaf = self.leaves[old];
            if leaf.len == 0 {
                continue;
            }
            let new = count;
            count += 1;
            if new == old {
                continue;
            }
            self.leaves[new] = leaf;
            if self.has_highs() {
                self.highs[new] = self.highs[old];
            }
            if self.has_radii {
                self.radii[new] = self.radii[old];
            }
            self.link(leaf.lane, new as u32);
            self.grids[leaf.grid as usize].redirect(old as u32, new as u32);
            for &slot in leaf.slots() {
                self.slots[slot as usize].leaf = new as u32;
            }
        }
        self.vacant.clear();
        self.leaves.truncate(count);
        self.highs.truncate(count);
        self.radii.truncate(count);
        shrink_sparse(&mut self.vacant);
        shrink_sparse(&mut self.leaves);
        shrink_sparse(&mut self.highs);
        shrink_sparse(&mut self.radii);
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
