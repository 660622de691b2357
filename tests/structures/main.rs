//! Each structure against a scan or a model of it, in sets larger and stranger than those of the laws,
//! and what it refuses.

mod batch;
mod broadphase;
mod building;
mod cell_list;
mod orthtree;
mod regressions;
mod scenes;
#[cfg(feature = "serde")]
mod serde;
mod sphere_tree;
