//! Unions, intersections and differences of sets, 64 voxels at a time.

use alloc::collections::btree_map::Entry;
use alloc::vec::Vec;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use crate::bricks::mask::{Mask, NONE};
use crate::bricks::set::Set;
use crate::bricks::{BrickSet, mask};
use crate::error::{Error, headroom, or_panic, reserve, reserve_exact};
use crate::vector::{Space, Voxel};

impl<X: Voxel + Space> BrickSet<X> {
    /// Whether every voxel of this set belongs to another.
    ///
    /// # Complexity
    ///
    /// O(bricks · log tiles).
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.set.is_subset(&other.set)
    }

    /// Whether no voxel belongs to both sets.
    ///
    /// # Complexity
    ///
    /// O(bricks · log tiles).
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.set.is_disjoint(&other.set)
    }

    /// Adds the voxels of another set, as `|=` does, where memory may not suffice.
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let mut set = BrickSet::from_iter([[0, 0, 0]]);
    /// set.try_unite(&BrickSet::from_iter([[9, 0, 0]]))?;
    /// assert_eq!(set.len(), 2);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// O(bricks of the other, and tiles).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; nothing has been added then.
    pub fn try_unite(&mut self, other: &Self) -> Result<(), Error> {
        self.set.try_unite(&other.set)
    }

    /// The voxels of both sets, as `&` gives them, where memory may not suffice.
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let (a, b) = (BrickSet::block([0; 3], [9; 3]), BrickSet::block([8; 3], [20; 3]));
    /// assert_eq!(a.try_intersection(&b)?.len(), 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of `&`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_intersection(&self, other: &Self) -> Result<Self, Error> {
        self.set.intersection(&other.set).map(Self::from)
    }

    /// The voxels of this set alone, as `-` gives them, where memory may not suffice.
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let (a, b) = (BrickSet::block([0; 3], [2; 3]), BrickSet::block([1; 3], [9; 3]));
    /// assert_eq!(a.try_difference(&b)?.len(), 7);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of `-`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_difference(&self, other: &Self) -> Result<Self, Error> {
        let mut made = self.set.try_clone()?;
        made.combine(&other.set, false, |a, b| a & !b)?;
        Ok(made.into())
    }

    /// The voxels of one set alone, as `^` gives them, where memory may not suffice.
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let (a, b) = (BrickSet::block([0; 3], [2; 3]), BrickSet::block([1; 3], [3; 3]));
    /// assert_eq!(a.try_symmetric_difference(&b)?.len(), 14);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Complexity
    ///
    /// That of `^`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_symmetric_difference(&self, other: &Self) -> Result<Self, Error> {
        let mut made = self.set.try_clone()?;
        made.combine(&other.set, true, |a, b| a ^ b)?;
        Ok(made.into())
    }
}

impl Set {
    /// A copy.
    fn try_clone(&self) -> Result<Self, Error> {
        let mut made = Self::new();
        made.try_unite(self)?;
        Ok(made)
    }

    /// Does the same to all words of both sets, where what only this one has stays;
    /// `theirs` says whether what only the other has is taken over.
    fn combine(
        &mut self,
        other: &Self,
        theirs: bool,
        f: impl Fn(u64, u64) -> u64,
    ) -> Result<(), Error> {
        for (&key, tile) in &other.tiles {
            headroom()?;
            match self.tiles.entry(key) {
                Entry::Occupied(mut entry) => {
                    let both = entry.get().zip(tile, &f)?;
                    if both.is_empty() {
                        entry.remove();
                    } else {
                        entry.insert(both);
                    }
                }
                Entry::Vacant(entry) if theirs => {
                    entry.insert(tile.try_clone()?);
                }
                Entry::Vacant(_) => {}
            }
        }
        Ok(())
    }

    /// Adds all or nothing: the tiles that change are made first, and then put in their places.
    fn try_unite(&mut self, other: &Self) -> Result<(), Error> {
        /// Bytes that a map takes for an entry, at most.
        const ENTRY: usize = 256;
        let mut changed = Vec::new();
        reserve_exact(&mut changed, other.tiles.len())?;
        for (&key, tile) in &other.tiles {
            let united = match self.tiles.get(&key) {
                Some(ours) => ours.zip(tile, |a, b| a | b)?,
                None => tile.try_clone()?,
            };
            changed.push((key, united));
        }
        reserve(&mut Vec::<[u8; ENTRY]>::new(), changed.len())?;
        self.tiles.extend(changed);
        Ok(())
    }

    fn is_subset(&self, other: &Self) -> bool {
        self.keyed().all(|(brick, mask)| {
            let there = other.mask(brick);
            there.is_some_and(|there| mask.iter().zip(there).all(|(a, b)| a & !b == 0))
        })
    }

    fn is_disjoint(&self, other: &Self) -> bool {
        self.keyed().all(|(brick, mask)| {
            let there = other.mask(brick);
            there.is_none_or(|there| mask.iter().zip(there).all(|(a, b)| a & b == 0))
        })
    }

    fn intersection(&self, other: &Self) -> Result<Self, Error> {
        let swapped = self.tiles.len() > other.tiles.len();
        let (few, many) = if swapped {
            (other, self)
        } else {
            (self, other)
        };
        let mut made = Self::new();
        for (&key, tile) in &few.tiles {
            if let Some(other) = many.tiles.get(&key) {
                let both = tile.zip(other, |a, b| a & b)?;
                made.insert_tile(key, both)?;
            }
        }
        Ok(made)
    }

    /// Adds a tile whose key is new, unless it is empty.
    pub(super) fn insert_tile(&mut self, key: Key, tile: Tile) -> Result<(), Error> {
        if !tile.is_empty() {
            headroom()?;
            self.tiles.insert(key, tile);
        }
        Ok(())
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assigned:ident, $theirs:literal,
     |$a:ident, $b:ident| $word:expr, $what:literal) => {
        impl Set {
            fn $assigned(&mut self, other: &Self) {
                let combined = self.combine(other, $theirs, |$a, $b| $word);
                or_panic("BrickSet", combined);
            }
        }

        impl<X: Voxel + Space> $assign<&Self> for BrickSet<X> {
            #[doc = $what]
            ///
            /// # Complexity
            ///
            /// O(bricks of the other, and tiles).
            fn $assigned(&mut self, other: &Self) {
                self.set.$assigned(&other.set);
            }
        }

        impl<X: Voxel + Space> $trait for &BrickSet<X> {
            type Output = BrickSet<X>;

            #[doc = $what]
            ///
            /// # Complexity
            ///
            /// O(bricks of both).
            fn $method(self, other: Self) -> BrickSet<X> {
                let mut made = self.clone();
                $assign::$assigned(&mut made, other);
                made
            }
        }
    };
}

operator!(
    BitOr,
    bitor,
    BitOrAssign,
    bitor_assign,
    true,
    |a, b| a | b,
    "The voxels of either set."
);
impl<X: Voxel + Space> BitAnd for &BrickSet<X> {
    type Output = BrickSet<X>;

    /// The voxels of both sets.
    ///
    /// # Complexity
    ///
    /// O(bricks of the tiles that both have, and tiles of the one with fewer).
    fn bitand(self, other: Self) -> BrickSet<X> {
        or_panic("BrickSet", self.set.intersection(&other.set)).into()
    }
}

impl<X: Voxel + Space> BitAndAssign<&Self> for BrickSet<X> {
    /// The voxels of both sets.
    ///
    /// # Complexity
    ///
    /// O(bricks of the tiles that both have, and tiles of the one with fewer).
    fn bitand_assign(&mut self, other: &Self) {
        *self = &*self & other;
    }
}
operator!(
    BitXor,
    bitxor,
    BitXorAssign,
    bitxor_assign,
    true,
    |a, b| a ^ b,
    "The voxels of one set alone."
);
operator!(
    Sub,
    sub,
    SubAssign,
    sub_assign,
    false,
    |a, b| a & !b,
    "The voxels of the first set alone."
);

// Eight by eight by eight bricks, those that are not empty one after the other.

/// Names a tile: its indices in units of tiles, the last axis first, so that the order of keys is
/// that of the voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key([i32; 3]);

impl Key {
    /// The tile of a brick.
    #[inline]
    pub(crate) fn of(brick: [i32; 3]) -> Self {
        Self([brick[2] >> 3, brick[1] >> 3, brick[0] >> 3])
    }

    /// The brick of the tile at a place.
    #[inline]
    pub(crate) fn brick(self, place: usize) -> [i32; 3] {
        let [x, y, z] = mask::indices(place);
        let Self([tz, ty, tx]) = self;
        [tx << 3 | x, ty << 3 | y, tz << 3 | z]
    }

    /// Its indices in units of tiles.
    #[inline]
    pub(crate) fn indices(self) -> [i32; 3] {
        let Self([z, y, x]) = self;
        [x, y, z]
    }

    /// The tile of these indices, in units of tiles.
    #[inline]
    pub(crate) fn at([x, y, z]: [i32; 3]) -> Self {
        Self([z, y, x])
    }
}

/// A tile of a set is never empty, and none of its masks is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Which bricks there are.
    present: Mask,
    /// Their masks, by ascending places.
    masks: Vec<Mask>,
}

impl Tile {
    /// A list of places and masks, ascending.
    pub(crate) fn from_bricks(bricks: impl Iterator<Item = (usize, Mask)>) -> Result<Self, Error> {
        let mut tile = Self::default();
        for (place, mask) in bricks.filter(|(_, mask)| !mask::is_empty(mask)) {
            tile.put(tile.masks.len(), place, mask)?;
        }
        Ok(tile)
    }

    /// Puts a mask that is not empty behind so many others.
    #[inline]
    fn put(&mut self, at: usize, place: usize, mask: Mask) -> Result<(), Error> {
        if self.masks.len() == self.masks.capacity() {
            // By an eighth and not to the double: memory is what a set is for.
            let more = self.masks.len() / 8 + 4;
            reserve_exact(&mut self.masks, more)?;
        }
        self.masks.insert(at, mask);
        mask::set(&mut self.present, place);
        Ok(())
    }

    /// A copy.
    pub(crate) fn try_clone(&self) -> Result<Self, Error> {
        let mut masks = Vec::new();
        reserve(&mut masks, self.masks.len())?;
        masks.extend_from_slice(&self.masks);
        let present = self.present;
        Ok(Self { present, masks })
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    #[inline]
    pub(crate) fn masks(&self) -> &[Mask] {
        &self.masks
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<&Mask> {
        let there = mask::has(&self.present, place);
        there.then(|| &self.masks[mask::rank(&self.present, place)])
    }

    /// Changes the mask at a place, which may come to be and cease to be.
    #[inline]
    pub(crate) fn edit<X>(
        &mut self,
        place: usize,
        change: impl FnOnce(&mut Mask) -> X,
    ) -> Result<X, Error> {
        let at = mask::rank(&self.present, place);
        if mask::has(&self.present, place) {
            let changed = change(&mut self.masks[at]);
            if mask::is_empty(&self.masks[at]) {
                self.masks.remove(at);
                mask::unset(&mut self.present, place);
            }
            return Ok(changed);
        }
        let mut new = NONE;
        let changed = change(&mut new);
        if !mask::is_empty(&new) {
            self.put(at, place, new)?;
        }
        Ok(changed)
    }

    /// Where there are bricks, ascending.
    #[inline]
    pub(crate) fn places(&self) -> mask::Places {
        mask::places(self.present)
    }

    /// The same done to all masks of two tiles, of which nothing may come from nothing.
    pub(crate) fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Result<Self, Error> {
        let mut made = Self::default();
        let (mut ours, mut theirs) = (self.masks.iter(), other.masks.iter());
        for place in mask::places(mask::or(&self.present, &other.present)) {
            let take = |tile: &Self, masks: &mut core::slice::Iter<'_, Mask>| {
                let there = mask::has(&tile.present, place);
                if there { masks.next().copied() } else { None }
            };
            let a = take(self, &mut ours).unwrap_or(NONE);
            let b = take(other, &mut theirs).unwrap_or(NONE);
            let both = mask::zip(&a, &b, &f);
            if !mask::is_empty(&both) {
                made.put(made.masks.len(), place, both)?;
            }
        }
        Ok(made)
    }

    /// Bytes of the list of masks.
    pub(crate) fn bytes(&self) -> usize {
        self.masks.capacity() * size_of::<Mask>()
    }

    pub(crate) fn validate(&self) -> Result<(), &'static str> {
        if self.masks.is_empty() {
            return Err("a tile is empty");
        }
        if self.masks.len() != mask::count(&self.present) as usize {
            return Err("a tile has not as many bricks as it says");
        }
        if self.masks.iter().any(mask::is_empty) {
            return Err("a brick is empty");
        }
        Ok(())
    }
}

#[cfg(test)]
impl Tile {
    /// Changes the masks and nothing else.
    pub(crate) fn break_masks(&mut self, change: impl FnOnce(&mut Vec<Mask>)) {
        change(&mut self.masks);
    }
}
