//! Law 7: any sequence of insert, move and remove equals a `Vec`.

use std::collections::BTreeSet;

use orthant::{Handle, LooseOrthtree, Overlaps, Sphere, Vector};
use proptest::prelude::*;

use crate::answers::set_for;
use crate::make::{Ball, Make};
use crate::runner::{Step, each_life};

/// Picks an item of the model by a number.
fn pick<T>(model: &[T], number: usize) -> Option<usize> {
    (!model.is_empty()).then(|| number % model.len())
}

pub(crate) fn loose<V: Vector>() {
    each_life(&|steps, scale| {
        let set = set_for(steps.len());
        let mut tree = LooseOrthtree::<Sphere<V>>::new().with_instructions(set);
        let mut model: Vec<(Handle, Sphere<V>)> = Vec::new();
        let mut stale: Vec<Handle> = Vec::new();
        for step in steps {
            match *step {
                Step::Insert(raw) => {
                    let ball = Ball::make(&raw, scale);
                    model.push((tree.insert(ball), ball));
                }
                Step::Move(number, raw) => {
                    let Some(i) = pick(&model, number) else {
                        continue;
                    };
                    let ball = Ball::make(&raw, scale);
                    let old = tree.update(model[i].0, ball);
                    prop_assert_eq!(std::mem::replace(&mut model[i].1, ball), old);
                }
                Step::Remove(number) => {
                    let Some(i) = pick(&model, number) else {
                        continue;
                    };
                    let (handle, ball) = model.swap_remove(i);
                    prop_assert_eq!(tree.remove(handle), Some(ball));
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
            prop_assert_eq!(tree.remove(handle), None);
        }
        let mut all: Vec<_> = tree.iter().map(|(handle, ball)| (handle, *ball)).collect();
        all.sort_by_key(|entry| entry.0);
        model.sort_by_key(|entry| entry.0);
        prop_assert_eq!(all, model);
        Ok(())
    });
}
