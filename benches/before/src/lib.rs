//! The crate at an earlier commit. This file has the inner attributes of that commit's `src/lib.rs`; build.rs includes the rest. So the file
//! exists without the commit's tree, for tools that read packages.

#![cfg_attr(not(feature = "std"), no_std)]
#![allow(
    warnings,
    macro_expanded_macro_exports_accessed_by_absolute_paths,
    reason = "nobody mends what was"
)]

include!(concat!(env!("OUT_DIR"), "/src/lib.rs"));
