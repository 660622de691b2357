//! The set itself, without the type of its voxels, so that it is compiled once; its iterators and its serde form.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use core::fmt;
use core::iter::FusedIterator;

use super::mask::{self, Mask, Places};
use super::tile::{Key, Tile};
use super::{BrickSet, voxel};
use crate::error::{Error, headroom, shown_as};
use crate::vector::{Space, Voxel};
use crate::voxel::Brick;

type Tiles<'a> = alloc::collections::btree_map::Iter<'a, Key, Tile>;

/// A set of voxels, as a sorted map of tiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) tiles: BTreeMap<Key, Tile>,
}

impl Set {
    pub(super) const fn new() -> Self {
        Self {
            tiles: BTreeMap::new(),
        }
    }

    /// All voxels from `start` to one before `end` on each axis.
    pub(super) fn block(start: [i32; 3], end: [i32; 3]) -> Result<Self, Error> {
        let mut set = Self::new();
        if (0..3).any(|a| start[a] >= end[a]) {
            return Ok(set);
        }
        let bricks = |a: usize| start[a] >> 3..=(end[a] - 1) >> 3;
        // A bit for each index of a brick.
        let bits = |a: usize, brick: i32| -> u8 {
            let place = |index: i32| (i64::from(index) - i64::from(brick << 3)).clamp(0, 7);
            let (first, last) = (place(start[a]), place(end[a] - 1));
            (0xFF << first) & (0xFF >> (7 - last))
        };
        for z in bricks(2) {
            for y in bricks(1) {
                for x in bricks(0) {
                    let [columns, rows, slabs] = [bits(0, x), bits(1, y), bits(2, z)];
                    let row = |y| if rows >> y & 1 == 1 { columns } else { 0 };
                    let slab = u64::from_le_bytes(crate::simd::from_fn(row));
                    let word = |z| if slabs >> z & 1 == 1 { slab } else { 0 };
                    let mask: Mask = crate::simd::from_fn(word);
                    set.unite([x, y, z], &mask)?;
                }
            }
        }
        Ok(set)
    }

    pub(super) fn len(&self) -> u64 {
        let masks = self.tiles.values().flat_map(Tile::masks);
        masks.map(|mask| u64::from(mask::count(mask))).sum()
    }

    pub(super) fn contains(&self, at: [i32; 3]) -> bool {
        let mask = self.mask(at.map(|index| index >> 3));
        mask.is_some_and(|mask| mask::has(mask, mask::place(at)))
    }

    /// Adds a voxel; tells whether it is new.
    pub(super) fn insert(&mut self, at: [i32; 3]) -> Result<bool, Error> {
        self.edit(at.map(|index| index >> 3), |mask| {
            let is_new = !mask::has(mask, mask::place(at));
            mask::set(mask, mask::place(at));
            is_new
        })
    }

    /// Removes a voxel; tells whether it was there.
    pub(super) fn remove(&mut self, at: [i32; 3]) -> Result<bool, Error> {
        self.edit(at.map(|index| index >> 3), |mask| {
            let was_there = mask::has(mask, mask::place(at));
            mask::unset(mask, mask::place(at));
            was_there
        })
    }

    /// The least and the greatest index on each axis.
    pub(super) fn bounds(&self) -> Option<([i32; 3], [i32; 3])> {
        let mut least = [i32::MAX; 3];
        let mut most = [i32::MIN; 3];
        for (brick, mask) in self.keyed() {
            let all = mask.iter().fold(0, |all, word| all | word);
            let rows = (0..8).fold(0u8, |bits, y| {
                bits | u8::from(all >> (8 * y) & 0xFF != 0) << y
            });
            let columns = all.to_le_bytes().iter().fold(0, |bits, byte| bits | byte);
            let slabs = (0..8).fold(0u8, |bits, z| bits | u8::from(mask[z] != 0) << z);
            for (axis, bits) in [columns, rows, slabs].into_iter().enumerate() {
                let base = brick[axis] << 3;
                least[axis] = least[axis].min(base + bits.trailing_zeros() as i32);
                most[axis] = most[axis].max(base + 7 - bits.leading_zeros() as i32);
            }
        }
        (!self.tiles.is_empty()).then_some((least, most))
    }

    /// The block of voxels around all tiles, clipped to the indices of grids.
    pub(super) fn tile_bounds(&self) -> Option<([i32; 3], [i32; 3])> {
        let tiles = || self.tiles.keys().map(|key| key.indices());
        let least = tiles().reduce(|a, b| [0, 1, 2].map(|i| a[i].min(b[i])))?;
        let most = tiles().reduce(|a, b| [0, 1, 2].map(|i| a[i].max(b[i])))?;
        let end = most.map(|tile| (tile << 6).saturating_add(64));
        Some((least.map(|tile| tile << 6), end))
    }

    /// The memory that the set takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        // A node of the map has room for eleven entries, and is two thirds full on average.
        let entry = (size_of::<Key>() + size_of::<Tile>()) * 3 / 2;
        let tiles = self.tiles.values().map(|tile| entry + tile.bytes());
        size_of::<Self>() + tiles.sum::<usize>()
    }

    /// The mask of a brick.
    #[inline]
    pub(super) fn mask(&self, brick: [i32; 3]) -> Option<&Mask> {
        self.tiles.get(&Key::of(brick))?.get(mask::place(brick))
    }

    /// Changes the mask of a brick.
    pub(super) fn edit<T>(
        &mut self,
        brick: [i32; 3],
        change: impl FnOnce(&mut Mask) -> T,
    ) -> Result<T, Error> {
        let key = Key::of(brick);
        let tile = match self.tiles.entry(key) {
            Entry::Occupied(tile) => tile.into_mut(),
            Entry::Vacant(tile) => {
                headroom()?;
                tile.insert(Tile::default())
            }
        };
        let changed = tile.edit(mask::place(brick), change);
        if tile.is_empty() {
            self.tiles.remove(&key);
        }
        changed
    }

    /// Adds the voxels of a mask.
    pub(super) fn unite(&mut self, brick: [i32; 3], more: &Mask) -> Result<(), Error> {
        let united = self.edit(brick, |mask| *mask = mask::or(mask, more));
        // The error counts the bricks of all tiles.
        united.map_err(|_| {
            let items = self.tiles.values().flat_map(Tile::masks).count() + 1;
            let bytes = items * size_of::<Mask>();
            Error::OutOfMemory { items, bytes }
        })
    }

    /// All bricks and their masks, tile by tile.
    pub(super) fn keyed(&self) -> Bricks<'_> {
        Bricks {
            tiles: self.tiles.iter(),
            tile: None,
        }
    }

    pub(super) fn validate(&self) -> Result<(), &'static str> {
        for (key, tile) in &self.tiles {
            // The lowest six of 32 bits number a voxel within its tile.
            if key.indices().iter().any(|&index| index << 6 >> 6 != index) {
                return Err("a tile has no indices");
            }
            tile.validate()?;
        }
        Ok(())
    }
}

/// Bricks and their masks.
#[derive(Clone)]
pub(super) struct Bricks<'a> {
    tiles: Tiles<'a>,
    /// The rest of a tile.
    tile: Option<(Key, Places, core::slice::Iter<'a, Mask>)>,
}

impl<'a> Iterator for Bricks<'a> {
    type Item = ([i32; 3], &'a Mask);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, places, masks)) = &mut self.tile
                && let (Some(place), Some(mask)) = (places.next(), masks.next())
            {
                return Some((key.brick(place), mask));
            }
            let (&key, tile) = self.tiles.next()?;
            self.tile = Some((key, tile.places(), tile.masks().iter()));
        }
    }
}

// Iterators, and sets made by them.

impl<X: Voxel + Space> BrickSet<X> {
    /// The voxels, tile by tile, and within tiles brick by brick.
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let set = BrickSet::from_iter([[9, 0, 0], [0, 1, 0], [3, 0, 0]]);
    /// assert_eq!(set.iter().collect::<Vec<_>>(), [[3, 0, 0], [0, 1, 0], [9, 0, 0]]);
    /// ```
    ///
    /// # Complexity
    ///
    /// O(bricks + voxels) for all.
    pub fn iter(&self) -> BrickSetVoxels<'_, X> {
        BrickSetVoxels {
            bricks: self.set.keyed(),
            brick: [0; 3],
            left: mask::places(mask::NONE),
            voxel: core::marker::PhantomData,
        }
    }

    /// The bricks, tile by tile.
    ///
    /// # Complexity
    ///
    /// O(bricks) for all.
    pub fn bricks(&self) -> impl Iterator<Item = Brick<X>> + '_ {
        self.set.keyed().map(|(brick, &mask)| Brick {
            coordinates: voxel(brick),
            mask,
        })
    }
}

/// The voxels of a set, from [`BrickSet::iter`].
#[derive(Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct BrickSetVoxels<'a, X> {
    bricks: Bricks<'a>,
    /// The current brick.
    brick: [i32; 3],
    left: Places,
    voxel: core::marker::PhantomData<X>,
}

/// The voxel at a place of a brick.
#[inline]
pub(super) fn voxel_at<X: Voxel + Space>(brick: [i32; 3], place: usize) -> X {
    let at = mask::indices(place);
    X::from_fn(|a| brick[a] << 3 | at[a])
}

impl<X: Voxel + Space> Iterator for BrickSetVoxels<'_, X> {
    type Item = X;

    #[inline]
    fn next(&mut self) -> Option<X> {
        loop {
            if let Some(place) = self.left.next() {
                return Some(voxel_at(self.brick, place));
            }
            let (brick, &mask) = self.bricks.next()?;
            (self.brick, self.left) = (brick, mask::places(mask));
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, X) -> B>(self, init: B, mut f: F) -> B {
        let rest = self
            .left
            .fold(init, |all, place| f(all, voxel_at(self.brick, place)));
        self.bricks.fold(rest, |all, (brick, &mask)| {
            mask::places(mask).fold(all, |all, place| f(all, voxel_at(brick, place)))
        })
    }
}

impl<X: Voxel + Space> FusedIterator for BrickSetVoxels<'_, X> {}

shown_as!(impl[X] BrickSetVoxels<'_, X> as "BrickSetVoxels");

impl<'a, X: Voxel + Space> IntoIterator for &'a BrickSet<X> {
    type Item = X;
    type IntoIter = BrickSetVoxels<'a, X>;

    fn into_iter(self) -> BrickSetVoxels<'a, X> {
        self.iter()
    }
}

impl<X: Voxel + Space> Extend<X> for BrickSet<X> {
    fn extend<I: IntoIterator<Item = X>>(&mut self, voxels: I) {
        for voxel in voxels {
            self.insert(voxel);
        }
    }
}

impl<X: Voxel + Space> FromIterator<X> for BrickSet<X> {
    fn from_iter<I: IntoIterator<Item = X>>(voxels: I) -> Self {
        let mut set = Self::new();
        set.extend(voxels);
        set
    }
}

impl<X: Voxel + Space> fmt::Debug for BrickSet<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

/// The serde form of a set: its bricks in order, each as its indices and its mask.
#[cfg(feature = "serde")]
impl<X: Voxel + Space> serde::Serialize for BrickSet<X> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A list, since formats that begin with a length have to know it.
        let bricks: alloc::vec::Vec<_> = self.set.keyed().collect();
        bricks.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, X: Voxel + Space> serde::Deserialize<'de> for BrickSet<X> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let bricks = alloc::vec::Vec::<([i32; 3], Mask)>::deserialize(deserializer)?;
        let mut set = Set::new();
        let place = |brick| (Key::of(brick), mask::place(brick));
        for (i, (brick, mask)) in bricks.iter().enumerate() {
            if i > 0 && place(bricks[i - 1].0) >= place(*brick) {
                return Err(D::Error::custom(format_args!("brick {i} is out of order")));
            }
            if mask::is_empty(mask) {
                return Err(D::Error::custom(format_args!("brick {i} is empty")));
            }
            set.unite(*brick, mask).map_err(D::Error::custom)?;
        }
        set.validate().map_err(D::Error::custom)?;
        Ok(set.into())
    }
}
