//! Random operations with each instruction set lead to the pairs of the double loop, and events from one list to the
//! next. The longer tests are in `tests/structures/broadphase`.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use glam::{DVec3, Vec2, Vec3};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::pair_list::pair;
use super::table::Life;
use super::world::World;
use super::{BodyInfo, Broadphase, Event, Filter, Motion, Volume};
use crate::handle::Handle;
use crate::overlap::Overlaps;
use crate::shape::{Aabb, Sphere};
use crate::simd::InstructionSet;
use crate::vector::{Scalar, Vector};

type Pairs = BTreeSet<(Handle, Handle)>;

/// A body as the test knows it.
struct Known<V: Vector> {
    handle: Handle,
    volume: Volume<V>,
    info: BodyInfo,
}

/// A volume of about one unit; mostly boxes, or a ball.
fn volume<V: Vector>(random: &mut SmallRng, side: u32, balls: bool) -> Volume<V> {
    let number = |random: &mut SmallRng, most: u32| -> V::Scalar {
        Scalar::from_f64(f64::from(random.random_range(0..=4 * most)) / 4.0)
    };
    let low = V::from_fn(|_| number(random, side));
    if balls && random.random_range(0..2) == 0 {
        return Sphere::new(low, number(random, 1)).into();
    }
    let large = random.random_range(0..60) == 0;
    let most = if large { side } else { 1 };
    Aabb::new(low, V::from_fn(|a| low.axis(a) + number(random, most))).into()
}

fn info(random: &mut SmallRng, plain: bool) -> BodyInfo {
    let motion = match random.random_range(0..6) {
        0 | 1 => Motion::Static,
        2 if !plain => Motion::Kinematic,
        _ => Motion::Dynamic,
    };
    let mask = if plain {
        u64::MAX
    } else {
        random.random_range(0..4) | 1
    };
    BodyInfo::from(motion).with_filter(Filter {
        mask,
        ..Filter::ALL
    })
}

fn all_pairs<V: Vector>(bodies: &[Known<V>]) -> Pairs {
    let mut pairs = Pairs::new();
    for a in bodies {
        for b in bodies {
            let motions = [a.info.motion, b.info.motion];
            let meet = !motions.contains(&Motion::Static) || motions.contains(&Motion::Dynamic);
            if a.handle < b.handle
                && meet
                && a.info.filter.meets(b.info.filter)
                && a.volume.overlaps(&b.volume)
            {
                pairs.insert((a.handle, b.handle));
            }
        }
    }
    pairs
}

/// Does something at random to about `share` of a thousand bodies.
fn stir<V: Vector>(
    random: &mut SmallRng,
    world: &mut Broadphase<V>,
    bodies: &mut Vec<Known<V>>,
    (share, side, is_plain): (u32, u32, bool),
) {
    for body in &mut *bodies {
        if random.random_range(0..1000) >= share {
            continue;
        }
        match random.random_range(0..40) {
            0 => world.sleep(body.handle),
            1 => world.wake(body.handle),
            2 => {
                body.info = info(random, is_plain);
                world.set_motion(body.handle, body.info.motion);
                world.set_filter(body.handle, body.info.filter);
            }
            3 => {
                world.remove(body.handle);
                (body.volume, body.info) =
                    (volume(random, side, !is_plain), info(random, is_plain));
                body.handle = world.insert(body.volume, body.info);
            }
            4 => {
                body.volume = volume(random, side, !is_plain);
                world.set_bounds(body.handle, body.volume);
            }
            _ => {
                if let Volume::Box(bounds) = body.volume {
                    let by = V::from_fn(|_| {
                        Scalar::from_f64(f64::from(random.random_range(-1..2)) / 4.0)
                    });
                    let shift = |corner: V| V::from_fn(|a| corner.axis(a) + by.axis(a));
                    body.volume = Aabb::new(shift(bounds.min()), shift(bounds.max())).into();
                }
                world.set_bounds(body.handle, body.volume);
            }
        }
    }
}

fn drive<V: Vector>(set: InstructionSet, count: usize, steps: usize, is_plain: bool) {
    let random = &mut SmallRng::seed_from_u64(count as u64);
    let side = 2 + 2 * (count as f64).powf(1.0 / V::DIM as f64) as u32;
    let mut world = Broadphase::<V>::new();
    world.world.instructions = Some(set);
    let mut bodies: Vec<Known<V>> = Vec::new();
    let mut last = Pairs::new();
    for step in 0..steps {
        while bodies.len() < count {
            let (volume, info) = (volume(random, side, !is_plain), info(random, is_plain));
            let handle = world.insert(volume, info);
            bodies.push(Known {
                handle,
                volume,
                info,
            });
        }
        let share = [0, 1000, 1000, 50, 5, 1000, 1000, 100, 300, 1000][step % 10];
        stir(random, &mut world, &mut bodies, (share, side, is_plain));
        if step % 7 == 3 {
            world.optimize(1);
        }
        let pairs = all_pairs(&bodies);
        if step % 11 >= 9 {
            world.refresh();
        } else {
            let mut expected: Vec<Event> = pairs
                .difference(&last)
                .map(|&(a, b)| Event::Begin(a, b))
                .collect();
            expected.extend(last.difference(&pairs).map(|&(a, b)| Event::End(a, b)));
            expected.sort_by_key(|event| event.pair());
            assert_eq!(
                world.update(),
                expected,
                "{set}, {count} bodies, step {step}"
            );
            assert!(world.pairs().is_sorted());
        }
        world.validate().unwrap();
        assert_eq!(
            world.pairs().collect::<Pairs>(),
            pairs,
            "{set}, {count} bodies, step {step}"
        );
        last = pairs;
    }
}

#[test]
fn pairs_are_those_of_the_double_loop_with_all_instructions() {
    for set in InstructionSet::available() {
        for is_plain in [true, false] {
            for (count, steps) in [(1, 12), (17, 44), (300, 22)] {
                drive::<Vec2>(set, count, steps, is_plain);
                drive::<Vec3>(set, count, steps, is_plain);
                drive::<DVec3>(set, count, steps, is_plain);
                drive::<[f32; 1]>(set, count, steps, is_plain);
                drive::<[f64; 4]>(set, count, steps, is_plain);
            }
        }
    }
}

/// Tampers with a world of four boxes in a row, and returns what `validate` finds.
fn fault(tamper: impl FnOnce(&mut World<[f64; 2]>)) -> &'static str {
    let unit = |x: f64| Aabb::new([x, 0.0], [x + 1.0, 1.0]);
    let mut world = Broadphase::new();
    for x in [0.0, 0.5, 1.0, 5.0] {
        world.insert(unit(x), Motion::Dynamic);
    }
    assert_eq!(world.update().len(), 3);
    world.validate().unwrap();
    tamper(&mut world.world);
    world.validate().unwrap_err()
}

#[test]
fn validate_finds_faults() {
    let pairs = |pairs: &[[u32; 2]]| pairs.iter().map(|&ids| pair(ids)).collect();
    assert_eq!(
        fault(|w| w.pairs = pairs(&[[0, 2], [0, 1]])),
        "the pairs are not sorted"
    );
    assert_eq!(
        fault(|w| w.pairs = pairs(&[[1, 0]])),
        "a pair has its greater handle first"
    );
    assert_eq!(
        fault(|w| w.pairs = pairs(&[[0, 4]])),
        "a pair of a body that the last update did not know"
    );
    assert_eq!(fault(|w| w.pairs = pairs(&[[0, 3]])), "a pair that is none");
    assert_eq!(
        fault(|w| w.bodies.details[1].info.motion = Motion::Static),
        "a body is judged by too little"
    );
    assert_eq!(
        fault(|w| w.bodies.judged[4] = 7),
        "the bodies that need more are miscounted"
    );
    assert_eq!(
        fault(|w| w.bodies.table[2].life = Life::Gone),
        "the removed bodies are miscounted"
    );
    assert_eq!(
        fault(|w| w.bodies.changed.push(1)),
        "the changed bodies are miscounted"
    );
    assert_eq!(fault(|w| w.tree.places[0] = 3), "a box is not in its place");
    assert_eq!(
        fault(|w| w.bodies.table[0].bounds = w.bodies.table[1].bounds),
        "a place holds another box"
    );
    assert_eq!(
        fault(|w| w.tree.levels[0][0].clear(0)),
        "a place holds another box"
    );
    assert_eq!(
        fault(|w| w.tree.levels[1][0].clear(0)),
        "bounds do not hold what is below"
    );
}
