//! Checks everything that queries rely on.

use super::Orthtree;
use super::build::padded;
use super::saved::{check_nodes, saved};
use crate::error::Error;
use crate::overlap::{Extent, check_item};
use crate::query::Hierarchy;
use crate::shape::{Bounded, Layout};
use crate::simd::LANES;
use crate::sort::check_permutation;
use crate::vector::Vector;
use crate::wide_nodes::Tree;

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
        if self.core.indices.len() != padded(self.core.len) {
            return Err("the indices are not as many as the slots");
        }
        let blocks = self.core.len.div_ceil(LANES);
        let many = |wanted: bool, many: usize| if wanted { many } else { 0 };
        let items = &self.core.items;
        let are = [
            items.points.len(),
            items.highs.len(),
            items.radii.len(),
            self.whole.len(),
        ];
        let wanted = [
            many(T::LAYOUT != Layout::Whole, blocks),
            many(T::LAYOUT == Layout::Box, blocks),
            many(T::LAYOUT == Layout::Ball, blocks),
            many(T::FROM_PARTS.is_none(), self.core.len),
        ];
        if are != wanted {
            return Err("the items are not as many as the slots");
        }
        check_nodes(&self.core)?;
        self.check_items().map_err(|error| match error {
            Error::Saved { what } => what,
            _ => "an item is invalid",
        })
    }

    /// Checks that items are valid and in the bounds of their leaves, and that each index occurs once. The nodes have been checked before.
    pub(super) fn check_items(&self) -> Result<(), Error> {
        for leaf in 0..self.core.nodes.levels.leaves() as u32 {
            if self.core.holds_items(leaf as usize) {
                continue;
            }
            let cell = self.core.extent(leaf).cast();
            for slot in self.core.slots_below(leaf) {
                let (item, index) = (self.item(slot), self.core.indices[slot as usize] as usize);
                check_item(&*item).map_err(|error| Error::Item { index, error })?;
                if !cell.holds(&Extent::of(&*item)) {
                    return Err(saved("an item lies outside the bounds of its node"));
                }
            }
        }
        let indices = &self.core.indices[..self.core.len];
        check_permutation(indices, indices.len()).map_err(saved)
    }
}

impl<A: Vector> Tree<A> {
    /// True if the columns of a leaf show that its items are valid and within its bounds, which are finite. False for items of the user's
    /// types, which have no columns.
    fn holds_items(&self, leaf: usize) -> bool {
        let Extent { core, least, most } = self.nodes.extent(leaf / LANES, leaf % LANES);
        let items = &self.items;
        let Some(points) = items.points.get(leaf) else {
            return false;
        };
        let used = (self.len - leaf * LANES).min(LANES);
        let highs = items.highs.get(leaf).unwrap_or(points);
        let mut all = true;
        for axis in 0..A::DIM {
            let (low, high) = (core.min().axis(axis), core.max().axis(axis));
            let columns = points.as_ref()[axis].0.iter().zip(&highs.as_ref()[axis].0);
            for (from, to) in columns.take(used) {
                all &= low <= *from && from <= to && *to <= high;
            }
        }
        let radii = items
            .radii
            .get(leaf)
            .map_or(&[][..], |radii| &radii.0[..used]);
        radii.iter().fold(all, |all, radius| {
            all & (least <= *radius && *radius <= most)
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::{Octree, Orthtree};
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

    #[test]
    fn validate_finds_what_is_broken() {
        assert_eq!(
            broken(|t| t.core.indices.edit(|list| list[3] = list[4])),
            "the indices are not a permutation"
        );
        assert_eq!(
            broken(|t| _ = t.core.indices.edit(Vec::pop)),
            "the indices are not as many as the slots"
        );
        assert_eq!(
            broken(|t| _ = t.core.items.points.edit(Vec::pop)),
            "the items are not as many as the slots"
        );
        assert_eq!(
            broken(|t| t.core.nodes.boxes.edit(Vec::clear)),
            "the nodes are not as many as the items need"
        );
        assert_eq!(
            broken(|t| t.core.nodes.boxes.edit(|cells| cells[0].low[0].0[2] = 1e9)),
            "bounds of a node do not lie within those above"
        );
        let is_elsewhere = |t: &mut Octree| {
            t.core.items.points.edit(|points| points[2][0].0[3] = 1e9);
        };
        assert_eq!(
            broken(is_elsewhere),
            "an item lies outside the bounds of its node"
        );
    }
}
