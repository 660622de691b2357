//! Updates an index, by one system for each marker.

use std::fmt;
use std::marker::PhantomData;

use bevy_ecs::change_detection::{DetectChanges, Ref};
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::RemovedComponents;
use bevy_ecs::message::{Message, MessageWriter};
use bevy_ecs::query::{Added, Changed, Or, With};
use bevy_ecs::system::{Query, ResMut, SystemParam};
use bevy_math::Vec3;
use bevy_transform::components::GlobalTransform;
use orthant::{Event, Filter};

use crate::SpatialIndex;
use crate::bounds::{Axes, LocalBounds};
use crate::index::entity_of;

/// The layers of an entity, and the layers that it meets. Two entities meet if each has a layer that the other meets. Without this component, an
/// entity has the first layer and meets all.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layers {
    /// The layers of the entity, a bit for each.
    pub memberships: u32,
    /// The layers that the entity meets, a bit for each.
    pub filters: u32,
}

impl Default for Layers {
    fn default() -> Self {
        Self {
            memberships: 1,
            filters: u32::MAX,
        }
    }
}

impl Layers {
    pub(crate) fn filter(self) -> Filter {
        Filter {
            category: self.memberships.into(),
            mask: self.filters.into(),
            group: 0,
        }
    }
}

/// Two entities with the component `M` began or ceased to be a pair in the [`SpatialIndex<M, V>`]: their boxes overlap,
/// and their layers meet. Each entity may be despawned when its pairs end.
#[derive(Message)]
pub enum PairMessage<M: Send + Sync + 'static, V: Axes = Vec3> {
    /// Two entities are a pair now.
    Began(Entity, Entity, PhantomData<fn() -> (M, V)>),
    /// Two entities are no longer a pair.
    Ended(Entity, Entity, PhantomData<fn() -> (M, V)>),
}

impl<M: Send + Sync + 'static, V: Axes> PairMessage<M, V> {
    /// Returns both entities.
    #[must_use]
    pub fn pair(&self) -> (Entity, Entity) {
        match *self {
            Self::Began(a, b, _) | Self::Ended(a, b, _) => (a, b),
        }
    }
}

impl<M: Send + Sync + 'static, V: Axes> fmt::Debug for PairMessage<M, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Began(..) => "Began",
            Self::Ended(..) => "Ended",
        };
        let (a, b) = self.pair();
        f.debug_tuple(name).field(&a).field(&b).finish()
    }
}

/// The source of an entity's box.
pub(crate) trait Source<V: Axes>: 'static {
    type Component: Component;

    /// Returns the center of the box in the world, and how far it reaches on each axis; none if the component is missing.
    fn place(transform: &GlobalTransform, component: Option<&Self::Component>) -> Option<[V; 2]>;
}

/// A component that no entity has.
#[derive(Component)]
pub(crate) struct Nothing;

/// The positions of entities.
pub(crate) struct Points;

impl<V: Axes> Source<V> for Points {
    type Component = Nothing;

    fn place(transform: &GlobalTransform, _: Option<&Nothing>) -> Option<[V; 2]> {
        Some([V::placed(transform, V::ORIGIN), V::ORIGIN])
    }
}

/// The boxes that a component gives.
pub(crate) struct Boxes<C>(PhantomData<C>);

impl<V: Axes, C: LocalBounds<V>> Source<V> for Boxes<C> {
    type Component = C;

    fn place(transform: &GlobalTransform, component: Option<&C>) -> Option<[V; 2]> {
        let [center, half_size] = component?.local_bounds();
        Some([V::placed(transform, center), V::reach(transform, half_size)])
    }
}

/// The changes on which an entity's place depends.
type Changes<M, C> = Or<(
    Changed<GlobalTransform>,
    Changed<C>,
    Changed<Layers>,
    Added<M>,
)>;

/// The removed components that may take an entity out of the index, or bring it back.
#[derive(SystemParam)]
pub(crate) struct Removed<'w, 's, M: Component, C: Component> {
    marker: RemovedComponents<'w, 's, M>,
    transform: RemovedComponents<'w, 's, GlobalTransform>,
    component: RemovedComponents<'w, 's, C>,
    layers: RemovedComponents<'w, 's, Layers>,
    disabled: RemovedComponents<'w, 's, Disabled>,
}

impl<M: Component, C: Component> Removed<'_, '_, M, C> {
    /// Returns the entities that lost a component, some more than once.
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let [marker, transform] = [self.marker.read(), self.transform.read()];
        let [component, layers] = [self.component.read(), self.layers.read()];
        marker.chain(transform).chain(component).chain(layers)
    }

    /// Returns true if removals were forgotten, since nobody read them for two frames.
    fn is_incomplete(&self) -> bool {
        is_incomplete(&self.marker)
            || is_incomplete(&self.transform)
            || is_incomplete(&self.component)
            || is_incomplete(&self.layers)
            || is_incomplete(&self.disabled)
    }
}

fn is_incomplete<T: Component>(removed: &RemovedComponents<T>) -> bool {
    let messages = removed.messages();
    messages.is_some_and(|messages| removed.reader().missed_messages(messages) > 0)
}

/// All entities that have the marker and a place.
type Members<'w, 's, M, C> = Query<
    'w,
    's,
    (
        Entity,
        &'static GlobalTransform,
        Option<&'static C>,
        Option<&'static Layers>,
    ),
    With<M>,
>;

/// The members that changed.
type ChangedMembers<'w, 's, M, C> = Query<
    'w,
    's,
    (
        Entity,
        &'static GlobalTransform,
        Option<&'static C>,
        Option<Ref<'static, Layers>>,
    ),
    (With<M>, Changes<M, C>),
>;

/// Brings an index up to date.
///
/// ```text
/// remove the entities that lost a component or were disabled, unless they still have a place
/// insert those that were enabled again
/// of those that changed, update the box and layers of known ones, and insert the others together
/// ```
///
/// If the system did not run for some frames, bevy has forgotten removals, so all entities are checked.
pub(crate) fn keep<M: Component, V: Axes, S: Source<V>>(
    mut index: ResMut<SpatialIndex<M, V>>,
    all: Members<M, S::Component>,
    changed: ChangedMembers<M, S::Component>,
    disabled: Query<Entity, (With<M>, Added<Disabled>)>,
    mut removed: Removed<M, S::Component>,
) {
    let index = &mut *index;
    let place = |entity| {
        let (_, transform, component, layers) = all.get(entity).ok()?;
        let [center, reach] = S::place(transform, component)?;
        let layers = layers.copied().unwrap_or_default();
        Some((V::cuboid(center, reach)?, layers.filter()))
    };
    let (mut doubtful, mut enabled) = (Vec::new(), Vec::new());
    if removed.is_incomplete() {
        doubtful.extend(index.handles.entities());
        doubtful.extend(&index.refused);
        enabled.extend(all.iter().map(|member| member.0));
    }
    doubtful.extend(removed.read().chain(&disabled));
    for entity in doubtful {
        match (place(entity), index.handles.get(entity)) {
            (Some((_, filter)), Some(handle)) => index.world.set_filter(handle, filter),
            (Some(_), None) => {}
            (None, _) => index.leave(entity),
        }
    }
    enabled.extend(removed.disabled.read());
    enabled.sort_unstable();
    enabled.dedup();
    enabled.retain(|&entity| index.handles.get(entity).is_none() && place(entity).is_some());
    index.join(
        &enabled,
        enabled.iter().filter_map(|&entity| place(entity)).collect(),
    );
    let (mut entities, mut bodies) = (Vec::new(), Vec::new());
    for (entity, transform, component, layers) in &changed {
        let Some([center, reach]) = S::place(transform, component) else {
            index.leave(entity);
            continue;
        };
        let Some(bounds) = V::cuboid(center, reach) else {
            index.refuse(entity, center, reach);
            continue;
        };
        if let Some(handle) = index.handles.get(entity) {
            index.world.set_bounds(handle, bounds);
            if let Some(layers) = layers.filter(Ref::is_changed) {
                index.world.set_filter(handle, layers.filter());
            }
        } else {
            let layers = layers.map_or_else(Layers::default, |layers| *layers);
            entities.push(entity);
            bodies.push((bounds, layers.filter()));
        }
    }
    index.join(&entities, bodies);
}

/// Finds pairs, and sends messages of those that began and ended.
pub(crate) fn tell_pairs<M: Component, V: Axes>(
    mut index: ResMut<SpatialIndex<M, V>>,
    mut messages: MessageWriter<PairMessage<M, V>>,
) {
    index.world.update();
    let world = &index.world;
    messages.write_batch(world.events().iter().map(|event| {
        let (a, b) = event.pair();
        let [a, b] = [a, b].map(|handle| entity_of(world, handle));
        match event {
            Event::Begin(..) => PairMessage::Began(a, b, PhantomData),
            Event::End(..) => PairMessage::Ended(a, b, PhantomData),
        }
    }));
}

/// Sorts changed bodies into the tree, so that queries find them fast, if nobody wants pairs.
pub(crate) fn settle<M: Component, V: Axes>(mut index: ResMut<SpatialIndex<M, V>>) {
    index.world.refresh();
}
