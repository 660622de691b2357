//! What is near, seen or hit: a spatial index of entities, kept from what changes.
//!
//! Add a [`SpatialPlugin`] for a marker component of yours; ask its [`SpatialIndex`] by what the trait
//! [`SpatialQueries`] has. Answers are those of asking every entity, bit for bit.
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
//! The index is brought up to date in [`PostUpdate`](bevy_app::PostUpdate), in [`SpatialSystems`], after transforms are
//! propagated. Systems that run after that set, and those of the next frame until then, get the places of
//! this frame: what moves in `Update` is found where it was drawn last.
//!
//! # Cost
//!
//! An update takes time for what changed, was added, removed or despawned, and bevy's look at all changed
//! flags. Many entities at once, as in the first update, are put in together.

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

/// All that a program needs.
pub mod prelude {
    pub use crate::{
        Bounds, Layers, PairMessage, SpatialIndex, SpatialPlugin, SpatialQueries, SpatialSystems,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
