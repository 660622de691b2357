//! Any sequence of operations leads to the pairs of the double loop, and events from one list to the
//! next.

use alloc::vec::Vec;
use std::collections::BTreeSet;

use glam::{DVec3, Vec2, Vec3};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::{Engine, Judge};
use crate::{Aabb, InstructionSet, Overlaps, Scalar, Vector};

/// What is a pair besides overlapping.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    All,
    /// Ids have colours that change, and only different ones pair.
    Colours,
    /// The boxes' corners count too.
    Corners,
}

struct Model<V> {
    rule: Rule,
    items: Vec<Option<(Aabb<V>, u32)>>,
}

impl<V: Vector> Judge for Model<V> {
    fn all(&self) -> bool {
        self.rule == Rule::All
    }

    fn judges(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|id| self.items[id as usize].expect("alive"));
        match self.rule {
            Rule::All => true,
            Rule::Colours => a.1 != b.1,
            Rule::Corners => {
                let corner: f64 = (a.0.min().axis(0) + b.0.min().axis(0)).into();
                corner.rem_euclid(3.0) >= 1.0
            }
        }
    }

    fn is_steady(&self) -> bool {
        self.rule != Rule::Corners
    }
}

impl<V: Vector> Model<V> {
    fn pairs(&self) -> Vec<[u32; 2]> {
        let alive: Vec<_> = (0..).zip(&self.items).collect();
        let alive: Vec<_> = alive
            .into_iter()
            .filter_map(|(id, item)| Some((id, (*item)?.0)))
            .collect();
        let mut pairs = Vec::new();
        for (at, (a, first)) in alive.iter().enumerate() {
            for (b, second) in &alive[at + 1..] {
                if first.overlaps(second) && (self.all() || self.judges(*a, *b)) {
                    pairs.push([*a, *b]);
                }
            }
        }
        pairs
    }
}

/// On a lattice of halves, so that boxes touch.
fn coarse(random: &mut SmallRng, below: u32) -> f64 {
    f64::from(random.random_range(0..2 * below)) * 0.5
}

fn random_box<V: Vector>(random: &mut SmallRng, side: u32) -> Aabb<V> {
    let size = match random.random_range(0..40) {
        0 | 1 => 0.0,
        2 => f64::from(side) / 2.0,
        3 => 1e30,
        _ => 1.0 + coarse(random, 2),
    };
    let low = V::from_fn(|_| V::Scalar::from_f64(coarse(random, side)));
    let high = V::from_fn(|axis| low.axis(axis) + V::Scalar::from_f64(size));
    Aabb::new(low, high)
}

fn nudged<V: Vector>(random: &mut SmallRng, bounds: &Aabb<V>) -> Aabb<V> {
    let by = V::from_fn(|_| V::Scalar::from_f64(coarse(random, 2) - 0.5));
    let moved = |corner: V| V::from_fn(|axis| corner.axis(axis) + by.axis(axis));
    Aabb::new(moved(bounds.min()), moved(bounds.max()))
}

/// Drives an engine and a model, and compares them after each step.
fn drive<V: Vector>(set: InstructionSet, rule: Rule, many: usize, steps: usize) {
    let random = &mut SmallRng::seed_from_u64(many as u64);
    let side = 4 + 2 * (many as f64).powf(1.0 / V::DIM as f64) as u32;
    let mut model = Model::<V> {
        rule,
        items: alloc::vec![None; many],
    };
    let mut engine = Engine::<V>::new();
    engine.instructions = Some(set);
    let mut last = Vec::new();
    for step in 0..steps {
        let share = [1000, 1000, 50, 5, 100, 0, 1000, 300, 1000][step % 9];
        let mut reborn = BTreeSet::new();
        for id in 0..many {
            let (at, id) = (id, id as u32);
            let Some((bounds, _)) = model.items[at] else {
                if step == 0 || random.random_range(0..4) == 0 {
                    let bounds = random_box(random, side);
                    model.items[at] = Some((bounds, random.random_range(0..3)));
                    engine.insert(id, bounds, random.random_range(0..3) == 0);
                }
                continue;
            };
            if random.random_range(0..1000) < share {
                let moved = if random.random_range(0..30) == 0 {
                    random_box(random, side)
                } else {
                    nudged(random, &bounds)
                };
                model.items[at].as_mut().unwrap().0 = moved;
                engine.set(id, moved);
                assert_eq!(engine.bounds(id), moved);
            }
            match random.random_range(0..200) {
                0 | 1 => {
                    engine.remove(id);
                    model.items[at] = None;
                    if random.random_range(0..2) == 0 {
                        let moved = nudged(random, &bounds);
                        engine.insert(id, moved, false);
                        model.items[at] = Some((moved, 0));
                        reborn.insert(id);
                    }
                }
                2 => engine.rest(id, true),
                3..6 => engine.rest(id, false),
                6 => {
                    engine.touch(id);
                    model.items[at].as_mut().unwrap().1 = random.random_range(0..3);
                }
                _ => {}
            }
        }
        if step % 7 == 3 {
            engine.optimize(many / 3);
        }
        engine.step(&model);
        engine.validate().unwrap();
        let pairs = model.pairs();
        assert_eq!(engine.pairs(), pairs, "{many} boxes, step {step}");
        let is_reborn = |pair: &[u32; 2]| pair.iter().any(|id| reborn.contains(id));
        let (old, new): (BTreeSet<_>, BTreeSet<_>) = (
            last.iter().copied().collect(),
            pairs.iter().copied().collect(),
        );
        let begun = new
            .iter()
            .filter(|pair| !old.contains(*pair) || is_reborn(pair));
        let ended = old
            .iter()
            .filter(|pair| !new.contains(*pair) || is_reborn(pair));
        assert!(begun.eq(engine.begun()), "{many} boxes, step {step}");
        assert!(ended.eq(engine.ended()), "{many} boxes, step {step}");
        last = pairs;
    }
}

fn drive_all<V: Vector>(rule: Rule) {
    for set in InstructionSet::available() {
        for many in [0, 1, 2, 17, 100, 257, 600] {
            drive::<V>(set, rule, many, 36);
        }
    }
}

#[test]
fn every_overlap_in_the_plane() {
    drive_all::<Vec2>(Rule::All);
}

#[test]
fn every_overlap_in_space() {
    drive_all::<Vec3>(Rule::All);
}

#[test]
fn every_overlap_in_double_precision() {
    drive_all::<DVec3>(Rule::All);
}

#[test]
fn colours_in_the_plane() {
    drive_all::<Vec2>(Rule::Colours);
}

#[test]
fn corners_in_space() {
    drive_all::<Vec3>(Rule::Corners);
}
