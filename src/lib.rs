//! Quadtrees, octrees and voxel grids that ask one question: does this box meet this sphere?
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod error;
mod handle;
mod overlap;
mod shape;
mod vector;
mod voxel;

pub use error::{Error, ShapeError};
pub use glam;
pub use handle::Handle;
pub use overlap::{Contains, Distance, Overlaps, Region, Relation};
pub use shape::{Aabb, Bounded, Ellipsoid, Hollow, Sphere};
pub use vector::{Scalar, Vector, Voxel};
pub use voxel::{Rule, Span, Spans, VoxelGrid, Voxelize, Voxels};

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("orthant needs square roots: enable the feature `std` (default) or `libm`");
