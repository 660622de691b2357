//! The neighbors of voxels, and sets grown and shrunk by them.

use super::mask::{self, Mask, NONE};
use super::set::Set;
use super::{BrickSet, array};
use crate::error::{Error, or_panic};
use crate::vector::{Space, Voxel};

/// The rule that tells which voxels are neighbors.
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
    /// The number of axes along which a step may go at once.
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

/// The brick that lies some bricks away, if its indices are in range.
#[inline]
pub(super) fn moved(brick: [i32; 3], by: [i32; 3]) -> Option<[i32; 3]> {
    let there: [i32; 3] = crate::simd::from_fn(|a| brick[a] + by[a]);
    // The indices of voxels have 32 bits, so those of bricks have 29.
    there.iter().all(|&b| b << 3 >> 3 == b).then_some(there)
}

impl<X: Voxel + Space> BrickSet<X> {
    /// The neighbors of a voxel that belong to the set, the last axis slowest; the voxel itself need
    /// not belong to it.
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
    ///
    /// # Panics
    ///
    /// Where [`try_dilated`](Self::try_dilated) returns an error.
    #[must_use]
    #[track_caller]
    pub fn dilated(&self, adjacency: Adjacency) -> Self {
        or_panic("BrickSet", self.try_dilated(adjacency))
    }

    /// The set and all neighbors of its voxels, as [`dilated`](Self::dilated) gives it and at its cost, where memory
    /// may not suffice.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let set = BrickSet::from_iter([[7, 0, 0]]).try_dilated(Adjacency::Faces)?;
    /// assert_eq!(set.len(), 7);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_dilated(&self, adjacency: Adjacency) -> Result<Self, Error> {
        self.set.dilated(adjacency).map(Self::from)
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
    /// The cost of [`dilated`](Self::dilated).
    #[must_use]
    pub fn eroded(&self, adjacency: Adjacency) -> Self {
        or_panic("BrickSet", self.try_eroded(adjacency))
    }

    /// The set without its rim, as [`eroded`](Self::eroded) gives it and at its cost, where memory may not suffice.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let set = BrickSet::block([0; 3], [3; 3]).try_eroded(Adjacency::Faces)?;
    /// assert_eq!(set.iter().collect::<Vec<_>>(), [[1, 1, 1]]);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_eroded(&self, adjacency: Adjacency) -> Result<Self, Error> {
        self.set.eroded(adjacency).map(Self::from)
    }
}

impl Set {
    fn dilated(&self, adjacency: Adjacency) -> Result<Self, Error> {
        let mut made = Self::new();
        for (brick, mask) in self.keyed() {
            let steps = adjacency.steps().chain([[0; 3]]);
            for (step, there) in steps.filter_map(|step| Some((step, moved(brick, step)?))) {
                let reached = mask::reach(mask, step, adjacency.axes());
                if !mask::is_empty(&reached) {
                    made.unite(there, &reached)?;
                }
            }
        }
        Ok(made)
    }

    fn eroded(&self, adjacency: Adjacency) -> Result<Self, Error> {
        let mut made = Self::new();
        for (brick, mask) in self.keyed() {
            // The voxels that a step from outside of the set reaches.
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
                made.unite(brick, &left)?;
            }
        }
        Ok(made)
    }
}
