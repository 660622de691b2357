//! Tiles: eight by eight by eight bricks, those that are not empty one after the other.

use alloc::vec::Vec;

use super::mask::{self, Mask, NONE};
use crate::error::{Error, reserve, reserve_exact};

/// The key of a tile: its indices in units of tiles, the last axis first, so that the order of keys is
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

    /// The indices, in units of tiles.
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

/// The bricks of a tile. In a set, no tile and no mask is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tile {
    /// A bit for each brick that is not empty.
    present: Mask,
    /// Their masks, by ascending places.
    masks: Vec<Mask>,
}

impl Tile {
    /// The tile of places and masks, in ascending order; empty masks are left out.
    pub(crate) fn from_bricks(bricks: impl Iterator<Item = (usize, Mask)>) -> Result<Self, Error> {
        let mut tile = Self::default();
        for (place, mask) in bricks.filter(|(_, mask)| !mask::is_empty(mask)) {
            tile.put(tile.masks.len(), place, mask)?;
        }
        Ok(tile)
    }

    /// Inserts a mask, which is not empty, as number `at` of the list.
    #[inline]
    fn put(&mut self, at: usize, place: usize, mask: Mask) -> Result<(), Error> {
        if self.masks.len() == self.masks.capacity() {
            // Grow by an eighth instead of doubling, since a set is to take little memory.
            let more = self.masks.len() / 8 + 4;
            reserve_exact(&mut self.masks, more)?;
        }
        self.masks.insert(at, mask);
        mask::set(&mut self.present, place);
        Ok(())
    }

    /// A copy, if there is memory for it.
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

    /// Changes the mask at a place, and adds or removes its brick as needed.
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

    /// The places of the bricks, ascending.
    #[inline]
    pub(crate) fn places(&self) -> mask::Places {
        mask::places(self.present)
    }

    /// Combines two tiles word by word; `f` of two zeros has to be zero.
    pub(crate) fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Result<Self, Error> {
        let (mut ours, mut theirs) = (self.masks.iter(), other.masks.iter());
        let places = mask::places(mask::or(&self.present, &other.present));
        Self::from_bricks(places.map(|place| {
            let take = |tile: &Self, masks: &mut core::slice::Iter<'_, Mask>| {
                let there = mask::has(&tile.present, place);
                if there { masks.next().copied() } else { None }
            };
            let a = take(self, &mut ours).unwrap_or(NONE);
            let b = take(other, &mut theirs).unwrap_or(NONE);
            (place, mask::zip(&a, &b, &f))
        }))
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
