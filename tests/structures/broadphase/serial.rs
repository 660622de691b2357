//! A world that is written and read continues like the original.

use orthant::glam::Vec3;
use orthant::{Aabb, BodyInfo, Broadphase, Filter, Motion, Sphere, Volume};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

type World = Broadphase<Vec3>;

fn again(world: &World) -> World {
    let text = serde_json::to_string(world).unwrap();
    let read: World = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    read
}

fn volume(random: &mut SmallRng) -> Volume<Vec3> {
    let at = Vec3::from_array(std::array::from_fn(|_| random.random_range(0.0..9.0)));
    if random.random_bool(0.5) {
        Sphere::new(at, 0.7).into()
    } else {
        Aabb::new(at, at + 1.0).into()
    }
}

#[test]
fn what_was_written_goes_on() {
    let random = &mut SmallRng::seed_from_u64(1);
    let mut one = World::new().with_margin(0.1).with_prediction(0.05);
    let mut other = one.clone();
    let mut handles = Vec::new();
    for step in 0..200 {
        for _ in 0..random.random_range(0..12) {
            match random.random_range(0..8) {
                0..=2 => {
                    let proxy = BodyInfo {
                        motion: [Motion::Dynamic, Motion::Static][random.random_range(0..2)],
                        filter: Filter {
                            mask: random.random_range(1..4),
                            ..Filter::ALL
                        },
                        user: random.random(),
                    };
                    let volume = volume(random);
                    let handle = one.insert(volume, proxy);
                    assert_eq!(other.insert(volume, proxy), handle);
                    handles.push(handle);
                }
                3 if !handles.is_empty() => {
                    let handle = handles.swap_remove(random.random_range(0..handles.len()));
                    assert_eq!(one.remove(handle), other.remove(handle));
                }
                4 if !handles.is_empty() => {
                    let handle = handles[random.random_range(0..handles.len())];
                    one.sleep(handle);
                    other.sleep(handle);
                }
                _ if !handles.is_empty() => {
                    let handle = handles[random.random_range(0..handles.len())];
                    let (volume, by) = (volume(random), Vec3::splat(0.3));
                    let swept = random.random_bool(0.2);
                    let set = |world: &mut World| {
                        if swept {
                            world.set_swept(handle, volume, by)
                        } else {
                            world.set_bounds_expecting(handle, volume, by)
                        }
                    };
                    assert_eq!(set(&mut one), set(&mut other));
                }
                _ => {}
            }
        }
        // Copy between two updates too, with removed bodies and pairs that are not reported yet.
        if step % 3 == 0 {
            other = again(&other);
        }
        assert!(one.pairs().eq(other.pairs()));
        assert_eq!(one.update(), other.update());
        if step % 5 == 0 {
            other = again(&other);
        }
        assert!(one.pairs().eq(other.pairs()));
        assert!(one.iter().eq(other.iter()));
    }
    assert!(one.pairs().len() > 50);
    let sorted = |mut found: Vec<_>| {
        found.sort_unstable();
        found
    };
    let ball = Sphere::new(Vec3::splat(4.0), 3.0);
    assert_eq!(
        sorted(one.query(ball).collect()),
        sorted(other.query(ball).collect())
    );
}

/// A world that is read takes memory only for slots that its text names; free slots are named too.
#[test]
fn free_slots_are_told() {
    let mut world = World::new();
    let cube = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let handles = world.insert_batch([(cube, Motion::Dynamic); 40]);
    world.update();
    let (last, others) = handles.split_last().unwrap();
    others.iter().for_each(|&handle| _ = world.remove(handle));
    let mut early = again(&world);
    assert_eq!(early.update(), world.update());
    let mut copy = again(&world);
    assert!(copy.contains(*last) && copy.len() == 1);
    assert_eq!(
        copy.insert(cube, Motion::Static),
        world.insert(cube, Motion::Static)
    );
    assert_eq!(copy.update(), world.update());
}

/// Returns the error for a world whose text was changed by hand.
fn refusal(tamper: impl FnOnce(&mut Value)) -> String {
    let mut world = World::new();
    for x in [0.0, 0.5, 5.0] {
        world.insert(
            Aabb::new(Vec3::splat(x), Vec3::splat(x + 1.0)),
            Motion::Dynamic,
        );
    }
    world.update();
    let mut value = serde_json::to_value(&world).unwrap();
    assert!(serde_json::from_value::<World>(value.clone()).is_ok());
    tamper(&mut value);
    serde_json::from_value::<World>(value)
        .unwrap_err()
        .to_string()
}

#[test]
fn what_is_read_is_checked() {
    assert_eq!(
        refusal(|w| w["rules"]["margin"] = json!(-1.0)),
        "margin -1 is not a finite number from 0 on"
    );
    assert_eq!(
        refusal(|w| w["rules"]["prediction"] = json!(-1.0)),
        "prediction distance -1 is not a finite number from 0 on"
    );
    assert_eq!(
        refusal(|w| w["bodies"][1]["handle"]["slot"] = json!(0)),
        "two bodies in one slot"
    );
    assert_eq!(
        refusal(|w| w["bodies"][1]["handle"]["slot"] = json!(u32::MAX)),
        "a slot is neither in use nor free"
    );
    assert_eq!(
        refusal(|w| w["free"] = json!([4])),
        "a slot is neither in use nor free"
    );
    assert_eq!(
        refusal(|w| w["free"] = json!([0])),
        "two bodies in one slot"
    );
    assert_eq!(
        refusal(|w| w["bodies"][1]["path"] = json!([1e300, 0.0, 0.0])),
        "path is inf on axis 0, not a finite number"
    );
    assert_eq!(
        refusal(|w| w["bodies"][0]["fat"] = w["bodies"][2]["fat"].clone()),
        "a body lies outside its fat box"
    );
    assert_eq!(
        refusal(|w| w["pairs"] = json!([[0, 2]])),
        "a pair that is none"
    );
    assert_eq!(
        refusal(|w| w["pairs"] = json!([[1, 0]])),
        "a pair has its greater handle first"
    );
    assert_eq!(
        refusal(|w| w["pairs"] = json!([[0, 1], [0, 1]])),
        "the pairs are not sorted"
    );
    assert_eq!(
        refusal(|w| w["pairs"] = json!([[0, 7]])),
        "a pair of a body that the last update did not know"
    );
    assert_eq!(
        refusal(|w| w["bodies"][0]["known"] = json!(false)),
        "a pair of a body that the last update did not know"
    );
    assert!(
        refusal(|w| w["bodies"][0]["volume"]["Box"]["min"][1] = json!(7.0))
            .contains("inverted box: min 7 > max 1 on axis 1")
    );
}
