//! Quadtrees, octrees and voxel grids that ask one question: does this box meet this sphere?
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod broadphase;
mod cell_list;
mod error;
mod handle;
mod linear;
mod lists;
mod loose;
mod nearest;
mod orthtree;
mod overlap;
mod query;
mod shape;
mod vector;
mod voxel;

pub use broadphase::{Broadphase, Event, Motion};
pub use cell_list::CellList;
pub use error::{Error, ShapeError};
pub use glam;
pub use handle::Handle;
pub use linear::Linear;
pub use lists::Lists;
pub use loose::{LooseOctree, LooseOrthtree, LooseQuadtree};
pub use nearest::Neighbor;
pub use orthtree::{DOctree, DQuadtree, Octree, Orthtree, Quadtree};
pub use overlap::{Contains, Distance, Overlaps, Region, Relation};
pub use query::Query;
pub use shape::{Aabb, Bounded, Ellipsoid, Hollow, Sphere};
pub use vector::{Scalar, Vector, Voxel};
pub use voxel::{Rule, Span, Spans, VoxelGrid, Voxelize, Voxels};

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("orthant needs square roots: enable the feature `std` (default) or `libm`");
