//! Compares avian's physics with its own broad phase and with ours: contacts are equal, and so are bodies, bit for bit.

use std::time::Duration;

use avian3d::prelude::*;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_orthant::avian::AvianBroadPhasePlugin;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

/// The number of contacts before the broad phase.
#[derive(Resource, Default)]
struct Before(usize);

#[derive(Resource, Default)]
struct Filler;

/// Sorts contacts, since their order decides how forces are summed; avian's own order is that of its tree.
#[allow(
    clippy::needless_pass_by_value,
    reason = "a system is given what it reads"
)]
fn arrange(before: Res<Before>, mut graph: ResMut<ContactGraph>) {
    let new = graph.active_pairs()[before.0..].iter();
    let mut new: Vec<_> = new
        .map(|pair| (pair.collider1, pair.collider2, pair.flags))
        .collect();
    let edges = new.iter().rev();
    let mut edges: Vec<_> = edges
        .map(|&(a, b, _)| graph.remove_edge(a, b).expect("it was added"))
        .collect();
    new.sort_by_key(|pair| (pair.0, pair.1));
    edges.sort_by_key(|edge| (edge.collider1, edge.collider2));
    for (edge, (a, b, flags)) in edges.into_iter().zip(new) {
        assert_eq!((edge.collider1, edge.collider2), (a, b));
        let bodies = (edge.body1, edge.body2);
        graph.add_edge_with(edge, |pair| {
            (pair.body1, pair.body2) = bodies;
            pair.flags = flags;
        });
    }
}

fn app<H: CollisionHooks + 'static>(ours: bool) -> App
where
    for<'w, 's> bevy_ecs::system::SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
    let physics = PhysicsPlugins::default().build();
    let physics = physics.disable::<BvhBroadPhasePlugin>();
    if ours {
        app.add_plugins(physics.add(AvianBroadPhasePlugin::<H>::default()));
    } else {
        app.add_plugins(physics.add(BvhBroadPhasePlugin::<H>::default()));
        // A resource is an entity: a filler gives all later entities the numbers that they have with our plugin.
        app.init_resource::<Filler>();
    }
    let step = Duration::from_secs_f64(1.0 / 64.0);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(step));
    app.init_resource::<Before>();
    app.add_systems(
        PhysicsSchedule,
        (
            (|mut before: ResMut<Before>, graph: Res<ContactGraph>| {
                before.0 = graph.active_pairs().len();
            })
            .in_set(BroadPhaseSystems::First),
            arrange.in_set(BroadPhaseSystems::Last),
        ),
    );
    app.finish();
    app.cleanup();
    app
}

/// Numbers without a pattern that repeat in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn unit(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 20) as f32
    }
}

fn spawn(world: &mut World, random: &mut Random, height: f32) -> Entity {
    let place = Vec3::new(
        6.0 * random.unit() - 3.0,
        height + 8.0 * random.unit(),
        6.0 * random.unit() - 3.0,
    );
    let turn = Quat::from_rotation_x(3.0 * random.unit());
    let collider = match random.below(3) {
        0 => Collider::sphere(0.2 + 0.2 * random.unit()),
        1 => Collider::capsule(0.2, 0.4),
        _ => Collider::cuboid(0.6, 0.4, 0.4 + 0.3 * random.unit()),
    };
    let transform = Transform::from_translation(place).with_rotation(turn);
    let mut body = world.spawn((RigidBody::Dynamic, collider, transform));
    match random.below(8) {
        0 => {
            body.insert(CollisionLayers::from_bits(2, 1));
        }
        1 => {
            body.insert((Sensor, CollisionEventsEnabled));
        }
        2 => {
            body.insert(RigidBody::Kinematic);
            body.insert(LinearVelocity(Vec3::new(0.0, -0.5, 0.1)));
        }
        3 => {
            body.insert(ActiveCollisionHooks::FILTER_PAIRS);
        }
        _ => {}
    }
    body.id()
}

/// Makes a floor, walls, a static sensor, and piles.
fn scene(world: &mut World, random: &mut Random) -> Vec<Entity> {
    for (size, at) in [
        ([20.0, 1.0, 20.0], [0.0, -0.5, 0.0]),
        ([1.0, 6.0, 9.0], [-4.0, 3.0, 0.0]),
        ([1.0, 6.0, 9.0], [4.0, 3.0, 0.0]),
    ] {
        world.spawn((
            RigidBody::Static,
            Collider::cuboid(size[0], size[1], size[2]),
            Transform::from_translation(at.into()),
        ));
    }
    world.spawn((
        RigidBody::Static,
        Sensor,
        Collider::cuboid(3.0, 3.0, 3.0),
        Transform::from_xyz(0.0, 0.5, 0.0),
    ));
    // This collider has no body.
    world.spawn((Collider::sphere(1.0), Transform::from_xyz(2.0, 0.5, 2.0)));
    let bodies: Vec<_> = (0..150).map(|_| spawn(world, random, 1.0)).collect();
    // One body has two colliders, and a joint turns contacts off between two bodies.
    world
        .entity_mut(bodies[0])
        .with_child((Collider::sphere(0.4), Transform::from_xyz(0.3, 0.3, 0.0)));
    let joint = DistanceJoint::new(bodies[1], bodies[2]);
    world.spawn((joint, JointCollisionDisabled));
    bodies
}

/// Removes, changes and adds some bodies.
fn change(world: &mut World, bodies: &mut Vec<Entity>, random: &mut Random) {
    let some =
        |random: &mut Random, bodies: &Vec<Entity>| random.below(bodies.len() as u64) as usize;
    let gone = some(random, bodies);
    world.despawn(bodies.swap_remove(gone));
    let at = some(random, bodies);
    let mut body = world.entity_mut(bodies[at]);
    match random.below(5) {
        0 => {
            body.insert(ColliderDisabled);
        }
        1 => {
            body.remove::<ColliderDisabled>();
        }
        2 => {
            body.insert(RigidBody::Static);
        }
        3 => {
            body.insert(Collider::cuboid(0.9, 0.2, 0.9));
        }
        _ => {
            body.insert(Position(Vec3::new(0.0, 5.0, 0.0)));
        }
    }
    // The new body may get the number of the removed one.
    bodies.push(spawn(world, random, 6.0));
}

type Contacts = Vec<(Entity, Entity, bool)>;

fn contacts(app: &App) -> Contacts {
    let graph = app.world().resource::<ContactGraph>();
    let all = graph.iter_active().chain(graph.iter_sleeping());
    let mut all: Contacts = all
        .map(|pair| (pair.collider1, pair.collider2, pair.is_touching()))
        .collect();
    all.sort();
    all
}

fn places(app: &mut App) -> Vec<(Entity, [u32; 3])> {
    let world = app.world_mut();
    let mut all = world.query::<(Entity, &Position)>();
    let all = all.iter(world);
    all.map(|(entity, at)| (entity, at.0.to_array().map(f32::to_bits)))
        .collect()
}

fn compare<H: CollisionHooks + 'static>()
where
    for<'w, 's> bevy_ecs::system::SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let mut worlds = [true, false].map(|ours| {
        let (mut app, mut random) = (app::<H>(ours), Random(1));
        let bodies = scene(app.world_mut(), &mut random);
        (app, bodies, random)
    });
    let (mut touching, mut most) = (0, 0);
    for step in 0..300 {
        for (app, bodies, random) in &mut worlds {
            if step % 4 == 3 {
                change(app.world_mut(), bodies, random);
            }
            app.update();
        }
        let [(ours, ..), (theirs, ..)] = &mut worlds;
        let found = contacts(ours);
        let expected = contacts(theirs);
        let only = |of: &Contacts, other: &Contacts| -> Contacts {
            of.iter()
                .filter(|&pair| !other.contains(pair))
                .copied()
                .collect()
        };
        assert!(
            found == expected,
            "in step {step} only ours has {:?}, only avian's {:?}",
            only(&found, &expected),
            only(&expected, &found)
        );
        assert!(
            places(ours) == places(theirs),
            "elsewhere after step {step}"
        );
        touching += found.iter().filter(|contact| contact.2).count();
        most = most.max(found.len());
    }
    assert!(touching > 10_000 && most > 200, "{touching} {most}");
}

#[test]
fn contacts_are_those_of_avians_own() {
    compare::<()>();
}

#[test]
fn hooks_are_asked() {
    #[derive(bevy_ecs::system::SystemParam)]
    struct Odd<'w, 's> {
        _none: Query<'w, 's, ()>,
    }
    impl CollisionHooks for Odd<'_, '_> {
        fn filter_pairs(&self, a: Entity, b: Entity, _: &mut Commands) -> bool {
            (a.index_u32() + b.index_u32()) % 2 == 1
        }
    }
    compare::<Odd>();
}
