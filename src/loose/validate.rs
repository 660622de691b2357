//! Checks the invariants of a tree.

use core::ops::Range;

use super::LooseOrthtree;
use super::split::is_empty;
use super::tree::{LooseTree, NONE, PENDING_PLACE, ROOM, ROOT};
use crate::overlap::{Extent, Overlaps};
use crate::shape::Bounded;
use crate::simd::LANES;
use crate::vector::Vector;
use crate::wide_nodes::{MOST_BLOCKS, first_lanes};

impl<T: Bounded> LooseOrthtree<T> {
    /// Checks what every query and update relies on, for tests and for memory that may be corrupt: each item is in exactly one leaf, in the
    /// bounds of all nodes above it, and the links agree.
    ///
    /// # Errors
    ///
    /// If something does not hold; the error says what.
    ///
    /// # Complexity
    ///
    /// O(n).
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        validate(&self.core)?;
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
fn validate<A: Vector>(tree: &LooseTree<A>) -> Result<(), &'static str> {
    if tree.leaves.is_empty() {
        let is_empty = tree.tree.len == 0 && tree.nodes.is_empty();
        return is_empty
            .then_some(())
            .ok_or("items or nodes without a pending leaf");
    }
    // The first node has no parent, so it is counted here.
    let mut found = [1, 0, 0];
    tree.check(0, PENDING_PLACE, &mut found)?;
    let height = tree.tree.nodes.height;
    if height > 0 {
        tree.check(height, ROOT, &mut found)?;
    }
    if found != [tree.nodes.len(), tree.leaves.len(), tree.tree.len] {
        return Err("a node or an item is not in the tree");
    }
    Ok(())
}

impl<A: Vector> LooseTree<A> {
    /// Checks the leaf or node at a place and all below it, and adds the numbers of nodes, leaves and items to `found`.
    fn check(
        &self,
        height: usize,
        place: usize,
        found: &mut [usize; 3],
    ) -> Result<(), &'static str> {
        // Check the links between the child and its parent.
        let (number, entry) = (self.child(place), self.tree.nodes.entry(place));
        let Some(group) = self.groups(height).get(number) else {
            return Err("a child is not there");
        };
        let len = group.len as usize;
        if group.home as usize != place {
            return Err("a child does not know its place");
        }
        if len > ROOM || height > 0 && len == 0 {
            return Err("a node has no children, or it or a leaf has too many");
        }
        if entry != Self::entry(height, number, len) {
            return Err("a node does not know how many blocks a child has");
        }
        // Check the lanes in use, and the box.
        let lanes = match height {
            0 => &self.tree.items.lanes,
            _ => &self.tree.nodes.lanes,
        };
        let lanes = lanes[number * MOST_BLOCKS..][..MOST_BLOCKS].iter();
        let mut lanes = lanes.zip((0..len).step_by(LANES).chain([len; MOST_BLOCKS]));
        if lanes.any(|(&lanes, first)| u32::from(lanes) != first_lanes(len - first)) {
            return Err("a group has other lanes than children or items");
        }
        if place != PENDING_PLACE && !self.bounds(place).holds(&self.around(height, number)) {
            return Err("an item or a child lies outside the box of its leaf or node");
        }
        let places = number * ROOM..number * ROOM + len;
        found[usize::from(height == 0)] += 1;
        if height == 0 {
            found[2] += len;
            return self.check_items(places);
        }
        // Check the cells of the children, and everything below.
        let own = self.cell(place);
        for place in places.clone() {
            let cell = self.cell(place);
            if !is_empty(&cell) {
                if !own.contains(&cell) {
                    return Err("a cell lies outside that of its node");
                }
                if (places.start..place).any(|other| cell.overlaps(&self.cell(other))) {
                    return Err("two children have cells that overlap");
                }
            }
            self.check(height - 1, place, found)?;
        }
        Ok(())
    }

    /// Checks that items know their places.
    fn check_items(&self, places: Range<usize>) -> Result<(), &'static str> {
        for place in places {
            let Some(slot) = self.slots.get(self.tree.indices[place] as usize) else {
                return Err("a leaf names an item that is not there");
            };
            let generation = self.tree.generations[place];
            if (slot.place as usize, slot.generation) != (place, generation) {
                return Err("an item does not know its place");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::super::tree::PENDING;
    use super::super::{LooseOctree, LooseOrthtree};
    use super::{NONE, PENDING_PLACE, ROOM, ROOT};
    use crate::overlap::columns::Boxes;
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
        let error = "a node or an item is not in the tree";
        assert_eq!(broken(|t| t.core.tree.len += 1), error);
        assert_eq!(broken(|t| _ = t.core.add_groups(0, 1)), error);
        let error = "items or nodes without a pending leaf";
        assert_eq!(broken(|t| t.core.leaves.clear()), error);
        let error = "a child does not know its place";
        assert_eq!(broken(|t| t.core.leaves[PENDING].home = 64), error);
        assert_eq!(broken(|t| t.core.leaves[1].home = NONE), error);
        let error = "a child is not there";
        assert_eq!(broken(|t| t.core.set_entry(ROOT, 4000)), error);
        assert_eq!(broken(|t| t.core.set_entry(first(t), 4000)), error);
        assert_eq!(broken(|t| t.core.set_entry(PENDING_PLACE, 4000)), error);
        let error = "a node has no children, or it or a leaf has too many";
        assert_eq!(broken(|t| t.core.nodes[1].len = 0), error);
        assert_eq!(broken(|t| t.core.leaves[PENDING].len = 65), error);
        let error = "a node does not know how many blocks a child has";
        let entry = |t: &Tree| t.core.tree.nodes.entry(first(t));
        let change = |t: &mut Tree| t.core.set_entry(first(t), entry(t) ^ 1 << 28);
        assert_eq!(broken(change), error);
        let error = "a group has other lanes than children or items";
        assert_eq!(broken(|t| t.core.tree.items.lanes.to_mut()[4] = 0), error);
        assert_eq!(broken(|t| t.core.tree.nodes.lanes.to_mut()[4] = 0), error);
        let error = "an item or a child lies outside the box of its leaf or node";
        let change = |t: &mut Tree| t.core.tree.items.points.to_mut()[4][0].0[0] = 1e9;
        assert_eq!(broken(change), error);
        for place in [|_: &Tree| ROOT, first] {
            let change = |t: &mut Tree| {
                let mut bounds = t.core.bounds(place(t));
                bounds.most = 0.0;
                t.core.tree.nodes.set(place(t), &bounds);
            };
            assert_eq!(broken(change), error);
        }
        let error = "a cell lies outside that of its node";
        assert_eq!(broken(|t| t.core.cells[0] = Boxes::empty()), error);
        let error = "two children have cells that overlap";
        let change = |t: &mut Tree| {
            let (block, cell) = (first(t) / 16, t.core.cell(first(t)));
            t.core.cells[block].set(1, &cell);
        };
        assert_eq!(broken(change), error);
        let error = "a leaf names an item that is not there";
        assert_eq!(broken(|t| t.core.tree.indices.to_mut()[64] = 1000), error);
        let error = "an item does not know its place";
        assert_eq!(broken(|t| t.core.tree.generations.to_mut()[64] += 1), error);
        assert_eq!(broken(|t| t.core.slots[40].place = NONE), error);
        let error = "slots in use are not those with items";
        assert_eq!(broken(|t| _ = t.items.remove(3)), error);
        let error = "an item is not what its columns say";
        let ball = Sphere::new(Vec3::ZERO, 7.0);
        assert_eq!(broken(|t| t.items[0] = ball), error);
    }
}
