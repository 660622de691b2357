//! A spatial index of entities, updated from what changes: which are near, seen or hit.
//!
//! Add a [`SpatialPlugin`] for a marker component of yours, and query its [`SpatialIndex`] by the trait [`SpatialQueries`]. Answers are those of
//! testing every entity, bit for bit.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_math::Vec3;
//! use bevy_orthant::prelude::*;
//! use bevy_transform::prelude::*;
//!
//! #[derive(Component)]
//! struct Ship;
//!
//! let mut app = App::new();
//! app.add_plugins((TransformPlugin, SpatialPlugin::<Ship>::new()));
//! let near = app.world_mut().spawn((Ship, Transform::from_xyz(1.0, 0.0, 0.0))).id();
//! app.world_mut().spawn((Ship, Transform::from_xyz(9.0, 0.0, 0.0)));
//! app.add_systems(Last, move |ships: Res<SpatialIndex<Ship>>| {
//!     assert!(ships.within(Vec3::ZERO, 2.0).eq([near]));
//!     assert_eq!(ships.nearest(Vec3::ZERO), Some((near, 1.0)));
//! });
//! app.update();
//! ```
//!
//! # When
//!
//! The index is updated in [`PostUpdate`](bevy_app::PostUpdate), in [`SpatialSystems`], after transforms are propagated. Systems after that set,
//! and those of the next frame before it, get the positions of this frame: an entity that moves in `Update` is found where it was drawn last.
//!
//! # Entities that are gone
//!
//! An entity that is despawned, or loses the marker, stays in the index until its next update, at its last position. So a query later in the
//! frame may return an entity that no longer exists. Filter with a `Query` that matches the entity: its `contains` filters the answers of
//! [`within`](SpatialQueries::within) and others; use [`by_distance`](SpatialQueries::by_distance) and
//! [`cast_ray_all`](SpatialQueries::cast_ray_all), which go on to the next entity where `nearest` and `cast_ray` stop at the first.
//!
//! ```
//! use bevy_ecs::prelude::*;
//! use bevy_math::Vec3;
//! use bevy_orthant::prelude::*;
//!
//! # #[derive(Component)]
//! # struct Ship;
//! fn nearest_of_those_that_exist(index: Res<SpatialIndex<Ship>>, ships: Query<(), With<Ship>>) {
//!     let near = index.within(Vec3::ZERO, 2.0).filter(|&ship| ships.contains(ship));
//!     assert_eq!(near.count(), 0);
//!     let nearest = index.by_distance(Vec3::ZERO).find(|&(ship, _)| ships.contains(ship));
//!     assert_eq!(nearest, None);
//! }
//! # use bevy_app::prelude::*;
//! # let mut app = App::new();
//! # app.add_plugins((bevy_transform::prelude::TransformPlugin, SpatialPlugin::<Ship>::new()));
//! # let at = bevy_transform::prelude::Transform::from_xyz(1.0, 0.0, 0.0);
//! # let ship = app.world_mut().spawn((Ship, at)).id();
//! # app.update();
//! # app.world_mut().despawn(ship);
//! # assert_eq!(app.world().resource::<SpatialIndex<Ship>>().len(), 1);
//! # app.add_systems(Update, nearest_of_those_that_exist);
//! # app.update();
//! ```
//!
//! # Cost
//!
//! An update takes time for the entities that changed, were added, removed or despawned, and for bevy's check of all change flags. Many new
//! entities, as in the first update, are inserted together.

#[cfg(feature = "avian")]
pub mod avian;
mod bounds;
mod handles;
mod index;
mod plugin;
mod sync;

pub use bounds::{Bounds, LocalBounds};
pub use index::{Filtered, SpatialIndex, SpatialQueries};
pub use plugin::{SpatialPlugin, SpatialSystems};
pub use sync::{Layers, PairMessage};

/// The names that most programs need.
pub mod prelude {
    pub use crate::{
        Bounds, Layers, PairMessage, SpatialIndex, SpatialPlugin, SpatialQueries, SpatialSystems,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
