//! Sets of voxels in space, a bit for each.
//!
//! Bricks of eight voxels on each axis are masks of 512 bits, of which the set keeps those that are
//! not empty. They stand one after the other in tiles of eight bricks on each axis, found by the
//! number of bricks before them (as in the leaves of K. Museth, "VDB: High-resolution sparse volumes
//! with dynamic topology", 2013), and the tiles in a sorted map. So two sets of the same voxels are
//! the same, whatever their history, and the order of voxels follows from their indices alone.
//! Rejected: a hash of bricks (its order would have to be sorted for each listing, and a third to
//! two thirds of its memory is free), one sorted list (a voxel more would move half of it).

mod adjacency;
mod algebra;
mod canvas;
mod cavities;
mod flood;
mod gather;
mod list;
mod mask;
mod parts;
mod region;
#[cfg(feature = "serde")]
mod serial;
mod tile;
mod validate;

pub use adjacency::Adjacency;
pub(crate) use canvas::Kernels;
pub use list::BrickSetVoxels;

use alloc::collections::BTreeMap;
use core::marker::PhantomData;

use glam::IVec3;

use crate::Voxel;
use mask::Mask;
use tile::{Key, Tile};

/// A set of voxels in space that takes about a bit for each voxel of the bricks it touches.
///
/// A brick is eight voxels wide on each axis, a tile eight bricks. Voxels are listed tile by tile, in
/// those brick by brick, and each time the last axis is the slowest and axis 0 the fastest. Any
/// indices will do; there is nothing beyond those of `i32`. In the plane a
/// [`BitGrid`](crate::BitGrid) does the same for a block.
///
/// ```
/// use orthant::{BrickSet, Hollow, Sphere, VoxelGrid, glam::{IVec3, Vec3}};
/// let grid = VoxelGrid::new(Vec3::ZERO, 1.0);
/// let mut set = BrickSet::from_region(&grid, Hollow(Sphere::new(Vec3::ZERO, 8.0)));
/// assert_eq!(set.len(), 1184);
/// assert!(set.insert(IVec3::ZERO));
/// assert!(set.contains(IVec3::ZERO) && !set.contains(IVec3::X));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BrickSet<X: Voxel = IVec3> {
    tiles: BTreeMap<Key, Tile>,
    voxel: PhantomData<X>,
}

impl<X: Voxel> BrickSet<X> {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(X::DIM == 3, "bricks are sets of voxels in space") }
        Self {
            tiles: BTreeMap::new(),
            voxel: PhantomData,
        }
    }

    /// Whether there is no voxel.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tiles.is_empty()
    }

    /// The number of voxels.
    ///
    /// # Complexity
    ///
    /// O(bricks).
    #[must_use]
    pub fn len(&self) -> u64 {
        let masks = self.tiles.values().flat_map(Tile::masks);
        masks.map(|mask| u64::from(mask::count(mask))).sum()
    }

    /// Whether a voxel belongs to the set.
    ///
    /// # Complexity
    ///
    /// O(log tiles).
    #[inline]
    #[must_use]
    pub fn contains(&self, voxel: X) -> bool {
        let at = array(voxel);
        let mask = self.mask(at.map(|index| index >> 3));
        mask.is_some_and(|mask| mask::has(mask, mask::place(at)))
    }

    /// Adds a voxel; tells whether it is new.
    ///
    /// # Complexity
    ///
    /// O(log tiles); a brick more moves those of its tile, at most 511.
    pub fn insert(&mut self, voxel: X) -> bool {
        let at = array(voxel);
        self.edit(at.map(|index| index >> 3), |mask| {
            let is_new = !mask::has(mask, mask::place(at));
            mask::set(mask, mask::place(at));
            is_new
        })
    }

    /// Takes a voxel out; tells whether it was there.
    ///
    /// # Complexity
    ///
    /// As [`insert`](Self::insert).
    pub fn remove(&mut self, voxel: X) -> bool {
        let at = array(voxel);
        self.edit(at.map(|index| index >> 3), |mask| {
            let was_there = mask::has(mask, mask::place(at));
            mask::unset(mask, mask::place(at));
            was_there
        })
    }

    /// Takes all voxels out.
    pub fn clear(&mut self) {
        self.tiles.clear();
    }

    /// The least and the greatest index on each axis; `None` of the empty set.
    ///
    /// ```
    /// use orthant::{BrickSet, glam::IVec3};
    /// let set: BrickSet = [IVec3::new(-1, 2, 0), IVec3::new(9, 0, 0)].into_iter().collect();
    /// assert_eq!(set.bounds(), Some((IVec3::new(-1, 0, 0), IVec3::new(9, 2, 0))));
    /// ```
    ///
    /// # Complexity
    ///
    /// O(bricks).
    #[must_use]
    pub fn bounds(&self) -> Option<(X, X)> {
        let mut least = [i32::MAX; 3];
        let mut most = [i32::MIN; 3];
        for brick in self.bricks() {
            let all = brick.mask.iter().fold(0, |all, word| all | word);
            let rows = (0..8).fold(0u8, |bits, y| {
                bits | u8::from(all >> (8 * y) & 0xFF != 0) << y
            });
            let columns = all.to_le_bytes().iter().fold(0, |bits, byte| bits | byte);
            let slabs = (0..8).fold(0u8, |bits, z| bits | u8::from(brick.mask[z] != 0) << z);
            for (axis, bits) in [columns, rows, slabs].into_iter().enumerate() {
                let base = brick.coordinates.axis(axis) << 3;
                least[axis] = least[axis].min(base + bits.trailing_zeros() as i32);
                most[axis] = most[axis].max(base + 7 - bits.leading_zeros() as i32);
            }
        }
        (!self.is_empty()).then(|| (X::from_fn(|a| least[a]), X::from_fn(|a| most[a])))
    }

    /// The block of voxels, as far as grids have indices, that all tiles lie in.
    fn tile_bounds(&self) -> Option<(X, X)> {
        let tiles = || self.tiles.keys().map(|key| key.indices());
        let least = tiles().reduce(|a, b| [0, 1, 2].map(|i| a[i].min(b[i])))?;
        let most = tiles().reduce(|a, b| [0, 1, 2].map(|i| a[i].max(b[i])))?;
        let end = most.map(|tile| (tile << 6).saturating_add(64));
        Some((X::from_fn(|a| least[a] << 6), X::from_fn(|a| end[a])))
    }

    /// The memory that the set takes, in bytes: 64 for each brick, and some 150 for each tile.
    ///
    /// # Complexity
    ///
    /// O(tiles).
    #[must_use]
    pub fn bytes(&self) -> usize {
        // A node of the map has room for eleven entries, and is two thirds full on average.
        let entry = (size_of::<Key>() + size_of::<Tile>()) * 3 / 2;
        let tiles = self.tiles.values().map(|tile| entry + tile.bytes());
        size_of::<Self>() + tiles.sum::<usize>()
    }

    /// The mask of a brick.
    #[inline]
    fn mask(&self, brick: [i32; 3]) -> Option<&Mask> {
        self.tiles.get(&Key::of(brick))?.get(mask::place(brick))
    }

    /// Changes the mask of a brick.
    fn edit<T>(&mut self, brick: [i32; 3], change: impl FnOnce(&mut Mask) -> T) -> T {
        let key = Key::of(brick);
        let tile = self.tiles.entry(key).or_default();
        let changed = tile.edit(mask::place(brick), change);
        if tile.is_empty() {
            self.tiles.remove(&key);
        }
        changed
    }
}

impl<X: Voxel> Default for BrickSet<X> {
    fn default() -> Self {
        Self::new()
    }
}

#[inline]
fn array<X: Voxel>(voxel: X) -> [i32; 3] {
    [voxel.axis(0), voxel.axis(1), voxel.axis(2)]
}
