//! A bullet hell: bullets fly through thin walls of ships in one frame, and hit at the right time.

use orthant::glam::Vec2;
use orthant::{Aabb, BodyInfo, Broadphase, Filter, Handle, Motion, Moving, Sphere, Sweep};

use crate::random;

const SHIP: u64 = 1;
const BULLET: u64 = 2;
const RADIUS: f32 = 0.1;

#[derive(Debug, PartialEq)]
struct Strike {
    time: f32,
    bullet: Handle,
    ship: Handle,
}

#[derive(Debug)]
struct Arena {
    world: Broadphase<Vec2>,
    /// With what they cover in a frame.
    bullets: Vec<(Handle, Vec2)>,
}

impl Arena {
    /// What is of a kind, and meets only the other one.
    fn kind(category: u64) -> BodyInfo {
        let mask = SHIP + BULLET - category;
        let filter = Filter {
            category,
            mask,
            group: 0,
        };
        BodyInfo::from(Motion::Dynamic)
            .with_filter(filter)
            .with_user(category)
    }

    fn new() -> Self {
        Self {
            world: Broadphase::new(),
            bullets: Vec::new(),
        }
    }

    fn ship(&mut self, hull: Aabb<Vec2>) -> Handle {
        self.world.insert(hull, Self::kind(SHIP))
    }

    fn shoot(&mut self, from: Vec2, by: Vec2) {
        let bullet = self
            .world
            .insert(Sphere::new(from, RADIUS), Self::kind(BULLET));
        self.bullets.push((bullet, by));
    }

    /// A frame: what is struck, by time. A bullet strikes one ship only and is gone.
    fn frame(&mut self) -> Vec<Strike> {
        for &(bullet, by) in &self.bullets {
            let here = self.world.volume(bullet).expect("it flies");
            self.world.set_swept(bullet, here, by);
        }
        self.world.update();
        let is_bullet = |handle| self.world.user(handle) == Some(BULLET);
        let strike = |(a, b): (Handle, Handle)| {
            let (bullet, ship) = Handle::ordered_by(a, b, is_bullet)?;
            let time = self.world.impact(a, b)?.first;
            Some(Strike { time, bullet, ship })
        };
        let mut strikes: Vec<Strike> = self.world.pairs().filter_map(strike).collect();
        strikes.sort_by(|a, b| a.bullet.cmp(&b.bullet).then(a.time.total_cmp(&b.time)));
        strikes.dedup_by_key(|strike| strike.bullet);
        strikes.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.bullet.cmp(&b.bullet)));

        for strike in &strikes {
            self.world.remove(strike.bullet);
        }
        self.bullets
            .retain(|(bullet, _)| self.world.contains(*bullet));
        for &(bullet, by) in &self.bullets {
            let there = self.world.bounds(bullet).expect("it flies").center() + by;
            self.world.set_bounds(bullet, Sphere::new(there, RADIUS));
        }
        strikes
    }
}

#[test]
fn bullets_strike_when_and_what_they_should() {
    let mut random = random(6);
    let mut arena = Arena::new();
    let mut vector = |size: f32| Vec2::new(random(), random()) * size;
    let hulls: Vec<Aabb<Vec2>> = (0..40)
        .map(|_| Aabb::from_center(vector(100.0), Vec2::new(0.05, 2.0)))
        .collect();
    let ships: Vec<Handle> = hulls.iter().map(|&hull| arena.ship(hull)).collect();
    for _ in 0..300 {
        arena.shoot(vector(100.0), vector(20.0) - 10.0);
    }
    let mut struck = 0;
    for _ in 0..10 {
        let before: Vec<(Handle, Vec2, Vec2)> = arena
            .bullets
            .iter()
            .map(|&(bullet, by)| (bullet, arena.world.bounds(bullet).unwrap().center(), by))
            .collect();
        let mut expected = Vec::new();
        for (bullet, from, by) in before {
            let way = Moving::new(Sphere::new(from, RADIUS), by);
            let hit = |(hull, &ship)| Some((way.times(hull)?.0, ship));
            let first = hulls.iter().zip(&ships).filter_map(hit);
            let first = first.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            expected.extend(first.map(|(time, ship)| Strike { time, bullet, ship }));
        }
        expected.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.bullet.cmp(&b.bullet)));
        let strikes = arena.frame();
        assert_eq!(strikes, expected);
        struck += strikes.len();
    }
    assert!(struck > 50, "{struck}");
    assert_eq!(arena.bullets.len() + struck, 300);
}
