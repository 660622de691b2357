//! A tree as a serde value: its items with their handles, and which slots are free.
//!
//! Nodes and leaves are not written; reading builds them from the items.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::insert::check_count;
use super::tree::{NONE, Slot};
use super::{Kernels, LooseOrthtree, extent_of};
use crate::error::Error;
use crate::handle::Handle;
use crate::shape::{ArrayOf, Bounded};

/// The value that is written.
#[derive(Serialize, Deserialize)]
struct Raw<T> {
    /// The items with their handles, by slot.
    items: Vec<(Handle, T)>,
    /// Free slots, listed so that input cannot make the reader allocate more than its own size.
    free: Vec<u32>,
    /// The number of insertions so far: its lower 32 bits are the generation of the next.
    inserted: u64,
}

impl<T: Bounded + Serialize> Serialize for LooseOrthtree<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slots = 0..self.core.slots.len();
        let free = slots.filter(|&slot| !self.items.contains(slot));
        Raw {
            items: self.iter().collect(),
            free: free.map(|slot| slot as u32).collect(),
            inserted: self.core.inserted,
        }
        .serialize(serializer)
    }
}

impl<'de, T: Bounded + Deserialize<'de>> Deserialize<'de> for LooseOrthtree<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        restore(Raw::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Makes the tree, or says why the value is refused.
fn restore<T: Bounded>(raw: Raw<T>) -> Result<LooseOrthtree<T>, String> {
    // Each slot must be named exactly once.
    let slots = raw.items.iter().map(|(handle, _)| handle.slot);
    let mut slots: Vec<u32> = slots.chain(raw.free.iter().copied()).collect();
    check_count(slots.len()).map_err(|error| error.to_string())?;
    slots.sort_unstable();
    for (&slot, expected) in slots.iter().zip(0..) {
        if slot < expected {
            return Err(format!("slot {slot} is named twice"));
        } else if slot > expected {
            return Err(format!("slot {expected} is neither in use nor free"));
        }
    }
    if raw.inserted > Handle::MOST {
        let count = raw.inserted;
        return Err(format!(
            "{count} insertions are more than there can have been"
        ));
    }
    // Check the items, and take their slots.
    let mut tree = LooseOrthtree::new();
    let mut extents = Vec::with_capacity(raw.items.len());
    let none = Slot {
        generation: 0,
        place: NONE,
    };
    tree.core.slots.resize(slots.len(), none);
    for (handle, item) in &raw.items {
        let Handle { slot, generation } = *handle;
        if !handle.is_of(raw.inserted) {
            return Err(format!(
                "the item in slot {slot} has generation {generation}, which is yet to come"
            ));
        }
        let extent = extent_of(item);
        let checked = extent.check().map_err(Error::from);
        checked.map_err(|error| format!("the item in slot {slot}: {error}"))?;
        extents.push(extent);
        tree.core.slots[handle.slot()].generation = generation;
    }
    let in_use: Vec<u32> = raw.items.iter().map(|(handle, _)| handle.slot).collect();
    <ArrayOf<T>>::refill(&mut tree.core, &extents, &in_use);
    let items = raw.items.into_iter();
    tree.core.tree.len = in_use.len();
    tree.items = items.map(|(handle, item)| (handle.slot(), item)).collect();
    tree.core.inserted = raw.inserted;
    Ok(tree)
}
