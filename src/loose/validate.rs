//! Checks what a tree's parts say of each other.

use alloc::vec::Vec;

use super::grid::FINER;
use super::node::{FANOUT, INNER, NONE};
use super::tree::Tree;
use super::{Kernels, LooseOrthtree};
use crate::overlap::Extent;
use crate::shape::{ArrayOf, Bounded};
use crate::vector::Vector;

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
        if self.items.len() != self.core.slots.len() {
            return Err("there are not as many items as slots");
        }
        for (slot, item) in self.core.slots.iter().zip(&self.items) {
            if item.is_some() != (slot.leaf != NONE) {
                return Err("a slot is free that has an item, or in use without one");
            }
            if let Some(item) = item
                && self.core.extent_at(slot.leaf, slot.at as usize) != Extent::of(item).cast()
            {
                return Err("an item is not what its columns say");
            }
        }
        Ok(())
    }
}

/// Checks nodes, leaves, grids and slots.
pub(super) fn validate<A: Vector>(tree: &Tree<A>) -> Result<(), &'static str> {
    tree.check_free()?;
    tree.check_nodes()
}

impl<A: Vector> Tree<A> {
    /// Checks the slots that are free.
    fn check_free(&self) -> Result<(), &'static str> {
        let (mut free, mut count) = (self.free, 0);
        while let Some(slot) = self.slots.get(free as usize) {
            if slot.leaf != NONE || count > self.slots.len() {
                return Err("a slot in use is named as free");
            }
            free = slot.at;
            count += 1;
        }
        if free == NONE && count + self.len == self.slots.len() {
            Ok(())
        } else {
            Err("free slots are not those without items")
        }
    }

    /// Checks nodes, and what they hold.
    fn check_nodes(&self) -> Result<(), &'static str> {
        if self.nodes.is_empty() {
            let empty = self.leaves.is_empty() && self.len == 0 && self.grids.is_empty();
            return empty.then_some(()).ok_or("items or leaves without a root");
        }
        let if_any = |wanted: bool, count: usize| if wanted { count } else { 0 };
        let columns = [self.highs.len(), self.radii.len(), self.radii_below.len()];
        let wanted = [
            if_any(self.has_highs(), self.leaves.len()),
            if_any(self.has_radii, self.leaves.len()),
            if_any(self.has_radii, self.nodes.len()),
        ];
        if columns != wanted {
            return Err("columns are not as many as leaves or nodes");
        }
        if self.nodes[0].parent != NONE || self.classes.len() != self.nodes[0].lanes as usize {
            return Err("the root does not know its lanes");
        }
        let mut stack = alloc::vec![0];
        let (mut nodes, mut leaves, mut items) = (0, 0, 0);
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at];
            if node.lanes == 0 || node.lanes as usize > FANOUT {
                return Err("a node has no lanes or too many");
            }
            let first = (at * FANOUT) as u32;
            for lane in first..first + node.lanes {
                let bounds = self.lane_bounds(lane);
                if node.parent != NONE && !is_within(&bounds, &self.lane_bounds(node.parent)) {
                    return Err("a lane lies outside the bounds of its node");
                }
                let child = self.child(lane);
                if child & INNER == 0 {
                    items += self.check_leaf(child, lane)?;
                    leaves += 1;
                    continue;
                }
                let below = self.nodes.get((child & !INNER) as usize);
                if below.is_none_or(|below| below.parent != lane) {
                    return Err("a child does not know its parent");
                }
                stack.push((child & !INNER) as usize);
            }
            nodes += 1;
        }
        let in_use = self.leaves.len() - self.check_vacant()?;
        if (nodes, leaves, items) != (self.nodes.len(), in_use, self.len) {
            return Err("a node or an item is not in the tree");
        }
        self.check_grids(in_use)
    }

    /// Checks the leaves that are free; their number.
    fn check_vacant(&self) -> Result<usize, &'static str> {
        let mut vacant = self.vacant.clone();
        vacant.sort_unstable();
        let empty = (0..).zip(&self.leaves).filter(|(_, leaf)| leaf.len == 0);
        if empty.map(|(number, _)| number).eq(vacant) {
            Ok(self.vacant.len())
        } else {
            Err("free leaves are not those that are empty")
        }
    }

    /// Checks what cells lead to.
    fn check_grids(&self, in_use: usize) -> Result<(), &'static str> {
        let mut stack = alloc::vec![0];
        let (mut grids, mut leaves) = (0, 0);
        while let Some(at) = stack.pop() {
            grids += 1;
            let grid = &self.grids[at as usize];
            let mut known = Vec::new();
            for &to in grid.cells.iter().filter(|&&to| to != NONE) {
                if known.contains(&to) {
                    continue;
                }
                known.push(to);
                let number = (to & !FINER) as usize;
                let parent = match to & FINER {
                    0 => self.leaves.get(number).map(|leaf| leaf.grid),
                    _ => self.grids.get(number).map(|grid| grid.parent),
                };
                if parent != Some(at) {
                    return Err("what a cell leads to does not know its grid");
                }
                match to & FINER {
                    0 => leaves += 1,
                    _ => stack.push(to & !FINER),
                }
            }
            if known.is_empty() {
                return Err("a grid is empty");
            }
        }
        if grids != self.grids.len() {
            return Err("no cell leads to a grid");
        }
        if leaves != in_use {
            return Err("no cell leads to a leaf");
        }
        Ok(())
    }

    /// Checks the leaf of a lane; the number of its items.
    fn check_leaf(&self, number: u32, lane: u32) -> Result<usize, &'static str> {
        let Some(leaf) = self.leaves.get(number as usize) else {
            return Err("a child is not there");
        };
        if leaf.lane != lane {
            return Err("a child does not know its parent");
        }
        if leaf.len == 0 {
            return Err("a leaf is empty");
        }
        if leaf.grid == 0 && lane >= FANOUT as u32 {
            return Err("a leaf of the first grid is not in the first node");
        }
        if leaf.bounds != self.lane_bounds(lane) {
            return Err("a leaf has other bounds than its lane");
        }
        for (at, (&slot, generation)) in leaf.slots().iter().zip(leaf.generations).enumerate() {
            let in_use = self.slots.get(slot as usize);
            let Some(slot) = in_use.filter(|slot| slot.leaf != NONE) else {
                return Err("a leaf names an item that is not there");
            };
            if (slot.leaf, slot.at as usize, slot.generation) != (number, at, generation) {
                return Err("an item does not know its place");
            }
            if !is_within(&self.extent_at(number, at), &self.lane_bounds(lane)) {
                return Err("an item lies outside the bounds of its leaf");
            }
        }
        Ok(leaf.len as usize)
    }
}

fn is_within<A: Vector>(inner: &Extent<A>, outer: &Extent<A>) -> bool {
    outer.core.contains(&inner.core) && outer.least <= inner.least && inner.most <= outer.most
}

#[cfg(test)]
mod tests {
    use super::super::{LooseOctree, LooseOrthtree};
    use super::{FINER, INNER, NONE};
    use crate::shape::Sphere;
    use glam::Vec3;

    fn tree() -> LooseOctree {
        let mut tree = LooseOrthtree::new();
        for i in 0..100 {
            let center = Vec3::new(i as f32, (i * 7 % 13) as f32, (i % 5) as f32);
            tree.insert(Sphere::new(center, 0.25));
        }
        tree
    }

    /// What `validate` says of a tree that was tampered with.
    fn broken(tamper: impl FnOnce(&mut LooseOctree)) -> &'static str {
        let mut tree = tree();
        tree.validate().unwrap();
        tamper(&mut tree);
        tree.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        let leaf = |t: &LooseOctree| t.core.slots[0].leaf as usize;
        assert_eq!(
            broken(|t| t.core.nodes.clear()),
            "items or leaves without a root"
        );
        assert_eq!(
            broken(|t| _ = t.core.radii.pop()),
            "columns are not as many as leaves or nodes"
        );
        assert_eq!(
            broken(|t| t.core.classes.push(0)),
            "the root does not know its lanes"
        );
        assert_eq!(
            broken(|t| t.core.nodes[1].lanes = 0),
            "a node has no lanes or too many"
        );
        assert_eq!(
            broken(|t| t.core.grids[1].cells[5] = FINER | 1000),
            "what a cell leads to does not know its grid"
        );
        assert_eq!(
            broken(|t| t.core.grids[1].parent = 5),
            "what a cell leads to does not know its grid"
        );
        assert_eq!(
            broken(|t| t.core.grids.push(t.core.grids[1])),
            "no cell leads to a grid"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.core.leaves[leaf].bounds.most = 9.0;
            }),
            "a leaf has other bounds than its lane"
        );
        assert_eq!(
            broken(|t| t.core.nodes[1].bounds[0].high.as_mut()[0].0[0] = 1e9),
            "a lane lies outside the bounds of its node"
        );
        assert_eq!(
            broken(|t| t.core.nodes[0].children[0][0] = INNER | 1000),
            "a child does not know its parent"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.core.leaves[leaf].lane = NONE;
            }),
            "a child does not know its parent"
        );
        assert_eq!(
            broken(|t| t.core.nodes[1].children[0][0] = 1000),
            "a child is not there"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.core.leaves[leaf].len = 0;
            }),
            "a leaf is empty"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.core.leaves[leaf].grid = 0;
            }),
            "a leaf of the first grid is not in the first node"
        );
        assert_eq!(
            broken(|t| t.core.vacant.push(leaf(t) as u32)),
            "free leaves are not those that are empty"
        );
        assert_eq!(
            broken(|t| t.core.free_slot(0)),
            "a leaf names an item that is not there"
        );
        assert_eq!(
            broken(|t| t.core.slots[0].generation += 1),
            "an item does not know its place"
        );
        assert_eq!(
            broken(|t| t.items[0] = Some(Sphere::new(Vec3::ZERO, 7.0))),
            "an item is not what its columns say"
        );
        assert_eq!(
            broken(|t| {
                let (leaf, lane) = (leaf(t), t.core.leaves[leaf(t)].lane);
                let mut bounds = t.core.lane_bounds(lane);
                bounds.most = 0.0;
                t.core.set_lane_bounds(lane, &bounds);
                t.core.leaves[leaf].bounds = bounds;
            }),
            "an item lies outside the bounds of its leaf"
        );
        assert_eq!(
            broken(|t| {
                let at = t.core.leaves[leaf(t)].grid as usize;
                let leaf = leaf(t) as u32;
                t.core.grids[at].redirect(leaf, NONE);
            }),
            "no cell leads to a leaf"
        );
        assert_eq!(
            broken(|t| {
                let stray = t.core.leaves[leaf(t)];
                t.core.leaves.push(stray);
                t.core.radii.push(t.core.radii[0]);
            }),
            "a node or an item is not in the tree"
        );
    }
}
