//! What a set lists, how it is made of a list, and a set as a serde value.

use core::fmt;
use core::iter::FusedIterator;

use super::mask::{self, Places};
use super::set::Bricks;
use super::{BrickSet, voxel};
use crate::vector::Voxel;
use crate::voxel::Brick;

impl<X: Voxel> BrickSet<X> {
    /// The voxels, tile by tile, in those brick by brick.
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
    /// The brick of which some are left.
    brick: [i32; 3],
    left: Places,
    voxel: core::marker::PhantomData<X>,
}

#[inline]
fn voxel_at<X: Voxel>(brick: [i32; 3], place: usize) -> X {
    let at = mask::indices(place);
    X::from_fn(|a| brick[a] << 3 | at[a])
}

impl<X: Voxel> Iterator for BrickSetVoxels<'_, X> {
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

impl<X: Voxel> FusedIterator for BrickSetVoxels<'_, X> {}

impl<X> fmt::Debug for BrickSetVoxels<'_, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrickSetVoxels").finish_non_exhaustive()
    }
}

impl<'a, X: Voxel> IntoIterator for &'a BrickSet<X> {
    type Item = X;
    type IntoIter = BrickSetVoxels<'a, X>;

    fn into_iter(self) -> BrickSetVoxels<'a, X> {
        self.iter()
    }
}

impl<X: Voxel> Extend<X> for BrickSet<X> {
    fn extend<I: IntoIterator<Item = X>>(&mut self, voxels: I) {
        for voxel in voxels {
            self.insert(voxel);
        }
    }
}

impl<X: Voxel> FromIterator<X> for BrickSet<X> {
    fn from_iter<I: IntoIterator<Item = X>>(voxels: I) -> Self {
        let mut set = Self::new();
        set.extend(voxels);
        set
    }
}

impl<X: Voxel> fmt::Debug for BrickSet<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

/// A set is its bricks in order, each as its indices and its mask.
#[cfg(feature = "serde")]
mod serial {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::super::set::Set;
    use super::super::tile::Key;
    use super::super::{BrickSet, mask};
    use crate::vector::Voxel;

    impl<X: Voxel> Serialize for BrickSet<X> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.set.keyed())
        }
    }

    impl<'de, X: Voxel> Deserialize<'de> for BrickSet<X> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let bricks = alloc::vec::Vec::<([i32; 3], mask::Mask)>::deserialize(deserializer)?;
            let mut set = Set::new();
            let place = |brick| (Key::of(brick), mask::place(brick));
            for (i, (brick, mask)) in bricks.iter().enumerate() {
                if i > 0 && place(bricks[i - 1].0) >= place(*brick) {
                    return Err(D::Error::custom(format_args!("brick {i} is out of order")));
                }
                if mask::is_empty(mask) {
                    return Err(D::Error::custom(format_args!("brick {i} is empty")));
                }
                set.unite(*brick, mask);
            }
            set.validate().map_err(D::Error::custom)?;
            Ok(set.into())
        }
    }
}
