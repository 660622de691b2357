//! Large worlds that live long.

use orthant::glam::{DVec3, Vec2, Vec3};
use orthant::{
    Aabb, BodyInfo, Broadphase, Event, Filter, Handle, Motion, Overlaps, Sphere, Volume,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

fn cube(at: Vec3, half: f32) -> Aabb<Vec3> {
    Aabb::new(at - half, at + half)
}

fn place(random: &mut SmallRng, width: f32) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| random.random_range(0.0..width)))
}

/// Returns the pairs of boxes by their indices, as the double loop finds them.
fn all_pairs(boxes: &[Aabb<Vec3>]) -> Vec<(usize, usize)> {
    let pairs = |i: usize| (i + 1..boxes.len()).map(move |j| (i, j));
    let all = (0..boxes.len()).flat_map(pairs);
    all.filter(|&(i, j)| boxes[i].overlaps(&boxes[j])).collect()
}

/// Returns the pairs of a world by the indices of its bodies.
fn numbered(world: &Broadphase<Vec3>, handles: &[Handle]) -> Vec<(usize, usize)> {
    let number = |handle| handles.iter().position(|&other| other == handle).unwrap();
    let pairs = world.pairs().map(|(a, b)| (number(a), number(b)));
    let mut pairs: Vec<_> = pairs.map(|(a, b)| (a.min(b), a.max(b))).collect();
    pairs.sort_unstable();
    pairs
}

/// Returns how many pairs begin, and how many end.
fn changes(events: &[Event]) -> (usize, usize) {
    let begins = events
        .iter()
        .filter(|event| matches!(event, Event::Begin(..)));
    let begun = begins.count();
    (begun, events.len() - begun)
}

#[test]
fn memory_is_level_while_bodies_come_and_go() {
    let random = &mut SmallRng::seed_from_u64(1);
    let mut world = Broadphase::new();
    let empty = world.bytes();
    let new = |random: &mut SmallRng| cube(place(random, 40.0), 0.5);
    let mut alive: Vec<_> = (0..3000)
        .map(|_| world.insert(new(random), Motion::Dynamic))
        .collect();
    let (mut early, mut late) = (0, 0);
    for round in 0..120 {
        for _ in 0..300 {
            let gone = random.random_range(0..alive.len());
            world.remove(alive[gone]);
            alive[gone] = world.insert(new(random), Motion::Dynamic);
            let moved = alive[random.random_range(0..alive.len())];
            world.set_bounds(moved, new(random));
        }
        world.update();
        let most = if round < 40 { &mut early } else { &mut late };
        *most = world.bytes().max(*most);
    }
    world.validate().unwrap();
    assert!(late <= early + early / 4, "{late} > 5/4 of {early}");
    for handle in alive {
        world.remove(handle);
    }
    world.update();
    world.validate().unwrap();
    assert!(world.bytes() <= late, "{} > {late}", world.bytes());
    assert_eq!((world.len(), world.pairs().len()), (0, 0));
    assert!(empty < 10_000);
}

/// Slots are reused, but no pair confuses two bodies of one slot.
#[test]
fn a_slot_within_one_step() {
    let mut world = Broadphase::new();
    let unit = cube(Vec3::ZERO, 1.0);
    let (a, b) = (
        world.insert(unit, Motion::Dynamic),
        world.insert(unit, Motion::Dynamic),
    );
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    world.remove(a);
    let c = world.insert(unit, Motion::Dynamic);
    assert_ne!(c, a);
    let mut expected = [Event::End(a, b), Event::Begin(b.min(c), b.max(c))];
    expected.sort_by_key(|event| event.pair());
    assert_eq!(world.update(), expected);
    assert!(world.pairs().eq([(b.min(c), b.max(c))]));
    // This body comes and goes between two updates.
    let d = world.insert(unit, Motion::Dynamic);
    world.remove(d);
    let e = world.insert(unit, Motion::Dynamic);
    world.remove(e);
    assert_eq!(e.slot(), d.slot());
    assert!(world.update().is_empty());
    world.remove(b);
    assert_eq!(world.update(), [Event::End(b.min(c), b.max(c))]);
}

#[test]
fn one_giant_among_many() {
    let random = &mut SmallRng::seed_from_u64(2);
    let mut boxes: Vec<_> = (0..1500).map(|_| cube(place(random, 30.0), 0.3)).collect();
    boxes.push(cube(Vec3::splat(15.0), 40.0));
    boxes.push(cube(Vec3::splat(10.0), 12.0));
    let mut world = Broadphase::new();
    let bodies = boxes.iter().map(|&bounds| (bounds, Motion::Dynamic));
    let handles = world.insert_batch(bodies);
    for step in 0..6 {
        world.update();
        assert_eq!(numbered(&world, &handles), all_pairs(&boxes), "{step}");
        world.validate().unwrap();
        for (i, bounds) in boxes.iter_mut().enumerate() {
            if step % 2 == 0 || i % 20 == 0 || i >= 1500 {
                *bounds = cube(
                    bounds.center() + place(random, 0.2) - 0.1,
                    bounds.size().x * 0.5,
                );
                world.set_bounds(handles[i], *bounds);
            }
        }
    }
}

/// Each of sixteen bodies meets more blocks than a search lists at a time, and all of their pairs begin and end while every body moves a little.
#[test]
fn giants_that_come_and_go_among_thousands() {
    let random = &mut SmallRng::seed_from_u64(12);
    let mut boxes: Vec<_> = (0..6000).map(|_| cube(place(random, 40.0), 0.1)).collect();
    boxes.extend((0..16).map(|i| cube(Vec3::splat(20.0 + 0.01 * i as f32), 30.0)));
    let mut world = Broadphase::new();
    let handles = world.insert_batch(boxes.iter().map(|&bounds| (bounds, Motion::Dynamic)));
    world.update();
    let pairs = 16 * 6000;
    for half in [30.0, 30.0, 0.1, 0.1, 30.0] {
        for (i, bounds) in boxes.iter_mut().enumerate() {
            let by = place(random, 0.02) - 0.01;
            let half = if i < 6000 { 0.1 } else { half };
            *bounds = cube(bounds.center() + by, half);
            world.set_bounds(handles[i], *bounds);
        }
        let before = world.pairs().count();
        let (begun, ended) = changes(world.update());
        assert_eq!(world.pairs().count(), before + begun - ended);
        assert_eq!(world.pairs().count() >= pairs, half > 1.0);
        let giant = world.partners(handles[6007]).count();
        let expected = boxes
            .iter()
            .filter(|other| other.overlaps(&boxes[6007]))
            .count()
            - 1;
        assert_eq!(giant, expected);
        world.validate().unwrap();
    }
}

/// One step pushes two heaps into each other, and another parts them: for each of sixteen bodies, more pairs begin or end than are collected at
/// a time. In the steps between, all bodies move and no pair changes, so that the next step searches for changed pairs.
#[test]
fn heaps_that_meet_and_part() {
    let random = &mut SmallRng::seed_from_u64(13);
    let mut boxes: Vec<_> = (0..300).map(|_| cube(place(random, 0.1), 1.0)).collect();
    let mut world = Broadphase::new();
    let handles = world.insert_batch(boxes.iter().map(|&bounds| (bounds, Motion::Dynamic)));
    world.update();
    for apart in [3.0, 3.0, 1.5, 1.5, 3.0, 3.0, 3.0, 0.0, 0.0, 3.0] {
        for (i, bounds) in boxes.iter_mut().enumerate() {
            let x = if i % 2 == 0 { 0.0 } else { apart };
            *bounds = cube(place(random, 0.1) + Vec3::X * x, 1.0);
            world.set_bounds(handles[i], *bounds);
        }
        let before = world.pairs().len();
        let (begun, ended) = changes(world.update());
        let pairs = world.pairs().map(|(a, b)| (a.slot(), b.slot()));
        let pairs: Vec<_> = pairs.collect();
        assert_eq!(pairs, all_pairs(&boxes), "{apart}");
        assert_eq!(pairs.len(), before + begun - ended, "{apart}");
    }
    world.validate().unwrap();
}

/// In each step a few bodies of a dense crowd move, most by about their size and some far away. Pairs begin and end in all blocks, while bounds
/// that became too wide are refitted in turn.
#[test]
fn a_few_of_a_crowd_stir_for_long() {
    let random = &mut SmallRng::seed_from_u64(14);
    let mut boxes: Vec<_> = (0..1000).map(|_| cube(place(random, 8.0), 0.3)).collect();
    let mut world = Broadphase::new();
    let handles = world.insert_batch(boxes.iter().map(|&bounds| (bounds, Motion::Dynamic)));
    world.update();
    for step in 0..40 {
        for _ in 0..100 {
            let i = random.random_range(0..boxes.len());
            let far = if i % 5 == 0 { 4.0 } else { 0.8 };
            boxes[i] = cube(boxes[i].center() + place(random, 2.0 * far) - far, 0.3);
            world.set_bounds(handles[i], boxes[i]);
        }
        world.update();
        let pairs = world.pairs().map(|(a, b)| (a.slot(), b.slot()));
        assert!(pairs.eq(all_pairs(&boxes)), "{step}");
    }
    world.validate().unwrap();
}

/// A few bodies, or all, jump across the world and back.
#[test]
fn bodies_that_jump() {
    let random = &mut SmallRng::seed_from_u64(3);
    let mut boxes: Vec<_> = (0..700).map(|_| cube(place(random, 9.0), 0.4)).collect();
    let mut world = Broadphase::new();
    let bodies = boxes.iter().map(|&bounds| (bounds, Motion::Dynamic));
    let handles = world.insert_batch(bodies);
    for step in 0..16 {
        let far = if step % 2 == 0 {
            Vec3::splat(1e6)
        } else {
            Vec3::ZERO
        };
        for i in (0..boxes.len()).step_by([1, 3, 40, 400][step % 4]) {
            boxes[i] = cube(place(random, 9.0) + far, 0.4);
            world.set_bounds_expecting(handles[i], boxes[i], far);
        }
        world.update();
        assert_eq!(numbered(&world, &handles), all_pairs(&boxes), "{step}");
    }
    world.validate().unwrap();
}

#[test]
fn all_in_one_place() {
    let many = 400;
    let mut world = Broadphase::new();
    let unit = cube(Vec3::ONE, 0.5);
    let handles = world.insert_batch((0..many).map(|_| (unit, Motion::Dynamic)));
    assert_eq!(world.update().len(), many * (many - 1) / 2);
    assert!(world.update().is_empty());
    for &handle in handles.iter().step_by(2) {
        world.set_bounds(handle, cube(Vec3::NEG_ONE, 0.5));
    }
    let half = many / 2;
    assert_eq!(world.update().len(), half * half);
    assert_eq!(world.pairs().len(), half * (half - 1));
    world.validate().unwrap();
}

/// The static boxes overlap in fifty million ways, fewer in debug builds, none of which is a pair.
#[test]
fn thousands_with_one_center() {
    let mut world = Broadphase::new();
    let lonely = BodyInfo::from(Motion::Static);
    let many = if cfg!(debug_assertions) { 3000 } else { 10_000 };
    world.insert_batch((1..=many).map(|i| (cube(Vec3::ONE, i as f32), lonely)));
    let probe = world.insert(Sphere::new(Vec3::ONE, 0.0), Motion::Dynamic);
    assert_eq!(world.update().len(), many);
    let place = Vec3::new((many / 2 + 1) as f32, 1.0, 1.0);
    world.set_bounds(probe, Sphere::new(place, 0.0));
    // The body remains in the boxes of the larger half.
    let left = many / 2 - 1;
    assert_eq!(world.update().len(), left);
    world.remove(probe);
    assert_eq!(world.update().len(), many - left);
    world.validate().unwrap();
}

/// The rules that kept two overlapping boxes from being a pair are lifted. Then no rule but the overlap of boxes is left.
#[test]
fn the_last_that_is_special_becomes_plain() {
    let mut world = Broadphase::new();
    let apart = (0..300).map(|i| {
        (
            cube(Vec3::X * (10.0 + 3.0 * i as f32), 1.0),
            Motion::Dynamic,
        )
    });
    world.insert_batch(apart);
    let corner = world.insert(cube(Vec3::splat(1.9), 1.0), Motion::Dynamic);
    let ball = world.insert(Sphere::new(Vec3::ZERO, 1.0), Motion::Dynamic);
    assert!(world.update().is_empty());
    let around = world.bounds(ball).unwrap();
    assert!(!world.set_bounds(ball, around));
    assert_eq!(world.update(), [Event::Begin(corner, ball)]);
    let nothing = Filter {
        mask: 0,
        ..Filter::ALL
    };
    world.set_filter(ball, nothing);
    assert_eq!(world.update(), [Event::End(corner, ball)]);
    world.set_filter(ball, Filter::ALL);
    assert_eq!(world.update(), [Event::Begin(corner, ball)]);
    world.set_motion(ball, Motion::Static);
    world.set_motion(corner, Motion::Static);
    assert_eq!(world.update(), [Event::End(corner, ball)]);
    world.set_motion(ball, Motion::Dynamic);
    world.set_motion(corner, Motion::Dynamic);
    assert_eq!(world.update(), [Event::Begin(corner, ball)]);
}

/// A pair that ended was judged by the present boxes of its bodies, and stayed.
#[test]
fn the_only_mover_leaves_the_only_one_at_rest() {
    let corners = |min: [f64; 3], max: [f64; 3]| Aabb::<DVec3>::new(min.into(), max.into());
    let mut world = Broadphase::new();
    let there = corners([-1.0, 2.0, -1.0], [0.0, 4.0, 0.0]);
    let a = world.insert(corners([1.0; 3], [2.0, 3.0, 2.0]), Motion::Dynamic);
    world.set_bounds(a, there);
    world.update();
    let flat = corners([0.0; 3], [0.0, 2.0, 0.0]);
    let b = world.insert(flat, Motion::Static);
    assert_eq!(world.update(), [Event::Begin(a, b)]);
    world.set_bounds(a, corners([1.0; 3], [1.0; 3]));
    assert_eq!(world.update(), [Event::End(a, b)]);
    assert!(world.update().is_empty());
}

/// Sleep is a promise that a body does not move; it changes no answer.
#[test]
fn sleepers_are_met() {
    let mut world = Broadphase::new();
    let at = |x: f32| cube(Vec3::X * x, 1.0);
    let handles = world.insert_batch([0.0, 1.0, 50.0].map(|x| (at(x), Motion::Dynamic)));
    assert_eq!(world.update().len(), 1);
    handles.iter().for_each(|&handle| world.sleep(handle));
    assert!(world.update().is_empty());
    assert_eq!(world.pairs().len(), 1);
    // A new body begins a pair with a sleeper; a sleeper that is moved wakes up.
    let d = world.insert(at(51.0), Motion::Kinematic);
    assert_eq!(world.update(), [Event::Begin(handles[2], d)]);
    world.set_bounds(handles[1], at(49.0));
    assert_eq!(world.is_asleep(handles[1]), Some(false));
    assert_eq!(
        world.update(),
        [
            Event::End(handles[0], handles[1]),
            Event::Begin(handles[1], handles[2]),
            Event::Begin(handles[1], d),
        ]
    );
    handles.iter().for_each(|&handle| world.wake(handle));
    assert!(world.update().is_empty());
    // Changed filters and motions of sleepers count at once.
    world.sleep(handles[2]);
    world.set_filter(
        handles[2],
        Filter {
            mask: 0,
            ..Filter::ALL
        },
    );
    assert_eq!(world.update().len(), 2);
    world.remove(handles[2]);
    assert!(world.update().is_empty());
    world.validate().unwrap();
}

/// All bodies fall asleep, so that the tree is sorted over some steps. In one of these steps many bodies move, wake, leave and come.
#[test]
fn bodies_wake_while_the_tree_is_sorted() {
    let random = &mut SmallRng::seed_from_u64(9);
    let new = |random: &mut SmallRng| cube(place(random, 12.0), 0.5);
    for eventful in 0..8 {
        let mut boxes: Vec<_> = (0..400).map(|_| new(random)).collect();
        let mut world = Broadphase::new();
        let inserted = boxes.iter().map(|&each| (each, Motion::Dynamic));
        let mut handles = world.insert_batch(inserted);
        world.update();
        handles.iter().for_each(|&handle| world.sleep(handle));
        for step in 0..10 {
            for _ in 0..if step == eventful { 200 } else { 1 } {
                let i = random.random_range(0..boxes.len());
                match random.random_range(0..3) {
                    0 => world.wake(handles[i]),
                    1 => {
                        boxes[i] = new(random);
                        world.set_bounds(handles[i], boxes[i]);
                    }
                    _ => {
                        world.remove(handles[i]);
                        boxes[i] = new(random);
                        handles[i] = world.insert(boxes[i], Motion::Dynamic);
                    }
                }
            }
            world.update();
            world.validate().unwrap();
            assert_eq!(numbered(&world, &handles), all_pairs(&boxes));
        }
    }
}

/// The order of insertion, and calls of `optimize`, change labels but no pairs.
#[test]
fn the_order_of_insertion_is_a_label() {
    let random = &mut SmallRng::seed_from_u64(4);
    let boxes: Vec<_> = (0..600).map(|_| cube(place(random, 12.0), 0.5)).collect();
    let expected = all_pairs(&boxes);
    assert!(expected.len() > 100);
    for stride in [1, 7, 599] {
        let mut world = Broadphase::new().with_margin(if stride == 7 { 0.3 } else { 0.0 });
        let mut handles = vec![None; boxes.len()];
        for i in 0..boxes.len() {
            let i = i * stride % boxes.len();
            handles[i] = Some(world.insert(boxes[i], Motion::Dynamic));
            if i % 100 == 0 {
                world.update();
                world.optimize(50);
            }
        }
        world.update();
        let handles: Vec<_> = handles.into_iter().flatten().collect();
        assert_eq!(numbered(&world, &handles), expected);
        world.optimize(usize::MAX);
        world.validate().unwrap();
        assert!(world.update().is_empty());
    }
}

/// With the feature `rayon`, answers do not depend on the number of threads.
#[test]
fn threads_do_not_show() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let random = &mut SmallRng::seed_from_u64(5);
            let mut places: Vec<_> = (0..3000).map(|_| place(random, 25.0)).collect();
            let mut world = Broadphase::new();
            let bodies = places.iter().map(|&at| (cube(at, 0.5), Motion::Dynamic));
            let handles = world.insert_batch(bodies);
            let mut told = Vec::new();
            for step in 0..5 {
                for (i, at) in places.iter_mut().enumerate() {
                    if step < 3 || i % 30 == 0 {
                        *at += place(random, 0.4) - 0.2;
                        world.set_bounds(handles[i], cube(*at, 0.5));
                    }
                }
                told.extend_from_slice(world.update());
            }
            (told, world.pairs().collect::<Vec<_>>())
        })
    };
    let one = run(1);
    assert!(one.0.len() > 1000);
    assert_eq!(run(2), one);
    assert_eq!(run(5), one);
}

#[test]
fn a_world_is_printed_and_listed() {
    let mut world = Broadphase::<Vec2>::default();
    let ball = Sphere::new(Vec2::ZERO, 1.0);
    let a = world.insert(ball, Motion::Dynamic);
    let b = world.insert(ball, BodyInfo::from(Motion::Static).with_user(9));
    world.update();
    assert_eq!(
        format!("{world:?}"),
        "Broadphase { bodies: 2, pairs: 1, .. }"
    );
    world.remove(a);
    assert!(world.iter().eq([(b, ball.into())]));
    assert_eq!(world.user(b), Some(9));
    world.set_user(b, 10);
    assert_eq!(world.user(b), Some(10));
}

/// A change of a zero's sign is no move, but the sign is kept.
#[test]
fn the_sign_of_a_zero_is_kept() {
    let mut world = Broadphase::new();
    let unit = |zero: f32| Aabb::new(Vec2::new(zero, 0.0), Vec2::ONE);
    let ball = |zero: f32| Sphere::new(Vec2::new(zero, 0.0), 1.0);
    let (a, b) = (
        world.insert(unit(0.0), Motion::Dynamic),
        world.insert(ball(0.0), Motion::Dynamic),
    );
    world.update();
    for zero in [-0.0f32, 0.0, -0.0] {
        assert!(!world.set_bounds(a, unit(zero)));
        assert!(!world.set_bounds(b, ball(zero)));
        let bits = |handle| {
            world.volume(handle).map(|volume| match volume {
                Volume::Box(bounds) => bounds.min().x.to_bits(),
                Volume::Sphere(ball) => ball.center().x.to_bits(),
            })
        };
        assert_eq!(
            (bits(a), bits(b)),
            (Some(zero.to_bits()), Some(zero.to_bits()))
        );
        assert!(world.update().is_empty());
    }
}

/// Keys of a renewal of the order have bits only for the ids that exist when it begins.
#[test]
fn bodies_that_come_while_the_order_is_renewed_are_in_it_once() {
    let here = Aabb::new(Vec3::ZERO, Vec3::ZERO);
    let mut world = Broadphase::new();
    world.insert(here, Motion::Static);
    world.update();
    world.optimize(0);
    for motion in [Motion::Kinematic; 3] {
        world.insert(here, motion);
    }
    world.insert(here, Motion::Static);
    for z in 0..6 {
        let there = Aabb::new(Vec3::Z * z as f32, Vec3::Z * z as f32);
        world.set_all_bounds(|_| there);
        world.update();
        world.validate().unwrap();
    }
    world.set_all_bounds(|_| here);
    world.update();
    // These are the pairs of the kinematic bodies.
    assert_eq!(world.pairs().len(), 3);
}
