//! Whether all that queries rely on holds of a tree.

use super::Orthtree;
use super::build::padded;
use super::tree::{INNER, blocks_of, edges_of};
use crate::overlap::Extent;
use crate::query::{Hierarchy, ItemTree};
use crate::shape::{Bounded, Layout};
use crate::simd::LANES;
use crate::sort::check_permutation;

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
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), &'static str> {
        self.check_slots()?;
        let Some(root) = self.core.root() else {
            return if self.is_empty() {
                Ok(())
            } else {
                Err("items without a root")
            };
        };
        if self.core.run(root, true) != (0..self.core.len as u32) {
            return Err("the root does not hold all items");
        }
        (0..=root).try_for_each(|lane| self.check_lane(lane))
    }

    /// That every item has a slot.
    fn check_slots(&self) -> Result<(), &'static str> {
        if self.core.indices.len() != padded(self.core.len) {
            return Err("the indices are not as many as the slots");
        }
        check_permutation(&self.core.indices[..self.core.len], self.core.len)?;
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
            many(!T::FROM_PARTS, self.core.len),
        ];
        if are != wanted {
            return Err("the items are not as many as the slots");
        }
        Ok(())
    }

    /// That a child holds what it says.
    fn check_lane(&self, lane: u32) -> Result<(), &'static str> {
        let (block, place) = (lane as usize / LANES, lane as usize % LANES);
        let child = self.core.nodes.children[block][place];
        let [from, to] = self.core.nodes.runs[block][place];
        if to as usize > self.core.len {
            return Err("a run is not one of slots");
        }
        if child & INNER == 0 {
            let blocks = from as usize / LANES..(to as usize).div_ceil(LANES);
            let edges = self.core.nodes.edges[block][place];
            let fits = if from < to {
                (blocks_of(child), edges) == (blocks, edges_of(from, to))
            } else {
                from == to && child == 0
            };
            if !fits {
                return Err("a leaf is not the run that its parent says");
            }
        } else {
            let blocks = blocks_of(child);
            if blocks.end > block || blocks.is_empty() {
                return Err("a node does not lie before its parent");
            }
            let mut end = from;
            for child in self.core.children(lane, false) {
                let run = self.core.run(child, true);
                if run.start != end {
                    return Err("children do not divide their parent's run");
                }
                end = run.end;
            }
            if end != to {
                return Err("children do not divide their parent's run");
            }
        }
        let cell = self.core.extent(lane).cast();
        let holds = |slot| cell.holds(&Extent::of(&*self.item(slot)));
        if !(from..to).all(holds) {
            return Err("an item lies outside the bounds of its node");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::tree::INNER;
    use super::super::{Octree, Orthtree};
    use crate::simd::LANES;
    use glam::Vec3;

    fn tree() -> Octree {
        let points: Vec<Vec3> = (0..200)
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
        let last = tree().core.nodes.children.len() - 1;
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
            broken(|t| t.core.nodes.children.edit(Vec::clear)),
            "items without a root"
        );
        assert_eq!(
            broken(|t| t.core.nodes.runs.edit(|runs| runs[last][0][1] -= 1)),
            "the root does not hold all items"
        );
        assert_eq!(
            broken(|t| t.core.nodes.runs.edit(|runs| runs[0][1][1] = 1000)),
            "a run is not one of slots"
        );
        assert_eq!(
            broken(|t| t.core.nodes.edges.edit(|edges| edges[0][1] ^= 1)),
            "a leaf is not the run that its parent says"
        );
        assert_eq!(
            broken(|t| t.core.nodes.runs.edit(|runs| runs[0][1] = [0, 0])),
            "a leaf is not the run that its parent says"
        );
        assert_eq!(
            broken(|t| {
                let child = INNER | (LANES << 3) as u32;
                t.core
                    .nodes
                    .children
                    .edit(|children| children[last][0] = child);
            }),
            "a node does not lie before its parent"
        );
        assert_eq!(
            broken(|t| {
                let nodes = &mut t.core.nodes;
                nodes.children.edit(|children| children[0].swap(0, 1));
                nodes.edges.edit(|edges| edges[0].swap(0, 1));
                nodes.runs.edit(|runs| runs[0].swap(0, 1));
                nodes.cells.edit(|cells| {
                    let cells = &mut cells[0];
                    for column in cells.low.iter_mut().chain(&mut cells.high) {
                        column.0.swap(0, 1);
                    }
                });
            }),
            "children do not divide their parent's run"
        );
        assert_eq!(
            broken(|t| t.core.nodes.cells.edit(|cells| cells[0].low[0].0[2] = 1e9)),
            "an item lies outside the bounds of its node"
        );
    }
}
