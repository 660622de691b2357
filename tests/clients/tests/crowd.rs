//! The pairs of people closer than half a metre, in every frame of a crowd: by the events of a
//! `Broadphase`, and from a tree of points, each against all pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;

use clients::crowd::{Crowd, Person};
use orthant::glam::Vec2;
use orthant::{
    Aabb, Broadphase, Contains, Event, Handle, LooseOrthtree, Motion, Overlaps, Sphere, Volume,
};

/// The distance below which two people are a pair, in metres.
const CLOSE: f32 = 0.5;
/// Two people, the lesser number first.
type Pair = (u32, u32);

fn pair(a: u32, b: u32) -> Pair {
    (a.min(b), a.max(b))
}

fn is_close(a: &Vec2, b: &Vec2) -> bool {
    let (dx, dy) = (a.x - b.x, a.y - b.y);
    dx * dx + dy * dy <= CLOSE * CLOSE
}

fn all_pairs<T>(people: &[(u32, T)], meet: impl Fn(&T, &T) -> bool) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for (i, (a, this)) in people.iter().enumerate() {
        for (b, that) in &people[i + 1..] {
            if meet(this, that) {
                pairs.insert(pair(*a, *b));
            }
        }
    }
    pairs
}

/// The handles of the people present, both ways. Each structure has its own, since a handle means something only to the structure that gave it.
#[derive(Default)]
struct Present {
    handles: BTreeMap<u32, Handle>,
    people: BTreeMap<Handle, u32>,
}

impl Present {
    fn enter(&mut self, person: u32, handle: Handle) {
        assert_eq!(self.handles.insert(person, handle), None);
        assert_eq!(self.people.insert(handle, person), None);
    }

    /// Forgets the people who are not in the frame, and returns their handles.
    fn leave(&mut self, frame: &[Person]) -> Vec<Handle> {
        let stay: BTreeSet<u32> = frame.iter().map(|p| p.0).collect();
        let gone: Vec<Handle> = self
            .handles
            .extract_if(.., |person, _| !stay.contains(person))
            .map(|(_, handle)| handle)
            .collect();
        for handle in &gone {
            self.people.remove(handle);
        }
        gone
    }
}

/// The pairs of people, kept by events alone, as a program keeps them that reacts to events.
#[derive(Default)]
struct Contacts {
    pairs: BTreeSet<(Handle, Handle)>,
    begun: usize,
    ended: usize,
}

impl Contacts {
    fn replay(&mut self, events: &[Event]) {
        for &event in events {
            match event {
                Event::Begin(a, b) => {
                    assert!(a < b && self.pairs.insert((a, b)), "begun twice");
                    self.begun += 1;
                }
                Event::End(a, b) => {
                    assert!(self.pairs.remove(&(a, b)), "ended before it began");
                    self.ended += 1;
                }
            }
        }
    }
}

/// Keeps a crowd's contacts by the events of a broad phase while people come, walk, stand and go, and compares them in every frame with all
/// pairs that meet.
fn contacts<T: Copy + Into<Volume<Vec2>>>(
    mut world: Broadphase<Vec2>,
    body: impl Fn(Vec2) -> T,
    meet: impl Fn(&T, &T) -> bool,
) {
    let crowd = Crowd::load().expect("a readable crowd");
    let recorded = env::var_os("ORTHANT_DATA").is_some();
    assert_eq!(crowd.frames.len(), if recorded { 959 } else { 300 });
    let mut present = Present::default();
    let mut contacts = Contacts::default();
    let mut last = BTreeMap::new();
    for (number, frame) in crowd.frames.iter().enumerate() {
        for handle in present.leave(frame) {
            assert!(world.remove(handle).is_some());
            assert!(world.remove(handle).is_none());
        }
        for &(person, at) in frame {
            let before = last.insert(person, at).unwrap_or(at);
            match present.handles.get(&person) {
                None => present.enter(person, world.insert(body(at), Motion::Dynamic)),
                Some(&handle) if at == before => world.sleep(handle),
                // The person is expected to walk on as in the last frame.
                Some(&handle) => {
                    world.set_bounds_expecting(handle, body(at), at - before);
                }
            }
        }
        contacts.replay(world.update());
        let pairs = contacts.pairs.iter().copied();
        assert!(world.pairs().eq(pairs), "frame {number}");
        assert_eq!(world.validate(), Ok(()));

        let pairs = contacts.pairs.iter();
        let people = pairs.map(|(a, b)| pair(present.people[a], present.people[b]));
        let bodies: Vec<_> = frame.iter().map(|&(id, at)| (id, body(at))).collect();
        assert!(
            people.collect::<BTreeSet<_>>() == all_pairs(&bodies, &meet),
            "frame {number}"
        );
    }
    assert!(contacts.begun > 0 && contacts.ended > 0);

    for handle in present.leave(&[]) {
        world.remove(handle);
    }
    contacts.replay(world.update());
    assert!(contacts.pairs.is_empty() && world.is_empty());
    assert_eq!(contacts.begun, contacts.ended);
    println!(
        "{} contacts in {} frames",
        contacts.begun,
        crowd.frames.len()
    );
}

#[test]
fn contacts_of_discs() {
    let close = |a: &Sphere<Vec2>, b: &Sphere<Vec2>| is_close(&a.center(), &b.center());
    contacts(Broadphase::new(), |at| Sphere::new(at, CLOSE / 2.0), close);
    let margin = Broadphase::new().with_margin(0.2);
    contacts(margin, |at| Sphere::new(at, CLOSE / 2.0), close);
}

#[test]
fn contacts_predicted_of_points() {
    let world = Broadphase::new().with_prediction(CLOSE / 2.0);
    contacts(
        world,
        |at| Sphere::new(at, 0.0),
        |a, b| is_close(&a.center(), &b.center()),
    );
}

#[test]
fn contacts_of_squares() {
    let half = CLOSE / 2.0;
    let square = |at: Vec2| Aabb::new(at - half, at + half);
    contacts(Broadphase::new(), square, Aabb::overlaps);
}

#[test]
fn neighbours_in_a_crowd() {
    let crowd = Crowd::load().expect("a readable crowd");
    let mut tree = LooseOrthtree::<Vec2>::new();
    let mut present = Present::default();
    let mut close_pairs = 0;
    for (number, frame) in crowd.frames.iter().enumerate() {
        for handle in present.leave(frame) {
            tree.remove(handle);
        }
        for &(person, at) in frame {
            if let Some(&handle) = present.handles.get(&person) {
                tree.update(handle, at);
            } else {
                present.enter(person, tree.insert(at));
            }
        }
        assert_eq!(tree.len(), frame.len());

        let mut close = BTreeSet::new();
        for &(person, at) in frame {
            let near = Sphere::new(at, CLOSE);
            assert_eq!(tree.count(near), tree.query(near).count());
            for handle in tree.query(near) {
                assert!(near.contains(&tree[handle]));
                if present.people[&handle] != person {
                    close.insert(pair(person, present.people[&handle]));
                }
            }
        }
        assert_eq!(close, all_pairs(frame, is_close), "frame {number}");
        close_pairs += close.len();
    }
    assert!(close_pairs > 0);
}
