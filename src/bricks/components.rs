//! Connected components, and the voxels that a set encloses.
//!
//! A component is flooded brick by brick. For the enclosed voxels the complement is divided into connected parts: those
//! within each of the set's bricks, and the empty stretches between these, of any length. A disjoint-set forest joins
//! parts that touch (K. Wu, E. Otoo and K. Suzuki, "Optimizing two-pass connected-component labeling algorithms", 2009).

use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use super::dilate::moved;
use super::mask::{self, Mask, NONE};
use super::set::{Set, voxel_at};
use super::{Adjacency, BrickSet, array};
use crate::error::{Error, or_panic, reserve, reserve_exact};
use crate::vector::{Space, Voxel};

/// Farther than any brick.
const FAR: i32 = 1 << 30;

impl<X: Voxel + Space> BrickSet<X> {
    /// The voxels of the set that are connected with one of its voxels, which is included; none if that does
    /// not belong to the set.
    ///
    /// To flood voxels outside of a set, subtract it from a [`block`](Self::block).
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
        or_panic("BrickSet", self.set.component(array(voxel), adjacency)).into()
    }

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
    /// O(bricks · log tiles), times the parts of a brick.
    #[must_use]
    pub fn components(&self, adjacency: Adjacency) -> Vec<Self> {
        or_panic("BrickSet", self.try_components(adjacency))
    }

    /// The connected components, as [`components`](Self::components) gives them and at its cost, where memory may
    /// not suffice.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let set = BrickSet::from_iter([[7, 7, 0], [8, 8, 0], [0, 0, 0]]);
    /// assert_eq!(set.try_components(Adjacency::Faces)?.len(), 3);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_components(&self, adjacency: Adjacency) -> Result<Vec<Self>, Error> {
        let sets = self.set.components(adjacency)?;
        let mut made = Vec::new();
        reserve_exact(&mut made, sets.len())?;
        made.extend(sets.into_iter().map(Self::from));
        Ok(made)
    }

    /// The voxels outside of the set that no path through other voxels outside of it joins with infinity.
    ///
    /// The adjacency tells which steps a path may take.
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
    /// O(bricks · log bricks), times the parts of a brick, and O(bricks found).
    ///
    /// # Panics
    ///
    /// Where [`try_enclosed`](Self::try_enclosed) returns an error.
    #[must_use]
    #[track_caller]
    pub fn enclosed(&self, adjacency: Adjacency) -> Self {
        or_panic("BrickSet", self.try_enclosed(adjacency))
    }

    /// The voxels that a set encloses, as [`enclosed`](Self::enclosed) gives them and at its cost, where memory may
    /// not suffice.
    ///
    /// ```
    /// use orthant::{Adjacency, BrickSet};
    /// let skin = &BrickSet::block([-1; 3], [2; 3]) - &BrickSet::from_iter([[0; 3]]);
    /// assert_eq!(skin.try_enclosed(Adjacency::Faces).map(|inside| inside.len()), Ok(1));
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_enclosed(&self, adjacency: Adjacency) -> Result<Self, Error> {
        self.set.enclosed(adjacency).map(Self::from)
    }
}

impl Set {
    fn component(&self, voxel: [i32; 3], adjacency: Adjacency) -> Result<Self, Error> {
        let (mut made, axes) = (Self::new(), adjacency.axes());
        // The voxels by which bricks are entered that have not been flooded yet.
        let mut entered = Self::new();
        entered.insert(voxel)?;
        while let Some((brick, _)) = entered.keyed().next() {
            let seeds = entered.edit(brick, mem::take)?;
            let Some(mask) = self.mask(brick) else {
                continue;
            };
            let part = mask::flood(mask, mask::and(mask, &seeds), axes);
            made.unite(brick, &part)?;
            // Enter the bricks around by the voxels that are reached there.
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
                    entered.unite(there, &fresh)?;
                }
            }
        }
        Ok(made)
    }

    fn components(&self, adjacency: Adjacency) -> Result<Vec<Self>, Error> {
        let (mut sets, mut seen) = (Vec::new(), Self::new());
        for (brick, mask) in self.keyed() {
            // Flood each component from its first voxel.
            loop {
                let left = mask::less(mask, seen.mask(brick).unwrap_or(&NONE));
                let Some(place) = mask::places(left).next() else {
                    break;
                };
                let set = self.component(voxel_at(brick, place), adjacency)?;
                for (brick, mask) in set.keyed() {
                    seen.unite(brick, mask)?;
                }
                reserve(&mut sets, 1)?;
                sets.push(set);
            }
        }
        Ok(sets)
    }

    fn enclosed(&self, adjacency: Adjacency) -> Result<Self, Error> {
        let mut rows = Vec::new();
        for ([x, y, z], mask) in self.keyed() {
            reserve(&mut rows, 1)?;
            rows.push(([z, y], x, mask));
        }
        rows.sort_unstable_by_key(|&(row, x, _)| (row, x));
        // The parts of the complement: within bricks, and the stretches before, between and behind them.
        let mut parts = Parts::new(adjacency);
        for row in rows.chunk_by(|a, b| a.0 == b.0) {
            let mut end = -FAR;
            for &(row, x, mask) in row {
                if end < x {
                    parts.push(row, end..x, mask::ALL)?;
                }
                parts.push(row, x..x + 1, mask::not(mask))?;
                end = x + 1;
            }
            parts.push(row[0].0, end..FAR, mask::ALL)?;
        }
        parts.link();
        // Collect the parts that are not connected with the space around.
        let mut made = Self::new();
        for cell in &parts.cells {
            for part in cell.parts.clone() {
                if root(&mut parts.parents, part) != AROUND {
                    for x in cell.along.clone() {
                        made.unite([x, cell.row[1], cell.row[0]], &parts.masks[part])?;
                    }
                }
            }
        }
        Ok(made)
    }
}

/// Bricks that follow each other along axis 0 and have the same mask.
#[derive(Debug)]
struct Cell {
    /// Their indices on axes 2 and 1.
    row: [i32; 2],
    /// Their indices on axis 0.
    along: Range<i32>,
    parts: Range<usize>,
}

/// Cells by row and place, their connected parts, and a disjoint-set forest of the parts. Part 0 is the
/// space around everything.
#[derive(Debug)]
struct Parts {
    adjacency: Adjacency,
    cells: Vec<Cell>,
    masks: Vec<Mask>,
    parents: Vec<usize>,
}

const AROUND: usize = 0;

/// Finds the root of the tree of joined parts that a part is in, and halves the path to it for later searches.
fn root(parents: &mut [usize], mut part: usize) -> usize {
    while parents[part] != part {
        parents[part] = parents[parents[part]];
        part = parents[part];
    }
    part
}

impl Parts {
    fn new(adjacency: Adjacency) -> Self {
        Self {
            adjacency,
            cells: Vec::new(),
            masks: vec![mask::ALL],
            parents: vec![AROUND],
        }
    }

    /// Adds a cell behind all others.
    fn push(&mut self, row: [i32; 2], along: Range<i32>, mut mask: Mask) -> Result<(), Error> {
        let first = self.masks.len();
        // Flood each part from its first voxel.
        while let Some(place) = mask::places(mask).next() {
            let mut seed = NONE;
            mask::set(&mut seed, place);
            let part = mask::flood(&mask, seed, self.adjacency.axes());
            mask = mask::less(&mask, &part);
            reserve(&mut self.parents, 1)?;
            reserve(&mut self.masks, 1)?;
            self.parents.push(self.masks.len());
            self.masks.push(part);
        }
        // The endless stretches are connected with the space around everything.
        if along.start == -FAR || along.end == FAR {
            self.join(first, AROUND);
        }
        reserve(&mut self.cells, 1)?;
        self.cells.push(Cell {
            row,
            along,
            parts: first..self.masks.len(),
        });
        Ok(())
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (root(&mut self.parents, a), root(&mut self.parents, b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// The first cell of a row that does not end before a place, or the one after.
    fn seek(&self, row: [i32; 2], place: i32) -> usize {
        self.cells
            .partition_point(|cell| (cell.row, cell.along.end) <= (row, place))
    }

    /// Joins parts that touch.
    fn link(&mut self) {
        for i in 0..self.cells.len() {
            for step in self.adjacency.steps() {
                let [x, y, z] = step;
                let Cell { row, along, .. } = &self.cells[i];
                let (row, start, end) = ([row[0] + z, row[1] + y], along.start + x, along.end + x);
                let mut j = self.seek(row, start);
                let is_row = |cell: Option<&Cell>| cell.is_some_and(|cell| cell.row == row);
                if !is_row(self.cells.get(j)) {
                    // The cells of a row extend to infinity, so there are none: it lies in the space around.
                    self.touch(i, step, AROUND..AROUND + 1);
                }
                // Visit each pair of cells once.
                while [z, y, x] > [0; 3]
                    && is_row(self.cells.get(j))
                    && self.cells[j].along.start < end
                {
                    if i != j {
                        self.touch(i, step, self.cells[j].parts.clone());
                    }
                    j += 1;
                }
            }
        }
    }

    /// Joins the parts of a cell with those of some others, a step away, that they touch.
    fn touch(&mut self, cell: usize, step: [i32; 3], others: Range<usize>) {
        for part in self.cells[cell].parts.clone() {
            let reached = mask::reach(&self.masks[part], step, self.adjacency.axes());
            if mask::is_empty(&reached) {
                continue;
            }
            for other in others.clone() {
                if !mask::is_empty(&mask::and(&reached, &self.masks[other])) {
                    self.join(part, other);
                }
            }
        }
    }
}
