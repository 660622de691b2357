//! The crate as it was: what is written here is what `src/lib.rs` had for all of it, the rest is put
//! there by build.rs. So this file is there without a commit's tree, for whatever reads packages.

#![cfg_attr(not(feature = "std"), no_std)]
#![allow(
    warnings,
    macro_expanded_macro_exports_accessed_by_absolute_paths,
    reason = "nobody mends what was"
)]

include!(concat!(env!("OUT_DIR"), "/src/lib.rs"));
