//! Lists of lists as serde values. Every value that is read makes valid lists: offsets are not written, and entries may be any indices or
//! handles.

use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Lists, NeighborLists};

impl<K: Serialize> Serialize for Lists<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(super::List::as_slice))
    }
}

impl<'de, K: Deserialize<'de>> Deserialize<'de> for Lists<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Vec<K>>::deserialize(deserializer)?
            .into_iter()
            .collect())
    }
}

impl Serialize for NeighborLists {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(super::List::as_slice))
    }
}

impl<'de> Deserialize<'de> for NeighborLists {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Vec<u32>>::deserialize(deserializer)?
            .into_iter()
            .collect())
    }
}
