//! Colliders as a broad phase sees them, and the definition of a pair.

use clients::bodies::{Bounds, Key};
use orthant::{Overlaps, Sphere, Volume};
use rapier27::dynamics::{IntegrationParameters, RigidBodySet, RigidBodyType};
use rapier27::geometry::{Aabb, Collider, ColliderHandle, InteractionGroups, SharedShape};
use rapier27::math::Isometry;
use rapier27::parry::query;

use crate::broad_phase::{key, volume};

pub(crate) struct Seen {
    pub(crate) key: Key,
    /// The volume, grown by half the prediction distance; `bounds` is grown too.
    volume: Volume<[f32; 3]>,
    bounds: Bounds,
    shape: SharedShape,
    at: Isometry<f32>,
    kind: RigidBodyType,
    groups: InteractionGroups,
}

impl Seen {
    pub(crate) fn new(
        handle: ColliderHandle,
        collider: &Collider,
        bodies: &RigidBodySet,
        params: &IntegrationParameters,
    ) -> Self {
        let distance = params.prediction_distance() / 2.0;
        let Aabb { mins, maxs } = collider.compute_collision_aabb(distance);
        let bounds = Bounds::new(mins.into(), maxs.into());
        let volume = match volume(collider) {
            Volume::Sphere(ball) => Sphere::new(ball.center(), ball.radius() + distance).into(),
            Volume::Box(_) => bounds.into(),
        };
        let parent = collider.parent().map(|parent| bodies[parent].body_type());
        Self {
            key: key(handle),
            volume,
            bounds,
            shape: collider.shared_shape().clone(),
            at: *collider.position(),
            kind: parent.unwrap_or(RigidBodyType::Fixed),
            groups: collider.collision_groups(),
        }
    }

    /// True if two bodies can move each other.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let kinds = [self.kind, other.kind];
        (kinds.contains(&RigidBodyType::Dynamic) || !kinds.contains(&RigidBodyType::Fixed))
            && self.groups.test(other.groups)
    }

    /// True if the volumes of two bodies in the broad phase touch.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        self.volume.overlaps(&other.volume)
    }

    /// True if rapier's own boxes and shapes are within a distance.
    pub(crate) fn is_near(&self, other: &Self, distance: f32) -> bool {
        let apart = || query::distance(&self.at, &*self.shape, &other.at, &*other.shape);
        self.bounds.overlaps(&other.bounds) && apart().is_ok_and(|apart| apart <= distance)
    }
}
