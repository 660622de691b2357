//! Connected components, and the voxels that a set encloses.
//!
//! A component is flooded brick by brick from one of its voxels. The enclosed voxels are those outside of the set that a
//! flood from infinity does not reach. It goes over the set's bricks, and over the empty stretches between these, of any length.

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use super::dilate::moved;
use super::mask::{self, ALL, Mask, NONE};
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
        // Voxels at which the flood enters a brick, and from which it has not been continued yet.
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
        let axes = adjacency.axes();
        let mut rows = Vec::new();
        for ([x, y, z], mask) in self.keyed() {
            reserve(&mut rows, 1)?;
            rows.push(([z, y], x, mask));
        }
        rows.sort_unstable_by_key(|&(row, x, _)| (row, x));
        // Cover the rows of bricks with cells, and list those that are open from the start.
        let (mut cells, mut pending) = (Vec::new(), Vec::new());
        for bricks in rows.chunk_by(|a, b| a.0 == b.0) {
            // The space around everything begins in rows without bricks.
            let row @ [z, y] = bricks[0].0;
            let mut rim = NONE;
            for step @ [_, up, on] in adjacency.steps() {
                let beside = [z + on, y + up];
                if rows.binary_search_by_key(&beside, |other| other.0).is_err() {
                    let back = step.map(|by| -by);
                    rim = mask::or(&rim, &mask::reach(&ALL, back, axes));
                }
            }
            let mut push = |along: Range<i32>, free: Mask| {
                let is_endless = along.start == -FAR || along.end == FAR;
                let seeds = if is_endless { ALL } else { rim };
                let open = mask::flood(&free, mask::and(&free, &seeds), axes);
                if !mask::is_empty(&open) {
                    reserve(&mut pending, 1)?;
                    pending.push(cells.len());
                }
                reserve(&mut cells, 1)?;
                cells.push(Cell {
                    row,
                    along,
                    free,
                    open,
                });
                Ok::<(), Error>(())
            };
            let mut end = -FAR;
            for &(_, x, mask) in bricks {
                if end < x {
                    push(end..x, ALL)?;
                }
                push(x..x + 1, mask::not(mask))?;
                end = x + 1;
            }
            push(end..FAR, ALL)?;
        }
        // Open what is connected with open voxels.
        while let Some(at) = pending.pop() {
            let ([z, y], along, open) = (cells[at].row, cells[at].along.clone(), cells[at].open);
            for step @ [x, up, on] in adjacency.steps() {
                let (row, start, end) = ([z + on, y + up], along.start + x, along.end + x);
                let reached = mask::reach(&open, step, axes);
                let mut next =
                    cells.partition_point(|cell| (cell.row, cell.along.end) <= (row, start));
                while let Some(cell) = cells.get_mut(next)
                    && (cell.row == row && cell.along.start < end)
                {
                    let seeds = mask::or(&cell.open, &mask::and(&cell.free, &reached));
                    let open = mask::flood(&cell.free, seeds, axes);
                    if open != cell.open {
                        cell.open = open;
                        reserve(&mut pending, 1)?;
                        pending.push(next);
                    }
                    next += 1;
                }
            }
        }
        // Collect the rest.
        let mut made = Self::new();
        for Cell {
            row,
            along,
            free,
            open,
        } in cells
        {
            let enclosed = mask::less(&free, &open);
            if !mask::is_empty(&enclosed) {
                for x in along {
                    made.unite([x, row[1], row[0]], &enclosed)?;
                }
            }
        }
        Ok(made)
    }
}

/// Bricks that follow each other along axis 0 and have the same voxels: a brick of the set, or an empty stretch before,
/// between or behind them.
#[derive(Debug)]
struct Cell {
    /// Their indices on axes 2 and 1.
    row: [i32; 2],
    /// Their indices on axis 0.
    along: Range<i32>,
    /// The voxels outside of the set.
    free: Mask,
    /// The free voxels that are known to be connected with infinity.
    open: Mask,
}
