//! How a tree is asked: boxes and balls by lanes, other regions node by node.

use super::Orthtree;
use super::split::LEAF;
use super::walk::{Count, Fill, Walk};
use crate::query::{BUFFER, by_lanes};
use crate::simd::{LANES, Pile};

/// A leaf goes in whole, with the blocks that it shares at both ends.
const _: () = assert!(BUFFER >= LEAF + 2 * LANES);

by_lanes!(
    Orthtree, key = usize, sink = Pile<'_>,
    walk = Walk, fill = Fill, count = Count
);
