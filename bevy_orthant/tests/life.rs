//! Entities that come, go and change in unusual ways: the index has exactly those that a query has.

use bevy_app::prelude::*;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec2, Vec3};
use bevy_orthant::prelude::*;
use bevy_transform::prelude::*;

#[derive(Component)]
struct Rock;
#[derive(Component)]
struct Tree;

/// True if indices are updated in this frame.
#[derive(Resource)]
struct Runs(bool);

fn app() -> App {
    let mut app = App::new();
    app.add_plugins(TransformPlugin);
    app.add_plugins((
        SpatialPlugin::<Rock>::new()
            .with_boxes::<Bounds>()
            .with_pairs(),
        SpatialPlugin::<Tree>::new(),
    ));
    app.insert_resource(Runs(true));
    let runs = |runs: Res<Runs>| runs.0;
    app.configure_sets(PostUpdate, SpatialSystems.run_if(runs));
    app
}

const UNIT: Bounds = Bounds {
    center: Vec3::ZERO,
    half_size: Vec3::ONE,
};

fn rock(app: &mut App, x: f32) -> Entity {
    let rock = (Rock, UNIT, Transform::from_xyz(x, 0.0, 0.0));
    app.world_mut().spawn(rock).id()
}

/// Returns the entities near a place, sorted.
fn near<M: Component>(app: &App, x: f32) -> Vec<Entity> {
    let index = app.world().resource::<SpatialIndex<M>>();
    let mut near: Vec<_> = index.within(Vec3::new(x, 0.0, 0.0), 0.5).collect();
    near.sort();
    near
}

fn sorted<const N: usize>(mut entities: [Entity; N]) -> [Entity; N] {
    entities.sort();
    entities
}

fn messages(app: &mut App) -> Vec<String> {
    let mut messages = app
        .world_mut()
        .resource_mut::<Messages<PairMessage<Rock>>>();
    messages
        .drain()
        .map(|message| format!("{message:?}"))
        .collect()
}

#[test]
fn one_that_is_despawned_and_one_with_its_number() {
    let mut app = app();
    let (a, b) = (rock(&mut app, 0.0), rock(&mut app, 1.0));
    app.update();
    assert_eq!(messages(&mut app), [format!("Began({a:?}, {b:?})")]);
    app.world_mut().despawn(b);
    // Entity numbers are reused, but not at once.
    let mut c = rock(&mut app, -1.0);
    for _ in 0..100_000 {
        if c.index_u32() == b.index_u32() {
            break;
        }
        app.world_mut().despawn(c);
        c = rock(&mut app, -1.0);
    }
    assert_eq!(c.index_u32(), b.index_u32());
    app.update();
    assert_eq!(near::<Rock>(&app, -0.5), sorted([a, c]));
    assert!(!app.world().resource::<SpatialIndex<Rock>>().contains(b));
    let mut told = messages(&mut app);
    told.sort();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("Began") && told[0].contains(&format!("{c:?}")));
    assert_eq!(told[1], format!("Ended({a:?}, {b:?})"));
    // This entity is despawned in the frame in which it is spawned.
    let d = rock(&mut app, 0.0);
    app.world_mut().despawn(d);
    app.update();
    assert_eq!(app.world().resource::<SpatialIndex<Rock>>().len(), 2);
}

#[test]
fn one_marker_for_another() {
    let mut app = app();
    let entity = rock(&mut app, 0.0);
    app.update();
    app.world_mut()
        .entity_mut(entity)
        .remove::<Rock>()
        .insert(Tree);
    app.update();
    assert_eq!(
        (near::<Rock>(&app, 0.0), near::<Tree>(&app, 0.0)),
        (vec![], vec![entity])
    );
    app.world_mut().entity_mut(entity).insert(Rock);
    app.update();
    assert_eq!(
        (near::<Rock>(&app, 0.0), near::<Tree>(&app, 0.0)),
        (vec![entity], vec![entity])
    );
}

#[test]
fn children_go_with_their_parents() {
    let mut app = app();
    let parent = app
        .world_mut()
        .spawn(Transform::from_scale(Vec3::splat(2.0)))
        .id();
    let child = rock(&mut app, 3.0);
    app.world_mut().entity_mut(child).insert(ChildOf(parent));
    app.update();
    let bounds = |app: &App| {
        app.world()
            .resource::<SpatialIndex<Rock>>()
            .bounds(child)
            .unwrap()
    };
    assert_eq!(
        (bounds(&app).min(), bounds(&app).max()),
        ([4.0, -2.0, -2.0], [8.0, 2.0, 2.0])
    );
    let mut of_parent = app.world_mut().get_mut::<Transform>(parent).unwrap();
    of_parent.translation.y = 10.0;
    of_parent.scale = Vec3::new(-1.0, 1.0, 1.0);
    app.update();
    assert_eq!(
        (bounds(&app).min(), bounds(&app).max()),
        ([-4.0, 9.0, -1.0], [-2.0, 11.0, 1.0])
    );
    // A turned box takes more room.
    let mut of_parent = app.world_mut().get_mut::<Transform>(parent).unwrap();
    *of_parent = Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_4));
    app.update();
    let wide = 2.0 * std::f32::consts::SQRT_2;
    assert!((bounds(&app).max()[0] - bounds(&app).min()[0] - wide).abs() < 1e-5);
    app.world_mut().despawn(parent);
    app.update();
    assert!(app.world().resource::<SpatialIndex<Rock>>().is_empty());
}

#[test]
fn the_disabled_are_hidden() {
    let mut app = app();
    let (a, b) = (rock(&mut app, 0.0), rock(&mut app, 0.5));
    app.update();
    messages(&mut app);
    app.world_mut().entity_mut(a).insert(Disabled);
    app.update();
    assert_eq!(near::<Rock>(&app, 0.0), [b]);
    assert_eq!(messages(&mut app), [format!("Ended({a:?}, {b:?})")]);
    app.update();
    app.world_mut().entity_mut(a).remove::<Disabled>();
    app.update();
    assert_eq!(near::<Rock>(&app, 0.0), sorted([a, b]));
    assert_eq!(messages(&mut app).len(), 1);
    // The entity changes several times in a frame.
    for _ in 0..2 {
        app.world_mut()
            .entity_mut(a)
            .insert(Disabled)
            .remove::<Disabled>();
    }
    app.update();
    assert_eq!(near::<Rock>(&app, 0.0), sorted([a, b]));
    assert_eq!(
        app.world().resource::<SpatialIndex<Rock>>().pairs().len(),
        1
    );
    app.world_mut()
        .spawn((Rock, UNIT, Transform::default(), Disabled));
    app.update();
    assert_eq!(app.world().resource::<SpatialIndex<Rock>>().len(), 2);
}

/// After two frames bevy forgets which components were removed.
#[test]
fn what_went_while_nobody_looked_is_gone() {
    let mut app = app();
    let rocks: Vec<_> = (0..8).map(|i| rock(&mut app, 0.1 * i as f32)).collect();
    app.world_mut().entity_mut(rocks[6]).insert(Disabled);
    app.update();
    app.world_mut().resource_mut::<Runs>().0 = false;
    app.world_mut().despawn(rocks[1]);
    app.world_mut().entity_mut(rocks[2]).remove::<Rock>();
    app.world_mut().entity_mut(rocks[3]).remove::<Bounds>();
    app.world_mut().entity_mut(rocks[4]).insert(Disabled);
    app.world_mut().entity_mut(rocks[5]).insert(Layers {
        memberships: 2,
        filters: 2,
    });
    app.world_mut().entity_mut(rocks[6]).remove::<Disabled>();
    for _ in 0..4 {
        app.update();
    }
    app.world_mut().despawn(rocks[7]);
    let new = rock(&mut app, 0.0);
    for _ in 0..4 {
        app.update();
    }
    app.world_mut().resource_mut::<Runs>().0 = true;
    app.update();
    let expected = sorted([rocks[0], rocks[5], rocks[6], new]);
    assert_eq!(near::<Rock>(&app, 0.3), expected);
    let index = app.world().resource::<SpatialIndex<Rock>>();
    assert_eq!((index.len(), index.pairs().len()), (4, 3));
}

#[test]
fn what_is_no_box_is_left_out_until_it_is_one() {
    let mut app = app();
    let one = rock(&mut app, 0.0);
    app.update();
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        app.world_mut().get_mut::<Bounds>(one).unwrap().half_size.y = bad;
        app.update();
        app.update();
        assert_eq!(near::<Rock>(&app, 0.0), []);
        app.world_mut().get_mut::<Bounds>(one).unwrap().half_size.y = 1.0;
        app.update();
        assert_eq!(near::<Rock>(&app, 0.0), [one]);
    }
    app.world_mut()
        .get_mut::<Transform>(one)
        .unwrap()
        .rotation
        .x = f32::NAN;
    app.update();
    app.world_mut().despawn(one);
    app.update();
    assert!(app.world().resource::<SpatialIndex<Rock>>().is_empty());
}

#[test]
fn pairs_of_the_plane_are_told_apart_from_those_of_space() {
    let mut app = App::new();
    app.add_plugins(TransformPlugin);
    app.add_plugins((
        SpatialPlugin::<Tree>::new().with_pairs(),
        SpatialPlugin::<Tree, Vec2>::in_plane().with_pairs(),
    ));
    app.world_mut()
        .spawn((Tree, Transform::from_xyz(1.0, 1.0, 0.0)));
    app.world_mut()
        .spawn((Tree, Transform::from_xyz(1.0, 1.0, 5.0)));
    app.update();
    let world = app.world();
    assert_eq!(world.resource::<SpatialIndex<Tree>>().pairs().len(), 0);
    assert_eq!(
        world.resource::<SpatialIndex<Tree, Vec2>>().pairs().len(),
        1
    );
    assert_eq!(world.resource::<Messages<PairMessage<Tree>>>().len(), 0);
    assert_eq!(
        world.resource::<Messages<PairMessage<Tree, Vec2>>>().len(),
        1
    );
}
