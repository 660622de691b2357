//! The definition of a pair for every two kinds of volume, at the touch and beside it.

use orthant::glam::Vec2;
use orthant::{Aabb, Bounded, Broadphase, Distance, Motion, Overlaps, Sphere, Volume};

fn cuboid(x: f32, y: f32) -> Volume<Vec2> {
    Aabb::new(Vec2::new(x, y), Vec2::new(x + 1.0, y + 1.0)).into()
}

fn ball(x: f32, y: f32, radius: f32) -> Volume<Vec2> {
    Sphere::new(Vec2::new(x, y), radius).into()
}

fn are_pair(a: Volume<Vec2>, b: Volume<Vec2>) -> bool {
    let mut world = Broadphase::new();
    let (p, q) = (
        world.insert(a, Motion::Dynamic),
        world.insert(b, Motion::Dynamic),
    );
    world.update();
    assert_eq!(a.overlaps(&b), b.overlaps(&a));
    assert_eq!(a.overlaps(&b), world.pairs().eq([(p, q)]));
    world.pairs().len() == 1
}

#[test]
fn boxes_by_their_corners() {
    assert!(are_pair(cuboid(0.0, 0.0), cuboid(1.0, 1.0)));
    assert!(!are_pair(cuboid(0.0, 0.0), cuboid(1.0, 1.0f32.next_up())));
}

#[test]
fn balls_by_their_distance() {
    assert!(are_pair(ball(0.0, 0.0, 3.0), ball(3.0, 4.0, 2.0)));
    assert!(!are_pair(ball(0.0, 0.0, 3.0), ball(3.0, 4.0, 1.99)));
}

#[test]
fn a_ball_and_a_box_by_the_nearest_point() {
    assert!(are_pair(ball(4.0, 5.0, 5.0), cuboid(0.0, 0.0)));
    assert!(!are_pair(ball(4.0, 5.0, 4.99), cuboid(0.0, 0.0)));
    assert!(are_pair(ball(0.5, 0.5, 0.0), cuboid(0.0, 0.0)));
}

/// Squares in single precision vanish below 1e-22, so that all balls would touch.
#[test]
fn tiny_balls_apart_do_not_touch() {
    assert!(!are_pair(ball(0.0, 0.0, 0.0), ball(1e-25, 0.0, 0.0)));
    assert!(are_pair(ball(0.0, 0.0, 1e-25), ball(1e-25, 0.0, 0.0)));
}

/// The squares are infinite, and so are equal.
#[test]
fn huge_balls_apart_do_not_touch() {
    assert!(!are_pair(ball(0.0, 0.0, 1e25), ball(3e25, 0.0, 1e25)));
    assert!(are_pair(ball(0.0, 0.0, 1e25), ball(2e25, 0.0, 1e25)));
}

#[test]
fn prediction_reaches_from_both_sides() {
    let count = |distance, a, b| {
        let mut world = Broadphase::new().with_prediction(distance);
        world.insert_batch([(a, Motion::Dynamic), (b, Motion::Dynamic)]);
        world.update();
        world.pairs().len()
    };
    assert_eq!(count(0.5, cuboid(0.0, 0.0), cuboid(2.0, 0.0)), 1);
    assert_eq!(count(0.49, cuboid(0.0, 0.0), cuboid(2.0, 0.0)), 0);
    assert_eq!(count(0.5, ball(0.0, 0.0, 1.0), ball(3.0, 0.0, 1.0)), 1);
    assert_eq!(count(0.5, ball(-1.0, 0.5, 0.0), cuboid(0.0, 0.0)), 1);
    assert_eq!(count(0.49, ball(-1.0, 0.5, 0.0), cuboid(0.0, 0.0)), 0);
    assert_eq!(count(f32::MAX, cuboid(0.0, 0.0), cuboid(1e30, 1e30)), 1);
}

#[test]
fn a_volume_is_as_far_as_what_it_is() {
    let from = Vec2::new(4.0, 5.0);
    assert_eq!(cuboid(0.0, 0.0).distance_sq(from), 25.0);
    assert_eq!(ball(0.0, 0.0, 0.5).bounds(), ball(0.0, 0.0, 0.5).core());
    assert_eq!(ball(4.0, 1.0, 1.0).distance_sq(from), 9.0);
    assert_eq!(ball(4.0, 1.0, 5.0).distance_sq(from), 0.0);
}
