//! The cost of margins, and the answers that they do not change.

use orthant::glam::Vec2;
use orthant::{Aabb, Broadphase, Event, Handle, Motion, Sphere};

fn unit(x: f32) -> Aabb<Vec2> {
    Aabb::new(Vec2::new(x, 0.0), Vec2::new(x + 1.0, 1.0))
}

fn two(mut world: Broadphase<Vec2>) -> (Broadphase<Vec2>, Handle, Handle) {
    let a = world.insert(unit(0.0), Motion::Dynamic);
    let b = world.insert(unit(1.5), Motion::Dynamic);
    world.update();
    (world, a, b)
}

#[test]
fn a_margin_is_no_answer() {
    let (mut world, a, b) = two(Broadphase::new().with_margin(1.0));
    assert_eq!(world.pairs().len(), 0);
    assert!(!world.set_bounds(a, unit(0.5)));
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    assert!(!world.set_bounds(a, unit(0.25)));
    assert_eq!(world.update(), [Event::End(a, b)]);
}

/// A world whose bodies are back at their places answers as before.
#[test]
fn history_leaves_no_trace() {
    let (mut world, a, _) = two(Broadphase::new().with_margin(0.25));
    let before: Vec<_> = world.pairs().collect();
    for x in [0.5, 0.7, 9.0, -50.0, 0.1] {
        world.set_bounds_expecting(a, unit(x), Vec2::new(40.0, 0.0));
        world.update();
    }
    world.set_bounds(a, unit(0.0));
    world.update();
    assert!(world.pairs().eq(before));
}

#[test]
fn fat_pairs_last_while_fat_boxes_do() {
    let (mut world, a, b) = two(Broadphase::new().with_margin(0.25).with_fat_pairs());
    assert!(world.pairs().eq([(a, b)]));
    // The bodies are apart, and neither has left its box.
    assert!(!world.set_bounds(a, unit(-0.25)));
    assert!(world.update().is_empty());
    assert!(world.set_bounds(a, unit(-0.3)));
    assert_eq!(world.update(), [Event::End(a, b)]);
    // The body is expected to come closer.
    assert!(world.set_bounds_expecting(a, unit(-0.6), Vec2::new(0.7, 0.0)));
    assert_eq!(world.update(), [Event::Begin(a, b)]);
}

#[test]
fn fat_pairs_are_of_boxes() {
    let mut world = Broadphase::new().with_fat_pairs();
    world.insert(Sphere::new(Vec2::ZERO, 1.0), Motion::Dynamic);
    world.insert(Sphere::new(Vec2::splat(1.9), 1.0), Motion::Dynamic);
    world.update();
    assert_eq!(world.pairs().len(), 1);
}

/// A box that was stretched over a long path is replaced once it is not needed.
#[test]
fn a_box_that_is_much_too_wide_is_made_anew() {
    let (mut world, a, _) = two(Broadphase::new().with_margin(0.25));
    world.set_bounds_expecting(a, unit(1.0), Vec2::new(100.0, 0.0));
    assert_eq!(world.fat_bounds(a).unwrap().max(), Vec2::new(102.25, 1.25));
    assert!(!world.set_bounds_expecting(a, unit(1.5), Vec2::new(100.0, 0.0)));
    assert!(world.set_bounds(a, unit(2.0)));
    assert_eq!(world.fat_bounds(a).unwrap().max(), Vec2::new(3.25, 1.25));
    assert_eq!(world.bounds(a), Some(unit(2.0)));
}

/// The rule by which a fat box is replaced does not depend on the unit: the box may reach four margins further than a new one.
#[test]
fn how_much_is_too_wide_depends_on_the_margin_alone() {
    for unit in [1.0 / 64.0, 1.0, 64.0] {
        for way in 1..40u8 {
            let body = Aabb::new([0.0], [unit]);
            let mut world = Broadphase::new().with_margin(unit / 4.0);
            let far = Aabb::new([-9.0 * unit], [-8.0 * unit]);
            let handle = world.insert(far, Motion::Dynamic);
            world.set_bounds_expecting(handle, body, [f32::from(way) * unit / 8.0]);
            let changed = world.set_bounds(handle, body);
            assert_eq!(changed, way > 8, "{unit}, {way}");
        }
    }
}

#[test]
fn rules_may_change_while_bodies_are_there() {
    let (world, a, b) = two(Broadphase::new());
    let mut world = world.with_prediction(0.25);
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    let mut world = world.with_prediction(0.0).with_margin(0.5);
    assert_eq!(world.update(), [Event::End(a, b)]);
    let mut world = world.with_fat_pairs();
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    world.validate().unwrap();
}
