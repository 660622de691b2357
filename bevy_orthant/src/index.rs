//! The index of entities, and what is asked of it.

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

/// The entities with the component `M`, in space ([`Vec3`]) or in the plane ([`Vec2`](bevy_math::Vec2)): what a
/// [`SpatialPlugin`](crate::SpatialPlugin) keeps. Ask it by [`SpatialQueries`].
#[derive(Resource)]
pub struct SpatialIndex<M: 'static, V: Axes = Vec3> {
    pub(crate) world: Broadphase<V::Array>,
    pub(crate) handles: Handles,
    /// Those that are left out though they have all that is asked for, since it is no place.
    pub(crate) refused: HashSet<Entity>,
    marker: PhantomData<fn() -> M>,
}

impl<M, V: Axes> SpatialIndex<M, V> {
    /// Of no entities yet. Pairs cost more than all the rest, so that they are looked for only where they are wanted.
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

    /// Takes out an entity, if it is in.
    pub(crate) fn leave(&mut self, entity: Entity) {
        self.refused.remove(&entity);
        if let Some(handle) = self.handles.remove(entity) {
            self.world.remove(handle);
        }
    }

    /// Takes out an entity that is to be in but has no place, and says so, once.
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

    /// Takes in entities that are not in.
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
    /// The number of entities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.world.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.world.is_empty()
    }

    /// Whether an entity is known: it has the marker and a transform, and what else the plugin was told to look
    /// at, all of finite numbers.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.handles.get(entity).is_some()
    }

    /// The corners of the box that an entity takes up in the world; both its place, if it is a point.
    #[must_use]
    pub fn bounds(&self, entity: Entity) -> Option<Aabb<V::Array>> {
        self.world.bounds(self.handles.get(entity)?)
    }

    /// The entities that an entity of these layers would meet, to be asked by [`SpatialQueries`].
    #[must_use]
    pub fn filtered(&self, layers: Layers) -> Filtered<'_, V> {
        Filtered {
            bodies: self.world.filtered(layers.filter()),
            world: &self.world,
        }
    }

    /// The pairs of entities whose boxes overlap, and whose layers meet, each once; of points, those in one place.
    /// Only kept where the plugin was told [`with_pairs`](crate::SpatialPlugin::with_pairs).
    #[must_use]
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (Entity, Entity)> {
        let of = |handle| entity_of(&self.world, handle);
        self.world.pairs().map(move |(a, b)| (of(a), of(b)))
    }
}

/// The entities of some layers: what [`SpatialIndex::filtered`] gives.
#[derive(Clone, Copy, Debug)]
pub struct Filtered<'a, V: Axes> {
    bodies: orthant::Filtered<'a, V::Array>,
    world: &'a Broadphase<V::Array>,
}

/// Each body bears its entity, and does so until the end of its pairs was told.
pub(crate) fn entity_of<A: orthant::Vector>(world: &Broadphase<A>, handle: Handle) -> Entity {
    Entity::from_bits(world.user(handle).expect("bodies are found that are there"))
}

/// What is asked of a [`SpatialIndex`], or of the entities of some layers in it.
///
/// The entities are those of the last update of the index: one that was despawned since, or lost the marker, is still found until
/// the next, see [the crate's documentation](crate#entities-that-are-gone).
///
/// No question panics: what is asked about a place, distance, box or matrix that is none (NaN, negative,
/// singular) finds nothing.
pub trait SpatialQueries<V: Axes> {
    /// Who is asked.
    #[doc(hidden)]
    type Bodies: orthant::SpatialIndex<Vector = V::Array, Item = Volume<V::Array>, Key = Handle>;

    #[doc(hidden)]
    fn bodies(&self) -> (&Self::Bodies, &Broadphase<V::Array>);

    /// The entities at most `distance` from a point, in no order of use.
    ///
    /// # Complexity
    ///
    /// O(log n + answer) where entities are not much longer than wide.
    fn within(&self, point: V, distance: f32) -> impl Iterator<Item = Entity> {
        found(self.bodies(), Sphere::try_new(point.array(), distance).ok())
    }

    /// The entities that a box touches, in no order of use.
    fn in_box(&self, min: V, max: V) -> impl Iterator<Item = Entity> {
        found(self.bodies(), Aabb::try_new(min.array(), max.array()).ok())
    }

    /// The nearest entity and its distance, 0 within its box; of several, the one that came first.
    ///
    /// # Complexity
    ///
    /// O(log n) where not all are equally far.
    fn nearest(&self, point: V) -> Option<(Entity, f32)> {
        self.nearest_n(point, 1).pop()
    }

    /// The `n` nearest entities and their distances, the nearest first.
    fn nearest_n(&self, point: V, n: usize) -> Vec<(Entity, f32)> {
        use orthant::SpatialIndex as _;
        let (bodies, world) = self.bodies();
        let near = bodies.nearest_n(point.array(), n).into_iter();
        near.map(|near| (entity_of(world, near.item), near.distance()))
            .collect()
    }

    /// All entities by their distance from a point, lazily: for the nearest that meets a condition.
    ///
    /// # Complexity
    ///
    /// That of [`nearest_n`](Self::nearest_n) for twice as many as are read.
    fn by_distance(&self, point: V) -> impl Iterator<Item = (Entity, f32)> {
        use orthant::SpatialIndex as _;
        let (bodies, world) = self.bodies();
        let near = bodies.by_distance(point.array());
        near.map(|near| (entity_of(world, near.item), near.distance()))
    }

    /// The entities on a ray that are at most `distance` away from its origin, the first first, and how far: for the first that
    /// meets a condition.
    ///
    /// # Complexity
    ///
    /// O(log n + entities about the ray), and their order.
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

    /// The first entity on a ray that is at most `distance` away from its origin, and how far.
    fn cast_ray(&self, ray: V::Ray, distance: f32) -> Option<(Entity, f32)> {
        use orthant::SpatialIndex as _;
        let (bodies, world) = self.bodies();
        let [origin, direction] = V::parts(ray);
        let ray = Ray::try_new(origin, direction).ok()?;
        let hit = bodies.cast_ray(ray.try_until(distance).ok()?)?;
        Some((entity_of(world, hit.item), hit.impact.first))
    }

    /// The entities that are seen by a camera, in no order of use, by the matrix from the world to its clip space:
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

    /// The same of a camera of bevy's.
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

/// What overlaps a region, nothing if it is none.
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
