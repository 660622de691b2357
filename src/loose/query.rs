//! How a tree is asked: boxes and balls by lanes, other regions node by node.

use super::LooseOrthtree;
use super::walk::{Count, Fill, Walk};
use crate::query::{HandleSink, by_lanes, queries};
use crate::{Bounded, Handle};

queries!(
    impl[T: Bounded] LooseOrthtree<T>, asked = &Self: |this| this,
    vector = T::Vector, item = T, key = Handle, listed = Handle,
    complexity = "O(log n + answer) for items and regions that are not much longer than wide, nor lie in one place; \
        O(n) at worst."
);

by_lanes!(
    LooseOrthtree, key = Handle, sink = HandleSink<'_>,
    walk = Walk, fill = Fill, count = Count
);
