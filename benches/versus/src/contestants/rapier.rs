//! The broad phase of rapier by itself: colliders are moved, and its events patch a list of pairs. Its boxes
//! are fat, so the exact boxes filter the list.

use super::Register;
use crate::stepper::{Pair, Stepper, keep_exact, pair, stepper};
use crate::worlds::Bounds;

pub(super) fn enter(to: &mut Register) {
    to.broadphase3.push(stepper::<3, three::Rapier>());
    to.broadphase2.push(stepper::<2, two::Rapier>());
}

macro_rules! contestant {
    ($module:ident, $rapier:ident, $d:literal) => {
        mod $module {
            use $rapier::dynamics::{IntegrationParameters, RigidBodySet};
            use $rapier::geometry::{
                ActiveCollisionTypes, BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder,
                ColliderHandle, ColliderPair, ColliderSet, Cuboid, SharedShape,
            };

            use super::{Bounds, Pair, Stepper, keep_exact, pair};

            pub(super) struct Rapier {
                parameters: IntegrationParameters,
                bodies: RigidBodySet,
                colliders: ColliderSet,
                handles: Vec<ColliderHandle>,
                broad_phase: BroadPhaseBvh,
                changed: Vec<ColliderHandle>,
                events: Vec<BroadPhasePairEvent>,
                /// The pairs of fat boxes, sorted.
                fat_pairs: Vec<Pair>,
                began: Vec<Pair>,
                ended: Vec<Pair>,
            }

            impl Rapier {
                fn update(&mut self) {
                    self.events.clear();
                    self.broad_phase.update(
                        &self.parameters,
                        &self.colliders,
                        &self.bodies,
                        &self.changed,
                        &[],
                        &mut self.events,
                    );
                    let named = |pair_of: &ColliderPair| {
                        let [a, b] = [pair_of.collider1, pair_of.collider2];
                        pair(a.into_raw_parts().0, b.into_raw_parts().0)
                    };
                    self.began.clear();
                    self.ended.clear();
                    for event in &self.events {
                        match event {
                            BroadPhasePairEvent::AddPair(pair) => self.began.push(named(pair)),
                            BroadPhasePairEvent::DeletePair(pair) => self.ended.push(named(pair)),
                        }
                    }
                    // Remove the pairs that ended, and add those that began.
                    if !self.ended.is_empty() {
                        self.ended.sort_unstable();
                        let mut ended = self.ended.iter().copied().peekable();
                        self.fat_pairs.retain(|&pair| {
                            while ended.next_if(|&other| other < pair).is_some() {}
                            ended.peek() != Some(&pair)
                        });
                    }
                    if !self.began.is_empty() {
                        self.began.sort_unstable();
                        self.fat_pairs.append(&mut self.began);
                        // The standard library's sort finds the two runs, and merges them.
                        self.fat_pairs.sort();
                        self.fat_pairs.dedup();
                    }
                }
            }

            fn shape(bounds: &Bounds<$d>) -> SharedShape {
                let half: [f32; $d] =
                    std::array::from_fn(|a| 0.5 * (bounds.max[a] - bounds.min[a]));
                if half.iter().all(|x| (x - half[0]).abs() < 1e-3 * half[0]) {
                    // A ball has the bounds of the cube, and they cost less to compute.
                    SharedShape::ball(half[0])
                } else {
                    SharedShape::new(Cuboid::new(half.into()))
                }
            }

            impl Stepper<$d> for Rapier {
                const NAME: &'static str = stringify!($rapier);
                const MOST_BOXES: usize = 100_000;

                fn new(boxes: &[Bounds<$d>]) -> Self {
                    let mut colliders = ColliderSet::new();
                    let collider = |bounds: &Bounds<$d>| {
                        ColliderBuilder::new(shape(bounds))
                            .translation(bounds.center().into())
                            .active_collision_types(ActiveCollisionTypes::all())
                            .build()
                    };
                    let inserted = boxes.iter().map(collider);
                    let handles: Vec<_> = inserted.map(|c| colliders.insert(c)).collect();
                    let mut rapier = Self {
                        parameters: IntegrationParameters::default(),
                        bodies: RigidBodySet::new(),
                        colliders,
                        changed: handles.clone(),
                        handles,
                        broad_phase: BroadPhaseBvh::new(),
                        events: Vec::new(),
                        fat_pairs: Vec::new(),
                        began: Vec::new(),
                        ended: Vec::new(),
                    };
                    rapier.update();
                    rapier
                }

                fn step(&mut self, boxes: &[Bounds<$d>], moved: &[u32], pairs: &mut Vec<Pair>) {
                    self.changed.clear();
                    for &id in moved {
                        let handle = self.handles[id as usize];
                        let center = boxes[id as usize].center();
                        self.colliders[handle].set_translation(center.into());
                        self.changed.push(handle);
                    }
                    self.update();
                    keep_exact(&self.fat_pairs, boxes, pairs);
                }
            }
        }
    };
}

contestant!(two, rapier2d, 2);
contestant!(three, rapier3d, 3);
