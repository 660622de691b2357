//! Connected components, and what a set encloses.
//!
//! Each brick is divided into connected parts by itself, and a forest joins those that touch (K. Wu,
//! E. Otoo and K. Suzuki, "Optimizing two-pass connected-component labeling algorithms", 2009). What
//! is enclosed is found from the parts that a set leaves of its bricks and from the empty stretches
//! between them, whatever their length.

use alloc::vec;
use alloc::vec::Vec;

use super::mask::{self, Mask};
use super::parts::{AROUND, Parts};
use super::{Adjacency, BrickSet};
use crate::Voxel;

/// Farther than any brick.
const FAR: i32 = 1 << 30;

impl<X: Voxel> BrickSet<X> {
    /// The connected components, by their first voxels.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let set = BrickSet::from_iter([[7, 7, 0], [8, 8, 0], [0, 0, 0]]);
    /// assert_eq!(set.components(Adjacency::Faces).len(), 3);
    /// let parts = set.components(Adjacency::Edges);
    /// assert_eq!(parts.iter().map(BrickSet::len).collect::<Vec<_>>(), [1, 2]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(bricks · log bricks), times the parts of a brick.
    #[must_use]
    pub fn components(&self, adjacency: Adjacency) -> Vec<Self> {
        let mut parts = Parts::new(adjacency);
        for (row, x, mask) in self.rows() {
            parts.push(row, x..x + 1, mask);
        }
        parts.link(false);
        let mut sets: Vec<Self> = Vec::new();
        // By root, once it has been met.
        let mut numbers = vec![usize::MAX; parts.len()];
        for ([x, y, z], _) in self.keyed() {
            let cell = &parts.cells()[parts.seek([z, y], x)];
            for part in cell.parts.clone() {
                let number = &mut numbers[parts.root(part)];
                if *number == usize::MAX {
                    *number = sets.len();
                    sets.push(Self::new());
                }
                sets[*number].unite([x, y, z], parts.mask(part));
            }
        }
        sets
    }

    /// The voxels that do not belong to the set and that no way through others leads to from far away.
    ///
    /// The rule says which steps such a way may take.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet, Hollow, Sphere, VoxelGrid};
    /// let grid = VoxelGrid::new([0.0f32; 3], 1.0);
    /// let ball = Sphere::new([0.0; 3], 8.0);
    /// let skin = BrickSet::from_region(&grid, Hollow(ball));
    /// let inside = skin.enclosed(Adjacency::Corners); // the surface has no gaps
    /// assert_eq!(&skin | &inside, BrickSet::from_region(&grid, ball));
    /// ```
    ///
    /// # Complexity
    ///
    /// As [`components`](Self::components), and what is found.
    #[must_use]
    pub fn enclosed(&self, adjacency: Adjacency) -> Self {
        let mut parts = Parts::new(adjacency);
        let rows = self.rows();
        for row in rows.chunk_by(|a, b| a.0 == b.0) {
            let mut end = -FAR;
            for &(row, x, mask) in row {
                if end < x {
                    parts.push(row, end..x, mask::ALL);
                }
                parts.push(row, x..x + 1, mask::not(&mask));
                end = x + 1;
            }
            parts.push(row[0].0, end..FAR, mask::ALL);
        }
        let is_open = |end: i32| end.abs() == FAR;
        for i in 0..parts.cells().len() {
            let cell = &parts.cells()[i];
            if is_open(cell.along.start) || is_open(cell.along.end) {
                let part = cell.parts.start;
                parts.join(part, AROUND);
            }
        }
        parts.link(true);
        let mut made = Self::new();
        for cell in parts.cells() {
            for part in cell
                .parts
                .clone()
                .filter(|&part| parts.root(part) != AROUND)
            {
                for x in cell.along.clone() {
                    made.unite([x, cell.row[1], cell.row[0]], parts.mask(part));
                }
            }
        }
        made
    }

    /// All bricks, by row: their indices on axes 2 and 1, that on axis 0, and the mask.
    fn rows(&self) -> Vec<([i32; 2], i32, Mask)> {
        let bricks = self.keyed();
        let mut rows: Vec<_> = bricks.map(|([x, y, z], &mask)| ([z, y], x, mask)).collect();
        rows.sort_unstable_by_key(|&(row, x, _)| (row, x));
        rows
    }

    /// Adds the voxels of a mask, of which there are some.
    pub(crate) fn unite(&mut self, brick: [i32; 3], more: &Mask) {
        self.edit(brick, |mask| *mask = mask::or(mask, more));
    }
}
