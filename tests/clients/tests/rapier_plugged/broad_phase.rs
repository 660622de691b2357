//! Broad phases of rapier: one on this crate, and one that wraps another and sorts its events, so that two can be compared.

use std::collections::BTreeSet;
use std::mem;
use std::time::{Duration, Instant};

use clients::bodies::{Bodies, Bounds, Change, Key, Pair, pair};
use clients::skin::Skin;
use orthant::{BodyInfo, Broadphase, Filter, Motion, Sphere, Volume};
use rapier27::dynamics::{IntegrationParameters, RigidBody, RigidBodySet, RigidBodyType};
use rapier27::geometry::{
    Aabb, BroadPhase, BroadPhasePairEvent, Collider, ColliderHandle, ColliderPair, ColliderSet,
};

pub(crate) fn key(handle: ColliderHandle) -> Key {
    handle.into_raw_parts()
}

/// Returns the volume of a collider.
pub(crate) fn volume(collider: &Collider) -> Volume<[f32; 3]> {
    let skin = collider.contact_skin();
    match collider.shape().as_ball() {
        Some(ball) => {
            let center = collider.translation();
            Sphere::new((*center).into(), ball.radius + skin).into()
        }
        None => plain(&collider.compute_collision_aabb(0.0)).into(),
    }
}

fn plain(bounds: &Aabb) -> Bounds {
    Bounds::new(bounds.mins.into(), bounds.maxs.into())
}

pub(crate) fn proxy(bodies: &RigidBodySet, collider: &Collider) -> BodyInfo {
    let parent = collider.parent().and_then(|parent| bodies.get(parent));
    let motion = match parent.map(RigidBody::body_type) {
        Some(RigidBodyType::Dynamic) => Motion::Dynamic,
        Some(RigidBodyType::KinematicPositionBased | RigidBodyType::KinematicVelocityBased) => {
            Motion::Kinematic
        }
        Some(RigidBodyType::Fixed) | None => Motion::Static,
    };
    let groups = collider.collision_groups();
    BodyInfo::from(motion).with_filter(Filter {
        category: groups.memberships.bits().into(),
        mask: groups.filter.bits().into(),
        group: 0,
    })
}

/// A broad phase on [`orthant::Broadphase`].
pub(crate) struct Plugged {
    world: Bodies,
    /// The fat boxes, if boxes are fattened by rapier's rule.
    skin: Option<Skin>,
}

impl Plugged {
    /// Makes a broad phase whose pairs are the bodies that touch, within the distance up to which contacts are predicted, and can move each
    /// other.
    pub(crate) fn tight(params: &IntegrationParameters) -> Self {
        let world = Broadphase::new()
            .with_prediction(params.prediction_distance() / 2.0)
            .with_margin(0.05 * params.length_unit);
        Self {
            world: Bodies::new(world),
            skin: None,
        }
    }

    /// Makes a broad phase of fat boxes.
    pub(crate) fn fat(params: &IntegrationParameters) -> Self {
        let world = Broadphase::new()
            .with_prediction(params.prediction_distance() / 2.0)
            .with_margin(0.05 * params.length_unit)
            .with_fat_pairs();
        Self {
            world: Bodies::new(world),
            skin: None,
        }
    }

    /// Makes a broad phase with the pairs of rapier's own: those whose boxes, fattened by its rule, overlap, whatever can move the bodies.
    pub(crate) fn own(params: &IntegrationParameters) -> Self {
        Self {
            world: Bodies::new(Broadphase::new()),
            skin: Some(Skin::new(0.01 * params.length_unit)),
        }
    }

    pub(crate) fn pairs(&self) -> BTreeSet<Pair> {
        self.world.validate().expect("a sound broadphase");
        self.world.pairs()
    }

    pub(crate) fn fat_box(&self, key: Key) -> Bounds {
        self.world.fat_box(key).expect("a collider that was shown")
    }
}

impl BroadPhase for Plugged {
    fn update(
        &mut self,
        params: &IntegrationParameters,
        colliders: &ColliderSet,
        bodies: &RigidBodySet,
        modified_colliders: &[ColliderHandle],
        removed_colliders: &[ColliderHandle],
        events: &mut Vec<BroadPhasePairEvent>,
    ) {
        for &handle in removed_colliders {
            self.world.remove(key(handle));
            if let Some(skin) = &mut self.skin {
                skin.forget(key(handle));
            }
        }
        for &handle in modified_colliders {
            let Some(collider) = colliders.get(handle).filter(|c| c.is_enabled()) else {
                continue;
            };
            let key = key(handle);
            if let Some(skin) = &mut self.skin {
                let distance = params.prediction_distance() / 2.0;
                let reach = plain(&collider.compute_collision_aabb(distance));
                let fat = skin.fatten(key, reach);
                self.world.put(key, fat, Motion::Dynamic, [0.0; 3]);
            } else {
                let parent = collider.parent().and_then(|parent| bodies.get(parent));
                let way = parent.map_or([0.0; 3], |body| (body.linvel() * params.dt).into());
                let proxy = proxy(bodies, collider);
                self.world.put(key, volume(collider), proxy, way);
            }
        }
        let handle = |(index, generation)| ColliderHandle::from_raw_parts(index, generation);
        let pair = |(a, b)| ColliderPair::new(handle(a), handle(b));
        events.extend(self.world.update().into_iter().map(|change| match change {
            Change::Begin(ab) => BroadPhasePairEvent::AddPair(pair(ab)),
            Change::End(ab) => BroadPhasePairEvent::DeletePair(pair(ab)),
        }));
    }
}

/// A broad phase that sorts its events, since the solver's result depends on their order, and takes notes.
pub(crate) struct Sorted<B> {
    pub(crate) inner: B,
    /// The numbers of pairs that began, and that ended.
    pub(crate) count: [usize; 2],
    /// The time spent in the inner broad phase.
    pub(crate) time: Duration,
    told: Vec<Change>,
}

impl<B> Sorted<B> {
    pub(crate) fn new(inner: B) -> Self {
        Self {
            inner,
            count: [0; 2],
            time: Duration::ZERO,
            told: Vec::new(),
        }
    }

    /// Returns the events since the last call.
    pub(crate) fn told(&mut self) -> Vec<Change> {
        mem::take(&mut self.told)
    }
}

fn change(event: &BroadPhasePairEvent) -> Change {
    let both = |of: &ColliderPair| pair(key(of.collider1), key(of.collider2));
    match event {
        BroadPhasePairEvent::AddPair(of) => Change::Begin(both(of)),
        BroadPhasePairEvent::DeletePair(of) => Change::End(both(of)),
    }
}

impl<B: BroadPhase> BroadPhase for Sorted<B> {
    fn update(
        &mut self,
        params: &IntegrationParameters,
        colliders: &ColliderSet,
        bodies: &RigidBodySet,
        modified_colliders: &[ColliderHandle],
        removed_colliders: &[ColliderHandle],
        events: &mut Vec<BroadPhasePairEvent>,
    ) {
        assert!(events.is_empty());
        let start = Instant::now();
        self.inner.update(
            params,
            colliders,
            bodies,
            modified_colliders,
            removed_colliders,
            events,
        );
        self.time += start.elapsed();
        events.sort_by_key(change);
        for change in events.iter().map(change) {
            self.count[usize::from(matches!(change, Change::End(_)))] += 1;
            self.told.push(change);
        }
    }
}
