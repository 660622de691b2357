//! Bulk loading: leaves in the order of an [`Orthtree`](crate::Orthtree), and nodes above them.

use alloc::vec::Vec;
use core::ops::Range;

use super::split::cut;
use super::tree::{LooseTree, ROOM, everywhere};
use crate::error::Error;
use crate::handle::Handle;
use crate::orthtree::build::Source;
use crate::orthtree::{before, order};
use crate::overlap::Extent;
use crate::shape::Aabb;
use crate::simd::LANES;
use crate::vector::Vector;
use crate::wide_nodes::{Level, Levels};

/// The number of items of a bulk-loaded leaf: half its room.
const LEAF: usize = ROOM / 2;

/// Smaller batches are inserted one by one.
const MANY: usize = ROOM;

/// Adds valid items in the given slots; returns their handles in the same order.
pub(super) fn insert_many<A: Vector>(
    tree: &mut LooseTree<A>,
    items: &[Extent<A>],
    slots: &[u32],
) -> Vec<Handle> {
    let is_rebuilt = items.len() >= MANY && items.len() >= tree.tree.len;
    let before = is_rebuilt.then(|| tree.all_items());
    let handles: Vec<Handle> = slots.iter().map(|&slot| tree.take_slot(slot)).collect();
    match before {
        None => {
            for (item, &slot) in items.iter().zip(slots) {
                tree.enter(slot, item);
            }
        }
        Some((extents, _)) if extents.is_empty() => refill(tree, items, slots),
        Some((mut extents, mut all_slots)) => {
            extents.extend_from_slice(items);
            all_slots.extend_from_slice(slots);
            refill(tree, &extents, &all_slots);
        }
    }
    handles
}

/// Refuses the first item that is not finite.
pub(super) fn check<A: Vector>(items: &[Extent<A>]) -> Result<(), Error> {
    let mut items = items.iter().enumerate();
    items.try_for_each(|(index, item)| item.check().map_err(|error| Error::Item { index, error }))
}

/// Rebuilds all leaves and nodes from items whose slots are taken.
///
/// ```text
/// find the order of the items
/// make a leaf of each 32 of them
/// make nodes above, in as few levels as give up to 45 children on average
/// assign cells from the root down: each cut of the order is a plane between the centers on both sides
/// ```
pub(super) fn refill<A: Vector>(tree: &mut LooseTree<A>, items: &[Extent<A>], slots: &[u32]) {
    tree.clear_nodes();
    let len = items.len();
    if len == 0 {
        return;
    }
    tree.open();
    if len < LANES {
        for (item, &slot) in items.iter().zip(slots) {
            tree.enter(slot, item);
        }
        return;
    }
    let source = Source::of_extents(tree.tree.items.layout, tree.has_radii, items);
    let order = order(&source, tree.tree.instructions);
    let levels = Levels::for_nearest(len, LEAF);
    let first_leaf = tree.add_groups(0, levels.leaves(), everywhere());
    let mut centers = Vec::with_capacity(levels.leaves());
    for number in 0..levels.leaves() {
        let leaf = first_leaf + number;
        let mut around: Option<Aabb<A>> = None;
        let indices = &order[levels.level(0).slots(number, len)];
        tree.set_len(0, leaf, indices.len());
        for (place, &index) in (leaf * ROOM..).zip(indices) {
            let index = index as usize;
            tree.tree.items.set(place, &items[index]);
            tree.write_slot(place, slots[index]);
            let center = Aabb::point(source.center(index));
            around = Some(around.map_or(center, |around| around.union(&center)));
        }
        let bounds = tree.around(0, leaf);
        tree.leaves[leaf].bounds = bounds;
        centers.extend(around);
    }
    // The number of the first group of each level.
    let mut first = first_leaf;
    let many = levels.as_slice()[1..].iter().map(Level::len).sum();
    let mut node = tree.add_groups(1, many, everywhere());
    for height in 1..=levels.height() {
        let below = levels.level(height - 1);
        let first_node = node;
        for number in 0..levels.level(height).len() {
            tree.nodes[node].height = height as u32;
            for child in below.below(number) {
                tree.push_child(node, height - 1, first + child);
            }
            node += 1;
        }
        first = first_node;
    }
    tree.set_root(levels.height(), first);
    let mut cells = Cells {
        tree,
        levels: &levels,
        len,
        centers,
    };
    cells.divide_node(levels.height(), 0, first);
}

/// Assigns cells to nodes and leaves.
struct Cells<'a, A: Vector> {
    tree: &'a mut LooseTree<A>,
    levels: &'a Levels,
    len: usize,
    /// The box around the centers of each leaf.
    centers: Vec<Aabb<A>>,
}

impl<A: Vector> Cells<'_, A> {
    /// Divides the cell of a node, the `number`-th of its level, among its children.
    fn divide_node(&mut self, height: usize, number: usize, node: usize) {
        let children = self.levels.level(height - 1).below(number);
        let cell = self.tree.nodes[node].cell;
        self.divide(height, node, children.start, children, cell);
    }

    /// Divides a cell among some children of a node; `first` is the number of its first child.
    fn divide(
        &mut self,
        height: usize,
        node: usize,
        first: usize,
        children: Range<usize>,
        cell: Aabb<A>,
    ) {
        if children.len() == 1 {
            let place = node * ROOM + children.start - first;
            let child = self.tree.child(place);
            self.tree.group(height - 1, child).cell = cell;
            self.tree.cells[place / LANES].set(place % LANES, &cell);
            if height > 1 {
                self.divide_node(height - 1, children.start, child);
            }
            return;
        }
        let middle = children.start + before(children.len());
        let low = self.around(height - 1, children.start..middle);
        let high = self.around(height - 1, middle..children.end);
        // The order was cut on an axis on which the two sides do not overlap: the axis with the least overlap.
        let overlap = |axis: usize| low.max().axis(axis) - high.min().axis(axis);
        let axis = (1..A::DIM).fold(0, |best, axis| {
            if overlap(axis) < overlap(best) {
                axis
            } else {
                best
            }
        });
        let [low, high] = cut(&cell, axis, high.min().axis(axis));
        self.divide(height, node, first, children.start..middle, low);
        self.divide(height, node, first, middle..children.end, high);
    }

    /// The box around the centers below some siblings.
    fn around(&self, height: usize, numbers: Range<usize>) -> Aabb<A> {
        let level = self.levels.level(height);
        let items = |number: usize| level.slots(number, self.len);
        let first = items(numbers.start).start / LEAF;
        let last = (items(numbers.end - 1).end - 1) / LEAF;
        let rest = self.centers[first + 1..=last].iter();
        rest.fold(self.centers[first], |all, around| all.union(around))
    }
}
