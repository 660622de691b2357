//! Bulk loading: leaves in the order of an [`Orthtree`](crate::Orthtree), and nodes above them.

use alloc::vec::Vec;
use core::ops::Range;

use super::split::cut;
use super::tree::{LooseTree, ROOM, ROOT, everywhere};
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
        None => enter_all(tree, items, slots),
        Some((extents, _)) if extents.is_empty() => refill(tree, items, slots),
        Some((mut extents, mut all_slots)) => {
            extents.extend_from_slice(items);
            all_slots.extend_from_slice(slots);
            refill(tree, &extents, &all_slots);
        }
    }
    handles
}

fn enter_all<A: Vector>(tree: &mut LooseTree<A>, items: &[Extent<A>], slots: &[u32]) {
    for (item, &slot) in items.iter().zip(slots) {
        tree.enter(slot, item);
    }
}

/// Rebuilds all leaves and nodes from items whose slots are taken.
///
/// ```text
/// find the order of the items: each 32 of them are a leaf
/// lay out as few levels as give up to 45 children on average, and make the root
/// make(node, cell):
///     divide the children in two, and the cell by a plane between the centers on both sides, until each child has a cell
///     make each child
///     the box of the node is the union of the boxes of its children
/// ```
pub(super) fn refill<A: Vector>(tree: &mut LooseTree<A>, items: &[Extent<A>], slots: &[u32]) {
    tree.clear_nodes();
    let len = items.len();
    if len < LANES {
        return enter_all(tree, items, slots);
    }
    tree.open();
    // Find the order of the items, lay out the levels, and prepare the boxes around the centers of each leaf.
    let source = Source::Extents {
        layout: tree.tree.items.layout,
        has_radii: tree.has_radii,
        extents: items.into(),
    };
    let order = order(&source, tree.tree.instructions);
    let levels = Levels::for_nearest(len, LEAF);
    let center = |&index: &u32| Aabb::point(source.center(index as usize));
    let around = |leaf: &[u32]| {
        let first = center(&leaf[0]);
        leaf.iter()
            .fold(first, |all, item| all.union(&center(item)))
    };
    let many = levels.as_slice()[1..].iter().map(Level::len).sum();
    // Make all leaves and nodes.
    let mut fill = Fill {
        leaves: tree.add_groups(0, levels.leaves()),
        nodes: tree.add_groups(1, many),
        tree,
        items,
        slots,
        centers: order.chunks(LEAF).map(around).collect(),
        order: &order,
        levels: &levels,
    };
    let (root, bounds) = fill.make(levels.height(), 0, everywhere());
    tree.write_child(levels.height(), ROOT, root, &bounds, &everywhere());
    tree.tree.nodes.height = levels.height();
}

/// A tree that is being filled, and its items.
struct Fill<'a, A: Vector> {
    tree: &'a mut LooseTree<A>,
    items: &'a [Extent<A>],
    slots: &'a [u32],
    order: &'a [u32],
    levels: &'a Levels,
    /// The box around the centers of each leaf.
    centers: Vec<Aabb<A>>,
    /// The number of the first leaf.
    leaves: usize,
    /// The number of the next node.
    nodes: usize,
}

impl<A: Vector> Fill<'_, A> {
    /// Makes a leaf or a node, which is given by its number on its level, and all below it. Returns the number of its group and its
    /// box.
    fn make(&mut self, height: usize, number: usize, cell: Aabb<A>) -> (usize, Extent<A>) {
        let group;
        if height == 0 {
            group = self.leaves + number;
            let order = &self.order[self.levels.level(0).slots(number, self.items.len())];
            for &index in order {
                let index = index as usize;
                self.tree
                    .push_item(group, self.slots[index], &self.items[index]);
            }
        } else {
            group = self.nodes;
            self.nodes += 1;
            let children = self.levels.level(height - 1).below(number);
            self.divide(height - 1, group, children, cell);
        }
        (group, self.tree.around(height, group))
    }

    /// Makes some children of a node, and divides a cell among them.
    fn divide(&mut self, height: usize, node: usize, children: Range<usize>, cell: Aabb<A>) {
        if children.len() == 1 {
            let (child, bounds) = self.make(height, children.start, cell);
            return self.tree.push_child(height, node, child, &bounds, &cell);
        }
        let middle = children.start + before(children.len());
        let low = self.around(height, children.start..middle);
        let high = self.around(height, middle..children.end);
        // Find the axis on which the order was cut: the two sides overlap least on it.
        let overlap = |axis: usize| low.max().axis(axis) - high.min().axis(axis);
        let axis = (1..A::DIM).fold(0, |best, axis| {
            if overlap(axis) < overlap(best) {
                axis
            } else {
                best
            }
        });
        let [low, high] = cut(&cell, axis, high.min().axis(axis));
        self.divide(height, node, children.start..middle, low);
        self.divide(height, node, middle..children.end, high);
    }

    /// The box around the centers of all items below some siblings.
    fn around(&self, height: usize, numbers: Range<usize>) -> Aabb<A> {
        let items = |number: usize| self.levels.level(height).slots(number, self.items.len());
        let first = items(numbers.start).start / LEAF;
        let last = (items(numbers.end - 1).end - 1) / LEAF;
        let rest = self.centers[first + 1..=last].iter();
        rest.fold(self.centers[first], |all, around| all.union(around))
    }
}
