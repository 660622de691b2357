//! Dense blocks of voxels, a bit for each.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use glam::IVec3;

use crate::bits::set_bits;
use crate::bricks::BrickSet;
use crate::error::{Error, or_panic, or_panics, shown_as};
use crate::overlap::Region;
use crate::vector::{Space, Vector, Voxel};
use crate::voxel::{Brick, Spans, VoxelGrid, Voxelize};

/// All voxels of a block, a bit for each.
///
/// Rows along axis 0 follow each other, the last axis slowest; each begins with a new word, bit 0
/// first. A block has one to four dimensions; with three it converts from and to a [`BrickSet`].
///
/// ```
/// use orthant::{BitGrid, Sphere, VoxelGrid};
/// let grid = VoxelGrid::new([0.0f32; 2], 1.0);
/// let mut bits = BitGrid::new([0, 0], [4, 3]);
/// bits.insert_region(&grid, Sphere::new([0.5, 1.5], 0.5)); // the part in the block
/// assert_eq!(bits.rows().map(|row| row[0]).collect::<Vec<_>>(), [0b1, 0b11, 0b1]);
/// assert!(bits.insert([3, 0]) && bits.contains([3, 0]) && bits.remove([0, 0]));
/// assert_eq!((bits.len(), bits.extent(0)), (4, 4));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BitGrid<X: Voxel = IVec3> {
    start: X,
    end: X,
    words: Vec<u64>,
}

shown_as!(
    impl[X: Voxel] BitGrid<X> as "BitGrid",
    |this| start: this.start(), end: this.end(), voxels: this.len()
);

impl<X: Voxel> BitGrid<X> {
    or_panics! {
        /// The block of voxels from `start` to one before `end` on each axis, none of them set.
        BitGrid: new = try_new(start: X, end: X)
    }

    /// The block of voxels from `start` to one before `end` on each axis, none of them set.
    ///
    /// # Errors
    ///
    /// If `end` is not above `start` on some axis, or memory does not suffice for the bits.
    pub fn try_new(start: X, end: X) -> Result<Self, Error> {
        const { assert!(X::DIM <= 4, "a block has 1 to 4 dimensions") }
        for axis in 0..X::DIM {
            let (start, end) = (start.axis(axis), end.axis(axis));
            if start >= end {
                return Err(Error::EmptyBlock { axis, start, end });
            }
        }
        let mut made = Self {
            start,
            end,
            words: Vec::new(),
        };
        let rows = (1..X::DIM).map(|axis| made.extent(axis) as u128);
        let words = rows.fold(made.stride() as u128, u128::saturating_mul);
        if words > isize::MAX as u128 / 8 {
            return Err(Error::BlockTooLarge { words });
        }
        // Try to allocate first, since `vec!` aborts if memory does not suffice.
        let trial = Vec::<u64>::new().try_reserve_exact(words as usize);
        trial.map_err(|_| Error::BlockTooLarge { words })?;
        made.words = vec![0; words as usize];
        Ok(made)
    }

    /// The voxels of a set that lie in a block.
    ///
    /// ```
    /// use orthant::{BitGrid, BrickSet};
    /// let set = BrickSet::from_iter([[7, 0, 0], [8, 0, 1], [99, 0, 0]]);
    /// let bits = BitGrid::from_bricks(&set, [5, 0, 0], [10, 1, 2]);
    /// assert_eq!(bits.words(), [0b100, 0b1000]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) returns an error.
    ///
    /// # Complexity
    ///
    /// O(bricks of the set + words of the block).
    #[must_use]
    #[track_caller]
    pub fn from_bricks(set: &BrickSet<X>, start: X, end: X) -> Self
    where
        X: Space,
    {
        let mut made = Self::new(start, end);
        for brick in set.bricks() {
            let is_near = |a: usize| {
                let first = brick.coordinates.axis(a) << 3;
                first < end.axis(a) && start.axis(a) <= first | 7
            };
            if (0..X::DIM).all(is_near) {
                // Voxels beyond the block are ignored.
                brick.voxels().for_each(|voxel| _ = made.insert(voxel));
            }
        }
        made
    }

    /// The voxels as a sparse set.
    ///
    /// ```
    /// use orthant::{BitGrid, BrickSet};
    /// let set = BrickSet::block([-9, 0, 3], [70, 2, 5]);
    /// assert_eq!(BitGrid::from_bricks(&set, [-20; 3], [80; 3]).to_bricks(), set);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(words + bricks · log tiles).
    #[must_use]
    pub fn to_bricks(&self) -> BrickSet<X>
    where
        X: Space,
    {
        let mut set = BrickSet::new();
        for (row, words) in self.rows().enumerate() {
            let [x, y, z] = crate::simd::from_fn(|a| self.row_start(row).axis(a));
            for (i, &word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
                let first = x.wrapping_add(64 * i as i32);
                // Align the bits to bricks: each byte is then one row of voxels in a brick.
                let bits = u128::from(word) << (first & 7);
                for (by, byte) in (0..).zip(bits.to_le_bytes()).filter(|(_, byte)| *byte != 0) {
                    let mut mask = [0; 8];
                    mask[(z & 7) as usize] = u64::from(byte) << (8 * (y & 7));
                    let at = [(first >> 3) + by, y >> 3, z >> 3];
                    set.insert_brick(&Brick {
                        coordinates: X::from_fn(|a| at[a]),
                        mask,
                    });
                }
            }
        }
        set
    }

    /// The first voxel of the block.
    #[inline]
    #[must_use]
    pub fn start(&self) -> X {
        self.start
    }

    /// One past the last voxel of the block, on each axis.
    #[inline]
    #[must_use]
    pub fn end(&self) -> X {
        self.end
    }

    /// The number of voxels on an axis.
    ///
    /// # Panics
    ///
    /// If there is no such axis.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn extent(&self, axis: usize) -> usize {
        assert!(axis < X::DIM, "BitGrid: axis {axis} of {}", X::DIM);
        self.end.axis(axis).abs_diff(self.start.axis(axis)) as usize
    }

    /// The number of words in a row.
    #[inline]
    fn stride(&self) -> usize {
        self.extent(0).div_ceil(64)
    }

    /// The bits, row by row; those behind the end of a row are 0.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The rows along axis 0, the last axis slowest.
    #[inline]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.words.chunks_exact(self.stride())
    }

    /// The first voxel of a row.
    fn row_start(&self, row: usize) -> X {
        let mut left = row;
        let mut first = self.start;
        for a in 1..X::DIM {
            let offset = (left % self.extent(a)) as i32;
            first = first.with(a, self.start.axis(a).wrapping_add(offset));
            left /= self.extent(a);
        }
        first
    }

    /// The word and the bit of a voxel, if it lies in the block.
    #[inline]
    fn place(&self, voxel: X) -> Option<(usize, u32)> {
        let within = |a: usize| (self.start.axis(a)..self.end.axis(a)).contains(&voxel.axis(a));
        if !(0..X::DIM).all(within) {
            return None;
        }
        let offset = |a: usize| voxel.axis(a).abs_diff(self.start.axis(a)) as usize;
        let row = (1..X::DIM)
            .rev()
            .fold(0, |row, a| row * self.extent(a) + offset(a));
        Some((row * self.stride() + offset(0) / 64, offset(0) as u32 % 64))
    }

    /// Returns true if a voxel lies in the block and is set.
    #[inline]
    #[must_use]
    pub fn contains(&self, voxel: X) -> bool {
        let place = self.place(voxel);
        place.is_some_and(|(word, bit)| self.words[word] >> bit & 1 == 1)
    }

    /// Sets a voxel; returns true if it was not set, and false if it was or lies beyond the block.
    #[inline]
    pub fn insert(&mut self, voxel: X) -> bool {
        let Some((word, bit)) = self.place(voxel) else {
            return false;
        };
        let is_new = self.words[word] >> bit & 1 == 0;
        self.words[word] |= 1 << bit;
        is_new
    }

    /// Clears a voxel; returns true if it was set.
    #[inline]
    pub fn remove(&mut self, voxel: X) -> bool {
        let Some((word, bit)) = self.place(voxel) else {
            return false;
        };
        let was_set = self.words[word] >> bit & 1 == 1;
        self.words[word] &= !(1 << bit);
        was_set
    }

    /// Sets the voxels in the block that a region meets, by the grid's rule.
    ///
    /// # Complexity
    ///
    /// The cost of [`VoxelGrid::spans`] within the block, and O(1) for each word that is set.
    ///
    /// # Panics
    ///
    /// Where [`try_insert_region`](Self::try_insert_region) returns an error.
    #[track_caller]
    pub fn insert_region<V, R>(&mut self, grid: &VoxelGrid<V>, region: R)
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V>,
    {
        let inserted = self.try_insert_region(grid, region);
        or_panic("BitGrid", inserted);
    }

    /// Sets the voxels in the block that a region meets, by the grid's rule.
    ///
    /// # Errors
    ///
    /// If [`VoxelGrid::check`] refuses the region within the block; no voxel is set in that case.
    pub fn try_insert_region<V, R>(&mut self, grid: &VoxelGrid<V>, region: R) -> Result<(), Error>
    where
        V: Vector<Voxel = X>,
        R: Voxelize + Region<Vector = V>,
    {
        let Some(grid) = grid.clipped(self.start, self.end) else {
            return Ok(());
        };
        for span in Spans::try_new(&grid, region)? {
            let Some((word, bit)) = self.place(span.first()) else {
                continue;
            };
            let bit = bit as usize;
            fill(&mut self.words[word..], bit..bit + span.len() as usize);
        }
        Ok(())
    }

    /// Returns true if no voxel is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The number of voxels that are set.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// The voxels that are set, the last axis slowest and axis 0 fastest.
    pub fn iter(&self) -> impl Iterator<Item = X> + '_ {
        self.rows().enumerate().flat_map(move |(row, words)| {
            let first = self.row_start(row);
            let bits = words
                .iter()
                .enumerate()
                .flat_map(|(i, &word)| set_bits(word).map(move |bit| 64 * i + bit));
            bits.map(move |bit| first.with(0, first.axis(0).wrapping_add(bit as i32)))
        })
    }
}

/// Sets a range of bits, word by word.
fn fill(words: &mut [u64], bits: Range<usize>) {
    let (first, last) = (bits.start / 64, (bits.end - 1) / 64);
    let (low, high) = (!0 << (bits.start % 64), !0 >> (63 - (bits.end - 1) % 64));
    if first == last {
        words[first] |= low & high;
        return;
    }
    words[first] |= low;
    words[first + 1..last].fill(!0);
    words[last] |= high;
}
