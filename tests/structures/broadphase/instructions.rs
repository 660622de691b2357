//! All instruction sets find the same pairs and events, also while boxes are sorted.

use orthant::glam::{DVec3, Vec2, Vec3};
use orthant::{
    Aabb, BodyInfo, Broadphase, Event, Filter, Handle, InstructionSet, Motion, Overlaps, Scalar,
    Sphere, Vector, Volume,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

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
    let mut world = Broadphase::<V>::new().with_instructions(set);
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
            assert!(!world.is_sorting());
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
        let is_sorting = world.is_sorting();
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
