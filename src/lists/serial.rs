//! Lists of lists as serde values. Nothing that is read can be at odds with itself: where lists begin is not
//! written, and what they hold are names that may mean anything.

use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::neighbors::Span;
use super::{Lists, NeighborLists, Part};

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
        let Lists { offsets, items } = Lists::deserialize(deserializer)?;
        let mut lens = Vec::with_capacity(offsets.len() - 1);
        for ends in offsets.windows(2) {
            lens.push(u32::try_from(ends[1] - ends[0]).map_err(D::Error::custom)?);
        }
        let begins = offsets.iter().zip(&lens);
        let spans = begins.map(|(&begin, &len)| Span {
            begin,
            part: 0,
            len,
        });
        Ok(Self {
            spans: spans.collect(),
            parts: alloc::vec![Part { items, lens }],
        })
    }
}
