//! Checks the invariants of a tree.

use alloc::vec::Vec;

use super::split::is_empty;
use super::tree::{LooseTree, NONE, PENDING, PENDING_PLACE, ROOM, ROOT};
use super::{Kernels, LooseOrthtree};
use crate::overlap::Extent;
use crate::shape::{Aabb, ArrayOf, Bounded};
use crate::simd::LANES;
use crate::vector::{Scalar, Vector};
use crate::wide_nodes::{MOST_BLOCKS, first_lanes};

impl<T: Bounded> LooseOrthtree<T> {
    /// Checks what every query and update relies on, for tests and for memory that is in doubt: each
    /// item is in exactly one leaf, in the bounds of all nodes above it, and the links agree.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n).
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        <ArrayOf<T>>::validate(&self.core)?;
        let in_use = |slot: &usize| self.core.slots[*slot].place != NONE;
        let slots = (0..self.core.slots.len()).filter(in_use);
        if !slots.eq(self.items.iter().map(|(slot, _)| slot)) {
            return Err("slots in use are not those with items");
        }
        for (slot, item) in &self.items {
            let place = self.core.slots[slot].place as usize;
            if self.core.tree.items.get(place) != Extent::of(item).cast() {
                return Err("an item is not what its columns say");
            }
        }
        Ok(())
    }
}

/// Checks nodes, leaves and slots.
pub(super) fn validate<A: Vector>(tree: &LooseTree<A>) -> Result<(), &'static str> {
    if tree.leaves.is_empty() {
        let is_empty = tree.tree.len == 0 && tree.nodes.is_empty();
        return is_empty
            .then_some(())
            .ok_or("items or nodes without a pending leaf");
    }
    tree.check_nodes()
}

impl<A: Vector> LooseTree<A> {
    /// Checks nodes from the root down, and what they hold.
    fn check_nodes(&self) -> Result<(), &'static str> {
        if self.leaves[PENDING].home as usize >= ROOM {
            return Err("the pending leaf is in a node");
        }
        let mut items = self.check_items(PENDING)?;
        if self.tree.nodes.entry(PENDING_PLACE) != self.leaves[PENDING].entry(PENDING) {
            return Err("the pending leaf is not where searches look");
        }
        let (mut nodes, mut leaves) = (1, 1);
        let mut stack = Vec::new();
        let height = self.tree.nodes.height;
        if height > 0 {
            let root = self.nodes.get(self.child(ROOT));
            if root.is_none_or(|root| root.home as usize != ROOT || root.height as usize != height)
            {
                return Err("the root is not the highest node");
            }
            if root.is_some_and(|root| root.bounds != self.tree.nodes.extent(0, ROOT)) {
                return Err("the root has another box than its node says");
            }
            stack.push(self.child(ROOT));
        }
        while let Some(number) = stack.pop() {
            nodes += 1;
            let node = &self.nodes[number];
            if node.len == 0 || node.len as usize > ROOM {
                return Err("a node has no children or too many");
            }
            if !self.has_lanes(&self.tree.nodes.lanes, number, node.len as usize) {
                return Err("a node has other lanes than children");
            }
            let first = number * ROOM;
            for place in first..first + node.len as usize {
                let child = self.child(place);
                let groups = if node.height == 1 {
                    &self.leaves
                } else {
                    &self.nodes
                };
                let Some(group) = groups.get(child) else {
                    return Err("a child is not there");
                };
                if group.home as usize != place || group.height != node.height - 1 {
                    return Err("a child does not know its place");
                }
                if group.entry(child) != self.tree.nodes.entry(place) {
                    return Err("a node does not know how many blocks a child has");
                }
                if group.len > 0
                    && group.bounds != self.tree.nodes.extent(place / LANES, place % LANES)
                {
                    return Err("a child has another box than its node says");
                }
                let cell = self.cell(place);
                if group.cell != cell || !is_empty(&cell) && !node.cell.contains(&cell) {
                    return Err("a child has another cell than its node says");
                }
                if group.len > 0 && !node.bounds.holds(&group.bounds) {
                    return Err("a box lies outside of that of its node");
                }
                let cells = (first..place).map(|other| self.cell(other));
                if cells
                    .filter(|other| !is_empty(other))
                    .any(|other| overlap(&cell, &other))
                {
                    return Err("two children have cells that overlap");
                }
                if node.height == 1 {
                    leaves += 1;
                    items += self.check_items(child)?;
                } else {
                    stack.push(child);
                }
            }
        }
        if (nodes, leaves, items) != (self.nodes.len(), self.leaves.len(), self.tree.len) {
            return Err("a node or an item is not in the tree");
        }
        Ok(())
    }

    /// Returns true if the lanes in use of a group are its first ones.
    fn has_lanes(&self, lanes: &[u16], group: usize, len: usize) -> bool {
        let blocks = lanes[group * MOST_BLOCKS..][..MOST_BLOCKS].iter();
        let mut blocks = blocks.enumerate();
        blocks.all(|(i, &lanes)| u32::from(lanes) == first_lanes(len.saturating_sub(i * LANES)))
    }

    /// Checks the items of a leaf, and returns their number.
    fn check_items(&self, leaf: usize) -> Result<usize, &'static str> {
        let group = &self.leaves[leaf];
        let len = group.len as usize;
        if len > ROOM {
            return Err("a leaf has too many items");
        }
        if !self.has_lanes(&self.tree.items.lanes, leaf, len) {
            return Err("a leaf has other lanes than items");
        }
        for place in leaf * ROOM..leaf * ROOM + len {
            let in_use = self.slots.get(self.slot(place) as usize);
            let Some(slot) = in_use.filter(|slot| slot.place != NONE) else {
                return Err("a leaf names an item that is not there");
            };
            let generation = self.tree.generations[place];
            if (slot.place as usize, slot.generation) != (place, generation) {
                return Err("an item does not know its place");
            }
            if leaf != PENDING && !group.bounds.holds(&self.tree.items.get(place)) {
                return Err("an item lies outside the box of its leaf");
            }
        }
        Ok(len)
    }
}

/// Returns true if two cells, of which the second is not empty, have a point in common.
fn overlap<A: Vector>(one: &Aabb<A>, other: &Aabb<A>) -> bool {
    (0..A::DIM).all(|axis| {
        let low = one.min().axis(axis).larger(other.min().axis(axis));
        let high = one.max().axis(axis).smaller(other.max().axis(axis));
        low < high
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::super::{LooseOctree, LooseOrthtree};
    use super::{NONE, PENDING, ROOM, ROOT};
    use crate::shape::Sphere;

    type Tree = LooseOrthtree<Sphere<Vec3>>;

    /// The error that `validate` returns after a change of a tree of 200 balls, some of which are pending.
    fn broken(change: impl FnOnce(&mut Tree)) -> &'static str {
        let ball = |i: u8| Sphere::new(Vec3::new(f32::from(i), f32::from(i % 7), 0.0), 1.0);
        let mut tree = LooseOctree::new();
        tree.extend((0..30).map(ball));
        (30..200).map(ball).for_each(|ball| {
            tree.insert(ball);
        });
        assert_eq!(tree.validate(), Ok(()));
        change(&mut tree);
        tree.validate().unwrap_err()
    }

    /// The first place of the root.
    fn first(tree: &Tree) -> usize {
        tree.core.child(ROOT) * ROOM
    }

    #[test]
    fn names_what_does_not_hold() {
        assert_eq!(
            broken(|t| t.core.tree.len += 1),
            "a node or an item is not in the tree"
        );
        assert_eq!(
            broken(|t| t.core.leaves.clear()),
            "items or nodes without a pending leaf"
        );
        assert_eq!(
            broken(|t| t.core.leaves[PENDING].home = 64),
            "the pending leaf is in a node"
        );
        assert_eq!(
            broken(|t| t.core.set_entry(ROOT, 4000)),
            "the root is not the highest node"
        );
        assert_eq!(
            broken(|t| t.core.nodes[1].len = 0),
            "a node has no children or too many"
        );
        assert_eq!(
            broken(|t| t.core.set_entry(first(t), 4000)),
            "a child is not there"
        );
        assert_eq!(
            broken(|t| t.core.leaves[1].home = NONE),
            "a child does not know its place"
        );
        assert_eq!(
            broken(|t| {
                let entry = t.core.tree.nodes.entry(first(t));
                t.core.set_entry(first(t), entry ^ 1);
            }),
            "a node does not know how many blocks a child has"
        );
        assert_eq!(
            broken(|t| t.core.leaves[1].bounds.most = 0.0),
            "a child has another box than its node says"
        );
        assert_eq!(
            broken(|t| t.core.leaves[1].cell = t.core.leaves[2].cell),
            "a child has another cell than its node says"
        );
        assert_eq!(
            broken(|t| {
                let (one, other) = (first(t), t.core.leaves[1].home as usize + 1);
                let cell = t.core.cell(one);
                let child = t.core.child(other);
                t.core.cells[other / 16].set(other % 16, &cell);
                t.core.leaves[child].cell = cell;
            }),
            "two children have cells that overlap"
        );
        assert_eq!(
            broken(|t| t.core.nodes[1].bounds.most = 0.0),
            "the root has another box than its node says"
        );
        assert_eq!(
            broken(|t| {
                t.core.nodes[1].bounds.most = 0.0;
                t.core.write_child(ROOT, 1, 1);
            }),
            "a box lies outside of that of its node"
        );
        assert_eq!(
            broken(|t| {
                t.core.add_group(0, t.core.leaves[1].cell);
            }),
            "a node or an item is not in the tree"
        );
        assert_eq!(
            broken(|t| t.core.leaves[PENDING].len = 65),
            "a leaf has too many items"
        );
        assert_eq!(
            broken(|t| t.core.tree.items.lanes.to_mut()[4] = 0),
            "a leaf has other lanes than items"
        );
        assert_eq!(
            broken(|t| t.core.tree.nodes.lanes.to_mut()[4] = 0),
            "a node has other lanes than children"
        );
        assert_eq!(
            broken(|t| t.core.set_entry(1, 64)),
            "the pending leaf is not where searches look"
        );
        assert_eq!(
            broken(|t| t.core.tree.indices.to_mut()[64] = 1000),
            "a leaf names an item that is not there"
        );
        assert_eq!(
            broken(|t| t.core.tree.generations.to_mut()[64] += 1),
            "an item does not know its place"
        );
        assert_eq!(
            broken(|t| t.core.tree.items.points.to_mut()[4][0].0[0] = 1e9),
            "an item lies outside the box of its leaf"
        );
        assert_eq!(
            broken(|t| {
                t.items.remove(3);
            }),
            "slots in use are not those with items"
        );
        assert_eq!(
            broken(|t| t.items[0] = Sphere::new(Vec3::ZERO, 7.0)),
            "an item is not what its columns say"
        );
    }
}
