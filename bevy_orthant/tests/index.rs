//! Compares the index with a scan of every entity, while entities come, move, change and go.

use bevy_app::Plugins;
use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Mat4, Ray3d, Vec2, Vec3};
use bevy_orthant::prelude::*;
use bevy_transform::prelude::*;

#[derive(Component)]
struct Rock;

/// Numbers without a pattern that repeat in each run: multiples of a quarter, so that ties are common.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn place(&mut self) -> Vec3 {
        Vec3::from([(); 3].map(|()| self.below(40) as f32 * 0.25))
    }
}

fn app<P>(plugins: impl Plugins<P>) -> App {
    let mut app = App::new();
    app.add_plugins(TransformPlugin);
    app.add_plugins(plugins);
    app
}

fn sorted(found: impl Iterator<Item = Entity>) -> Vec<Entity> {
    let mut found: Vec<_> = found.collect();
    found.sort();
    found
}

/// Returns all rocks that have a place, with their boxes and layers.
fn rocks(app: &mut App) -> Vec<(Entity, [Vec3; 2], Layers)> {
    let world = app.world_mut();
    let mut all = world
        .query_filtered::<(Entity, &GlobalTransform, Option<&Bounds>, Option<&Layers>), With<Rock>>(
        );
    let all = all.iter(world).map(|(entity, at, bounds, layers)| {
        let half = bounds.map_or(Vec3::ZERO, |bounds| bounds.half_size);
        let at = at.translation();
        (
            entity,
            [at - half, at + half],
            layers.copied().unwrap_or_default(),
        )
    });
    all.collect()
}

fn distance_sq([low, high]: [Vec3; 2], point: Vec3) -> f32 {
    (low - point)
        .max(point - high)
        .max(Vec3::ZERO)
        .length_squared()
}

fn meet(a: Layers, b: Layers) -> bool {
    a.memberships & b.filters != 0 && b.memberships & a.filters != 0
}

/// Moves a tenth of the entities, removes a few in several ways, and adds some.
fn change(app: &mut App, random: &mut Random, boxes: bool) {
    let known: Vec<Entity> = rocks(app).iter().map(|rock| rock.0).collect();
    let world = app.world_mut();
    for &entity in &known {
        match random.below(60) {
            0..6 => world.get_mut::<Transform>(entity).unwrap().translation = random.place(),
            6 => {
                world.despawn(entity);
            }
            7 => {
                world.entity_mut(entity).remove::<Rock>();
            }
            8 => {
                world.entity_mut(entity).remove::<Rock>().insert(Rock);
            }
            9 => {
                world.entity_mut(entity).insert(Layers {
                    memberships: 2,
                    filters: 1,
                });
            }
            10 => {
                world.entity_mut(entity).remove::<Layers>();
            }
            _ => {}
        }
    }
    for _ in 0..20 {
        let transform = Transform::from_translation(random.place());
        let mut rock = world.spawn((Rock, transform));
        if boxes {
            let half_size = Vec3::splat(0.25 * random.below(4) as f32);
            rock.insert(Bounds {
                center: Vec3::ZERO,
                half_size,
            });
        }
    }
}

fn check(app: &mut App, random: &mut Random) {
    let all = rocks(app);
    let index = app.world().resource::<SpatialIndex<Rock>>();
    assert_eq!(index.len(), all.len());
    for _ in 0..20 {
        let (place, reach) = (random.place(), 0.25 * random.below(12) as f32);
        let near =
            |rock: &&(Entity, [Vec3; 2], Layers)| distance_sq(rock.1, place) <= reach * reach;
        let expected = sorted(all.iter().filter(near).map(|rock| rock.0));
        assert_eq!(sorted(index.within(place, reach)), expected);
        let least = all
            .iter()
            .map(|rock| distance_sq(rock.1, place))
            .min_by(f32::total_cmp);
        assert_eq!(
            index.nearest(place).map(|near| near.1),
            least.map(f32::sqrt)
        );
        let mut distances: Vec<f32> = all
            .iter()
            .map(|rock| distance_sq(rock.1, place).sqrt())
            .collect();
        distances.sort_by(f32::total_cmp);
        let found: Vec<f32> = index
            .nearest_n(place, 7)
            .iter()
            .map(|near| near.1)
            .collect();
        assert_eq!(found, distances[..7.min(distances.len())]);
        let layers = Layers {
            memberships: 1,
            filters: 1,
        };
        let seen = all.iter().filter(near).filter(|rock| meet(rock.2, layers));
        assert_eq!(
            sorted(index.filtered(layers).within(place, reach)),
            sorted(seen.map(|rock| rock.0))
        );
        let (min, max) = (place, place + reach);
        let touched = all
            .iter()
            .filter(|rock| rock.1[0].cmple(max).all() && rock.1[1].cmpge(min).all());
        assert_eq!(
            sorted(index.in_box(min, max)),
            sorted(touched.map(|rock| rock.0))
        );
    }
}

#[test]
fn points_are_those_of_a_look_at_every_entity() {
    let mut app = app(SpatialPlugin::<Rock>::new());
    let mut random = Random(1);
    for _ in 0..40 {
        change(&mut app, &mut random, false);
        app.update();
        check(&mut app, &mut random);
    }
}

#[test]
fn boxes_and_their_pairs_are_those_of_a_look_at_every_entity() {
    let mut app = app(SpatialPlugin::<Rock>::new()
        .with_boxes::<Bounds>()
        .with_pairs());
    let mut random = Random(2);
    let (mut known, mut seen) = (Vec::new(), 0);
    for _ in 0..40 {
        change(&mut app, &mut random, true);
        app.update();
        check(&mut app, &mut random);
        let all = rocks(&mut app);
        let mut pairs = Vec::new();
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                if meet(a.2, b.2) && a.1[0].cmple(b.1[1]).all() && b.1[0].cmple(a.1[1]).all() {
                    pairs.push((a.0.min(b.0), a.0.max(b.0)));
                }
            }
        }
        pairs.sort();
        let world = app.world_mut();
        let index = world.resource::<SpatialIndex<Rock>>();
        let mut found: Vec<_> = index.pairs().map(|(a, b)| (a.min(b), a.max(b))).collect();
        found.sort();
        assert_eq!(found, pairs);
        // The messages must lead from the pairs before to the pairs now.
        let mut messages = world.resource_mut::<Messages<PairMessage<Rock>>>();
        for message in messages.drain() {
            let (a, b) = message.pair();
            let pair = (a.min(b), a.max(b));
            match message {
                PairMessage::Began(..) => known.push(pair),
                PairMessage::Ended(..) => known.retain(|&other| other != pair),
            }
        }
        known.sort();
        assert_eq!(known, pairs);
        seen += pairs.len();
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn rays_and_cameras_find_what_they_meet() {
    let mut app = app(SpatialPlugin::<Rock>::new().with_boxes::<Bounds>());
    let unit = Bounds {
        center: Vec3::X,
        half_size: Vec3::ONE,
    };
    // After a quarter turn about the vertical axis, x becomes -z; the scale is two.
    let turned = Transform::from_xyz(0.0, 0.0, -10.0)
        .with_rotation(bevy_math::Quat::from_rotation_y(
            std::f32::consts::FRAC_PI_2,
        ))
        .with_scale(Vec3::splat(2.0));
    let rock = app.world_mut().spawn((Rock, unit, turned)).id();
    app.world_mut()
        .spawn((Rock, unit, Transform::from_xyz(50.0, 0.0, 0.0)));
    app.update();
    let index = app.world().resource::<SpatialIndex<Rock>>();
    let ray = Ray3d::new(Vec3::ZERO, Dir3::NEG_Z);
    let (hit, distance) = index.cast_ray(ray, 100.0).unwrap();
    assert_eq!(hit, rock);
    assert!((distance - 10.0).abs() < 1e-4, "{distance}");
    assert_eq!(index.cast_ray(ray, 5.0), None);
    let camera = Mat4::perspective_infinite_reverse_rh(1.0, 1.0, 0.1);
    assert!(index.in_frustum(camera).eq([rock]));
    // Invalid queries find nothing.
    assert_eq!(index.in_frustum(Mat4::ZERO).count(), 0);
    assert_eq!(
        index.within(Vec3::NAN, 1.0).count() + index.within(Vec3::ZERO, -1.0).count(),
        0
    );
    assert_eq!(index.in_box(Vec3::ONE, Vec3::ZERO).count(), 0);
    assert_eq!(
        (index.nearest(Vec3::NAN), index.cast_ray(ray, f32::NAN)),
        (None, None)
    );
}

#[test]
fn an_entity_without_a_place_is_left_out_until_it_has_one() {
    let mut app = app(SpatialPlugin::<Rock>::new());
    let rock = app
        .world_mut()
        .spawn((Rock, Transform::from_xyz(f32::NAN, 0.0, 0.0)))
        .id();
    let bare = app.world_mut().spawn(Rock).id();
    app.update();
    let known = |app: &App| {
        let index = app.world().resource::<SpatialIndex<Rock>>();
        [rock, bare].map(|entity| index.contains(entity))
    };
    assert_eq!(known(&app), [false, false]);
    app.world_mut()
        .get_mut::<Transform>(rock)
        .unwrap()
        .translation = Vec3::ONE;
    app.world_mut()
        .entity_mut(bare)
        .insert(Transform::default());
    app.update();
    assert_eq!(known(&app), [true, true]);
    app.world_mut()
        .get_mut::<Transform>(rock)
        .unwrap()
        .translation
        .y = f32::INFINITY;
    app.world_mut()
        .entity_mut(bare)
        .remove::<(Transform, GlobalTransform)>();
    app.update();
    assert_eq!(known(&app), [false, false]);
}

#[test]
fn two_indices_in_the_plane_and_in_space_do_not_mix() {
    #[derive(Component)]
    struct Token;
    let mut app = app((
        SpatialPlugin::<Rock>::new(),
        SpatialPlugin::<Token, Vec2>::in_plane(),
    ));
    let token = app
        .world_mut()
        .spawn((Token, Transform::from_xyz(3.0, 4.0, 7.0)))
        .id();
    let rock = app
        .world_mut()
        .spawn((Rock, Token, Transform::from_xyz(0.0, 0.0, 1.0)))
        .id();
    app.update();
    let tokens = app.world().resource::<SpatialIndex<Token, Vec2>>();
    assert_eq!(tokens.nearest_n(Vec2::ZERO, 9), [(rock, 0.0), (token, 5.0)]);
    let rocks = app.world().resource::<SpatialIndex<Rock>>();
    assert_eq!(rocks.nearest_n(Vec3::ZERO, 9), [(rock, 1.0)]);
}

/// Entities that were despawned since the update are found; the user's query filters them.
#[test]
fn entities_that_are_gone_are_filtered_by_a_query() {
    let mut app = app(SpatialPlugin::<Rock>::new());
    let rocks = [1.0, 2.0, 3.0].map(|x| {
        let at = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((Rock, at)).id()
    });
    app.update();
    app.world_mut().despawn(rocks[0]);
    app.world_mut().entity_mut(rocks[1]).remove::<Rock>();
    let look = move |index: Res<SpatialIndex<Rock>>, known: Query<(), With<Rock>>| {
        let (ray, is_known) = (Ray3d::new(Vec3::ZERO, Dir3::X), |rock: Entity| {
            known.contains(rock)
        });
        assert_eq!(sorted(index.within(Vec3::ZERO, 9.0)).len(), 3);
        assert_eq!(index.nearest(Vec3::ZERO), Some((rocks[0], 1.0)));
        let all = index.cast_ray_all(ray, 9.0);
        assert_eq!(all, [(rocks[0], 1.0), (rocks[1], 2.0), (rocks[2], 3.0)]);
        assert_eq!(index.cast_ray_all(ray, 2.0), all[..2]);
        assert!(index.cast_ray_all(ray, f32::NAN).is_empty());
        let within = index.within(Vec3::ZERO, 9.0).filter(|&rock| is_known(rock));
        assert!(within.eq([rocks[2]]));
        let mut by_distance = index.by_distance(Vec3::ZERO);
        let nearest = by_distance.find(|&(rock, _)| is_known(rock));
        assert_eq!(nearest, Some((rocks[2], 3.0)));
        let hit = all.into_iter().find(|&(rock, _)| is_known(rock));
        assert_eq!(hit, Some((rocks[2], 3.0)));
    };
    app.add_systems(Update, look);
    app.update();
    let index = app.world().resource::<SpatialIndex<Rock>>();
    assert!(index.by_distance(Vec3::ZERO).eq([(rocks[2], 3.0)]));
}
