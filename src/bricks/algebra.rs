//! Unions, intersections and differences of sets, 64 voxels at a time.
//!
//! All of them combine the tiles of one set with those of another, word by word ([`Set::combined`]). A
//! tile that only the first set has is not touched, so that a small set changes a large one in little time.

use alloc::vec::Vec;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use super::BrickSet;
use super::set::Set;
use super::tile::{Key, Tile};
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
        self.set.all(&other.set, |a, b| a & !b == 0)
    }

    /// Whether no voxel belongs to both sets.
    ///
    /// # Complexity
    ///
    /// O(bricks · log tiles).
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.set.all(&other.set, |a, b| a & b == 0)
    }

    /// Adds the voxels of another set, as `|=` does, where memory may not suffice. It takes O(bricks of the other, and tiles).
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let mut set = BrickSet::from_iter([[0, 0, 0]]);
    /// set.try_unite(&BrickSet::from_iter([[9, 0, 0]]))?;
    /// assert_eq!(set.len(), 2);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; nothing has been added then.
    pub fn try_unite(&mut self, other: &Self) -> Result<(), Error> {
        self.set.assign(&other.set, true, |a, b| a | b)
    }

    /// The voxels of both sets, as `&` gives them, where memory may not suffice. It takes O(bricks of the tiles that both have, and
    /// tiles of the one with fewer).
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let (a, b) = (BrickSet::block([0; 3], [9; 3]), BrickSet::block([8; 3], [20; 3]));
    /// assert_eq!(a.try_intersection(&b)?.len(), 1);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_intersection(&self, other: &Self) -> Result<Self, Error> {
        self.set.intersection(&other.set).map(Self::from)
    }

    /// The voxels of this set alone, as `-` gives them, where memory may not suffice. It takes O(bricks of both).
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let (a, b) = (BrickSet::block([0; 3], [2; 3]), BrickSet::block([1; 3], [9; 3]));
    /// assert_eq!(a.try_difference(&b)?.len(), 7);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_difference(&self, other: &Self) -> Result<Self, Error> {
        self.with(other, false, |a, b| a & !b)
    }

    /// The voxels of one set alone, as `^` gives them, where memory may not suffice. It takes O(bricks of both).
    ///
    /// ```
    /// use orthant::BrickSet;
    /// let (a, b) = (BrickSet::block([0; 3], [2; 3]), BrickSet::block([1; 3], [3; 3]));
    /// assert_eq!(a.try_symmetric_difference(&b)?.len(), 14);
    /// # Ok::<(), orthant::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn try_symmetric_difference(&self, other: &Self) -> Result<Self, Error> {
        self.with(other, true, |a, b| a ^ b)
    }

    /// A copy of this set, combined with another. With `theirs`, bricks that only the other set has take part.
    fn with(&self, other: &Self, theirs: bool, f: impl Fn(u64, u64) -> u64) -> Result<Self, Error> {
        let mut made = Set::new();
        for (&key, tile) in &self.set.tiles {
            made.insert_tile(key, tile.try_clone()?)?;
        }
        made.assign(&other.set, theirs, f)?;
        Ok(made.into())
    }
}

impl Set {
    /// The tiles of the other set combined with those of this one, by ascending keys; some may be empty. With
    /// `theirs`, tiles that this set lacks are copied from the other.
    fn combined(
        &self,
        other: &Self,
        theirs: bool,
        f: impl Fn(u64, u64) -> u64,
    ) -> Result<Vec<(Key, Tile)>, Error> {
        let mut made = Vec::new();
        reserve_exact(&mut made, self.tiles.len().min(other.tiles.len()))?;
        for (&key, tile) in &other.tiles {
            let both = match self.tiles.get(&key) {
                Some(ours) => ours.zip(tile, &f)?,
                None if theirs => tile.try_clone()?,
                None => continue,
            };
            reserve(&mut made, 1)?;
            made.push((key, both));
        }
        Ok(made)
    }

    /// Combines this set with another, all or nothing: the tiles that change are made first.
    pub(super) fn assign(
        &mut self,
        other: &Self,
        theirs: bool,
        f: impl Fn(u64, u64) -> u64,
    ) -> Result<(), Error> {
        /// Upper bound on the bytes that a map takes for an entry.
        const ENTRY: usize = 256;
        let changed = self.combined(other, theirs, f)?;
        reserve(&mut Vec::<[u8; ENTRY]>::new(), changed.len())?;
        for (key, tile) in changed {
            if tile.is_empty() {
                self.tiles.remove(&key);
            } else {
                self.tiles.insert(key, tile);
            }
        }
        Ok(())
    }

    fn intersection(&self, other: &Self) -> Result<Self, Error> {
        let is_smaller = self.tiles.len() < other.tiles.len();
        let (few, many) = if is_smaller {
            (self, other)
        } else {
            (other, self)
        };
        let mut made = Self::new();
        for (key, tile) in many.combined(few, false, |a, b| a & b)? {
            made.insert_tile(key, tile)?;
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

    /// True if `fits` holds for each word of this set and the other set's word in its place, which is 0 if there is
    /// none.
    fn all(&self, other: &Self, fits: impl Fn(u64, u64) -> bool) -> bool {
        self.keyed().all(|(brick, mask)| match other.mask(brick) {
            Some(there) => mask.iter().zip(there).all(|(&a, &b)| fits(a, b)),
            None => mask.iter().all(|&a| fits(a, 0)),
        })
    }
}

/// Implements an operator on two sets, and the assignment by it.
macro_rules! operator {
    (
        $trait:ident $method:ident, $assign:ident $assigned:ident, $what:literal, $cost:literal,
        |$set:ident, $other:ident| $made:expr, $assignment:expr
    ) => {
        impl<X: Voxel + Space> $trait for &BrickSet<X> {
            type Output = BrickSet<X>;

            #[doc = $what]
            ///
            /// # Complexity
            ///
            #[doc = $cost]
            fn $method(self, $other: Self) -> BrickSet<X> {
                let $set = self;
                or_panic("BrickSet", $made)
            }
        }

        impl<X: Voxel + Space> $assign<&Self> for BrickSet<X> {
            #[doc = $what]
            ///
            /// # Complexity
            ///
            /// O(bricks of the other, and tiles).
            fn $assigned(&mut self, $other: &Self) {
                let $set = self;
                or_panic("BrickSet", $assignment);
            }
        }
    };
}

operator! {
    BitOr bitor, BitOrAssign bitor_assign, "The voxels of either set.", "O(bricks of both).",
    |set, other| set.with(other, true, |a, b| a | b), set.try_unite(other)
}
operator! {
    BitAnd bitand, BitAndAssign bitand_assign, "The voxels of both sets.",
    "O(bricks of the tiles that both have, and tiles of the one with fewer).",
    |set, other| set.try_intersection(other), set.try_intersection(other).map(|both| *set = both)
}
operator! {
    BitXor bitxor, BitXorAssign bitxor_assign, "The voxels of one set alone.", "O(bricks of both).",
    |set, other| set.try_symmetric_difference(other), set.set.assign(&other.set, true, |a, b| a ^ b)
}
operator! {
    Sub sub, SubAssign sub_assign, "The voxels of the first set alone.", "O(bricks of both).",
    |set, other| set.try_difference(other), set.set.assign(&other.set, false, |a, b| a & !b)
}
