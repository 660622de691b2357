//! Who stands closer than half a metre to whom, in every frame of a crowd: from boxes that meet, and
//! from a tree of points, each against all pairs.

use std::collections::{BTreeMap, BTreeSet};

use clients::crowd::{Crowd, Person};
use orthant::glam::Vec2;
use orthant::{
    Aabb, Broadphase, Contains, Error, Event, Handle, LooseOrthtree, Motion, Overlaps, Sphere,
};

/// Metres.
const CLOSE: f32 = 0.5;
/// Half a person's box: a little more than half of what is close, so that no pair is lost where the
/// corners are rounded.
const REACH: f32 = 0.26;

/// Two people, the lesser number first.
type Pair = (u32, u32);

fn pair(a: u32, b: u32) -> Pair {
    (a.min(b), a.max(b))
}

fn is_close(a: &Vec2, b: &Vec2) -> bool {
    let (dx, dy) = (a.x - b.x, a.y - b.y);
    dx * dx + dy * dy <= CLOSE * CLOSE
}

fn box_of(at: Vec2) -> Aabb<Vec2> {
    Aabb::new(at - REACH, at + REACH)
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

/// Handles of the people present, both ways. One of these for each structure, as handles mean
/// something only to the structure that gave them.
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

    /// Forgets those who are not in the frame, and tells their handles.
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

/// Pairs by events alone, as a program keeps them that reacts to events.
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

#[test]
fn contacts_of_a_crowd() {
    let crowd = Crowd::load().expect("a readable crowd");
    let mut world = Broadphase::new();
    let mut present = Present::default();
    let mut contacts = Contacts::default();
    let mut close_pairs = 0;
    for (number, frame) in crowd.frames.iter().enumerate() {
        for handle in present.leave(frame) {
            world.remove(handle);
            assert_eq!(world.try_remove(handle), Err(Error::Stale { handle }));
        }
        for &(person, at) in frame {
            if let Some(&handle) = present.handles.get(&person) {
                world.set_bounds(handle, box_of(at), Vec2::ZERO);
            } else {
                present.enter(person, world.insert(box_of(at), Motion::Dynamic));
            }
        }
        contacts.replay(world.update());
        assert!(
            world.pairs().eq(contacts.pairs.iter().copied()),
            "frame {number}"
        );

        let touching: BTreeSet<Pair> = contacts
            .pairs
            .iter()
            .map(|(a, b)| pair(present.people[a], present.people[b]))
            .collect();
        let boxes: Vec<_> = frame.iter().map(|&(id, at)| (id, box_of(at))).collect();
        assert_eq!(
            touching,
            all_pairs(&boxes, Aabb::overlaps),
            "frame {number}"
        );

        let at: BTreeMap<u32, Vec2> = frame.iter().copied().collect();
        let close: BTreeSet<Pair> = touching
            .into_iter()
            .filter(|(a, b)| is_close(&at[a], &at[b]))
            .collect();
        assert_eq!(close, all_pairs(frame, is_close), "frame {number}");
        close_pairs += close.len();
    }
    assert!(close_pairs > 0 && contacts.ended > 0);

    for handle in present.leave(&[]) {
        world.remove(handle);
    }
    contacts.replay(world.update());
    assert!(contacts.pairs.is_empty() && world.is_empty());
    assert_eq!(contacts.begun, contacts.ended);
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
