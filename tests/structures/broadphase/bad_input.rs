//! Errors of the world, and answers at the extremes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use orthant::glam::{DVec3, Vec2};
use orthant::{
    Aabb, BodyInfo, Bounded, Broadphase, Error, Filter, Handle, Motion, ShapeError, SpatialIndex,
    Sphere, Volume,
};

fn unit(x: f32) -> Aabb<Vec2> {
    Aabb::new(Vec2::new(x, 0.0), Vec2::new(x + 1.0, 1.0))
}

/// Returns the message of a panic.
fn refusal(verb: impl FnOnce() -> bool) -> String {
    let refused = catch_unwind(AssertUnwindSafe(verb)).unwrap_err();
    *refused.downcast::<String>().unwrap()
}

#[test]
fn margins_and_distances_are_checked() {
    for bad in [-1.0, -f32::MIN_POSITIVE, f32::NAN, f32::INFINITY] {
        let refused = Broadphase::<Vec2>::new().try_with_margin(bad).err();
        assert!(matches!(
            refused,
            Some(Error::Distance { part: "margin", .. })
        ));
        let refused = Broadphase::<Vec2>::new().try_with_prediction(bad).err();
        assert!(matches!(refused, Some(Error::Distance { .. })));
    }
    let refused = Broadphase::<Vec2>::new().try_with_prediction(-2.0);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "prediction distance -2 is not a finite number from 0 on"
    );
    assert!(Broadphase::<Vec2>::new().try_with_margin(-0.0).is_ok());
}

#[test]
#[should_panic(expected = "Broadphase: margin NaN is not a finite number from 0 on")]
fn a_margin_that_is_none_panics() {
    let _ = Broadphase::<Vec2>::new().with_margin(f32::NAN);
}

#[test]
fn nowhere_is_refused() {
    let nowhere = Vec2::NAN.bounds();
    let mut world = Broadphase::new();
    let a = world.insert(unit(0.0), Motion::Dynamic);
    let refused = Error::Shape(ShapeError::NotFinite {
        part: "point",
        axis: 0,
        value: f64::NAN,
    });
    let inserted = world.try_insert(nowhere, Motion::Dynamic);
    assert_eq!(inserted.unwrap_err().to_string(), refused.to_string());
    let message = format!("Broadphase: {refused}");
    assert_eq!(refusal(|| world.set_bounds(a, nowhere)), message);
    assert_eq!(refusal(|| world.set_swept(a, nowhere, Vec2::ZERO)), message);
    assert_eq!(world.bounds(a), Some(unit(0.0)));
    assert_eq!(world.len(), 1);
    world.validate().unwrap();
}

#[test]
fn a_batch_comes_whole_or_not_at_all() {
    let mut world = Broadphase::new();
    let boxes = [unit(0.0), unit(0.5), Vec2::INFINITY.bounds(), unit(1.0)];
    let many = boxes.map(|bounds| (bounds, Motion::Dynamic));
    let refused = world.try_insert_batch(many).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "item 2: point is inf on axis 0, not a finite number"
    );
    assert!(world.is_empty() && world.update().is_empty());
    assert_eq!(world.insert_batch(many[..2].iter().copied()).len(), 2);
    assert_eq!(world.update().len(), 1);
    let none: [(Volume<Vec2>, Motion); 0] = [];
    assert!(world.insert_batch(none).is_empty());
}

#[test]
fn who_is_told_nowhere_stays() {
    let mut world = Broadphase::new();
    let bodies = [0.0, 2.0, 4.0, 6.0].map(|x| world.insert(unit(x), Motion::Dynamic));
    let ball = Sphere::new(Vec2::new(8.0, 0.0), 1.0);
    let ball = world.insert(ball, Motion::Dynamic);
    let wall = world.insert(unit(99.0), Motion::Static);
    let told = |body: orthant::Handle| -> Volume<Vec2> {
        match body.slot() {
            1 | 3 => Vec2::NAN.bounds().into(),
            4 => Sphere::new(Vec2::new(9.0, 0.0), 1.0).into(),
            slot => unit(slot as f32 + 0.5).into(),
        }
    };
    let refused = world.try_set_all_bounds(told).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "item 1: point is NaN on axis 0, not a finite number"
    );
    let bounds = bodies.map(|body| world.bounds(body).unwrap());
    assert_eq!(bounds, [unit(0.5), unit(2.0), unit(2.5), unit(6.0)]);
    assert_eq!(world.bounds(ball).unwrap().min(), Vec2::new(8.0, -1.0));
    assert_eq!(world.bounds(wall), Some(unit(99.0)));
    assert_eq!(world.update().len(), 1);
    world.validate().unwrap();
}

#[test]
#[should_panic(expected = "Broadphase: item 1: point is NaN on axis 0, not a finite number")]
fn a_batch_panics_with_the_index() {
    let boxes = [unit(0.0), Vec2::NAN.bounds()];
    Broadphase::new().insert_batch(boxes.map(|bounds| (bounds, Motion::Static)));
}

#[test]
fn a_displacement_that_leads_out_of_the_numbers_is_refused() {
    let mut world = Broadphase::new().with_margin(1.0);
    let a = world.insert(unit(0.0), Motion::Dynamic);
    let far = Aabb::new(Vec2::splat(f32::MAX), Vec2::splat(f32::MAX));
    let before = world.fat_bounds(a);
    for (bounds, by, message) in [
        (
            unit(9.0),
            Vec2::NAN,
            "displacement is NaN on axis 0, not a finite number",
        ),
        (
            unit(9.0),
            Vec2::new(0.0, f32::NEG_INFINITY),
            "displacement is -inf on axis 1, not a finite number",
        ),
        (
            far,
            far.max(),
            "displaced min is inf on axis 0, not a finite number",
        ),
    ] {
        let message = format!("Broadphase: {message}");
        let refused = refusal(|| world.set_bounds_expecting(a, bounds, by));
        assert_eq!(refused, message);
        let message = message.replace("displacement", "path");
        assert_eq!(refusal(|| world.set_swept(a, bounds, by)), message);
    }
    assert_eq!(
        (world.bounds(a), world.fat_bounds(a)),
        (Some(unit(0.0)), before)
    );
    // The margin ends at the largest number.
    assert!(world.set_bounds(a, far));
    assert_eq!(world.fat_bounds(a).unwrap().max(), Vec2::MAX);
    world.validate().unwrap();
}

#[test]
fn stale_handles_are_refused_by_every_verb() {
    let mut world = Broadphase::new();
    let handle = world.insert(unit(0.0), Motion::Dynamic);
    world.remove(handle);
    // The new body may get the old slot, or another.
    let other = world.insert(unit(0.0), Motion::Dynamic);
    let stale = Error::Stale { handle };
    assert_eq!(world.remove(handle), None);
    let verbs: [fn(&mut Broadphase<Vec2>, Handle); 8] = [
        |world, handle| _ = world.set_bounds(handle, unit(1.0)),
        |world, handle| _ = world.set_bounds_expecting(handle, unit(1.0), Vec2::ZERO),
        |world, handle| _ = world.set_swept(handle, unit(1.0), Vec2::ZERO),
        |world, handle| world.set_motion(handle, Motion::Static),
        |world, handle| world.set_filter(handle, Filter::ALL),
        |world, handle| world.set_user(handle, 1),
        |world, handle| world.sleep(handle),
        |world, handle| world.wake(handle),
    ];
    for verb in verbs {
        let refused = catch_unwind(AssertUnwindSafe(|| verb(&mut world, handle))).unwrap_err();
        let message = refused.downcast::<String>().unwrap();
        assert_eq!(*message, format!("Broadphase: {stale}"));
    }
    assert!(!world.contains(handle) && world.contains(other));
    assert_eq!((world.volume(handle), world.bounds(handle)), (None, None));
    assert_eq!((world.fat_bounds(handle), world.path(handle)), (None, None));
    assert_eq!((world.motion(handle), world.filter(handle)), (None, None));
    assert_eq!((world.user(handle), world.is_asleep(handle)), (None, None));
    assert_eq!(world.bounds(other), Some(unit(0.0)));
}

#[test]
#[should_panic(expected = "is stale: its item has been removed")]
fn a_stale_handle_panics() {
    let mut world = Broadphase::new();
    let handle = world.insert(unit(0.0), Motion::Dynamic);
    world.remove(handle);
    world.sleep(handle);
}

#[test]
fn a_filter_that_matches_nothing_is_lawful() {
    let nothing = Filter {
        category: 0,
        mask: 0,
        group: 0,
    };
    let mut world = Broadphase::new();
    let lone = BodyInfo::from(Motion::Dynamic).with_filter(nothing);
    world.insert(unit(0.0), lone);
    let a = world.insert(unit(0.0), Motion::Dynamic);
    world.insert(unit(0.0), lone);
    assert!(world.update().is_empty());
    assert_eq!(world.count(unit(0.0)), 3);
    assert_eq!(world.filtered(nothing).count(unit(0.0)), 0);
    world.set_filter(
        a,
        Filter {
            group: 3,
            ..nothing
        },
    );
    assert!(world.update().is_empty());
}

#[test]
fn boxes_of_no_size_and_of_every_size() {
    let mut world = Broadphase::new();
    let point = Aabb::new(DVec3::ONE, DVec3::ONE);
    let huge = Aabb::new(DVec3::splat(-1e30), DVec3::splat(1e30));
    let all = Aabb::new(DVec3::MIN, DVec3::MAX);
    let a = world.insert(point, Motion::Dynamic);
    let b = world.insert(point, Motion::Dynamic);
    let c = world.insert(huge, Motion::Dynamic);
    let d = world.insert(all, Motion::Dynamic);
    let e = world.insert(Sphere::new(DVec3::ONE, 0.0), Motion::Dynamic);
    let f = world.insert(Sphere::new(DVec3::ZERO, f64::MAX), Motion::Dynamic);
    world.update();
    world.validate().unwrap();
    let six = [a, b, c, d, e, f];
    let every = (0..6).flat_map(|i| (i + 1..6).map(move |j| (six[i], six[j])));
    assert!(world.pairs().eq(every));
    world.set_bounds(a, Aabb::new(DVec3::MAX, DVec3::MAX));
    world.update();
    assert!(
        world
            .pairs()
            .filter(|pair| pair.0 == a)
            .eq([(a, d), (a, f)])
    );
    assert_eq!(world.count(point), 5);
}
