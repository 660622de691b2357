//! The index of entities, and its queries.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_math::{Mat4, Vec3};
use orthant::{
    Aabb, BodyInfo, Broadphase, Filter, Frustum, Handle, Motion, Ray, Region, Sphere, Volume,
};

use crate::Layers;
use crate::bounds::Axes;
use crate::handles::Handles;

/// The entities with the component `M`, in space ([`Vec3`]) or in the plane ([`Vec2`](bevy_math::Vec2)). A
/// [`SpatialPlugin`](crate::SpatialPlugin) keeps it up to date, and [`SpatialQueries`] queries it.
#[derive(Resource)]
pub struct SpatialIndex<M: 'static, V: Axes = Vec3> {
    pub(crate) world: Broadphase<V::Array>,
    pub(crate) handles: Handles,
    /// The entities that have all components but are left out, since their place is invalid.
    pub(crate) refused: HashSet<Entity>,
    marker: PhantomData<fn() -> M>,
}

impl<M, V: Axes> SpatialIndex<M, V> {
    /// Makes an index without entities. Pairs cost more than everything else, so they are found only on request.
    pub(crate) fn new(with_pairs: bool) -> Self {
        let world = Broadphase::new();
        Self {
            world: if with_pairs {
                world
            } else {
                world.without_pairs()
            },
            handles: Handles::default(),
            refused: HashSet::new(),
            marker: PhantomData,
        }
    }

    /// Removes an entity, if it is in the index.
    pub(crate) fn leave(&mut self, entity: Entity) {
        self.refused.remove(&entity);
        if let Some(handle) = self.handles.remove(entity) {
            self.world.remove(handle);
        }
    }

    /// Removes an entity whose place is invalid, and logs that once.
    pub(crate) fn refuse(&mut self, entity: Entity, center: V, reach: V) {
        if self.refused.contains(&entity) {
            return;
        }
        self.leave(entity);
        self.refused.insert(entity);
        let marker = std::any::type_name::<M>();
        log::warn!(
            "{entity} is left out of the index of {marker}: its box about {center:?}, to each side {reach:?}, is none"
        );
    }

    /// Adds entities that are not in the index.
    pub(crate) fn join(&mut self, entities: &[Entity], bodies: Vec<(Aabb<V::Array>, Filter)>) {
        let bodies = entities.iter().zip(bodies);
        let bodies = bodies.map(|(entity, (bounds, filter))| {
            let info = BodyInfo::from(Motion::Dynamic).with_filter(filter);
            (bounds, info.with_user(entity.to_bits()))
        });
        let handles = self.world.insert_batch(bodies);
        for (&entity, handle) in entities.iter().zip(handles) {
            if !self.refused.is_empty() {
                self.refused.remove(&entity);
            }
            if let Some(older) = self.handles.insert(entity, handle) {
                self.world.remove(older);
            }
        }
    }
}

impl<M, V: Axes> fmt::Debug for SpatialIndex<M, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpatialIndex").field(&self.len()).finish()
    }
}

impl<M, V: Axes> SpatialIndex<M, V> {
    /// Returns the number of entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.world.len()
    }

    /// Returns true if there are no entities.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.world.is_empty()
    }

    /// Returns true if an entity is in the index: it has the marker, a transform and the plugin's other components, all with finite numbers.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.handles.get(entity).is_some()
    }

    /// Returns the box of an entity in the world; both corners are its position, if it is a point.
    #[must_use]
    pub fn bounds(&self, entity: Entity) -> Option<Aabb<V::Array>> {
        self.world.bounds(self.handles.get(entity)?)
    }

    /// Returns the entities that an entity with these layers would meet, for [`SpatialQueries`].
    #[must_use]
    pub fn filtered(&self, layers: Layers) -> Filtered<'_, V> {
        Filtered {
            bodies: self.world.filtered(layers.filter()),
            world: &self.world,
        }
    }

    /// Returns each pair of entities whose boxes overlap, and whose layers meet, once; points are a pair if they coincide. Pairs are kept only
    /// with [`with_pairs`](crate::SpatialPlugin::with_pairs).
    #[must_use]
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> {
        let of = |handle| entity_of(&self.world, handle);
        self.world.pairs().map(move |(a, b)| (of(a), of(b)))
    }
}

/// The entities of some layers, from [`SpatialIndex::filtered`].
#[derive(Clone, Copy, Debug)]
pub struct Filtered<'a, V: Axes> {
    bodies: orthant::Filtered<'a, V::Array>,
    world: &'a Broadphase<V::Array>,
}

/// Returns the entity of a body. The body keeps it until the end of its pairs was reported.
pub(crate) fn entity_of<A: orthant::Vector>(world: &Broadphase<A>, handle: Handle) -> Entity {
    Entity::from_bits(world.user(handle).expect("bodies are found that are there"))
}

/// The queries of a [`SpatialIndex`], or of the entities of some layers in it.
///
/// The entities are those of the last update of the index. One that was despawned since, or lost the marker, is found until the next update, see
/// [the crate's documentation](crate#entities-that-are-gone).
///
/// No query panics: an invalid point, distance, box or matrix (NaN, negative, singular) finds nothing.
pub trait SpatialQueries<V: Axes> {
    /// The structure that is queried.
    #[doc(hidden)]
    type Bodies: orthant::SpatialIndex<Vector = V::Array, Item = Volume<V::Array>, Key = Handle>;

    #[doc(hidden)]
    fn bodies(&self) -> (&Self::Bodies, &Broadphase<V::Array>);

    /// Returns the entities at most `distance` from a point, in no particular order.
    ///
    /// # Complexity
    ///
    /// O(log n + answer) if entities are not much longer than wide.
    fn within(&self, point: V, distance: f32) -> impl Iterator<Item = Entity> {
        found(self.bodies(), Sphere::try_new(point.array(), distance).ok())
    }

    /// Returns the entities that a box touches, in no particular order.
    fn in_box(&self, min: V, max: V) -> impl Iterator<Item = Entity> {
        found(self.bodies(), Aabb::try_new(min.array(), max.array()).ok())
    }

    /// Returns the nearest entity and its distance, which is 0 within its box; of equally near ones, the one that was added first.
    ///
    /// # Complexity
    ///
    /// O(log n) unless all entities are equally far.
    fn nearest(&self, point: V) -> Option<(Entity, f32)> {
        self.nearest_n(point, 1).pop()
    }

    /// Returns the `n` nearest entities and their distances, the nearest first.
    fn nearest_n(&self, point: V, n: usize) -> Vec<(Entity, f32)> {
        use orthant::SpatialIndex as _;
        let (bodies, world) = self.bodies();
        let near = bodies.nearest_n(point.array(), n).into_iter();
        near.map(|near| (entity_of(world, near.item), near.distance()))
            .collect()
    }

    /// Returns all entities by their distance from a point, lazily, such as for the nearest that meets a condition.
    ///
    /// # Complexity
    ///
    /// The cost of [`nearest_n`](Self::nearest_n) for twice the entities that are read.
    fn by_distance(&self, point: V) -> impl Iterator<Item = (Entity, f32)> {
        use orthant::SpatialIndex as _;
        let (bodies, world) = self.bodies();
        let near = bodies.by_distance(point.array());
        near.map(|near| (entity_of(world, near.item), near.distance()))
    }

    /// Returns the entities on a ray that are at most `distance` away from its origin, with their distances, the first first: such as for the
    /// first that meets a condition.
    ///
    /// # Complexity
    ///
    /// O(log n + m log m) for m entities near the ray.
    fn cast_ray_all(&self, ray: V::Ray, distance: f32) -> Vec<(Entity, f32)> {
        use orthant::SpatialIndex as _;
        let (bodies, world) = self.bodies();
        let [origin, direction] = V::parts(ray);
        let ray = Ray::try_new(origin, direction).and_then(|ray| ray.try_until(distance));
        let hits = ray.map_or_else(|_| Vec::new(), |ray| bodies.sweep_all(ray));
        let hits = hits.into_iter();
        hits.map(|hit| (entity_of(world, hit.item), hit.impact.first))
            .collect()
    }

    /// Returns the first entity on a ray that is at most `distance` away from its origin, and its distance.
    fn cast_ray(&self, ray: V::Ray, distance: f32) -> Option<(Entity, f32)> {
        use orthant::SpatialIndex as _;
        let (bodies, world) = self.bodies();
        let [origin, direction] = V::parts(ray);
        let ray = Ray::try_new(origin, direction).ok()?;
        let hit = bodies.cast_ray(ray.try_until(distance).ok()?)?;
        Some((entity_of(world, hit.item), hit.impact.first))
    }

    /// Returns the entities that a camera sees, in no particular order, by the matrix from the world to its clip space:
    /// `camera.clip_from_view() * transform.to_matrix().inverse()`.
    fn in_frustum(&self, clip_from_world: Mat4) -> impl Iterator<Item = Entity>
    where
        V: Axes<Array = [f32; 3]>,
    {
        let columns = clip_from_world.to_cols_array_2d();
        found(
            self.bodies(),
            Frustum::<[f32; 3]>::try_from_view_projection(columns).ok(),
        )
    }

    /// Returns the entities that a camera of bevy sees.
    #[cfg(feature = "camera")]
    fn seen_by(
        &self,
        camera: &bevy_camera::Camera,
        transform: &bevy_transform::components::GlobalTransform,
    ) -> impl Iterator<Item = Entity>
    where
        V: Axes<Array = [f32; 3]>,
    {
        let view_from_world = transform.to_matrix().inverse();
        self.in_frustum(camera.clip_from_view() * view_from_world)
    }
}

/// Returns the entities that overlap a region; none if the region is invalid.
fn found<'a, A, B, R>(
    (bodies, world): (&'a B, &'a Broadphase<A>),
    region: Option<R>,
) -> impl Iterator<Item = Entity> + use<'a, A, B, R>
where
    A: orthant::Vector,
    B: orthant::SpatialIndex<Vector = A, Item = Volume<A>, Key = Handle>,
    R: Region<Vector = A> + orthant::Overlaps<Volume<A>>,
{
    let found = region.map(|region| bodies.query(region));
    found
        .into_iter()
        .flatten()
        .map(|handle| entity_of(world, handle))
}

impl<M, V: Axes> SpatialQueries<V> for SpatialIndex<M, V> {
    type Bodies = Broadphase<V::Array>;

    fn bodies(&self) -> (&Self::Bodies, &Broadphase<V::Array>) {
        (&self.world, &self.world)
    }
}

impl<'a, V: Axes> SpatialQueries<V> for Filtered<'a, V> {
    type Bodies = orthant::Filtered<'a, V::Array>;

    fn bodies(&self) -> (&Self::Bodies, &Broadphase<V::Array>) {
        (&self.bodies, self.world)
    }
}
