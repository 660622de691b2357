//! Bodies that leave can be named while their pairs end.

use std::collections::HashMap;

use orthant::{Aabb, BodyInfo, Broadphase, Event, Handle, Motion};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

fn unit(x: f32) -> Aabb<[f32; 1]> {
    Aabb::new([x], [x + 1.0])
}

fn dynamic(user: u64) -> BodyInfo {
    BodyInfo::from(Motion::Dynamic).with_user(user)
}

/// Every event names two bodies whose numbers are known, and no slot holds the number of an earlier body.
#[test]
fn numbers_outlive_bodies() {
    let random = &mut SmallRng::seed_from_u64(1);
    let mut world = Broadphase::new();
    let mut users: HashMap<Handle, u64> = HashMap::new();
    let mut alive: Vec<Handle> = Vec::new();
    let mut gone: Vec<Handle> = Vec::new();
    let (mut next, mut ends) = (0, 0);
    for _ in 0..300 {
        let mut left = Vec::new();
        for _ in 0..random.random_range(0..12) {
            if alive.len() > 20 || random.random_bool(0.3) && !alive.is_empty() {
                let handle = alive.swap_remove(random.random_range(0..alive.len()));
                world.remove(handle).unwrap();
                left.push(handle);
            } else {
                let info = dynamic(next);
                let handle = world.insert(unit(random.random_range(0.0..10.0)), info);
                users.insert(handle, next);
                alive.push(handle);
                next += 1;
            }
        }
        // The numbers of bodies that left in the last step are still known.
        let known = gone.iter().filter(|handle| world.user(**handle).is_some());
        known.for_each(|handle| assert_eq!(world.user(*handle), users.get(handle).copied()));
        world.update();
        world.validate().unwrap();
        for event in world.events() {
            let (a, b) = event.pair();
            for body in [a, b] {
                assert_eq!(world.user(body), users.get(&body).copied(), "{event:?}");
            }
            ends += usize::from(matches!(event, Event::End(..)));
        }
        for handle in &alive {
            assert_eq!(world.user(*handle), users.get(handle).copied());
        }
        for handle in gone.drain(..) {
            assert_eq!(world.user(handle), None);
        }
        gone = left;
    }
    assert!(ends > 300);
}

#[test]
fn a_slot_waits_for_the_end() {
    let mut world = Broadphase::new();
    let a = world.insert(unit(0.0), dynamic(1));
    let b = world.insert(unit(0.5), dynamic(2));
    world.update();
    world.remove(a);
    assert_eq!(world.user(a), Some(1));
    let c = world.insert(unit(0.0), dynamic(3));
    assert_ne!(c.slot(), a.slot());
    assert_eq!(world.update(), [Event::End(a, b), Event::Begin(b, c)]);
    let d = world.insert(unit(9.0), dynamic(4));
    assert_eq!((d.slot(), world.user(a)), (a.slot(), Some(1)));
    world.update();
    assert_eq!((world.user(a), world.user(d)), (None, Some(4)));
}

#[test]
fn never_known_never_told() {
    let mut world = Broadphase::new();
    let a = world.insert(unit(0.0), dynamic(1));
    world.remove(a);
    assert_eq!(world.user(a), None);
    world.update();
    assert_eq!(world.user(a), None);
}

#[test]
fn kept_and_cleared() {
    let bodies = (0..40).map(|x| (unit(x as f32), dynamic(x)));
    let mut world: Broadphase<[f32; 1]> = bodies.clone().collect();
    world.update();
    assert_eq!(world.events().len(), 39);
    let handles: Vec<Handle> = world.iter().map(|body| body.0).collect();
    let even = |handle: Handle| handle.slot().is_multiple_of(2);
    world.retain(|handle, _| even(handle));
    world.validate().unwrap();
    assert!(
        world
            .iter()
            .map(|body| body.0)
            .eq(handles.iter().copied().filter(|&h| even(h)))
    );
    world.update();
    assert!(world.pairs().len() == 0 && world.events().len() == 39);
    world.refresh();
    assert!(world.events().is_empty());
    world.extend(bodies.clone());
    world.update();
    let all: Vec<_> = world.iter().collect();
    assert!((&world).into_iter().eq(all.iter().copied()));
    let mut other = world.clone();
    assert!(other.drain().eq(all.iter().copied()));
    other.validate().unwrap();
    assert!(other.is_empty() && all.iter().all(|body| !other.contains(body.0)));
    other.update();
    assert_eq!(other.events().len(), world.pairs().len());
    assert!(world.clone().into_iter().eq(all));
    world.clear();
    world.validate().unwrap();
    assert_eq!((world.len(), world.iter().count()), (0, 0));
    world.update();
    world.validate().unwrap();
    assert_eq!(world.pairs().len(), 0);
}

#[test]
fn pairs_by_kind() {
    let mut world = Broadphase::new();
    let [a, b] = [1, 2].map(|user| world.insert(unit(0.0), dynamic(user)));
    let named = |user: u64| Handle::ordered_by(a, b, |body| world.user(body) == Some(user));
    assert_eq!(
        [named(1), named(2), named(3)],
        [Some((a, b)), Some((b, a)), None]
    );
    assert_eq!(Handle::ordered_by(b, a, |_| true), Some((b, a)));
}
