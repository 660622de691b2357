//! Checks everything that queries rely on.

use super::Orthtree;
use super::saved::{check, saved};
use crate::error::Error;
use crate::overlap::{Extent, check_item};
use crate::shape::Bounded;
use crate::sort::check_permutation;
use crate::wide_nodes::Items;

impl<T: Bounded> Orthtree<T> {
    /// Checks what every query relies on, for tests and for memory that may be corrupt: each item is in exactly one leaf, and in the bounds
    /// of all nodes above it.
    ///
    /// # Errors
    ///
    /// If something does not hold; the error says what.
    ///
    /// # Complexity
    ///
    /// O(n log n).
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        let len = self.core.len;
        let lens = |items: &Items<_>| [items.points.len(), items.highs.len(), items.radii.len()];
        let wanted = Items::zeros(T::LAYOUT, len);
        let whole = if T::FROM_PARTS.is_none() { len } else { 0 };
        if lens(&self.core.items) != lens(&wanted) || self.whole.len() != whole {
            return Err("the items are not as many as the slots");
        }
        check(&self.core)?;
        self.check_items().map_err(|error| match error {
            Error::Saved { what } => what,
            _ => "an item is invalid",
        })
    }

    /// Checks that items are valid and in the bounds of their leaves, and that each index occurs once. The nodes have been checked before.
    pub(super) fn check_items(&self) -> Result<(), Error> {
        let len = self.core.len;
        for slot in 0..len {
            let index = self.core.indices[slot] as usize;
            let checked = check_item(&*self.item(slot as u32));
            checked.map_err(|error| Error::Item { index, error })?;
        }
        for nodes in [&self.core.nodes, &self.core.wide_nodes] {
            let leaves = nodes.levels.level(0);
            for (number, block, lane) in leaves.boxes() {
                let bounds = nodes.extent(block, lane).cast();
                let mut slots = leaves.slots(number, len);
                if !slots.all(|slot| bounds.holds(&Extent::of(&*self.item(slot as u32)))) {
                    return Err(saved("an item lies outside the bounds of its node"));
                }
            }
        }
        check_permutation(&self.core.indices[..len], len).map_err(saved)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{Octree, Orthtree};
    use crate::overlap::columns::Boxes;
    use crate::wide_nodes::Nodes;
    use glam::Vec3;

    fn tree() -> Octree {
        let points: Vec<Vec3> = (0..200)
            .map(|i| Vec3::new(i as f32, (i * 7 % 13) as f32, (i % 5) as f32))
            .collect();
        Orthtree::new(&points)
    }

    /// The error that `validate` returns for a tree that was tampered with.
    fn broken(tamper: impl FnOnce(&mut Octree)) -> &'static str {
        let mut tree = tree();
        tree.validate().unwrap();
        tamper(&mut tree);
        tree.validate().unwrap_err()
    }

    /// The block of the root.
    fn last(nodes: &mut Nodes<[f32; 3]>) -> &mut Boxes<[f32; 3]> {
        nodes.boxes.to_mut().last_mut().unwrap()
    }

    #[test]
    fn validate_finds_what_is_broken() {
        let error = "the indices are not a permutation";
        let indices = |t: &mut Octree| t.core.indices.edit(|list| list[3] = list[4]);
        assert_eq!(broken(indices), error);
        let error = "the indices are not as many as the slots";
        assert_eq!(broken(|t| _ = t.core.indices.edit(Vec::pop)), error);
        let error = "the items are not as many as the slots";
        assert_eq!(broken(|t| _ = t.core.items.points.edit(Vec::pop)), error);
        let error = "the nodes are not as many as the items need";
        assert_eq!(broken(|t| t.core.nodes.boxes.edit(Vec::clear)), error);
        let error = "bounds of a node do not lie within those above";
        for x in [1e9, f32::NAN] {
            let leaf = |t: &mut Octree| t.core.nodes.boxes.to_mut()[0].low[0].0[2] = x;
            assert_eq!(broken(leaf), error);
        }
        let wide = |t: &mut Octree| last(&mut t.core.wide_nodes).high[0].0[0] = 5.0;
        assert_eq!(broken(wide), error);
        let error = "bounds of the root are none";
        let (nan, infinity) = (f32::NAN, f32::INFINITY);
        let lows = [nan, 1.0, 3.0, -infinity, 1.0, infinity, infinity];
        let highs = [3.0, nan, 1.0, 3.0, infinity, -infinity, 3.0];
        for (low, high) in lows.into_iter().zip(highs) {
            let root = |t: &mut Octree| last(&mut t.core.nodes).set_on(0, 0, low, high);
            assert_eq!(broken(root), error);
        }
        let error = "an item lies outside the bounds of its node";
        let item = |t: &mut Octree| t.core.items.points.to_mut()[2][0].0[3] = 1e9;
        assert_eq!(broken(item), error);
    }
}
