//! Connected components, and the voxels that a set encloses.
//!
//! Each brick is divided into connected parts by itself, and a disjoint-set forest joins parts that touch (K. Wu,
//! E. Otoo and K. Suzuki, "Optimizing two-pass connected-component labeling algorithms", 2009). The enclosed
//! voxels are found by the parts of the complement: those within the set's bricks, and the empty stretches
//! between these, of any length.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use super::dilate::moved;
use super::mask::{self, Mask, NONE};
use super::set::Set;
use super::{Adjacency, BrickSet, array};
use crate::error::{Error, or_panic, reserve, reserve_exact, resize};
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
    /// O(bricks · log bricks), times the parts of a brick.
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
    /// The cost of [`components`](Self::components), and O(bricks found).
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
        if !self.contains(voxel) {
            return Ok(made);
        }
        // The bricks to visit, and the voxels by which they were entered.
        let mut pending = vec![voxel.map(|index| index >> 3)];
        let mut entered = Self::new();
        entered.insert(voxel)?;
        while let Some(brick) = pending.pop() {
            let Some(mask) = self.mask(brick) else {
                continue;
            };
            let new = entered.edit(brick, mem::take)?;
            let before = *made.mask(brick).unwrap_or(&NONE);
            let part = mask::flood(mask, mask::or(&before, &new), axes);
            if part == before {
                continue;
            }
            made.edit(brick, |mask| *mask = part)?;
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
                    reserve(&mut pending, 1)?;
                    pending.push(there);
                    entered.unite(there, &fresh)?;
                }
            }
        }
        Ok(made)
    }

    fn components(&self, adjacency: Adjacency) -> Result<Vec<Self>, Error> {
        let mut parts = Parts::new(adjacency);
        for (row, x, mask) in self.rows()? {
            parts.push(row, x..x + 1, mask)?;
        }
        parts.link(false);
        let mut sets: Vec<Self> = Vec::new();
        // The number of the set of each root, once that has been met.
        let mut numbers = Vec::new();
        resize(&mut numbers, parts.masks.len(), usize::MAX)?;
        for ([x, y, z], _) in self.keyed() {
            let cell = &parts.cells[parts.seek([z, y], x)];
            for part in cell.parts.clone() {
                let number = &mut numbers[root(&mut parts.parents, part)];
                if *number == usize::MAX {
                    *number = sets.len();
                    reserve(&mut sets, 1)?;
                    sets.push(Self::new());
                }
                sets[*number].unite([x, y, z], &parts.masks[part])?;
            }
        }
        Ok(sets)
    }

    fn enclosed(&self, adjacency: Adjacency) -> Result<Self, Error> {
        let mut parts = Parts::new(adjacency);
        // The parts of the complement: within bricks, and the stretches before, between and behind them.
        let rows = self.rows()?;
        for row in rows.chunk_by(|a, b| a.0 == b.0) {
            let mut end = -FAR;
            for &(row, x, mask) in row {
                if end < x {
                    parts.push(row, end..x, mask::ALL)?;
                }
                parts.push(row, x..x + 1, mask::not(&mask))?;
                end = x + 1;
            }
            parts.push(row[0].0, end..FAR, mask::ALL)?;
        }
        // The endless stretches are connected with the space around everything.
        let is_open = |end: i32| end.abs() == FAR;
        for i in 0..parts.cells.len() {
            let cell = &parts.cells[i];
            if is_open(cell.along.start) || is_open(cell.along.end) {
                parts.join(cell.parts.start, AROUND);
            }
        }
        parts.link(true);
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

    /// All bricks, sorted by row: the indices on axes 2 and 1, the index on axis 0, and the mask of each.
    fn rows(&self) -> Result<Vec<([i32; 2], i32, Mask)>, Error> {
        let mut rows = Vec::new();
        for ([x, y, z], &mask) in self.keyed() {
            reserve(&mut rows, 1)?;
            rows.push(([z, y], x, mask));
        }
        rows.sort_unstable_by_key(|&(row, x, _)| (row, x));
        Ok(rows)
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
        while let Some(place) = mask::first(&mask) {
            let mut seed = mask::NONE;
            mask::set(&mut seed, place);
            let part = mask::flood(&mask, seed, self.adjacency.axes());
            mask = mask::less(&mask, &part);
            reserve(&mut self.parents, 1)?;
            reserve(&mut self.masks, 1)?;
            self.parents.push(self.masks.len());
            self.masks.push(part);
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

    /// Joins parts that touch. With `bounded`, rows without a cell belong to the space around.
    fn link(&mut self, bounded: bool) {
        for i in 0..self.cells.len() {
            for step in self.adjacency.steps() {
                let [x, y, z] = step;
                let row = [self.cells[i].row[0] + z, self.cells[i].row[1] + y];
                // Visit each pair once, but missing rows from either side.
                let forwards = [z, y, x] > [0; 3];
                let may_be_missing = bounded && [z, y] != [0; 2];
                if !(forwards || may_be_missing) {
                    continue;
                }
                let along = &self.cells[i].along;
                let (start, end) = (along.start + x, along.end + x);
                let mut j = self.seek(row, start);
                let is_row = |cell: Option<&Cell>| cell.is_some_and(|cell| cell.row == row);
                // With `bounded`, the cells of a row extend to infinity: without a cell, the row is missing.
                if bounded && !is_row(self.cells.get(j)) {
                    self.touch(i, step, AROUND..AROUND + 1);
                }
                while forwards && is_row(self.cells.get(j)) && self.cells[j].along.start < end {
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
