//! What is connected with one voxel, brick by brick.

use alloc::vec;
use core::mem;

use super::adjacency::moved;
use super::mask::{self, NONE};
use super::{Adjacency, BrickSet, array};
use crate::Voxel;

impl<X: Voxel> BrickSet<X> {
    /// The voxels of the set that a voxel of it is connected with, itself among them; none if it does
    /// not belong to the set.
    ///
    /// What is not in a set is flooded as the rest of a [`block`](Self::block).
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet, Hollow, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let skin = BrickSet::from_region(&grid, Hollow(Sphere::new([0.0; 3], 8.0)));
    /// let rest = &BrickSet::block([-10; 3], [10; 3]) - &skin;
    /// let outside = rest.component([-10; 3], Adjacency::Corners);
    /// assert!(!outside.contains([0; 3])); // the surface has no gaps
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log tiles) for each time a brick is entered.
    #[must_use]
    pub fn component(&self, voxel: X, adjacency: Adjacency) -> Self {
        let (mut made, axes) = (Self::new(), adjacency.axes());
        if !self.contains(voxel) {
            return made;
        }
        // Bricks, and where they were entered.
        let mut pending = vec![array(voxel).map(|index| index >> 3)];
        let mut entered = Self::from_iter([voxel]);
        while let Some(brick) = pending.pop() {
            let Some(mask) = self.mask(brick) else {
                continue;
            };
            let new = entered.edit(brick, mem::take);
            let before = *made.mask(brick).unwrap_or(&NONE);
            let part = mask::flood(mask, mask::or(&before, &new), axes);
            if part == before {
                continue;
            }
            made.edit(brick, |mask| *mask = part);
            for step in adjacency.steps() {
                let Some(there) = moved(brick, step) else {
                    continue;
                };
                let Some(theirs) = self.mask(there) else {
                    continue;
                };
                let reached = mask::and(theirs, &mask::reach(&part, step, axes));
                let fresh = mask::less(&reached, made.mask(there).unwrap_or(&NONE));
                if !mask::is_empty(&fresh) {
                    pending.push(there);
                    entered.edit(there, |mask| *mask = mask::or(mask, &fresh));
                }
            }
        }
        made
    }
}
