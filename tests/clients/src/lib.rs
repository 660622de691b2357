//! Real programs that use the crate.
