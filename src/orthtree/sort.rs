//! Keys that items are sorted by.

pub(super) use crate::sort::sort;

/// A code above an index.
pub(super) type Key = u64;
