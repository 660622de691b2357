//! Compares operations on a world with a test of all pairs of bodies.

mod asked;

use orthant::{
    BodyInfo, Bounded, Broadphase, Event, Handle, Motion, Overlaps, Scalar, Vector, Volume,
};
use serde::{Serialize, de::DeserializeOwned};

use crate::draw::Draw;
use crate::formats::{from_bincode, to_bincode};
use crate::model::{Body, Pairs, all_pairs, allowed, is_pair};
use crate::shapes::{Room, body, filter, motion, volume};

/// Fuzzes a world: after any operations its pairs and answers are those of all bodies.
pub fn broadphase(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(4) {
        0 => life::<[f32; 2]>(&mut draw),
        1 => life::<[f64; 2]>(&mut draw),
        2 => life::<[f64; 3]>(&mut draw),
        _ => life::<[f32; 3]>(&mut draw),
    }
}

struct World<V: Vector> {
    world: Broadphase<V>,
    bodies: Vec<(Handle, Body<V>)>,
    prediction: V::Scalar,
    fat: bool,
    /// The pairs, kept by events alone if events are reported.
    pairs: Pairs,
    stale: Vec<Handle>,
}

fn life<V>(draw: &mut Draw)
where
    V: Room + Serialize + DeserializeOwned,
    V::Scalar: Serialize + DeserializeOwned,
{
    let mut this = World::<V> {
        world: Broadphase::new(),
        bodies: Vec::new(),
        prediction: V::Scalar::ZERO,
        fat: false,
        pairs: Pairs::new(),
        stale: Vec::new(),
    };
    if draw.one_in(2) {
        this.set_rules(draw);
    }
    for _ in 0..150 {
        if draw.is_done() {
            break;
        }
        this.step(draw);
        this.check();
    }
    this.update();
    this.ask(draw);
    assert_eq!(this.world.update(), [], "nothing has changed since");
}

/// Returns true if volume and path stay within the finite numbers.
fn stays<V: Vector>(volume: &Volume<V>, path: V) -> bool {
    let bounds = volume.bounds();
    let ends = [bounds.min(), bounds.max()];
    ends.iter()
        .all(|end| (0..V::DIM).all(|a| (end.axis(a) + path.axis(a)).is_finite()))
}

impl<V> World<V>
where
    V: Room + Serialize + DeserializeOwned,
    V::Scalar: Serialize + DeserializeOwned,
{
    fn add(&mut self, handle: Handle, volume: Volume<V>, info: BodyInfo) {
        let path = V::splat(V::Scalar::ZERO);
        self.bodies.push((
            handle,
            Body {
                volume,
                path,
                proxy: info,
                asleep: false,
            },
        ));
    }

    fn set_rules(&mut self, draw: &mut Draw) {
        let world = std::mem::take(&mut self.world);
        self.world = match draw.below(3) {
            0 => world.with_margin(draw.length()),
            1 => {
                self.prediction = draw.length();
                world.with_prediction(self.prediction)
            }
            _ if draw.one_in(4) => {
                self.fat = true;
                world.with_fat_pairs()
            }
            _ => world.with_margin(draw.length()),
        };
    }

    fn step(&mut self, draw: &mut Draw) {
        let some = |draw: &mut Draw, len: usize| (len > 0).then(|| draw.below(len));
        let picked = some(draw, self.bodies.len());
        match (draw.below(40), picked) {
            (0..6, _) | (_, None) => {
                let (volume, info) = (volume::<V>(draw), body(draw));
                let handle = self.world.insert(volume, info);
                self.add(handle, volume, info);
            }
            (6, _) => {
                let many = draw.several(12, |draw| (volume::<V>(draw), body(draw)));
                let handles = self.world.insert_batch(many.iter().copied());
                for (handle, (volume, info)) in handles.into_iter().zip(many) {
                    self.add(handle, volume, info);
                }
            }
            (7..10, Some(i)) => {
                let (handle, body) = self.bodies.swap_remove(i);
                assert_eq!(self.world.remove(handle), Some(body.volume));
                self.stale.push(handle);
            }
            (10..15, Some(i)) => {
                let volume = volume::<V>(draw);
                let handle = self.bodies[i].0;
                let before = self.world.fat_bounds(handle);
                let expected = draw.way();
                let left = if draw.one_in(2) && stays(&volume, expected) {
                    self.world.set_bounds_expecting(handle, volume, expected)
                } else {
                    self.world.set_bounds(handle, volume)
                };
                assert_eq!(left, self.world.fat_bounds(handle) != before);
                self.place(i, volume, V::splat(V::Scalar::ZERO));
            }
            (15..19, Some(i)) => {
                let (volume, path) = (volume::<V>(draw), draw.way());
                if stays(&volume, path) {
                    self.world.set_swept(self.bodies[i].0, volume, path);
                    self.place(i, volume, path);
                }
            }
            (19, _) => self.stir(draw),
            (20, Some(i)) => {
                let motion = motion(draw);
                self.world.set_motion(self.bodies[i].0, motion);
                self.bodies[i].1.proxy.motion = motion;
            }
            (21, Some(i)) => {
                let filter = filter(draw);
                self.world.set_filter(self.bodies[i].0, filter);
                self.bodies[i].1.proxy.filter = filter;
            }
            (22, Some(i)) => {
                let user = draw.bits();
                self.world.set_user(self.bodies[i].0, user);
                self.bodies[i].1.proxy.user = user;
            }
            (23..25, Some(i)) => {
                self.world.sleep(self.bodies[i].0);
                self.bodies[i].1.asleep = true;
            }
            (25, Some(i)) => {
                self.world.wake(self.bodies[i].0);
                self.bodies[i].1.asleep = false;
            }
            (26, _) => self.world.optimize(draw.below(50)),
            (27, _) => self.copy(draw),
            (28, _) => self.leave(draw),
            (29, _) => self.set_rules(draw),
            (30..32, _) => {
                self.world.refresh();
                self.pairs = self.world.pairs().collect();
                assert_eq!(self.pairs.len(), self.world.pairs().len());
                assert_eq!(self.pairs, self.expected());
            }
            (32..35, _) => self.ask(draw),
            _ => self.update(),
        }
    }

    fn place(&mut self, i: usize, volume: Volume<V>, path: V) {
        let body = &mut self.bodies[i].1;
        (body.volume, body.path, body.asleep) = (volume, path, false);
    }

    /// Moves all bodies that are neither static nor asleep, some of them to where they are.
    fn stir(&mut self, draw: &mut Draw) {
        let mut places: Vec<Option<Volume<V>>> = Vec::new();
        for i in 0..self.bodies.len() {
            let (handle, body) = self.bodies[i];
            let volume = if draw.one_in(2) {
                volume(draw)
            } else {
                body.volume
            };
            places.resize(places.len().max(handle.slot() + 1), None);
            places[handle.slot()] = Some(volume);
            if body.proxy.motion != Motion::Static && !body.asleep {
                self.place(i, volume, V::splat(V::Scalar::ZERO));
            }
        }
        self.world
            .set_all_bounds(|handle| places[handle.slot()].expect("a body in use"));
    }

    fn copy(&mut self, draw: &mut Draw) {
        let world = &self.world;
        self.world = match draw.below(4) {
            0 => world.clone(),
            1 => postcard::from_bytes(&postcard::to_stdvec(world).unwrap()).unwrap(),
            2 => from_bincode(&to_bincode(world)).unwrap(),
            _ => serde_json::from_str(&serde_json::to_string(world).unwrap()).unwrap(),
        };
    }

    /// Removes many bodies at once.
    fn leave(&mut self, draw: &mut Draw) {
        let rest = draw.below(3);
        let keeps = |handle: Handle| handle.slot() % 3 != rest;
        let mut gone: Vec<Handle> = self.bodies.iter().map(|body| body.0).collect();
        match draw.below(6) {
            0 => {
                self.world.clear();
                self.bodies.clear();
            }
            1 => {
                let mut bodies: Vec<_> = self
                    .bodies
                    .drain(..)
                    .map(|body| (body.0, body.1.volume))
                    .collect();
                bodies.sort_by_key(|body| body.0);
                assert!(self.world.drain().eq(bodies));
            }
            _ => {
                self.world.retain(|handle, _| keeps(handle));
                self.bodies.retain(|body| keeps(body.0));
                gone.retain(|&handle| !keeps(handle));
            }
        }
        self.stale.extend(gone);
    }

    fn update(&mut self) {
        let events = self.world.update().to_vec();
        assert!(
            events.is_sorted_by(|a, b| a.pair() < b.pair()),
            "events are sorted"
        );
        for event in events {
            let pair = event.pair();
            assert!(pair.0 < pair.1);
            let news = match event {
                Event::Begin(..) => self.pairs.insert(pair),
                Event::End(..) => self.pairs.remove(&pair),
            };
            assert!(news, "{event:?} tells nothing new");
        }
        assert_eq!(self.pairs, self.expected());
        assert!(self.world.pairs().eq(self.pairs.iter().copied()));
    }

    /// Returns all pairs, by the double loop.
    fn expected(&self) -> Pairs {
        let bodies: Vec<_> = self.bodies.iter().map(|body| (body.0, &body.1)).collect();
        all_pairs(&bodies, |i, j| {
            let (a, b) = (bodies[i], bodies[j]);
            if self.fat {
                let fat = |handle| self.world.fat_bounds(handle).expect("a body");
                allowed(&a.1.proxy, &b.1.proxy) && fat(a.0).overlaps(&fat(b.0))
            } else {
                is_pair(a.1, b.1, self.prediction)
            }
        })
    }

    fn check(&self) {
        self.world.validate().unwrap();
        assert_eq!(self.world.len(), self.bodies.len());
        for (handle, body) in &self.bodies {
            let handle = *handle;
            assert_eq!(self.world.volume(handle), Some(body.volume));
            assert_eq!(self.world.path(handle), Some(body.path));
            assert_eq!(self.world.motion(handle), Some(body.proxy.motion));
            assert_eq!(self.world.filter(handle), Some(body.proxy.filter));
            assert_eq!(self.world.user(handle), Some(body.proxy.user));
            assert_eq!(self.world.is_asleep(handle), Some(body.asleep));
        }
        for &handle in &self.stale {
            assert!(!self.world.contains(handle));
            assert_eq!(self.world.partners(handle).count(), 0);
        }
    }
}
