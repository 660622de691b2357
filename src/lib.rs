//! Quadtrees, octrees and voxel grids that ask one question: does this box meet this sphere?
//!
//! Three jobs stand on it, in two and three dimensions, in single and double precision:
//!
//! **What is near this point?** Build a tree once, query it often.
//!
//! ```
//! use orthant::{Octree, Sphere, glam::Vec3};
//!
//! let points = [Vec3::ZERO, Vec3::X, Vec3::splat(9.0)];
//! let tree = Octree::new(&points);
//! let mut near: Vec<usize> = tree.query(Sphere::new(Vec3::ZERO, 2.0)).collect();
//! near.sort();
//! assert_eq!(near, [0, 1]);
//! assert_eq!(tree.nearest(Vec3::splat(8.0)).unwrap().item, 2);
//! ```
//!
//! **Which voxels does this sphere touch?** List them one by one, row by row, in bricks of eight on each
//! axis or as the cells of an octree, by one of six [rules](Rule), in chunks, or only count them.
//!
//! ```
//! # #[cfg(feature = "voxels")] {
//! use orthant::{Hollow, Sphere, VoxelGrid, glam::Vec3};
//!
//! let grid = VoxelGrid::new(Vec3::ZERO, 0.25); // origin, voxel size
//! let skin = Hollow(Sphere::new(Vec3::ZERO, 2.0));
//! let voxels: Vec<_> = grid.voxels(skin).collect();
//! assert_eq!(voxels.len() as u64, grid.count(skin));
//! # }
//! ```
//!
//! **Which of these bodies may collide?** Move boxes and balls, and read which pairs begin and end.
//!
//! ```
//! # #[cfg(feature = "broadphase")] {
//! use orthant::{Aabb, Broadphase, Event, Motion, glam::Vec2};
//!
//! let unit = |x: f32| Aabb::new(Vec2::new(x, 0.0), Vec2::new(x + 1.0, 1.0));
//! let mut world = Broadphase::new();
//! let wall = world.insert(unit(0.0), Motion::Static);
//! let ball = world.insert(unit(3.0), Motion::Dynamic);
//! world.update();
//! world.set_bounds(ball, unit(0.5));
//! assert_eq!(world.update(), [Event::Begin(wall, ball)]);
//! # }
//! ```
//!
//! The [`guide`] says how to use each structure, in games, engines, point clouds, molecules and on the globe. It also
//! lists the calls of other crates beside those of this one.
//!
//! # Which structure?
//!
//! | items | structure |
//! |---|---|
//! | points, boxes or spheres that stay | [`Orthtree`] ([`Quadtree`], [`Octree`], [`DQuadtree`], [`DOctree`]) |
//! | points that all move, all pairs within a radius | [`CellList`]; with a radius each, [`CellLevels`] |
//! | items that come, move and go | [`LooseOrthtree`] ([`LooseQuadtree`], [`LooseOctree`]) |
//! | moving boxes and balls, all overlapping pairs | [`Broadphase`] |
//! | the balls of one rigid body, wherever it is | [`SphereTree`] |
//! | some dozens of items; thousands of items and one shape | [`Linear`], the scan |
//! | none: regions turned into voxels | [`VoxelGrid`] |
//! | sets of voxels, to be combined and flooded | [`BrickSet`]; for a dense block of voxels: [`BitGrid`] |
//!
//! [`Periodic`] queries any [`SpatialIndex`] in a periodic box. Other structures overtake the scan at 20 to 250
//! items; the [`guide`] has the figures, and says what defeats trees.
//!
//! Trees, [`CellList`], [`CellLevels`], [`Broadphase`] and the scan are each a [`SpatialIndex`], the trait that has
//! all queries: `query`, `visit`, `count` and `query_batch` for every [`Region`], `nearest` and `nearest_n`, and
//! `sweep` and `sweep_all` for [`Moving`] spheres and boxes. Regions are points, [`Sphere`], [`Shell`],
//! [`Ellipsoid`], [`Aabb`], in space [`Hexahedron`] and [`Frustum`], their surfaces ([`Hollow`]), balls by other
//! norms ([`NormBall`]), shapes of yours, and combinations of regions ([`Union`], [`Intersection`], [`Difference`],
//! [`Complement`]).
//!
//! # The promise
//!
//! Every [`SpatialIndex`] answers exactly what [`Linear`], a scan with the same predicate, answers: bit for bit, at
//! ties, far from the origin, for coincident points. Shapes are closed sets, so touching counts. The predicates are
//! plain sums of squares in one fixed order, without fused multiply-add; rounding is monotone, so what such a sum
//! says about a cell holds for everything in it ([`Region`] has the law). Searches for pairs find exactly the pairs
//! that a loop over all pairs finds, and voxelization exactly the voxels that a test of every voxel finds. Answers
//! and their order do not depend on the machine, the number of threads or the build.
//!
//! Predicates compute in the scalar of their vectors. The chapter [Precision](guide::precision#precision) says what
//! that means for squares that overflow or vanish.
//!
//! # Bad input
//!
//! Constructors check: `new` and `insert` panic and say what is wrong, `try_new` and `try_insert` return an error
//! that names the item. After that no query fails or panics, with two exceptions, both for indices beyond 32 bits
//! ([Bad input](guide::precision#bad-input)).
//!
//! # Features
//!
//! Trees, the scan, [`Periodic`] boxes and shapes are always there. A feature adds to them, and changes no answer:
//!
//! | feature | what it adds |
//! |---|---|
//! | `std` (default) | square roots from the standard library; without it the crate is `no_std` with `alloc`, and needs `libm` |
//! | `cells` (default) | [`CellList`] and [`CellLevels`] |
//! | `voxels` (default) | [`VoxelGrid`], [`BrickSet`], [`BitGrid`] and [`SignedDistance`] |
//! | `broadphase` (default) | [`Broadphase`] and [`SphereTree`] |
//! | `libm` | square roots without the standard library |
//! | `f64` | inner loops for `f64` compiled inside the crate, as those for `f32` are, which doubles the time of compiling it. Without it vectors of `f64` work too, but their loops are compiled in your crate, at each edit: see [`DOctree`] |
//! | `all_axes` | inner loops for vectors of one and four axes compiled inside the crate; for `f64` together with that feature |
//! | `exact` | the module `exact`, predicates that are right for every finite input |
//! | `rayon` | builds, batches, lists, unions of regions and steps of a [`Broadphase`] on several threads |
//! | `serde` | shapes, grids, sets of voxels, lists, [`Broadphase`], [`LooseOrthtree`], [`SphereTree`] and handles as serde values, which are validated when they are read |
//! | `glam032`, `glam033` | the vectors, quaternions and matrices of glam 0.32 (bevy 0.19) and of glam 0.33 (bevy 0.20, avian3d 0.8, parry3d 0.31, rapier3d 0.36), any number of them at once |
//!
//! A program that only needs trees compiles only these:
//!
//! ```toml
//! orthant = { version = "0.2", default-features = false, features = ["std"] }
//! ```
//!
//! [`glam`] 0.34 is re-exported here, and needs no feature; arrays are vectors too, for any other maths crate.
//! The oldest compiler is Rust 1.89.
#![cfg_attr(not(feature = "std"), no_std)]
// Items that need a feature say so in the documentation, which a nightly compiler makes.
#![cfg_attr(docsrs, feature(doc_cfg))]
// If a feature is off, some functions that only its modules call have no caller.
#![cfg_attr(
    not(all(feature = "cells", feature = "voxels", feature = "broadphase")),
    allow(unused, unreachable_pub, reason = "used by rooms that are features")
)]

extern crate alloc;

#[cfg(feature = "voxels")]
mod bit_grid;
mod bits;
#[cfg(feature = "voxels")]
mod bricks;
#[cfg(feature = "broadphase")]
mod broadphase;
mod candidates;
#[cfg(feature = "cells")]
mod cell_list;
mod enclosing;
mod error;
mod groups;
// The examples of the guide use all of these features.
#[cfg(any(
    not(doctest),
    all(feature = "cells", feature = "voxels", feature = "broadphase")
))]
pub mod guide;
mod handle;
mod kernels;
mod lattice;
mod linear;
mod lists;
mod loose;
mod nearest;
mod norm;
mod orthtree;
mod overlap;
mod parallel;
mod periodic;
mod query;
mod rigid;
mod shape;
#[cfg(feature = "voxels")]
mod signed;
mod simd;
mod sort;
#[cfg(feature = "broadphase")]
mod sphere_tree;
mod sweep;
mod vector;
mod vector_types;
#[cfg(feature = "voxels")]
mod voxel;
mod wide_nodes;
mod with;

#[cfg(feature = "voxels")]
pub use bit_grid::BitGrid;
#[cfg(feature = "voxels")]
pub use bricks::{Adjacency, BrickSet, BrickSetVoxels};
#[cfg(feature = "broadphase")]
pub use broadphase::{BodyInfo, Broadphase, Event, Filter, Filtered, Motion, Volume};
#[cfg(feature = "cells")]
pub use cell_list::{CellGrid, CellLevels, CellList, NeighborInImage, Reach};
pub use error::{Error, ShapeError};
pub use glam;
pub use groups::Groups;
pub use handle::Handle;
pub use linear::Linear;
pub use lists::{Keys, List, Listed, Lists, NeighborLists};
pub use loose::{LooseOctree, LooseOrthtree, LooseQuadtree};
pub use nearest::{Nearest, NearestLists};
pub use norm::{Chebyshev, DistanceBy, Manhattan, Norm, NormBall, Weighted};
pub use orthtree::{DOctree, DQuadtree, Octree, Orthtree, Quadtree, SavedOrthtree};
#[cfg(feature = "exact")]
pub use overlap::exact;
pub use overlap::variants;
pub use overlap::{
    Complement, Contains, Difference, Distance, Intersection, Overlaps, Region, Relation,
    RoundedBox, Union,
};
pub use periodic::{Periodic, Translate};
pub use query::{ByDistance, ByNorm, Hit, Key, NearestBy, Packed, Query, SpatialIndex};
pub use rigid::{Rigid, Rotation};
#[doc(hidden)]
pub use shape::Layout;
pub use shape::{
    Aabb, Bounded, ConvexSolid, Ellipsoid, Frustum, Hexahedron, Hollow, Matrix4, Plane,
    Quadrilateral, Shell, Side, Sphere,
};
#[cfg(feature = "voxels")]
pub use signed::{Distances, Field, SignedDistance};
pub use simd::InstructionSet;
#[cfg(feature = "broadphase")]
pub use sphere_tree::{MovedTree, SphereTree};
pub use sweep::{Impact, Mover, Moving, Ray, Sweep, Times};
pub use vector::{Bricked, Planar, Scalar, Space, Vector, Voxel, safe_lengths};
#[cfg(feature = "voxels")]
pub use voxel::{Brick, Bricks, Cell, Cells, Rule, Span, Spans, VoxelGrid, Voxelize, Voxels};
pub use with::With;

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("orthant needs square roots: enable the feature `std` (default) or `libm`");

#[cfg(all(doctest, feature = "cells", feature = "voxels", feature = "broadphase"))]
#[doc = include_str!("../README.md")]
struct Readme;
