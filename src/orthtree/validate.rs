use super::Orthtree;
use crate::overlap::Extent;
use crate::validate::check_permutation;
use crate::{Bounded, Contains};

impl<T: Bounded> Orthtree<T> {
    /// Checks what every query relies on, for tests and for memory that is in doubt: each item is in
    /// exactly one leaf, and in the bounds of all nodes above it.
    ///
    /// # Errors
    ///
    /// Says what does not hold.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    pub fn validate(&self) -> Result<(), &'static str> {
        check_permutation(&self.indices, self.items.len())?;
        let Some(root) = self.nodes.first() else {
            let empty = self.items.is_empty() && self.indices.is_empty();
            return empty.then_some(()).ok_or("items without a root");
        };
        if (root.start, root.end as usize) != (0, self.items.len()) {
            return Err("the root does not hold all items");
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(items) = self.items.get(node.start as usize..node.end as usize) else {
                return Err("a node's run is not a run of items");
            };
            let holds = |item: &T| {
                let inner = Extent::of(item);
                node.extent.core.contains(&inner.core)
                    && node.extent.least <= inner.least
                    && inner.most <= node.extent.most
            };
            if items.is_empty() || !items.iter().all(holds) {
                return Err("an item lies outside the bounds of its node");
            }
            let first = node.first_child as usize;
            let Some(children) = self.nodes.get(first..first + node.children as usize) else {
                return Err("a child is not a node");
            };
            if !children.is_empty() {
                let mut end = node.start;
                for child in children {
                    if child.start != end || first <= at {
                        return Err("children do not divide their parent's run");
                    }
                    end = child.end;
                }
                if end != node.end {
                    return Err("children do not divide their parent's run");
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{Octree, Orthtree};
    use crate::Aabb;
    use glam::Vec3;

    fn tree() -> Octree {
        let points: Vec<Vec3> = (0..100)
            .map(|i| Vec3::new(i as f32, (i * 7 % 13) as f32, (i % 5) as f32))
            .collect();
        Orthtree::new(&points)
    }

    /// What `validate` says of a tree that was tampered with.
    fn broken(tamper: impl FnOnce(&mut Octree)) -> &'static str {
        let mut tree = tree();
        tree.validate().unwrap();
        tamper(&mut tree);
        tree.validate().unwrap_err()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        assert_eq!(
            broken(|t| t.indices[3] = t.indices[4]),
            "the indices are not a permutation"
        );
        assert_eq!(
            broken(|t| _ = t.indices.pop()),
            "the indices are not a permutation"
        );
        assert_eq!(broken(|t| t.nodes.clear()), "items without a root");
        assert_eq!(
            broken(|t| t.nodes[0].end -= 1),
            "the root does not hold all items"
        );
        assert_eq!(
            broken(|t| {
                let mut orphan = t.nodes[1].clone();
                orphan.end = 1000;
                t.nodes.push(orphan);
            }),
            "a node's run is not a run of items"
        );
        assert_eq!(
            broken(|t| t.nodes[2].extent.core = Aabb::point(Vec3::splat(-1.0))),
            "an item lies outside the bounds of its node"
        );
        assert_eq!(
            broken(|t| t.nodes[0].first_child = 1000),
            "a child is not a node"
        );
        assert_eq!(
            broken(|t| t.nodes[0].children -= 1),
            "children do not divide their parent's run"
        );
    }
}
