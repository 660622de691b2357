//! Hashes a hundred steps of a broad phase whose bodies come and go.

use alloc::vec::Vec;

use orthant::{Aabb, Broadphase, Event, Handle, Motion, Vector, Volume};

use crate::places::{Numbers, balls, boxes, number};
use crate::{Hash, Said};

const MANY: usize = 400;

pub(crate) fn all<V: Vector>(said: &mut Said, name: &str) {
    let mut world: Broadphase<V> = Broadphase::new().with_margin(number(0.01));
    let mut numbers = Numbers::new(11);
    let mut bodies: Vec<(Handle, Volume<V>)> = Vec::new();
    let volumes = balls::<V>(MANY, 12).into_iter().map(Volume::from);
    for volume in volumes.chain(boxes::<V>(MANY, 13).into_iter().map(Volume::from)) {
        let motion = if bodies.len() % 5 == 4 {
            Motion::Static
        } else {
            Motion::Dynamic
        };
        bodies.push((world.insert(volume, motion), volume));
    }
    let mut hash = Hash::new();
    for step in 0..100 {
        for (i, (handle, volume)) in bodies.iter_mut().enumerate() {
            if i % 5 == 4 || (i + step) % 3 == 0 {
                continue;
            }
            let by: V = V::from_fn(|_| (numbers.unit::<V::Scalar>() - number(0.5)) * number(0.03));
            *volume = moved(*volume, by);
            world.set_bounds(*handle, *volume);
        }
        // Remove a body and insert another one somewhere else.
        let at = numbers.bits() as usize % bodies.len();
        let (handle, volume) = bodies[at];
        world.remove(handle);
        let volume = moved(volume, V::from_fn(|_| number(0.25)));
        bodies[at] = (world.insert(volume, Motion::Dynamic), volume);
        for event in world.update() {
            let (a, b) = event.pair();
            hash.word(u64::from(matches!(event, Event::Begin(..))));
            hash.index(a.slot());
            hash.index(b.slot());
        }
        hash.end();
    }
    for (a, b) in world.pairs() {
        hash.index(a.slot());
        hash.index(b.slot());
    }
    said.say(name, "a hundred steps of bodies", hash);
}

fn moved<V: Vector>(volume: Volume<V>, by: V) -> Volume<V> {
    let shifted = |p: V| V::from_fn(|a| p.axis(a) + by.axis(a));
    match volume {
        Volume::Sphere(ball) => orthant::Sphere::new(shifted(ball.center()), ball.radius()).into(),
        Volume::Box(cuboid) => Aabb::new(shifted(cuboid.min()), shifted(cuboid.max())).into(),
    }
}
