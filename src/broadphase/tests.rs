//! All instruction sets find the same pairs and events, and `validate` finds faults. Pairs are compared with those of the
//! double loop in `tests/structures/broadphase`.

use alloc::vec::Vec;

use glam::{DVec3, Vec2, Vec3};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::pairs::pair;
use super::table::Life;
use super::{BodyInfo, Broadphase, Event, Filter, Motion, Volume, World};
use crate::handle::Handle;
use crate::overlap::Overlaps;
use crate::shape::{Aabb, Sphere};
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};

/// A random volume of about one unit, with a random motion and filter; `plain` gives boxes without filters.
fn body<V: Vector>(random: &mut SmallRng, side: u32, plain: bool) -> (Volume<V>, BodyInfo) {
    let number = |random: &mut SmallRng, most: u32| -> V::Scalar {
        Scalar::from_f64(f64::from(random.random_range(0..=4 * most)) / 4.0)
    };
    let low = V::from_fn(|_| number(random, side));
    let most = if random.random_range(0..60) == 0 {
        side
    } else {
        1
    };
    let volume = if plain || random.random() {
        Aabb::new(low, V::from_fn(|a| low.axis(a) + number(random, most))).into()
    } else {
        Sphere::new(low, number(random, 1)).into()
    };
    let motion = if random.random_range(0..3) == 0 {
        Motion::Static
    } else {
        Motion::Dynamic
    };
    let mask = if plain {
        u64::MAX
    } else {
        random.random_range(0..4) | 1
    };
    let filter = Filter {
        mask,
        ..Filter::ALL
    };
    (volume, BodyInfo::from(motion).with_filter(filter))
}

/// The events and the pairs of a step.
type Found = (Vec<Event>, Vec<(Handle, Handle)>);

/// The events and pairs of steps in which some bodies, few or all, move a little, jump, sleep, wake, come and go.
fn history<V: Vector>(set: InstructionSet, count: usize, steps: usize, plain: bool) -> Vec<Found> {
    let random = &mut SmallRng::seed_from_u64(count as u64);
    let side = 2 + 2 * (count as f64).powf(1.0 / V::DIM as f64) as u32;
    let mut world = Broadphase::<V>::new();
    world.world.instructions = Some(set);
    let mut handles = Vec::from_iter((0..count).map(|_| {
        let (volume, info) = body(random, side, plain);
        world.insert(volume, info)
    }));
    let step = |step: usize| {
        let share = [0, 1000, 1000, 50, 5, 1000, 1000, 100, 300, 1000][step % 10];
        for handle in &mut handles {
            if random.random_range(0..1000) >= share {
                continue;
            }
            match random.random_range(0..40) {
                0 => world.sleep(*handle),
                1 => world.wake(*handle),
                2 => world.set_filter(*handle, body::<V>(random, side, plain).1.filter),
                3 => {
                    world.remove(*handle);
                    let (volume, info) = body(random, side, plain);
                    *handle = world.insert(volume, info);
                }
                4 => {
                    world.set_bounds(*handle, body(random, side, plain).0);
                }
                _ => {
                    let bounds = world.bounds(*handle).unwrap();
                    let by = V::Scalar::from_f64(f64::from(random.random_range(-1..2)) / 4.0);
                    let moved = |corner: V| V::from_fn(|a| corner.axis(a) + by);
                    world.set_bounds(*handle, Aabb::new(moved(bounds.min()), moved(bounds.max())));
                }
            }
        }
        if step % 11 >= 9 {
            world.refresh();
        } else {
            world.update();
        }
        if step % 7 == 3 {
            world.optimize(1);
            let tree = &world.world.tree;
            assert!(tree.disorder == 0.0 && tree.len == world.len());
        }
        world.validate().unwrap();
        (world.events().to_vec(), world.pairs().collect())
    };
    (0..steps).map(step).collect()
}

fn compare<V: Vector>(count: usize, steps: usize, plain: bool) {
    let best = history::<V>(InstructionSet::best(), count, steps, plain);
    for set in InstructionSet::available() {
        assert!(
            history::<V>(set, count, steps, plain) == best,
            "{set}, {count} bodies"
        );
    }
}

/// Bodies that fell asleep since all were sorted go to the run at rest.
#[test]
fn optimize_sorts_bodies_that_fell_asleep() {
    let mut world = Broadphase::<Vec2>::new();
    let place = |i: u16| Aabb::point(Vec2::X * f32::from(i));
    let handles: Vec<Handle> = (0..1000)
        .map(|i| world.insert(place(i), Motion::Dynamic))
        .collect();
    world.update();
    handles.iter().for_each(|&handle| world.sleep(handle));
    world.update();
    world.optimize(1);
    assert_eq!(world.world.tree.at_rest, 1000);
}

/// A sort takes several steps. Bodies that come or go meanwhile find their places, and all pairs are found.
#[test]
fn bodies_come_and_go_while_boxes_are_sorted() {
    let random = &mut SmallRng::seed_from_u64(7);
    let cube = |random: &mut SmallRng| {
        let low = Vec3::from_array([0; 3].map(|_| random.random_range(0.0..16.0)));
        Aabb::new(low, low + Vec3::ONE)
    };
    let mut world = Broadphase::<Vec3>::new();
    let mut handles: Vec<_> = (0..600)
        .map(|_| world.insert(cube(random), Motion::Dynamic))
        .collect();
    let (mut begun, mut was_sorting) = (0, false);
    for step in 0..240 {
        let is_sorting = world.world.tree.sort.is_some();
        begun += usize::from(is_sorting && !was_sorting);
        was_sorting = is_sorting;
        if is_sorting {
            let gone = if step % 50 == 49 { handles.len() } else { 20 };
            let gone: Vec<_> = handles.drain(..gone).collect();
            gone.iter()
                .for_each(|&body| assert!(world.remove(body).is_some()));
            let more = gone
                .iter()
                .map(|_| world.insert(cube(random), Motion::Dynamic));
            handles.extend(more);
            world.sleep(handles[step]);
        }
        for &handle in &handles[step % 2 * 250..] {
            let bounds = world.bounds(handle).unwrap();
            let by = Vec3::from_array([0; 3].map(|_| random.random_range(-0.2..0.2)));
            world.set_bounds(handle, Aabb::new(bounds.min() + by, bounds.max() + by));
        }
        world.update();
        world.validate().unwrap();
        let boxes = handles.iter().map(|&body| world.bounds(body).unwrap());
        let boxes = Vec::from_iter(boxes);
        let later = |at: usize| boxes[at + 1..].iter();
        let met = |at: usize| later(at).filter(|other| boxes[at].overlaps(*other)).count();
        assert_eq!(
            world.pairs().count(),
            (0..boxes.len()).map(met).sum::<usize>()
        );
    }
    assert!(begun > 5, "{begun} sorts took several steps");
}

#[test]
fn instructions_do_not_show() {
    for plain in [true, false] {
        for (count, steps) in [(1, 12), (17, 44), (300, 22)] {
            compare::<Vec2>(count, steps, plain);
            compare::<Vec3>(count, steps, plain);
            compare::<DVec3>(count, steps, plain);
            compare::<[f32; 1]>(count, steps, plain);
            compare::<[f64; 4]>(count, steps, plain);
        }
    }
}

/// Tampers with a world of four boxes in a row, and returns what `validate` finds.
fn fault(tamper: impl FnOnce(&mut World<[f64; 2]>)) -> &'static str {
    let unit = |x: f64| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
    let mut world = Broadphase::new();
    world.insert_batch([0.0, 0.5, 1.0, 5.0].map(|x| (unit(x), Motion::Dynamic)));
    assert_eq!(world.update().len(), 3);
    world.validate().unwrap();
    tamper(&mut world.world);
    world.validate().unwrap_err()
}

#[test]
fn validate_finds_faults() {
    let pairs = |pairs: &[[u32; 2]]| pairs.iter().map(|&ids| pair(ids)).collect();
    let found = fault(|w| w.pairs = pairs(&[[0, 2], [0, 1]]));
    assert_eq!(found, "the pairs are not sorted");
    let found = fault(|w| w.pairs = pairs(&[[1, 0]]));
    assert_eq!(found, "a pair has its greater handle first");
    let found = fault(|w| w.pairs = pairs(&[[0, 4]]));
    assert_eq!(found, "a pair of a body that the last update did not know");
    let found = fault(|w| w.pairs = pairs(&[[0, 3]]));
    assert_eq!(found, "a pair that is none");
    let found = fault(|w| w.bodies.details[1].info.motion = Motion::Static);
    assert_eq!(found, "the tests that a body needs are out of date");
    let found = fault(|w| w.bodies.judged_counts[4] = 7);
    assert_eq!(found, "the tests that bodies need are miscounted");
    let found = fault(|w| w.bodies.table[2].life = Life::Gone);
    assert_eq!(found, "the removed bodies are miscounted");
    let found = fault(|w| w.bodies.changed.push(1));
    assert_eq!(found, "the changed bodies are miscounted");
    let found = fault(|w| w.tree.places[0] = 3);
    assert_eq!(found, "a box is not in its place");
    let found = fault(|w| w.bodies.table[0].bounds = w.bodies.table[1].bounds);
    assert_eq!(found, "a place holds another box");
    let found = fault(|w| w.tree.levels[0][0].clear(0));
    assert_eq!(found, "a place holds another box");
    let found = fault(|w| w.tree.levels[1][0].clear(0));
    assert_eq!(found, "bounds do not hold what is below");
}
