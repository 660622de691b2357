//! Bodies that move along a path within a step: which bodies touch, and when.

use orthant::glam::{DVec2, DVec3, Vec2};
use orthant::{Aabb, Broadphase, Event, Motion, Ray, Sphere, Vector, Volume};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

fn ball(x: f64, y: f64) -> Sphere<DVec2> {
    Sphere::new(DVec2::new(x, y), 1.0)
}

/// A body that would jump over the wall from one step to the next meets it.
#[test]
fn a_bullet_meets_what_it_jumps_over() {
    let wall = Aabb::new(DVec2::new(10.0, -5.0), DVec2::new(10.0, 5.0));
    let mut world = Broadphase::new();
    let bullet = world.insert(ball(0.0, 0.0), Motion::Dynamic);
    let wall = world.insert(wall, Motion::Static);
    world.set_bounds_expecting(bullet, ball(0.0, 0.0), DVec2::X * 90.0);
    assert!(world.update().is_empty(), "an expectation is no way");
    assert!(world.set_swept(bullet, ball(0.0, 0.0), DVec2::X * 90.0));
    assert_eq!(world.update(), [Event::Begin(bullet, wall)]);
    let impact = world.impact(bullet, wall).unwrap();
    assert_eq!(
        (impact.first, impact.point, impact.normal),
        (0.1, DVec2::X * 10.0, DVec2::NEG_X)
    );
    // The impact is also given from the side of the wall, which stays.
    let impact = world.impact(wall, bullet).unwrap();
    assert_eq!((impact.first, impact.normal), (0.1, DVec2::X));
    // The body has arrived, and has no path any more.
    world.set_bounds(bullet, ball(90.0, 0.0));
    assert_eq!(world.update(), [Event::End(bullet, wall)]);
    assert_eq!(world.impact(bullet, wall), None);
    assert_eq!(world.path(bullet), Some(DVec2::ZERO));
}

/// Paths that cross at different times do not touch.
#[test]
fn ways_that_cross_are_no_touch() {
    let mut world = Broadphase::new();
    let a = world.insert(ball(0.0, 0.0), Motion::Dynamic);
    let b = world.insert(ball(50.0, -50.0), Motion::Dynamic);
    world.set_swept(a, ball(0.0, 0.0), DVec2::X * 100.0);
    world.set_swept(b, ball(50.0, -80.0), DVec2::Y * 100.0);
    assert!(world.update().is_empty());
    world.set_swept(b, ball(50.0, -50.0), DVec2::Y * 100.0);
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    // Both are 50 - 100 t away from the crossing; √2 of that is 2.
    let first = world.impact(a, b).unwrap().first;
    assert!(
        (first - (0.5 - 0.02 / f64::sqrt(2.0))).abs() < 1e-12,
        "{first}"
    );
    // Side by side at equal speed, they never meet.
    world.set_swept(b, ball(0.0, 2.1), DVec2::X * 100.0);
    assert_eq!(world.update(), [Event::End(a, b)]);
}

#[test]
fn every_kind_meets_every_kind() {
    let cube = |x: f64| -> Volume<DVec3> {
        Aabb::new(DVec3::new(x, -1.0, -1.0), DVec3::new(x + 2.0, 1.0, 1.0)).into()
    };
    let ball = |x: f64| -> Volume<DVec3> { Sphere::new(DVec3::new(x + 1.0, 0.0, 0.0), 1.0).into() };
    let kinds: [&dyn Fn(f64) -> Volume<DVec3>; 2] = [&cube, &ball];
    for mover in kinds {
        for target in kinds {
            let mut world = Broadphase::new().with_prediction(0.5);
            let a = world.insert(mover(0.0), Motion::Dynamic);
            let b = world.insert(target(10.0), Motion::Dynamic);
            world.set_swept(a, mover(0.0), DVec3::X * 4.0);
            world.set_swept(b, target(10.0), DVec3::X * -2.0);
            assert!(world.update().is_empty());
            // One unit closer and inflated by half a unit each, they touch at the end.
            world.set_swept(b, target(9.0), DVec3::X * -2.0);
            assert_eq!(world.update(), [Event::Begin(a, b)]);
            assert_eq!(world.impact(a, b), None, "they do not touch themselves");
            world.set_swept(b, target(8.0), DVec3::X * -2.0);
            assert!(world.update().is_empty());
            assert_eq!(world.impact(a, b).map(|impact| impact.first), Some(1.0));
        }
    }
}

/// Queries find bodies at the start of their paths, not at the end.
#[test]
fn queries_ask_the_start_of_the_way() {
    let mut world = Broadphase::new();
    let a = world.insert(ball(0.0, 0.0), Motion::Dynamic);
    world.set_swept(a, ball(0.0, 0.0), DVec2::X * 100.0);
    world.update();
    assert_eq!(world.count(ball(50.0, 0.0)), 0);
    assert_eq!(world.count(ball(0.0, 2.0)), 1);
    assert_eq!(
        world.first_on_ray(Ray::new(DVec2::new(50.0, 9.0), DVec2::NEG_Y).until(9.0)),
        None
    );
    assert_eq!(world.bounds(a).unwrap().max().axis(0), 1.0);
}

#[test]
fn impacts_of_bodies_that_are_gone_are_none() {
    let mut world = Broadphase::new();
    let a = world.insert(ball(0.0, 0.0), Motion::Dynamic);
    let b = world.insert(ball(1.0, 0.0), Motion::Dynamic);
    assert_eq!(world.impact(a, b).map(|impact| impact.first), Some(0.0));
    world.remove(b);
    assert_eq!((world.impact(a, b), world.impact(b, a)), (None, None));
}

/// If squares of distances overflow or underflow, the boxes still tell which bodies are apart.
#[test]
fn balls_far_away_and_tiny_ones_do_not_touch_on_the_way() {
    let mut world = Broadphase::new();
    let far = Sphere::new(Vec2::new(-f32::MAX, 1.5), 1e30);
    let far = world.insert(far, Motion::Dynamic);
    let point = Aabb::new(Vec2::ZERO, Vec2::ZERO);
    let falls = world.insert(point, Motion::Dynamic);
    world.set_swept(falls, point, Vec2::new(0.0, -f32::MAX));
    let tiny = |x: f32, y: f32| Sphere::new(Vec2::new(9.0 + x, y) * 1e-23, 1e-23);
    let [a, b] = [(0.0, 0.0), (4.0, 0.0)].map(|(x, y)| world.insert(tiny(x, y), Motion::Dynamic));
    // The body crosses the other's path after it has passed.
    world.set_swept(a, tiny(0.0, 0.0), Vec2::new(8e-23, 0.0));
    world.set_swept(b, tiny(4.0, -9.0), Vec2::new(0.0, 9e-23));
    assert!(world.update().is_empty());
    assert_eq!((world.impact(far, falls), world.impact(a, b)), (None, None));
}

/// Two bodies are a pair exactly if they have an impact, up to the last bit at the end of a path.
#[test]
fn pairs_are_those_with_an_impact() {
    let random = &mut SmallRng::seed_from_u64(6);
    let mut ends = 0;
    for _ in 0..400 {
        let mut world = Broadphase::new();
        let mut tenth = |from: i32, to: i32| 0.1 * random.random_range(from..=to) as f32;
        let bodies: Vec<_> = (0..8)
            .map(|i| {
                let at = Vec2::new(tenth(-30, 30), tenth(-9, 9));
                let volume: Volume<Vec2> = if i % 2 == 0 {
                    Sphere::new(at, tenth(0, 9)).into()
                } else {
                    Aabb::new(at, at + Vec2::new(tenth(0, 9), tenth(0, 9))).into()
                };
                let body = world.insert(volume, Motion::Dynamic);
                world.set_swept(body, volume, Vec2::new(tenth(-40, 40), tenth(-1, 1)));
                body
            })
            .collect();
        world.update();
        let pairs: Vec<_> = world.pairs().collect();
        for (i, &a) in bodies.iter().enumerate() {
            for &b in &bodies[i + 1..] {
                let impact = world.impact(a, b);
                assert_eq!(pairs.contains(&(a, b)), impact.is_some());
                ends += usize::from(impact.is_some_and(|impact| impact.first > 0.99));
            }
        }
    }
    assert!(ends > 20, "{ends}");
}
