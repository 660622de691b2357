//! Which voxels are neighbors, and sets grown and shrunk by them.

use super::mask::{self, Mask, NONE};
use super::set::Set;
use super::{BrickSet, array};
use crate::vector::Voxel;

/// Which voxels are neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Adjacency {
    /// The 6 across a face.
    Faces,
    /// The 18 across a face or an edge.
    Edges,
    /// The 26 across a face, an edge or a corner.
    Corners,
}

impl Adjacency {
    /// Along how many axes a step may go at once.
    #[inline]
    pub(super) fn axes(self) -> usize {
        match self {
            Self::Faces => 1,
            Self::Edges => 2,
            Self::Corners => 3,
        }
    }

    /// The steps to all neighbors, the last axis slowest.
    pub(super) fn steps(self) -> impl Iterator<Item = [i32; 3]> {
        let all = (0..27).map(|code| [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1]);
        all.filter(move |step| {
            let axes = step.iter().filter(|&&by| by != 0).count();
            0 < axes && axes <= self.axes()
        })
    }
}

/// A brick some bricks away, if it has indices.
#[inline]
pub(super) fn moved(brick: [i32; 3], by: [i32; 3]) -> Option<[i32; 3]> {
    let there: [i32; 3] = core::array::from_fn(|a| brick[a] + by[a]);
    // Voxel indices end where those of bricks have 29 bits.
    there.iter().all(|&b| b << 3 >> 3 == b).then_some(there)
}

impl<X: Voxel> BrickSet<X> {
    /// The neighbors of a voxel that belong to the set, the last axis slowest; the voxel itself need
    /// not.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let set = BrickSet::from_iter([[7, 0, 0], [8, 1, 0]]);
    /// assert_eq!(set.neighbors([8, 0, 0], Adjacency::Faces).count(), 2);
    /// assert_eq!(set.neighbors([7, 0, 0], Adjacency::Faces).count(), 0);
    /// assert_eq!(set.neighbors([7, 0, 0], Adjacency::Edges).next(), Some([8, 1, 0]));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(log tiles) for each neighbor.
    pub fn neighbors(&self, voxel: X, adjacency: Adjacency) -> impl Iterator<Item = X> + '_ {
        let at = array(voxel);
        let there = adjacency.steps().filter_map(move |step| {
            let mut there = at;
            for (index, by) in there.iter_mut().zip(step) {
                *index = index.checked_add(by)?;
            }
            Some(X::from_fn(|a| there[a]))
        });
        there.filter(|&voxel| self.contains(voxel))
    }

    /// The set and all neighbors of its voxels.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let set = BrickSet::from_iter([[7, 0, 0]]);
    /// assert_eq!(set.dilated(Adjacency::Faces).len(), 7);
    /// assert_eq!(set.dilated(Adjacency::Edges).len(), 19);
    /// assert_eq!(set.dilated(Adjacency::Corners).len(), 27);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(bricks · log tiles), by shifts of whole masks.
    #[must_use]
    pub fn dilated(&self, adjacency: Adjacency) -> Self {
        self.set.dilated(adjacency).into()
    }

    /// The voxels of the set all of whose neighbors belong to it.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let set = BrickSet::from_iter([[7, 0, 0]]).dilated(Adjacency::Corners);
    /// assert_eq!(set.eroded(Adjacency::Faces).iter().collect::<Vec<_>>(), [[7, 0, 0]]);
    /// ```
    ///
    /// # Complexity
    ///
    /// As [`dilated`](Self::dilated).
    #[must_use]
    pub fn eroded(&self, adjacency: Adjacency) -> Self {
        self.set.eroded(adjacency).into()
    }
}

impl Set {
    fn dilated(&self, adjacency: Adjacency) -> Self {
        let mut made = Self::new();
        for (brick, mask) in self.keyed() {
            let steps = adjacency.steps().chain([[0; 3]]);
            for (step, there) in steps.filter_map(|step| Some((step, moved(brick, step)?))) {
                let reached = mask::reach(mask, step, adjacency.axes());
                if !mask::is_empty(&reached) {
                    made.edit(there, |mask| *mask = mask::or(mask, &reached));
                }
            }
        }
        made
    }

    fn eroded(&self, adjacency: Adjacency) -> Self {
        let mut made = Self::new();
        for (brick, mask) in self.keyed() {
            // What can be reached from without.
            let mut lost: Mask = mask::reach(&mask::not(mask), [0; 3], adjacency.axes());
            for step in adjacency.steps() {
                let from = step.map(|by| -by);
                let there = moved(brick, from).and_then(|there| self.mask(there));
                let without = mask::not(there.unwrap_or(&NONE));
                let reached = mask::reach(&without, step, adjacency.axes());
                lost = mask::or(&lost, &reached);
            }
            let left = mask::less(mask, &lost);
            if !mask::is_empty(&left) {
                made.edit(brick, |mask| *mask = left);
            }
        }
        made
    }
}
