use super::LooseOrthtree;
use super::node::NONE;
use crate::overlap::Extent;
use crate::{Bounded, Contains};

impl<T: Bounded> LooseOrthtree<T> {
    /// Checks what every query and update relies on, for tests and for memory that is in doubt: each
    /// item is in exactly one list, in the bounds of all nodes above it, and the links agree.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n).
    pub fn validate(&self) -> Result<(), &'static str> {
        if self.root == NONE {
            let empty = self.nodes.is_empty() && self.entries.is_empty();
            return empty.then_some(()).ok_or("items or nodes without a root");
        }
        let mut stack = alloc::vec![(self.root, NONE)];
        let (mut nodes, mut items) = (0, 0);
        while let Some((at, parent)) = stack.pop() {
            let Some(node) = self.nodes.get(at as usize) else {
                return Err("a child is not a node");
            };
            if node.parent != parent {
                return Err("a child does not know its parent");
            }
            let mut count = node.slots.len();
            let mut inner = alloc::vec::Vec::new();
            for (place, &slot) in node.slots.iter().enumerate() {
                let Some(entry) = self.entries.get(slot as usize) else {
                    return Err("a list names an item that is not there");
                };
                if (entry.node, entry.place as usize) != (at, place) {
                    return Err("an item does not know its place");
                }
                inner.push(Extent::of(&entry.item));
            }
            for child in node.children() {
                let Some(below) = self.nodes.get(child as usize) else {
                    return Err("a child is not a node");
                };
                if below.cell == node.cell {
                    return Err("a child is as wide as its parent");
                }
                count += below.count as usize;
                inner.push(below.extent);
                stack.push((child, at));
            }
            if node.count as usize != count || count == 0 {
                return Err("a node miscounts its items");
            }
            let held = inner.iter().all(|inner| {
                node.extent.core.contains(&inner.core)
                    && node.extent.least <= inner.least
                    && inner.most <= node.extent.most
            });
            if !held {
                return Err("an item lies outside the bounds of its node");
            }
            nodes += 1;
            items += node.slots.len();
        }
        if (nodes, items) != (self.nodes.len(), self.entries.len()) {
            return Err("a node or an item is not in the tree");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LooseOctree, LooseOrthtree};
    use crate::{Aabb, Sphere};
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
        let root = |t: &LooseOctree| t.root as usize;
        let leaf = |t: &LooseOctree| t.entries[0].node as usize;
        assert_eq!(
            broken(|t| t.root = super::NONE),
            "items or nodes without a root"
        );
        assert_eq!(
            broken(|t| {
                let child = t.nodes[root(t)].children().next().unwrap();
                t.nodes.remove(child as usize);
            }),
            "a child is not a node"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                let parent = t.nodes[leaf].parent as usize;
                t.nodes[leaf].cell = t.nodes[parent].cell;
            }),
            "a child is as wide as its parent"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.nodes[leaf].parent = 1000;
            }),
            "a child does not know its parent"
        );
        assert_eq!(
            broken(|t| _ = t.entries.remove(0)),
            "a list names an item that is not there"
        );
        assert_eq!(
            broken(|t| t.entries[0].place += 1),
            "an item does not know its place"
        );
        assert_eq!(
            broken(|t| {
                let root = root(t);
                t.nodes[root].count += 1;
            }),
            "a node miscounts its items"
        );
        assert_eq!(
            broken(|t| {
                let leaf = leaf(t);
                t.nodes[leaf].extent.core = Aabb::point(Vec3::splat(-1.0));
            }),
            "an item lies outside the bounds of its node"
        );
        assert_eq!(
            broken(|t| {
                let stray = t.nodes[leaf(t)].clone();
                t.nodes.insert(stray);
            }),
            "a node or an item is not in the tree"
        );
    }
}
