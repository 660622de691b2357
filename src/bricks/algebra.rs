//! Unions, intersections and differences of sets, 64 voxels at a time.

use alloc::collections::btree_map::Entry;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use super::BrickSet;
use super::set::Set;
use crate::vector::Voxel;

impl<X: Voxel> BrickSet<X> {
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
}

impl Set {
    /// Does the same to all words of both sets, where what only this one has stays;
    /// `theirs` says whether what only the other has is taken over.
    fn combine(&mut self, other: &Self, theirs: bool, f: impl Fn(u64, u64) -> u64) {
        for (&key, tile) in &other.tiles {
            match self.tiles.entry(key) {
                Entry::Occupied(mut entry) => {
                    let both = entry.get().zip(tile, &f);
                    if both.is_empty() {
                        entry.remove();
                    } else {
                        entry.insert(both);
                    }
                }
                Entry::Vacant(entry) if theirs => {
                    entry.insert(tile.clone());
                }
                Entry::Vacant(_) => {}
            }
        }
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

    fn intersection(&self, other: &Self) -> Self {
        let swapped = self.tiles.len() > other.tiles.len();
        let (few, many) = if swapped {
            (other, self)
        } else {
            (self, other)
        };
        let both = few.tiles.iter().filter_map(|(&key, tile)| {
            let both = tile.zip(many.tiles.get(&key)?, |a, b| a & b);
            (!both.is_empty()).then_some((key, both))
        });
        let mut made = Self::new();
        made.tiles = both.collect();
        made
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assigned:ident, $theirs:literal,
     |$a:ident, $b:ident| $word:expr, $what:literal) => {
        impl Set {
            fn $assigned(&mut self, other: &Self) {
                self.combine(other, $theirs, |$a, $b| $word);
            }
        }

        impl<X: Voxel> $assign<&Self> for BrickSet<X> {
            #[doc = $what]
            ///
            /// # Complexity
            ///
            /// O(bricks of the other, and tiles).
            fn $assigned(&mut self, other: &Self) {
                self.set.$assigned(&other.set);
            }
        }

        impl<X: Voxel> $trait for &BrickSet<X> {
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
impl<X: Voxel> BitAnd for &BrickSet<X> {
    type Output = BrickSet<X>;

    /// The voxels of both sets.
    ///
    /// # Complexity
    ///
    /// O(bricks of the tiles that both have, and tiles of the one with fewer).
    fn bitand(self, other: Self) -> BrickSet<X> {
        self.set.intersection(&other.set).into()
    }
}

impl<X: Voxel> BitAndAssign<&Self> for BrickSet<X> {
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
