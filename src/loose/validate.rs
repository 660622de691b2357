use super::LooseOrthtree;
use super::lanes::parts;
use super::node::{EMPTY, INNER, NONE};
use super::rule::FAN;
use crate::overlap::Extent;
use crate::overlap::lanes::Layout;
use crate::{Bounded, Contains, Vector};

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
    pub fn validate(&self) -> Result<(), &'static str> {
        if self.nodes.is_empty() {
            let empty = self.leaves.is_empty() && self.entries.is_empty();
            return empty.then_some(()).ok_or("items or leaves without a root");
        }
        let many = |wanted: bool, many: usize| if wanted { many } else { 0 };
        let columns = [self.highs.len(), self.radii.len(), self.roundings.len()];
        let wanted = [
            many(T::LAYOUT == Layout::Box, self.leaves.len()),
            many(T::LAYOUT == Layout::Ball, self.leaves.len()),
            many(T::ROUNDED, self.nodes.len()),
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
            if node.lanes == 0 || node.lanes as usize > FAN {
                return Err("a node has no lanes or too many");
            }
            let holds = |lane: u8| lane == EMPTY || u32::from(lane) < node.lanes;
            if !node.lane_of.iter().all(|&lane| holds(lane)) {
                return Err("a cell has a lane that is not there");
            }
            let first = (at * FAN) as u32;
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
        if (nodes, leaves, items) != (self.nodes.len(), self.leaves.len(), self.entries.len()) {
            return Err("a node or an item is not in the tree");
        }
        Ok(())
    }

    /// Checks the leaf of a lane; the number of its items.
    fn check_leaf(&self, number: u32, lane: u32) -> Result<usize, &'static str> {
        let Some(leaf) = self.leaves.get(number as usize) else {
            return Err("a child is not there");
        };
        if leaf.parent != lane {
            return Err("a child does not know its parent");
        }
        if leaf.len == 0 {
            return Err("a leaf is empty");
        }
        for (place, (&slot, generation)) in leaf.slots().iter().zip(leaf.generations).enumerate() {
            let Some(entry) = self.entries.get(slot as usize) else {
                return Err("a leaf names an item that is not there");
            };
            let names = (entry.leaf, entry.place as usize, entry.generation);
            if names != (number, place, generation) {
                return Err("an item does not know its place");
            }
            let extent = Extent::of(&entry.item);
            if self.extent_at(number, place) != extent {
                return Err("an item is not what its columns say");
            }
            if !is_within(&extent, &self.lane_bounds(lane)) {
                return Err("an item lies outside the bounds of its leaf");
            }
            let (at, lane) = parts(lane);
            let (cell, _) = self.nodes[at].cell(self.center_at(number, place), slot);
            let holder = usize::from(self.nodes[at].lane_of[cell]);
            if at != 0 && holder != lane {
                return Err("an item lies in the cell of another leaf");
            }
        }
        Ok(leaf.len as usize)
    }
}

fn is_within<V: Vector>(inner: &Extent<V>, outer: &Extent<V>) -> bool {
    outer.core.contains(&inner.core) && outer.least <= inner.least && inner.most <= outer.most
}

#[cfg(test)]
mod tests {
    use super::super::{LooseOctree, LooseOrthtree};
    use super::{FAN, INNER, NONE};
    use crate::Sphere;
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
        let leaf = |t: &LooseOctree| t.entries[0].leaf as usize;
        assert_eq!(
            broken(|t| t.nodes.clear()),
            "items or leaves without a root"
        );
        assert_eq!(
            broken(|t| _ = t.radii.pop()),
            "columns are not as many as leaves or nodes"
        );
        assert_eq!(
            broken(|t| t.classes.push(0)),
            "the root does not know its lanes"
        );
        assert_eq!(
            broken(|t| t.nodes[1].lanes = 0),
            "a node has no lanes or too many"
        );
        assert_eq!(
            broken(|t| t.nodes[1].lane_of[5] = FAN as u8),
            "a cell has a lane that is not there"
        );
        assert_eq!(
            broken(|t| t.nodes[1].bounds[0].high.as_mut()[0].0[0] = 1e9),
            "a lane lies outside the bounds of its node"
        );
        assert_eq!(
            broken(|t| t.nodes[0].children[0][0] = INNER | 1000),
            "a child does not know its parent"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.leaves[leaf].parent = NONE;
            }),
            "a child does not know its parent"
        );
        assert_eq!(
            broken(|t| t.nodes[1].children[0][0] = 1000),
            "a child is not there"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.leaves[leaf].len = 0;
            }),
            "a leaf is empty"
        );
        assert_eq!(
            broken(|t| _ = t.entries.remove(0)),
            "a leaf names an item that is not there"
        );
        assert_eq!(
            broken(|t| t.entries[0].generation += 1),
            "an item does not know its place"
        );
        assert_eq!(
            broken(|t| t.entries[0].item = Sphere::new(Vec3::ZERO, 7.0)),
            "an item is not what its columns say"
        );
        assert_eq!(
            broken(|t| {
                let (at, lane) = super::parts(t.leaves[leaf(t)].parent);
                let bounds = &mut t.nodes[at].bounds[lane / 16];
                bounds.low.as_mut()[1].0[lane % 16] = 1e9;
            }),
            "an item lies outside the bounds of its leaf"
        );
        assert_eq!(
            broken(|t| {
                let (at, _) = super::parts(t.leaves[leaf(t)].parent);
                t.nodes[at].lane_of.fill(super::EMPTY);
            }),
            "an item lies in the cell of another leaf"
        );
        assert_eq!(
            broken(|t| {
                let stray = t.leaves[leaf(t)];
                t.leaves.push(stray);
                t.radii.push(t.radii[0]);
            }),
            "a node or an item is not in the tree"
        );
    }
}
