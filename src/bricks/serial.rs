//! A set as a serde value: its bricks in order, each as its indices and its mask.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::set::Set;
use super::tile::Key;
use super::{BrickSet, mask};
use crate::Voxel;

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
