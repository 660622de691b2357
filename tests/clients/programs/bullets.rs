//! Bullet hell: moving bullets hit moving ships, in the order of impact.
use orthant::glam::Vec2;
use orthant::{BodyInfo, Broadphase, Filter, Handle, Motion, Sphere};
use std::collections::HashMap;

const BULLET: u64 = 1;
const SHIP: u64 = 2;

#[derive(Clone, Copy)]
struct Thing {
    id: u32,
    at: Vec2,
    velocity: Vec2,
    radius: f32,
    /// A bullet is gone after the first hit, a ship when it has no lives left.
    lives: u32,
    is_bullet: bool,
}

#[derive(Clone, Copy, Debug)]
struct Hit {
    time: f32,
    bullet: u32,
    ship: u32,
}

#[derive(Default)]
struct Arena {
    world: Broadphase<Vec2>,
    things: HashMap<Handle, Thing>,
}

impl Arena {
    fn add(&mut self, thing: Thing) {
        let (category, mask) = if thing.is_bullet {
            (BULLET, SHIP)
        } else {
            (SHIP, BULLET)
        };
        let info = BodyInfo::from(Motion::Dynamic).with_filter(Filter {
            category,
            mask,
            group: 0,
        });
        let handle = self.world.insert(Sphere::new(thing.at, thing.radius), info);
        self.things.insert(handle, thing);
    }

    /// Moves everything by one step, and returns the hits by time.
    fn step(&mut self, dt: f32) -> Vec<Hit> {
        for (&handle, thing) in &self.things {
            self.world.set_swept(
                handle,
                Sphere::new(thing.at, thing.radius),
                thing.velocity * dt,
            );
        }
        self.world.refresh();
        let mut touches: Vec<(f32, Handle, Handle)> = Vec::new();
        for (a, b) in self.world.pairs() {
            let impact = self.world.impact(a, b).expect("pairs touch");
            let (bullet, ship) = Handle::ordered_by(a, b, |body| self.things[&body].is_bullet)
                .expect("ships do not meet");
            touches.push((impact.first, bullet, ship));
        }
        // Ties are ordered by id: handles are reused, so their order is not that of creation.
        let ids =
            |touch: &(f32, Handle, Handle)| (self.things[&touch.1].id, self.things[&touch.2].id);
        touches.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| ids(a).cmp(&ids(b))));
        let mut hits = Vec::new();
        for (time, bullet, ship) in touches {
            if !self.world.contains(bullet) || !self.world.contains(ship) {
                continue;
            }
            hits.push(Hit {
                time,
                bullet: self.things[&bullet].id,
                ship: self.things[&ship].id,
            });
            for body in [bullet, ship] {
                let thing = self.things.get_mut(&body).expect("it lives");
                thing.lives -= 1;
                if thing.lives == 0 {
                    self.things.remove(&body);
                    self.world.remove(body);
                }
            }
        }
        for thing in self.things.values_mut() {
            thing.at += thing.velocity * dt;
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Returns the time at which two balls first touch within a step of length 1.
    fn impact(a: &Thing, b: &Thing, dt: f32) -> Option<f64> {
        let d = (a.at - b.at).as_dvec2();
        let v = ((a.velocity * dt) - (b.velocity * dt)).as_dvec2();
        let r = f64::from(a.radius) + f64::from(b.radius);
        let c = d.length_squared() - r * r;
        if c <= 0.0 {
            return Some(0.0);
        }
        let (aa, half_b) = (v.length_squared(), d.dot(v));
        let root = half_b * half_b - aa * c;
        (root >= 0.0 && half_b < 0.0)
            .then(|| (-half_b - root.sqrt()) / aa)
            .filter(|&t| t <= 1.0)
    }

    fn plain_step(things: &mut Vec<Thing>, dt: f32) -> Vec<(f64, u32, u32)> {
        let mut touches = Vec::new();
        for bullet in things.iter().filter(|thing| thing.is_bullet) {
            for ship in things.iter().filter(|thing| !thing.is_bullet) {
                touches.extend(impact(bullet, ship, dt).map(|t| (t, bullet.id, ship.id)));
            }
        }
        touches.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut hits = Vec::new();
        for (t, bullet, ship) in touches {
            if [bullet, ship].iter().all(|id| {
                things
                    .iter()
                    .any(|thing| thing.id == *id && thing.lives > 0)
            }) {
                hits.push((t, bullet, ship));
                things
                    .iter_mut()
                    .filter(|thing| [bullet, ship].contains(&thing.id))
                    .for_each(|thing| thing.lives -= 1);
            }
        }
        things.retain(|thing| thing.lives > 0);
        things
            .iter_mut()
            .for_each(|thing| thing.at += thing.velocity * dt);
        hits
    }

    #[test]
    fn hits_are_those_of_comparing_all() {
        let mut random = Random::new(5);
        let (mut arena, mut plain, mut id) = (Arena::default(), Vec::new(), 0);
        let mut all_hits = 0;
        let mut deaths = 0;
        for step in 0..60 {
            let ships = if step == 0 { 80 } else { 1 };
            for i in 0..ships + 60 {
                let is_bullet = i >= ships;
                let speed = if is_bullet { 60.0 } else { 3.0 };
                let mut random2 = |to: f32| Vec2::new(random.range(-to, to), random.range(-to, to));
                let (at, velocity) = (random2(50.0), random2(speed));
                let radius = if is_bullet {
                    0.1
                } else {
                    random.range(0.5, 2.0)
                };
                let thing = Thing {
                    id,
                    at,
                    velocity,
                    radius,
                    lives: if is_bullet { 1 } else { 3 },
                    is_bullet,
                };
                arena.add(thing);
                plain.push(thing);
                id += 1;
            }
            let ships_before = plain.iter().filter(|thing| !thing.is_bullet).count();
            let hits = arena.step(0.1);
            let expected = plain_step(&mut plain, 0.1);
            let pairs = hits.iter().map(|hit| (hit.bullet, hit.ship));
            assert!(
                pairs.eq(expected.iter().map(|hit| (hit.1, hit.2))),
                "step {step}: {hits:?} {expected:?}"
            );
            assert!(
                hits.iter()
                    .zip(&expected)
                    .all(|(hit, plain)| (f64::from(hit.time) - plain.0).abs() < 1e-4)
            );
            all_hits += hits.len();
            deaths += ships_before - plain.iter().filter(|thing| !thing.is_bullet).count();
            let mut alive: Vec<u32> = arena.things.values().map(|thing| thing.id).collect();
            alive.sort();
            assert!(alive.into_iter().eq(plain.iter().map(|thing| thing.id)));
        }
        assert!(all_hits > 100 && deaths > 20, "{all_hits} {deaths}");
    }
}
