//! What keeps an index up to date: one system for each marker.

use std::marker::PhantomData;

use bevy_ecs::change_detection::{DetectChanges, Ref};
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::lifecycle::RemovedComponents;
use bevy_ecs::message::{Message, MessageWriter};
use bevy_ecs::query::{Added, Changed, Or, With};
use bevy_ecs::system::{Query, ResMut};
use bevy_transform::components::GlobalTransform;
use orthant::{Aabb, BodyInfo, Event, Filter, Motion};

use crate::SpatialIndex;
use crate::bounds::{Axes, LocalBounds};
use crate::index::{Handles, entity_of};

/// Which layers an entity is of, and which it meets: two entities meet if each is of a layer that the other meets.
/// Without it, an entity is of the first layer and meets all.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layers {
    /// A bit for each layer that it is of.
    pub memberships: u32,
    /// The layers that it meets.
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

/// Two entities with the component `M` began or ceased to be a pair: their boxes overlap, and their layers meet.
/// Each entity may be despawned when its pairs end.
#[derive(Message, Debug)]
pub enum PairMessage<M: Send + Sync + 'static> {
    /// They are a pair now.
    Began(Entity, Entity, PhantomData<fn() -> M>),
    /// They were.
    Ended(Entity, Entity, PhantomData<fn() -> M>),
}

impl<M: Send + Sync + 'static> PairMessage<M> {
    /// Both entities.
    #[must_use]
    pub fn pair(&self) -> (Entity, Entity) {
        match *self {
            Self::Began(a, b, _) | Self::Ended(a, b, _) => (a, b),
        }
    }
}

/// Where an entity's box comes from.
pub(crate) trait Source<V: Axes>: 'static {
    type Component: Component;

    /// None if what it comes from is not there, or an error of what is not finite.
    fn cuboid(
        transform: &GlobalTransform,
        component: Option<&Self::Component>,
    ) -> Option<Aabb<V::Array>>;
}

/// No entity has it.
#[derive(Component)]
pub(crate) struct Nothing;

/// Places.
pub(crate) struct Points;

impl<V: Axes> Source<V> for Points {
    type Component = Nothing;

    fn cuboid(transform: &GlobalTransform, _: Option<&Nothing>) -> Option<Aabb<V::Array>> {
        let place = V::placed(transform, V::ORIGIN);
        V::cuboid(place, V::ORIGIN)
    }
}

/// Boxes of a component.
pub(crate) struct Boxes<C>(PhantomData<C>);

impl<V: Axes, C: LocalBounds<V>> Source<V> for Boxes<C> {
    type Component = C;

    fn cuboid(transform: &GlobalTransform, component: Option<&C>) -> Option<Aabb<V::Array>> {
        let [center, half_size] = component?.local_bounds();
        V::cuboid(V::placed(transform, center), V::reach(transform, half_size))
    }
}

/// What changed that an entity's place depends on.
type Changes<M, C> = Or<(
    Changed<GlobalTransform>,
    Changed<C>,
    Changed<Layers>,
    Added<M>,
)>;

/// Brings an index up to date.
///
/// ```text
/// those that lost a component, and have no box now, leave
/// those that changed: known ones are told their box and layers, the others are put in together
/// ```
#[allow(
    clippy::type_complexity,
    reason = "a system says what it reads by its types"
)]
pub(crate) fn keep<M: Component, V: Axes, S: Source<V>>(
    mut index: ResMut<SpatialIndex<M, V>>,
    all: Query<(&GlobalTransform, Option<&S::Component>, Option<&Layers>), With<M>>,
    changed: Query<
        (
            Entity,
            &GlobalTransform,
            Option<&S::Component>,
            Option<Ref<Layers>>,
        ),
        (With<M>, Changes<M, S::Component>),
    >,
    (mut no_marker, mut no_transform, mut no_box, mut no_layers): (
        RemovedComponents<M>,
        RemovedComponents<GlobalTransform>,
        RemovedComponents<S::Component>,
        RemovedComponents<Layers>,
    ),
) {
    let SpatialIndex {
        world,
        handles,
        gone,
        ..
    } = &mut *index;
    gone.clear();
    let mut leave = |handles: &mut Handles, world: &mut orthant::Broadphase<_>, entity| {
        if let Some(handle) = handles.remove(entity) {
            world.remove(handle);
            gone.insert(handle.slot(), entity);
        }
    };
    let lost = no_marker
        .read()
        .chain(no_transform.read())
        .chain(no_box.read());
    for entity in lost {
        let cuboid = all
            .get(entity)
            .ok()
            .and_then(|(at, of, _)| S::cuboid(at, of));
        if cuboid.is_none() {
            leave(handles, world, entity);
        }
    }
    for entity in no_layers.read() {
        if let (Some(handle), Ok((_, _, None))) = (handles.get(entity), all.get(entity)) {
            world.set_filter(handle, Layers::default().filter());
        }
    }
    let (mut entities, mut bodies) = (Vec::new(), Vec::new());
    for (entity, transform, component, layers) in &changed {
        let Some(cuboid) = S::cuboid(transform, component) else {
            if !transform.affine().is_finite() {
                log::warn!("{entity} is left out: its transform has infinite or NaN numbers");
            }
            leave(handles, world, entity);
            continue;
        };
        if let Some(handle) = handles.get(entity) {
            world.set_bounds(handle, cuboid);
            if let Some(layers) = layers.filter(Ref::is_changed) {
                world.set_filter(handle, layers.filter());
            }
        } else {
            let layers = layers.map_or_else(Layers::default, |layers| *layers);
            let info = BodyInfo::from(Motion::Dynamic).with_filter(layers.filter());
            entities.push(entity);
            bodies.push((cuboid, info.with_user(entity.to_bits())));
        }
    }
    for (entity, handle) in entities.into_iter().zip(world.insert_batch(bodies)) {
        handles.insert(entity, handle);
    }
}

/// Searches for pairs, and tells of those that began and ended.
pub(crate) fn tell_pairs<M: Component, V: Axes>(
    mut index: ResMut<SpatialIndex<M, V>>,
    mut messages: MessageWriter<PairMessage<M>>,
) {
    let SpatialIndex { world, gone, .. } = &mut *index;
    world.update();
    let world = &*world;
    messages.write_batch(world.events().iter().map(|event| {
        let (a, b) = event.pair();
        let of = |handle: orthant::Handle| match world.contains(handle) {
            true => entity_of(world, handle),
            false => gone[&handle.slot()],
        };
        match event {
            Event::Begin(..) => PairMessage::Began(of(a), of(b), PhantomData),
            Event::End(..) => PairMessage::Ended(of(a), of(b), PhantomData),
        }
    }));
}

/// Puts what moved where questions find it fast, where nobody wants pairs.
pub(crate) fn settle<M: Component, V: Axes>(mut index: ResMut<SpatialIndex<M, V>>) {
    index.world.refresh();
}
