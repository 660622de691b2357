//! Law 7: any sequence of insert, move and remove equals a `Vec` and all-pairs overlap.

use std::collections::BTreeSet;

use orthant::{
    Aabb, Broadphase, Error, Event, Handle, LooseOrthtree, Motion, Overlaps, Sphere, Vector,
};
use proptest::prelude::*;

use crate::make::{Ball, Brick, Make, Raw, cases, raw, raws, scale};

#[derive(Clone, Debug)]
enum Step {
    Insert(Raw, u8),
    Move(usize, Raw),
    Remove(usize),
    Ask(Raw),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let near = || (raws(1), raw()).prop_map(|(mut near, far)| near.pop().unwrap_or(far));
    let step = prop_oneof![
        5 => (near(), 0..3u8).prop_map(|(raw, motion)| Step::Insert(raw, motion)),
        4 => (any::<prop::sample::Index>(), near()).prop_map(|(i, raw)| Step::Move(i.index(1000), raw)),
        2 => any::<prop::sample::Index>().prop_map(|i| Step::Remove(i.index(1000))),
        2 => raw().prop_map(Step::Ask),
    ];
    proptest::collection::vec(step, 0..200)
}

/// An item of the model that a number picks.
fn pick<T>(model: &[T], number: usize) -> Option<usize> {
    (!model.is_empty()).then(|| number % model.len())
}

pub(crate) fn loose<V: Vector>() {
    proptest!(cases(256), |(steps in steps(), scale in scale())| {
        let mut tree = LooseOrthtree::<Sphere<V>>::new();
        let mut model: Vec<(Handle, Sphere<V>)> = Vec::new();
        let mut stale: Vec<Handle> = Vec::new();
        for step in steps {
            match step {
                Step::Insert(raw, _) => {
                    let ball = Ball::make(&raw, scale);
                    model.push((tree.insert(ball), ball));
                }
                Step::Move(number, raw) => {
                    let Some(i) = pick(&model, number) else { continue };
                    let ball = Ball::make(&raw, scale);
                    let old = tree.update(model[i].0, ball);
                    prop_assert_eq!(std::mem::replace(&mut model[i].1, ball), old);
                }
                Step::Remove(number) => {
                    let Some(i) = pick(&model, number) else { continue };
                    let (handle, ball) = model.swap_remove(i);
                    prop_assert_eq!(tree.remove(handle), ball);
                    stale.push(handle);
                }
                Step::Ask(raw) => {
                    let region: Sphere<V> = Ball::make(&raw, scale);
                    let found: BTreeSet<Handle> = tree.query(region).collect();
                    let hits = model.iter().filter(|(_, ball)| region.overlaps(ball));
                    let expected: BTreeSet<Handle> = hits.map(|entry| entry.0).collect();
                    prop_assert_eq!(found, expected);
                }
            }
            tree.validate().unwrap();
            prop_assert_eq!(tree.len(), model.len());
        }
        for (handle, ball) in &model {
            prop_assert_eq!(tree.get(*handle), Some(ball));
        }
        for handle in stale {
            prop_assert!(!tree.contains(handle));
            prop_assert_eq!(tree.try_remove(handle), Err(Error::Stale { handle }));
            let ball = Ball::make(&([0; 4], [1; 4]), scale);
            prop_assert_eq!(tree.try_update(handle, ball), Err(Error::Stale { handle }));
        }
        let mut all: Vec<_> = tree.iter().map(|(handle, ball)| (handle, *ball)).collect();
        all.sort_by_key(|entry| entry.0);
        model.sort_by_key(|entry| entry.0);
        prop_assert_eq!(all, model);
    });
}

type Pairs = BTreeSet<(Handle, Handle)>;

/// A static body pairs with dynamic ones only.
fn may_pair(a: Motion, b: Motion) -> bool {
    match (a, b) {
        (Motion::Static, other) | (other, Motion::Static) => other == Motion::Dynamic,
        _ => true,
    }
}

fn all_pairs<V: Vector>(model: &[(Handle, Aabb<V>, Motion)]) -> Pairs {
    let mut pairs = Pairs::new();
    for (i, a) in model.iter().enumerate() {
        for b in &model[..i] {
            if a.1.overlaps(&b.1) && may_pair(a.2, b.2) {
                pairs.insert((a.0.min(b.0), a.0.max(b.0)));
            }
        }
    }
    pairs
}

pub(crate) fn broadphase<V: Vector>() {
    proptest!(cases(256), |(steps in steps(), scale in scale())| {
        let mut world = Broadphase::<V>::new();
        let mut model: Vec<(Handle, Aabb<V>, Motion)> = Vec::new();
        let mut pairs = Pairs::new();
        for step in steps {
            match step {
                Step::Insert(raw, motion) => {
                    let bounds = Brick::make(&raw, scale);
                    let motion = [Motion::Static, Motion::Kinematic, Motion::Dynamic][motion as usize];
                    model.push((world.insert(bounds, motion), bounds, motion));
                }
                Step::Move(number, raw) => {
                    let Some(i) = pick(&model, number) else { continue };
                    let bounds = Brick::make(&raw, scale);
                    let changed = world.set_bounds(model[i].0, bounds);
                    prop_assert_eq!(changed, model[i].1 != bounds);
                    model[i].1 = bounds;
                }
                Step::Remove(number) => {
                    let Some(i) = pick(&model, number) else { continue };
                    let (handle, bounds, _) = model.swap_remove(i);
                    prop_assert_eq!(world.remove(handle), bounds);
                    prop_assert_eq!(world.try_remove(handle), Err(Error::Stale { handle }));
                    let stale = world.try_set_bounds(handle, bounds);
                    prop_assert_eq!(stale, Err(Error::Stale { handle }));
                    prop_assert_eq!((world.bounds(handle), world.motion(handle)), (None, None));
                }
                Step::Ask(_) => {
                    let events = world.update().to_vec();
                    prop_assert!(events.is_sorted_by(|a, b| a.pair() < b.pair()));
                    for event in events {
                        let changed = match event {
                            Event::Begin(a, b) => pairs.insert((a, b)),
                            Event::End(a, b) => pairs.remove(&(a, b)),
                        };
                        prop_assert!(changed, "{:?} tells nothing new", event);
                    }
                    let expected = all_pairs(&model);
                    prop_assert_eq!(&pairs, &expected);
                    prop_assert!(world.pairs().eq(expected));
                }
            }
            world.validate().unwrap();
        }
    });
}
