//! Tests of the broad phases of physics engines, rewritten: Bullet, Jolt, `Box2D`, parry. `Box2D`'s rays are in `casts.rs`.

use orthant::glam::Vec3;
use orthant::{Aabb, BodyInfo, Broadphase, Event, Filter, Handle, Motion, Ray};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

fn cube(at: Vec3, half: f32) -> Aabb<Vec3> {
    Aabb::new(at - half, at + half)
}

/// Bullet: boxes that touch with a face, an edge or a corner are a pair.
#[test]
fn touching_boxes_are_a_pair() {
    for towards in [Vec3::X, Vec3::new(1.0, -1.0, 0.0), Vec3::ONE] {
        let mut world = Broadphase::new();
        let a = world.insert(cube(Vec3::ZERO, 0.5), Motion::Dynamic);
        let b = world.insert(cube(towards, 0.5), Motion::Dynamic);
        assert_eq!(world.update(), [Event::Begin(a, b)]);
        world.set_bounds(b, cube(towards * 1.001, 0.5));
        assert_eq!(world.update(), [Event::End(a, b)]);
    }
}

#[test]
fn bodies_come_from_an_iterator() {
    let mut world = Broadphase::new();
    assert!(world.is_empty());
    world.extend([0.0, 1.0].map(|x| (cube(Vec3::splat(x), 0.5), Motion::Dynamic)));
    assert_eq!((world.len(), world.is_empty()), (2, false));
    assert_eq!(world.update().len(), 1);
}

/// The number of a body that came and went between two updates is forgotten at once, also by a copy, since no event names it.
#[test]
fn a_body_that_no_update_saw_is_forgotten() {
    let mut world = Broadphase::new();
    let unit = cube(Vec3::ZERO, 1.0);
    world.insert(unit, Motion::Dynamic);
    world.update();
    let unseen = world.insert(unit, BodyInfo::from(Motion::Dynamic).with_user(17));
    let mut copies = vec![world.clone()];
    #[cfg(feature = "serde")]
    copies.push(serde_json::from_str(&serde_json::to_string(&world).unwrap()).unwrap());
    copies.push(world);
    for mut world in copies {
        assert_eq!(world.user(unseen), Some(17));
        world.remove(unseen);
        assert_eq!(world.user(unseen), None);
        assert!(world.update().is_empty());
    }
}

/// The remaining bodies are counted while events are read, also past removed ones.
#[test]
fn bodies_that_are_left_are_counted() {
    let mut world: Broadphase<Vec3> = [0.0, 3.0, 6.0, 9.0]
        .map(|x| (cube(Vec3::splat(x), 0.5), Motion::Dynamic))
        .into_iter()
        .collect();
    let second = world.iter().nth(1).unwrap().0;
    world.remove(second);
    let mut bodies = world.iter();
    for left in (0..3).rev() {
        assert!(bodies.next().is_some());
        assert_eq!(bodies.len(), left);
    }
    assert!(bodies.next().is_none());
}

/// Bullet: a pair that continues is not reported again, whichever of the two bodies moves.
#[test]
fn a_pair_begins_once() {
    let mut world = Broadphase::new();
    let a = world.insert(cube(Vec3::ZERO, 1.0), Motion::Dynamic);
    let b = world.insert(cube(Vec3::X, 1.0), Motion::Dynamic);
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    for step in 1..10 {
        let by = Vec3::X * 0.1 * step as f32;
        world.set_bounds(a, cube(by, 1.0));
        if step % 2 == 0 {
            world.set_bounds(b, cube(by + Vec3::Y, 1.0));
        }
        assert!(world.update().is_empty());
    }
}

/// Jolt: a moved body is found at its new place and not at the old one, before and after the update.
#[test]
fn a_moved_body_is_where_it_went() {
    let (old, new) = (Vec3::ZERO, Vec3::new(200.0, -30.0, 7.0));
    let mut world = Broadphase::new().with_margin(0.1);
    let body = world.insert(cube(old, 1.0), Motion::Dynamic);
    let found = |world: &Broadphase<Vec3>, at| {
        let here: Vec<Handle> = world.query(cube(at, 0.5)).collect();
        let above = at + Vec3::Y * 5.0;
        let below = world.first_on_ray(Ray::new(above, Vec3::NEG_Y).until(10.0));
        assert_eq!(below.map(|hit| hit.0), here.first().copied());
        assert_eq!(
            world.nearest(at).map(|n| n.distance_sq == 0.0),
            Some(!here.is_empty())
        );
        here
    };
    assert_eq!(found(&world, old), [body]);
    world.update();
    assert_eq!(
        (found(&world, old), found(&world, new)),
        (vec![body], vec![])
    );
    world.set_bounds(body, cube(new, 1.0));
    assert_eq!(
        (found(&world, old), found(&world, new)),
        (vec![], vec![body])
    );
    world.update();
    assert_eq!(
        (found(&world, old), found(&world, new)),
        (vec![], vec![body])
    );
    world.remove(body);
    assert_eq!(world.count(cube(new, 1.0)), 0);
    assert_eq!(world.nearest(new), None);
}

/// Jolt: a body that moves within its fat box is found where it is, not in the whole fat box.
#[test]
fn a_body_is_not_where_its_fat_box_is() {
    let mut world = Broadphase::new().with_margin(10.0);
    let body = world.insert(cube(Vec3::ZERO, 1.0), Motion::Dynamic);
    world.update();
    assert!(!world.set_bounds(body, cube(Vec3::X * 5.0, 1.0)));
    assert_eq!(world.count(cube(Vec3::ZERO, 1.0)), 0);
    assert_eq!(world.count(cube(Vec3::X * 5.0, 1.0)), 1);
    assert_eq!(
        world.first_on_ray(Ray::new(Vec3::ZERO, Vec3::X).until(9.0)),
        Some((body, 4.0))
    );
}

/// `Box2D`: changed filters begin and end pairs at the next step.
#[test]
fn filters_are_heard_at_the_next_update() {
    let mut world = Broadphase::new();
    let a = world.insert(cube(Vec3::ZERO, 1.0), Motion::Dynamic);
    let door = Filter {
        category: 2,
        ..Filter::ALL
    };
    let proxy = BodyInfo::from(Motion::Static).with_filter(door);
    let b = world.insert(cube(Vec3::X, 1.0), proxy);
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    let ghost = Filter {
        mask: !2,
        ..Filter::ALL
    };
    world.set_filter(a, ghost);
    assert!(world.pairs().eq([(a, b)]));
    assert_eq!(world.update(), [Event::End(a, b)]);
    world.set_filter(a, Filter { group: 5, ..ghost });
    assert!(world.update().is_empty());
    world.set_filter(b, Filter { group: 5, ..door });
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    world.set_filter(a, Filter { group: -5, ..ghost });
    world.set_filter(b, Filter { group: -5, ..door });
    assert_eq!(world.update(), [Event::End(a, b)]);
}

/// `Box2D`: the motion of a body, which may change, decides about its pairs.
#[test]
fn motions_are_heard_at_the_next_update() {
    let mut world = Broadphase::new();
    let a = world.insert(cube(Vec3::ZERO, 1.0), Motion::Static);
    let b = world.insert(cube(Vec3::X, 1.0), Motion::Kinematic);
    assert!(world.update().is_empty());
    world.set_motion(a, Motion::Kinematic);
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    world.set_motion(b, Motion::Static);
    assert_eq!(world.update(), [Event::End(a, b)]);
    world.set_motion(a, Motion::Dynamic);
    assert_eq!(world.update(), [Event::Begin(a, b)]);
}

/// parry: trees of every size up to 100, filled and emptied in several orders, are valid at any time.
#[test]
fn any_order_of_insertion_and_removal() {
    let mut random = SmallRng::seed_from_u64(1);
    for size in 1..=100 {
        for order in 0..3 {
            let mut numbers: Vec<usize> = (0..size).collect();
            match order {
                0 => {}
                1 => numbers.reverse(),
                _ => numbers.shuffle(&mut random),
            }
            let at = |i: usize| Vec3::new((i % 10) as f32, (i / 10) as f32, 0.0) * 1.5;
            let mut world = Broadphase::new();
            let mut handles = vec![None; size];
            for &i in &numbers {
                handles[i] = Some(world.insert(cube(at(i), 1.0), Motion::Dynamic));
                world.validate().unwrap();
                if random.random_bool(0.2) {
                    world.update();
                    world.validate().unwrap();
                }
            }
            world.update();
            // The partners are those to the right, above, and on both diagonals.
            let (rows, last) = (size / 10, size % 10);
            let along = rows * 9 + last.saturating_sub(1);
            let up = (rows * 10).saturating_sub(10) + if rows > 0 { last } else { 0 };
            let down = rows.saturating_sub(1) * 9 + if rows > 0 { last.min(9) } else { 0 };
            let cross =
                rows.saturating_sub(1) * 9 + if rows > 0 { last.saturating_sub(1) } else { 0 };
            assert_eq!(world.pairs().len(), along + up + down + cross, "{size}");
            if order == 1 {
                numbers.rotate_left(size / 2);
            }
            for &i in &numbers {
                world.remove(handles[i].unwrap());
                world.validate().unwrap();
                if random.random_bool(0.2) {
                    world.update();
                    world.validate().unwrap();
                }
            }
            world.update();
            assert_eq!((world.len(), world.pairs().len()), (0, 0));
        }
    }
}
