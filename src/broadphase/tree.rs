//! The tree of boxes: blocks of sixteen boxes that lie close together, and above them nodes of sixteen.
//!
//! Blocks are filled in the order of `size_order.rs`. A box keeps its place while it moves, and bounds follow it. Three runs lie
//! one behind the other, the first filled up to whole nodes:
//!
//! ```text
//! boxes at rest  |  boxes that may move  |  newcomers, in any order
//! ```
//!
//! A box that leaves its place leaves a hole. When there are many newcomers, all are put in order again. When boxes
//! have moved far, that is done in shares over some steps.

use alloc::vec::Vec;
use core::mem::{replace, size_of, take};

use fearless_simd::Simd;

use super::row::Row;
use super::size_order::{GradualSort, sorted};
use super::table::Bodies;
use crate::overlap::Overlaps;
use crate::overlap::columns::Boxes;
use crate::parallel::for_each;
use crate::shape::Aabb;
use crate::simd::{Column, InstructionSet, LANES, run};
use crate::vector::{Scalar, Vector};

/// The number of places in a node, which has sixteen blocks.
pub(super) const NODE: usize = LANES * LANES;
/// The key of no body, and the place of a body that is not in the tree.
pub(super) const NONE: u32 = u32::MAX;
/// The number of nodes that one thread writes.
const PART: usize = 16;
/// Boxes are sorted again when they have moved by this fraction of their block's side on average.
const MOST_WAY: f64 = 0.25;
/// A gradual sort starts when this share of the boxes is out of place.
const EARLY: f64 = 0.75;
/// All boxes are sorted at once at this disorder, a multiple of their number.
const LATE: f64 = 3.0;

/// The box that meets no box, and widens none.
#[inline(always)]
pub(super) fn nothing<V: Vector>() -> Aabb<V> {
    let infinity = V::Scalar::INFINITY;
    Aabb::from_corners(V::splat(infinity), V::splat(V::Scalar::ZERO - infinity))
}

#[derive(Clone)]
pub(super) struct Tree<V: Vector> {
    /// The keys of the bodies in each block.
    pub(super) ids: Vec<Column<u32>>,
    /// The place of each body, by key.
    pub(super) places: Vec<u32>,
    /// First the boxes, block by block, then the bounds of blocks, of nodes, and so on up to a single block.
    pub(super) levels: Vec<Vec<Boxes<V>>>,
    /// Where boxes that may move begin, where newcomers begin, and where all places end.
    pub(super) resting: usize,
    pub(super) sorted: usize,
    pub(super) end: usize,
    /// How many boxes there are, and how many are at rest.
    pub(super) len: usize,
    pub(super) at_rest: usize,
    /// True if a box at rest belongs to a sleeping body, which may be a pair with another box at rest.
    pub(super) any_asleep: bool,
    /// How far the boxes are from their order, counted in misplaced boxes.
    pub(super) disorder: f64,
    /// True if no body has changed or fallen asleep since all were sorted at once.
    pub(super) is_fresh: bool,
    /// The sort that is under way.
    pub(super) sort: Option<GradualSort>,
}

impl<V: Vector> Tree<V> {
    pub(super) const fn new() -> Self {
        Self {
            ids: Vec::new(),
            places: Vec::new(),
            levels: Vec::new(),
            resting: 0,
            sorted: 0,
            end: 0,
            len: 0,
            at_rest: 0,
            any_asleep: false,
            disorder: 0.0,
            is_fresh: false,
            sort: None,
        }
    }

    /// Makes room for `nodes` nodes; new ones are empty.
    fn resize(&mut self, nodes: usize) {
        let mut count = nodes * LANES;
        self.ids.resize(count, Column([NONE; LANES]));
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].resize(count, Boxes::empty());
            if count == 1 {
                return self.levels.truncate(level + 1);
            }
            count = count.div_ceil(LANES);
        }
    }

    /// The place of a body, or [`NONE`].
    #[inline(always)]
    pub(super) fn place_of(&self, id: u32) -> u32 {
        self.places.get(id as usize).copied().unwrap_or(NONE)
    }

    /// True if a place is in the run at rest.
    #[inline(always)]
    pub(super) fn rests_at(&self, place: u32) -> bool {
        (place as usize) < self.resting
    }

    /// Puts a box behind all others; returns its place.
    pub(super) fn append(&mut self, id: u32, bounds: &Aabb<V>) -> u32 {
        let place = self.end;
        if place == self.ids.len() * LANES {
            let levels = self.levels.len();
            self.resize(place / NODE + 1);
            // New nodes are empty, except for a new root, which bounds the old one.
            if self.levels.len() > levels {
                let levels = &mut self.levels[1..];
                run!(InstructionSet::best(), |simd| refit(simd, levels));
            }
        }
        self.end += 1;
        self.len += 1;
        if self.places.len() <= id as usize {
            self.places.resize(id as usize + 1, NONE);
        }
        self.places[id as usize] = place as u32;
        self.ids[place / LANES].0[place % LANES] = id;
        self.write(place as u32, bounds);
        place as u32
    }

    /// Takes a box out of its place. Bounds stay as they are, and so does the key at the place, until it is [forgotten](Self::forget).
    pub(super) fn take(&mut self, place: u32) {
        let at = place as usize;
        let id = self.ids[at / LANES].0[at % LANES];
        self.places[id as usize] = NONE;
        self.at_rest -= usize::from(self.rests_at(place));
        self.len -= 1;
        self.levels[0][at / LANES].clear(at % LANES);
        self.disorder += 1.0;
    }

    /// Empties a place whose box was taken out.
    pub(super) fn forget(&mut self, place: u32) {
        self.ids[place as usize / LANES].0[place as usize % LANES] = NONE;
    }

    /// Writes a box, and widens the bounds above.
    #[inline(always)]
    fn write(&mut self, place: u32, bounds: &Aabb<V>) {
        let mut at = place as usize;
        self.levels[0][at / LANES].set(at % LANES, bounds);
        for level in &mut self.levels[1..] {
            at /= LANES;
            let held = level[at / LANES].get(at % LANES);
            if held.contains(bounds) {
                return;
            }
            level[at / LANES].set(at % LANES, &held.union(bounds));
        }
    }

    /// Writes a box that moved, and adds to the disorder. Does nothing and returns false if the box has left the surroundings
    /// of its block: the bounds of the block, grown on each side by their longest edge.
    #[inline(always)]
    pub(super) fn shift(&mut self, place: u32, was: &Aabb<V>, now: &Aabb<V>) -> bool {
        let block = place as usize / LANES;
        let held = self.levels[1][block / LANES].get(block % LANES);
        let by = longest_edge(&held);
        let around = Aabb::from_corners(
            V::from_fn(|axis| held.min().axis(axis) - by),
            V::from_fn(|axis| held.max().axis(axis) + by),
        );
        if !around.overlaps(now) {
            return false;
        }
        let (mut way, side) = (V::Scalar::ZERO, longest_edge(&around));
        for axis in 0..V::DIM {
            way = way.larger(Scalar::abs(now.min().axis(axis) - was.min().axis(axis)));
        }
        // The surroundings are three times as wide as the block.
        let part: f64 = (way / side).into();
        let moved = 3.0 * part / MOST_WAY;
        self.disorder += if moved < f64::MAX { moved } else { 0.0 };
        self.write(place, now);
        true
    }

    /// Puts all boxes in order, those at rest first.
    pub(super) fn sort(&mut self, bodies: &Bodies<V>, set: InstructionSet) {
        let ids: Vec<u32> = bodies.handles().map(|body| body.slot).collect();
        self.arrange(sorted(bodies, &ids, set), bodies, set);
        self.is_fresh = true;
    }

    /// Sorts all boxes if they are out of order. If they soon will be, does a part of a sort whose work is spread over some steps, so that
    /// no step takes much longer than others. Returns true if the tree has a new order.
    pub(super) fn reorder(&mut self, bodies: &Bodies<V>, set: InstructionSet) -> bool {
        let len = bodies.len();
        if self.disorder > LATE * len as f64 || self.end - self.sorted > len / 12 + NODE / 2 {
            self.sort(bodies, set);
            return true;
        }
        let Some(mut sort) = self.sort.take() else {
            // To cut space into slabs is the work of the first step.
            let is_due = self.disorder > EARLY * len as f64;
            self.sort = is_due.then(|| GradualSort::new(bodies));
            return false;
        };
        let Some(order) = sort.advance(bodies, set) else {
            self.sort = Some(sort);
            return false;
        };
        self.arrange(order, bodies, set);
        true
    }

    /// Gives bodies their places in an order: those at rest, then the others.
    fn arrange(
        &mut self,
        [mut at_rest, mut others]: [Vec<u32>; 2],
        bodies: &Bodies<V>,
        set: InstructionSet,
    ) {
        // Leave holes for bodies that were removed since the order was found, so that the others stay in their blocks.
        let is_alive = |id: u32| bodies.alive(id).is_some();
        let mut is_left = Vec::from_iter((0..bodies.end()).map(is_alive));
        for id in at_rest.iter_mut().chain(&mut others) {
            if !is_left.get_mut(*id as usize).is_some_and(take) {
                *id = NONE;
            }
        }
        // Bodies that woke since leave holes, too, and follow the others in their order.
        others.resize(others.len().next_multiple_of(LANES), NONE);
        (self.at_rest, self.any_asleep) = (0, false);
        for id in at_rest.iter_mut().filter(|id| **id != NONE) {
            if bodies.rests(*id) {
                self.at_rest += 1;
                self.any_asleep |= bodies.table[*id as usize].asleep;
            } else {
                others.push(replace(id, NONE));
            }
        }
        // Append the bodies that were inserted since.
        others.extend((0..bodies.end()).filter(|&id| is_left[id as usize]));
        (self.sort, self.len) = (None, bodies.len());
        self.resting = at_rest.len().next_multiple_of(NODE);
        self.end = self.resting + others.len();
        // Blocks and their bounds are written below, all of them.
        self.levels.iter_mut().skip(2).for_each(Vec::clear);
        self.ids.clear();
        self.resize(self.end.div_ceil(NODE).max(1));
        self.places.clear();
        self.places.resize(bodies.end() as usize, NONE);
        for (first, ids) in [(0, at_rest), (self.resting, others)] {
            for (place, id) in (first..).zip(ids) {
                self.ids[place / LANES].0[place % LANES] = id;
                // A hole has no key.
                if let Some(at) = self.places.get_mut(id as usize) {
                    *at = place as u32;
                }
            }
        }
        self.gather_from(0, bodies, set);
        (self.sorted, self.disorder, self.is_fresh) = (self.end, 0.0, false);
    }

    /// Saves the boxes and bounds in `old`. The boxes that may move are not copied but swapped out, so [`gather`](Self::gather) has to
    /// write them next.
    pub(super) fn keep_old(&mut self, old: &mut Vec<Vec<Boxes<V>>>) {
        old.resize(self.levels.len(), Vec::new());
        let (rows, old_rows) = (&mut self.levels[0], &mut old[0]);
        core::mem::swap(rows, old_rows);
        rows.resize(old_rows.len(), Boxes::empty());
        let at_rest = self.resting / LANES;
        rows[..at_rest].copy_from_slice(&old_rows[..at_rest]);
        for (old, level) in old.iter_mut().zip(&self.levels).skip(1) {
            old.clone_from(level);
        }
    }

    /// Writes all boxes that may move into their places as they are now.
    pub(super) fn gather(&mut self, bodies: &Bodies<V>, set: InstructionSet) {
        self.gather_from(self.resting / NODE, bodies, set);
    }

    fn gather_from(&mut self, first: usize, bodies: &Bodies<V>, set: InstructionSet) {
        // A world that was read has no boxes before its first step.
        let Some((rows, above)) = self.levels.split_first_mut() else {
            return;
        };
        let ids = self.ids[first * LANES..].chunks(PART * LANES);
        let rows = rows[first * LANES..].chunks_mut(PART * LANES);
        let tops = above[0][first..].chunks_mut(PART);
        let mut parts: Vec<_> = ids.zip(rows).zip(tops).collect();
        let is_large = parts.len() > 1;
        for_each(is_large, &mut parts, &|_, ((ids, rows), tops)| {
            run!(set, |simd| gather_nodes(simd, bodies, ids, rows, tops));
        });
        run!(set, |simd| refit(simd, &mut self.levels[1..]));
    }

    pub(super) fn bytes(&self) -> usize {
        let boxes: usize = self.levels.iter().map(Vec::capacity).sum();
        boxes * size_of::<Boxes<V>>()
            + self.ids.capacity() * size_of::<Column<u32>>()
            + self.places.capacity() * size_of::<u32>()
            + self.sort.as_ref().map_or(0, GradualSort::bytes)
    }
}

#[inline(always)]
pub(super) fn longest_edge<V: Vector>(bounds: &Aabb<V>) -> V::Scalar {
    let edge = |axis| bounds.max().axis(axis) - bounds.min().axis(axis);
    (0..V::DIM).fold(V::Scalar::ZERO, |side, axis| side.larger(edge(axis)))
}

/// ```text
/// for each node:
///     write the boxes that its bodies have now
///     bound its blocks
/// ```
///
/// It goes node by node, so that boxes are read again while they are in the nearest cache, but only after their stores are done.
#[inline(always)]
fn gather_nodes<V: Vector, S: Simd>(
    simd: S,
    bodies: &Bodies<V>,
    ids: &[Column<u32>],
    rows: &mut [Boxes<V>],
    tops: &mut [Boxes<V>],
) {
    let nodes = ids.chunks(LANES).zip(rows.chunks_mut(LANES)).zip(tops);
    for ((ids, rows), tops) in nodes {
        for (ids, row) in ids.iter().zip(&mut *rows) {
            for (lane, &id) in ids.0.iter().enumerate() {
                match bodies.table.get(id as usize) {
                    Some(body) => row.set(lane, &body.bounds),
                    None => row.clear(lane),
                }
            }
        }
        for (block, row) in rows.iter().enumerate() {
            Row::load(simd, row).bound(tops, block);
        }
    }
}

/// Computes the bounds of all levels but the first from the level below.
#[inline(always)]
fn refit<V: Vector, S: Simd>(simd: S, levels: &mut [Vec<Boxes<V>>]) {
    for level in 1..levels.len() {
        let (below, above) = levels.split_at_mut(level);
        for (at, boxes) in below[level - 1].iter().enumerate() {
            Row::load(simd, boxes).bound(&mut above[0][at / LANES], at % LANES);
        }
    }
}

/// Widens old bounds by new ones, block by block.
pub(super) fn unite<V: Vector>(
    old: &mut [Vec<Boxes<V>>],
    new: &[Vec<Boxes<V>>],
    set: InstructionSet,
) {
    run!(set, |simd| {
        for (old, new) in old.iter_mut().flatten().zip(new.iter().flatten()) {
            let both = Row::load(simd, old).with(&Row::load(simd, new));
            both.store(old);
        }
    });
}
