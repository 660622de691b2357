//! Broad phases of rapier: one on this crate, and one around any, so that two can be compared.

use std::collections::BTreeSet;
use std::mem;
use std::time::{Duration, Instant};

use clients::bodies::{Bodies, Bounds, Change, Key, Pair, pair};
use clients::skin::Skin;
use orthant::Motion;
use rapier27::dynamics::{IntegrationParameters, RigidBodySet, RigidBodyType};
use rapier27::geometry::{
    Aabb, BroadPhase, BroadPhasePairEvent, Collider, ColliderHandle, ColliderPair, ColliderSet,
};

pub(crate) fn key(handle: ColliderHandle) -> Key {
    handle.into_raw_parts()
}

/// The box that rapier wants pairs of: with the distance from which it predicts contacts.
pub(crate) fn bounds(params: &IntegrationParameters, collider: &Collider) -> Bounds {
    let Aabb { mins, maxs } = collider.compute_collision_aabb(params.prediction_distance() / 2.0);
    Bounds::new(mins.into(), maxs.into())
}

pub(crate) fn motion(bodies: &RigidBodySet, collider: &Collider) -> Motion {
    let parent = collider.parent().and_then(|parent| bodies.get(parent));
    match parent.map(|body| body.body_type()) {
        Some(RigidBodyType::Dynamic) => Motion::Dynamic,
        Some(RigidBodyType::KinematicPositionBased | RigidBodyType::KinematicVelocityBased) => {
            Motion::Kinematic
        }
        Some(RigidBodyType::Fixed) | None => Motion::Static,
    }
}

/// A broad phase on [`orthant::Broadphase`].
#[derive(Default)]
pub(crate) struct Plugged {
    world: Bodies,
    /// Of the boxes as rapier fattens them, or none: pairs are of tight boxes.
    skin: Option<Skin>,
}

impl Plugged {
    /// Pairs of tight boxes, unless neither can move the other.
    pub(crate) fn tight() -> Self {
        Self::default()
    }

    /// The pairs that rapier's own broad phase finds: of fat boxes, those of two static bodies too.
    pub(crate) fn fat(params: &IntegrationParameters) -> Self {
        Self {
            skin: Some(Skin::new(0.01 * params.length_unit)),
            ..Self::default()
        }
    }

    pub(crate) fn pairs(&self) -> BTreeSet<Pair> {
        self.world.validate().expect("a sound broadphase");
        self.world.pairs()
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
            let tight = bounds(params, collider);
            match &mut self.skin {
                Some(skin) => {
                    let fat = skin.fatten(key(handle), tight);
                    self.world.put(key(handle), fat, Motion::Dynamic);
                }
                None => {
                    let motion = motion(bodies, collider);
                    self.world.put(key(handle), tight, motion);
                }
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

/// A broad phase that tells its events in order, as the solver's result depends on it, and takes
/// notes.
pub(crate) struct Sorted<B> {
    pub(crate) inner: B,
    /// Pairs that began, and that ended.
    pub(crate) count: [usize; 2],
    /// Spent in the inner one.
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

    /// The events since the last call.
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
