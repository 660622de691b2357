//! Compares each structure with a scan or a model, on larger and stranger sets than those of the laws, and with invalid input.

mod all;
#[path = "../shared/balls.rs"]
mod balls;
mod batch;
mod broadphase;
mod building;
#[path = "../shared/cases.rs"]
mod cases;
mod cell_list;
mod collections;
mod debug;
#[cfg(feature = "serde")]
mod formats;
mod groups;
#[cfg(feature = "serde")]
mod hostile;
#[path = "../shared/lattice.rs"]
mod lattice;
mod norms;
mod orthtree;
mod scales;
mod scenes;
#[cfg(feature = "serde")]
mod serde;
mod solid_items;
mod solids;
mod sphere_tree;
mod stack;
mod two_trees;
mod with;
