//! The plugin, which says which entities are kept, and by which place.

use std::fmt;
use std::marker::PhantomData;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::component::Component;
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy_math::{Vec2, Vec3};
use bevy_transform::TransformSystems;

use crate::bounds::{Axes, LocalBounds};
use crate::sync::{Boxes, Points, Source, keep, settle, tell_pairs};
use crate::{PairMessage, SpatialIndex};

/// The set in which indices are updated: in `PostUpdate`, after transforms are propagated.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpatialSystems;

/// Keeps a [`SpatialIndex`] of the entities with the component `M`.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_math::{Vec2, Vec3};
/// use bevy_orthant::prelude::*;
/// use bevy_transform::prelude::*;
///
/// #[derive(Component)]
/// struct Crate;
/// #[derive(Component)]
/// struct Token;
///
/// let mut app = App::new();
/// app.add_plugins(TransformPlugin);
/// app.add_plugins(SpatialPlugin::<Crate>::new().with_boxes::<Bounds>().with_pairs());
/// app.add_plugins(SpatialPlugin::<Token, Vec2>::in_plane());
/// let unit = Bounds { center: Vec3::ZERO, half_size: Vec3::ONE };
/// app.world_mut().spawn((Crate, unit, Transform::default()));
/// app.world_mut().spawn((Crate, unit, Transform::from_xyz(1.5, 0.0, 0.0)));
/// app.add_systems(Last, |crates: Res<SpatialIndex<Crate>>, mut news: MessageReader<PairMessage<Crate>>| {
///     assert_eq!((crates.pairs().len(), news.read().count()), (1, 1));
/// });
/// app.update();
/// ```
pub struct SpatialPlugin<M, V = Vec3> {
    /// Adds the systems, with or without pairs.
    add: fn(&mut App, bool),
    with_pairs: bool,
    of: PhantomData<fn() -> (M, V)>,
}

impl<M: Component> SpatialPlugin<M> {
    /// Makes a plugin for entities in space, as points at their `GlobalTransform`.
    #[must_use]
    pub fn new() -> Self {
        Self::of_points()
    }
}

impl<M: Component> SpatialPlugin<M, Vec2> {
    /// Makes a plugin for entities in the plane, as points at `x` and `y` of their `GlobalTransform`.
    #[must_use]
    pub fn in_plane() -> Self {
        Self::of_points()
    }
}

impl<M: Component, V: Axes> SpatialPlugin<M, V> {
    fn of_points() -> Self {
        Self {
            add: add_systems::<M, V, Points>,
            with_pairs: false,
            of: PhantomData,
        }
    }

    /// Uses boxes instead of points, given by a component: [`Bounds`](crate::Bounds), one of yours, or, with the feature `camera`, bevy's
    /// `Aabb`. Entities without the component are left out.
    #[must_use]
    pub fn with_boxes<C: LocalBounds<V>>(self) -> Self {
        Self {
            add: add_systems::<M, V, Boxes<C>>,
            ..self
        }
    }

    /// Keeps [`pairs`](SpatialIndex::pairs), and sends a [`PairMessage`] for each pair that begins or ends.
    #[must_use]
    pub fn with_pairs(self) -> Self {
        Self {
            with_pairs: true,
            ..self
        }
    }
}

impl<M: Component> Default for SpatialPlugin<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M, V> fmt::Debug for SpatialPlugin<M, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpatialPlugin")
            .field("with_pairs", &self.with_pairs)
            .finish_non_exhaustive()
    }
}

impl<M: Component, V: Axes> Plugin for SpatialPlugin<M, V> {
    fn build(&self, app: &mut App) {
        app.insert_resource(SpatialIndex::<M, V>::new(self.with_pairs));
        app.configure_sets(
            PostUpdate,
            SpatialSystems.after(TransformSystems::Propagate),
        );
        // That set gives boxes to entities that were spawned in this frame.
        #[cfg(feature = "camera")]
        app.configure_sets(
            PostUpdate,
            SpatialSystems.after(bevy_camera::visibility::VisibilitySystems::CalculateBounds),
        );
        if self.with_pairs {
            app.add_message::<PairMessage<M, V>>();
        }
        (self.add)(app, self.with_pairs);
    }
}

fn add_systems<M: Component, V: Axes, S: Source<V>>(app: &mut App, with_pairs: bool) {
    let keep = keep::<M, V, S>;
    let systems = if with_pairs {
        (keep, tell_pairs::<M, V>).chain()
    } else {
        (keep, settle::<M, V>).chain()
    };
    app.add_systems(PostUpdate, systems.in_set(SpatialSystems));
}
