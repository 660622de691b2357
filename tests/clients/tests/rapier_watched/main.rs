//! Watches the newest rapier, whose broad phase cannot be replaced, from outside: in every step the boxes of its colliders go to two broad
//! phases, one with tight boxes and one with boxes fattened by rapier's rule.

use std::collections::BTreeSet;
use std::mem;
use std::time::Instant;

use clients::bodies::{Bodies, Bounds, Key, Pair, pair};
use clients::scene::{Act, Body, Form, Groups, Scene, field, pile, pyramid};
use clients::skin::Skin;
use orthant::{BodyInfo, Broadphase, Filter, Motion};
use rapier36::dynamics::{RigidBody, RigidBodyBuilder, RigidBodyHandle, RigidBodyType};
use rapier36::geometry::{
    Aabb, Collider, ColliderBuilder, ColliderHandle, Group, InteractionGroups, InteractionTestMode,
};
use rapier36::pipeline::{PhysicsWorld, QueryFilter};

const STEPS: usize = 300;
/// The margin by which rapier grows a box once a body has left it, in its unit of length.
const SKIN: f32 = 0.04;

fn key(handle: ColliderHandle) -> Key {
    handle.into_raw_parts()
}

fn handle((index, generation): Key) -> ColliderHandle {
    ColliderHandle::from_raw_parts(index, generation)
}

fn interactions(groups: Groups) -> InteractionGroups {
    let [memberships, filter] = groups.map(Group::from_bits_retain);
    InteractionGroups::new(memberships, filter, InteractionTestMode::And)
}

fn plain(Aabb { mins, maxs }: Aabb) -> Bounds {
    Bounds::new(mins.into(), maxs.into())
}

/// Rapier, and worlds of this crate with rapier's boxes.
struct Watch {
    world: PhysicsWorld,
    /// The handles by the numbers of the scene, those of removed bodies included.
    handles: Vec<RigidBodyHandle>,
    skin: Skin,
    tight: Bodies,
    fat: Bodies,
}

impl Watch {
    fn new(scene: &Scene) -> Self {
        let world = PhysicsWorld::new();
        let skin = Skin::new(SKIN * world.integration_parameters.length_unit);
        let mut watch = Self {
            world,
            handles: Vec::new(),
            skin,
            tight: Bodies::new(Broadphase::new().with_margin(0.1)),
            fat: Bodies::default(),
        };
        for body in &scene.bodies {
            watch.enter(body);
        }
        watch
    }

    fn enter(&mut self, body: &Body) {
        let builder = match body.motion {
            Motion::Static => RigidBodyBuilder::fixed(),
            Motion::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
            Motion::Dynamic => RigidBodyBuilder::dynamic(),
        };
        let builder = builder
            .translation(body.at.into())
            .linvel(body.velocity.into())
            .ccd_enabled(body.fast);
        let collider = match body.form {
            Form::Cuboid([x, y, z]) => ColliderBuilder::cuboid(x, y, z),
            Form::Ball(radius) => ColliderBuilder::ball(radius),
            Form::Capsule(half, radius) => ColliderBuilder::capsule_y(half, radius),
        };
        let collider = collider
            .sensor(body.sensor)
            .collision_groups(interactions(body.groups));
        let (handle, _) = self.world.insert(builder, collider);
        self.handles.push(handle);
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Enter(body) => self.enter(&body),
            Act::Leave(number) => {
                assert!(self.world.remove_body(self.handles[number]).is_some());
            }
            Act::Switch(number, on) => {
                let body = self.handles[number];
                self.world.bodies[body].set_enabled(on);
                // Rapier itself switches the colliders only within the step.
                for &collider in self.world.bodies[body].colliders() {
                    self.world.colliders[collider].set_enabled(on);
                }
            }
            Act::Move(number, to) => {
                self.world.bodies[self.handles[number]].set_translation(to.into(), true);
            }
            Act::Become(number, motion) => {
                let kind = match motion {
                    Motion::Static => RigidBodyType::Fixed,
                    Motion::Kinematic => RigidBodyType::KinematicVelocityBased,
                    Motion::Dynamic => RigidBodyType::Dynamic,
                };
                let body = &mut self.world.bodies[self.handles[number]];
                body.set_body_type(kind, true);
                for &collider in body.colliders() {
                    self.skin.forget(key(collider));
                }
            }
            Act::Regroup(number, groups) => {
                for &collider in self.world.bodies[self.handles[number]].colliders() {
                    let collider_mut = &mut self.world.colliders[collider];
                    collider_mut.set_collision_groups(interactions(groups));
                    self.skin.forget(key(collider));
                }
            }
        }
    }

    fn kind(&self, collider: &Collider) -> RigidBodyType {
        let parent = collider.parent().map(|parent| &self.world.bodies[parent]);
        parent.map_or(RigidBodyType::Fixed, RigidBody::body_type)
    }

    /// Copies the colliders' boxes into this crate's broad phases.
    fn look(&mut self) {
        let world = &self.world;
        let enabled = |key| {
            world
                .colliders
                .get(handle(key))
                .is_some_and(Collider::is_enabled)
        };
        self.tight.retain(enabled);
        self.fat.retain(enabled);
        self.skin.retain(enabled);
        for (handle, collider) in world.colliders.iter().filter(|(_, c)| c.is_enabled()) {
            let params = &world.integration_parameters;
            let bounds = plain(collider.compute_broad_phase_aabb(params, &world.bodies));
            let motion = match self.kind(collider) {
                RigidBodyType::Dynamic => Motion::Dynamic,
                RigidBodyType::Fixed => Motion::Static,
                _ => Motion::Kinematic,
            };
            let groups = collider.collision_groups();
            let proxy = BodyInfo::from(motion).with_filter(Filter {
                category: groups.memberships.bits().into(),
                mask: groups.filter.bits().into(),
                group: 0,
            });
            let key = key(handle);
            self.tight.put(key, bounds, proxy, [0.0; 3]);
            let fat = self.skin.fatten(key, bounds);
            self.fat.put(key, fat, Motion::Dynamic, [0.0; 3]);
        }
    }

    /// Returns true if rapier's filters keep a pair.
    fn passes(&self, &(a, b): &Pair) -> bool {
        let [a, b] = [a, b].map(|key| &self.world.colliders[handle(key)]);
        let (kind_a, kind_b) = (self.kind(a), self.kind(b));
        let kinds = a.active_collision_types().test(kind_a, kind_b)
            || b.active_collision_types().test(kind_a, kind_b);
        kinds && a.parent() != b.parent() && a.collision_groups().test(b.collision_groups())
    }

    /// Returns the pairs that rapier's narrow phase knows.
    fn graph(&self) -> BTreeSet<Pair> {
        let contacts = self.world.narrow_phase.contact_graph();
        let contacts = contacts.interactions_with_endpoints().map(|e| (e.0, e.1));
        let sensed = self.world.narrow_phase.intersection_graph();
        let sensed = sensed.interactions_with_endpoints().map(|e| (e.0, e.1));
        contacts
            .chain(sensed)
            .map(|(a, b)| pair(key(a), key(b)))
            .collect()
    }

    /// Returns the boxes in rapier's own tree.
    fn own_boxes(&self) -> Vec<(Key, Bounds)> {
        let world = &self.world;
        let tree = world.broad_phase.as_query_pipeline(
            world.narrow_phase.query_dispatcher(),
            &world.bodies,
            &world.colliders,
            QueryFilter::default(),
        );
        let handles = world.colliders.iter().map(|(handle, _)| key(handle));
        let mut boxes: Vec<(Key, Bounds)> = handles
            .filter_map(|key| Some((key, plain(tree.bvh.leaf_node(key.0)?.aabb()))))
            .collect();
        boxes.sort_by_key(|of| of.0);
        boxes
    }
}

fn watch(scene: &Scene, least: usize) {
    let start = Instant::now();
    let mut watch = Watch::new(scene);
    let mut graph = BTreeSet::new();
    let mut seen = 0;
    for step in 0..STEPS {
        for (_, act) in scene.acts.iter().filter(|act| act.0 == step) {
            watch.act(act);
        }
        let PhysicsWorld {
            bodies, colliders, ..
        } = &mut watch.world;
        bodies.propagate_modified_body_positions_to_colliders(colliders);
        watch.look();
        seen += watch.tight.update().len();
        watch.fat.update();
        // rapier finds the pairs of the boxes first, and then moves the boxes.
        watch.world.step();
        let before = mem::replace(&mut graph, watch.graph());
        let (tight, fat) = (watch.tight.pairs(), watch.fat.pairs());
        let lacks = tight
            .iter()
            .find(|&pair| watch.passes(pair) && !graph.contains(pair));
        assert_eq!(lacks, None, "rapier lacks it in step {step}");
        assert!(graph.is_subset(&fat), "a pair too few in step {step}");
        // rapier filters a pair only when its boxes begin to overlap.
        let own = |pair: &Pair| watch.passes(pair) || before.contains(pair);
        assert!(
            fat.into_iter().filter(own).eq(graph.iter().copied()),
            "other pairs in step {step}"
        );
        assert_eq!(
            (watch.tight.validate(), watch.fat.validate()),
            (Ok(()), Ok(()))
        );

        watch.look();
        assert!(
            watch.skin.iter().eq(watch.own_boxes()),
            "other boxes after step {step}"
        );
    }
    assert!(seen >= least, "{seen} tight pairs began or ended");
    println!("{seen} tight pairs began or ended; {:?}", start.elapsed());
}

#[test]
fn a_pyramid_under_fire() {
    watch(&pyramid(), 3000);
}

#[test]
fn a_pile() {
    watch(&pile(), 3000);
}

#[test]
fn a_field_of_blocks() {
    watch(&field(), 500);
}
